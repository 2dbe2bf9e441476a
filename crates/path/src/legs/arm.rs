//! What the arm of a disk takes to get to a request.
//!
//! * A sequential request reaches its place for nothing; what interleaved streams cost is left to a
//!   simulation. One a stride further on lets what lies between pass, where that is faster than
//!   `position-queued`.
//! * A scan passes over the parity between the data in the time of as many bytes, or moves over it
//!   where that is faster: in the rest of a turn (`rotation`), or in `position-queued`. A disk that
//!   states no `position` moves in no time.
//! * The second access of a read-modify-write waits until its place comes round again: one turn
//!   (`rotation`) after the first one began, so that much less the bytes that have passed. It is
//!   never dearer than another place would be: an arm with many waiting serves those meanwhile.
//!   Of a sequential stream or a strided one it serves what has been read one behind the other, so
//!   only a request alone waits.
//! * Any other takes `position` alone, and `position-queued` with many waiting.
//! * A device without an arm takes `read-time` or `write-time` of each request, and passes its
//!   bytes at `read` or `write`, one request at a time: time = fixed + bytes / rate, as the sizes
//!   between 4 KiB and 1 MiB show.

use iopath_units::{ByteRate, Op};

use super::ends::seconds;
use super::{Builder, Reach, Request};
use crate::network::ComponentId;

impl Builder<'_> {
    /// What an arm takes longer to reach a place for a request alone than with many waiting.
    pub(super) fn alone(&self, end: ComponentId, request: &Request) -> f64 {
        let [alone, queued] = self.positions(end, request);
        (alone - queued).max(0.0)
    }

    /// Time to reach the place of a request, alone and with many waiting; none where it follows
    /// the one before, its share where it is one of several pieces.
    pub(super) fn positions(&self, end: ComponentId, request: &Request) -> [f64; 2] {
        let (random, strides) = (request.is_random, request.apart.is_some());
        let (again, between) = (self.again(end, request), self.between(end, request));
        let most = match request.reach {
            Reach::Behind => [0.0; 2],
            Reach::Seek if !random => [0.0; 2],
            Reach::Seek if strides => [between; 2],
            Reach::Seek => [f64::INFINITY; 2],
            Reach::Again if !random => [again, 0.0],
            Reach::Again if strides => [again, again.min(between)],
            Reach::Again => [again; 2],
        };
        let [alone, queued] = self.times_to_move(end);
        let of_each = 1.0 / f64::from(request.pieces.max(1));
        [alone.min(most[0]) * of_each, queued.min(most[1]) * of_each]
    }

    /// Whether what lies between two requests of a stride passes faster than an arm moves.
    pub(super) fn passes(&self, end: ComponentId, request: &Request) -> bool {
        let [_, queued] = self.times_to_move(end);
        request.apart.is_some() && self.between(end, request) < queued
    }

    /// Time in which what lies between two requests of a stride passes; infinite where no `stream`
    /// is stated.
    fn between(&self, end: ComponentId, request: &Request) -> f64 {
        let rate = self.system().byte_rate(end.into(), "stream").map(|rate| rate.0 as f64);
        let passed = rate.and_then(|rate| Some(request.apart? as f64 / rate));
        passed.unwrap_or(f64::INFINITY)
    }

    /// A request's share of the time in which heads get over the gaps of a scan. Where a gap is
    /// longer than a turn, the head waits only for the rest of it.
    pub(super) fn passing_over(&self, end: ComponentId, request: &Request) -> f64 {
        let Some(gap) = request.gap else { return 0.0 };
        let Some(rate) = self.system().byte_rate(end.into(), "stream") else { return 0.0 };
        let passing = gap.bytes as f64 / rate.0 as f64;
        let turn = self.system().time(end.into(), "rotation").map(seconds);
        let rest = turn.filter(|turn| *turn > 0.0).map_or(passing, |turn| passing % turn);
        let [_, queued] = self.times_to_move(end);
        rest.min(queued) * request.asked.bytes as f64 / gap.every as f64
    }

    /// What a disk states of the time to reach another place: alone, and with many waiting.
    fn times_to_move(&self, end: ComponentId) -> [f64; 2] {
        let time = |property| self.system().time(end.into(), property).map(seconds);
        let alone = time("position").unwrap_or(0.0);
        [alone, time("position-queued").unwrap_or(alone)]
    }

    /// Time until the place of a request that was just served comes round again; infinite where no
    /// rotation is stated.
    pub(super) fn again(&self, end: ComponentId, request: &Request) -> f64 {
        let turn = self.system().time(end.into(), "rotation").map(seconds);
        turn.map_or(f64::INFINITY, |turn| (turn - self.passing(end, request)).max(0.0))
    }

    /// Time in which the bytes of a request pass the arm, or keep a device without one busy.
    pub(super) fn passing(&self, end: ComponentId, request: &Request) -> f64 {
        let (time, rates) = match request.asked.op {
            Op::Read => ("read-time", ["read", "both"]),
            Op::Write => ("write-time", ["write", "both"]),
        };
        let rate = |name| self.system().byte_rate(end.into(), name);
        let bytes_at = |rate: Option<ByteRate>| {
            rate.map_or(0.0, |rate| request.asked.bytes as f64 / rate.0 as f64)
        };
        match self.system().time(end.into(), time).map(seconds) {
            Some(fixed) => fixed + bytes_at(rates.into_iter().find_map(rate)),
            None => bytes_at(rate("stream")),
        }
    }
}
