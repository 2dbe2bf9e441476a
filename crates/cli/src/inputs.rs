//! What a command is about, from what was typed and from study files: cases, the paths they take,
//! targets. Nothing runs here.

pub(crate) mod again;
pub(crate) mod chosen;
pub(crate) mod experiment;
pub(crate) mod filter;
pub(crate) mod flags;
pub(crate) mod locate;
pub(crate) mod machine;
pub(crate) mod measurable;
pub(crate) mod named;
pub(crate) mod path_source;
pub(crate) mod paths;
pub(crate) mod profiled;
pub(crate) mod quick;
pub(crate) mod runbook;
pub(crate) mod studies;
pub(crate) mod tunable;
