//! What the user says that texts do not.

use std::collections::BTreeMap;

use iopath_import::{Asked, First, Tool, zone};
use iopath_units::{Op, UnitError};

use crate::arguments::ImportOptions;

pub(super) fn of(options: &ImportOptions) -> Result<Asked, String> {
    let told = |name: &'static str| move |error: UnitError| format!("--{name}: {error}");
    let interval = options.interval.as_deref().map(str::parse).transpose();
    let block = options.block.as_deref().map(str::parse).transpose();
    let first = if options.keep_first { First::Kept } else { First::LeftOut };
    let zone = options.zone.as_deref().map(|text| {
        zone(text).ok_or_else(|| format!("--zone: \"{text}\" is no offset such as +02:00 or UTC"))
    });
    Ok(Asked {
        units: units(&options.unit)?,
        interval: interval.map_err(told("interval"))?,
        first,
        op: op(options.op.as_deref())?,
        block: block.map_err(told("block"))?,
        zone: zone.transpose()?,
    })
}

fn units(all: &[String]) -> Result<BTreeMap<Tool, String>, String> {
    let one = |text: &String| {
        let (tool, unit) = text.split_once('=').ok_or_else(|| {
            format!("--unit: \"{text}\" is not TOOL=UNIT such as portperfshow=MiB")
        })?;
        let tool: Tool = tool.parse().map_err(|error| format!("--unit: {error}"))?;
        Ok((tool, unit.trim().to_owned()))
    };
    all.iter().map(one).collect()
}

fn op(text: Option<&str>) -> Result<Option<Op>, String> {
    match text {
        None => Ok(None),
        Some("read") => Ok(Some(Op::Read)),
        Some("write") => Ok(Some(Op::Write)),
        Some(other) => Err(format!("--op: \"{other}\" is neither read nor write")),
    }
}
