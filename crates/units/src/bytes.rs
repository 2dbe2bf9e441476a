//! Sizes in bytes and rates in bytes per second. Decimal prefixes are powers of 1000, binary
//! ones (`KiB`) powers of 1024, and a small `b` means bits (8 to the byte).

use std::fmt;
use std::str::FromStr;

use serde::{Deserialize, Serialize};

use crate::number::{Unit, Wanted, parse, parse_nearest, unit};
use crate::{Human, System, UnitError, human};

/// An amount of data in bytes.
#[derive(
    Clone, Copy, Debug, Default, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize,
)]
#[serde(transparent)]
pub struct Bytes(pub u64);

/// A rate in bytes per second.
#[derive(
    Clone, Copy, Debug, Default, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize,
)]
#[serde(transparent)]
pub struct ByteRate(pub u64);

const fn bits(name: &'static str, times: u128) -> Unit {
    Unit { name, times, over: 8 }
}

const SIZES: [Unit; 12] = [
    unit("B", 1),
    unit("bytes", 1),
    unit("kB", 1_000),
    unit("KB", 1_000),
    unit("MB", 1_000_000),
    unit("GB", 1_000_000_000),
    unit("TB", 1_000_000_000_000),
    unit("PB", 1_000_000_000_000_000),
    unit("KiB", 1 << 10),
    unit("MiB", 1 << 20),
    unit("GiB", 1 << 30),
    unit("TiB", 1 << 40),
];

const RATES: [Unit; 15] = [
    unit("B/s", 1),
    unit("kB/s", 1_000),
    unit("KB/s", 1_000),
    unit("MB/s", 1_000_000),
    unit("GB/s", 1_000_000_000),
    unit("TB/s", 1_000_000_000_000),
    unit("KiB/s", 1 << 10),
    unit("MiB/s", 1 << 20),
    unit("GiB/s", 1 << 30),
    unit("TiB/s", 1 << 40),
    bits("b/s", 1),
    bits("kb/s", 1_000),
    bits("Mb/s", 1_000_000),
    bits("Gb/s", 1_000_000_000),
    bits("Tb/s", 1_000_000_000_000),
];

const SIZE: Wanted = Wanted { kind: "a size", example: "128 KiB" };
const RATE: Wanted = Wanted { kind: "a rate", example: "195 MB/s" };

impl FromStr for Bytes {
    type Err = UnitError;
    fn from_str(text: &str) -> Result<Self, UnitError> {
        parse(text, &SIZES, SIZE).map(Bytes)
    }
}

impl FromStr for ByteRate {
    type Err = UnitError;
    /// A rate that is finer than a byte per second, such as 2.432 GiB/s, is rounded to one: nobody
    /// measures finer. A size is exact or refused.
    fn from_str(text: &str) -> Result<Self, UnitError> {
        parse_nearest(text, &RATES, RATE).map(ByteRate)
    }
}

impl fmt::Display for Bytes {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&exact(self.0, ""))
    }
}

impl fmt::Display for ByteRate {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&exact(self.0, "/s"))
    }
}

impl Human for Bytes {
    fn human(self, system: System) -> String {
        human::scaled(self.0 as f64, system, "")
    }
}

impl Human for ByteRate {
    fn human(self, system: System) -> String {
        human::scaled(self.0 as f64, system, "/s")
    }
}

impl ByteRate {
    /// `bytes` moved in `nanos`; `None` where no time passed.
    #[must_use]
    pub fn over(bytes: u64, nanos: u64) -> Option<Self> {
        let rate = (u128::from(bytes) * 1_000_000_000).checked_div(u128::from(nanos))?;
        Some(Self(u64::try_from(rate).unwrap_or(u64::MAX)))
    }
}

/// The shortest exact form: the largest unit that divides the value, binary before decimal when
/// both do and the number is not longer.
fn exact(value: u64, suffix: &str) -> String {
    const UNITS: [(&str, u64); 9] = [
        ("TiB", 1 << 40),
        ("TB", 1_000_000_000_000),
        ("GiB", 1 << 30),
        ("GB", 1_000_000_000),
        ("MiB", 1 << 20),
        ("MB", 1_000_000),
        ("KiB", 1 << 10),
        ("kB", 1_000),
        ("B", 1),
    ];
    let (name, size) = UNITS
        .into_iter()
        .filter(|(_, size)| value != 0 && value.is_multiple_of(*size))
        .min_by_key(|(_, size)| value / size)
        .unwrap_or(("B", 1));
    format!("{} {name}{suffix}", value / size)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn prefixes_are_decimal_binary_or_bits() {
        for (text, bytes) in [
            ("4096 B", 4096),
            ("4KiB", 4096),
            ("4 kB", 4000),
            ("1.5 GiB", 1_610_612_736),
            ("0.1 GB", 100_000_000),
            ("1_000 MB", 1_000_000_000),
        ] {
            assert_eq!(text.parse(), Ok(Bytes(bytes)), "{text}");
        }
        assert_eq!("32 Gb/s".parse(), Ok(ByteRate(4_000_000_000)));
        assert_eq!("2.432 GiB/s".parse(), Ok(ByteRate(2_611_340_116)));
        assert_eq!("0.5 B/s".parse(), Ok(ByteRate(1)));
    }

    #[test]
    fn each_mistake_says_what_would_do() {
        for (text, says) in [
            ("4096", "has no unit; write a size such as \"128 KiB\""),
            ("4 kb", "unknown unit \"kb\""),
            ("4k", "unknown unit \"k\"; fio's 4k is \"4 KiB\""),
            ("4 x", "unknown unit \"x\""),
            ("4 MB/s", "unknown unit \"MB/s\""),
            ("-4 MB", "no number in front"),
            ("MB", "no number in front"),
            ("1.2.3 MB", "no number in front"),
            ("0.3 B", "finer than the smallest unit"),
            ("99999999999 TiB", "too large"),
        ] {
            let error = text.parse::<Bytes>().unwrap_err().to_string();
            assert!(error.contains(says), "{text}: {error}");
        }
    }

    #[test]
    fn exact_form_is_short() {
        assert_eq!(Bytes(0).to_string(), "0 B");
        assert_eq!(Bytes(1 << 20).to_string(), "1 MiB");
        assert_eq!(Bytes(1_000_000).to_string(), "1 MB");
        assert_eq!(ByteRate(195_000_000).to_string(), "195 MB/s");
        assert_eq!(Bytes(1_048_577).to_string(), "1048577 B");
    }

    #[test]
    fn no_time_gives_no_rate() {
        assert_eq!(ByteRate::over(5, 0), None);
        assert_eq!(ByteRate::over(5, 1_000_000_000), Some(ByteRate(5)));
    }
}
