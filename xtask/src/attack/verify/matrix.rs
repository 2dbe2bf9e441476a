//! What is tried.

use std::fmt;

use super::super::disk::{Fault, UNIT};
use crate::limits::Draw;

/// One run.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Case {
    /// None for a run in which nothing may be found.
    pub fault: Option<Fault>,
    pub engine: &'static str,
    pub block_kib: usize,
    pub cache: &'static str,
    pub blocks: Blocks,
}

/// Whether requests come to the blocks that fail.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Blocks {
    /// Few requests on a large file: most blocks only hold what the run filled in.
    Idle,
    /// Many on a small one: all blocks are written over and over.
    Busy,
}

const FAULTS: [Fault; 17] = [
    Fault::BitFlip,
    Fault::Lost,
    Fault::Misplaced,
    Fault::Torn,
    Fault::SectorTorn,
    Fault::Zeroed,
    Fault::Shifted,
    Fault::Duplicated,
    Fault::Swapped,
    Fault::FlippedRead,
    Fault::StaleRead,
    Fault::OtherRead,
    Fault::ZerosRead,
    Fault::WriteError,
    Fault::NoSpace,
    Fault::ReadError,
    Fault::ShortRead,
];

/// All cases with a fault, in an order of the draw's.
pub(super) fn shuffled(draw: &mut Draw) -> Vec<Case> {
    let mut cases: Vec<Case> =
        FAULTS.iter().flat_map(|fault| of(Some(*fault))).filter(is_possible).collect();
    for index in (1..cases.len()).rev() {
        cases.swap(index, draw.within(0, index as u64) as usize);
    }
    cases
}

/// All cases without one.
pub(super) fn clean() -> Vec<Case> {
    of(None).filter(is_possible).collect()
}

fn of(fault: Option<Fault>) -> impl Iterator<Item = Case> {
    let engines = ["uring", "calls", "threads", "mmap"];
    engines.into_iter().flat_map(move |engine| {
        [4, 64, 1024].into_iter().flat_map(move |block_kib| {
            ["direct", "buffered"].into_iter().flat_map(move |cache| {
                let case = move |blocks| Case { fault, engine, block_kib, cache, blocks };
                [Blocks::Idle, Blocks::Busy].into_iter().map(case)
            })
        })
    })
}

fn is_possible(case: &Case) -> bool {
    let Case { fault, engine, block_kib, cache, blocks } = *case;
    if engine == "mmap" && (cache == "direct" || fault.is_some_and(Fault::is_read)) {
        return false;
    }
    match fault {
        // A write of one block has no second one; filling writes more at once.
        Some(Fault::Swapped) => block_kib * 1024 >= 2 * UNIT || blocks == Blocks::Idle,
        // The page cache takes a short read for the end of the file.
        Some(Fault::ShortRead) => cache == "direct",
        _ => true,
    }
}

impl fmt::Display for Case {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let Self { fault, engine, block_kib, cache, blocks } = self;
        let fault = fault.map_or_else(|| "clean".to_owned(), |fault| format!("{fault:?}"));
        write!(f, "{fault} {engine} {block_kib} KiB {cache} {blocks:?}")
    }
}
