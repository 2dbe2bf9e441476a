//! Rates of operations (requests) per second, held in thousandths so that slow rates are exact.

use std::fmt;
use std::str::FromStr;

use serde::{Deserialize, Serialize};

use crate::number::{Unit, Wanted, parse, unit};
use crate::{Human, System, UnitError, human};

/// A rate of operations, in thousandths of an operation per second.
#[derive(
    Clone, Copy, Debug, Default, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize,
)]
#[serde(transparent)]
pub struct OperationRate(pub u64);

const UNITS: [Unit; 5] = [
    unit("/s", 1_000),
    unit("k/s", 1_000_000),
    unit("M/s", 1_000_000_000),
    unit("op/s", 1_000),
    unit("IOPS", 1_000),
];

const WANTED: Wanted = Wanted { kind: "a rate of operations", example: "20000 /s" };

impl FromStr for OperationRate {
    type Err = UnitError;
    fn from_str(text: &str) -> Result<Self, UnitError> {
        parse(text, &UNITS, WANTED).map(OperationRate)
    }
}

impl fmt::Display for OperationRate {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match (self.0 / 1000, self.0 % 1000) {
            (whole, 0) => write!(f, "{whole} /s"),
            (whole, rest) => {
                write!(f, "{whole}.{} /s", format!("{rest:03}").trim_end_matches('0'))
            }
        }
    }
}

impl Human for OperationRate {
    fn human(self, _: System) -> String {
        let value = self.per_sec();
        match value {
            v if v < 9_999.5 => format!("{} /s", human::four_digits(v)),
            v if v < 999_950.0 => format!("{} k/s", human::four_digits(v / 1e3)),
            v => format!("{} M/s", human::four_digits(v / 1e6)),
        }
    }
}

impl OperationRate {
    /// Operations per second.
    #[must_use]
    pub fn per_sec(self) -> f64 {
        self.0 as f64 / 1e3
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn thousandths_are_exact() {
        assert_eq!("0.5 /s".parse(), Ok(OperationRate(500)));
        assert_eq!(OperationRate(500).to_string(), "0.5 /s");
        assert_eq!("150 k/s".parse(), Ok(OperationRate(150_000_000)));
        assert_eq!(OperationRate(150_000_000).human(System::Decimal), "150.0 k/s");
    }
}
