//! The slow and obvious simulation: a list of events that is searched, a map of requests, and
//! every step as the documentation of the fast one says it.

use std::collections::{BTreeMap, VecDeque};

use iopath_simulation::core::Ps;
use iopath_units::Op;
use iopath_workload::Requests;

/// Data goes on in pieces of this size.
const PIECE: u64 = 4096;
/// Bytes of a turn.
const TURN: u64 = 128 << 10;

/// A rate of a component: bytes a second, or requests a second.
#[derive(Clone, Copy, Debug)]
pub(crate) enum Rate {
    Bytes(f64),
    Requests(f64),
}

/// What requests cross or end at: rates that are used side by side, and room for so many.
#[derive(Clone, Debug)]
pub(crate) struct Component {
    pub(crate) rates: Vec<Rate>,
    pub(crate) outstanding: Option<u32>,
    free_at: Vec<u64>,
    taken: u32,
    waiting: VecDeque<u32>,
}

impl Component {
    pub(crate) fn new(rates: Vec<Rate>, outstanding: Option<u32>) -> Self {
        let free_at = vec![0; rates.len()];
        Self { rates, outstanding, free_at, taken: 0, waiting: VecDeque::new() }
    }
}

#[derive(Debug)]
pub(crate) struct Stream {
    pub(crate) requests: Requests,
    pub(crate) depth: u32,
    pub(crate) latencies_ns: Vec<u64>,
    pub(crate) first_done_ns: u64,
    pub(crate) last_done_ns: u64,
}

/// A part of a request: it holds the components on its way, crosses them and is done.
#[derive(Debug)]
struct Part {
    of: u32,
    op: Op,
    bytes: u64,
    /// Towards the member.
    way: Vec<usize>,
    held: usize,
    /// How many components of the way in its direction the first piece has passed.
    passed: usize,
    all_here: u64,
}

#[derive(Debug)]
struct Request {
    stream: usize,
    began: u64,
    parts_left: u32,
}

#[derive(Clone, Copy, Debug)]
enum Event {
    Begin(usize),
    /// The first piece comes to the next component.
    Arrive(u32),
    /// All of it is through.
    Through(u32),
    /// It has got what it waited for.
    Woken(u32),
}

pub(crate) struct World {
    pub(crate) now: u64,
    pub(crate) components: Vec<Component>,
    pub(crate) streams: Vec<Stream>,
    /// Components on the way to the members of the stripe, and the members.
    pub(crate) links: Vec<usize>,
    pub(crate) members: Vec<usize>,
    pub(crate) unit: u64,
    /// Nothing is issued from then on.
    pub(crate) stop: u64,
    events: Vec<(u64, u64, Event)>,
    sequence: u64,
    numbers: u32,
    parts: BTreeMap<u32, Part>,
    requests: BTreeMap<u32, Request>,
}

impl World {
    pub(crate) fn new(components: Vec<Component>, streams: Vec<Stream>, unit: u64) -> Self {
        Self {
            now: 0,
            components,
            streams,
            links: Vec::new(),
            members: Vec::new(),
            unit,
            stop: u64::MAX,
            events: Vec::new(),
            sequence: 0,
            numbers: 0,
            parts: BTreeMap::new(),
            requests: BTreeMap::new(),
        }
    }

    /// Runs until nothing happens any more.
    pub(crate) fn run(&mut self, order: &[usize]) {
        for stream in order {
            self.later(0, Event::Begin(*stream));
        }
        while !self.events.is_empty() {
            self.events.sort_unstable_by_key(|(at, sequence, _)| (*at, *sequence));
            let (at, _, event) = self.events.remove(0);
            self.now = at;
            match event {
                Event::Begin(stream) => {
                    for _ in 0..self.streams[stream].depth {
                        self.issue(stream);
                    }
                }
                Event::Arrive(part) => self.arrive(part),
                Event::Through(part) => self.through(part),
                Event::Woken(part) => self.hold(part),
            }
        }
        assert!(self.parts.is_empty() && self.requests.is_empty(), "nothing is lost");
    }

    fn later(&mut self, at: u64, event: Event) {
        self.sequence += 1;
        self.events.push((at, self.sequence, event));
    }

    fn number(&mut self) -> u32 {
        self.numbers += 1;
        self.numbers
    }

    fn issue(&mut self, stream: usize) {
        if self.now >= self.stop {
            return;
        }
        let request = self.streams[stream].requests.next_request();
        let pieces = self.split(request.offset, u64::from(request.bytes));
        let id = self.number();
        let parts_left = pieces.len() as u32;
        self.requests.insert(id, Request { stream, began: self.now, parts_left });
        for (member, bytes) in pieces {
            let mut way = self.links.clone();
            way.push(self.members[member]);
            let (held, passed, all_here) = (0, 0, self.now);
            let part = self.number();
            self.parts
                .insert(part, Part { of: id, op: request.op, bytes, way, held, passed, all_here });
            self.hold(part);
        }
    }

    /// Bytes of a request on each member that it touches, in the order in which it touches them.
    fn split(&self, offset: u64, bytes: u64) -> Vec<(usize, u64)> {
        let mut found: Vec<(usize, u64)> = Vec::new();
        let (mut at, end) = (offset, offset + bytes);
        while at < end {
            let border = (at / self.unit + 1) * self.unit;
            let member = (at / self.unit) as usize % self.members.len();
            let piece = border.min(end) - at;
            match found.iter_mut().find(|(known, _)| *known == member) {
                Some((_, bytes)) => *bytes += piece,
                None => found.push((member, piece)),
            }
            at += piece;
        }
        found
    }

    /// Takes room on its way, one component after the other; waits in line where there is none.
    fn hold(&mut self, id: u32) {
        loop {
            let Some(part) = self.parts.get_mut(&id) else { return };
            let Some(&next) = part.way.get(part.held) else { break };
            part.held += 1;
            let component = &mut self.components[next];
            let Some(most) = component.outstanding else { continue };
            if component.taken < most && component.waiting.is_empty() {
                component.taken += 1;
            } else {
                component.waiting.push_back(id);
                return;
            }
        }
        if let Some(part) = self.parts.get_mut(&id) {
            part.all_here = self.now;
        }
        self.arrive(id);
    }

    /// The first piece comes to the next component: reads begin at the member.
    fn arrive(&mut self, id: u32) {
        loop {
            let Some(part) = self.parts.get_mut(&id) else { return };
            if part.passed == part.way.len() {
                break;
            }
            let place = match part.op {
                Op::Write => part.passed,
                Op::Read => part.way.len() - 1 - part.passed,
            };
            part.passed += 1;
            let component = &mut self.components[part.way[place]];
            let (mut goes_on, mut all_through) = (self.now, part.all_here);
            for (rate, free_at) in component.rates.iter().zip(&mut component.free_at) {
                let (seconds, pieces) = match rate {
                    Rate::Bytes(rate) => (part.bytes as f64 / rate, part.bytes.div_ceil(PIECE)),
                    Rate::Requests(rate) => (1.0 / rate, 1),
                };
                let service = Ps::from_secs_f64(seconds).0;
                let start = self.now.max(*free_at);
                *free_at = start + service;
                // Behind others it waits for a turn of each: those of an eighth at least.
                let turns = if pieces > 1 { (part.bytes / TURN).clamp(1, 8) } else { 1 };
                goes_on = goes_on.max(self.now + (start - self.now) / turns + service / pieces);
                all_through = all_through.max(*free_at).max(part.all_here + service / pieces);
            }
            part.all_here = all_through;
            if goes_on > self.now && part.passed < part.way.len() {
                return self.later(goes_on, Event::Arrive(id));
            }
        }
        let all_here = self.parts[&id].all_here;
        if all_here > self.now {
            self.later(all_here, Event::Through(id));
        } else {
            self.through(id);
        }
    }

    fn through(&mut self, id: u32) {
        let Some(part) = self.parts.remove(&id) else { return };
        let mut woken = Vec::new();
        for place in &part.way {
            let component = &mut self.components[*place];
            if component.outstanding.is_some() {
                match component.waiting.pop_front() {
                    Some(next) => woken.push(next),
                    None => component.taken -= 1,
                }
            }
        }
        for next in woken {
            self.later(self.now, Event::Woken(next));
        }
        let Some(request) = self.requests.get_mut(&part.of) else { return };
        request.parts_left -= 1;
        if request.parts_left == 0 {
            self.done(part.of);
        }
    }

    fn done(&mut self, id: u32) {
        let Some(Request { stream, began, .. }) = self.requests.remove(&id) else { return };
        let one = &mut self.streams[stream];
        one.latencies_ns.push((self.now - began) / 1000);
        one.last_done_ns = self.now / 1000;
        if one.latencies_ns.len() == 1 {
            one.first_done_ns = self.now / 1000;
        }
        self.issue(stream);
    }
}
