//! Figures of a sweep: throughput and below it p99 over the factor with the most levels, scaling,
//! and a map of two factors.
//!
//! Levels that are names are bars and have no knee. A map of a factor with two levels is left out:
//! the lines say the same. Where all trials carry the same, a sentence stands instead of figures.

use iopath_analysis::sweep::{Point, Sweep, SweepLine};
use iopath_analysis::thresholds::trials::KNEE_SHARE;

use super::{is_instant, name, response};
use crate::document::{Axis, Block, Chart, Column, Figure, Mark, Trace};
use crate::numbers::rate;
use crate::sections::{Shown, flat};

/// Levels up to which each has a label of its own: chosen.
const LABELS: usize = 16;

/// Levels of a factor from which on a map says more than a line for each: chosen.
const MAPPED: usize = 3;

const NAMED: &str = "Each colour is one combination of the other factors, each bar a trial; thin \
    lines are the 95 % interval where passes were repeated.";

/// How a family of lines is read.
fn guide() -> String {
    format!(
        "Each line is one combination of the other factors, each dot a trial; bars are the 95 % \
        interval of repeated passes. A line that turns flat has reached a limit: from its knee on \
        it carries at least {:.0} % of its maximum, and more of the factor only adds latency. The \
        knee of the line with the best trial is marked and recommended; all are in the table. \
        Lines that cross mean that the best level of one factor depends on the other.",
        100.0 * KNEE_SHARE
    )
}

const RESPONSE: &str = "The time that 99 % of the requests do not exceed, over the same levels: \
    from the intended start in an open loop, else from issue. Behind the knee it rises while \
    throughput does not. The vertical axis is logarithmic where values are far apart.";

const EFFICIENCY: &str = "Throughput of each one (stream, request in flight), relative to the \
    lowest level: 100 % is perfect scaling. A fall means that something is shared; the verdict \
    says what.";

const MAP: &str = "Throughput of each combination of two factors; brighter is more, the number \
    shows when hovering. White cells were not tried.";

/// A sweep whose figures are made.
pub(super) struct Figures<'a> {
    pub sweep: &'a Sweep,
    /// Position of the factor along which lines are drawn.
    pub axis: usize,
    pub lines: &'a [SweepLine],
    /// What the anchors of its figures begin with.
    pub id: String,
    pub shown: &'a Shown<'a>,
}

/// A value of a point, with half the width of its interval, and what columns call them.
struct Measured {
    value: fn(&Point) -> Option<f64>,
    half: fn(&Point) -> Option<f64>,
    column: &'static str,
    half_column: &'static str,
}

const RATE: Measured = Measured {
    value: |point| Some(point.throughput_bytes_per_sec),
    half: |point| point.half_width_bytes_per_sec,
    column: "throughput_bytes_per_sec",
    half_column: "half_width_bytes_per_sec",
};

const P99: Measured = Measured {
    value: |point| point.response_ns_p99.map(|ns| ns as f64),
    half: |_| None,
    column: "p99_ns",
    half_column: "p99_half_width_ns",
};

/// Columns and traces of a family of lines.
struct Family {
    columns: Vec<Column>,
    /// Which of the columns the axis must fit.
    values: Vec<Column>,
    traces: Vec<Trace>,
}

impl Figures<'_> {
    pub(super) fn all(&self) -> Vec<Block> {
        let Self { sweep, shown, .. } = *self;
        let said = |what: &str, level: String| {
            Block::Text(format!("{}: every trial has {what} {level}.", sweep.experiment))
        };
        let rates = sweep.points.iter().map(|point| point.throughput_bytes_per_sec);
        let throughput = flat::same(rates.map(|known| Some(rate(known, shown.system))));
        let p99 = flat::same(sweep.points.iter().map(|point| response(point, shown)));
        let has_lines = !self.lines.is_empty();
        let drawn = |is_wanted: bool, figure: Option<Figure>| {
            figure.filter(|_| is_wanted).map(Block::Figure)
        };
        let is_flat = throughput.is_some();
        let all = [
            throughput.map(|level| said("a throughput of", level)),
            drawn(has_lines && !is_flat, Some(self.throughput())),
            drawn(has_lines && p99.is_none(), self.response()),
            p99.map(|level| said("a p99 of", level)),
            drawn(has_lines && !is_flat, self.efficiency()),
            drawn(!is_flat, self.map()),
        ];
        all.into_iter().flatten().collect()
    }

    /// Throughput and p99 of several runs, which are one of the factors, without marks.
    pub(super) fn of_runs(&self) -> Vec<Figure> {
        let mut figures: Vec<Figure> =
            [Some(self.throughput()), self.response()].into_iter().flatten().collect();
        let is_mark = |trace: &Trace| trace.mark == Mark::Dots;
        figures.iter_mut().for_each(|figure| figure.chart.traces.retain(|one| !is_mark(one)));
        figures
    }

    /// What the factor is called along which lines are drawn.
    fn along(&self) -> &str {
        &self.sweep.factors[self.axis].name
    }

    fn throughput(&self) -> Figure {
        let family = self.family(&RATE, |_| true);
        let y = Axis::bytes_per_sec("throughput", &family.values, self.shown.system);
        let guide = if self.is_named() { NAMED.to_owned() } else { guide() };
        let (columns, chart) = self.drawn(family, y);
        Figure {
            id: self.id.clone(),
            title: format!("{} over {}", self.sweep.experiment, self.along()),
            guide,
            columns,
            chart,
        }
    }

    /// The p99 of each point, where requests take time.
    fn response(&self) -> Option<Figure> {
        let takes_time = |point: &Point| !is_instant(point, self.shown);
        let family = self.family(&P99, takes_time);
        let is_known = family.values.iter().any(|column| column.positive().next().is_some());
        let y = Axis::ns("p99", &family.values).in_factors(&family.values);
        // Bars begin at 0, which no logarithm has.
        let y = if self.is_named() { Axis::ns("p99", &family.values) } else { y };
        let (columns, chart) = self.drawn(family, y);
        is_known.then(|| Figure {
            id: format!("{}-p99", self.id),
            title: format!("p99 of {} over {}", self.sweep.experiment, self.along()),
            guide: RESPONSE.to_owned(),
            columns,
            chart,
        })
    }

    fn drawn(&self, family: Family, y: Axis) -> (Vec<Column>, Chart) {
        let (_, x) = self.levels();
        // Names of levels are long: they stand one below the other.
        let (x, y) = if self.is_named() { (y, x) } else { (x, y) };
        (family.columns, Chart { x, y, traces: family.traces, shades: Vec::new() })
    }

    fn family(&self, of: &Measured, is_told: impl Fn(&Point) -> bool) -> Family {
        let mut family =
            Family { columns: vec![self.levels().0], values: Vec::new(), traces: Vec::new() };
        for line in self.lines {
            let name = name(self.sweep, line, self.axis);
            let point = |at: usize| &self.sweep.points[line.points[at]];
            let values =
                self.by_level(line, |at| (of.value)(point(at)).filter(|_| is_told(point(at))));
            let half = self.by_level(line, |at| (of.half)(point(at)));
            let at = family.columns.len();
            let has_half = half.iter().any(Option::is_some);
            family.columns.push(Column::maybe(format!("{name}_{}", of.column), values));
            family.values.push(family.columns[at].clone());
            let error = has_half.then_some(at + 1);
            family.columns.extend(
                has_half.then(|| Column::maybe(format!("{name}_{}", of.half_column), half)),
            );
            let trace = match self.is_named() {
                true => Trace::plain(&name, Mark::Bars, at, 0),
                false => Trace::plain(&name, Mark::LineDots, 0, at),
            };
            family.traces.push(Trace { error, ..trace });
        }
        if !self.is_named() {
            self.mark_points(of, is_told, &mut family);
        }
        family
    }

    /// Rings around the best trial and the knee of its line.
    fn mark_points(&self, of: &Measured, is_told: impl Fn(&Point) -> bool, family: &mut Family) {
        let best = self.sweep.best;
        let line = self.lines.iter().find(|line| line.points.contains(&best));
        let knee = line.and_then(|line| Some(line.points[line.knee?]));
        let axis = self.axis;
        let level = |at: usize| {
            let factor = &self.sweep.factors[axis];
            format!("{}={}", factor.name, factor.levels[self.sweep.points[at].levels[axis]])
        };
        for (what, title, at) in [("best", "best", Some(best)), ("knee", "knee, recommended", knee)]
        {
            let Some(at) = at.filter(|at| is_told(&self.sweep.points[*at])) else { continue };
            let point = &self.sweep.points[at];
            let mut values = vec![None; self.sweep.factors[axis].levels.len()];
            values[point.levels[axis]] = (of.value)(point);
            let name = format!("{title}: {}", level(at));
            family.traces.push(Trace::plain(&name, Mark::Dots, 0, family.columns.len()));
            family.columns.push(Column::maybe(format!("{what}_{}", of.column), values));
        }
    }

    /// The column of the levels along which lines are drawn, and the axis that it needs.
    fn levels(&self) -> (Column, Axis) {
        let of = &self.sweep.factors[self.axis];
        let axis = Axis::plain(&of.name, "");
        match &of.values {
            // Levels with units are names in their order, which the axis shows as written.
            Some(values) if of.levels.iter().all(|level| level.parse::<f64>().is_ok()) => {
                let spread = values.last().zip(values.first());
                let is_wide =
                    spread.is_some_and(|(most, least)| *least > 0.0 && most / least >= 16.0);
                let axis = if is_wide { axis.logarithmic() } else { axis.relative() };
                // Only what was tried has a label.
                let ticks = values.iter().copied().zip(of.levels.iter().cloned());
                let ticks = if values.len() <= LABELS { ticks.collect() } else { Vec::new() };
                let column = Column::numbers(format!("{}_level", of.name), values.clone());
                (column, axis.labelled(ticks))
            }
            _ => (Column::texts(of.name.clone(), of.levels.clone()), axis),
        }
    }

    /// Whether the levels along which lines are drawn are names and no numbers.
    fn is_named(&self) -> bool {
        self.sweep.factors[self.axis].values.is_none()
    }

    /// A value of each point of a line, by level; none at levels that were not tried.
    fn by_level(&self, line: &SweepLine, value: impl Fn(usize) -> Option<f64>) -> Vec<Option<f64>> {
        let axis = self.axis;
        let mut all = vec![None; self.sweep.factors[axis].levels.len()];
        for (position, at) in line.points.iter().enumerate() {
            all[self.sweep.points[*at].levels[axis]] = value(position);
        }
        all
    }

    /// Scaling along a factor that counts things.
    fn efficiency(&self) -> Option<Figure> {
        let Self { sweep, lines, axis, .. } = *self;
        let (level, x) = self.levels();
        let (mut columns, mut traces) = (vec![level], Vec::new());
        for line in lines {
            let Some(efficiency) = &line.efficiency else { continue };
            let name = name(sweep, line, axis);
            traces.push(Trace::plain(&name, Mark::LineDots, 0, columns.len()));
            let shares = self.by_level(line, |at| Some(efficiency[at]));
            columns.push(Column::maybe(format!("{name}_efficiency_share"), shares));
        }
        let y = Axis::percent("efficiency");
        (!traces.is_empty()).then(|| Figure {
            id: format!("{}-efficiency", self.id),
            title: format!("Scaling of {} over {}", sweep.experiment, sweep.factors[axis].name),
            guide: EFFICIENCY.to_owned(),
            columns,
            chart: Chart { x, y, traces, shades: Vec::new() },
        })
    }

    /// Two factors as a map; of more, the two with the most levels where the others have the
    /// best's.
    fn map(&self) -> Option<Figure> {
        let Self { sweep, axis, .. } = *self;
        let others = (0..sweep.factors.len()).filter(|at| *at != axis);
        let levels = |at: &usize| sweep.factors[*at].levels.len();
        let across = others.max_by_key(levels).filter(|at| levels(at) >= MAPPED)?;
        let best = &sweep.points[sweep.best];
        let is_shown = |point: &&Point| {
            let mut rest = (0..sweep.factors.len()).filter(|at| *at != axis && *at != across);
            rest.all(|at| point.levels[at] == best.levels[at])
        };
        let mut points: Vec<&Point> = sweep.points.iter().filter(is_shown).collect();
        // Names stand in the order in which they first come.
        points.sort_by_key(|point| (point.levels[across], point.levels[axis]));
        let level = |factor: usize| {
            let of = &sweep.factors[factor];
            let names = points.iter().map(|point| of.levels[point.levels[factor]].clone());
            Column::texts(of.name.clone(), names.collect())
        };
        let rates = points.iter().map(|point| point.throughput_bytes_per_sec).collect();
        let columns =
            vec![level(axis), level(across), Column::numbers("throughput_bytes_per_sec", rates)];
        let [x, y] = [axis, across].map(|factor| Axis::plain(&sweep.factors[factor].name, ""));
        let trace = Trace::plain("throughput", Mark::Map { z: 2, system: self.shown.system }, 0, 1);
        Some(Figure {
            id: format!("{}-map", self.id),
            title: format!("{} over {} and {}", sweep.experiment, x.title, y.title),
            guide: MAP.to_owned(),
            columns,
            chart: Chart { x, y, traces: vec![trace], shades: Vec::new() },
        })
    }
}
