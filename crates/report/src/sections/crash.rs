//! What targets hold after a crash: a sentence, then each target with its lost writes and damage.

use iopath_record::AfterCrash;

use crate::document::{Block, Document, Notice, Section};
use crate::look::Tone;
use crate::view::crash::CrashReport;

/// Bad blocks of a target that are listed in text (chosen: they show a pattern, and fit a screen).
const SHOWN: usize = 10;

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
