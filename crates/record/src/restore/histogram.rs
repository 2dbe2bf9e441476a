//! A histogram of times that are divided by a whole number, rounded down.
//!
//! Divided by a power of two every bucket falls into one bucket, so the result is that of the
//! divided values. By another number a bucket may fall between two; its middle decides then, which
//! keeps the histogram's error. Least and greatest value are exact in any case.

use std::collections::BTreeMap;

use crate::Histogram;
use crate::histogram::{bounds_of, bucket_of};

pub(super) fn shortened(histogram: &Histogram, divisor: u64) -> Histogram {
    if divisor == 1 || histogram.buckets.is_empty() {
        return histogram.clone();
    }
    let (min_ns, max_ns) = (histogram.min_ns / divisor, histogram.max_ns / divisor);
    let mut counts: BTreeMap<u32, u64> = BTreeMap::new();
    let mut add = |value: u64, count: u64| {
        let bucket = u32::try_from(bucket_of(value)).unwrap_or(u32::MAX);
        let at = counts.entry(bucket).or_default();
        *at = at.saturating_add(count);
    };
    for (bucket, count) in apart(histogram, |value| add(value, 1), (min_ns, max_ns)) {
        let (from, to) = bounds_of(bucket as usize);
        add(((from + (to - 1 - from) / 2) / divisor).clamp(min_ns, max_ns), count);
    }
    let buckets: Vec<(u32, u64)> = counts.into_iter().filter(|(_, count)| *count > 0).collect();
    let sum_ns = sum(histogram, divisor, (min_ns, max_ns));
    Histogram { buckets, sum_ns, min_ns, max_ns }
}

/// The buckets without the least and the greatest value, which go where they belong.
fn apart(
    histogram: &Histogram,
    mut add: impl FnMut(u64),
    (min_ns, max_ns): (u64, u64),
) -> Vec<(u32, u64)> {
    let mut buckets = histogram.buckets.clone();
    if let Some((_, count)) = buckets.first_mut() {
        *count -= 1;
        add(min_ns);
    }
    if let Some((_, count)) = buckets.last_mut().filter(|(_, count)| *count > 0) {
        *count -= 1;
        add(max_ns);
    }
    buckets.retain(|(_, count)| *count > 0);
    buckets
}

/// The sum of the divided values, as far as the sum tells: no less and no more than they can have.
fn sum(histogram: &Histogram, divisor: u64, (min_ns, max_ns): (u64, u64)) -> u64 {
    let count: u128 = histogram.buckets.iter().map(|(_, count)| u128::from(*count)).sum();
    let (least, most) = (u128::from(min_ns) * count, u128::from(max_ns) * count);
    let sum = u128::from(histogram.sum_ns / divisor);
    // Heat is read while streams count on, so its parts may not fit one another.
    let possible = sum.clamp(least, most);
    u64::try_from(possible).unwrap_or(histogram.sum_ns / divisor)
}

#[cfg(test)]
mod tests {
    use proptest::collection::vec;
    use proptest::prelude::*;

    use super::*;
    use crate::histogram::{BUCKETS, Summary};

    fn histogram_of(values: &[u64]) -> Histogram {
        let mut counts = vec![0; BUCKETS];
        values.iter().for_each(|value| counts[bucket_of(*value)] += 1);
        let (min, max) = (values.iter().min(), values.iter().max());
        let (min_ns, max_ns) = (min.copied().unwrap_or(0), max.copied().unwrap_or(0));
        let sum_ns = values.iter().sum();
        Histogram::from_counts(counts, Summary { sum_ns, min_ns, max_ns })
    }

    fn values() -> impl Strategy<Value = Vec<u64>> {
        let value = (0_u32..50, any::<u64>()).prop_map(|(bits, noise)| noise % (1 << bits));
        vec(value, 0..60)
    }

    proptest! {
        #[test]
        fn powers_of_two_divide_exactly(values in values(), bits in 0_u32..40) {
            let divisor = 1 << bits;
            let divided: Vec<u64> = values.iter().map(|value| value / divisor).collect();
            let (fast, slow) = (shortened(&histogram_of(&values), divisor), histogram_of(&divided));
            prop_assert_eq!((&fast.buckets, fast.min_ns), (&slow.buckets, slow.min_ns));
            prop_assert_eq!(fast.max_ns, slow.max_ns);
            // Each value loses less than 1 by rounding, their sum once.
            prop_assert!(fast.sum_ns >= slow.sum_ns);
            prop_assert!(fast.sum_ns <= slow.sum_ns + values.len() as u64);
        }

        #[test]
        fn other_numbers_keep_the_error_of_a_histogram(values in values(), divisor in 1_u64..999) {
            let mut divided: Vec<u64> = values.iter().map(|value| value / divisor).collect();
            divided.sort_unstable();
            let (fast, slow) = (shortened(&histogram_of(&values), divisor), histogram_of(&divided));
            prop_assert_eq!((fast.min_ns, fast.max_ns), (slow.min_ns, slow.max_ns));
            prop_assert_eq!(fast.count(), slow.count());
            for (rank, value) in divided.iter().enumerate() {
                let q = (rank as f64 + 0.5) / divided.len() as f64;
                let found = fast.quantile_ns(q).unwrap_or(u64::MAX);
                // Half a bucket before it is divided, half of one after.
                prop_assert!(found.abs_diff(*value) <= value / 64 + 1, "{found} for {value}");
            }
        }
    }
}
