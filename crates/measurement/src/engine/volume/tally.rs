//! What the files of a volume were asked for, counted by every worker for itself and added up when
//! somebody looks.

use std::sync::{Arc, Mutex};

use iopath_units::{Action, Op};

use crate::counters::Cell;
use crate::gate::lock;

/// The counts of all workers of one target.
#[derive(Default)]
pub(crate) struct Tally {
    shards: Mutex<Vec<Arc<Shard>>>,
}

/// The counts of one worker.
pub(crate) struct Shard {
    /// By position among the target's files.
    pub files: Box<[FileCounters]>,
    /// Time that finished parts waited for their siblings.
    pub join_wait_ns: Cell,
}

/// What one file was asked for.
#[derive(Default)]
pub(crate) struct FileCounters {
    operations: [Cell; 3],
    bytes: [Cell; 3],
    spent_ns: [Cell; 3],
}

/// Where trims are counted: behind reads and writes.
pub(crate) const TRIMS: usize = 2;

/// The sums of a file: reads, writes, trims.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(crate) struct FileCounts {
    pub operations: [u64; 3],
    pub bytes: [u64; 3],
    pub spent_ns: [u64; 3],
}

impl FileCounters {
    /// A part that took so long came home.
    #[inline]
    pub(crate) fn moved(&self, (action, op): (Action, Op), bytes: u32, spent_ns: u64) {
        let kind = if action == Action::Trim { TRIMS } else { op.index() };
        self.operations[kind].add(1);
        self.bytes[kind].add(u64::from(bytes));
        self.spent_ns[kind].add(spent_ns);
    }
}

impl Tally {
    /// The counters of one more worker, for so many files.
    pub(crate) fn shard(&self, files: usize) -> Arc<Shard> {
        let files = (0..files).map(|_| FileCounters::default()).collect();
        let shard = Arc::new(Shard { files, join_wait_ns: Cell::default() });
        lock(&self.shards).push(Arc::clone(&shard));
        shard
    }

    /// Begins again from nothing, for the next pass.
    pub(crate) fn clear(&self) {
        lock(&self.shards).clear();
    }

    /// Adds what was done to one file.
    pub(crate) fn add_file(&self, file: usize, sums: &mut FileCounts) {
        for shard in lock(&self.shards).iter() {
            let counters = &shard.files[file];
            for op in 0..=TRIMS {
                sums.operations[op] += counters.operations[op].value();
                sums.bytes[op] += counters.bytes[op].value();
                sums.spent_ns[op] += counters.spent_ns[op].value();
            }
        }
    }

    /// Time that finished parts waited for their siblings.
    pub(crate) fn join_wait_ns(&self) -> u64 {
        lock(&self.shards).iter().map(|shard| shard.join_wait_ns.value()).sum()
    }
}
