//! What all runs together amount to: one line for each fault.

use std::collections::BTreeMap;
use std::fmt;

use super::judge::judge;
use super::matrix::Case;
use super::play::Outcome;

/// The lines, by the name of the fault.
#[derive(Default)]
pub(super) struct Table {
    lines: BTreeMap<String, Line>,
}

#[derive(Default)]
struct Line {
    tried: u64,
    happened: u64,
    could: u64,
    found: u64,
    kind: u64,
    place: u64,
    false_alarms: u64,
}

impl Table {
    /// Counts a run; says what is wrong with it.
    pub(super) fn add(&mut self, case: &Case, outcome: &Outcome) -> Option<String> {
        let judged = judge(case, outcome);
        let name = case.fault.map_or_else(|| "clean".to_owned(), |fault| format!("{fault:?}"));
        let line = self.lines.entry(name).or_default();
        line.tried += 1;
        line.happened += u64::from(outcome.fired);
        line.false_alarms += u64::from(judged.false_alarm);
        if judged.could {
            line.could += 1;
            line.found += u64::from(judged.found);
            line.kind += u64::from(judged.kind);
            line.place += u64::from(judged.place);
        }
        let wrong = match () {
            () if judged.false_alarm => "FALSE ALARM",
            () if !judged.could => return None,
            () if !judged.found => "NOT FOUND",
            () if !judged.kind => "OTHER KIND",
            () if !judged.place => "OTHER PLACE",
            () => return None,
        };
        let first: Vec<_> = outcome.found.iter().take(5).collect();
        let (code, stderr) = (outcome.code, outcome.stderr.trim());
        let (seen, left) = (outcome.seen.first(), outcome.left.first());
        Some(format!(
            "{wrong}: code {code}, seen from {seen:?}, left from {left:?}, found {first:?}\n\
             {stderr}"
        ))
    }

    /// Whether all was found, and nothing else.
    pub(super) fn is_kept(&self) -> bool {
        let kept = |line: &Line| {
            [line.found, line.kind, line.place] == [line.could; 3] && line.false_alarms == 0
        };
        self.lines.values().all(kept)
    }
}

impl fmt::Display for Table {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let title = ["tried", "happened", "seen", "found", "kind", "place", "false alarms"];
        writeln!(f, "{:<12}{}", "fault", title.map(|title| format!("{title:>14}")).concat())?;
        for (name, line) in &self.lines {
            let Line { tried, happened, could, found, kind, place, false_alarms } = *line;
            let figures = [tried, happened, could, found, kind, place, false_alarms];
            writeln!(f, "{name:<12}{}", figures.map(|n| format!("{n:>14}")).concat())?;
        }
        Ok(())
    }
}
