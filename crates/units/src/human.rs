//! The rounded form for people: four significant digits, never more than one unit.

/// Which prefixes a rounded size uses.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum System {
    /// kB, MB, GB: powers of 1000.
    #[default]
    Decimal,
    /// KiB, MiB, GiB: powers of 1024.
    Binary,
}

/// A quantity that can be shown rounded.
pub trait Human {
    /// The value rounded to four significant digits, with its unit.
    fn human(self, system: System) -> String;
}

/// `value` with the largest prefix that keeps at least one digit before the point.
pub(crate) fn scaled(value: f64, system: System, suffix: &str) -> String {
    let (step, names) = match system {
        System::Decimal => (1000.0, ["B", "kB", "MB", "GB", "TB", "PB", "EB"]),
        System::Binary => (1024.0, ["B", "KiB", "MiB", "GiB", "TiB", "PiB", "EiB"]),
    };
    let (mut value, mut index) = (value, 0);
    // 999.95 would round to a fifth digit, so it already takes the next prefix.
    while value >= step - 0.05 && index + 1 < names.len() {
        value /= step;
        index += 1;
    }
    let digits = if index == 0 { digits_whole(value) } else { four_digits(value) };
    format!("{digits} {}{suffix}", names[index])
}

/// Four significant digits for a value below about 10,000.
pub(crate) fn four_digits(value: f64) -> String {
    let decimals = match value {
        v if v < 9.9995 => 3,
        v if v < 99.995 => 2,
        v if v < 999.95 => 1,
        _ => 0,
    };
    format!("{value:.decimals$}")
}

fn digits_whole(value: f64) -> String {
    if value.fract() == 0.0 { format!("{value:.0}") } else { four_digits(value) }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn four_digits_whatever_the_size() {
        for (value, text) in [
            (0.0, "0 B"),
            (999.0, "999 B"),
            (1000.0, "1.000 kB"),
            (999_949.0, "999.9 kB"),
            (999_960.0, "1.000 MB"),
            (12_345_678.0, "12.35 MB"),
        ] {
            assert_eq!(scaled(value, System::Decimal, ""), text);
        }
        assert_eq!(scaled(1_048_576.0, System::Binary, "/s"), "1.000 MiB/s");
    }
}
