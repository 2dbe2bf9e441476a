//! Lines over time, of whatever is counted: few are drawn each in its own way; of many all are
//! faint and the slowest and the fastest are named; of very many their spread is drawn with these
//! two.

mod measure;
mod spread;

use iopath_analysis::{PhaseSpan, Timeline, TimelineSeries};
use iopath_record::Phase;

pub(super) use measure::Measure;

use crate::document::{Axis, Chart, Column, Figure, Mark, Shade, Trace};

/// Lines up to which each has its own look: chosen, as many as a legend bears.
const FEW: usize = 12;

/// The same for lines that are each something else: chosen, no path has more layers.
const KINDS: usize = 24;

/// Lines up to which each is drawn: chosen, as many as an eye can follow one of. More of them would
/// be a grey area, and a page too large to mail.
const MANY: usize = 64;

/// Lines up to which their sum is drawn with them: of more it would press them flat.
const BESIDE_SUM: usize = 4;

/// Intervals of a chart: chosen, about one for every other pixel.
pub(super) const INTERVALS: usize = 600;

/// The same where there are many lines: chosen, so that 64 of them take 150 kB.
pub(super) const INTERVALS_OF_MANY: usize = 300;

/// What a figure of lines is called, and what it is of.
pub(super) struct Titled {
    pub id: String,
    pub title: String,
    pub guide: String,
    pub measure: Measure,
}

/// A line over time.
pub(super) struct Line {
    pub name: String,
    /// In every interval; none where it is not known.
    pub values: Vec<Option<f64>>,
}

impl From<TimelineSeries> for Line {
    fn from(line: TimelineSeries) -> Self {
        Self { name: line.name, values: line.bytes_per_sec }
    }
}

/// What is drawn besides the lines.
#[derive(Clone, Copy, PartialEq, Eq)]
pub(super) enum Besides<'a> {
    Nothing,
    /// Nothing, and each line is a thing of another kind: all keep their names.
    Kinds,
    /// The sum of all lines; the slowest and the fastest as the findings name them.
    Sum {
        ends: Option<[&'a str; 2]>,
    },
}

/// The timeline of a record with as many intervals as so many lines bear.
pub(super) fn timeline(record: &iopath_record::Record, lines: usize) -> Timeline<'_> {
    Timeline::of(record).under_load().in_at_most(if lines > FEW {
        INTERVALS_OF_MANY
    } else {
        INTERVALS
    })
}

/// Requests of each stream in an interval, on average, at least: chosen. A request counts where it
/// ends, so that of fewer a rate is more about when they end than about how fast they are.
const REQUESTS: u64 = 4;

/// The same for lines of streams: intervals are as long as so many requests of each take.
pub(super) fn timeline_of_streams(record: &iopath_record::Record) -> Timeline<'_> {
    let streams = record.streams.len().max(1);
    let phases = record.streams.iter().flat_map(|stream| &stream.phases);
    let requests: u64 = phases.map(|phase| phase.completed).sum();
    let each = requests / (streams as u64 * REQUESTS);
    timeline(record, streams).in_at_most(usize::try_from(each).unwrap_or(usize::MAX))
}

/// What is said of a drain that a timeline leaves out.
pub(super) fn without_drain(timeline: &Timeline<'_>, system: iopath_units::System) -> String {
    match timeline.left_out_ns() {
        0 => String::new(),
        ns => format!(
            " The drain of {} after it is left out: nothing more was asked for.",
            crate::numbers::time(ns as f64, system)
        ),
    }
}

/// The axis of all figures over time of a pass: warm-up and window, by the clock where counters
/// were only watched.
pub(super) fn time_axis(timeline: &Timeline<'_>) -> Axis {
    let range = timeline.span_s();
    let clock = timeline.watched_since_unix_ns().zip(range);
    let axis = clock.map(|(since_ns, range)| Axis::clock(since_ns, range));
    axis.unwrap_or_else(|| Axis::seconds("time since go")).spanning(range)
}

/// A figure over time; none where there is nothing to draw.
pub(super) fn figure(
    timeline: &Timeline<'_>,
    (titled, lines): (Titled, Vec<Line>),
    besides: Besides<'_>,
    system: iopath_units::System,
) -> Option<Figure> {
    let moved = |line: &Line| line.values.iter().flatten().any(|rate| *rate > 0.0);
    let seconds = timeline.seconds();
    if seconds.len() < 2 || !lines.iter().any(moved) {
        return None;
    }
    let (sum, named) = match besides {
        Besides::Sum { ends } => ((lines.len() > 1).then(|| sum(&lines)), ends),
        Besides::Nothing | Besides::Kinds => (None, None),
    };
    let few = if besides == Besides::Kinds { KINDS } else { FEW };
    let mut columns = vec![Column::numbers("time_s", seconds)];
    let first = columns.len();
    let drawn = Drawn { lines: &lines, few, measure: titled.measure, named };
    let mut traces = match lines.len() > MANY {
        true => spread::traces(&drawn, &mut columns),
        false => drawn.each(&mut columns),
    };
    let mark = if lines.len() <= BESIDE_SUM { Mark::Sum } else { Mark::HiddenSum };
    let of_lines = columns.len();
    if let Some(sum) = sum {
        let at = add(&mut columns, titled.measure.column_of("sum"), sum);
        traces.push(Trace::plain("sum", mark, 0, at));
    }
    // The unit fits what is drawn at first.
    let drawn = if mark == Mark::Sum { columns.len() } else { of_lines };
    let y = titled.measure.axis(&lines, &columns[first..drawn], system);
    let (x, shades) = (time_axis(timeline), shades(timeline));
    let Titled { id, title, mut guide, measure } = titled;
    guide.push_str(&without_drain(timeline, system));
    if lines.len() > MANY {
        guide.push_str(&spread::guide(lines.len(), measure));
    }
    Some(Figure { id, title, guide, columns, chart: Chart { x, y, traces, shades } })
}

/// Lines that are drawn.
struct Drawn<'a> {
    lines: &'a [Line],
    /// So many have each its own look.
    few: usize,
    measure: Measure,
    /// The slowest and the fastest, where findings name them.
    named: Option<[&'a str; 2]>,
}

impl Drawn<'_> {
    /// Every line; of more than a few all are faint, and the slowest and the fastest are drawn
    /// again.
    fn each(&self, columns: &mut Vec<Column>) -> Vec<Trace> {
        let Self { lines, few, .. } = self;
        let first = columns.len();
        let mark = if lines.len() > *few { Mark::Thin } else { Mark::Line };
        let mut traces = Vec::new();
        for line in *lines {
            let at = add(columns, self.measure.column_of(&line.name), line.values.clone());
            traces.push(Trace::plain(&line.name, mark, 0, at));
        }
        if lines.len() > *few {
            let ends = self.ends();
            traces.extend(ends.iter().map(|end| end.trace(&lines[end.at], first + end.at)));
        }
        traces
    }

    /// The slowest and the fastest line, as named or by their mean.
    fn ends(&self) -> Vec<End> {
        let lines = self.lines;
        let mean = |line: &Line| {
            let known: Vec<f64> = line.values.iter().flatten().copied().collect();
            known.iter().sum::<f64>() / known.len().max(1) as f64
        };
        let means: Vec<f64> = lines.iter().map(mean).collect();
        let by_mean = |a: &usize, b: &usize| means[*a].total_cmp(&means[*b]);
        let found = |name: &str| lines.iter().position(|line| line.name == name);
        let of_name = |at: usize| self.named.and_then(|names| found(names[at]));
        let slowest = of_name(0).or_else(|| (0..lines.len()).min_by(by_mean));
        let fastest = of_name(1).or_else(|| (0..lines.len()).max_by(by_mean));
        let [least, most] = self.measure.ends();
        let slowest = slowest.map(|at| End { what: least, mark: Mark::Line, at });
        let fastest = fastest.map(|at| End { what: most, mark: Mark::Dashes, at });
        slowest.into_iter().chain(fastest).collect()
    }
}

/// A column of what is drawn; its position.
fn add(columns: &mut Vec<Column>, name: String, values: Vec<Option<f64>>) -> usize {
    let name = unique(columns, name);
    columns.push(Column::maybe(name, values));
    columns.len() - 1
}

/// The slowest or the fastest of many lines.
struct End {
    what: &'static str,
    mark: Mark,
    /// Which line.
    at: usize,
}

impl End {
    fn trace(&self, line: &Line, column: usize) -> Trace {
        Trace::plain(&format!("{}: {}", self.what, line.name), self.mark, 0, column)
    }
}

/// The sum of the lines that are there in each interval; none where none is.
pub(super) fn sum(lines: &[Line]) -> Vec<Option<f64>> {
    let count = lines.first().map_or(0, |line| line.values.len());
    let at = |at: usize| {
        let known = lines.iter().filter_map(|line| *line.values.get(at)?);
        known.reduce(|sum, rate| sum + rate)
    };
    (0..count).map(at).collect()
}

/// A column's name that no other has: a stream and a device may be called the same.
pub(super) fn unique(columns: &[Column], name: String) -> String {
    let is_free = |name: &String| columns.iter().all(|column| column.name != *name);
    let numbered = |number: usize| format!("{number}_{name}");
    if is_free(&name) {
        return name;
    }
    (2..).map(numbered).find(is_free).unwrap_or(name)
}

/// The phases of a pass, as spans of seconds; the window in parts where something fails in it, each
/// named by what happened as it began.
pub(super) fn shades(timeline: &Timeline<'_>) -> Vec<Shade> {
    let name = |phase| match phase {
        Phase::WarmUp => "warm-up",
        Phase::Ramp => "ramp",
        Phase::Window => "window",
        Phase::Tail => "tail",
        Phase::Drain => "drain",
    };
    let of_phase = |span: PhaseSpan| {
        let within = |at: u64| span.phase == Phase::Window && at > span.from_ns && at < span.to_ns;
        let events = timeline.failures().filter(|event| within(event.at_ns));
        let begins = events.map(|event| (event.at_ns, event.what.as_str()));
        let begins: Vec<_> = [(span.from_ns, name(span.phase))].into_iter().chain(begins).collect();
        let ends = begins.iter().skip(1).map(|(at_ns, _)| *at_ns).chain([span.to_ns]);
        let shade = |((from_ns, name), to_ns): (&(u64, &str), u64)| Shade {
            name: (*name).to_owned(),
            from: *from_ns as f64 / 1e9,
            to: to_ns as f64 / 1e9,
        };
        begins.iter().zip(ends).map(shade).collect::<Vec<_>>()
    };
    timeline.phases().into_iter().flat_map(of_phase).collect()
}
