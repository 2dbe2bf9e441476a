//! Why bytes differ from layer to layer, as sentences.

use iopath_analysis::layers::{Explanation, Frame, Meter, Reason, Slip, Unit};
use iopath_units::System;

use crate::numbers::size;

/// What an explanation says.
pub(crate) fn sentence(of: &Explanation, system: System) -> String {
    let percent = (of.rest - 1.0).abs() * 100.0;
    match of.reason {
        Reason::Equal => "what is below moves what is above".to_owned(),
        Reason::InFlight { held_bytes, moved_bytes } => {
            let [held, moved] =
                [held_bytes, moved_bytes].map(|bytes| size(bytes.round() as u64, system));
            format!(
                "{held} were in flight on average, {:.1} % of the {moved} that were moved: \
                 counters above and below may be as much apart",
                held_bytes / moved_bytes * 100.0
            )
        }
        Reason::Framing(frame) => framing(frame),
        Reason::UnitSlip(slip) => slipped(slip),
        Reason::SlipAndFraming(slip, frame) => format!("{}, and {}", slipped(slip), framing(frame)),
        Reason::Copies => {
            format!("{:.0} copies of what is written, which no relation states", of.factor)
        }
        Reason::ServedAbove => format!(
            "{percent:.1} % of the bytes did not come below: a cache, holes, or several that read \
             the same"
        ),
        Reason::ReadMore => {
            format!("{percent:.1} % more is read below: readahead that is not used, or others")
        }
        Reason::WrittenMore => format!(
            "{percent:.1} % more is written below: parity, journals, whole blocks for parts of \
             them, or others"
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
        Unit::Kilo => "KiB (2^10) taken for kB (10^3)",
        Unit::Mega => "MiB (2^20) taken for MB (10^6)",
        Unit::Giga => "GiB (2^30) taken for GB (10^9)",
        Unit::Block => "blocks of 1024 bytes taken for blocks of 512",
    };
    format!("a unit of the meter {of} is off: {unit}")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_reason_is_a_sentence() {
        let slip = Slip { of: Meter::Above, unit: Unit::Block };
        let held = Reason::InFlight { held_bytes: 33_554_432.0, moved_bytes: 2_621_440_000.0 };
        for (reason, factor, expected) in [
            (
                held,
                1.0,
                "33.55 MB were in flight on average, 1.3 % of the 2.621 GB that were moved: \
                 counters above and below may be as much apart",
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
            (Reason::Copies, 2.0, "2 copies of what is written, which no relation states"),
            (
                Reason::ReadMore,
                1.0,
                "20.0 % more is read below: readahead that is not used, or others",
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
