//! Axes whose unit fits their values: the largest prefix that the greatest value reaches.

use iopath_units::System;
use jiff::Timestamp;

use super::{Axis, Column, Mark, Trace};

/// Steps between labels of a clock, in seconds.
const CLOCK: [u32; 17] =
    [1, 2, 5, 10, 15, 30, 60, 120, 300, 600, 900, 1800, 3600, 7200, 14_400, 21_600, 43_200];

/// Labels of a clock that have room: chosen.
const CLOCK_LABELS: f64 = 8.0;

impl Axis {
    /// Bytes a second.
    #[must_use]
    pub fn bytes_per_sec(title: &str, columns: &[Column], system: System) -> Self {
        let axis = Self::bytes(title, columns, system);
        Self { unit: format!("{}/s", axis.unit), ..axis }
    }

    /// Bytes.
    #[must_use]
    pub fn bytes(title: &str, columns: &[Column], system: System) -> Self {
        let (step, names): (f64, [&str; 6]) = match system {
            System::Decimal => (1000.0, ["B", "kB", "MB", "GB", "TB", "PB"]),
            System::Binary => (1024.0, ["B", "KiB", "MiB", "GiB", "TiB", "PiB"]),
        };
        fitting(title, columns, step, &names)
    }

    /// Requests a second, in powers of 1000.
    #[must_use]
    pub fn operations_per_sec(title: &str, columns: &[Column]) -> Self {
        fitting(title, columns, 1000.0, &["/s", "k/s", "M/s", "G/s"])
    }

    /// Times, of columns in ns.
    #[must_use]
    pub fn ns(title: &str, columns: &[Column]) -> Self {
        fitting(title, columns, 1000.0, &["ns", "µs", "ms", "s"])
    }

    /// Seconds, of columns in seconds.
    #[must_use]
    pub fn seconds(title: &str) -> Self {
        Self::plain(title, "s")
    }

    /// Shares as percent, of columns in shares.
    #[must_use]
    pub fn percent(title: &str) -> Self {
        Self { per: 0.01, ..Self::plain(title, "%") }
    }

    /// Values as they are.
    #[must_use]
    pub fn plain(title: &str, unit: &str) -> Self {
        let (title, unit) = (title.to_owned(), unit.to_owned());
        Self { title, unit, per: 1.0, ..Self::default() }
    }

    /// The same from here to there, whatever is drawn: charts of one range stand in line.
    #[must_use]
    pub fn spanning(self, range: Option<(f64, f64)>) -> Self {
        Self { range, ..self }
    }

    /// Time of day, of a column in seconds since a wall clock's time in ns since 1970: labels at
    /// whole steps of a clock.
    #[must_use]
    pub(crate) fn clock(from_unix_ns: u64, (from, to): (f64, f64)) -> Self {
        let step = CLOCK.into_iter().find(|step| (to - from) / *step as f64 <= CLOCK_LABELS);
        let step = i128::from(step.unwrap_or(86_400)) * 1_000_000_000;
        let at_ns = |seconds: f64| i128::from(from_unix_ns) + (seconds * 1e9) as i128;
        let first = (at_ns(from) + step - 1).div_euclid(step);
        let format = if to - from > 86_400.0 { "%m-%d %H:%M" } else { "%H:%M:%S" };
        let label = |number: i128| {
            let at = Timestamp::from_nanosecond(number * step).ok()?;
            let seconds = (number * step - i128::from(from_unix_ns)) as f64 / 1e9;
            Some((seconds, at.strftime(format).to_string()))
        };
        let ticks = (first..=at_ns(to).div_euclid(step)).filter_map(label).collect();
        Self::plain("time of day (UTC)", "").labelled(ticks)
    }

    /// The same with labels of its own.
    #[must_use]
    pub fn labelled(self, ticks: Vec<(f64, String)>) -> Self {
        Self { ticks, ..self }
    }

    /// The same with equal steps for equal factors, and labels at 1, 2 and 5 of each power of ten
    /// that these columns reach; of many powers at each of them. Values so close that fewer than
    /// two labels would lie among them keep equal steps for equal differences.
    #[must_use]
    pub fn in_factors(self, columns: &[Column]) -> Self {
        let ticks = steps(columns, self.per);
        let known = || columns.iter().flat_map(Column::positive);
        let (least, most) = (known().fold(f64::INFINITY, f64::min), known().fold(0.0, f64::max));
        let among = ticks.iter().filter(|(at, _)| (least..=most).contains(at));
        if among.count() < 2 && least <= most {
            return self;
        }
        self.logarithmic().labelled(ticks)
    }

    /// The same with equal steps for equal factors.
    #[must_use]
    pub fn logarithmic(self) -> Self {
        Self { is_logarithmic: true, ..self }
    }

    /// The same, cut to its values.
    #[must_use]
    pub fn relative(self) -> Self {
        Self { is_relative: true, ..self }
    }
}

fn fitting(title: &str, columns: &[Column], step: f64, names: &[&str]) -> Axis {
    let greatest = columns.iter().filter_map(Column::greatest).fold(0.0, f64::max);
    let mut per = 1.0;
    let mut at = 0;
    while greatest >= per * step && at + 1 < names.len() {
        per *= step;
        at += 1;
    }
    Axis { per, ..Axis::plain(title, names[at]) }
}

/// Powers of ten above which only these have labels: chosen.
const POWERS: f64 = 2.5;

fn steps(columns: &[Column], per: f64) -> Vec<(f64, String)> {
    let known = || columns.iter().flat_map(Column::positive).map(|value| value / per);
    let (least, most) = (known().fold(f64::INFINITY, f64::min), known().fold(0.0, f64::max));
    if least > most {
        return Vec::new();
    }
    let (low, high) = (least.log10().floor() as i32, most.log10().ceil() as i32);
    let factors: &[f64] = match (most / least).log10() > POWERS {
        true => &[1.0],
        false => &[1.0, 2.0, 5.0],
    };
    let all = (low..=high).flat_map(|power| factors.iter().map(move |f| (power, *f)));
    let tick = |(power, factor): (i32, f64)| {
        let value = factor * 10f64.powi(power);
        let digits = usize::try_from(-power).unwrap_or(0);
        (value * per, format!("{value:.digits$}"))
    };
    all.map(tick).collect()
}

impl Trace {
    /// A trace without names or error bars.
    #[must_use]
    pub fn plain(name: &str, mark: Mark, x: usize, y: usize) -> Self {
        let name = name.to_owned();
        Self { name, mark, x, y, text: None, error: None, error_below: None }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_unit_is_the_largest_that_the_greatest_value_reaches() {
        let columns = [Column::numbers("a", vec![2.0, 1.5e9]), Column::maybe("b", vec![None])];
        let decimal = Axis::bytes_per_sec("throughput", &columns, System::Decimal);
        assert_eq!((decimal.unit.as_str(), decimal.per), ("GB/s", 1e9));
        let binary = Axis::bytes_per_sec("throughput", &columns, System::Binary);
        assert_eq!((binary.unit.as_str(), binary.per), ("GiB/s", 1024f64.powi(3)));
        assert_eq!(Axis::ns("latency", &columns[1..]).unit, "ns");
        assert_eq!(Axis::operations_per_sec("requests", &columns).unit, "G/s");
    }

    #[test]
    fn a_clock_has_labels_at_whole_steps() {
        // 2025-10-09 00:00:00 UTC is 1,759,968,000 s.
        let started = 1_759_968_000 + 10 * 3600 + 7;
        let axis = Axis::clock(started * 1_000_000_000, (0.0, 60.0));
        let labels: Vec<&str> = axis.ticks.iter().map(|(_, label)| label.as_str()).collect();
        assert_eq!(
            labels,
            ["10:00:10", "10:00:20", "10:00:30", "10:00:40", "10:00:50", "10:01:00"]
        );
        assert_eq!(axis.ticks[0].0, 3.0);
        let days = Axis::clock(started * 1_000_000_000, (0.0, 4.0 * 86_400.0));
        assert_eq!(days.ticks[0].1, "10-09 12:00");
    }

    #[test]
    fn labels_in_factors_cover_what_is_drawn() {
        let labels = |values: &[f64]| -> Vec<String> {
            let columns = [Column::numbers("latency_ns", values.to_vec())];
            let axis = Axis::ns("latency", &columns).in_factors(&columns);
            assert!(axis.is_logarithmic);
            for (at, label) in &axis.ticks {
                let shown: f64 = label.parse().unwrap();
                assert!((at / axis.per / shown - 1.0).abs() < 1e-9, "{label} at {at}");
            }
            axis.ticks.into_iter().map(|(_, label)| label).collect()
        };
        assert_eq!(
            labels(&[150_000.0, 3e6]),
            ["0.1", "0.2", "0.5", "1", "2", "5", "10", "20", "50"]
        );
        assert_eq!(labels(&[9e3, 0.0, 8e7]), ["0.001", "0.01", "0.1", "1", "10", "100"]);
        assert_eq!(labels(&[0.0]), [] as [String; 0]);
        let close = [Column::numbers("latency_ns", vec![1.63e9, 1.66e9])];
        let axis = Axis::ns("latency", &close).in_factors(&close);
        assert!(!axis.is_logarithmic && axis.ticks.is_empty(), "no label lies among the values");
    }
}
