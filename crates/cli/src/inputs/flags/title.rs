//! What a run from options is called: what is read or written, how, and where, in fio's words. It
//! leaves out what only says how long or how exactly is measured.

use super::metadata::FILES;
use super::targets::Target;
use super::{PATTERN, Rate, Reading, Stream};
use crate::arguments::CaseOptions;

impl Reading<'_> {
    /// "random read 4 KiB, depth 8, on /dev/nvme0n1"; what is set afterwards is named as it is.
    pub(super) fn title(
        &self,
        stream: &Stream,
        rate: Option<Rate>,
        targets: &[Target],
        sets: &[String],
    ) -> String {
        let pattern = self.text("--pattern").unwrap_or(PATTERN);
        let pattern = pattern.split(',').next().unwrap_or_default();
        let (operation, mix) = self.operation();
        let block = stream.block.iter().map(|block| format!(" {block}")).collect::<String>();
        let mut parts = vec![format!("{pattern} {operation}{block}")];
        parts.extend(mix);
        parts.extend(stream.depth.map(|depth| format!("depth {depth}")));
        parts.extend(self.several_streams(targets.len()));
        parts.extend(rate.map(|rate| format!("at {rate}")));
        parts.extend(self.text("--sync").filter(|how| *how != "none").map(str::to_owned));
        let paths: Vec<&str> = targets.iter().map(|target| target.path.as_str()).collect();
        parts.push(format!("on {}", place(&paths)));
        let set = if sets.is_empty() { String::new() } else { format!(" ({})", sets.join(", ")) };
        format!("{}{set}", parts.join(", "))
    }

    /// "create, stat 10000 files, in /mnt/data".
    pub(super) fn title_of_metadata(&self, options: &CaseOptions) -> String {
        let actions = self.text("--metadata").unwrap_or_default().split(',').map(str::trim);
        let actions = actions.collect::<Vec<_>>().join(", ");
        let files = self.text("--files").map_or_else(|| FILES.to_string(), str::to_owned);
        let mut parts = vec![format!("{actions} {files} files")];
        parts.extend(self.several_streams(1));
        let targets: Vec<_> = options.target.iter().map(|path| path.to_string_lossy()).collect();
        let paths: Vec<&str> = targets.iter().map(AsRef::as_ref).collect();
        parts.push(format!("in {}", place(&paths)));
        parts.join(", ")
    }

    /// `mix=70` is read and write, with the share of reads.
    fn operation(&self) -> (&str, Option<String>) {
        let text = self.text("--op").unwrap_or("read");
        match text.strip_prefix("mix=") {
            Some(percent) => {
                let percent = percent.trim_end_matches('%').trim();
                ("read/write", Some(format!("{percent} % reads")))
            }
            None => (text, None),
        }
    }

    fn several_streams(&self, default: usize) -> Option<String> {
        let given = self.text("--streams").and_then(|text| text.parse().ok());
        let count = given.unwrap_or(default);
        (count > 1).then(|| format!("{count} streams"))
    }
}

/// The first of several targets, and how many more there are.
fn place(paths: &[&str]) -> String {
    match paths {
        [] | ["."] => "the current directory".to_owned(),
        [one] => (*one).to_owned(),
        [first, more @ ..] => format!("{first} and {} more", more.len()),
    }
}
