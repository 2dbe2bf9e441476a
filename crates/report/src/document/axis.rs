//! Axes whose unit fits their values: the largest prefix that the greatest value reaches.

use iopath_units::System;

use super::{Axis, Column, Mark, Trace};

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
        Self { title, unit, per: 1.0, is_logarithmic: false, is_relative: false, ticks: Vec::new() }
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
        Self { name: name.to_owned(), mark, x, y, text: None, error: None }
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
