//! Loads by name, as `--like` takes them: studies that come with the program, each the requests of
//! an application with the source of every number. What is read and written is the load's own;
//! `--set` changes it. `flags` sets the options that fit a load into it.

use iopath_study::{Source, Study, parse};
use iopath_units::Bytes;

use crate::exit_status::Problem;

macro_rules! loads {
    ($($name:literal),* $(,)?) => {
        &[$(Load { name: $name, text: include_str!(concat!("../loads/", $name, ".kdl")) }),*]
    };
}

/// Databases first, then what keeps files.
const LOADS: &[Load] = loads![
    "postgres-wal",
    "checkpoint",
    "oltp",
    "olap-scan",
    "kafka-log",
    "mail",
    "vm-boot",
    "video-ingest",
    "backup",
];

/// Options of a case that say where files are and how large.
const OF_FILES: [&str; 2] = ["--target", "--size"];

/// Those that say what a study has in its workload.
pub(crate) const OF_WORKLOAD: [&str; 9] = [
    "--time",
    "--warm-up",
    "--passes",
    "--until-ci",
    "--cache",
    "--engine",
    "--buffers",
    "--seed",
    "--verify",
];

/// A load that comes with the program.
pub(crate) struct Load {
    pub name: &'static str,
    text: &'static str,
}

/// The names, each with the question that it answers.
pub(crate) fn list() -> String {
    let widest = LOADS.iter().map(|load| load.name.len()).max().unwrap_or_default();
    let lines = LOADS.iter().map(|load| format!("  {:widest$}  {}", load.name, load.asks()));
    lines.collect::<Vec<_>>().join("\n")
}

/// What `--help` says of them.
pub(crate) fn help() -> String {
    format!(
        "Use a built-in load instead of a study:\n{}\n\
         `iopath plan --like NAME` prints it as a study, with the source of each number. Its files \
         are scratch files here, or where --target says: one directory for all of them, or a \
         target for each. Of the options below, {}, {} and {} go with it",
        list(),
        OF_FILES[1],
        OF_WORKLOAD[..OF_WORKLOAD.len() - 1].join(", "),
        OF_WORKLOAD[OF_WORKLOAD.len() - 1]
    )
}

/// Whether a load takes an option besides `--set`.
pub(crate) fn takes(option: &str) -> bool {
    OF_FILES.contains(&option) || OF_WORKLOAD.contains(&option)
}

/// A file as a load declares it.
pub(crate) struct File {
    pub name: String,
    pub size: Bytes,
}

/// The load of a name.
pub(crate) fn named(name: &str) -> Result<&'static Load, Problem> {
    LOADS.iter().find(|load| load.name == name).ok_or_else(|| {
        Problem::mistake(format!("--like: there is no load \"{name}\"; there are\n{}", list()))
    })
}

/// The files of all cases, in their order.
pub(crate) fn files(study: &Study) -> Result<Vec<File>, Problem> {
    let mut files: Vec<File> = Vec::new();
    for target in study.cases().map_err(Problem::unexpected)?.into_iter().flat_map(|c| c.targets) {
        if !files.iter().any(|file| file.name == target.name) {
            let size = target.size.unwrap_or_default();
            files.push(File { name: target.name, size });
        }
    }
    Ok(files)
}

impl Load {
    /// Its title, which is a question.
    fn asks(&self) -> &str {
        let title = self.text.lines().find_map(|line| line.strip_prefix("study \""));
        title.and_then(|title| title.strip_suffix('"')).unwrap_or_default()
    }

    pub(crate) fn study(&self) -> Result<Study, Problem> {
        let source = Source { name: self.name.to_owned(), text: self.text.to_owned() };
        parse(&source, &[]).map_err(Problem::unexpected)
    }

    /// Its text with other blocks instead of its layout.
    pub(crate) fn with(&self, blocks: &str) -> String {
        let parts = self.text.split_once("layout {\n").and_then(|(before, rest)| {
            let (_, after) = rest.split_once("}\n\n")?;
            Some(format!("{before}{blocks}{after}"))
        });
        parts.unwrap_or_else(|| self.text.to_owned())
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_load_says_what_it_asks_and_where_each_number_is_from() {
        for load in LOADS {
            assert!(load.asks().ends_with('?'), "{}: {}", load.name, load.asks());
            let comment: String =
                load.text.lines().take_while(|line| line.starts_with("//")).collect();
            for part in ["Sources", "https://", "assumed", "Left out: "] {
                assert!(comment.contains(part), "{}: {part}", load.name);
            }
        }
    }

    /// Without options its files are as the load declares them.
    #[test]
    fn every_number_of_a_load_has_an_origin_and_its_layout_can_be_replaced() {
        for load in LOADS {
            let study = load.study().unwrap();
            let files = files(&study).unwrap();
            assert!(!files.is_empty() && files.iter().all(|file| file.size.0 > 0), "{}", load.name);
            let text = load.with("layout { file \"other\" }\n\n");
            assert_eq!(text.matches("layout {").count(), 1, "{text}");
            assert!(text.contains("\"other\" }\n\nexperiment"), "{text}");
            for line in load.text.lines().filter(|line| !line.starts_with("//")) {
                for property in ["block=", "depth=", "size=", "rate=", "reads=", "sync="] {
                    for (at, _) in line.match_indices(&format!(" {property}")) {
                        assert!(line[at + property.len() + 1..].starts_with('('), "{line}");
                    }
                }
            }
        }
    }
}
