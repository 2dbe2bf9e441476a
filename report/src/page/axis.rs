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
}
