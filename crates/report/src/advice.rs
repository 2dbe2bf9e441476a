//! What is worth changing, as text: each advice with its commands, gain, risk, restart and undo.

use crate::look::Look;
use crate::run::RunReport;
use crate::words::advice::{AdviceText, texts};
use crate::wrap::wrap;

/// The advice of all trials, each once.
pub(crate) fn section(run: &RunReport, look: &Look) -> String {
    lines(&texts(run.trials.iter().flat_map(|trial| &trial.findings.advice)), look)
}

/// A numbered list under its heading; nothing where there is none.
pub(crate) fn lines(all: &[AdviceText], look: &Look) -> String {
    let each: Vec<String> =
        all.iter().zip(1..).map(|(advice, number)| one(advice, number, look)).collect();
    if each.is_empty() { String::new() } else { format!("advice\n{}", each.join("\n")) }
}

fn one(advice: &AdviceText, number: usize, look: &Look) -> String {
    let AdviceText { what, commands, persistent, gain, risk, restart, undo, .. } = advice;
    let mut lines = vec![wrap(&format!("{number}. {what}"), 2, look.width)];
    // A command is not broken: it is there to be copied.
    lines.extend(commands.iter().map(|command| format!("     $ {command}")));
    let mut said = |word: &str, text: &str| {
        lines.push(wrap(&format!("{word}: {text}"), 5, look.width));
    };
    said("gain", gain);
    said("risk", risk);
    said("restart", restart);
    if let Some(persistent) = persistent {
        said("to keep it", persistent);
    }
    lines.extend(undo.iter().map(|command| format!("     undo: $ {command}")));
    lines.join("\n")
}
