//! What a run must have found, and whether it did.

use std::collections::BTreeSet;

use super::super::disk::{Fault, UNIT};
use super::matrix::Case;
use super::play::Outcome;

/// A run that failed, or found wrong data.
const FAILED: i32 = 6;

/// The judgement of one run.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(crate) struct Judgement {
    /// Whether a reader could have seen the fault.
    pub could: bool,
    pub found: bool,
    pub kind: bool,
    pub place: bool,
    /// Something was found although nothing was wrong.
    pub false_alarm: bool,
}

pub(super) fn judge(case: &Case, outcome: &Outcome) -> Judgement {
    let Some(fault) = case.fault.filter(|_| outcome.fired) else {
        let false_alarm = outcome.code != 0 || !outcome.found.is_empty();
        return Judgement { false_alarm, ..Judgement::default() };
    };
    match fault {
        // The rest of it is read by another request; nothing is wrong.
        Fault::ShortRead => {
            let is_good = outcome.code == 0 && outcome.found.is_empty();
            Judgement { false_alarm: !is_good, ..Judgement::default() }
        }
        Fault::WriteError | Fault::NoSpace | Fault::ReadError => {
            let found = outcome.code == FAILED;
            let others = outcome.found.iter().any(|block| block.kind != "unreadable");
            let named = outcome.stderr.contains(&said_of(fault));
            let mut places = outcome.found.iter().map(|block| block.offset_bytes / UNIT as u64);
            let place = found && named && places.all(|unit| outcome.left.contains(&unit));
            let could = fault != Fault::ReadError || !outcome.left.is_empty();
            let kind = found && named && !others;
            Judgement { could, found, kind, place, false_alarm: false }
        }
        _ => of_data(case, fault, outcome),
    }
}

/// Faults of data: what was given wrong directly, or was wrong when everything was read back.
fn of_data(case: &Case, fault: Fault, outcome: &Outcome) -> Judgement {
    // Through the page cache a page may be read and written over before the program asks for it;
    // a read that was bad once is the only one of its pages until they are dropped.
    let surely = case.cache == "direct" || fault.is_read();
    let mut sure: BTreeSet<u64> = outcome.left.clone();
    if surely {
        sure.extend(&outcome.seen);
    }
    let bad: BTreeSet<u64> = outcome.left.union(&outcome.seen).copied().collect();
    let named: BTreeSet<u64> =
        outcome.found.iter().map(|block| block.offset_bytes / UNIT as u64).collect();
    let could = !sure.is_empty();
    let found = outcome.code == FAILED && !named.is_empty();
    let kinds = kinds_of(fault);
    let kind = found && outcome.found.iter().all(|block| kinds.contains(&block.kind.as_str()));
    let place = found && named.is_subset(&bad) && outcome.left.is_subset(&named);
    let false_alarm = bad.is_empty() && (outcome.code != 0 || found);
    Judgement { could, found: could && found, kind, place, false_alarm }
}

/// What the blocks of a fault may be called. What was written first over zeros has no stamp where
/// it was lost; half a stamp over zeros is corrupt.
fn kinds_of(fault: Fault) -> &'static [&'static str] {
    match fault {
        Fault::BitFlip | Fault::FlippedRead => &["corrupt"],
        Fault::Lost | Fault::StaleRead => &["stale", "unstamped"],
        Fault::Misplaced => &["stale", "unstamped", "misplaced"],
        Fault::Torn | Fault::SectorTorn => &["torn", "stale", "unstamped", "corrupt"],
        Fault::Zeroed | Fault::ZerosRead => &["unstamped"],
        Fault::Shifted => &["corrupt", "torn"],
        Fault::Duplicated | Fault::Swapped | Fault::OtherRead => &["misplaced"],
        Fault::WriteError | Fault::NoSpace | Fault::ReadError | Fault::ShortRead => &[],
    }
}

/// What the message of an error says.
fn said_of(fault: Fault) -> String {
    let number = match fault {
        Fault::NoSpace => rustix::io::Errno::NOSPC,
        _ => rustix::io::Errno::IO,
    };
    format!("os error {}", number.raw_os_error())
}

#[cfg(test)]
mod tests {
    use super::super::matrix::Blocks;
    use super::super::play::Found;
    use super::*;

    fn outcome(code: i32, left: &[u64], found: &[(&str, u64)]) -> Outcome {
        let found = found.iter().map(|(kind, unit)| Found {
            kind: (*kind).to_owned(),
            offset_bytes: unit * UNIT as u64,
        });
        Outcome {
            command: String::new(),
            code,
            fired: true,
            seen: BTreeSet::new(),
            left: left.iter().copied().collect(),
            found: found.collect(),
            stderr: String::new(),
        }
    }

    fn judged(fault: Option<Fault>, outcome: &Outcome) -> Judgement {
        let (engine, cache, blocks) = ("calls", "direct", Blocks::Busy);
        judge(&Case { fault, engine, block_kib: 4, cache, blocks }, outcome)
    }

    #[test]
    fn a_fault_counts_as_found_with_its_kind_at_its_place() {
        let fault = Some(Fault::Lost);
        let all =
            Judgement { could: true, found: true, kind: true, place: true, false_alarm: false };
        assert_eq!(judged(fault, &outcome(6, &[3], &[("stale", 3)])), all);
        let other_kind = judged(fault, &outcome(6, &[3], &[("torn", 3)]));
        assert_eq!(other_kind, Judgement { kind: false, ..all });
        for places in [&[("stale", 4)][..], &[("stale", 3), ("stale", 9)]] {
            let elsewhere = judged(fault, &outcome(6, &[3], places));
            assert_eq!(elsewhere, Judgement { place: false, ..all });
        }
        let missed = judged(fault, &outcome(0, &[3], &[]));
        assert_eq!(missed, Judgement { could: true, ..Judgement::default() });
    }

    #[test]
    fn what_is_found_where_nothing_is_wrong_is_a_false_alarm() {
        assert!(judged(None, &outcome(6, &[], &[("stale", 3)])).false_alarm);
        assert!(judged(Some(Fault::Lost), &outcome(6, &[], &[("stale", 3)])).false_alarm);
        assert!(!judged(None, &outcome(0, &[], &[])).false_alarm);
    }
}
