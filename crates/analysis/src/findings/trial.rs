//! The sums over the passes of a trial that several findings share.
//!
//! Passes are put together as Σ bytes / Σ time, and histograms are merged, so a long pass weighs
//! more than a short one. It leaves out what needs a judgement: limit, advice, warnings, audit.

use std::collections::BTreeMap;

use iopath_record::{BadBlocks, Histogram, Latency, StreamTotals, Technique};
use iopath_units::{Action, Op};

use super::{Headline, LatencyOf, LatencySummary, OpFindings, PassFindings, Skew, StreamFindings};
use crate::statistics::{Confidence, confidence, jain};
use crate::usage::counters::Spans;
use crate::usage::pass::{Part, Pass, bytes, is_full, phases, pooled};

/// A stream in one pass.
type OfPass<'p, 'a> = (&'p Pass<'a>, &'a StreamTotals);

/// The sums over passes that several findings share.
pub(crate) struct Trial<'p, 'a> {
    pub passes: &'p [Pass<'a>],
    pub duration_ns: u64,
    pub window_ns: u64,
    pub bytes: u64,
    pub requests: u64,
    pub operations: f64,
    pub latency: Histogram,
    pub latency_of: LatencyOf,
}

impl<'p, 'a> Trial<'p, 'a> {
    pub(crate) fn of(passes: &'p [Pass<'a>]) -> Self {
        let what = told(passes);
        let in_window = merged(passes, Part::Window, what, None);
        let latency_of = if in_window.count() > 0 { LatencyOf::Window } else { LatencyOf::Counted };
        let counted = || passes.iter().flat_map(|pass| pass.phases(Part::Counted));
        Self {
            passes,
            duration_ns: passes.iter().map(|pass| pass.measured.length_ns()).sum(),
            window_ns: passes.iter().filter_map(|p| p.window.as_ref()).map(Spans::length_ns).sum(),
            bytes: counted().map(bytes).sum(),
            requests: counted().map(|totals| totals.completed).sum(),
            operations: passes.iter().map(|pass| pass.operations(Part::Counted)).sum(),
            latency: merged(passes, part_of(latency_of), what, None),
            latency_of,
        }
    }

    /// The mean time of a request where no distribution was kept, as of most tools' texts: the time
    /// in flight of all over their number (Little's law).
    pub(crate) fn in_flight_mean_ns(&self) -> Option<f64> {
        let counted = self.passes.iter().flat_map(|pass| pass.phases(Part::Counted));
        let in_flight_ns: u64 = counted.map(|totals| totals.in_flight_ns).sum();
        let is_known = in_flight_ns > 0 && self.requests > 0;
        is_known.then(|| in_flight_ns as f64 / self.requests as f64)
    }

    /// What verification found in all passes together.
    pub(crate) fn bad_blocks(&self) -> BadBlocks {
        let mut all = BadBlocks::default();
        self.passes.iter().for_each(|pass| all.merge(pass.record.bad_blocks.clone()));
        all
    }

    /// Of the passes that did not end early: by their spread, of a single one by what it tells. Of
    /// bytes a second, or of requests where nothing moves any.
    pub(crate) fn confidence(&self) -> Option<Confidence> {
        let full: Vec<_> = self.passes.iter().filter(|pass| is_full(pass.record)).collect();
        let rate = |pass: &PassFindings| match self.bytes {
            0 => pass.operations_per_sec,
            _ => pass.throughput_bytes_per_sec,
        };
        let rates: Vec<f64> = full.iter().map(|pass| rate(&pass_findings(pass))).collect();
        let told = |rate: f64| {
            let half_width_percent = 100.0 * pooled(&[full.first()?.record])?;
            Some(Confidence { mean: rate, half_width_percent, passes: 1 })
        };
        match rates[..] {
            [rate] => told(rate).filter(|_| rate > 0.0),
            _ => confidence(&rates),
        }
    }

    /// Bytes and requests a second.
    pub(crate) fn headline(&self) -> Headline {
        let counted = [self.bytes as f64, self.operations];
        let [bytes, requests] = counted.map(|amount| per_second(amount, self.duration_ns));
        let window = self.deskewed_bytes().zip(self.deskewed(|pass| pass.operations(Part::Window)));
        chosen(&self.passes[0].record.technique, (bytes, requests), window)
    }

    /// All of the measured part.
    pub(crate) fn counted(&self, what: Latency) -> Histogram {
        merged(self.passes, Part::Counted, what, None)
    }

    /// Over the length of the measured part.
    pub(crate) fn per_second(&self, count: u64) -> f64 {
        per_second(count as f64, self.duration_ns)
    }

    /// Latencies of one kind of streams that do this.
    pub(crate) fn acted(&self, what: Latency, action: Action) -> Histogram {
        let mut all = Histogram::default();
        let part = part_of(self.latency_of);
        self.passes.iter().for_each(|pass| all.merge(&pass.acted(part, what, action)));
        all
    }

    pub(crate) fn merged(&self, what: Latency, op: Option<Op>) -> Histogram {
        merged(self.passes, part_of(self.latency_of), what, op)
    }

    pub(crate) fn deskewed_bytes(&self) -> Option<f64> {
        self.deskewed(|pass| pass.bytes(Part::Window) as f64)
    }

    /// Something of the windows over their length; none where all are empty.
    pub(crate) fn deskewed(&self, of: impl Fn(&Pass<'a>) -> f64) -> Option<f64> {
        let amount = self.passes.iter().filter(|pass| pass.window.is_some()).map(of).sum();
        (self.window_ns > 0).then(|| per_second(amount, self.window_ns))
    }

    pub(crate) fn failed(&self) -> u64 {
        let counted = self.passes.iter().flat_map(|pass| pass.phases(Part::Counted));
        counted.map(|totals| totals.failed).sum()
    }

    /// One operation, where the trial has both, or does something else besides.
    pub(crate) fn op(&self, op: Op) -> Option<OpFindings> {
        let [moved, other] = [op, op.reverse()].map(|op| self.bytes_of(op));
        let mut streams = self.passes.iter().flat_map(|pass| &pass.streams);
        let is_alone = other == 0 && streams.all(|stream| stream.action.is_transfer());
        if moved == 0 || is_alone {
            return None;
        }
        let latency = LatencySummary::of(&self.merged(told(self.passes), Some(op)));
        let all = merged(self.passes, Part::Counted, told(self.passes), Some(op));
        Some(OpFindings {
            throughput_bytes_per_sec: per_second(moved as f64, self.duration_ns),
            operations_per_sec: per_second(all.count() as f64, self.duration_ns),
            requests: all.count(),
            bytes: moved,
            latency_ns_mean: latency.mean,
            latency_ns_p50: latency.p50,
            latency_ns_p90: latency.p90,
            latency_ns_p99: latency.p99,
            latency_ns_p999: latency.p999,
            latency_ns_max: latency.max,
        })
    }

    fn bytes_of(&self, op: Op) -> u64 {
        let counted = self.passes.iter().flat_map(|pass| pass.phases(Part::Counted));
        counted
            .map(|totals| match op {
                Op::Read => totals.read_bytes,
                Op::Write => totals.write_bytes,
            })
            .sum()
    }

    /// The worst epoch of the worst pass decides: skew does not average out.
    pub(crate) fn skew(&self) -> Skew {
        let spread = |of: fn(&StreamTotals) -> u64| {
            let of_epoch = |streams: Vec<&StreamTotals>| {
                let times = || streams.iter().map(|stream| of(stream));
                times().max().unwrap_or_default() - times().min().unwrap_or_default()
            };
            let epochs = self.passes.iter().flat_map(Pass::epochs);
            epochs.map(of_epoch).max().unwrap_or_default()
        };
        Skew { front: spread(|s| s.first_issue_ns), back: spread(|s| s.last_done_ns) }
    }

    /// Of the epoch that is shared least evenly: who runs at other times shares nothing.
    pub(crate) fn jain(&self, streams: &[StreamFindings]) -> Option<f64> {
        if streams.len() == 1 {
            return Some(1.0);
        }
        let rates: BTreeMap<&str, Option<f64>> =
            streams.iter().map(|one| (one.name.as_str(), one.throughput_bytes_per_sec)).collect();
        let of_epoch = |epoch: &Vec<&StreamTotals>| {
            let each = epoch.iter().map(|stream| rates[self.passes[0].name(stream)]);
            jain(&each.collect::<Option<Vec<f64>>>()?)
        };
        let mut epochs = self.passes[0].epochs();
        epochs.iter_mut().for_each(|epoch| epoch.retain(|stream| stream.action.is_transfer()));
        epochs
            .iter()
            .filter(|epoch| !epoch.is_empty())
            .map(of_epoch)
            .collect::<Option<Vec<f64>>>()?
            .into_iter()
            .reduce(f64::min)
    }

    /// In the order in which the passes name them.
    pub(crate) fn streams(&self) -> Vec<StreamFindings> {
        let mut places: BTreeMap<&str, usize> = BTreeMap::new();
        let mut each: Vec<(&str, Vec<OfPass<'_, 'a>>)> = Vec::new();
        for pass in self.passes {
            for stream in &pass.record.streams {
                let name = pass.name(stream);
                let place = *places.entry(name).or_insert(each.len());
                if place == each.len() {
                    each.push((name, Vec::new()));
                }
                each[place].1.push((pass, stream));
            }
        }
        each.into_iter().map(|(name, passes)| Self::stream(name, &passes)).collect()
    }

    fn stream(name: &str, each: &[OfPass<'_, 'a>]) -> StreamFindings {
        let mine = || each.iter().map(|(_, stream)| *stream);
        let sum = |part| mine().flat_map(|stream| phases(stream, part)).map(bytes).sum::<u64>();
        let own = |(pass, stream): &OfPass<'_, 'a>| Some(pass.window_of(stream)?.length_ns());
        let window_ns: u64 = each.iter().filter_map(own).sum();
        let rates = each.iter().filter_map(|one| {
            let bytes: u64 = phases(one.1, Part::Window).map(bytes).sum();
            Some(per_second(bytes as f64, own(one)?))
        });
        // What moves no data has no share of it.
        let has_share = window_ns > 0 && mine().all(|stream| stream.action.is_transfer());
        StreamFindings {
            name: name.to_owned(),
            bytes: sum(Part::Counted),
            throughput_bytes_per_sec: has_share
                .then(|| per_second(sum(Part::Window) as f64, window_ns)),
            passes_bytes_per_sec: rates.filter(|_| has_share).collect(),
            first_done_ns: mine().map(|stream| stream.first_done_ns).min().unwrap_or_default(),
            last_done_ns: mine().map(|stream| stream.last_done_ns).max().unwrap_or_default(),
        }
    }
}

/// Of bytes and requests a second of the measured part and of the window those that stand for it.
pub(crate) fn chosen(
    technique: &Technique,
    counted: (f64, f64),
    window: Option<(f64, f64)>,
) -> Headline {
    let is_simulated = matches!(technique, Technique::Simulation { .. });
    let window = window.filter(|_| is_simulated);
    let (throughput_bytes_per_sec, operations_per_sec) = window.unwrap_or(counted);
    let of = if window.is_some() { LatencyOf::Window } else { LatencyOf::Counted };
    Headline { throughput_bytes_per_sec, operations_per_sec, of }
}

/// From when latencies count: other tools may tell only from when the kernel had taken a request.
fn told(passes: &[Pass<'_>]) -> Latency {
    let kept =
        || passes.iter().flat_map(|pass| pass.phases(Part::Counted)).flat_map(|one| &one.latency);
    let has = |what| kept().any(|one| one.what == what && !one.histogram.buckets.is_empty());
    if !has(Latency::Total) && has(Latency::Complete) { Latency::Complete } else { Latency::Total }
}

fn part_of(latency_of: LatencyOf) -> Part {
    match latency_of {
        LatencyOf::Window => Part::Window,
        LatencyOf::Counted => Part::Counted,
    }
}

fn merged(passes: &[Pass<'_>], part: Part, what: Latency, op: Option<Op>) -> Histogram {
    let mut all = Histogram::default();
    passes.iter().for_each(|pass| all.merge(&pass.latency(part, what, op)));
    all
}

pub(crate) fn pass_findings(pass: &Pass<'_>) -> PassFindings {
    let duration = pass.measured.length_ns();
    PassFindings {
        pass: pass.record.case.pass,
        throughput_bytes_per_sec: per_second(pass.bytes(Part::Counted) as f64, duration),
        deskewed_throughput_bytes_per_sec: pass
            .window
            .as_ref()
            .map(|window| per_second(pass.bytes(Part::Window) as f64, window.length_ns())),
        operations_per_sec: per_second(pass.operations(Part::Counted), duration),
    }
}

/// 0 where no time passed: then nothing was done either.
pub(crate) fn per_second(amount: f64, nanos: u64) -> f64 {
    if nanos == 0 { 0.0 } else { amount * 1e9 / nanos as f64 }
}
