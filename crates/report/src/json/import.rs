//! What was understood of the texts of other tools, `iopath-import/1`.

use std::collections::BTreeMap;

use iopath_record::{Record, Warning};
use serde::Serialize;
use serde_json::Value;

use super::versioned;
use crate::view::import::{ImportedFile, kinds, warnings};

#[derive(Serialize)]
struct Import<'a> {
    run: &'a str,
    files: Vec<File<'a>>,
    trials: usize,
    entities: BTreeMap<String, Vec<&'a str>>,
    warnings: Vec<&'a Warning>,
}

#[derive(Serialize)]
struct File<'a> {
    file: &'a str,
    tool: &'static str,
    intervals: usize,
    span_ns: Option<u64>,
}

/// The import as a value; keys and units are described in `docs/json.md`.
#[must_use]
pub fn import_json(run: &str, files: &[ImportedFile], records: &[Record]) -> Value {
    let import = Import {
        run,
        files: files.iter().map(file).collect(),
        trials: records.len(),
        entities: kinds(records).into_iter().collect(),
        warnings: warnings(records),
    };
    versioned("iopath-import/1", &import)
}

fn file(of: &ImportedFile) -> File<'_> {
    File {
        file: &of.file,
        tool: of.tool,
        intervals: of.edges_ns.len().saturating_sub(1),
        span_ns: of.span_ns(),
    }
}
