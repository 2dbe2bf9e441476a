//! What of a volume is newer in its cache than on the media.
//!
//! Extents that touch are one, so that what many small writes brought leaves as one large one. They
//! leave in the order of addresses from where the last one ended and round again, as an elevator
//! goes (Scott Denning: Effects of scheduling on file memory operations, AFIPS 1967), whole rows of
//! the volume first among those that are near: a whole row is written without reading anything.

use std::collections::BTreeMap;
use std::ops::Range;

/// So many extents are looked at for one that covers a whole row: chosen, it bounds the work.
const NEAR: usize = 16;

/// Extents of a volume.
#[derive(Debug, Default)]
pub(super) struct Dirty {
    /// Ends by starts; none touches another.
    extents: BTreeMap<u64, u64>,
    bytes: u64,
    /// Where the last one taken ended.
    cursor: u64,
}

/// What may be taken.
#[derive(Clone, Copy, Debug)]
pub(super) struct Wanted {
    /// Bytes of a row that is written without reading; 1 where every write is.
    pub row: u64,
    /// Bytes at most; whole rows.
    pub most: u64,
    /// Whether something that is no whole row will do.
    pub parts: bool,
}

/// What is taken next, and the extent that it is part of.
struct Next {
    start: u64,
    end: u64,
    extent: Range<u64>,
}

impl Dirty {
    /// Whether there is nothing.
    pub(super) fn is_empty(&self) -> bool {
        self.extents.is_empty()
    }

    /// How many bytes.
    pub(super) fn bytes(&self) -> u64 {
        self.bytes
    }

    /// Whether all of a range is there.
    #[inline]
    pub(super) fn covers(&self, start: u64, end: u64) -> bool {
        let before = self.extents.range(..=start).next_back();
        before.is_some_and(|(_, reach)| *reach >= end)
    }

    /// Adds a range; tells how many bytes of it were not there.
    pub(super) fn insert(&mut self, start: u64, end: u64) -> u64 {
        let (mut from, mut to, mut known) = (start, end, 0);
        while let Some((&first, &reach)) = self.extents.range(..=to).next_back() {
            if reach < from {
                break;
            }
            self.extents.remove(&first);
            known += reach - first;
            (from, to) = (from.min(first), to.max(reach));
        }
        self.extents.insert(from, to);
        self.bytes += to - from - known;
        to - from - known
    }

    /// Takes the next range that is wanted.
    pub(super) fn take(&mut self, wanted: Wanted) -> Option<(u64, u64)> {
        let Next { start, end, extent } = self.next(wanted)?;
        if extent.start < start {
            self.extents.insert(extent.start, start);
        } else {
            self.extents.remove(&extent.start);
        }
        if end < extent.end {
            self.extents.insert(end, extent.end);
        }
        self.cursor = end;
        self.bytes -= end - start;
        Some((start, end))
    }

    /// Takes everything.
    pub(super) fn take_all(&mut self) -> Vec<Range<u64>> {
        self.bytes = 0;
        let all = std::mem::take(&mut self.extents).into_iter();
        all.map(|(start, end)| start..end).collect()
    }

    fn next(&self, wanted: Wanted) -> Option<Next> {
        let whole = |(&first, &last): (&u64, &u64)| {
            let (start, to) = (first.next_multiple_of(wanted.row), last - last % wanted.row);
            let end = to.min(start + wanted.most);
            (start < to).then_some(Next { start, end, extent: first..last })
        };
        let part = |(&first, &last): (&u64, &u64)| {
            let end = last.min(first + wanted.most);
            Next { start: first, end, extent: first..last }
        };
        let found = self.ahead().take(NEAR).find_map(whole);
        found.or_else(|| self.ahead().next().filter(|_| wanted.parts).map(part))
    }

    /// All extents from the cursor on and round again; the way round is looked up only where it is
    /// gone, as most are found before.
    fn ahead(&self) -> impl Iterator<Item = (&u64, &u64)> {
        let round = std::iter::once_with(|| self.extents.range(..self.cursor)).flatten();
        self.extents.range(self.cursor..).chain(round)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const ROWS: Wanted = Wanted { row: 8, most: 16, parts: false };

    fn of(ranges: &[(u64, u64)]) -> Dirty {
        let mut dirty = Dirty::default();
        for (start, end) in ranges {
            dirty.insert(*start, *end);
        }
        dirty
    }

    #[test]
    fn ranges_that_touch_are_one_and_count_once() {
        let mut dirty = Dirty::default();
        for (start, end, new) in
            [(10, 20, 10), (30, 40, 10), (20, 30, 10), (5, 50, 15), (5, 50, 0), (60, 61, 1)]
        {
            assert_eq!(dirty.insert(start, end), new, "{start} .. {end}");
        }
        assert_eq!(dirty.bytes(), 46);
        assert!(dirty.covers(5, 50) && !dirty.covers(5, 51) && !dirty.covers(4, 5));
        assert_eq!(dirty.extents, BTreeMap::from([(5, 50), (60, 61)]));
    }

    #[test]
    fn whole_rows_go_first_and_in_the_order_of_addresses() {
        let mut dirty = of(&[(0, 3), (13, 45), (100, 112)]);
        assert_eq!(dirty.take(ROWS), Some((16, 32)));
        dirty.insert(0, 16);
        assert_eq!(dirty.take(ROWS), Some((32, 40)), "it goes on from where it was");
        assert_eq!(dirty.take(ROWS), Some((104, 112)));
        assert_eq!(dirty.take(ROWS), Some((0, 16)));
        assert_eq!(dirty.take(ROWS), None);
        let parts = Wanted { parts: true, ..ROWS };
        assert_eq!(dirty.take(parts), Some((40, 45)));
        assert_eq!(dirty.take(parts), Some((100, 104)));
        assert!(dirty.is_empty() && dirty.bytes() == 0);
    }
}
