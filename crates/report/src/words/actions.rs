//! Words for what streams do that moves no data.

use iopath_analysis::ActionFindings;
use iopath_units::Action;

/// What its requests are called.
pub(crate) const fn plural(action: Action) -> &'static str {
    match action {
        Action::Transfer => "requests",
        Action::Trim => "trims",
        Action::Create => "creates",
        Action::Stat => "stats",
        Action::Open => "opens",
        Action::Unlink => "unlinks",
    }
}

/// The action of so many requests, where all of them have one.
pub(crate) fn only(actions: &[ActionFindings], requests: u64) -> Option<&ActionFindings> {
    actions.iter().find(|one| one.requests == requests)
}

/// Whether all that was done moved no data.
pub(crate) fn moves_nothing(actions: &[ActionFindings], requests: u64) -> bool {
    let acted: u64 = actions.iter().map(|one| one.requests).sum();
    acted > 0 && acted == requests
}
