//! A described system that is fed with requests while the caller's time passes.
//!
//! The world is the one that a simulation runs; only its clock and its requests come from outside.
//! [`Live::advance`] never goes beyond the time that it is given, since a request that arrives
//! later changes when those before it are done; an answer is due at the moment at which it comes.
//!
//! Left out of the case: how its streams would ask (their order, depth, rate, flushes and who reads
//! behind whom), since the one who asks decides that. Its streams stay as those that ask: where
//! they begin, what they go to, how a file system knows them apart.

use iopath_path::Network;
use iopath_record::Record;
use iopath_study::Case;
use iopath_study::case::Failure;
use iopath_units::Nanos;

use crate::arrivals::{Answer, Arrival};
use crate::core::Ps;
use crate::fates::Fate;
use crate::run::Run;
use crate::samples::Sample;
use crate::settings::Settings;
use crate::streams::Stream;
use crate::task::Timer;
use crate::{networks, record};

/// A system that is fed.
pub struct Live<'a> {
    run: Run<'a>,
    case: &'a Case,
    settings: Settings,
}

/// Runs a case's system for as long as `serve` does.
pub fn live<T>(
    case: &Case,
    network: &Network,
    settings: &Settings,
    serve: impl FnOnce(&mut Live<'_>) -> T,
) -> T {
    networks::of(case, network, |networks| {
        serve(&mut Live { run: Run::fed(networks, settings), case, settings: *settings })
    })
}

impl Live<'_> {
    /// The streams that count, by their positions in the case; a stream that arrivals name is a
    /// position in this.
    pub fn streams(&self) -> impl Iterator<Item = usize> {
        self.run.world.streams.all.iter().map(|stream: &Stream| stream.case)
    }

    /// From now on it notes what becomes of written data that a failure may lose.
    pub fn keep_fates(&mut self) {
        self.run.world.fates.are_kept = true;
    }

    /// What became of written data since this was asked last, in its order.
    pub fn take_fates(&mut self, fates: &mut Vec<Fate>) {
        self.run.world.take_fates(fates);
    }

    /// From now on the time counts at which parts of the case are to fail.
    pub fn let_fail(&mut self) {
        self.run.world.let_fail();
    }

    /// Parts fail besides, at a time counted from now, or from when the others are let fail.
    pub fn fail(&mut self, failure: Failure) {
        self.run.world.fail(failure);
    }

    /// What happened until now, as if it ended here.
    pub fn record(&mut self) -> Record {
        self.run.stop_for_now();
        let record = record::of(self.case, &self.run, &self.settings);
        self.run.go_on();
        record
    }

    /// What is counted at this moment, a record of one instant; nothing of it is kept, so whoever
    /// looks often takes no room from the samples of [`Live::record`].
    pub fn moment(&self) -> Record {
        let world = &self.run.world;
        let sample = Sample::apart(world.now, world.counted());
        record::with(self.case, &self.run, &self.settings, &[sample])
    }

    /// Lets everything happen that is due by `now`; answers are added in the order of their times.
    pub fn advance(&mut self, now: Nanos, answers: &mut Vec<Answer>) {
        let now = Ps::from(now);
        let world = &mut self.run.world;
        while world.events.next_at().is_some_and(|at| at <= now) {
            self.run.events += 1;
            match world.step() {
                Some(Some(Timer::Failure)) => drop(world.fail_or_return()),
                Some(Some(Timer::Tick)) => {
                    world.sample();
                    world.set_timer(world.samples.next(), Timer::Tick);
                }
                Some(Some(Timer::Stream(_) | Timer::Count) | None) | None => {}
            }
        }
        world.pass_until(now);
        world.take_answers(answers);
    }

    /// A request arrives at the time that was advanced to. Its answer may be due at once.
    pub fn arrive(&mut self, arrival: Arrival) {
        self.run.world.arrive(arrival);
    }

    /// When something happens next.
    pub fn next_at(&mut self) -> Option<Nanos> {
        // What happens within a nanosecond is due when it is over.
        self.run.world.events.next_at().map(|at| at.next_nano().as_nanos())
    }
}
