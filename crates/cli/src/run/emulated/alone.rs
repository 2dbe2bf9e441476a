//! Each device measured alone, against the tightest of its own rates.
//!
//! A group starts with credit for 100 ms, which the warm-up uses up.

use std::collections::BTreeSet;
use std::path::PathBuf;
use std::sync::atomic::{AtomicBool, Ordering::Relaxed};

use iopath_report::Alone;

use super::load::LARGEST;
use super::prepared::{Made, Prepared};
use super::probe::Probe;
use crate::exit_status::Problem;

/// A pass on one device, behind its warm-up: long enough for some twenty requests of the studies.
const TIMES: &str = "time=\"0.6 s\" warm-up=\"0.3 s\"";

/// Measures every device that has a rate of its own and is not known yet: cases of a study have
/// many devices in common.
pub(crate) fn each(
    (prepared, paths): (&Prepared, &[PathBuf]),
    known: &mut BTreeSet<(String, u64)>,
    interrupted: &AtomicBool,
) -> Result<Option<Alone>, Problem> {
    let mut found: Option<Alone> = None;
    let block = prepared.scaled.streams.iter().map(|stream| stream.block.0).min().unwrap_or(4096);
    let Made::Rates(plan) = &prepared.made else { return Ok(None) };
    for (device, path) in paths.iter().enumerate() {
        if interrupted.load(Relaxed) {
            break;
        }
        let name = &plan.rig.devices[device].name;
        let (read, _) = plan.alone(device);
        let Some(rated) = read.filter(|rated| known.insert((name.clone(), rated.0))) else {
            continue;
        };
        let probe = Probe { block: block.min(LARGEST), times: TIMES };
        let carried = probe.run(std::slice::from_ref(path), interrupted)?.throughput_bytes_per_sec;
        let share = carried / rated.0 as f64;
        found = Some(add(found, share, name));
    }
    Ok(found)
}

fn add(found: Option<Alone>, share: f64, name: &str) -> Alone {
    let first = || Alone { devices: 0, least: share, most: share, least_device: name.to_owned() };
    let mut alone = found.unwrap_or_else(first);
    alone.devices += 1;
    alone.most = alone.most.max(share);
    if share < alone.least {
        (alone.least, alone.least_device) = (share, name.to_owned());
    }
    alone
}
