//! What only the user knows: units, intervals and directions that a text does not tell.

use std::collections::BTreeMap;

use iopath_units::{Bytes, Nanos, Op};

use crate::{Source, Tool, Wrong};

/// What the user said besides the files.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Asked {
    /// Units of tools that print none, as typed: `MiB`, `512 B`.
    pub units: BTreeMap<Tool, String>,
    /// Time from one report to the next, where the text has no times.
    pub interval: Option<Nanos>,
    /// What to do with the first report of a tool that begins with what happened since boot.
    pub first: First,
    /// What a load did, where its text does not tell.
    pub op: Option<Op>,
    /// Bytes of a request of a load, where its text does not tell.
    pub block: Option<Bytes>,
    /// How far local times are ahead of UTC, in seconds.
    pub zone: Option<i32>,
}

/// The first report of `iostat` and `vxstat`, which is of the time since boot unless an option
/// (`iostat -y`) left that out; the text is the same.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum First {
    /// Of the time since boot, or not known: left out.
    #[default]
    LeftOut,
    /// Of an interval like the others.
    Kept,
}

/// What `--unit` means to tools with prefixes: thousands or 1024s.
pub(crate) fn prefix(source: Source<'_>, asked: &Asked, tool: Tool) -> Result<u64, Wrong> {
    let hint = format!("use --unit {tool}=MB for factors of 1000, --unit {tool}=MiB for 1024");
    let Some(text) = asked.units.get(&tool) else {
        let what = format!("{tool} does not say whether its prefixes are 1000 or 1024");
        return Err(Wrong::of(source.name, what, hint));
    };
    match text.as_str() {
        "kB" | "KB" | "MB" | "GB" => Ok(1000),
        "KiB" | "MiB" | "GiB" => Ok(1024),
        _ => Err(Wrong::of(source.name, format!("\"{text}\" is no unit of {tool}"), hint)),
    }
}
