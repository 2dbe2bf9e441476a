//! The answer first: what was reached and what held it back, with the figures of each trial.

use super::{SENTENCES, Shown, depths, ladder, results, sweep};
use crate::document::{Block, Section};
use crate::run::TrialReport;
use crate::words::verdict::{of_several, verdict};

pub(crate) fn section(shown: &Shown<'_>) -> Option<Section> {
    let mut blocks = sentences(shown);
    blocks.extend(results::blocks(shown));
    Section::of("verdict", "verdict", blocks)
}

/// What trials say together, then a sentence each; of many the fastest one's.
pub(crate) fn sentences(shown: &Shown<'_>) -> Vec<Block> {
    let trials = shown.trials;
    let sentence = |trial: &TrialReport| verdict(trial, shown.system);
    let along = [ladder::sentences(shown), depths::sentences(shown), sweep::sentences(shown)];
    // A ladder and a comparison of depths say more than the best of the same trials.
    let along = along.into_iter().find(|all| !all.is_empty()).unwrap_or_default();
    let mut blocks: Vec<Block> = along.into_iter().map(Block::Verdict).collect();
    let each = || trials.iter().map(sentence).collect::<Vec<_>>();
    match (trials.len(), blocks.is_empty()) {
        (..=SENTENCES, true) => blocks.extend(each().into_iter().map(Block::Verdict)),
        (..=SENTENCES, false) => blocks.push(Block::Lines(each())),
        (many, is_first) => {
            let first = of_several(trials, shown.system);
            blocks.extend(first.map(|first| match is_first {
                true => Block::Verdict(first),
                false => Block::Lines(vec![first]),
            }));
            blocks.push(Block::Fold(format!("all {many} trials"), vec![Block::Lines(each())]));
        }
    }
    blocks
}
