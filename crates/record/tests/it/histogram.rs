//! A histogram against the sorted list of the same values.

use iopath_record::Histogram;
use iopath_record::histogram::bucket_of;
use proptest::collection::vec;
use proptest::prelude::*;

use crate::generate::{histogram, histogram_of, value};

proptest! {
    #[test]
    fn quantiles_are_within_a_128th(mut values in vec(value(), 1..400), q in 0.0..=1.0_f64) {
        let histogram = histogram_of(&values);
        values.sort_unstable();
        let rank = ((q * values.len() as f64).ceil() as usize).max(1);
        let exact = values[rank - 1];
        let found = histogram.quantile_ns(q).unwrap();
        let error = found.abs_diff(exact) as f64;
        prop_assert!(error <= exact as f64 / 128.0, "{found} instead of {exact}");
    }

    #[test]
    fn sum_extremes_and_mean_are_exact(values in vec(value(), 1..400)) {
        let histogram = histogram_of(&values);
        let sum: u64 = values.iter().sum();
        prop_assert_eq!(histogram.count(), values.len() as u64);
        prop_assert_eq!(histogram.sum_ns, sum);
        prop_assert_eq!(Some(histogram.min_ns), values.iter().copied().min());
        prop_assert_eq!(Some(histogram.max_ns), values.iter().copied().max());
        prop_assert_eq!(histogram.mean_ns(), Some(sum as f64 / values.len() as f64));
    }

    #[test]
    fn the_ends_are_the_extremes(values in vec(value(), 1..100)) {
        let histogram = histogram_of(&values);
        let first = bucket_of(histogram.quantile_ns(0.0).unwrap());
        prop_assert_eq!(first, bucket_of(histogram.min_ns));
        let last = bucket_of(histogram.quantile_ns(1.0).unwrap());
        prop_assert_eq!(last, bucket_of(histogram.max_ns));
    }

    #[test]
    fn merging_is_counting_both(left in vec(value(), 0..100), right in vec(value(), 0..100)) {
        let mut merged = histogram_of(&left);
        merged.merge(&histogram_of(&right));
        prop_assert_eq!(merged, histogram_of(&[left, right].concat()));
    }

    #[test]
    fn order_does_not_matter(a in histogram(), b in histogram(), c in histogram()) {
        let plus = |left: &Histogram, right: &Histogram| {
            let mut sum = left.clone();
            sum.merge(right);
            sum
        };
        prop_assert_eq!(plus(&plus(&a, &b), &c), plus(&a, &plus(&b, &c)));
        prop_assert_eq!(plus(&a, &b), plus(&b, &a));
        prop_assert_eq!(plus(&a, &Histogram::default()), a.clone());
        prop_assert_eq!(plus(&Histogram::default(), &a), a);
    }
}

#[test]
fn the_last_value_is_found_where_counts_exceed_what_a_float_holds() {
    let odd = (1 << 60) + 1;
    let histogram =
        Histogram { buckets: vec![(5, odd), (7, odd)], sum_ns: 12, min_ns: 5, max_ns: 7 };
    assert_eq!(histogram.quantile_ns(1.0), Some(7));
}

#[test]
fn counts_that_are_too_large_stop_at_the_greatest_number() {
    let mut full = Histogram { buckets: vec![(5, u64::MAX)], sum_ns: 5, min_ns: 5, max_ns: 5 };
    full.merge(&full.clone());
    assert_eq!(full.buckets, [(5, u64::MAX)]);
}
