//! The commands, one a file.

pub(crate) mod check;
pub(crate) mod compare;
pub(crate) mod discover;
pub(crate) mod emulate;
pub(crate) mod explain;
pub(crate) mod import;
pub(crate) mod layout;
pub(crate) mod list;
pub(crate) mod manual;
pub(crate) mod measure;
pub(crate) mod place;
pub(crate) mod plan;
pub(crate) mod predict;
pub(crate) mod profile;
pub(crate) mod report;
pub(crate) mod runbook;
pub(crate) mod serve;
pub(crate) mod show;
pub(crate) mod simulate;
pub(crate) mod size;
pub(crate) mod transfer;
pub(crate) mod tune;
pub(crate) mod validate;
pub(crate) mod verify;
pub(crate) mod watch;
