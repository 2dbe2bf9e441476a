//! A procedure: experiments and steps of a runbook without a path, which stand for whatever is
//! there. Filling it in gives a study: words that begin with `$` become selectors of real targets,
//! and an experiment whose targets are not there becomes a step that says so.
//!
//! Lines keep their numbers, so that mistakes are found where they were written.

use std::collections::{BTreeMap, BTreeSet};

use iopath_units::Bytes;

use crate::mistake::{Collected, Mistakes, Texts};
use crate::print::quoted;
use crate::source::{Source, Text};
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
    /// Whether files are on all of the devices, so that they can be compared.
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

/// Titles of all experiments of a procedure.
///
/// # Errors
/// Where its text is not KDL.
pub fn titles(procedure: &Source) -> Result<Vec<String>, Mistakes> {
    let nodes = nodes(procedure)?;
    Ok(nodes.iter().filter(|node| node.kind.text == EXPERIMENT).map(title).collect())
}

/// The study that a procedure is with real targets.
///
/// # Errors
/// Where its text is not KDL.
pub fn fill(procedure: &Source, with: &Filling) -> Result<Filled, Mistakes> {
    let nodes = nodes(procedure)?;
    let text = &procedure.text;
    let starts: Vec<usize> = nodes.iter().map(|node| node.kind.span.start).collect();
    let ends = starts.iter().skip(1).copied().chain([text.len()]);
    let mut filler = Filler::new(with);
    filler.out = text[..starts.first().copied().unwrap_or(text.len())].to_owned();
    for ((node, start), end) in nodes.iter().zip(&starts).zip(ends) {
        filler.take(node, &text[*start..end]);
    }
    // A study without any has its workload at the top.
    let is_empty = !filler.has_experiments && !filler.needs.is_empty();
    let text = (!is_empty).then(|| format!("{}\n{}", filler.out.trim_end(), with.ground));
    Ok(Filled { text, needs: filler.needs })
}

fn nodes(procedure: &Source) -> Result<Vec<Node>, Mistakes> {
    let mut collected = Collected::default();
    let nodes = syntax::read(&procedure.text, Text::Study, &mut collected);
    collected.into_result(Texts { source: procedure, included: &[], sets: &[] })?;
    Ok(nodes)
}

const EXPERIMENT: &str = "experiment";

fn title(node: &Node) -> String {
    node.arguments.first().map(|title| title.written.text.clone()).unwrap_or_default()
}

/// What a step is compared with, and the share of it.
#[derive(Clone, Debug, PartialEq)]
struct Like {
    title: String,
    ratio: f64,
}

/// Fills node by node.
struct Filler<'a> {
    with: &'a Filling,
    out: String,
    needs: Vec<(String, String)>,
    has_experiments: bool,
    /// What an experiment that is left out would have been compared with.
    left_out: BTreeMap<String, Option<Like>>,
    /// Experiments that use no file.
    of_devices: BTreeSet<String>,
}

impl<'a> Filler<'a> {
    fn new(with: &'a Filling) -> Self {
        Self {
            with,
            out: String::new(),
            needs: Vec::new(),
            has_experiments: false,
            left_out: BTreeMap::new(),
            of_devices: BTreeSet::new(),
        }
    }

    fn take(&mut self, node: &Node, block: &str) {
        let with = self.with;
        let kind = node.kind.text.as_str();
        if ![EXPERIMENT, "step"].contains(&kind) {
            self.out.push_str(&with.filled(block));
            return;
        }
        let title = title(node);
        if !block.contains(FILES) {
            self.of_devices.insert(title.clone());
        }
        let like = self.like(node, block);
        if !with.only.is_empty() && !with.only.contains(&title) {
            self.out.push_str(&lines(block));
            self.left_out.insert(title, like);
            return;
        }
        match with.reason(node, block).filter(|_| kind == EXPERIMENT) {
            Some(reason) => {
                self.out.push_str(&instead(node, &title, &reason, block));
                self.needs.push((title.clone(), reason));
                self.left_out.insert(title, like);
            }
            None => {
                self.out.push_str(&with.filled(&compared(node, block, like.as_ref())));
                self.has_experiments |= kind == EXPERIMENT;
            }
        }
    }

    /// What a step is compared with here: instead of one that is left out what that would have been
    /// compared with; of files no devices that they are not on.
    fn like(&self, node: &Node, block: &str) -> Option<Like> {
        let (_, own) = property(node, "like")?;
        let ratio = property(node, "ratio").and_then(|(_, ratio)| ratio.written.text.parse().ok());
        let ratio = ratio.unwrap_or(1.0);
        let own = Like { title: own.written.text.clone(), ratio };
        let like = match self.left_out.get(&own.title) {
            Some(Some(other)) => Like { ratio: ratio * other.ratio, ..other.clone() },
            Some(None) => return None,
            None => own,
        };
        let can_compare = self.with.files_on_devices
            || !block.contains(FILES)
            || !self.of_devices.contains(&like.title);
        can_compare.then_some(like)
    }
}

/// A block whose step is compared with this.
fn compared(node: &Node, block: &str, like: Option<&Like>) -> String {
    let start = node.kind.span.start;
    let mut block = block.to_owned();
    let (Some(old), ratio) = (property(node, "like"), property(node, "ratio")) else {
        return block;
    };
    // As exact as a study holds it.
    let ratio_of = |one: &Like| (one.ratio * 1e6).round() / 1e6;
    let new = like.map(|one| format!("like={} ratio={}", quoted(&one.title), ratio_of(one)));
    let mut edits = vec![(old, new.unwrap_or_default())];
    edits.extend(ratio.map(|ratio| (ratio, String::new())));
    // From behind, so that places stay.
    edits.sort_by_key(|((key, _), _)| std::cmp::Reverse(key.span.start));
    for ((key, entry), new) in edits {
        block.replace_range(key.span.start - start..entry.span.end - start, &new);
    }
    block
}

/// A property of the step of an experiment.
fn property<'a>(node: &'a Node, name: &str) -> Option<&'a (Word, Entry)> {
    let step = node.children.iter().find(|child| child.kind.text == "step")?;
    step.properties.iter().find(|(key, _)| key.text == name)
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
    /// Why an experiment is not run.
    fn reason(&self, node: &Node, block: &str) -> Option<String> {
        let own = property(node, "needs").map(|(_, needs)| needs.written.text.clone());
        let blocked = || self.blocked.get(&title(node)).cloned();
        own.or_else(blocked).or_else(|| self.missing(block))
    }

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
    step like="each" ratio=0.5
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
            let text = format!("{} {like} {}", step.title, step.ratio.as_f64());
            if step.is_experiment { text } else { format!("({})", step.title) }
        };
        study.steps.iter().map(step).collect()
    }

    #[test]
    fn what_is_not_there_is_a_step_with_its_need_and_others_are_like_what_that_was_like() {
        assert_eq!(steps(&with(&["h.a", "h.b"])), ["each - 1", "all each 0.5", "file all 0.9"]);
        assert_eq!(steps(&with(&["h.a"])), ["each - 1", "(all)", "file each 0.45"]);
        assert_eq!(steps(&with(&[])), ["(each)", "(all)", "file - 1"]);
    }

    #[test]
    fn files_elsewhere_are_not_compared_with_devices() {
        let elsewhere = Filling { files_on_devices: false, ..with(&["h.a", "h.b"]) };
        assert_eq!(steps(&elsewhere), ["each - 1", "all each 0.5", "file - 1"]);
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
        assert_eq!(steps(&Filling { only, ..with(&["h.a", "h.b"]) }), ["file - 1"]);
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
