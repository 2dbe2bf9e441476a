//! Fills a store with copies of its newest run until it has so many: the same study and records,
//! each begun a minute after the one before, on one of a hundred machines (chosen, so that a search
//! for one finds more than a page of a list). Each is written as a run is: begun, record by record,
//! ended.
//!
//! `cargo run --release -p iopath-store --example many_runs STORE COUNT`

use std::error::Error;
use std::path::Path;

use iopath_store::{NewRun, RunState, Store};

const MACHINES: u64 = 100;

const MINUTE_NS: u64 = 60_000_000_000;

fn main() -> Result<(), Box<dyn Error>> {
    let words: Vec<String> = std::env::args().skip(1).collect();
    let [path, count] = &words[..] else { return Err("name a store and how many runs".into()) };
    let store = Store::open(Path::new(path))?;
    let model = store.run(store.resolve("last")?)?;
    let end = model.end.ok_or("the newest run has not ended")?;
    let records = store.records(model.id)?;
    for n in model.id.0 + 1..=count.parse()? {
        let later_ns = (n - model.id.0) * MINUTE_NS;
        let run = store.begin_run(&NewRun {
            started_unix_ns: model.begin.started_unix_ns + later_ns,
            host: format!("machine-{:02}", n % MACHINES),
            ..model.begin.clone()
        })?;
        for record in &records {
            store.append(run, record)?;
        }
        store.end_run(run, &RunState::Finished, end.ended_unix_ns + later_ns)?;
    }
    Ok(())
}
