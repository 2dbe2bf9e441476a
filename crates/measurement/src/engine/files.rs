//! Metadata loads: a request is a file of a tree, its offset the number of the file, its length 1.
//! Blocking calls of the worker's own thread, one after the other; several at once are several
//! threads. No ring: it makes and removes files by worker threads (io_uring/fs.c, openclose.c).

use std::collections::VecDeque;
use std::io;

use iopath_units::Action;
use rustix::io::Errno;

use super::{Done, Engine, Io, Wait};
use crate::slots::SlotId;
use crate::target::Tree;

/// Operations on files that are made at the next exchanges.
pub(crate) struct Files<'t> {
    tree: &'t Tree,
    action: Action,
    /// Each file that is made is flushed before it is closed.
    syncs: bool,
    data: Vec<u8>,
    queued: VecDeque<Io>,
    done: u64,
}

impl<'t> Files<'t> {
    pub(crate) fn new(tree: &'t Tree, (action, syncs): (Action, bool), depth: u32) -> Self {
        let queued = VecDeque::with_capacity(depth as usize);
        let data = if action.has_data() { tree.data() } else { Vec::new() };
        Self { tree, action, syncs, data, queued, done: 0 }
    }

    fn handle(&mut self, file: u64) -> i32 {
        let handled = match self.action {
            Action::Create => self.tree.create(file, &self.data, self.syncs).map(|()| true),
            Action::Stat => self.tree.stat(file).map(|()| true),
            Action::Open => self.tree.open(file, &mut self.data),
            Action::Unlink => self.tree.unlink(file).map(|()| true),
            Action::Transfer | Action::Trim => unreachable!("a tree has no bytes of its own"),
        };
        self.done += u64::from(handled.is_ok());
        handled.map_or_else(|error| -Errno::raw_os_error(error), i32::from)
    }
}

impl Engine for Files<'_> {
    const BLOCKS: bool = true;

    #[inline]
    fn queue(&mut self, io: Io) {
        self.queued.push_back(io);
    }

    /// Never asked for: a file is flushed where it is made.
    fn flush(&mut self, _: SlotId, _: u16) {
        unreachable!("files of a tree are flushed one by one");
    }

    /// One file: the next is not to be seen as late as this one.
    #[inline]
    fn exchange(&mut self, _: Wait, done: &mut Vec<Done>) -> io::Result<()> {
        if let Some(io) = self.queued.pop_front() {
            done.push(Done { slot: io.slot, result: self.handle(io.offset) });
        }
        Ok(())
    }
}

impl Drop for Files<'_> {
    /// Told once and not with each file: workers of one tree would take turns.
    fn drop(&mut self) {
        match self.action {
            Action::Create => self.tree.note(self.done, 0),
            Action::Unlink => self.tree.note(0, self.done),
            Action::Stat | Action::Open | Action::Transfer | Action::Trim => {}
        }
    }
}
