//! What one text says, before it is laid on an axis with others.

use std::collections::{BTreeMap, BTreeSet};

use iopath_record::{Counter, Kind, LatencyHistogram, Layer};
use jiff::civil::DateTime;

use crate::{Tool, Wrong};

/// What one text says.
#[derive(Clone, Debug)]
pub struct Imported {
    /// The file's name.
    pub file: String,
    /// Whose text it is.
    pub tool: Tool,
    /// When its axis begins.
    pub start: Start,
    /// Where intervals begin and end, in ns since its axis began: one more than intervals, or
    /// none at all.
    pub edges_ns: Vec<u64>,
    /// What has counters.
    pub things: Vec<Thing>,
    /// Loads; several courses follow one another as trials.
    pub courses: Vec<Course>,
    /// Facts, as `topic.fact`: value.
    pub facts: BTreeMap<String, String>,
    /// What a reader must know.
    pub notes: Vec<Note>,
    /// Positions of things by kind and name: a text names the same ones in each report.
    known: BTreeMap<Kind, BTreeMap<String, usize>>,
}

/// When the axis of a text begins.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Start {
    /// In ns since 1970.
    Unix(u64),
    /// In a zone that the text does not tell.
    Local(DateTime),
    /// The text tells no date.
    Unknown,
}

/// Something with counters.
#[derive(Clone, Debug, PartialEq)]
pub struct Thing {
    /// The tool's name for it.
    pub name: String,
    /// What it is.
    pub kind: Kind,
    /// Where on the path.
    pub layer: Layer,
    /// Position of what encloses it.
    pub parent: Option<usize>,
    /// How many equal things it stands for.
    pub count: u32,
    /// By how much each counter grew in each interval; none where that is not known.
    pub grown: BTreeMap<Counter, Vec<Option<f64>>>,
}

/// Loads that ran side by side.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Course {
    /// What tells it from the others of its text, by factor.
    pub levels: BTreeMap<String, String>,
    pub streams: Vec<Stream>,
}

/// Totals of one load. What is not known is 0, and said in the facts.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Stream {
    /// The tool's name for it.
    pub name: String,
    /// When it began, in ns since the axis began.
    pub from_ns: u64,
    /// When it ended.
    pub to_ns: u64,
    pub read_bytes: u64,
    /// Bytes written.
    pub write_bytes: u64,
    /// Requests completed, both ways; 0 with bytes where the text does not tell.
    pub completed: u64,
    /// Requests failed.
    pub failed: u64,
    /// Time requests were in flight, summed over requests.
    pub in_flight_ns: u64,
    /// Processor time in user mode.
    pub user_ns: u64,
    /// Processor time in the kernel.
    pub system_ns: u64,
    /// Requests that may be in flight; none where the text does not tell.
    pub depth: Option<u64>,
    /// Distributions that the text has whole.
    pub latency: Vec<LatencyHistogram>,
    /// Things of the same text that carry its traffic, by position.
    pub on: Vec<usize>,
}

/// Something that a reader of the figures must know.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Note {
    /// The line that it is about, from 1.
    pub line: Option<usize>,
    pub text: String,
}

impl Note {
    pub(crate) fn at(line: usize, text: impl Into<String>) -> Self {
        Self { line: Some(line), text: text.into() }
    }

    pub(crate) fn all(text: impl Into<String>) -> Self {
        Self { line: None, text: text.into() }
    }
}

impl Imported {
    pub(crate) fn new(file: &str, tool: Tool) -> Self {
        Self {
            file: file.to_owned(),
            tool,
            start: Start::Unknown,
            edges_ns: Vec::new(),
            things: Vec::new(),
            courses: Vec::new(),
            facts: BTreeMap::new(),
            notes: Vec::new(),
            known: BTreeMap::new(),
        }
    }

    /// The position of the thing with this name and kind, which is made where it is new.
    pub(crate) fn thing(&mut self, name: &str, kind: Kind, layer: Layer) -> usize {
        let known = self.known.entry(kind.clone()).or_default();
        if let Some(found) = known.get(name) {
            return *found;
        }
        let at = self.things.len();
        known.insert(name.to_owned(), at);
        let (name, parent) = (name.to_owned(), None);
        self.things.push(Thing { name, kind, layer, parent, count: 1, grown: BTreeMap::new() });
        at
    }

    pub(crate) fn fact(&mut self, name: impl Into<String>, value: impl Into<String>) {
        self.facts.insert(name.into(), value.into());
    }

    /// The edges on an axis that began so much earlier.
    pub(crate) fn edges_after(&self, begin: u64) -> impl Iterator<Item = u64> + '_ {
        self.edges_ns.iter().map(move |edge| edge.saturating_add(begin))
    }

    /// How long an interval lasted.
    pub(crate) fn seconds(&self, interval: usize) -> f64 {
        (self.edges_ns[interval + 1] - self.edges_ns[interval]) as f64 / 1e9
    }

    /// Time that so many processors together spent in a state.
    pub(crate) fn processors(
        &mut self,
        count: Option<u32>,
        counter: Counter,
        interval: usize,
        percent: f64,
    ) {
        let count = count.unwrap_or(1).max(1);
        let amount = percent / 100.0 * self.seconds(interval) * 1e9 * f64::from(count);
        let at = self.thing("cpu", Kind::Cpu, Layer::Processor);
        self.things[at].count = count;
        self.things[at].put(counter, interval, amount);
    }

    /// How many intervals there are.
    pub(crate) fn intervals(&self) -> usize {
        self.edges_ns.len().saturating_sub(1)
    }

    /// Fills up what later intervals did not name.
    pub(crate) fn level(&mut self) {
        let intervals = self.intervals();
        let columns = self.things.iter_mut().flat_map(|thing| thing.grown.values_mut());
        columns.for_each(|column| column.resize(intervals, None));
    }
}

/// Every thing has a place in every interval, so a text whose intervals each name things of their
/// own would need the square of its length. Chosen: one place in 64 is told, where there are many.
pub(crate) fn room<'a>(
    file: &str,
    intervals: usize,
    rows: impl Iterator<Item = &'a str>,
) -> Result<(), Wrong> {
    let (mut told, mut names) = (0, BTreeSet::new());
    for name in rows {
        told += 1;
        names.insert(name);
    }
    let places = names.len().saturating_mul(intervals);
    if places <= FEW_PLACES + 64 * told {
        return Ok(());
    }
    let what = format!(
        "{} names in {intervals} reports, few of which occur in more than one",
        names.len()
    );
    Err(Wrong::of(file, what, "look for damaged names, or import fewer reports"))
}

/// As many places as any text may have: a few megabytes (chosen).
const FEW_PLACES: usize = 1 << 18;

impl Thing {
    /// By how much a counter grew in an interval.
    pub(crate) fn put(&mut self, counter: Counter, interval: usize, amount: f64) {
        let column = self.grown.entry(counter).or_default();
        if column.len() <= interval {
            column.resize(interval + 1, None);
        }
        column[interval] = Some(column[interval].unwrap_or_default() + amount);
    }
}
