//! From the first event to the last: epochs, warm-up, precision.

use std::collections::BTreeMap;

use iopath_study::Case;
use iopath_study::case::Prepare;

use crate::core::Ps;
use crate::course::{Course, Next, StoppedBy};
use crate::networks::Networks;
use crate::settings::Settings;
use crate::streams::Stream;
use crate::task::{Owner, Timer};
use crate::totals::Edges;
use crate::world::World;

/// One simulation.
pub(crate) struct Run<'a> {
    pub world: World<'a>,
    pub events: u64,
    pub epochs: Vec<Epoch>,
}

/// Streams that ran together.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Epoch {
    pub number: u32,
    pub edges: Edges,
    pub stopped_by: StoppedBy,
    /// Half the width of the 95 % interval of its throughput, as a share of it, where it is known.
    pub half_width: Option<f64>,
}

impl<'a> Run<'a> {
    /// Simulates a case.
    pub(crate) fn of(networks: Networks<'a>, settings: &Settings) -> Self {
        let case = networks.case;
        let settings = &settings.of(case);
        let mut run = Self { world: World::new(networks, settings), events: 0, epochs: Vec::new() };
        // A network numbers them without gaps.
        let epochs = run.world.streams.all.iter().map(|one| one.epoch + 1).max().unwrap_or(0);
        let share = settings.most_events / u64::from(epochs.max(1));
        run.world.sample_edge();
        run.world.await_failure();
        for epoch in 0..epochs {
            if epoch > 0 {
                run.prepare(case, epoch);
            }
            run.epoch(epoch, settings, share);
        }
        run
    }

    /// Begins one whose requests come from outside, at whatever time.
    pub(crate) fn fed(networks: Networks<'a>, settings: &Settings) -> Self {
        let case = networks.case;
        let mut world = World::new(networks, settings);
        world.foresee();
        world.streams.feed();
        world.files.feed();
        // All of it is the window.
        world.edges = Edges { warm: Ps::ZERO, window: Ps::ZERO, ..world.edges };
        let mut run = Self { world, events: 0, epochs: Vec::new() };
        run.world.sample_edge();
        run.world.samples.keep_distance(case.workload.sample_interval);
        run.world.set_timer(run.world.samples.next(), Timer::Tick);
        run.world.follow_rebuilds();
        run
    }

    /// Is as if one whose requests come from outside ended now.
    pub(crate) fn stop_for_now(&mut self) {
        self.world.edges.stop = self.world.now;
        self.world.sample_edge();
        let edges = self.world.edges;
        let streams = &mut self.world.streams.all;
        streams.iter_mut().for_each(|one| one.totals.count_work(&edges, Ps::MAX));
        // It was to last as long as it did.
        let stopped_by = StoppedBy::Precision;
        self.epochs.push(Epoch { number: 0, edges, stopped_by, half_width: None });
    }

    /// Goes on after that.
    pub(crate) fn go_on(&mut self) {
        self.epochs.clear();
        self.world.edges.stop = Ps::MAX;
        self.world.samples.forget_edge();
    }

    /// What happens before streams that begin after others: what was written is flushed where they
    /// want it; then the pause.
    fn prepare(&mut self, case: &Case, number: u32) {
        let of_epoch = || self.world.streams.of_epoch(number);
        let streams: Vec<usize> = of_epoch().map(|one| one.case).collect();
        let target = |one: &Stream| (case.streams[one.case].target, (one.place, one.to));
        let targets: BTreeMap<usize, _> = of_epoch().map(target).collect();
        for (target, (from, to)) in targets {
            if case.preparation(target, &streams) != Prepare::None {
                self.world.flush(from, to, Owner::Nobody);
            }
        }
        while self.world.step().is_some() {
            self.events += 1;
        }
        self.world.now += Ps::from(case.start_delay(&streams));
        self.world.sample_edge();
    }

    fn epoch(&mut self, number: u32, settings: &Settings, most_events: u64) {
        let begin = self.world.now;
        self.world.edges = Edges::since(begin);
        self.world.begin_streams(number);
        self.world.follow_rebuilds();
        let mut course = Course::new(begin, settings, (self.events, most_events));
        self.wait(&course);
        let mut stopped_by = None;
        let mut end = begin;
        while let Some(timer) = self.world.step() {
            self.events += 1;
            let does_something = match timer {
                None => true,
                Some(Timer::Stream(stream)) => self.world.stream_timer(stream),
                Some(Timer::Failure) => self.world.fail_or_return() || stopped_by.is_none(),
                Some(Timer::Tick) if stopped_by.is_none() => {
                    stopped_by = self.tick(number, &mut course);
                    true
                }
                Some(Timer::Count) if stopped_by.is_none() => {
                    let next = course.count(self.world.now, self.events);
                    stopped_by = self.follow(number, &mut course, next);
                    true
                }
                Some(Timer::Tick | Timer::Count) => false,
            };
            if does_something {
                end = self.world.now;
            }
            if course.is_due(self.events) {
                // Phases end at whole nanoseconds, in which counters are kept.
                self.world.set_timer(self.world.now.next_nano(), Timer::Count);
            }
        }
        // Requests that an open loop had for later do not hold up those who come after it.
        self.world.now = end;
        self.world.sample_edge();
        for stream in self.world.streams.all.iter_mut().filter(|one| one.epoch == number) {
            stream.totals.count_work(&self.world.edges, Ps::MAX);
        }
        let is_steady = self.world.failures.past.is_empty();
        let half_width = course.half_width().filter(|_| is_steady);
        // Without anything to do there is no tick that ends it, and nothing that is not known.
        let stopped_by = stopped_by.unwrap_or(StoppedBy::Precision);
        self.epochs.push(Epoch { number, edges: self.world.edges, stopped_by, half_width });
    }

    /// Sets the timer of whatever is due first.
    fn wait(&mut self, course: &Course) {
        let next = course.next().min(self.world.samples.next());
        self.world.set_timer(next, Timer::Tick);
    }

    /// Samples counters and looks at what has been done, each where it is due; tells what ends the
    /// epoch when it is enough.
    fn tick(&mut self, epoch: u32, course: &mut Course) -> Option<StoppedBy> {
        let now = self.world.now;
        if now >= self.world.samples.next() {
            self.world.sample();
        }
        let stopped_by = if now >= course.next() { self.look(epoch, course) } else { None };
        if stopped_by.is_none() {
            self.wait(course);
        }
        stopped_by
    }

    fn look(&mut self, epoch: u32, course: &mut Course) -> Option<StoppedBy> {
        let now = self.world.now;
        let of_epoch = self.world.streams.of_epoch(epoch);
        let bytes = of_epoch.flat_map(|one| one.totals.done.bytes).sum();
        let is_full = !self.world.files.any_fills(self.world.edges.begin, now);
        let next = course.look(now, (bytes, is_full));
        self.follow(epoch, course, next)
    }

    /// Opens the window or ends the epoch; tells what ends it.
    fn follow(&mut self, epoch: u32, course: &mut Course, next: Next) -> Option<StoppedBy> {
        let now = self.world.now;
        match next {
            Next::Go => {}
            Next::Hurry => self.world.begin_rest(epoch),
            Next::Open => self.open(epoch, course, Stream::has_begun),
            Next::OpenInRound => self.open(epoch, course, Stream::has_come_round),
            Next::Stop(by) => {
                let edges = &mut self.world.edges;
                edges.warm = edges.warm.min(now);
                edges.window = edges.window.min(now);
                edges.stop = now;
                self.world.stop_streams(epoch);
                self.world.sample_edge();
                return Some(by);
            }
        }
        None
    }

    /// Ends warm-up, and opens the window where all streams are ready for it.
    fn open(&mut self, epoch: u32, course: &mut Course, is_ready: impl Fn(&Stream) -> bool) {
        let now = self.world.now;
        let are_ready = self.world.streams.of_epoch(epoch).all(is_ready);
        let edges = &mut self.world.edges;
        let is_new = edges.warm > now;
        edges.warm = edges.warm.min(now);
        if are_ready {
            edges.window = now;
            course.open(now);
        }
        if is_new || are_ready {
            self.world.sample_edge();
        }
    }
}
