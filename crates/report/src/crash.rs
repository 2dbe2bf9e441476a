//! What targets hold after a crash: a sentence, then each target with its lost writes and damage.

use iopath_record::AfterCrash;

use crate::document::{Block, Document, Notice, Section};
use crate::look::Tone;

/// Bad blocks of a target that are listed in text (chosen: they show a pattern, and fit a screen).
const SHOWN: usize = 10;

/// The targets of a run that was cut off.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct CrashReport {
    /// Its name in the store.
    pub run: String,
    /// Whether the machine has run on since, so that its journals lack nothing.
    pub is_current: bool,
    /// Each target that could be checked.
    pub targets: Vec<AfterCrash>,
    /// Why the others could not.
    pub problems: Vec<String>,
}

impl CrashReport {
    /// A run of which nothing is checked yet.
    #[must_use]
    pub fn of(run: String) -> Self {
        Self { run, is_current: true, targets: Vec::new(), problems: Vec::new() }
    }

    /// Whether all that was flushed is there; none where some of it, or nothing, could be checked.
    #[must_use]
    pub fn is_intact(&self) -> Option<bool> {
        let checked: u64 = self.targets.iter().map(AfterCrash::units).sum();
        match self.damage() {
            Some(_) => Some(false),
            None => (checked > 0 && self.problems.is_empty()).then_some(true),
        }
    }

    /// What is damaged, in words; none where nothing is.
    #[must_use]
    pub fn damage(&self) -> Option<String> {
        let damaged = self.targets.iter().filter(|target| !target.bad_blocks.is_empty());
        let texts: Vec<String> = damaged
            .map(|target| {
                let hint = match target.is_strange() {
                    true => {
                        "; nothing of the run is there: is it another device, or written since?"
                    }
                    false => "",
                };
                let first = target.bad_blocks.listed.first().map_or("", |block| &block.what);
                let (label, blocks) = (&target.target, &target.bad_blocks);
                format!("{label}: {blocks}; the first: {first}{hint}")
            })
            .collect();
        (!texts.is_empty()).then(|| texts.join("\n"))
    }

    fn verdict(&self) -> (Tone, &'static str) {
        let sum = |of: fn(&AfterCrash) -> u64| self.targets.iter().map(of).sum::<u64>();
        let lost = sum(|target| target.lost.units + target.torn.units);
        let text = match (sum(AfterCrash::units), sum(|target| target.flushed_units), lost) {
            _ if self.damage().is_some() => return (Tone::Broken, "wrong data"),
            (0, ..) => {
                return (Tone::Warning, "its journal knows of no block that could be checked");
            }
            (_, 0, 0) => "nothing was lost; no flush was acknowledged",
            (_, 0, _) => "writes were lost, and no flush was acknowledged",
            (_, _, 0) => "all that was flushed is there, and nothing was lost",
            (..) => "all that was flushed is there; writes that were not were lost",
        };
        (Tone::Verdict, text)
    }
}

/// What was found.
#[must_use]
pub fn document(report: &CrashReport) -> Document {
    let (tone, verdict) = report.verdict();
    let said = format!("run {}: {verdict}", report.run);
    let answer = match tone {
        Tone::Verdict => Block::Verdict(said),
        tone => Block::Notice(Notice { tone, what: String::new(), text: said }),
    };
    let mut sections = vec![Section { id: "verdict", blocks: vec![answer], ..Section::default() }];
    sections.extend(report.targets.iter().map(|target| of_target(report, target)));
    let restarted = "the machine was restarted since: the last entries of the journal may be lost, \
                     so less is known to have been flushed, and newer writes than it knows are no \
                     damage";
    let restarted = (!report.is_current).then(|| Block::warning(String::new(), restarted));
    let stays = format!("the journal stays until: iopath verify {} --forget", report.run);
    let next = restarted.into_iter().chain([Block::Text(stays)]).collect();
    sections.push(Section { id: "next", blocks: next, ..Section::default() });
    Document { sections, ..Document::default() }
}

fn of_target(report: &CrashReport, target: &AfterCrash) -> Section {
    let (units, unit_bytes) = (target.units(), target.unit_bytes);
    let checked = format!(
        "{units} blocks of {unit_bytes} B checked, {} of them flushed: {} intact",
        target.flushed_units, target.intact_units
    );
    let [lost, torn] = [target.lost.units, target.torn.units];
    let lost =
        (lost > 0).then(|| format!("{lost} do not hold the last write, which no flush covers"));
    let torn = (torn > 0).then(|| format!("{torn} hold parts of writes that no flush covers"));
    let lines = std::iter::once(checked).chain(lost).chain(torn).collect();
    let mut blocks = vec![Block::Lines(lines)];
    if !target.bad_blocks.is_empty() {
        let found = &target.bad_blocks;
        blocks.push(Block::broken(String::new(), found.to_string()));
        let shown = found.listed.iter().take(SHOWN).map(|block| block.what.clone());
        let more = found.total().saturating_sub(SHOWN as u64);
        let more =
            (more > 0).then(|| format!("… and {more} more: iopath verify {} --json", report.run));
        blocks.push(Block::Lines(shown.chain(more).collect()));
    }
    Section { id: "target", title: target.target.clone(), blocks }
}
