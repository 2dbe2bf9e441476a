//! Texts of one run on one time axis, as records.
//!
//! Each text begins where its clock says, or where the user says. The instants of the record are
//! those of all texts; what a text does not tell at an instant of another is missing there. A
//! counter starts at 0 and grows by what each interval moved, rounded once and not at each step.
//! Nobody tells how a load went over time, so where streams began or ended apart their totals are
//! divided over the phases evenly.

use std::collections::BTreeSet;

use iopath_record::{CaseText, ClockNote, Record, Technique, Warning};

use crate::Wrong;
use crate::imported::{Imported, Start};
use crate::stamp::unix;

mod axis;
mod entities;
mod phases;
mod relate;
mod series;

pub use relate::Relate;

/// What holds for all texts of a run.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Together {
    /// What the run is called.
    pub title: Option<String>,
    /// When texts begin whose clocks do not tell.
    pub begins: Vec<Begin>,
    /// Whose traffic reappears where.
    pub relates: Vec<Relate>,
}

/// When a text begins, said by the user.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Begin {
    /// The file's name, as given.
    pub file: String,
    /// In ns after the first text of the command began; before it where negative.
    pub after_ns: i64,
}

/// The kind of the warnings of a record that say what an import left out or took for granted.
pub(crate) const WARNING: &str = "imported";

/// The records of one run: one, or one a course where a single text has several.
///
/// # Errors
/// Where it is not known when texts began, several texts cannot be put together, or a relation
/// names what is not there.
pub fn merge(all: &[Imported], together: &Together) -> Result<Vec<Record>, Wrong> {
    let Some(first) = all.first() else {
        return Err(Wrong::of("import", "no file to import", "name one"));
    };
    if all.len() > 1
        && let Some(many) = all.iter().find(|one| one.courses.len() > 1)
    {
        let what = "has tests that ran in turn, at unknown times";
        return Err(Wrong::of(&many.file, what, "import it alone"));
    }
    let axis = axis::lay(all, together)?;
    let mut base = Record {
        format: Record::FORMAT,
        case: case(all, together),
        technique: Technique::Observation,
        environment: environment(all),
        entities: Vec::new(),
        relations: Vec::new(),
        clock: ClockNote { started_unix_ns: started(all, &axis).unwrap_or_default(), error_ns: 0 },
        instants_ns: instants(all, &axis),
        series: Vec::new(),
        streams: Vec::new(),
        heat: Vec::new(),
        bounds: Vec::new(),
        bad_blocks: Default::default(),
        curve: Vec::new(),
        events: Vec::new(),
        warnings: warnings(all),
    };
    let places = entities::things(all, &mut base);
    series::all(all, &axis, &places, &mut base);
    let courses = first.courses.len().max(1);
    let mut records = Vec::new();
    for course in 0..courses {
        let mut record = base.clone();
        entities::streams(all, course, &axis, &places, &mut record);
        relate::all(&together.relates, &mut record)?;
        record.case.trial = u32::try_from(course).unwrap_or(u32::MAX);
        records.push(checked(record, &first.file)?);
    }
    Ok(records)
}

/// Figures of a damaged text may leave what a record can hold.
fn checked(record: Record, file: &str) -> Result<Record, Wrong> {
    match record.validate().first() {
        None => Ok(record),
        Some(broken) => {
            let what = format!("its figures contradict each other: {broken}");
            Err(Wrong::of(file, what, "look for an impossible figure"))
        }
    }
}

fn case(all: &[Imported], together: &Together) -> CaseText {
    let tools: BTreeSet<&str> = all.iter().map(|one| one.tool.name()).collect();
    let tools = tools.into_iter().collect::<Vec<_>>().join(", ");
    CaseText {
        study: together.title.clone().unwrap_or_else(|| format!("imported from {tools}")),
        experiment: tools,
        ..CaseText::default()
    }
}

/// The facts of all texts; where two differ, the first is right and the other tells its file.
fn environment(all: &[Imported]) -> std::collections::BTreeMap<String, String> {
    let mut facts = std::collections::BTreeMap::new();
    for one in all {
        facts.insert(format!("import.{}", one.file), one.tool.name().to_owned());
        for (name, value) in &one.facts {
            let is_other = facts.get(name).is_some_and(|known| known != value);
            let name = if is_other { format!("{name} ({})", one.file) } else { name.clone() };
            facts.insert(name, value.clone());
        }
    }
    facts
}

fn warnings(all: &[Imported]) -> Vec<Warning> {
    let told = all.iter().flat_map(|one| {
        one.notes.iter().map(|note| {
            let line = note.line.map(|line| format!(":{line}")).unwrap_or_default();
            Warning { kind: WARNING.to_owned(), text: format!("{}{line}: {}", one.file, note.text) }
        })
    });
    told.collect()
}

/// Wall clock at 0 of the axis, by the first text that knows it.
fn started(all: &[Imported], axis: &[u64]) -> Option<u64> {
    all.iter().zip(axis).find_map(|(one, begin)| match one.start {
        Start::Unix(start) => start.checked_sub(*begin),
        Start::Local(_) | Start::Unknown => None,
    })
}

fn instants(all: &[Imported], axis: &[u64]) -> Vec<u64> {
    let mut edges = BTreeSet::new();
    for (one, begin) in all.iter().zip(axis) {
        edges.extend(one.edges_after(*begin));
    }
    edges.into_iter().collect()
}

/// A start in ns since 1970, or as if its local time were UTC.
fn nominal(start: Start) -> Option<i128> {
    match start {
        Start::Unix(ns) => Some(i128::from(ns)),
        Start::Local(at) => unix(at, 0).map(i128::from),
        Start::Unknown => None,
    }
}
