//! A case that its simulation answers: how long it takes to simulate is how long to answer, besides
//! what each request costs on its way through the kernel.
//!
//! Chosen is the least scale at which answers are in time, if there is one, and no request is
//! larger than the kernel hands over whole. An answer is as late as its data take to copy and as
//! others wait to be copied before it (M/D/1: utilisation ρ, service s, waiting ρ s / 2 (1 - ρ)).

use std::time::Instant;

use iopath_analysis::{Findings, analyse, predict};
use iopath_analytic::evaluate;
use iopath_live::{LARGEST_REQUEST, exports, is_in_time};
use iopath_machine::{Root, fuse};
use iopath_path::Network;
use iopath_simulation::{Settings, simulate};
use iopath_study::{Case, Scale};

use super::{Asked, Machine, Made, Prepared, Wanted, epochs, share, too_much};
use crate::exit_status::{ExitStatus, Problem};
use crate::run::emulated::ceiling::Ceiling;
use crate::run::emulated::load::Load;
use crate::run::session;

/// What a case asks of this machine.
struct Answering {
    load: Load,
    ceiling: Ceiling,
    /// Share of a processor that its simulation takes, in real time.
    world: f64,
    /// Mean response in nanoseconds.
    response_ns: f64,
    largest_block: u64,
    /// The largest request that arrives whole.
    largest_request: u64,
}

impl Answering {
    fn of(case: &Case, simulated: &Simulated, ceiling: Ceiling) -> Self {
        let Simulated { findings, world } = simulated;
        let per_sec = findings.operations_per_sec;
        let bytes = findings.throughput_bytes_per_sec / per_sec.max(f64::MIN_POSITIVE);
        let transfers = case.streams.iter().filter(|stream| stream.action.is_transfer());
        Self {
            load: Load { per_sec, bytes, ahead: 0.0 },
            ceiling,
            world: *world,
            response_ns: findings.latency_ns_mean.unwrap_or_default(),
            largest_block: transfers.map(|stream| stream.block.0).max().unwrap_or_default(),
            largest_request: fuse::request_bytes(&Root::live()).min(LARGEST_REQUEST.into()),
        }
    }

    fn simulating(&self, scale: Scale) -> f64 {
        self.world / scale.stretch() as f64
    }

    fn share(&self, scale: Scale) -> f64 {
        share(self.load, scale, self.ceiling) + self.simulating(scale)
    }

    /// Whether requests arrive whole and are answered in time.
    fn is_true(&self, scale: Scale) -> bool {
        let share = self.share(scale);
        let is_whole = self.largest_block / scale.divisor() <= self.largest_request;
        is_whole && share < 1.0 && self.is_in_time(scale, share)
    }

    fn is_in_time(&self, scale: Scale, share: f64) -> bool {
        let bytes = (self.load.bytes / scale.divisor() as f64).min(self.largest_request as f64);
        let copying_ns = 1e9 / self.ceiling.per_sec(bytes);
        let late_ns = copying_ns * (1.0 + share / (2.0 * (1.0 - share)));
        is_in_time((self.response_ns * scale.stretch() as f64) as u64, late_ns as u64)
    }

    fn why(&self, scale: Scale) -> String {
        let simulating = self.simulating(scale) * 100.0;
        let devices = too_much(self.load, scale, self.ceiling);
        format!("{devices}, of which its simulation takes {simulating:.0} % of a processor")
    }
}

/// Such a case, made ready.
pub(super) fn of(
    case: &Case,
    network: &Network,
    wanted: Wanted,
    machine: &mut Machine<'_>,
) -> Result<Prepared, Problem> {
    let name = session::name_of(case);
    let refused = |text: String| Problem::new(ExitStatus::Obstacle, format!("{name}: {text}"));
    let exports =
        |case: &Case| exports(case, network).map_err(|trouble| refused(trouble.to_string()));
    exports(case)?;
    let simulated = Simulated::of(case, network)?;
    let answering = Answering::of(case, &simulated, machine.ceiling()?);
    let findings = simulated.findings;
    let asked = Asked {
        share: &|scale| answering.share(*scale),
        is_true: &|scale| answering.is_true(*scale),
        why: &|scale| answering.why(scale),
    };
    let scale = wanted.scale(case, &asked).map_err(refused)?;
    let scaled = case.scaled(scale).map_err(|error| refused(error.to_string()))?;
    let mut turns = epochs(&predict(&evaluate(case, network)));
    for (turn, found) in turns.iter_mut().zip(&findings.epochs) {
        turn.predicted = found.headline.throughput_bytes_per_sec;
    }
    let exports = exports(&scaled)?;
    Ok(Prepared {
        name,
        predicted: findings.throughput_bytes_per_sec,
        epochs: turns,
        full: None,
        scale,
        made: Made::System { exports, case: Box::new(case.clone()) },
        scaled,
    })
}

/// What a simulation finds.
struct Simulated {
    findings: Findings,
    /// The share of a processor that it takes to be no slower than the clock.
    world: f64,
}

impl Simulated {
    fn of(case: &Case, network: &Network) -> Result<Self, Problem> {
        let begin = Instant::now();
        let record = simulate(case, network, &Settings::default());
        let simulated_s = record.instants_ns.last().map_or(0.0, |last| *last as f64 / 1e9);
        let world = begin.elapsed().as_secs_f64() / simulated_s.max(f64::MIN_POSITIVE);
        let findings = analyse(std::slice::from_ref(&record)).map_err(Problem::unexpected)?;
        Ok(Self { findings, world })
    }
}
