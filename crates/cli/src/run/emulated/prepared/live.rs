//! A case that its simulation answers, made ready: simulated, this machine calibrated, and the
//! scale chosen from what both say.

mod answering;

use std::time::Instant;

use iopath_analysis::{Findings, analyse, predict};
use iopath_analytic::evaluate;
use iopath_live::{LARGEST_REQUEST, exports};
use iopath_machine::{Root, fuse};
use iopath_path::Network;
use iopath_simulation::{Settings, simulate};
use iopath_study::Case;

use self::answering::{Answering, Carries, Needs};
use super::{Machine, Made, Prepared, Wanted, epochs};
use crate::exit_status::{ExitStatus, Problem};
use crate::output;
use crate::run::emulated::load::Load;
use crate::run::session;

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
    let answering = Answering { needs: simulated.needs(case), carries: carries(machine)? };
    let findings = simulated.findings;
    let scale = answering.scale(wanted, case).map_err(refused)?;
    if let Some(note) = answering.note(scale, case) {
        output::tell(&format!("{name}: {note}"));
    }
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

    fn needs(&self, case: &Case) -> Needs {
        let per_sec = self.findings.operations_per_sec;
        let bytes = self.findings.throughput_bytes_per_sec / per_sec.max(f64::MIN_POSITIVE);
        let transfers = case.streams.iter().filter(|stream| stream.action.is_transfer());
        Needs {
            load: Load { per_sec, bytes, ahead: 0.0 },
            world: self.world,
            response_ns: self.findings.latency_ns_mean.unwrap_or_default(),
            largest_block: transfers.map(|stream| stream.block.0).max().unwrap_or_default(),
        }
    }
}

fn carries(machine: &mut Machine<'_>) -> Result<Carries, Problem> {
    let largest_request = fuse::request_bytes(&Root::live()).min(LARGEST_REQUEST.into());
    Ok(Carries { ceiling: machine.ceiling()?, largest_request })
}
