//! Layers and the balance of their members as sentences.

use iopath_analysis::balance::{Balance, BalanceVerdict};
use iopath_analysis::layers::{
    Explanation, Frame, LayerTransition, Meter, MistakenUnit, Reason, ReasonKind, Slip,
};
use iopath_record::Kind;
use iopath_units::System;

use super::evidence;
use crate::numbers::{rate, size};
use crate::view::run::TrialReport;

/// Names that are written out before the rest is only counted: chosen.
const NAMES: usize = 6;

/// What an explanation says.
pub(crate) fn sentence(of: &Explanation, system: System) -> String {
    let percent = (of.rest - 1.0).abs() * 100.0;
    match of.reason {
        Reason::Equal => "both layers move the same bytes".to_owned(),
        Reason::InFlight { held_bytes, moved_bytes } => {
            let [held, moved] =
                [held_bytes, moved_bytes].map(|bytes| size(bytes.round() as u64, system));
            format!(
                "{held} were in flight on average, {:.1} % of the {moved} that were moved: \
                 the counters may differ by as much",
                held_bytes / moved_bytes * 100.0
            )
        }
        Reason::CutIntervals { share } => format!(
            "{percent:.1} % fewer bytes below: the load started or ended partway through sampling \
             intervals there, which can account for up to {:.0} %",
            100.0 * share
        ),
        Reason::Framing(frame) => framing(frame),
        Reason::UnitSlip(slip) => slipped(slip),
        Reason::SlipAndFraming(slip, frame) => format!("{}, and {}", slipped(slip), framing(frame)),
        Reason::Copies => {
            format!("{:.0} copies of each write, which no relation states", of.factor)
        }
        Reason::ServedAbove => format!(
            "{percent:.1} % of the bytes did not reach the lower layer: a cache, holes or shared \
             reads"
        ),
        Reason::ReadMore => {
            format!("{percent:.1} % more is read below: unused readahead or other processes")
        }
        Reason::WrittenMore => format!(
            "{percent:.1} % more is written below: parity, journals, read-modify-write of whole \
             blocks or other processes"
        ),
    }
}

fn framing(frame: Frame) -> String {
    let [whole, data] = frame.bytes();
    let name = match frame {
        Frame::FibreChannel => "frames of Fibre Channel",
        Frame::Ethernet => "frames of Ethernet with TCP",
        Frame::JumboEthernet => "jumbo frames of Ethernet with TCP",
    };
    format!("{name} ({whole} bytes for {data} of data)")
}

fn slipped(slip: Slip) -> String {
    let of = match slip.of {
        Meter::Above => "above",
        Meter::Below => "below",
    };
    let unit = match slip.unit {
        MistakenUnit::Kilo => "KiB (2^10) taken for kB (10^3)",
        MistakenUnit::Mega => "MiB (2^20) taken for MB (10^6)",
        MistakenUnit::Giga => "GiB (2^30) taken for GB (10^9)",
        MistakenUnit::Block => "blocks of 1024 bytes taken for blocks of 512",
    };
    format!("a unit of the meter {of} is off: {unit}")
}

/// `48 disk`, or the name of a single one.
pub(crate) fn several(names: &[String], kind: &Kind) -> String {
    match names {
        [one] => format!("{kind} {one}"),
        many => format!("{} × {kind}", many.len()),
    }
}

fn named(names: &[String]) -> String {
    let shown = names.iter().take(NAMES).cloned().collect::<Vec<_>>().join(", ");
    let rest = names.len().saturating_sub(NAMES);
    if rest == 0 { shown } else { format!("{shown} and {rest} more") }
}

/// What two layers moved, and why they differ.
pub(crate) fn compared(step: &LayerTransition, system: System) -> String {
    let copies = match (step.copies - 1.0).abs() < 1e-6 {
        true => String::new(),
        false => format!(" ({:.3} copies)", step.copies),
    };
    let mut text = format!(
        "{} to {}: {} above{copies}, {} below, ratio {:.4}",
        named(&step.upper),
        named(&step.lower),
        rate(step.upper_bytes_per_sec, system),
        rate(step.lower_bytes_per_sec, system),
        step.ratio
    );
    let reasons = step.explanations.iter().map(|one| {
        let text = sentence(one, system);
        match one.kind() {
            ReasonKind::Equal
            | ReasonKind::InFlight
            | ReasonKind::CutIntervals
            | ReasonKind::ServedAbove
            | ReasonKind::ReadMore
            | ReasonKind::WrittenMore => text,
            ReasonKind::Framing
            | ReasonKind::UnitSlip
            | ReasonKind::SlipAndFraming
            | ReasonKind::Copies => {
                format!("{text} explains {:.4} of it, {:.4} remains", one.factor, one.rest)
            }
        }
    });
    text.push_str(&format!(": {}", reasons.collect::<Vec<_>>().join("; or ")));
    if let Some(ratio) = step.request_ratio.filter(|ratio| *ratio > 0.0) {
        match ratio {
            1.1.. => text.push_str(&format!("; each request becomes {ratio:.2} below")),
            ..0.9 => text.push_str(&format!("; {:.2} requests become one below", 1.0 / ratio)),
            _ => {}
        }
    }
    text
}

/// How evenly members share a load.
pub(crate) fn shared(one: &Balance, system: System) -> String {
    let evidence: Vec<String> =
        one.evidence.iter().map(|line| evidence::sentence(line, system)).collect();
    let found = match one.verdict {
        BalanceVerdict::Balanced => "balanced".to_owned(),
        BalanceVerdict::SlowMembers => {
            format!("slow members with equal rates: {}", named(&one.slow))
        }
        BalanceVerdict::UnevenAndSlow => format!("uneven, slow members: {}", named(&one.slow)),
        BalanceVerdict::UnevenRate => "uneven rates".to_owned(),
        BalanceVerdict::Unlike => "requests of different kinds".to_owned(),
    };
    format!("below {}: {found}: {}", one.of, evidence.join("; "))
}

/// What a trial that was only watched says in a sentence.
pub(crate) fn watched(trial: &TrialReport, system: System) -> String {
    let counted = trial.layers.tiers.iter().filter(|tier| tier.bytes_per_sec > Some(0.0));
    let told = counted.map(|tier| {
        let bytes = tier.bytes_per_sec.unwrap_or_default();
        format!("{} {}", several(&tier.members, &tier.kind), rate(bytes, system))
    });
    let told: Vec<String> = told.collect();
    let figures = if told.is_empty() { "counters only".to_owned() } else { told.join(", ") };
    format!("watched: {figures}{}", slow(trial))
}

/// That members are slow and get as much as the others; nothing where none are.
pub(crate) fn slow(trial: &TrialReport) -> String {
    let slow = trial.balance.iter().find(|one| one.verdict == BalanceVerdict::SlowMembers);
    slow.map_or(String::new(), |one| {
        let all = one.members.len();
        format!("; {} of {all} members are slow but get the same load", one.slow.len())
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_reason_is_a_sentence() {
        let slip = Slip { of: Meter::Above, unit: MistakenUnit::Block };
        let held = Reason::InFlight { held_bytes: 33_554_432.0, moved_bytes: 2_621_440_000.0 };
        for (reason, factor, expected) in [
            (
                held,
                1.0,
                "33.55 MB were in flight on average, 1.3 % of the 2.621 GB that were moved: \
                 the counters may differ by as much",
            ),
            (
                Reason::Framing(Frame::FibreChannel),
                1.0,
                "frames of Fibre Channel (2148 bytes for 2112 of data)",
            ),
            (
                Reason::SlipAndFraming(slip, Frame::JumboEthernet),
                1.0,
                "a unit of the meter above is off: blocks of 1024 bytes taken for blocks of 512, \
                 and jumbo frames of Ethernet with TCP (9014 bytes for 8948 of data)",
            ),
            (Reason::Copies, 2.0, "2 copies of each write, which no relation states"),
            (
                Reason::ReadMore,
                1.0,
                "20.0 % more is read below: unused readahead or other processes",
            ),
        ] {
            let one = Explanation { reason, factor, rest: 1.2 };
            assert_eq!(sentence(&one, System::Decimal), expected);
        }
        let one = Explanation { reason: held, factor: 1.0, rest: 1.2 };
        let said = sentence(&one, System::Binary);
        assert!(said.starts_with("32.00 MiB were in flight on average, 1.3 % of the 2.441 GiB"));
    }
}
