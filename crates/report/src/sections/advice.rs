//! What is worth changing.

use super::Shown;
use crate::document::{Block, Section};
use crate::words::advice::texts;

/// The advice of all trials, each once.
pub(crate) fn section(shown: &Shown<'_>) -> Option<Section> {
    let all = texts(shown.trials.iter().flat_map(|trial| &trial.findings.advice));
    let blocks = if all.is_empty() { Vec::new() } else { vec![Block::Advice(all)] };
    Section::of("advice", "advice", blocks)
}
