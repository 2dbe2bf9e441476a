//! Cases measured, simulated or emulated: sessions, progress, signals, what is kept.

pub(crate) mod continued;
pub(crate) mod crew;
pub(crate) mod emulated;
pub(crate) mod facts;
pub(crate) mod guard;
pub(crate) mod journals;
pub(crate) mod kept;
pub(crate) mod live_status;
pub(crate) mod models;
pub(crate) mod parallel;
pub(crate) mod placing;
pub(crate) mod probing;
pub(crate) mod profiling;
pub(crate) mod progress;
pub(crate) mod ranks;
pub(crate) mod searched;
pub(crate) mod session;
pub(crate) mod signals;
pub(crate) mod sizing;
pub(crate) mod tuning;
