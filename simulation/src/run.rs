//! From the first event to the last: epochs, warm-up, precision.

use iopath_path::{Hops, Network, Routes};
use iopath_study::Case;

use crate::core::Ps;
use crate::course::{Course, Next};
use crate::settings::Settings;
use crate::task::Timer;
use crate::totals::Edges;
use crate::world::World;

/// One simulation.
pub(crate) struct Run<'a> {
    pub world: World<'a>,
    pub events: u64,
    /// The phases of each epoch.
    pub epochs: Vec<(u32, Edges)>,
}

impl<'a> Run<'a> {
    /// Simulates a case.
    pub(crate) fn of(
        case: &'a Case,
        (network, routes): (&'a mut Network, &'a mut Routes),
        settings: &Settings,
    ) -> Self {
        let hops = Hops::new(case, network, routes);
        let mut run =
            Self { world: World::new(case, hops, settings), events: 0, epochs: Vec::new() };
        let mut epochs: Vec<u32> = run.world.streams.all.iter().map(|one| one.epoch).collect();
        epochs.sort_unstable();
        epochs.dedup();
        let settings = &settings.within(&case.workload.until);
        let share = settings.most_events / epochs.len().max(1) as u64;
        for epoch in epochs {
            run.epoch(epoch, settings, share);
        }
        run
    }

    fn epoch(&mut self, epoch: u32, settings: &Settings, most_events: u64) {
        let begin = self.world.now;
        self.world.edges = Edges { begin, window: Ps::MAX, stop: Ps::MAX };
        self.world.begin_streams(epoch);
        let mut course = Course::new(begin, settings, self.events + most_events);
        self.world.set_timer(course.next(), Timer::Tick);
        let mut ticking = true;
        let mut end = begin;
        while let Some(timer) = self.world.step() {
            self.events += 1;
            let does_something = match timer {
                None => true,
                Some(Timer::Stream(stream)) => self.world.stream_timer(stream),
                Some(Timer::Tick) => {
                    let was_ticking = ticking;
                    ticking = ticking && self.tick(epoch, &mut course);
                    was_ticking
                }
            };
            if does_something {
                end = self.world.now;
            }
        }
        // Requests that an open loop had for later do not hold up those who come after it.
        self.world.now = end;
        self.epochs.push((epoch, self.world.edges));
    }

    /// Looks at what has been done; `false` when it is enough.
    fn tick(&mut self, epoch: u32, course: &mut Course) -> bool {
        let now = self.world.now;
        let of_epoch = self.world.streams.all.iter().filter(|one| one.epoch == epoch);
        let bytes = of_epoch.map(|one| one.totals.bytes).sum();
        match course.look(now, bytes, self.events) {
            Next::Go => {}
            Next::Open => self.world.edges.window = now,
            Next::Stop => {
                self.world.edges.window = self.world.edges.window.min(now);
                self.world.edges.stop = now;
                self.world.stop_streams(epoch);
                return false;
            }
        }
        self.world.set_timer(course.next(), Timer::Tick);
        true
    }
}
