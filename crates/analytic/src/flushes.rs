//! How many requests a stream that flushes can do: closed forms of the rule of group commit that
//! `crates/workload/src/flushes.rs` keeps to.
//!
//! A stream keeps d requests in flight; a write takes w, a flush f: where a page cache has answered
//! what it is for, that is written first, in the time of one such write alone, where there is any;
//! a cache that it empties (`flush="on-sync"`) takes the time of the last write alone to what is
//! behind it at least, the quickest place where there are several, since that has only just come.
//! One flush is outstanding at a time, it begins when N writes wait, and writes in flight, waiting
//! or being flushed are at most M = max(N, d).
//!
//! * **Within each write** (`dsync`, `sync`): it takes w + f, so x ≤ d / (w + f).
//! * **Room.** A write has a place among M for w + f at least: x ≤ M / (w + f). With d ≤ N a flush
//!   begins when all N are done, so none is in flight for the share x·f/N of the time:
//!   x·w ≤ d·(1 − x·f/N). Both are x ≤ d / (w + f·d/M).
//!
//! * **One at a time.** A hardware queue has one flush under way, and those that come meanwhile
//!   share the next. So no stream is in two flushes that follow on each other, which serve at most
//!   all K of them together, and one that begins on an idle queue serves a single stream: with
//!   K ≥ 2 on one queue each flushes at most 1 / 2f times a second. Counted are streams of one
//!   declaration and host whose requests take equally long, as they are taken to share what else
//!   they meet. A device with several queues is not bounded so: threads move between processors,
//!   and so between queues.
//!
//! All of it follows from Little's law (Operations Research 9, 1961), whatever the distribution of
//! times. It is exact for one writer, 1 / (w + f); for K in step (N = K), K / (w + f); for K who
//! flush after each write that takes as long as a flush or longer, K / (w + f); and where d
//! divides N, N / (w·N/d + f). Shorter writes that complete one by one take turns at two flushes,
//! K / 2f; those that complete together share one.
//!
//! Reads of a mix go on while writes wait, so there only the share of writes meets room and
//! flushes. Threads that each count writes of their own (`engine="threads"`) are d streams with one
//! request in flight. It leaves out how many writes of d > N a flush really covers, and what else
//! is dirty in a cache.

use iopath_path::{Covers, Flushing, LegId, Network, Next, WriteBack};
use iopath_units::Op;

use crate::demand::StreamClass;
use crate::fill::TIE;
use crate::times::Span;

/// The flushes of a class of streams.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(crate) struct Flushes {
    /// Seconds that one takes at least, where it ends.
    takes_s: f64,
    /// Seconds in which the page cache writes what it is for, before.
    back_s: f64,
    /// Seconds in which a cache that it empties writes down a write that has only just come.
    down_s: f64,
    covers: Covers,
    /// Share of requests that are writes.
    writes: f64,
    /// Seconds that a write takes while nothing is in its way.
    write_s: f64,
    /// Seconds from one flush of a stream to its next at least, where it shares a queue; else 0.
    turn_s: f64,
}

impl Flushes {
    /// None where no request waits for a flush, or none takes any time.
    pub(crate) fn of(network: &Network, class: &StreamClass, spans: &[Span]) -> Option<Self> {
        let flushing = class.flushing.filter(Flushing::takes_time)?;
        let Flushing { takes, covers, writes_back, queues, .. } = flushing;
        let takes_s = takes.0 as f64 / 1e9;
        let back =
            |one: WriteBack| f64::from(one.share_ppm) / 1e6 * spans[one.leg.0 as usize].total();
        let back_s = writes_back.map_or(0.0, back);
        let (writes, seconds) = class.writes(network, spans);
        let write_s = seconds / writes;
        let down = class.emptied.iter().map(|(leg, share)| share * spans[leg.0 as usize].total());
        let down_s = down.reduce(f64::min).unwrap_or_default();
        let queue = queues.filter(|_| class.flushers >= 2.0);
        let turn_s = queue.map_or(0.0, |queue| 2.0 * queue.takes.0 as f64 / 1e9);
        let all = Self { takes_s, back_s, down_s, covers, writes, write_s, turn_s };
        (writes > 0.0).then_some(all)
    }

    /// The same with so many times as many flushes a second.
    pub(crate) fn raised(self, factor: f64) -> Self {
        let [takes_s, back_s, down_s, turn_s] =
            [self.takes_s, self.back_s, self.down_s, self.turn_s].map(|seconds| seconds / factor);
        Self { takes_s, back_s, down_s, turn_s, ..self }
    }

    /// The same where writes take as long as there.
    pub(crate) fn with_writes_of(self, other: Self) -> Self {
        let Self { write_s, back_s, down_s, .. } = other;
        Self { write_s, back_s, down_s, ..self }
    }

    /// Seconds of a flush.
    fn flush_s(&self) -> f64 {
        self.back_s + self.takes_s.max(self.down_s)
    }

    /// Requests per second of a stream that keeps so many in flight, each of which takes so long
    /// without flushes.
    pub(crate) fn most(&self, in_flight: f64, request_s: f64) -> f64 {
        match self.covers {
            Covers::Itself => in_flight / (request_s + self.in_request_s()),
            Covers::Writes(every) => self.shared(in_flight, every.into()),
            Covers::WritesOfThread(every) => in_flight * self.shared(1.0, every.into()),
        }
    }

    /// Mean seconds of flushes within a request.
    pub(crate) fn in_request_s(&self) -> f64 {
        match self.covers {
            Covers::Itself => self.writes * self.flush_s(),
            Covers::Writes(_) | Covers::WritesOfThread(_) => 0.0,
        }
    }

    /// Whether streams that keep so many requests in flight wait for these longer than for the
    /// requests themselves.
    pub(crate) fn outlast(&self, in_flight: f64, request_s: f64) -> bool {
        let is_mixed = self.writes < 1.0;
        let waited = |in_flight: f64, every: f64| {
            self.flush_s() * if is_mixed { 1.0 } else { in_flight / every.max(in_flight) }
        };
        match self.covers {
            Covers::Itself => self.in_request_s() >= request_s,
            Covers::Writes(every) => {
                let every = f64::from(every);
                // Where writes of a mix have room, more in flight gains nothing.
                is_mixed && in_flight < every || waited(in_flight, every) >= self.write_s
            }
            Covers::WritesOfThread(every) => waited(1.0, every.into()) >= self.write_s,
        }
    }

    fn shared(&self, in_flight: f64, every: f64) -> f64 {
        let Self { writes, write_s, .. } = *self;
        let flush_s = self.flush_s();
        let places = every.max(in_flight);
        let room = match writes < 1.0 {
            true => places / (write_s + flush_s),
            false => in_flight / (write_s + flush_s * in_flight / places),
        };
        // Without a turn that is infinite.
        room.min(places / self.turn_s) / writes
    }
}

/// What the caches that flushes of a stream empty are sure to write down of the last write, each
/// place that it may go to with the share of writes that are not there already; the write is the
/// one that the page cache makes of it, where there is one. Nothing where a place leaves none: of a
/// write with several parts, or with a copy for a partner, one may be down before the last is done,
/// and of one that is destaged with others nobody knows the time.
pub(crate) fn emptied(
    network: &Network,
    flushing: Flushing,
    roots: &[(LegId, f64)],
) -> Vec<(LegId, f64)> {
    if flushing.empties.is_none() {
        return Vec::new();
    }
    let writes = roots.iter().filter(|(leg, _)| network.leg(*leg).op == Op::Write);
    let mut waiting: Vec<(LegId, f64)> = match flushing.writes_back {
        Some(WriteBack { leg, share_ppm }) => vec![(leg, f64::from(share_ppm) / 1e6)],
        None => writes.map(|(leg, _)| (*leg, 1.0)).collect(),
    };
    let mut down = Vec::new();
    while let Some((at, share)) = waiting.pop() {
        let leg = network.leg(at);
        let is_background = |next: &&Next| network.leg(next.leg).background;
        let (background, waited): (Vec<&Next>, Vec<&Next>) =
            leg.next.iter().partition(is_background);
        match (&background[..], &waited[..]) {
            ([below], []) if network.component(leg.to).empties_on_sync => {
                if network.leg(below.leg).bytes > leg.bytes {
                    return Vec::new();
                }
                down.push((below.leg, share * below.often));
            }
            ([], [_, ..]) if is_one_part(&waited) => {
                waiting.extend(waited.iter().map(|next| (next.leg, share)));
            }
            _ => return Vec::new(),
        }
    }
    down
}

/// Whether a request goes to one of these.
fn is_one_part(parts: &[&Next]) -> bool {
    let most = parts.iter().map(|next| next.at_once).fold(0.0, f64::max);
    let times: f64 = parts.iter().map(|next| next.times).sum();
    times < 1.0 + TIE && most < 1.0 + TIE
}

#[cfg(test)]
mod tests {
    use super::*;

    fn flushes(covers: Covers, writes: f64) -> Flushes {
        Flushes {
            takes_s: 7e-4,
            back_s: 3e-4,
            down_s: 0.0,
            covers,
            writes,
            write_s: 1e-4,
            turn_s: 0.0,
        }
    }

    /// Requests per second of a stream that only writes.
    fn most(covers: Covers, in_flight: f64) -> f64 {
        flushes(covers, 1.0).most(in_flight, 1e-4)
    }

    #[track_caller]
    fn near(one: f64, other: f64) {
        assert!((one / other - 1.0).abs() < 1e-12, "{one} is not {other}");
    }

    #[test]
    fn one_writer_commits_once_in_the_time_of_a_write_and_a_flush() {
        for covers in [Covers::Itself, Covers::Writes(1), Covers::WritesOfThread(1)] {
            near(most(covers, 1.0), 1.0 / 1.1e-3);
        }
    }

    #[test]
    fn writers_share_flushes() {
        near(most(Covers::Writes(8), 8.0), 8.0 / 1.1e-3);
        near(most(Covers::Writes(8), 1.0), 8.0 / (8e-4 + 1e-3));
        near(most(Covers::Writes(8), 4.0), 8.0 / (2e-4 + 1e-3));
        // All that are in flight, where they complete together.
        near(most(Covers::Writes(1), 32.0), 32.0 / 1.1e-3);
        near(most(Covers::Writes(24), 32.0), 32.0 / 1.1e-3);
        let slow = Flushes { write_s: 4e-3, ..flushes(Covers::Writes(1), 1.0) };
        near(slow.most(8.0, 4e-3), 8.0 / 5e-3);
    }

    #[test]
    fn threads_flush_each_for_itself() {
        near(most(Covers::WritesOfThread(1), 8.0), 8.0 / 1.1e-3);
        near(most(Covers::WritesOfThread(4), 8.0), 8.0 / (1e-4 + 1e-3 / 4.0));
        near(most(Covers::Itself, 8.0), 8.0 / 1.1e-3);
    }

    #[test]
    fn reads_of_a_mix_wait_for_no_flush() {
        // Of four requests one is a write; a read takes 0.1 ms as well.
        near(flushes(Covers::Itself, 0.25).most(2.0, 1e-4), 2.0 / (1e-4 + 1e-3 / 4.0));
        near(flushes(Covers::Writes(1), 0.25).most(1.0, 1e-4), 4.0 / 1.1e-3);
    }

    #[test]
    fn flushes_outlast_requests_where_they_take_more_than_half_of_the_loop() {
        // A write takes 0.1 ms, a flush 1 ms.
        for (covers, in_flight, outlast) in [
            (Covers::Writes(1), 1.0, true),
            (Covers::Writes(9), 1.0, true),
            (Covers::Writes(11), 1.0, false),
            (Covers::Writes(11), 2.0, true),
            (Covers::WritesOfThread(9), 8.0, true),
            (Covers::WritesOfThread(11), 8.0, false),
            (Covers::Itself, 1.0, true),
        ] {
            let flushes = flushes(covers, 1.0);
            assert_eq!(flushes.outlast(in_flight, 1e-4), outlast, "{covers:?}");
            // Twice the requests in flight gain more than half of it where they do not.
            let gain = flushes.most(in_flight * 1.01, 1e-4) / flushes.most(in_flight, 1e-4) - 1.0;
            assert!(outlast || gain > 0.005, "{covers:?}: {gain}");
        }
        assert!(!flushes(Covers::Itself, 0.05).outlast(1.0, 1e-4));
        // Writes of a mix that come to eight have room for more.
        let short = Flushes { write_s: 4e-3, ..flushes(Covers::Writes(8), 0.5) };
        assert!(short.outlast(2.0, 4e-3) && !short.outlast(8.0, 4e-3));
        // Each thread of its own waits for its own.
        let threads = Flushes { covers: Covers::WritesOfThread(8), ..short };
        assert!(!threads.outlast(2.0, 4e-3));
    }

    #[test]
    fn who_shares_a_queue_flushes_once_in_the_time_of_two_flushes() {
        let shared = |covers, writes| Flushes { turn_s: 1.4e-3, ..flushes(covers, writes) };
        for (covers, in_flight, covered) in [
            (Covers::Writes(1), 1.0, 1.0),
            (Covers::Writes(8), 4.0, 8.0),
            (Covers::WritesOfThread(1), 8.0, 8.0),
        ] {
            near(shared(covers, 1.0).most(in_flight, 1e-4), covered / 1.4e-3);
        }
        // Of four requests one is a write.
        near(shared(Covers::Writes(1), 0.25).most(1.0, 1e-4), 4.0 / 1.4e-3);
        // Longer writes leave time for the flushes of others.
        let long = Flushes { write_s: 1e-3, ..shared(Covers::Writes(1), 1.0) };
        near(long.most(1.0, 1e-3), 1.0 / 2e-3);
    }

    #[test]
    fn more_in_flight_is_never_less() {
        for every in [1, 3, 8] {
            let all = (1..100).map(|tenths| most(Covers::Writes(every), f64::from(tenths) / 4.0));
            let all: Vec<f64> = all.collect();
            assert!(all.is_sorted(), "{all:?}");
        }
    }
}
