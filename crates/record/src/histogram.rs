//! A histogram of latencies with a bounded relative error.
//!
//! Log-linear: every octave is cut into 64 equal buckets, so a bucket is at most 1/64 of its
//! lower edge wide and its middle is within 1/128 (0.8 %) of every value in it. Values below 64
//! have a bucket each. Sum, least and greatest value are exact. (The layout is that of
//! HdrHistogram, G. Tene, and of fio's `stat.h`.)
//! It leaves out the order of values and everything above 2^63 ns (292 years).

use std::cmp::Ordering;

use serde::{Deserialize, Serialize};

/// Counts of values in nanoseconds by bucket; only buckets that hold something are kept.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Histogram {
    /// Bucket and count, ascending by bucket.
    pub buckets: Vec<(u32, u64)>,
    /// Exact sum of all values.
    pub sum_ns: u64,
    /// Exact least value; 0 where the histogram is empty.
    pub min_ns: u64,
    /// Exact greatest value.
    pub max_ns: u64,
}

/// Buckets in one octave, as a power of two.
const OCTAVE_BITS: u32 = 6;

/// Number of buckets that cover all values below 2^63.
pub const BUCKETS: usize = ((63 - OCTAVE_BITS as usize) + 1) << OCTAVE_BITS;

/// The bucket of a value.
#[must_use]
#[inline]
pub const fn bucket_of(value_ns: u64) -> usize {
    let value = if value_ns >> 63 == 0 { value_ns } else { u64::MAX >> 1 };
    // The octave of values below 64 is the first, which is exact.
    let octave = (value | 1 << OCTAVE_BITS).ilog2() - OCTAVE_BITS;
    ((octave as usize) << OCTAVE_BITS) + (value >> octave) as usize
}

/// The values of a bucket: from the first to just below the second.
#[must_use]
pub const fn bounds_of(bucket: usize) -> (u64, u64) {
    let octave = (bucket >> OCTAVE_BITS).saturating_sub(1);
    let first = (bucket - (octave << OCTAVE_BITS)) as u64;
    (first << octave, (first + 1) << octave)
}

impl Histogram {
    /// The histogram of dense counts, one a bucket.
    #[must_use]
    pub fn from_counts(counts: impl IntoIterator<Item = u64>, summary: Summary) -> Self {
        let buckets = (0u32..).zip(counts).filter(|(_, count)| *count > 0).collect::<Vec<_>>();
        if buckets.is_empty() {
            return Self::default();
        }
        let Summary { sum_ns, min_ns, max_ns } = summary;
        Self { buckets, sum_ns, min_ns, max_ns }
    }

    /// How many values it holds.
    #[must_use]
    pub fn count(&self) -> u64 {
        self.buckets.iter().map(|(_, count)| count).sum()
    }

    /// The mean; none of an empty histogram.
    #[must_use]
    pub fn mean_ns(&self) -> Option<f64> {
        let count = self.count();
        (count > 0).then(|| self.sum_ns as f64 / count as f64)
    }

    /// The value below which the share `q` (0 to 1) of all values lies: the middle of the bucket
    /// that holds the value of rank ⌈q·n⌉, kept within the exact least and greatest value.
    #[must_use]
    pub fn quantile_ns(&self, q: f64) -> Option<u64> {
        let count = self.count();
        // Above 2^53 the product may be rounded up past the last value.
        let rank = ((q * count as f64).ceil() as u64).min(count).max(1);
        let mut seen = 0;
        let (bucket, _) = self.buckets.iter().find(|(_, count)| {
            seen += count;
            seen >= rank
        })?;
        let (from, to) = bounds_of(*bucket as usize);
        Some((from + (to - 1 - from) / 2).clamp(self.min_ns, self.max_ns))
    }

    /// Adds the values of `other`: associative and commutative.
    pub fn merge(&mut self, other: &Self) {
        if other.buckets.is_empty() {
            return;
        }
        let empty = self.buckets.is_empty();
        self.min_ns = if empty { other.min_ns } else { self.min_ns.min(other.min_ns) };
        self.max_ns = self.max_ns.max(other.max_ns);
        self.sum_ns = self.sum_ns.saturating_add(other.sum_ns);
        self.buckets = merged(&self.buckets, &other.buckets);
    }
}

/// The exact part of a histogram.
#[derive(Clone, Copy, Debug)]
pub struct Summary {
    /// Sum of all values.
    pub sum_ns: u64,
    /// Least value.
    pub min_ns: u64,
    /// Greatest value.
    pub max_ns: u64,
}

/// Both are ascending, so that one walk along them does.
fn merged(mut left: &[(u32, u64)], mut right: &[(u32, u64)]) -> Vec<(u32, u64)> {
    let mut all = Vec::with_capacity(left.len() + right.len());
    while let ([first, later @ ..], [other, others @ ..]) = (left, right) {
        let order = first.0.cmp(&other.0);
        let count = match order {
            Ordering::Less => first.1,
            Ordering::Greater => other.1,
            Ordering::Equal => first.1.saturating_add(other.1),
        };
        all.push((first.0.min(other.0), count));
        left = if order.is_le() { later } else { left };
        right = if order.is_ge() { others } else { right };
    }
    all.extend_from_slice(left);
    all.extend_from_slice(right);
    all
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn buckets_are_contiguous_and_narrow() {
        let mut expected = 0;
        for bucket in 0..BUCKETS {
            let (from, to) = bounds_of(bucket);
            assert_eq!(from, expected, "bucket {bucket}");
            assert!(to > from && (to - from) * 64 <= from.max(64), "bucket {bucket}");
            assert_eq!(bucket_of(from), bucket);
            assert_eq!(bucket_of(to - 1), bucket);
            expected = to;
        }
        assert_eq!(expected, 1 << 63);
        assert_eq!(bucket_of(u64::MAX), BUCKETS - 1);
    }

    #[test]
    fn an_empty_histogram_has_no_quantile() {
        assert_eq!(Histogram::default().quantile_ns(0.5), None);
        assert_eq!(Histogram::default().mean_ns(), None);
    }
}
