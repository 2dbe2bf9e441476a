//! What targets hold after a crash, `iopath-verification/1`.

use iopath_record::{AfterCrash, BadBlocks, LostWrite};
use serde::Serialize;
use serde_json::Value;

use super::versioned;
use crate::view::crash::CrashReport;

#[derive(Serialize)]
struct Verification<'a> {
    run: &'a str,
    is_current: bool,
    is_intact: Option<bool>,
    targets: Vec<Target<'a>>,
    problems: &'a [String],
}

#[derive(Serialize)]
struct Target<'a> {
    target: &'a str,
    unit_bytes: u64,
    units: u64,
    flushed_units: u64,
    intact_units: u64,
    lost_units: u64,
    torn_units: u64,
    bad_units: u64,
    lost: &'a [LostWrite],
    torn: &'a [LostWrite],
    bad_blocks: &'a BadBlocks,
}

/// The targets as a value; keys and units are described in `docs/json.md`.
#[must_use]
pub fn crash_json(report: &CrashReport) -> Value {
    let verification = Verification {
        run: &report.run,
        is_current: report.is_current,
        is_intact: report.is_intact(),
        targets: report.targets.iter().map(target).collect(),
        problems: &report.problems,
    };
    versioned("iopath-verification/1", &verification)
}

fn target(of: &AfterCrash) -> Target<'_> {
    Target {
        target: &of.target,
        unit_bytes: of.unit_bytes,
        units: of.units(),
        flushed_units: of.flushed_units,
        intact_units: of.intact_units,
        lost_units: of.lost.units,
        torn_units: of.torn.units,
        bad_units: of.bad_blocks.total(),
        lost: &of.lost.listed,
        torn: &of.torn.listed,
        bad_blocks: &of.bad_blocks,
    }
}
