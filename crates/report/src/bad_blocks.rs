//! What verification found, for a person: kinds with their numbers, and the first bad blocks. The
//! JSON of a run lists up to a thousand.

use crate::look::{Look, Tone};
use crate::run::{RunReport, TrialReport};
use crate::wrap::wrap;

/// Bad blocks of a trial that are listed in text (chosen: they show a pattern, and fit a screen).
const SHOWN: usize = 10;

/// The bad blocks of each trial; empty where there are none.
pub(crate) fn section(run: &RunReport, look: &Look) -> String {
    let found = run.trials.iter().filter(|trial| !trial.findings.bad_blocks.is_empty());
    let parts: Vec<String> = found.map(|trial| of(trial, run, look)).collect();
    if parts.is_empty() { String::new() } else { format!("bad blocks\n{}", parts.join("\n")) }
}

fn of(trial: &TrialReport, run: &RunReport, look: &Look) -> String {
    let blocks = &trial.findings.bad_blocks;
    let title = wrap(&format!("{}: {blocks}", trial.label()), 2, look.width);
    let mut lines = vec![look.paint(Tone::Broken, &title)];
    let shown = blocks.listed.iter().take(SHOWN);
    let line = |block: &iopath_record::BadBlock| {
        wrap(&format!("{}: {}", block.target, block.what), 4, look.width)
    };
    lines.extend(shown.map(line));
    let more = blocks.total().saturating_sub(SHOWN as u64);
    if more > 0 {
        let id = run.id.as_deref().unwrap_or("RUN");
        lines.push(format!("    … and {more} more: iopath show {id} --json"));
    }
    lines.join("\n")
}
