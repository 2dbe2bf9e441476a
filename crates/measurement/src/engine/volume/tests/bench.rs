//! A volume at work on a scripted storage.

use std::cell::Cell;

use iopath_units::{Action, Op};

use super::model::{LEAF, Tree};
use crate::engine::scripted::{Answer, Scripted, World};
use crate::engine::volume::layout::{Layout, Leaf, Node};
use crate::engine::volume::tally::{FileCounts, Tally};
use crate::engine::volume::{Composed, Ground};
use crate::engine::{Done, Engine, FLUSH, Io, Wait};

/// The longest request of a test.
const LONGEST: u32 = 256;

/// One request.
#[derive(Clone, Copy, Debug)]
pub(super) struct Step {
    pub op: Op,
    pub offset: u64,
    pub bytes: u32,
    /// What it writes follows from this.
    pub seed: u8,
}

impl Step {
    pub(super) fn write(offset: u64, bytes: u32, seed: u8) -> Self {
        Self { op: Op::Write, offset, bytes, seed }
    }

    pub(super) fn data(&self) -> Vec<u8> {
        (0..self.bytes).map(|at| (at as u8).wrapping_mul(31).wrapping_add(self.seed)).collect()
    }
}

/// The data that a request ended with, or its error with the place that is told.
type Ended = Result<Vec<u8>, (i32, Option<(u16, u64)>)>;

pub(super) struct Bench {
    pub world: World<'static>,
    pub layout: Layout,
    pub tally: Tally,
    pub most_in_flight: Cell<usize>,
    files: usize,
}

impl Bench {
    pub(super) fn new(tree: &Tree) -> Self {
        let files = usize::from(tree.leaves()).max(3);
        let mut world = World::of(files * LEAF as usize);
        world.member_bytes = LEAF as usize;
        let (layout, tally) = (tree.layout(), Tally::default());
        Self { world, layout, tally, most_in_flight: Cell::default(), files }
    }

    /// Makes the only leaf one with two ways and a copy of 48 bytes.
    pub(super) fn several_ways(&mut self) {
        let Node::Leaf(Leaf { real, .. }) = self.layout.first() else { panic!() };
        (real.ways, real.copy) = (2, Some((2, 48)));
    }

    /// Makes all requests at once and waits for all.
    pub(super) fn run(&self, steps: &[Step], script: &mut dyn FnMut(u32) -> Answer) -> Vec<Ended> {
        let mut memory: Vec<Vec<u8>> = steps
            .iter()
            .map(
                |step| {
                    if step.op == Op::Write { step.data() } else { vec![0; step.bytes as usize] }
                },
            )
            .collect();
        let mut scratch = vec![0xee; LONGEST as usize];
        let most = &self.most_in_flight;
        let inner = Scripted::new(&self.world, |io: &Io, _| {
            most.set(most.get().max(self.world.in_flight.get() + 1));
            script(io.bytes)
        });
        let ground = Ground {
            layout: &self.layout,
            clock: &self.world.clock,
            action: Action::Transfer,
            shard: self.tally.shard(self.files),
            scratch: scratch.as_mut_ptr(),
        };
        let depth = steps.len() as u32;
        let mut engine = Composed::new(inner, ground, (depth, u64::from(LONGEST)));
        for ((slot, step), memory) in (0..).zip(steps).zip(&mut memory) {
            let Step { op, offset, bytes, .. } = *step;
            engine.queue(Io { slot, op, member: 0, offset, bytes, address: memory.as_mut_ptr() });
        }
        let mut ended: Vec<Option<Ended>> = vec![None; steps.len()];
        let mut done = Vec::new();
        while ended.contains(&None) {
            engine.exchange(Wait::One, &mut done).unwrap();
            for Done { slot, result } in done.drain(..) {
                let at = slot as usize;
                let fault = engine.fault(slot).map(|fault| (fault.member, fault.offset));
                let whole = result == steps[at].bytes.cast_signed();
                let end = if whole { Ok(memory[at].clone()) } else { Err((result, fault)) };
                assert_eq!(ended[at].replace(end), None, "a request ends once");
            }
        }
        assert_eq!(self.world.in_flight.get(), 0, "a request ends when all its parts have");
        assert!(engine.jobs.is_empty() && engine.parts.is_empty(), "nothing is left behind");
        ended.into_iter().flatten().collect()
    }

    /// Flushes the volume; how it ended, with the file that is told.
    pub(super) fn flush(&self, script: &mut dyn FnMut(&Io) -> Answer) -> (i32, Option<u16>) {
        let mut scratch = vec![0xee; LONGEST as usize];
        let inner = Scripted::new(&self.world, |io: &Io, _| script(io));
        let ground = Ground {
            layout: &self.layout,
            clock: &self.world.clock,
            action: Action::Transfer,
            shard: self.tally.shard(self.files),
            scratch: scratch.as_mut_ptr(),
        };
        let mut engine = Composed::new(inner, ground, (1, u64::from(LONGEST)));
        engine.flush(FLUSH, 0);
        let mut done = Vec::new();
        while done.is_empty() {
            engine.exchange(Wait::One, &mut done).unwrap();
        }
        assert!(engine.jobs.is_empty() && engine.parts.is_empty(), "nothing is left behind");
        let [Done { slot: FLUSH, result }] = done[..] else { panic!("{done:?}") };
        (result, engine.fault(FLUSH).map(|fault| fault.member))
    }

    pub(super) fn files(&self) -> usize {
        self.files
    }

    pub(super) fn byte(&self, leaf: u16, offset: u64) -> u8 {
        self.world.bytes.borrow()[usize::from(leaf) * LEAF as usize + offset as usize]
    }

    pub(super) fn asked(&self) -> Vec<Io> {
        self.world.asked.borrow().iter().map(|asked| asked.io).collect()
    }

    /// Reads and writes that the members were counted for.
    pub(super) fn counted(&self) -> (u64, u64) {
        let all = (0..self.files).map(|file| {
            let mut counts = FileCounts::default();
            self.tally.add_file(file, &mut counts);
            counts.operations
        });
        all.fold((0, 0), |sum, [reads, writes, _]| (sum.0 + reads, sum.1 + writes))
    }
}
