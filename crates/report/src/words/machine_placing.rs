//! The placement of a machine in words.

use super::counted;
use crate::view::machine_placing::{MachineMove, MachinePlacing, PlacedController, ServedShare};

/// The answer.
pub(crate) fn sentence(placing: &MachinePlacing) -> String {
    let MachinePlacing { moves, controllers, commands, .. } = placing;
    let mut rules: Vec<&str> = moves.iter().map(|one| one.rule).collect();
    rules.dedup();
    let looked_at = counted(controllers.len(), "storage controller");
    match (rules.is_empty(), controllers.len()) {
        (false, _) => {
            let findings = counted(moves.len(), "finding");
            let moved = match commands.len() {
                0 => String::new(),
                number => format!("; {} to move", counted(number, "interrupt")),
            };
            format!("{findings}: {}{moved}", rules.join(", "))
        }
        (true, 0) => "no storage controller on PCI: nothing to place".to_owned(),
        (true, _) if controllers.iter().all(|one| one.served_by.is_empty()) => {
            format!("{looked_at}, whose interrupts are not known; else nothing to move")
        }
        (true, _) => format!("{looked_at}, nothing to move"),
    }
}

/// One finding.
pub(crate) fn step(at: usize, one: &MachineMove) -> String {
    let MachineMove { rule, severity, parts, text, hint } = one;
    format!("{at}. {severity}: {}: {text}; {hint} ({rule})", listed(parts))
}

/// What is behind a controller.
pub(crate) fn behind(one: &PlacedController) -> String {
    listed(&one.behind)
}

/// So many names are listed (chosen).
const LISTED: usize = 4;

fn listed(names: &[String]) -> String {
    let shown = names.iter().take(LISTED).map(String::as_str).collect::<Vec<_>>().join(", ");
    match names.len().saturating_sub(LISTED) {
        0 => shown,
        more => format!("{shown} and {more} more"),
    }
}

/// Who serves the interrupts of a controller.
pub(crate) fn served(one: &PlacedController) -> String {
    let share =
        |served: &ServedShare| format!("{} ({:.0} %)", served.processors, served.share * 100.0);
    match one.served_by.is_empty() {
        true => "-".to_owned(),
        false => listed(&one.served_by.iter().map(share).collect::<Vec<_>>()),
    }
}

/// Who says where they go.
pub(crate) fn set_by(one: &PlacedController) -> &'static str {
    match (one.served_by.is_empty(), one.can_move) {
        (true, _) => "-",
        (false, true) => "affinity",
        (false, false) => "kernel",
    }
}

/// What could not be read.
pub(crate) fn not_known(placing: &MachinePlacing) -> Vec<String> {
    placing.not_known.iter().map(|text| format!("not known: {text}")).collect()
}
