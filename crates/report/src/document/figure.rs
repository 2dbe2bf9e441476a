//! Figures: columns of data, and the chart that is drawn of them.

use std::collections::BTreeSet;

use iopath_units::System;

/// A chart with its data, and how it is read.
#[derive(Clone, Debug, PartialEq)]
pub struct Figure {
    /// Its anchor, and the name of its CSV file: unique on the page.
    pub id: String,
    /// What it shows.
    pub title: String,
    /// How to read it: what the axes are, what is good, what a common misreading is.
    pub guide: String,
    /// All that is drawn and hovered, and the whole CSV.
    pub columns: Vec<Column>,
    /// How it is drawn.
    pub chart: Chart,
}

/// A column of the data.
#[derive(Clone, Debug, PartialEq)]
pub struct Column {
    /// Its name with its unit last, as in JSON: `throughput_bytes_per_sec`.
    pub name: String,
    pub values: Values,
}

/// Values of a column.
#[derive(Clone, Debug, PartialEq)]
pub enum Values {
    /// Numbers; none where nothing is known, which a chart shows as a gap.
    Numbers(Vec<Option<f64>>),
    /// Names.
    Texts(Vec<String>),
}

/// What is drawn.
#[derive(Clone, Debug, PartialEq)]
pub struct Chart {
    /// The horizontal axis.
    pub x: Axis,
    /// The vertical axis.
    pub y: Axis,
    /// Lines, dots, bars, or one heat map.
    pub traces: Vec<Trace>,
    /// Spans of the horizontal axis that mean something, such as the warm-up.
    pub shades: Vec<Shade>,
}

/// An axis.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Axis {
    /// What it measures, without its unit.
    pub title: String,
    /// The unit that its figures are shown in, with its base in the name: `GB/s` is 10^9, `GiB/s`
    /// 2^30. Empty for names and bare numbers.
    pub unit: String,
    /// How much of the column's unit one of these is.
    pub per: f64,
    /// Whether equal steps are equal factors.
    pub is_logarithmic: bool,
    /// Places with their labels, in units of the column; empty where numbers do.
    pub ticks: Vec<(f64, String)>,
    /// Whether differences matter and not the whole, so that 0 need not be there.
    pub is_relative: bool,
    /// From where to where it goes, in units of the column; none where its values say so.
    pub range: Option<(f64, f64)>,
}

/// One thing that is drawn; columns by position.
#[derive(Clone, Debug, PartialEq)]
pub struct Trace {
    /// Its name in the legend.
    pub name: String,
    /// How it looks.
    pub mark: Mark,
    /// The column along the horizontal axis.
    pub x: usize,
    /// The column along the vertical axis.
    pub y: usize,
    /// The column of names shown when hovering; none where the axes say all.
    pub text: Option<usize>,
    /// The column with half the width of the error bars.
    pub error: Option<usize>,
    /// The column with the part of them below the value, where both parts differ.
    pub error_below: Option<usize>,
}

/// How a trace looks.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Mark {
    /// A line through its points.
    Line,
    /// A dashed line, told from the others also where there is no colour.
    Dashes,
    /// A line of steps: a value holds until the next.
    Steps,
    /// A line with a dot at each point.
    LineDots,
    Dots,
    /// Bars beside those of other traces.
    Bars,
    /// One line of very many: faint, and not in the legend.
    Thin,
    /// A quantile of very many lines: with the area down to the one drawn before it.
    Quantile(Quantile),
    /// A line over all others: their sum or their mean.
    Sum,
    /// The same where it would press the others flat: drawn when it is chosen in the legend.
    HiddenSum,
    /// A dashed line without dots: an asymptote, a limit.
    Guide,
    /// Cells of a map: a column of counts besides the two axes, as colour in steps of factors.
    Heat {
        /// The column that is shown as colour, and as a number when hovering.
        z: usize,
        /// What is counted, with its plural.
        counts: &'static str,
    },
    /// Cells of a map: a column of bytes a second besides the two axes, as colour in equal steps.
    Map {
        /// The column that is shown as colour, and as a number when hovering.
        z: usize,
        /// The prefixes of its unit.
        system: System,
    },
}

/// Which part of many values is not greater.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub enum Quantile {
    /// The least of them.
    Least,
    /// A quarter.
    Lower,
    /// Half.
    Median,
    /// Three quarters.
    Upper,
    /// The most of them.
    Most,
}

/// A span of the horizontal axis, in units of its column.
#[derive(Clone, Debug, PartialEq)]
pub struct Shade {
    /// What it is: shown at its top.
    pub name: String,
    /// Where it begins.
    pub from: f64,
    /// Where it ends.
    pub to: f64,
}

impl Figure {
    /// How many names stand along the vertical axis; none where it has numbers.
    #[must_use]
    pub fn names_down(&self) -> Option<usize> {
        let trace = self.chart.traces.first()?;
        match &self.columns[trace.y].values {
            Values::Texts(names) => Some(names.iter().collect::<BTreeSet<_>>().len()),
            Values::Numbers(_) => None,
        }
    }
}

impl Column {
    /// A column of numbers that are all known.
    #[must_use]
    pub fn numbers(name: impl Into<String>, values: Vec<f64>) -> Self {
        let values = Values::Numbers(values.into_iter().map(Some).collect());
        Self { name: name.into(), values }
    }

    /// A column of numbers that may not be known.
    #[must_use]
    pub fn maybe(name: impl Into<String>, values: Vec<Option<f64>>) -> Self {
        Self { name: name.into(), values: Values::Numbers(values) }
    }

    /// A column of names.
    #[must_use]
    pub fn texts(name: impl Into<String>, values: Vec<String>) -> Self {
        Self { name: name.into(), values: Values::Texts(values) }
    }

    /// The numbers above 0.
    pub(crate) fn positive(&self) -> impl Iterator<Item = f64> + '_ {
        let values = match &self.values {
            Values::Numbers(values) => values.as_slice(),
            Values::Texts(_) => &[],
        };
        values.iter().flatten().copied().filter(|value| *value > 0.0 && value.is_finite())
    }

    /// The greatest number; none of names.
    #[must_use]
    pub fn greatest(&self) -> Option<f64> {
        let Values::Numbers(values) = &self.values else { return None };
        values.iter().flatten().copied().filter(|value| value.is_finite()).reduce(f64::max)
    }
}
