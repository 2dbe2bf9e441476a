//! How many requests this machine carries through emulated devices without any limit: measured
//! with two sizes, since a request costs something for itself and something for each byte.

use std::collections::BTreeSet;
use std::path::PathBuf;
use std::sync::atomic::AtomicBool;

use iopath_emulation::{Device, Options, Rig, System, Up, bring_up, bring_up_live};
use iopath_live::exports;
use iopath_path::Network;
use iopath_study::Scale;
use iopath_units::Nanos;

use super::probe::Probe;
use super::{in_the_way, program};
use crate::exit_status::{ExitStatus, Problem};
use crate::inputs::studies;

/// Time of one request: `fixed + per_byte × bytes`.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(crate) struct Ceiling {
    fixed_sec: f64,
    per_byte_sec: f64,
}

/// Devices that are measured at once: enough to keep both daemons busy.
const DEVICES: usize = 8;
/// The two sizes of requests.
const SIZES: [u64; 2] = [4 << 10, 256 << 10];

/// A path that takes a nanosecond or so for each request.
const LIMITLESS: &str = "study \"calibration\"
path { host \"h\" { disk count=8 size=\"1 GB\" read=\"1000 GB/s\" } }
workload { streams \"s\" over=\"h.disk\" block=\"4 KiB\" }
";

impl Ceiling {
    /// Requests per second of a size.
    pub(crate) fn per_sec(self, bytes: f64) -> f64 {
        1.0 / (self.fixed_sec + self.per_byte_sec * bytes).max(1e-9)
    }

    /// Measures it, for about a second where the machine does not stand still.
    pub(crate) fn measure(options: &Options, interrupted: &AtomicBool) -> Result<Self, Problem> {
        let device = |medium| Device {
            name: format!("calibration[{medium}]"),
            bytes: 1 << 30,
            groups: Vec::new(),
            latency: Nanos(0),
            medium,
        };
        let rig = Rig { groups: Vec::new(), devices: (0..DEVICES).map(device).collect() };
        Self::on(bring_up(&rig, options, interrupted).map_err(in_the_way)?, interrupted)
    }

    /// The same of files that a system without any limit to speak of answers.
    pub(crate) fn of_live(options: &Options, interrupted: &AtomicBool) -> Result<Self, Problem> {
        let planned = studies::plan("(calibration)", LIMITLESS.to_owned(), &[])?;
        let case = &planned.plan.trials[0].case;
        let network = Network::build(case, &BTreeSet::new());
        let network = network.map_err(|_| Problem::unexpected("a path without a network"))?;
        let exports = exports(case, &network).map_err(Problem::unexpected)?;
        let program = program()?;
        let system = System {
            case,
            scale: Scale::ONE,
            exports: &exports,
            seed: 1,
            fails: &[],
            arrivals: None,
            fails_when_asked: false,
            program: &program,
        };
        Self::on(bring_up_live(&system, options, interrupted).map_err(in_the_way)?, interrupted)
    }

    /// On devices that are taken away then.
    fn on(up: Up, interrupted: &AtomicBool) -> Result<Self, Problem> {
        let rate = |bytes| rate(up.paths(), bytes, interrupted);
        let [small, large] = SIZES;
        let found = rate(small).and_then(|many| Ok(((small, many), (large, rate(large)?))));
        up.tear_down().map_err(Problem::unexpected)?;
        found.map(|(small, large)| Self::through(small, large))
    }

    /// The line through two points.
    pub(super) fn through((small, many): (u64, f64), (large, few): (u64, f64)) -> Self {
        let (short, long) = (1.0 / many, 1.0 / few);
        let per_byte_sec = ((long - short) / (large - small) as f64).max(0.0);
        let fixed_sec = (short - per_byte_sec * small as f64).max(0.0);
        Self { fixed_sec, per_byte_sec }
    }
}

/// Lengths of a pass and of its warm-up: the next longer one where nothing came back within the
/// first, as on a machine that stood still for that time.
const TIMES: [&str; 3] = [
    "time=\"0.4 s\" warm-up=\"0.1 s\"",
    "time=\"2 s\" warm-up=\"0.1 s\"",
    "time=\"10 s\" warm-up=\"0.1 s\"",
];

/// Requests per second of one size on devices without limits.
fn rate(paths: &[PathBuf], block: u64, interrupted: &AtomicBool) -> Result<f64, Problem> {
    for times in TIMES {
        let found = Probe { block, times }.run(paths, interrupted)?.operations_per_sec;
        if found > 0.0 {
            return Ok(found);
        }
    }
    Err(Problem::new(ExitStatus::Failed, "no data was transferred in the calibration"))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_request_costs_for_itself_and_for_its_bytes() {
        let ceiling = Ceiling::through((4096, 50_000.0), (262_144, 5_000.0));
        assert!((ceiling.per_sec(4096.0) - 50_000.0).abs() < 1.0);
        assert!((ceiling.per_sec(262_144.0) - 5_000.0).abs() < 1.0);
        assert!(ceiling.per_sec(131_072.0) < 10_000.0);
    }
}
