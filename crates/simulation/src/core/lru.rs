//! Keys in the order of their last use.
//!
//! A hash table of open addresses (Knuth, The Art of Computer Programming 3, section 6.4,
//! algorithms L and R) over a doubly linked list. The same calls give the same order on every
//! machine: nothing depends on where keys lie in the table. Each key has a weight, so that what is
//! held can be bounded; who inserts takes out the oldest.

/// No place.
const NONE: u32 = u32::MAX;
/// An empty slot.
const EMPTY: u64 = u64::MAX;
/// Of a slot, the upper half is that of its key's hash: most keys are distinguished without a look
/// at their places. The lower half is the number of the place.
const HASH: u64 = !(u32::MAX as u64);
/// Keys that follow one another share a hash but for these lowest bits of its upper half, so their
/// slots lie in one line of a processor's cache (8 slots of 8 bytes): pages are asked for in runs.
const RUN_BITS: u32 = 3;
const RUN: u64 = (1 << RUN_BITS) - 1;

/// Keys with weights.
#[derive(Clone, Debug)]
pub struct Lru {
    places: Vec<Place>,
    left: Vec<u32>,
    /// A power of two of slots, at most half of them in use.
    table: Vec<u64>,
    newest: u32,
    oldest: u32,
    weight: u64,
}

#[derive(Clone, Copy, Debug)]
struct Place {
    key: u64,
    weight: u32,
    newer: u32,
    older: u32,
}

impl Lru {
    /// Weight of all keys.
    #[must_use]
    pub fn weight(&self) -> u64 {
        self.weight
    }

    /// Whether a key is there; then it is the newest now.
    #[inline]
    pub fn touch(&mut self, key: u64) -> bool {
        let place = self.table[self.slot(key)] as u32;
        if place == NONE {
            return false;
        }
        self.renew(place);
        true
    }

    /// Makes a key the newest.
    pub fn insert(&mut self, key: u64, weight: u32) {
        let slot = self.slot(key);
        let known = self.table[slot] as u32;
        if known != NONE {
            return self.renew(known);
        }
        let place = Place { key, weight, newer: NONE, older: NONE };
        let number = self.left.pop().unwrap_or(self.places.len() as u32);
        match self.places.get_mut(number as usize) {
            Some(free) => *free = place,
            None => self.places.push(place),
        }
        self.weight += u64::from(weight);
        self.link(number);
        self.table[slot] = hash(key) & HASH | u64::from(number);
        if 2 * self.places.len() > self.table.len() {
            self.widen();
        }
    }

    /// Takes the oldest key out.
    pub fn remove_oldest(&mut self) -> Option<u64> {
        let number = self.oldest;
        let Place { key, weight, .. } = *self.places.get(number as usize)?;
        self.unlink(number);
        self.clear_slot(self.slot(key));
        self.left.push(number);
        self.weight -= u64::from(weight);
        Some(key)
    }

    fn renew(&mut self, place: u32) {
        if place != self.newest {
            self.unlink(place);
            self.link(place);
        }
    }

    /// Where a key stands in the table, or would.
    #[inline]
    fn slot(&self, key: u64) -> usize {
        let hash = hash(key);
        let mut slot = self.home(hash);
        loop {
            let held = self.table[slot];
            let is_it = (held ^ hash) & HASH == 0 && self.is_key(held, key);
            if held == EMPTY || is_it {
                return slot;
            }
            slot = (slot + 1) & (self.table.len() - 1);
        }
    }

    fn is_key(&self, held: u64, key: u64) -> bool {
        self.places.get((held & !HASH) as usize).is_some_and(|place| place.key == key)
    }

    /// Where a key stands if no other is in its way: the line by the uppermost bits of its hash.
    #[inline]
    fn home(&self, hash: u64) -> usize {
        let line = (hash >> (64 + RUN_BITS - self.table.len().trailing_zeros())) as usize;
        line << RUN_BITS | (hash >> 32 & RUN) as usize
    }

    /// Empties a slot and closes the gap behind it.
    fn clear_slot(&mut self, mut gap: usize) {
        let mask = self.table.len() - 1;
        let mut slot = gap;
        loop {
            slot = (slot + 1) & mask;
            let held = self.table[slot];
            if held == EMPTY {
                break;
            }
            let home = self.home(held);
            if (slot.wrapping_sub(home) & mask) >= (slot.wrapping_sub(gap) & mask) {
                self.table[gap] = held;
                gap = slot;
            }
        }
        self.table[gap] = EMPTY;
    }

    fn widen(&mut self) {
        let held = std::mem::take(&mut self.table);
        self.table = vec![EMPTY; 2 * held.len()];
        let mask = self.table.len() - 1;
        for one in held.into_iter().filter(|one| *one != EMPTY) {
            let mut slot = self.home(one);
            while self.table[slot] != EMPTY {
                slot = (slot + 1) & mask;
            }
            self.table[slot] = one;
        }
    }

    fn link(&mut self, number: u32) {
        let newest = self.newest;
        self.places[number as usize].newer = NONE;
        self.places[number as usize].older = newest;
        match self.places.get_mut(newest as usize) {
            Some(before) => before.newer = number,
            None => self.oldest = number,
        }
        self.newest = number;
    }

    fn unlink(&mut self, number: u32) {
        let Place { newer, older, .. } = self.places[number as usize];
        match self.places.get_mut(newer as usize) {
            Some(place) => place.older = older,
            None => self.newest = older,
        }
        match self.places.get_mut(older as usize) {
            Some(place) => place.newer = newer,
            None => self.oldest = newer,
        }
    }
}

impl Default for Lru {
    fn default() -> Self {
        let (places, left, table) = (Vec::new(), Vec::new(), vec![EMPTY; 16]);
        Self { places, left, table, newest: NONE, oldest: NONE, weight: 0 }
    }
}

/// Equal but for `RUN` for keys of a run, else apart.
#[inline]
fn hash(key: u64) -> u64 {
    let low = RUN << 32;
    mixed(key >> RUN_BITS) & !low | (key & RUN) << 32
}

/// The finalizer of SplitMix64 (Steele, Lea, Flood: Fast splittable pseudorandom number generators,
/// OOPSLA 2014).
#[inline]
fn mixed(key: u64) -> u64 {
    let key = (key ^ (key >> 30)).wrapping_mul(0xbf58_476d_1ce4_e5b9);
    let key = (key ^ (key >> 27)).wrapping_mul(0x94d0_49bb_1331_11eb);
    key ^ (key >> 31)
}
