//! How many requests this machine carries through emulated devices without any limit: measured
//! with two sizes, since a request costs something for itself and something for each byte.

use std::path::Path;
use std::sync::atomic::AtomicBool;

use iopath_analysis::analyse;
use iopath_emulation::{Device, Options, Rig, bring_up};
use iopath_machine::Root;
use iopath_measurement::{Doors, Next, Targets, measure};
use iopath_study::Case;
use iopath_units::Nanos;

use super::run::in_the_way;
use crate::ending::{Ending, Problem};
use crate::studies;

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

impl Ceiling {
    /// Requests per second of a size.
    pub(crate) fn per_sec(self, bytes: f64) -> f64 {
        1.0 / (self.fixed_sec + self.per_byte_sec * bytes).max(1e-9)
    }

    /// Measures it, for about a second.
    pub(crate) fn measure(options: &Options, interrupted: &AtomicBool) -> Result<Self, Problem> {
        let device = |medium| Device {
            name: format!("calibration[{medium}]"),
            bytes: 1 << 30,
            groups: Vec::new(),
            latency: Nanos(0),
            medium,
        };
        let rig = Rig { groups: Vec::new(), devices: (0..DEVICES).map(device).collect() };
        let up = bring_up(&rig, options, interrupted).map_err(in_the_way)?;
        let found = SIZES.map(|bytes| rate(up.paths(), bytes, interrupted));
        up.tear_down().map_err(Problem::unexpected)?;
        let [small, large] = found;
        Ok(Self::through((SIZES[0], small?), (SIZES[1], large?)))
    }

    /// The line through two points.
    fn through((small, many): (u64, f64), (large, few): (u64, f64)) -> Self {
        let (short, long) = (1.0 / many, 1.0 / few);
        let per_byte_sec = ((long - short) / (large - small) as f64).max(0.0);
        let fixed_sec = (short - per_byte_sec * small as f64).max(0.0);
        Self { fixed_sec, per_byte_sec }
    }
}

/// Requests per second of one size on devices without limits.
fn rate(paths: &[impl AsRef<Path>], bytes: u64, interrupted: &AtomicBool) -> Result<f64, Problem> {
    let case = case(paths, bytes)?;
    let root = Root::live();
    let mut targets = Targets::new(root.clone(), ".".into());
    let obstacles = targets.obstacles(std::slice::from_ref(&case), &[]);
    if let Some(obstacle) = obstacles.first() {
        return Err(Problem::new(Ending::Obstacle, obstacle));
    }
    let mut records = Vec::new();
    let mut keep = |record| {
        records.push(record);
        Next::Enough
    };
    let doors = Doors { root: &root, interrupted, tell: &mut |_| {}, keep: &mut keep };
    measure(&case, 0, &mut targets, doors).map_err(|error| Problem::new(Ending::Failed, error))?;
    let findings = analyse(&records).map_err(Problem::unexpected)?;
    if findings.operations_per_sec > 0.0 {
        return Ok(findings.operations_per_sec);
    }
    Err(Problem::new(Ending::Failed, "the calibration of this machine moved nothing"))
}

fn case(paths: &[impl AsRef<Path>], bytes: u64) -> Result<Case, Problem> {
    let names: Vec<String> = paths.iter().map(|path| path.as_ref().display().to_string()).collect();
    let text = format!(
        "study \"calibration\"\nlayout {{ file \"data\" count={} }}\n\
         bind from=\"data\" to=\"{}\"\n\
         workload time=\"0.4 s\" warm-up=\"0.1 s\" {{\n\
         streams \"all\" over=\"data\" op=\"read\" block=\"{bytes} B\" depth=4\n}}\n",
        names.len(),
        names.join(", "),
    );
    let planned = studies::plan("(calibration)", text, &[])?;
    let first = planned.plan.trials.into_iter().next();
    first.map(|trial| trial.case).ok_or_else(|| Problem::unexpected("no case to calibrate with"))
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
