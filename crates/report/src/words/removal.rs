//! What the loss of parts costs, in a sentence; what goes on with less and what stops, in lines.

use iopath_units::System;

use super::prediction::{figure, list, percent};
use crate::numbers::{self, UNKNOWN, operations, rate, size, time};
use crate::view::removal::{Carried, Rebuild, Removal};

/// "with fastt[0] 18.65 GB/s, without 18.31 GB/s: 98.2 % are left"; none where every stream
/// stops. `what` is the figure: a bound, a throughput.
pub(crate) fn sentence(
    removal: &Removal,
    after: Option<Carried>,
    what: &str,
    system: System,
) -> String {
    let removed = removal.removed.join(", ");
    let amount = |all: Carried| match is_small(removal) {
        true => format!("{} requests", operations(all.operations_per_sec, system)),
        false => rate(all.throughput_bytes_per_sec, system),
    };
    let before = amount(removal.before);
    let without = after.map_or_else(|| "nothing".to_owned(), amount);
    let share = share(removal, after);
    match ratio(removal, after) {
        Some(_) if share == percent(1.0) => {
            format!("with and without {removed} {before}: the {what} stays the same")
        }
        Some(ratio) if ratio > 1.0 => {
            format!("with {removed} {before}, without {without}: {share} of it")
        }
        _ => format!("with {removed} {before}, without {without}: {share} are left"),
    }
}

pub(crate) fn carried(all: Carried, system: System) -> String {
    figure(all.throughput_bytes_per_sec, all.operations_per_sec, system)
}

/// How much of the throughput is left.
pub(crate) fn share(removal: &Removal, after: Option<Carried>) -> String {
    ratio(removal, after).map_or_else(|| UNKNOWN.to_owned(), percent)
}

fn ratio(removal: &Removal, after: Option<Carried>) -> Option<f64> {
    let of = |all: &Carried| match is_small(removal) {
        true => all.operations_per_sec,
        false => all.throughput_bytes_per_sec,
    };
    let before = of(&removal.before);
    (before > 0.0).then(|| after.as_ref().map_or(0.0, of) / before)
}

/// Whether requests count, before and after, and not bytes.
fn is_small(removal: &Removal) -> bool {
    let Carried { throughput_bytes_per_sec, operations_per_sec } = removal.before;
    numbers::is_small(throughput_bytes_per_sec, operations_per_sec)
}

/// Lines about everything that lost something; equal words for many things are one line.
pub(crate) fn losses(removal: &Removal, system: System) -> Vec<String> {
    let mut kept: Vec<(String, Vec<String>)> = Vec::new();
    for lost in &removal.lost {
        let rebuild = lost.rebuild.as_ref().map(|one| format!("; {}", rebuild(one, system)));
        let text = format!("{}: {}{}", lost.kind, lost.text, rebuild.unwrap_or_default());
        match kept.iter_mut().find(|(seen, _)| *seen == text) {
            Some((_, names)) => names.push(lost.name.clone()),
            None => kept.push((text, vec![lost.name.clone()])),
        }
    }
    kept.iter().map(|(text, names)| format!("{}: {text}", list(names))).collect()
}

/// "rebuilding one drive onto a spare takes 18.52 h at least on an idle array: 18.00 TB at
/// 270.0 MB/s, limited by h.disk; 8 drives are read".
fn rebuild(one: &Rebuild, system: System) -> String {
    let onto = if one.has_spare { "a spare" } else { "a replacement" };
    let written = rate(one.bytes_per_sec as f64, system);
    let speed = match (one.bytes, one.least_ns()) {
        (Some(bytes), Some(least)) => {
            let (least, bytes) = (time(least, system), size(bytes, system));
            format!("takes {least} at least on an idle array: {bytes} at {written}")
        }
        _ => format!("writes {written} at most on an idle array"),
    };
    let read = match one.reads {
        1 => "its copy is read".to_owned(),
        reads => format!("{reads} drives are read"),
    };
    format!("rebuilding one drive onto {onto} {speed}, limited by {}; {read}", one.limit)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn both_figures_and_their_share_are_of_one_measure() {
        let carried = |throughput_bytes_per_sec, operations_per_sec| Carried {
            throughput_bytes_per_sec,
            operations_per_sec,
        };
        let of = |before, after| {
            let removal = Removal { removed: vec!["a".to_owned()], before, lost: Vec::new() };
            sentence(&removal, Some(after), "bound", System::Decimal)
        };
        // Small requests, and large ones that few requests a second are.
        let (all, scan) = (carried(4.2e9, 258_000.0), carried(2.1e9, 2000.0));
        assert_eq!(
            of(all, scan),
            "with a 258.0 k/s requests, without 2000 /s requests: 0.8 % are left"
        );
        assert_eq!(
            of(carried(4.2e9, 4000.0), carried(2.1e9, 256_000.0)),
            "with a 4.200 GB/s, without 2.100 GB/s: 50.0 % are left"
        );
    }
}
