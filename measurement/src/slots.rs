//! Requests in flight: a fixed table of slots, each with its parent and the parts it waits for.
//!
//! A stream's request may reach several members of a volume as parts. The request's own slot
//! counts the parts left; a part's slot names its parent. A plain file is a volume of one member:
//! its request is its own only part, so one slot serves as both.

use iopath_units::Op;

/// Position in the table; also the position of the slot's buffer.
pub(crate) type SlotId = u32;

/// One request or part of one.
#[derive(Clone, Copy)]
pub(crate) struct Slot {
    /// The request that this is a part of; itself for a request in one part.
    pub parent: SlotId,
    /// Parts of this request that have not come home.
    pub parts_left: u32,
    pub op: Op,
    /// Which member of the stream's volume.
    pub member: u16,
    /// Where in the member.
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
            parent: 0,
            parts_left: 0,
            op: Op::Read,
            member: 0,
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

    /// Takes a slot for a request in one part.
    #[inline]
    pub(crate) fn take_whole(&mut self, request: Slot) -> Option<SlotId> {
        let id = self.free.pop()?;
        self.slots[id as usize] = Slot { parent: id, parts_left: 1, ..request };
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
        let all = (0..).zip(&self.slots).zip(taken);
        all.filter(|((id, slot), taken)| *taken && slot.parent == *id).map(|((_, slot), _)| *slot)
    }

    /// A part came home. Gives the request when it was the last one; its slots are free again.
    #[inline]
    pub(crate) fn part_done(&mut self, id: SlotId) -> Option<Slot> {
        let parent = self.slots[id as usize].parent;
        if parent != id {
            self.free.push(id);
        }
        let request = &mut self.slots[parent as usize];
        request.parts_left -= 1;
        if request.parts_left > 0 {
            return None;
        }
        self.free.push(parent);
        Some(*request)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_request_is_done_when_its_last_part_is() {
        let mut slots = Slots::new(3);
        let empty = slots.slots[0];
        let request = slots.take_whole(empty).unwrap();
        let part = slots.take_whole(empty).unwrap();
        slots.slot(part).parent = request;
        slots.slot(request).parts_left = 2;
        assert!(slots.part_done(request).is_none());
        assert_eq!(slots.in_flight(), 2);
        assert_eq!(slots.requests().count(), 1, "a part is no request");
        assert!(slots.part_done(part).is_some());
        assert_eq!(slots.in_flight(), 0);
    }
}
