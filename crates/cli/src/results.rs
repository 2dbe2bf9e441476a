//! What a command leaves and shows: the store, pages and other files, the view of a run.

pub(crate) mod contended;
pub(crate) mod described;
pub(crate) mod find_max;
pub(crate) mod levels;
pub(crate) mod machine_profile;
pub(crate) mod measured_path;
pub(crate) mod outputs;
pub(crate) mod page;
pub(crate) mod place;
pub(crate) mod profiled_path;
pub(crate) mod published;
pub(crate) mod service_time;
pub(crate) mod view;
