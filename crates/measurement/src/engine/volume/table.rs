//! What is under way: requests that wait for their parts, and the parts.
//!
//! Both tables grow to the most that ever was under way and then serve again.

use iopath_units::Op;

use super::Fault;
use crate::engine::Io;
use crate::slots::SlotId;

/// Position of a request in its table.
pub(super) type JobId = u32;

/// Position of a part in its table; also its slot in the engine below.
pub(super) type PartId = SlotId;

/// A request to a node, the target's own or a part that is split again.
#[derive(Clone, Copy)]
pub(super) struct Job {
    /// Whose part it is; the worker's own request has none.
    pub parent: Option<JobId>,
    /// The worker's slot.
    pub outer: SlotId,
    pub node: u32,
    pub op: Op,
    pub offset: u64,
    pub bytes: u32,
    /// Its data, or nothing where what it moves is no data of the worker's.
    pub address: Option<*mut u8>,
    pub phase: u8,
    /// Parts of this phase that have not come home.
    pub left: u32,
    /// Parts of this phase that have, and the sum of the instants.
    pub home: u32,
    pub home_ns: u64,
    /// The first error of a part, with its place.
    pub failed: Option<(i32, Fault)>,
}

/// A request to a file, or its flush, which has no bytes.
#[derive(Clone, Copy)]
pub(super) struct Part {
    pub job: JobId,
    /// What is left of it.
    pub io: Io,
    pub bytes: u32,
    pub issued_ns: u64,
    /// How often it was refused for the moment.
    pub refusals: u32,
}

/// A table whose free places are used again.
pub(super) struct Table<T> {
    rows: Vec<T>,
    free: Vec<u32>,
}

impl<T: Copy> Table<T> {
    pub(super) fn with_room(rows: usize) -> Self {
        Self { rows: Vec::with_capacity(rows), free: Vec::with_capacity(rows) }
    }

    #[inline]
    pub(super) fn add(&mut self, row: T) -> u32 {
        if let Some(id) = self.free.pop() {
            self.rows[id as usize] = row;
            return id;
        }
        self.rows.push(row);
        (self.rows.len() - 1) as u32
    }

    #[inline]
    pub(super) fn at(&mut self, id: u32) -> &mut T {
        &mut self.rows[id as usize]
    }

    /// Takes a row out.
    #[inline]
    pub(super) fn take(&mut self, id: u32) -> T {
        self.free.push(id);
        self.rows[id as usize]
    }

    #[cfg(test)]
    pub(super) fn is_empty(&self) -> bool {
        self.rows.len() == self.free.len()
    }
}
