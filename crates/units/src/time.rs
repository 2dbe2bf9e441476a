//! Spans of time, held in nanoseconds.

use std::fmt;
use std::str::FromStr;
use std::time::Duration;

use serde::{Deserialize, Serialize};

use crate::number::{Unit, Wanted, parse, unit};
use crate::{Human, System, UnitError, human};

/// A span of time in nanoseconds.
#[derive(
    Clone, Copy, Debug, Default, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize,
)]
#[serde(transparent)]
pub struct Nanos(pub u64);

const UNITS: [Unit; 8] = [
    unit("ns", 1),
    unit("us", 1_000),
    unit("µs", 1_000),
    unit("ms", 1_000_000),
    unit("s", 1_000_000_000),
    unit("min", 60_000_000_000),
    unit("h", 3_600_000_000_000),
    unit("d", 86_400_000_000_000),
];

const WANTED: Wanted = Wanted { kind: "a time", example: "10 s" };

impl FromStr for Nanos {
    type Err = UnitError;
    fn from_str(text: &str) -> Result<Self, UnitError> {
        parse(text, &UNITS, WANTED).map(Nanos)
    }
}

impl fmt::Display for Nanos {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        const EXACT: [(&str, u64); 4] =
            [("s", 1_000_000_000), ("ms", 1_000_000), ("us", 1_000), ("ns", 1)];
        let (name, size) = EXACT
            .into_iter()
            .find(|(_, size)| self.0 != 0 && self.0.is_multiple_of(*size))
            .unwrap_or(("s", 1));
        write!(f, "{} {name}", self.0 / size)
    }
}

impl Human for Nanos {
    fn human(self, _: System) -> String {
        let value = self.0 as f64;
        // The bounds round up to the next unit instead of printing a fifth digit.
        match self.0 {
            0..1_000 => format!("{value} ns"),
            1_000..999_950 => format!("{} µs", human::four_digits(value / 1e3)),
            999_950..999_950_000 => format!("{} ms", human::four_digits(value / 1e6)),
            999_950_000..120_000_000_000 => format!("{} s", human::four_digits(value / 1e9)),
            120_000_000_000..7_200_000_000_000 => {
                format!("{} min", human::four_digits(value / 60e9))
            }
            _ => format!("{} h", human::four_digits(value / 3600e9)),
        }
    }
}

impl Nanos {
    /// The span in seconds.
    #[must_use]
    pub fn as_secs_f64(self) -> f64 {
        self.0 as f64 / 1e9
    }
}

impl From<Nanos> for Duration {
    fn from(span: Nanos) -> Self {
        Self::from_nanos(span.0)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn units_from_ns_to_days() {
        for (text, nanos) in [
            ("12 s", 12_000_000_000),
            ("0.5 ms", 500_000),
            ("60us", 60_000),
            ("60 µs", 60_000),
            ("2 min", 120_000_000_000),
            ("1 h", 3_600_000_000_000),
        ] {
            assert_eq!(text.parse(), Ok(Nanos(nanos)), "{text}");
        }
        assert!("10".parse::<Nanos>().unwrap_err().to_string().contains("\"10 s\""));
    }

    #[test]
    fn rounded_form_changes_unit_before_a_fifth_digit() {
        for (nanos, text) in [
            (999, "999 ns"),
            (1_000, "1.000 µs"),
            (999_960, "1.000 ms"),
            (1_500_000_000, "1.500 s"),
        ] {
            assert_eq!(Nanos(nanos).human(System::Decimal), text);
        }
    }
}
