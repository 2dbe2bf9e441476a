//! Shares and tolerances: a bare number (`0.05`) or a percentage (`"5 %"`), held in millionths.

use std::fmt;
use std::str::FromStr;

use serde::{Deserialize, Serialize};

use crate::UnitError;
use crate::number::{Unit, Wanted, parse};

/// A pure ratio in millionths (ppm): 0.05 is `Ratio(50_000)`.
#[derive(
    Clone, Copy, Debug, Default, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize,
)]
#[serde(transparent)]
pub struct Ratio(pub u64);

const UNITS: [Unit; 2] = [
    Unit { name: "%", times: 10_000, over: 1 },
    // A ratio may stand bare: the parser below appends this unit.
    Unit { name: "/1", times: 1_000_000, over: 1 },
];

const WANTED: Wanted = Wanted { kind: "a ratio", example: "5 %" };

impl FromStr for Ratio {
    type Err = UnitError;
    fn from_str(text: &str) -> Result<Self, UnitError> {
        match parse(text, &UNITS, WANTED) {
            Err(UnitError::MissingUnit { .. }) => parse(&format!("{text}/1"), &UNITS, WANTED),
            other => other,
        }
        .map(Ratio)
    }
}

impl fmt::Display for Ratio {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let (whole, rest) = (self.0 / 10_000, self.0 % 10_000);
        if rest == 0 {
            return write!(f, "{whole} %");
        }
        write!(f, "{whole}.{} %", format!("{rest:04}").trim_end_matches('0'))
    }
}

impl Ratio {
    /// All of it.
    pub const ONE: Self = Self(1_000_000);

    /// The ratio as a number.
    #[must_use]
    pub fn as_f64(self) -> f64 {
        self.0 as f64 / 1e6
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn percent_or_bare() {
        assert_eq!("2 %".parse(), Ok(Ratio(20_000)));
        assert_eq!("0.02".parse(), Ok(Ratio(20_000)));
        assert_eq!("1".parse(), Ok(Ratio::ONE));
        assert_eq!(Ratio(12_500).to_string(), "1.25 %");
        assert!("two".parse::<Ratio>().is_err());
    }
}
