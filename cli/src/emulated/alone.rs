//! Each device measured alone, against the tightest of its own rates.
//!
//! A group starts with credit for 100 ms, which the warm-up uses up.

use std::collections::BTreeSet;
use std::path::{Path, PathBuf};
use std::sync::atomic::{AtomicBool, Ordering::Relaxed};

use iopath_analysis::analyse;
use iopath_machine::Root;
use iopath_measurement::{Doors, Next, Targets, measure};
use iopath_report::Alone;
use iopath_study::Case;

use super::prepared::Prepared;
use crate::ending::{Ending, Problem};
use crate::studies;

/// A pass on one device, behind its warm-up: long enough for some twenty requests of the studies.
const TIMES: &str = "time=\"0.6 s\" warm-up=\"0.3 s\"";

/// The kernel cuts what it hands to FUSE into pieces of this size.
const LARGEST: u64 = 1 << 20;

/// Measures every device that has a rate of its own and is not known yet: cases of a study have
/// many devices in common.
pub(crate) fn each(
    (prepared, paths): (&Prepared, &[PathBuf]),
    known: &mut BTreeSet<(String, u64)>,
    interrupted: &AtomicBool,
) -> Result<Option<Alone>, Problem> {
    let mut found: Option<Alone> = None;
    let block = prepared.scaled.streams.iter().map(|stream| stream.block.0).min().unwrap_or(4096);
    for (device, path) in paths.iter().enumerate() {
        if interrupted.load(Relaxed) {
            break;
        }
        let name = &prepared.plan.rig.devices[device].name;
        let (read, _) = prepared.plan.alone(device);
        let Some(rated) = read.filter(|rated| known.insert((name.clone(), rated.0))) else {
            continue;
        };
        let share = rate(path, block.min(LARGEST), interrupted)? / rated.0 as f64;
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

/// Bytes per second that a device gives alone.
fn rate(path: &Path, block: u64, interrupted: &AtomicBool) -> Result<f64, Problem> {
    let case = case(path, block)?;
    let root = Root::live();
    let mut targets = Targets::new(root.clone(), ".".into());
    let mut records = Vec::new();
    let mut keep = |record| {
        records.push(record);
        Next::Enough
    };
    let doors = Doors { root: &root, interrupted, tell: &mut |_| {}, keep: &mut keep };
    measure(&case, 0, &mut targets, doors).map_err(|error| Problem::new(Ending::Failed, error))?;
    let findings = analyse(&records).map_err(Problem::unexpected)?;
    Ok(findings.throughput_bytes_per_sec)
}

fn case(path: &Path, block: u64) -> Result<Case, Problem> {
    let text = format!(
        "study \"one device\"\nlayout {{ file \"data\" }}\n\
         bind from=\"data\" to=\"{}\"\n\
         workload {TIMES} {{\n\
         streams \"alone\" over=\"data\" op=\"read\" block=\"{block} B\" depth=4\n}}\n",
        path.display(),
    );
    let planned = studies::plan("(one device)", text, &[])?;
    let first = planned.plan.trials.into_iter().next();
    first.map(|trial| trial.case).ok_or_else(|| Problem::unexpected("no case for one device"))
}
