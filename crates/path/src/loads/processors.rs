//! Streams whose processor time nothing says: no model counts it.

use std::collections::BTreeSet;

use iopath_study::case::Case;

use crate::legs::{Builder, Missing};
use crate::network::Mechanism;
use crate::running::Running;

/// One mechanism for each declaration of such streams.
pub(super) fn unpriced(
    case: &Case,
    builder: &Builder<'_>,
    running: &[Running],
) -> BTreeSet<Mechanism> {
    let mechanism = |one: &Running| {
        let missing = builder.missing_processor_time(one.place.component())?;
        let group = &case.streams[one.stream].group;
        let text = match missing {
            Missing::Processors => {
                format!("{group} runs where no cpus are stated, so its processor time is ignored")
            }
            Missing::Request => {
                format!("{group}: no cost states a request where it runs, so requests take none")
            }
        };
        Some(Mechanism { kind: "processor-time", text, decides: false })
    };
    running.iter().filter_map(mechanism).collect()
}
