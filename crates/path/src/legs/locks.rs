//! Locks of files: whom a writer keeps out, and what a lock costs that another stream held last.
//!
//! * `lock="inode"` locks a file as a whole: one write at a time, for as long as it takes.
//! * `lock="range"` locks ranges, each of a `lock-unit`, as parallel file systems do: IBM's
//!   byte-range tokens (Schmuck and Haskin, FAST 2002), Lustre's extent locks.
//! * Whoever held a lock last keeps it. Its stream takes it again for nothing; another stream has
//!   it revoked and granted, which its own thread spends (`cost revoke`). Streams that only read
//!   share it.
//!
//! Left out: waiting for a range that another request has in flight, locks that are granted for
//! more than was asked for, and what travels between machines for it.

use iopath_study::words::FileLock;
use iopath_units::Op;

use super::ends::seconds;
use super::layout::nearest_row;
use super::{Builder, Request};
use crate::network::{Charge, ComponentId, Hold, RowId};
use crate::rows::CPUS;

/// What a lock of a file takes that another stream held last.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Revoke {
    /// The processors that it takes.
    pub row: RowId,
    /// Seconds of one of them.
    pub each_s: f64,
    /// Bytes that are locked together; none where the whole file is.
    pub unit: Option<u64>,
}

impl Builder<'_> {
    /// The lock of a file that lets one writer in.
    pub(super) fn lock(&mut self, file: ComponentId, op: Op) -> Option<Hold> {
        let below = self.file_system_of(file)?;
        let stated = self.system().value(below.into(), "lock")?;
        let locks = self.locked(below) == Some(FileLock::Inode);
        if op == Op::Read || !locks {
            return None;
        }
        let origin = stated.origin.clone();
        Some(Hold { pool: self.pool(file, "lock", (1, origin)), tokens: 1.0 })
    }

    /// What a lock of a file costs streams at a place; none where that has no price.
    pub(crate) fn revoke(&self, file: ComponentId, place: ComponentId) -> Option<Revoke> {
        let below = self.file_system_of(file)?;
        let unit = match self.locked(below)? {
            FileLock::None => return None,
            FileLock::Inode => None,
            FileLock::Range => {
                let stated = self.system().size(below.into(), "lock-unit").map(|unit| unit.0);
                Some(stated.unwrap_or_else(|| self.block(below)).max(1))
            }
        };
        let costs = [self.layout.software(below, "cost"), self.layout.nearest(place, "cost")];
        let mut costs = costs.into_iter().flatten();
        let each_s = seconds(costs.find_map(|cost| self.system().time(cost, "revoke"))?);
        let row = nearest_row(self.network, place, CPUS).filter(|_| each_s > 0.0)?;
        Some(Revoke { row, each_s, unit })
    }

    /// What the locks cost that are revoked for a request, on average.
    pub(super) fn revoked(
        &self,
        file: ComponentId,
        place: ComponentId,
        request: &Request,
    ) -> Option<Charge> {
        let locks = Some(request.revokes_ppm).filter(|locks| *locks > 0)? as f64 / 1e6;
        self.revoke(file, place)
            .map(|revoke| Charge { row: revoke.row, amount: locks * revoke.each_s })
    }

    fn locked(&self, file_system: ComponentId) -> Option<FileLock> {
        self.system().choice(file_system.into(), "lock")
    }
}
