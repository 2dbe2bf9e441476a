//! The queue of events: earliest first, and first come, first served at the same time.
//!
//! A heap in which each node has four children (Johnson: Priority queues with update and finding
//! minimum spanning trees, IPL 4, 1975; LaMarca, Ladner: The influence of caches on the
//! performance of heaps, ACM JEA 1, 1996). An event is one number of 128 bits, its time, sequence
//! and id, so that an order is one comparison; the four children fill one line of the cache.
//! Most events that are taken bring a new one at once: what is taken leaves a hole at the root,
//! which the next event fills, and only that one moves. It leaves out taking events back; a task
//! that is woken in vain goes back to sleep. Beyond some 50,000 pending events a radix heap is
//! faster.

use super::Ps;

const CHILDREN: usize = 4;
const ID_BITS: u32 = 24;
const TIME_SHIFT: u32 = 64;
/// The sequence stands above the id: one more event is this much more.
const ONE: u64 = 1 << ID_BITS;
/// No event: it comes after all that can be.
const NONE: u128 = u128::MAX;
/// The root is the last of its group, so that each group of children is a line of its own.
const ROOT: usize = CHILDREN - 1;
/// Chosen: the odd constant of xorshift64* (Vigna), for its mix of bits. The hash begins with it
/// too: from 0 it would not move as long as the time is 0.
const HASH: u64 = 0x2545_f491_4f6c_dd1d;

/// Brothers, in one line of the cache. The place of an event counts over all groups.
#[derive(Clone, Copy, Debug)]
#[repr(align(64))]
struct Group([u128; CHILDREN]);

/// Pending events.
#[derive(Clone, Debug)]
pub struct EventQueue {
    groups: Vec<Group>,
    /// Where the next event would be appended.
    end: usize,
    /// The event at the root was taken, and none has filled its place.
    hole: bool,
    /// Of the next event, above `ID_BITS`.
    sequence: u64,
    hash: u64,
}

impl EventQueue {
    /// Ids are below this.
    pub const IDS: u32 = 1 << ID_BITS;

    /// Adds an event.
    ///
    /// # Panics
    ///
    /// When `id` is not below [`Self::IDS`].
    #[inline]
    pub fn push(&mut self, at: Ps, id: u32) {
        assert!(id < Self::IDS, "an id of an event has {ID_BITS} bits");
        let key = u128::from(at.0) << TIME_SHIFT | u128::from(self.sequence | u64::from(id));
        if self.hole {
            self.hole = false;
            self.sift_down(key);
        } else {
            self.append(key);
        }
        match self.sequence.checked_add(ONE) {
            Some(next) => self.sequence = next,
            None => self.renumber(),
        }
    }

    /// Takes the earliest event; of those at the same time the one that was added first.
    #[inline]
    pub fn pop(&mut self) -> Option<(Ps, u32)> {
        if self.hole {
            self.close();
        }
        let key = self.groups[0].0[ROOT];
        if key == NONE {
            return None;
        }
        self.hole = true;
        let (time, id) = ((key >> TIME_SHIFT) as u64, key as u32 & (Self::IDS - 1));
        let product = u128::from(self.hash ^ time) * u128::from(HASH ^ u64::from(id));
        self.hash = product as u64 ^ (product >> 64) as u64;
        Some((Ps(time), id))
    }

    /// When the earliest event is.
    #[inline]
    pub fn next_at(&mut self) -> Option<Ps> {
        if self.hole {
            self.close();
        }
        let key = self.groups[0].0[ROOT];
        (key != NONE).then_some(Ps((key >> TIME_SHIFT) as u64))
    }

    /// A number made of the times and ids of all events taken so far, in their order.
    #[must_use]
    pub fn order_hash(&self) -> u64 {
        self.hash
    }

    fn append(&mut self, key: u128) {
        let mut place = self.end;
        self.end += 1;
        if place / CHILDREN == self.groups.len() {
            self.groups.push(Group([NONE; CHILDREN]));
        }
        while place > ROOT {
            let parent = place / CHILDREN + ROOT - 1;
            let above = self.groups[parent / CHILDREN].0[parent % CHILDREN];
            if above < key {
                break;
            }
            self.groups[place / CHILDREN].0[place % CHILDREN] = above;
            place = parent;
        }
        self.groups[place / CHILDREN].0[place % CHILDREN] = key;
    }

    /// Fills the hole with the last event.
    fn close(&mut self) {
        self.hole = false;
        self.end -= 1;
        let last = &mut self.groups[self.end / CHILDREN].0[self.end % CHILDREN];
        let key = std::mem::replace(last, NONE);
        if self.end > ROOT {
            self.sift_down(key);
        }
    }

    /// Puts `key` where it belongs below the root, whose own event is gone.
    #[inline]
    fn sift_down(&mut self, key: u128) {
        let mut place = ROOT;
        // The groups of children follow one another as their parents do.
        while let Some(children) = self.groups.get(place + 1 - ROOT) {
            let (child, above) = least(children);
            if key < above {
                break;
            }
            self.groups[place / CHILDREN].0[place % CHILDREN] = above;
            place = (place + 1 - ROOT) * CHILDREN + child;
        }
        self.groups[place / CHILDREN].0[place % CHILDREN] = key;
    }

    /// Counts the pending events anew when the numbers of the sequence are used up.
    #[cold]
    fn renumber(&mut self) {
        let mut keys: Vec<u128> = self.groups.iter().flat_map(|group| group.0).collect();
        keys.retain(|key| *key != NONE);
        keys.sort_unstable();
        *self = Self { hash: self.hash, ..Self::default() };
        for key in keys {
            self.push(Ps((key >> TIME_SHIFT) as u64), key as u32 & (Self::IDS - 1));
        }
    }
}

impl Default for EventQueue {
    /// An empty queue.
    fn default() -> Self {
        let groups = vec![Group([NONE; CHILDREN])];
        Self { groups, end: ROOT, hole: false, sequence: 0, hash: HASH }
    }
}

/// The least of four, and which it is.
#[inline]
fn least(group: &Group) -> (usize, u128) {
    let [a, b, c, d] = group.0;
    let left = if b < a { (1, b) } else { (0, a) };
    let right = if d < c { (3, d) } else { (2, c) };
    if right.1 < left.1 { right } else { left }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_order_outlives_the_numbers_of_the_sequence() {
        let sequence = u64::MAX - (ONE - 1) - 3 * ONE;
        let mut queue = EventQueue { sequence, ..EventQueue::default() };
        for id in 0..10 {
            queue.push(Ps(7), id);
        }
        assert_eq!(queue.sequence, 10 * ONE, "the sequence began anew");
        queue.push(Ps(6), 10);
        let ids: Vec<u32> = std::iter::from_fn(|| queue.pop()).map(|(_, id)| id).collect();
        assert_eq!(ids, [10, 0, 1, 2, 3, 4, 5, 6, 7, 8, 9]);
    }

    #[test]
    #[should_panic(expected = "24 bits")]
    fn an_id_that_would_reach_into_the_sequence_is_refused() {
        EventQueue::default().push(Ps::ZERO, EventQueue::IDS);
    }
}
