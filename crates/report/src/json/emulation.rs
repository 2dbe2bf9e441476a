//! Emulated cases, measured and as the model has them, `iopath-emulated/2`.

use std::path::Path;
use std::slice;

use serde::Serialize;
use serde_json::Value;

use super::versioned;
use crate::view::emulation::{EmulatedCase, OffModel};

#[derive(Serialize)]
struct Emulated<'a> {
    run: Option<&'a str>,
    cases: Vec<OffModel<'a, EmulatedCase>>,
    #[serde(skip_serializing_if = "Option::is_none")]
    paths: Option<&'a [DevicePath<'a>]>,
}

/// Where a device of an emulated path is.
#[derive(Clone, Copy, Debug, Serialize)]
pub struct DevicePath<'a> {
    /// What it stands for.
    pub device: &'a str,
    /// The file or block device.
    pub path: &'a Path,
}

/// The cases as a value; keys and units are described in `docs/json.md`.
#[must_use]
pub fn emulation_json(run: Option<&str>, cases: &[EmulatedCase]) -> Value {
    versioned("iopath-emulated/2", &Emulated { run, cases: off_model(cases), paths: None })
}

/// A case whose path stands, and where its devices are.
#[must_use]
pub fn standing_json(case: &EmulatedCase, paths: &[DevicePath<'_>]) -> Value {
    let cases = off_model(slice::from_ref(case));
    versioned("iopath-emulated/2", &Emulated { run: None, cases, paths: Some(paths) })
}

fn off_model(cases: &[EmulatedCase]) -> Vec<OffModel<'_, EmulatedCase>> {
    cases.iter().map(OffModel::of_case).collect()
}
