//! How far a straight line between two estimates of a [`Course`] may be from the truth.
//!
//! A record is mapped to the root's axis by one line from the beginning of its pass to its end. The
//! interval that holds the offset has straight edges, which bend where clocks were compared and
//! half-way between, where the interval is widest; so the line is furthest from an edge at one of
//! these instants.

use super::{Course, Offset, RATE_LIMIT_PPM};

impl Course {
    /// How far the offset is at most from the line between the estimates at two instants of the
    /// rank's clock, anywhere between them.
    #[must_use]
    pub fn bound_of_line_ns(&self, from_ns: u64, to_ns: u64) -> u64 {
        let knots = self.knots();
        let bends = knots.windows(2).flat_map(|pair| bends(pair[0], pair[1]));
        let within = knots.iter().map(|knot| knot.at_ns).chain(bends);
        let within = within.filter(|at_ns| (from_ns..=to_ns).contains(at_ns));
        let [begin, end] = [from_ns, to_ns].map(|at_ns| self.offset_ns(at_ns));
        let off = |at_ns: u64| {
            let whole = i128::from(to_ns.saturating_sub(from_ns).max(1));
            let part = i128::from(at_ns.saturating_sub(from_ns));
            let drawn = i128::from(begin) + i128::from(end - begin) * part / whole;
            let range = self.range(at_ns);
            [range.low_ns, range.high_ns].map(|edge| (i128::from(edge) - drawn).unsigned_abs())
        };
        let worst = within.chain([from_ns, to_ns]).flat_map(off).max().unwrap_or(0);
        // A division each for the line and for the bend cut off less than a nanosecond.
        u64::try_from(worst).unwrap_or(u64::MAX).saturating_add(2)
    }
}

/// Where the edges of the interval between two comparisons bend.
fn bends(one: Offset, other: Offset) -> [u64; 2] {
    let middle = one.at_ns.midpoint(other.at_ns);
    let bend = |ahead_ns: i64| {
        // Two lines of the limit's slope meet so far from the middle.
        let shift = i128::from(ahead_ns) * 1_000_000 / (2 * i128::from(RATE_LIMIT_PPM));
        let at = (i128::from(middle) + shift).clamp(i128::from(one.at_ns), i128::from(other.at_ns));
        u64::try_from(at).unwrap_or(middle)
    };
    [bend(one.low_ns - other.low_ns), bend(other.high_ns - one.high_ns)]
}
