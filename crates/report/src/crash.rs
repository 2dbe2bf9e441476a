//! What targets hold after a crash: a sentence, then each target with its lost writes and damage.

use iopath_record::{AfterCrash, LostWrite};
use serde_json::{Value, json};

use crate::look::{Look, Tone};
use crate::wrap::wrap;

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

/// What was found, as text.
#[must_use]
pub fn render_crash(report: &CrashReport, look: &Look) -> String {
    let (tone, verdict) = report.verdict();
    let mut parts = vec![look.paint(tone, &format!("run {}: {verdict}", report.run))];
    parts.extend(report.targets.iter().map(|target| of_target(report, target, look)));
    if !report.is_current {
        let text = "the machine was restarted since: the last entries of the journal may be lost, \
                    so less is known to have been flushed, and newer writes than it knows are no \
                    damage";
        parts.push(look.paint(Tone::Warning, &wrap(text, 2, look.width)));
    }
    parts.push(format!("the journal stays until: iopath verify {} --forget\n", report.run));
    parts.join("\n\n")
}

fn of_target(report: &CrashReport, target: &AfterCrash, look: &Look) -> String {
    let (units, unit_bytes) = (target.units(), target.unit_bytes);
    let mut lines = vec![
        target.target.clone(),
        format!(
            "  {units} blocks of {unit_bytes} B checked, {} of them flushed: {} intact",
            target.flushed_units, target.intact_units
        ),
    ];
    if target.lost.units > 0 {
        let lost = target.lost.units;
        lines.push(format!("  {lost} do not hold the last write, which no flush covers"));
    }
    if target.torn.units > 0 {
        lines.push(format!("  {} hold parts of writes that no flush covers", target.torn.units));
    }
    if !target.bad_blocks.is_empty() {
        lines.push(look.paint(Tone::Broken, &format!("  {}", target.bad_blocks)));
        let shown = target.bad_blocks.listed.iter().take(SHOWN);
        lines.extend(shown.map(|block| wrap(&block.what, 4, look.width)));
        let more = target.bad_blocks.total().saturating_sub(SHOWN as u64);
        if more > 0 {
            lines.push(format!("    … and {more} more: iopath verify {} --json", report.run));
        }
    }
    lines.join("\n")
}

/// The same as JSON, `iopath-verification/1`.
#[must_use]
pub fn crash_json(report: &CrashReport) -> Value {
    let target = |target: &AfterCrash| {
        json!({
            "target": target.target,
            "unit_bytes": target.unit_bytes,
            "units": target.units(),
            "flushed_units": target.flushed_units,
            "intact_units": target.intact_units,
            "lost_units": target.lost.units,
            "torn_units": target.torn.units,
            "bad_units": target.bad_blocks.total(),
            "lost": writes(&target.lost.listed),
            "torn": writes(&target.torn.listed),
            "bad_blocks": target.bad_blocks,
        })
    };
    json!({
        "format": "iopath-verification/1",
        "run": report.run,
        "is_current": report.is_current,
        "is_intact": report.is_intact(),
        "targets": report.targets.iter().map(target).collect::<Vec<_>>(),
        "problems": report.problems,
    })
}

fn writes(listed: &[LostWrite]) -> Value {
    json!(listed)
}
