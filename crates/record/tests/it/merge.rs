//! Merging phases of streams: the order and the grouping do not matter.

use iopath_record::{PhaseTotals, merge_phases};
use proptest::prelude::*;

use crate::generate::phases;

fn plus(left: &[PhaseTotals], right: &[PhaseTotals]) -> Vec<PhaseTotals> {
    merge_phases(left.iter().chain(right))
}

proptest! {
    #[test]
    fn order_does_not_matter(a in phases(), b in phases(), c in phases()) {
        prop_assert_eq!(plus(&plus(&a, &b), &c), plus(&a, &plus(&b, &c)));
        prop_assert_eq!(plus(&a, &b), plus(&b, &a));
        prop_assert_eq!(plus(&a, &[]), a.clone());
        prop_assert_eq!(plus(&[], &a), a);
    }

    #[test]
    fn nothing_is_lost(a in phases(), b in phases()) {
        let sum = |phases: &[PhaseTotals], field: fn(&PhaseTotals) -> u64| -> u64 {
            phases.iter().map(field).sum()
        };
        let counted = |totals: &PhaseTotals| -> u64 {
            totals.latency.iter().map(|latency| latency.histogram.count()).sum()
        };
        let merged = plus(&a, &b);
        let fields: [fn(&PhaseTotals) -> u64; 4] = [
            |totals| totals.submitted,
            |totals| totals.operations_ppm,
            |totals| totals.read_bytes,
            |totals| totals.system_ns,
        ];
        for field in fields {
            prop_assert_eq!(sum(&merged, field), sum(&a, field) + sum(&b, field));
        }
        let before: u64 = a.iter().chain(&b).map(counted).sum();
        prop_assert_eq!(merged.iter().map(counted).sum::<u64>(), before);
    }

    #[test]
    fn a_phase_spans_those_of_all_streams(a in phases(), b in phases()) {
        for merged in plus(&a, &b) {
            let of = || a.iter().chain(&b).filter(|totals| totals.phase == merged.phase);
            prop_assert_eq!(Some(merged.from_ns), of().map(|totals| totals.from_ns).min());
            prop_assert_eq!(Some(merged.to_ns), of().map(|totals| totals.to_ns).max());
        }
    }
}
