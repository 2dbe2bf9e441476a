//! Requests in flight: a fixed table of slots. What a request becomes below, its parts on the
//! members of a volume, is the business of the engine that makes them.

use iopath_units::Op;

/// Position in the table; also the position of the slot's buffer.
pub(crate) type SlotId = u32;

/// One request.
#[derive(Clone, Copy)]
pub(crate) struct Slot {
    pub op: Op,
    /// Where in the target.
    pub offset: u64,
    pub bytes: u32,
    /// Bytes already transferred: the kernel may do a request in pieces.
    pub done_bytes: u32,
    pub issue_ns: u64,
    pub intended_ns: u64,
    /// Generation that a stamped write carries.
    pub generation: u32,
    /// Which sub-stream of the load it belongs to.
    pub sub: u8,
}

/// The table, with the free slots on a stack.
pub(crate) struct Slots {
    slots: Vec<Slot>,
    free: Vec<SlotId>,
}

impl Slots {
    pub(crate) fn new(depth: u32) -> Self {
        let empty = Slot {
            op: Op::Read,
            offset: 0,
            bytes: 0,
            done_bytes: 0,
            issue_ns: 0,
            intended_ns: 0,
            generation: 0,
            sub: 0,
        };
        Self { slots: vec![empty; depth as usize], free: (0..depth).rev().collect() }
    }

    #[inline]
    pub(crate) fn has_free(&self) -> bool {
        !self.free.is_empty()
    }

    /// How many are taken.
    #[inline]
    pub(crate) fn in_flight(&self) -> usize {
        self.slots.len() - self.free.len()
    }

    /// Takes a slot for a request.
    #[inline]
    pub(crate) fn take(&mut self, request: Slot) -> Option<SlotId> {
        let id = self.free.pop()?;
        self.slots[id as usize] = request;
        Some(id)
    }

    #[inline]
    pub(crate) fn slot(&mut self, id: SlotId) -> &mut Slot {
        &mut self.slots[id as usize]
    }

    /// The requests in flight.
    pub(crate) fn requests(&self) -> impl Iterator<Item = Slot> + '_ {
        let mut taken = vec![true; self.slots.len()];
        self.free.iter().for_each(|id| taken[*id as usize] = false);
        self.slots.iter().zip(taken).filter(|(_, taken)| *taken).map(|(slot, _)| *slot)
    }

    /// A request came home: its slot is free again.
    #[inline]
    pub(crate) fn home(&mut self, id: SlotId) -> Slot {
        self.free.push(id);
        self.slots[id as usize]
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_slot_serves_one_request_at_a_time() {
        let mut slots = Slots::new(2);
        let empty = slots.slots[0];
        let first = slots.take(Slot { offset: 1, ..empty }).unwrap();
        let second = slots.take(Slot { offset: 2, ..empty }).unwrap();
        assert!(slots.take(empty).is_none() && !slots.has_free());
        assert_eq!(slots.home(first).offset, 1);
        assert_eq!(slots.requests().map(|slot| slot.offset).collect::<Vec<_>>(), [2]);
        slots.home(second);
        assert_eq!(slots.in_flight(), 0);
    }
}
