//! What was understood of the texts of other tools.

use iopath_record::{Record, Warning};

/// One text.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct ImportedFile {
    /// The file's name.
    pub file: String,
    /// Whose text it is.
    pub tool: &'static str,
    /// Where its intervals begin and end, in ns since it began; empty where it has none.
    pub edges_ns: Vec<u64>,
}

impl ImportedFile {
    /// How long its intervals last together; none where it has none.
    pub(crate) fn span_ns(&self) -> Option<u64> {
        self.edges_ns.last().zip(self.edges_ns.first()).map(|(last, first)| last - first)
    }
}

/// Names of what has figures, by kind, in the order in which kinds appear.
pub(crate) fn kinds(records: &[Record]) -> Vec<(String, Vec<&str>)> {
    let mut kinds: Vec<(String, Vec<&str>)> = Vec::new();
    for entity in records.iter().flat_map(|record| &record.entities) {
        let place = kinds.iter().position(|(kind, _)| kind == entity.kind.as_str());
        let place = place.unwrap_or_else(|| {
            kinds.push((entity.kind.to_string(), Vec::new()));
            kinds.len() - 1
        });
        let names = &mut kinds[place].1;
        if !names.contains(&entity.name.as_str()) {
            names.push(&entity.name);
        }
    }
    kinds
}

/// The warnings of all records, equal ones once.
pub(crate) fn warnings(records: &[Record]) -> Vec<&Warning> {
    let mut all: Vec<&Warning> = Vec::new();
    for warning in records.iter().flat_map(|record| &record.warnings) {
        if !all.contains(&warning) {
            all.push(warning);
        }
    }
    all
}
