//! The random walk with hierarchical reuse, after NetApp's open generator (`spc1.c` V1.4, style
//! "fixed").
//!
//! A walk's part of its address space is cut into leaves of 8 blocks. A walker stands on a leaf of
//! a tree of 2^n leaves that lies somewhere within the part. Each step climbs 6 levels, one more
//! with probability 0.44 as long as there is one, and goes down to any leaf of that subtree: most
//! steps stay within 64 leaves, few go far. Reads go round the blocks of the leaf that they hit;
//! writes hit a first leaf of eight, half of them the block that was read there last and half any;
//! 15 % of them are repeated by the walker's next write.

use iopath_units::{Op, Ratio};

use crate::random::{Coin, Source};

/// Blocks of a leaf.
const LEAF: u64 = 8;
/// Levels that every step climbs.
const CLIMB: u32 = 6;
/// Writes go to one leaf of so many.
const WRITE_LEAVES: u64 = 8;

const FURTHER: Ratio = Ratio(440_000);
const ANY_BLOCK: Ratio = Ratio(500_000);
const REPEATED: Ratio = Ratio(150_000);

/// The part of an address space that walkers of all units share.
#[derive(Clone, Debug)]
pub(super) struct Forest {
    /// Its first block.
    from: u64,
    /// Of each leaf the block that the next read takes.
    leaves: Box<[u8]>,
    levels: u32,
    further: Coin,
    any_block: Coin,
    repeated: Coin,
}

/// One unit's place in it.
#[derive(Clone, Copy, Debug)]
pub(super) struct Walker {
    /// The first leaf of its tree.
    root: u64,
    /// Its block, counted from the forest's first.
    at: u64,
    /// The block that its next write repeats.
    repeat: Option<u64>,
}

impl Forest {
    /// The forest of so many blocks; they are 64 leaves at least.
    pub(super) fn new(from: u64, blocks: u64) -> Self {
        let leaves = blocks / LEAF;
        Self {
            from,
            leaves: vec![0; leaves as usize].into_boxed_slice(),
            levels: leaves.ilog2(),
            further: Coin::new(FURTHER),
            any_block: Coin::new(ANY_BLOCK),
            repeated: Coin::new(REPEATED),
        }
    }

    /// A walker on any block of a tree that begins at any leaf from which it fits.
    pub(super) fn walker(&self, source: &mut Source) -> Walker {
        let tree = 1u64 << self.levels;
        let spare = LEAF * (self.leaves.len() as u64 - tree);
        let root = source.below(spare + 1) / LEAF;
        Walker { root, at: root * LEAF + source.below(tree * LEAF), repeat: None }
    }

    /// The walker's next block, in blocks of the region.
    #[inline]
    pub(super) fn step(&mut self, walker: &mut Walker, op: Op, source: &mut Source) -> u64 {
        if op == Op::Write
            && let Some(block) = walker.repeat.take()
        {
            walker.at = block;
            return self.from + block;
        }
        let mut climbed = CLIMB;
        while climbed < self.levels && self.further.toss(source) {
            climbed += 1;
        }
        let leaf = walker.at / LEAF - walker.root;
        let mut leaf = (leaf >> climbed << climbed) + source.below(1 << climbed);
        if op == Op::Write {
            leaf -= leaf % WRITE_LEAVES;
        }
        let leaf = walker.root + leaf;
        let next = &mut self.leaves[leaf as usize];
        let block = match op {
            Op::Read => {
                let block = u64::from(*next);
                *next = ((block + 1) % LEAF) as u8;
                block
            }
            Op::Write if self.any_block.toss(source) => source.below(LEAF),
            // The block before the next one: the last that was read.
            Op::Write => (u64::from(*next) + LEAF - 1) % LEAF,
        };
        walker.at = leaf * LEAF + block;
        if op == Op::Write && self.repeated.toss(source) {
            walker.repeat = Some(walker.at);
        }
        self.from + walker.at
    }
}

#[cfg(test)]
mod tests {
    use std::collections::BTreeMap;

    use super::*;
    use crate::random::Purpose;

    /// The published rules one by one, with trees as lists of leaves and a map for their state.
    struct Obvious {
        from: u64,
        tree: Vec<u64>,
        at: u64,
        next_read: BTreeMap<u64, u64>,
        repeat: Option<u64>,
    }

    impl Obvious {
        /// The subtree of `height` that holds a leaf: the half it lies in, again and again.
        fn subtree(&self, leaf: u64, height: u32) -> Vec<u64> {
            let mut part = self.tree.clone();
            while part.len() > 1 << height {
                let upper = part.split_off(part.len() / 2);
                if upper.contains(&leaf) {
                    part = upper;
                }
            }
            part
        }

        fn step(&mut self, op: Op, source: &mut Source) -> u64 {
            if op == Op::Write && self.repeat.is_some() {
                self.at = self.repeat.take().unwrap();
                return self.from + self.at;
            }
            let levels = self.tree.len().ilog2();
            let mut height = 6;
            while height < levels && Coin::new(Ratio(440_000)).toss(source) {
                height += 1;
            }
            let part = self.subtree(self.at / 8, height);
            let place = source.below(part.len() as u64);
            let place = if op == Op::Write { place / 8 * 8 } else { place };
            let leaf = part[place as usize];
            let next = self.next_read.entry(leaf).or_insert(0);
            let block = if op == Op::Read {
                let block = *next;
                *next = if block == 7 { 0 } else { block + 1 };
                block
            } else if Coin::new(Ratio(500_000)).toss(source) {
                source.below(8)
            } else if *next == 0 {
                7
            } else {
                *next - 1
            };
            self.at = leaf * 8 + block;
            if op == Op::Write && Coin::new(Ratio(150_000)).toss(source) {
                self.repeat = Some(self.at);
            }
            self.from + self.at
        }
    }

    #[test]
    fn steps_are_those_of_the_rules_taken_one_by_one() {
        for (blocks, seed) in [(512, 1), (777, 2), (1024, 3), (5000, 4), (33_000, 5)] {
            let mut source = Source::of(seed, "walk", Purpose::Offsets);
            let mut operations = Source::of(seed, "walk", Purpose::Operations);
            let mut forest = Forest::new(100, blocks);
            let mut walker = forest.walker(&mut source);
            let tree: Vec<u64> = (walker.root..walker.root + (1 << forest.levels)).collect();
            assert!(tree.last().is_some_and(|last| last * 8 + 7 < blocks), "it fits");
            let (at, next_read) = (walker.at, BTreeMap::new());
            let mut obvious = Obvious { from: 100, tree, at, next_read, repeat: None };
            let mut same = source.clone();
            for step in 0..5_000 {
                let op = if operations.below(10) < 3 { Op::Read } else { Op::Write };
                let block = forest.step(&mut walker, op, &mut source);
                assert_eq!(block, obvious.step(op, &mut same), "{blocks} blocks, step {step}");
                assert!((100..100 + blocks).contains(&block));
            }
        }
    }

    #[test]
    fn most_steps_stay_near_and_few_go_far() {
        // A read lands in the same 2^(6+k) leaves with certainty if it climbs no more than that,
        // else with 2^-1 for each level more: for k = 0 that is 0.56 / (1 - 0.44 / 2) = 0.718.
        let mut forest = Forest::new(0, 8 << 20);
        let mut source = Source::of(9, "walk", Purpose::Offsets);
        let mut walker = forest.walker(&mut source);
        const STEPS: u32 = 100_000;
        let mut near = [0u32; 4];
        let mut before = walker.at / LEAF;
        for _ in 0..STEPS {
            let leaf = forest.step(&mut walker, Op::Read, &mut source) / LEAF;
            for (further, count) in (0u32..).zip(&mut near) {
                *count += u32::from(leaf >> (CLIMB + further) == before >> (CLIMB + further));
            }
            before = leaf;
        }
        for (further, count) in (0i32..).zip(near) {
            let beyond = 0.44f64.powi(further + 1);
            let share = 1.0 - beyond + beyond * 0.5 * 0.56 / (1.0 - 0.22);
            let allowed = 4.0 * (f64::from(STEPS) * share * (1.0 - share)).sqrt();
            let expected = f64::from(STEPS) * share;
            assert!((f64::from(count) - expected).abs() < allowed, "{further}: {count} {expected}");
        }
    }

    #[test]
    fn reads_go_round_a_leaf() {
        let mut forest = Forest::new(0, 512);
        let mut source = Source::of(1, "walk", Purpose::Offsets);
        let mut walker = forest.walker(&mut source);
        let mut seen: BTreeMap<u64, Vec<u64>> = BTreeMap::new();
        for _ in 0..10_000 {
            let block = forest.step(&mut walker, Op::Read, &mut source);
            seen.entry(block / LEAF).or_default().push(block % LEAF);
        }
        assert_eq!(seen.len(), 64);
        for blocks in seen.values() {
            assert!(blocks.iter().zip((0..LEAF).cycle()).all(|(block, next)| *block == next));
        }
    }
}
