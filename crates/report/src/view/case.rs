//! A case and who answered it, as every format writes them.

use std::collections::BTreeMap;

use iopath_record::{CaseText, Technique};
use serde::{Serialize, Serializer};

/// What was asked for. All passes have it, so the pass is left out.
#[derive(Serialize)]
#[serde(remote = "CaseText")]
pub(crate) struct Case {
    study: String,
    experiment: String,
    levels: BTreeMap<String, String>,
    text: String,
    trial: u32,
    seed: u64,
}

/// Who answered, by name.
pub(crate) fn technique<S: Serializer>(of: &Technique, to: S) -> Result<S::Ok, S::Error> {
    to.serialize_str(of.name())
}
