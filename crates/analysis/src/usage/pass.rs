//! One pass seen as the spans and sums that every finding starts from.
//!
//! ```text
//! go       warm-up ends                                        last done
//! |--warm-up--|==ramp==|=======window=======|==tail==|==drain==|
//!             |------------------ measured -------------------|
//! ```
//!
//! Streams that run one after the other (`after=`) have windows that do not overlap. Each of these
//! is an **epoch**, with edges of its own: a rate is over the time of its epochs, not over what
//! lies between them.

use std::collections::BTreeMap;
use std::rc::Rc;

use iopath_record::{
    Counter, Entity, EntityId, Fact, Histogram, Latency, Phase, PhaseTotals, Record, StreamTotals,
    Technique,
};
use iopath_units::{Action, Op};

use crate::usage::counters::{Counters, Span, Spans};
use crate::usage::loaded;

/// A record, its counters and its spans.
pub(crate) struct Pass<'a> {
    pub record: &'a Record,
    pub counters: Rc<Counters>,
    /// Those whose figures count: all, or those of one epoch.
    pub streams: Vec<&'a StreamTotals>,
    /// End of warm-up to last done, in each epoch.
    pub measured: Spans,
    /// When every stream of an epoch was active; none where that never was.
    pub window: Option<Spans>,
    /// When each epoch ran: its window, all of its time where it has none.
    epochs: Spans,
    by_name: Rc<BTreeMap<(&'a str, &'a str), EntityId>>,
}

/// Which phases a sum takes in.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Part {
    /// Everything since go.
    Whole,
    /// All but the warm-up.
    Counted,
    /// The de-skewed part.
    Window,
}

impl Part {
    fn takes(self, phase: Phase) -> bool {
        match self {
            Self::Whole => true,
            Self::Counted => phase.is_counted(),
            Self::Window => phase == Phase::Window,
        }
    }
}

impl<'a> Pass<'a> {
    pub(crate) fn of(record: &'a Record) -> Self {
        let window = Some(windows(record)).filter(|window| window.length_ns() > 0);
        let entities = (0u32..).map(EntityId).zip(&record.entities);
        let mut by_name = BTreeMap::new();
        for (id, entity) in entities {
            by_name.entry((entity.name.as_str(), entity.kind.as_str())).or_insert(id);
        }
        let counters = Rc::new(Counters::of(record));
        let empty = Spans::from(Span { from_ns: 0, to_ns: 0 });
        let streams: Vec<&StreamTotals> = record.streams.iter().collect();
        let epochs = Spans::covering(streams.iter().filter_map(|one| ran(one)).collect());
        let by_name = Rc::new(by_name);
        let mut pass = Self { record, counters, streams, measured: empty, window, epochs, by_name };
        let each = pass.epochs().iter().map(|streams| measured(streams)).collect();
        pass.measured = match record.streams.is_empty() {
            true => Spans::from(loaded::loaded(record, &pass.counters)),
            false => Spans::covering(each),
        };
        pass
    }

    /// The streams of each epoch. Those that never ran are with the first.
    pub(crate) fn epochs(&self) -> Vec<Vec<&'a StreamTotals>> {
        let mut epochs = vec![Vec::new(); self.epochs.iter().count().max(1)];
        for stream in &self.streams {
            let began = ran(stream).map_or(0, |span| span.from_ns);
            let epoch = self.epochs.iter().position(|epoch| began < epoch.to_ns);
            epochs[epoch.unwrap_or(0)].push(*stream);
        }
        epochs
    }

    /// Of the time of all epochs, the share of each stream's own.
    pub(crate) fn time_shares(&self) -> Vec<f64> {
        let epochs = self.epochs();
        let length = |streams: &[&StreamTotals]| measured(streams).length_ns() as f64;
        let all: f64 = epochs.iter().map(|streams| length(streams)).sum();
        let mut shares = BTreeMap::new();
        for streams in &epochs {
            let share = if epochs.len() == 1 { 1.0 } else { length(streams) / all.max(1.0) };
            shares.extend(streams.iter().map(|stream| (stream.entity, share)));
        }
        self.streams.iter().map(|stream| shares[&stream.entity]).collect()
    }

    /// Length of the measured part of the epochs in which some stream does this.
    pub(crate) fn time_of(&self, action: Action) -> u64 {
        let epochs = self.epochs();
        if epochs.len() == 1 {
            return self.measured.length_ns();
        }
        let does = |streams: &&Vec<&StreamTotals>| streams.iter().any(|one| one.action == action);
        epochs.iter().filter(does).map(|streams| measured(streams).length_ns()).sum()
    }

    /// The same pass as if only the streams of an epoch had run.
    pub(crate) fn of_epoch(&self, epoch: usize) -> Option<Self> {
        let streams = self.epochs().into_iter().nth(epoch)?;
        let windows = streams.iter().filter_map(|stream| own_window(stream));
        let window = Spans::covering(windows.collect());
        Some(Self {
            record: self.record,
            counters: Rc::clone(&self.counters),
            measured: Spans::from(measured(&streams)),
            window: Some(window).filter(|window| window.length_ns() > 0),
            epochs: Spans::covering(streams.iter().filter_map(|one| ran(one)).collect()),
            streams,
            by_name: Rc::clone(&self.by_name),
        })
    }

    /// The window of a stream's epoch; none where no stream has one.
    pub(crate) fn window_of(&self, stream: &StreamTotals) -> Option<Span> {
        let own = own_window(stream);
        let mut windows = self.window.as_ref()?.iter();
        windows.find(|window| own.is_none_or(|own| own.from_ns < window.to_ns))
    }

    /// The windows, in which every stream was active; else all that was measured.
    pub(crate) fn best(&self) -> &Spans {
        self.window.as_ref().unwrap_or(&self.measured)
    }

    /// The same entity in this pass: by name and kind, as a target may be called like anything.
    pub(crate) fn find(&self, wanted: &Entity) -> Option<EntityId> {
        self.by_name.get(&(wanted.name.as_str(), wanted.kind.as_str())).copied()
    }

    /// The phases of all streams within `part`.
    pub(crate) fn phases(&self, part: Part) -> impl Iterator<Item = &'a PhaseTotals> + Clone {
        self.streams.iter().flat_map(move |stream| phases(stream, part))
    }

    /// Bytes, both ways.
    pub(crate) fn bytes(&self, part: Part) -> u64 {
        self.phases(part).map(bytes).sum()
    }

    /// Requests by their share of time in each phase, as a number.
    pub(crate) fn operations(&self, part: Part) -> f64 {
        self.phases(part).map(|phase| phase.operations_ppm as f64 / 1e6).sum()
    }

    /// All latencies of one kind: of reads, of writes, or of whatever streams do.
    pub(crate) fn latency(&self, part: Part, what: Latency, op: Option<Op>) -> Histogram {
        self.kept(part, what, |action, of| {
            op.is_none_or(|op| op == of && action == Action::Transfer)
        })
    }

    /// All latencies of one kind of streams that do this.
    pub(crate) fn acted(&self, part: Part, what: Latency, action: Action) -> Histogram {
        self.kept(part, what, |of, _| of == action)
    }

    fn kept(&self, part: Part, what: Latency, wanted: impl Fn(Action, Op) -> bool) -> Histogram {
        let mut all = Histogram::default();
        for stream in &self.streams {
            let kept = phases(stream, part).flat_map(|phase| &phase.latency);
            kept.filter(|kept| kept.what == what && wanted(stream.action, kept.op))
                .for_each(|kept| all.merge(&kept.histogram));
        }
        all
    }

    pub(crate) fn name(&self, stream: &StreamTotals) -> &'a str {
        let entity = self.record.entities.get(stream.entity.0 as usize);
        entity.map_or("stream", |entity| &entity.name)
    }

    /// The engine's name; what it reached may follow in brackets.
    pub(crate) fn engine(&self) -> &'a str {
        let words = self.fact(Fact::EngineUsed).and_then(|text| text.split_whitespace().next());
        words.unwrap_or_default()
    }

    /// How many threads a simulated stream has, where it has more than one.
    pub(crate) fn simulated_threads(&self, stream: &StreamTotals) -> Option<f64> {
        let group = iopath_study::unindexed(self.name(stream));
        self.fact(Fact::Threads(&group))?.parse().ok()
    }

    pub(crate) fn fact(&self, fact: Fact<'_>) -> Option<&'a str> {
        fact.of(&self.record.environment)
    }
}

/// Whether a pass lasted as long as it was meant to: a part of one is no repetition.
#[must_use]
pub fn is_full(record: &Record) -> bool {
    let early = ["interrupted", "pass-failed"];
    !record.warnings.iter().any(|warning| early.contains(&warning.kind.as_str()))
}

/// Half the width of the 95 % interval of the throughput, as a share of it, where a single pass
/// tells it.
pub(crate) fn half_width(record: &Record) -> Option<f64> {
    match record.technique {
        Technique::Simulation { .. } => {
            let told = Fact::HalfWidth.of(&record.environment)?.parse::<f64>();
            told.ok().filter(|half| half.is_finite())
        }
        Technique::Analytic | Technique::Measurement { .. } | Technique::Observation => None,
    }
}

/// The same of the mean of several passes, each with its own.
pub(crate) fn pooled(passes: &[&Record]) -> Option<f64> {
    let each: Vec<f64> = passes.iter().map(|pass| half_width(pass)).collect::<Option<_>>()?;
    let squares: f64 = each.iter().map(|half| half * half).sum();
    (!each.is_empty()).then(|| squares.sqrt() / each.len() as f64)
}

/// Growth over the measured parts of all passes.
pub(crate) fn grown(passes: &[Pass<'_>], wanted: &Entity, counter: Counter) -> Option<f64> {
    let grown = passes.iter().filter_map(|pass| {
        let id = pass.find(wanted)?;
        pass.counters.over(id, counter, &pass.measured)
    });
    grown.reduce(|left, right| left + right)
}

/// The phases of one stream within `part`.
pub(crate) fn phases(
    stream: &StreamTotals,
    part: Part,
) -> impl Iterator<Item = &PhaseTotals> + Clone {
    stream.phases.iter().filter(move |totals| part.takes(totals.phase))
}

pub(crate) fn bytes(phase: &PhaseTotals) -> u64 {
    phase.read_bytes + phase.write_bytes
}

/// From the end of the warm-up, or go where there was none, to the last completion.
fn measured(streams: &[&StreamTotals]) -> Span {
    let all = || streams.iter().flat_map(|stream| &stream.phases);
    let warm = all().filter(|totals| totals.phase == Phase::WarmUp).map(|t| t.to_ns).max();
    let begun = all().filter(|totals| totals.phase.is_counted()).map(|t| t.from_ns).min();
    let from_ns = warm.or(begun).unwrap_or_default();
    let last = streams.iter().map(|stream| stream.last_done_ns).max();
    Span { from_ns, to_ns: last.unwrap_or_default().max(from_ns) }
}

/// The windows of all epochs.
fn windows(record: &Record) -> Spans {
    Spans::covering(record.streams.iter().filter_map(own_window).collect())
}

/// When a stream ran: its window, all of its time where it has none.
fn ran(stream: &StreamTotals) -> Option<Span> {
    let all = || {
        let from_ns = stream.phases.iter().map(|totals| totals.from_ns).min()?;
        let to_ns = stream.phases.iter().map(|totals| totals.to_ns).max()?;
        Some(Span { from_ns, to_ns }).filter(|span| span.length_ns() > 0)
    };
    own_window(stream).or_else(all)
}

pub(crate) fn own_window(stream: &StreamTotals) -> Option<Span> {
    let open = || stream.phases.iter().filter(|totals| totals.phase == Phase::Window);
    let from_ns = open().map(|totals| totals.from_ns).min()?;
    let span = Span { from_ns, to_ns: open().map(|totals| totals.to_ns).max()? };
    (span.length_ns() > 0).then_some(span)
}
