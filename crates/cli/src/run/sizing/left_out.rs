//! Why builds cannot be made: hard limits, and paths that lead nowhere.

use std::collections::BTreeSet;

use iopath_path::{PathMistake, PathMistakeKind};
use iopath_study::{MistakeKind, Mistakes};

use super::Known;
use crate::run::models;

/// Why a case cannot be made: with too many components for the slots, all with more cannot either.
pub(super) fn not_made(mistakes: &Mistakes) -> Known {
    let texts = mistakes.list.iter().map(|mistake| mistake.message.clone()).collect();
    match mistakes.list.iter().any(|mistake| mistake.kind == MistakeKind::Limit) {
        true => Known::TooMuch(texts),
        false => Known::Impossible(texts),
    }
}

/// Why a path cannot be followed. Streams that do not say on which of several hosts they run do not
/// either where there are more hosts.
pub(super) fn leads_nowhere(wrong: Vec<PathMistake>) -> Known {
    let is_of_hosts = wrong.iter().any(|one| one.kind == PathMistakeKind::ManyHosts);
    let hints: BTreeSet<String> =
        wrong.iter().filter(|_| is_of_hosts).filter_map(|one| one.hint.clone()).collect();
    let texts = std::iter::once(models::why(wrong)).chain(hints).collect::<Vec<_>>();
    let why = vec![texts.join("; ")];
    if is_of_hosts { Known::TooMuch(why) } else { Known::Impossible(why) }
}

/// A reason without what a larger build changes in it: numbers but a stated limit, and indices of
/// names.
pub(super) fn without_counts(reason: &str) -> String {
    let all: Vec<&str> = reason.split(' ').collect();
    let is_number = |word: &str| word.bytes().all(|byte| byte.is_ascii_digit());
    let is_limit = |at: usize| {
        let is_of_slots = all.get(at + 1).is_some_and(|next| matches!(*next, "slot" | "slots"));
        is_of_slots || all[..at].ends_with(&["of", "at", "most"])
    };
    let kept = (0..all.len()).filter(|at| !is_number(all[*at]) || is_limit(*at));
    let words = kept.map(|at| all[at]).collect::<Vec<_>>().join(" ");
    words.split('[').map(|part| part.split_once(']').map_or(part, |(_, rest)| rest)).collect()
}

#[cfg(test)]
mod tests {
    use super::without_counts;

    #[test]
    fn one_limit_of_larger_builds_is_one_reason() {
        let one = "h.link1.phb3 has 3 slots for 4 components";
        for (other, is_same) in [
            ("h.link1.phb3 has 3 slots for 6 components", true),
            ("h[0].link1.phb3 has 3 slots for 4 components", true),
            ("h.link1.phb2 has 3 slots for 4 components", false),
            ("h.link1.phb3 has 2 slots for 4 components", false),
        ] {
            assert_eq!(without_counts(one) == without_counts(other), is_same, "{other}");
        }
        let same = |one: &str, other: &str| without_counts(one) == without_counts(other);
        assert!(same("wires 17 ends (b[0].isl)", "wires 9 ends (b[12].isl)"));
        let one = "h[0]: uses 9 LUNs, of at most 8";
        assert!(same(one, "h[1]: uses 12 LUNs, of at most 8"));
        assert!(!same(one, "h[1]: uses 9 LUNs, of at most 4"));
    }
}
