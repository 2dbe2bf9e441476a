//! `iopath compare A B`: the difference of two runs, with confidence where the passes allow it.

use iopath_analysis::compare;
use iopath_record::Record;
use iopath_report::{ComparedRun, Detail, RunFacts, comparison_json, compose};
use iopath_store::Store;

use crate::arguments::Compare;
use crate::exit_status::{ExitStatus, Problem};
use crate::output;
use crate::results::{place, view};

pub(crate) fn run(arguments: &Compare) -> Result<ExitStatus, Problem> {
    let store = place::existing_store(&arguments.store)?;
    let (a, b) = (stored(&store, &arguments.a)?, stored(&store, &arguments.b)?);
    if a.facts.id == b.facts.id {
        output::tell("A and B are the same run");
    }
    let comparison = compare(&a.records, &b.records).map_err(Problem::mistake)?;
    if arguments.show.json {
        output::print_json(&comparison_json(&comparison))?;
    } else {
        let system = arguments.show.system();
        let document = compose::comparison(&comparison, &[a.named(), b.named()], system);
        output::print_document(&document, Detail::Brief, system)?;
    }
    Ok(ExitStatus::Done)
}

/// One of the two.
struct StoredRun {
    facts: RunFacts,
    /// At least one.
    records: Vec<Record>,
}

impl StoredRun {
    fn named(&self) -> ComparedRun<'_> {
        let study = self.records.first().map_or("", |record| record.case.study.as_str());
        ComparedRun { facts: &self.facts, study }
    }
}

fn stored(store: &Store, name: &str) -> Result<StoredRun, Problem> {
    let id = store.resolve(name).map_err(place::problem)?;
    let records = store.records(id).map_err(Problem::unexpected)?;
    if records.is_empty() {
        let why = "no pass completed, so there is nothing to compare";
        return Err(Problem::mistake(format!("run {id}: {why}")));
    }
    let begin = store.run(id).map_err(Problem::unexpected)?.begin;
    Ok(StoredRun { facts: view::facts(&begin, Some(id), None), records })
}
