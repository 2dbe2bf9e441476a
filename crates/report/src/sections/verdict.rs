//! The answer first: what was reached and what held it back, with the figures of each trial.

use super::{OfExperiment, SENTENCES, Shown, depths, find_max, load_sweep, results, sweep};
use crate::document::{Block, Section};
use crate::view::run::TrialReport;
use crate::words::verdict::{instant, of_several, verdict};

/// Trials that have a sentence each, unasked, below one about all of them: chosen.
const BESIDES: usize = 3;

pub(crate) fn section(shown: &Shown<'_>) -> Option<Section> {
    let mut blocks = sentences(shown);
    blocks.extend(results::blocks(shown));
    Section::of("verdict", "verdict", blocks)
}

/// What each experiment comes to, in their order: a load sweep and a comparison of depths say more
/// than the best of the same trials.
fn along(shown: &Shown<'_>) -> Vec<String> {
    let mut said: Vec<OfExperiment> = Vec::new();
    let makers = [find_max::sentences, load_sweep::sentences, depths::sentences, sweep::sentences];
    for all in makers.map(|sentences| sentences(shown)) {
        let is_said =
            |one: &OfExperiment| said.iter().any(|known| known.experiment == one.experiment);
        let new: Vec<OfExperiment> = all.into_iter().filter(|one| !is_said(one)).collect();
        said.extend(new);
    }
    let place = |one: &OfExperiment| {
        shown.trials.iter().position(|trial| trial.case.experiment == one.experiment)
    };
    said.sort_by_key(place);
    said.into_iter().map(|one| one.text).collect()
}

/// What trials say together, then a sentence each; of many the fastest one's.
pub(crate) fn sentences(shown: &Shown<'_>) -> Vec<Block> {
    let trials = shown.trials;
    if let Some(all) = instant(trials) {
        return vec![Block::Verdict(all)];
    }
    let sentence = |trial: &TrialReport| verdict(trial, shown.system);
    let mut blocks: Vec<Block> = along(shown).into_iter().map(Block::Verdict).collect();
    let each = || trials.iter().map(sentence).collect::<Vec<_>>();
    match (trials.len(), blocks.is_empty()) {
        (..=SENTENCES, true) => blocks.extend(each().into_iter().map(Block::Verdict)),
        (..=BESIDES, false) => blocks.push(Block::Lines(each())),
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
