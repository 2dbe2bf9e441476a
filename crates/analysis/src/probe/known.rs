//! What is known of sets of members from the experiments so far, and what follows from it.

use std::collections::BTreeMap;

use super::{Experiment, Members, REPEATS};
use crate::thresholds::groups::{CLOSE_LOSS, LOSS};

/// Members that are one as far as it is known: one member, or those behind a limit.
#[derive(Clone, Debug, PartialEq)]
pub(super) struct Block {
    pub members: Members,
    /// What it carries while no other is read.
    pub bytes_per_sec: f64,
    /// What a limit holds together; none of a single member.
    pub parts: Vec<Block>,
}

/// The set that must be measured, once more perhaps, before something can be said.
pub(super) type OrMeasure<T> = Result<T, Members>;

/// Experiments by their sets.
pub(super) struct Known<'a> {
    by_set: BTreeMap<&'a Members, Vec<&'a Experiment>>,
}

impl<'a> Known<'a> {
    pub(super) fn of(all: &'a [Experiment]) -> Self {
        let mut by_set: BTreeMap<&Members, Vec<&Experiment>> = BTreeMap::new();
        for one in all {
            by_set.entry(&one.members).or_default().push(one);
        }
        Self { by_set }
    }

    /// What some members got while all of `set` were read: the mean of its experiments.
    pub(super) fn rate(&self, of: &Members, set: &Members) -> OrMeasure<f64> {
        match self.by_set.get(set) {
            Some(experiments) => Ok(mean_of(of, experiments)),
            None => Err(set.clone()),
        }
    }

    /// What a set carries.
    pub(super) fn total(&self, set: &Members) -> OrMeasure<f64> {
        self.rate(set, set)
    }

    /// What a set carries, also where smaller and larger sets tell it (it is monotone).
    pub(super) fn bounded(&self, set: &Members) -> Option<f64> {
        if self.by_set.contains_key(set) {
            return self.total(set).ok();
        }
        let totals = |is: &dyn Fn(&Members) -> bool| -> Vec<f64> {
            let sets = self.by_set.iter().filter(|(other, _)| is(other));
            sets.map(|(other, all)| mean_of(other, all)).collect()
        };
        let least = totals(&|other| other.is_subset(set)).into_iter().reduce(f64::max)?;
        let most = totals(&|other| other.is_superset(set)).into_iter().reduce(f64::min)?;
        (most - least <= most * LOSS * CLOSE_LOSS).then_some(f64::midpoint(least, most))
    }

    /// Which share of what it carries by itself each block loses in the presence of the others.
    pub(super) fn losses(&self, blocks: &[Block]) -> OrMeasure<Vec<f64>> {
        let set = union(blocks);
        let experiments = self.by_set.get(&set).ok_or(set)?;
        Ok(blocks.iter().map(|block| lost(block, experiments)).collect())
    }

    /// The same, but of what it carries in the presence of all but the last.
    pub(super) fn losses_by_last(&self, blocks: &[Block]) -> OrMeasure<Vec<f64>> {
        let Some((_, before)) = blocks.split_last() else { return Ok(Vec::new()) };
        let [first, then] = [self.losses(before)?, self.losses(blocks)?];
        Ok(first.into_iter().zip(then).map(|(first, then)| then - first).collect())
    }

    /// Whether one of the first `among` blocks gets less because all are read together. A
    /// measurement that is close to deciding is repeated first.
    pub(super) fn suffers(&self, blocks: &[Block], among: usize) -> OrMeasure<bool> {
        let set = union(blocks);
        let Some(experiments) = self.by_set.get(&set) else {
            return self.follows(blocks, among, &set).ok_or(set);
        };
        let losses = blocks[..among].iter().map(|block| loss(block, experiments));
        let greatest = losses.fold(0.0, f64::max);
        match (greatest - 1.0).abs() < CLOSE_LOSS && experiments.len() < REPEATS {
            true => Err(set),
            false => Ok(greatest >= 1.0 && is_lost(blocks, among, experiments)),
        }
    }

    /// The same from other sets: a larger one in which none of them loses, a smaller one in which
    /// one does, or a larger one that carries less than all of them do apart.
    fn follows(&self, blocks: &[Block], among: usize, set: &Members) -> Option<bool> {
        let apart: f64 = blocks.iter().map(|block| block.bytes_per_sec).sum();
        for (other, experiments) in &self.by_set {
            let greatest = |blocks: &mut dyn Iterator<Item = &Block>| {
                blocks.map(|block| loss(block, experiments)).fold(0.0, f64::max)
            };
            if other.is_superset(set) {
                if greatest(&mut blocks[..among].iter()) < 1.0 - CLOSE_LOSS {
                    return Some(false);
                }
                let less = mean_of(other, experiments) < apart * (1.0 - LOSS * (1.0 + CLOSE_LOSS));
                if less && among == blocks.len() {
                    return Some(true);
                }
            }
            let is_inside = |block: &&Block| block.members.is_subset(other);
            let inside = blocks.iter().filter(is_inside).map(|block| block.members.len());
            let is_union = other.is_subset(set) && inside.sum::<usize>() == other.len();
            if is_union
                && greatest(&mut blocks[..among].iter().filter(is_inside)) > 1.0 + CLOSE_LOSS
            {
                let inside: Vec<Block> = blocks.iter().filter(is_inside).cloned().collect();
                if is_lost(&inside, inside.len(), experiments) {
                    return Some(true);
                }
            }
        }
        None
    }
}

/// What a block loses as a multiple of what decides. A group loses as much as one more takes, and
/// that is little where it has many members; its sum is steadier than their rates.
fn loss(block: &Block, experiments: &[&Experiment]) -> f64 {
    let decisive = if block.parts.is_empty() { LOSS } else { LOSS / 2.0 };
    lost(block, experiments) / decisive
}

/// Whether what one loses is lost to all: a limit takes it away, chance gives it to others. Half of
/// the greatest loss is enough, as the others vary too.
fn is_lost(blocks: &[Block], among: usize, experiments: &[&Experiment]) -> bool {
    let lost = |block: &Block| block.bytes_per_sec - mean_of(&block.members, experiments);
    let greatest = blocks[..among].iter().map(lost).fold(0.0, f64::max);
    blocks.iter().map(lost).sum::<f64>() >= greatest / 2.0
}

/// As a share of what it carries by itself.
fn lost(block: &Block, experiments: &[&Experiment]) -> f64 {
    match block.bytes_per_sec > 0.0 {
        true => 1.0 - mean_of(&block.members, experiments) / block.bytes_per_sec,
        false => 0.0,
    }
}

fn mean_of(of: &Members, experiments: &[&Experiment]) -> f64 {
    let each = experiments.iter().map(|experiment| {
        let rates = experiment.members.iter().zip(&experiment.bytes_per_sec);
        rates.filter(|(member, _)| of.contains(member)).map(|(_, rate)| rate).sum::<f64>()
    });
    each.sum::<f64>() / experiments.len().max(1) as f64
}

/// Everybody of some blocks.
pub(super) fn union(blocks: &[Block]) -> Members {
    blocks.iter().flat_map(|block| block.members.iter().copied()).collect()
}
