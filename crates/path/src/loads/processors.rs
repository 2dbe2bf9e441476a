//! Streams whose processor time nothing says: no model counts it.

use std::collections::BTreeSet;

use iopath_study::case::Case;

use crate::legs::Builder;
use crate::network::Mechanism;
use crate::running::Running;

/// One mechanism for each declaration of such streams.
pub(super) fn unpriced(
    case: &Case,
    builder: &Builder<'_>,
    running: &[Running],
) -> BTreeSet<Mechanism> {
    let is_unpriced = |one: &&Running| {
        let place = one.place.component();
        !place.is_some_and(|place| builder.has_processor_time(place))
    };
    let groups = running.iter().filter(is_unpriced).map(|one| &case.streams[one.stream].group);
    let mechanism = |group: &String| Mechanism {
        kind: "processor-time",
        text: format!("{group} runs where no cpus are stated, so its processor time is ignored"),
        decides: false,
    };
    groups.map(mechanism).collect()
}
