//! Runs and records to store.

use iopath_record::{Record, from_json};
use iopath_store::NewRun;

const TWO_STREAMS: &str = include_str!("../../../record/tests/fixtures/v1/two-streams.json");

pub(crate) fn run(command: &str) -> NewRun {
    NewRun {
        command: command.to_owned(),
        study: "study \"Größe\"\n".to_owned(),
        version: "0.1.0".to_owned(),
        started_unix_ns: 1_790_000_000_000_000_000,
        host: "server1".to_owned(),
    }
}

pub(crate) fn record(trial: u32, pass: u32) -> Record {
    let mut record = from_json(TWO_STREAMS).expect("a fixture of the record crate opens");
    record.case.trial = trial;
    record.case.pass = pass;
    record
}
