//! A procedure: experiments and steps of a runbook without a path, which stand for whatever is
//! there. Filling it in gives a study: words that begin with `$` become selectors of real targets,
//! and an experiment whose targets are not there becomes a step that says so.
//!
//! Lines keep their numbers, so that mistakes are found where they were written.

use std::collections::{BTreeMap, BTreeSet};

use iopath_units::Bytes;

use crate::mistake::{Collected, Mistakes, Texts};
use crate::print::quoted;
use crate::source::{Source, Span, Text};
use crate::syntax::{self, Entry, Node, Word};

/// What a procedure is done with.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Filling {
    /// Path and layout, as a study has them.
    pub ground: String,
    /// Selectors of block devices.
    pub devices: Vec<String>,
    /// Selectors of the devices behind each component that has several of them, but not all.
    pub components: Vec<String>,
    /// Selectors of files.
    pub files: Vec<String>,
    /// All bytes of the files.
    pub files_size: Bytes,
    /// Whether a file lies on one of the devices, so that they can be compared.
    pub files_on_devices: bool,
    /// Experiments that cannot be run here, by their titles, with what they need.
    pub blocked: BTreeMap<String, String>,
    /// The only steps wanted, by their titles; all where there are none.
    pub only: BTreeSet<String>,
}

/// What stands for targets.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Placeholder {
    EachDevice,
    Devices,
    SeveralDevices,
    EachComponent,
    Files,
    FilesSize,
}

const PLACEHOLDERS: [(&str, Placeholder); 6] = [
    ("\"$each-device\"", Placeholder::EachDevice),
    ("\"$devices\"", Placeholder::Devices),
    ("\"$several-devices\"", Placeholder::SeveralDevices),
    ("\"$each-component\"", Placeholder::EachComponent),
    ("\"$files\"", Placeholder::Files),
    ("\"$files-size\"", Placeholder::FilesSize),
];

/// The one that steps of files have.
const FILES: &str = "\"$files\"";

/// Whether a text has a path of its own: then it is a study as it stands.
#[must_use]
pub fn is_procedure(text: &str) -> bool {
    PLACEHOLDERS.iter().any(|(word, _)| text.contains(word))
}

/// A procedure with real targets.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Filled {
    /// The study; none without an experiment.
    pub text: Option<String>,
    /// Titles of experiments that were left out, with what each needs.
    pub needs: Vec<(String, String)>,
}

/// The study that a procedure is with real targets.
///
/// # Errors
/// Where its text is not KDL.
pub fn fill(procedure: &Source, with: &Filling) -> Result<Filled, Mistakes> {
    let mut collected = Collected::default();
    let nodes = syntax::read(&procedure.text, Text::Study, &mut collected);
    collected.into_result(Texts { source: procedure, included: &[], sets: &[] })?;
    let text = &procedure.text;
    let starts: Vec<usize> = nodes.iter().map(|node| node.kind.span.start).collect();
    let ends = starts.iter().skip(1).copied().chain([text.len()]);
    let mut out = text[..starts.first().copied().unwrap_or(text.len())].to_owned();
    // What an experiment that is left out would have been compared with.
    let mut left_out: BTreeMap<String, Option<String>> = BTreeMap::new();
    let (mut needs, mut has_experiments) = (Vec::new(), false);
    let mut of_devices: BTreeSet<String> = BTreeSet::new();
    for ((node, start), end) in nodes.iter().zip(&starts).zip(ends) {
        let block = &text[*start..end];
        let is_step = ["experiment", "step"].contains(&node.kind.text.as_str());
        let title = node.arguments.first().map(|title| title.written.text.clone());
        let title = title.filter(|_| is_step).unwrap_or_default();
        if is_step && !with.only.is_empty() && !with.only.contains(&title) {
            out.push_str(&lines(block));
            left_out.insert(title, None);
            continue;
        }
        let like = like(node);
        let is_of_files = block.contains(FILES);
        if !is_of_files {
            of_devices.insert(title.clone());
        }
        let own = property(node, "needs").map(|(_, needs)| needs.written.text.clone());
        let reason = own.or_else(|| with.blocked.get(&title).cloned());
        let reason = reason.or_else(|| with.missing(block));
        match reason.filter(|_| !title.is_empty()) {
            Some(reason) => {
                out.push_str(&instead(node, &title, &reason, block));
                needs.push((title.clone(), reason));
                let like = like.map(|(like, _)| left_out.get(&like).cloned().unwrap_or(Some(like)));
                left_out.insert(title, like.flatten());
            }
            None => {
                let other = |like: String| left_out.get(&like).cloned().unwrap_or(Some(like));
                let can_compare = |like: &String| {
                    with.files_on_devices || !is_of_files || !of_devices.contains(like)
                };
                let block = match like {
                    Some((like, at)) => {
                        let other = other(like).filter(can_compare);
                        let other = other.map(|like| format!("like={}", quoted(&like)));
                        let (from, to) = (at.start - start, at.end - start);
                        format!("{}{}{}", &block[..from], other.unwrap_or_default(), &block[to..])
                    }
                    None => block.to_owned(),
                };
                out.push_str(&with.filled(&block));
                has_experiments |= node.kind.text == "experiment";
            }
        }
    }
    // A study without any has its workload at the top.
    let is_empty = !has_experiments && !needs.is_empty();
    let text = (!is_empty).then(|| format!("{}\n{}", out.trim_end(), with.ground));
    Ok(Filled { text, needs })
}

/// A property of the step of an experiment.
fn property<'a>(node: &'a Node, name: &str) -> Option<&'a (Word, Entry)> {
    let step = node.children.iter().find(|child| child.kind.text == "step")?;
    step.properties.iter().find(|(key, _)| key.text == name)
}

/// What its step is like, and where that stands.
fn like(node: &Node) -> Option<(String, Span)> {
    let (key, entry) = property(node, "like")?;
    let span = Span { end: entry.span.end, ..key.span };
    Some((entry.written.text.clone(), span))
}

/// The step that stands for an experiment, in as many lines.
fn instead(node: &Node, title: &str, reason: &str, block: &str) -> String {
    let why = property(node, "why").map(|(_, why)| format!(" why={}", quoted(&why.written.text)));
    let why = why.unwrap_or_default();
    format!("step {}{why} needs={}{}", quoted(title), quoted(reason), lines(block))
}

/// As many ends of lines as a block has.
fn lines(block: &str) -> String {
    "\n".repeat(block.matches('\n').count())
}

impl Filling {
    /// What an experiment needs and is not there.
    fn missing(&self, block: &str) -> Option<String> {
        let used = PLACEHOLDERS.iter().filter(|(word, _)| block.contains(word));
        used.filter_map(|(_, what)| self.need(*what)).next().map(str::to_owned)
    }

    /// What is not there to stand for a word.
    fn need(&self, what: Placeholder) -> Option<&'static str> {
        let (is_missing, need) = match what {
            Placeholder::EachDevice | Placeholder::Devices => {
                (self.devices.is_empty(), "a block device among the targets")
            }
            Placeholder::SeveralDevices => {
                (self.devices.len() < 2, "two or more block devices among the targets")
            }
            Placeholder::EachComponent => {
                (self.components.is_empty(), "a component with some of several devices behind it")
            }
            Placeholder::Files => (self.files.is_empty(), "a file or directory among the targets"),
            Placeholder::FilesSize => {
                (!self.files.is_empty() && self.files_size.0 == 0, "files that are not empty")
            }
        };
        is_missing.then_some(need)
    }

    fn filled(&self, block: &str) -> String {
        let levels =
            |all: &[String]| all.iter().map(|one| quoted(one)).collect::<Vec<_>>().join(" ");
        PLACEHOLDERS.iter().fold(block.to_owned(), |text, (word, what)| {
            let instead = match what {
                Placeholder::EachDevice => levels(&self.devices),
                Placeholder::EachComponent => levels(&self.components),
                Placeholder::Devices | Placeholder::SeveralDevices => {
                    quoted(&self.devices.join(","))
                }
                Placeholder::Files => quoted(&self.files.join(",")),
                Placeholder::FilesSize => quoted(&self.files_size.to_string()),
            };
            text.replace(word, &instead)
        })
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::parse;

    const PROCEDURE: &str = r#"study "Up"
experiment "each" {
    step why="Each?"
    workload time="1 s" { streams "r" over="$devices" block="4 KiB" }
    vary { factor "device" of="r.over" "$each-device"; }
}
experiment "all" {
    step like="each"
    workload time="1 s" { streams "r" over="$several-devices" block="4 KiB" }
}
experiment "file" {
    step like="all" ratio=0.9
    workload time="1 s" amount="$files-size" { streams "r" over="$files" block="4 KiB" }
}
"#;

    const GROUND: &str = r#"path {
    host "h" { part "a"; part "b"; }
    bind from="h.a" to="/dev/a"
    bind from="h.b" to="/dev/b"
}
layout { file "f" size="1 MiB" }
"#;

    fn with(devices: &[&str]) -> Filling {
        Filling {
            ground: GROUND.to_owned(),
            devices: devices.iter().map(|one| (*one).to_owned()).collect(),
            files: vec!["f".to_owned()],
            files_size: Bytes(1 << 20),
            files_on_devices: true,
            ..Filling::default()
        }
    }

    /// Each step with what it is like, in brackets where it is not run.
    fn steps(with: &Filling) -> Vec<String> {
        let source = |text: &str| Source { name: "p.kdl".to_owned(), text: text.to_owned() };
        let text = fill(&source(PROCEDURE), with).unwrap().text.unwrap();
        assert!(text.find("experiment \"file\"").is_none_or(|at| text[..at].lines().count() == 10));
        let study = parse(&source(&text), &[]).unwrap();
        let step = |step: &crate::Step| {
            let like = step.like.as_deref().unwrap_or("-");
            let text = format!("{} {like}", step.title);
            if step.is_experiment { text } else { format!("({})", step.title) }
        };
        study.steps.iter().map(step).collect()
    }

    #[test]
    fn what_is_not_there_is_a_step_with_its_need_and_others_are_like_what_that_was_like() {
        assert_eq!(steps(&with(&["h.a", "h.b"])), ["each -", "all each", "file all"]);
        assert_eq!(steps(&with(&["h.a"])), ["each -", "(all)", "file each"]);
        assert_eq!(steps(&with(&[])), ["(each)", "(all)", "file -"]);
    }

    #[test]
    fn files_elsewhere_are_not_compared_with_devices() {
        let elsewhere = Filling { files_on_devices: false, ..with(&["h.a", "h.b"]) };
        assert_eq!(steps(&elsewhere), ["each -", "all each", "file -"]);
    }

    #[test]
    fn an_experiment_that_needs_what_is_elsewhere_is_not_run() {
        let text = PROCEDURE.replace("like=\"all\"", "like=\"all\" needs=\"a moon\"");
        let source = Source { name: "p.kdl".to_owned(), text };
        let Filled { needs, .. } = fill(&source, &with(&["h.a", "h.b"])).unwrap();
        assert_eq!(needs, [("file".to_owned(), "a moon".to_owned())]);
    }

    #[test]
    fn only_the_steps_wanted_are_left() {
        let only = BTreeSet::from(["file".to_owned()]);
        assert_eq!(steps(&Filling { only, ..with(&["h.a", "h.b"]) }), ["file -"]);
    }

    #[test]
    fn nothing_left_is_no_study() {
        let blocked = ["each", "all", "file"].map(|title| (title.to_owned(), "luck".to_owned()));
        let filling = Filling { blocked: blocked.into(), ..with(&["h.a", "h.b"]) };
        let source = Source { name: "p.kdl".to_owned(), text: PROCEDURE.to_owned() };
        let Filled { text, needs } = fill(&source, &filling).unwrap();
        assert_eq!((text, needs.len()), (None, 3));
    }
}
