//! The simulation of small studies. Any bytes are the recipe of a study, each byte a choice.
//!
//! Whatever comes out of it must be simulated to its end without a panic, and leave a record that
//! is valid and breaks no law.

mod recipe;

use std::collections::BTreeSet;

use iopath_path::Network;
use iopath_record::{Phase, Record};
use iopath_simulation::{Settings, simulate};
use iopath_study::{Case, Source, parse};
use iopath_units::Nanos;

/// Events of a simulation: chosen, so that an input takes a few milliseconds.
const MOST_EVENTS: u64 = 10_000;

pub(super) fn forms(input: Vec<u8>) -> Vec<Vec<u8>> {
    vec![input]
}

pub(super) fn feed(input: &[u8]) -> String {
    let text = recipe::study(input);
    let source = Source { name: "fuzz.kdl".into(), text: text.clone() };
    let cases = parse(&source, &[]).and_then(|study| study.cases());
    let cases = match cases {
        Ok(cases) => cases,
        Err(mistakes) => {
            let kinds: BTreeSet<String> =
                mistakes.list.iter().map(|one| format!("{:?}", one.kind)).collect();
            return format!("refused: {kinds:?}");
        }
    };
    let Some(case) = cases.first() else { return "no case".to_owned() };
    match Network::build(case, &BTreeSet::new()) {
        Ok(network) => run(case, &network, &text),
        Err(mistakes) => format!("a path with {} mistakes", mistakes.len().min(4)),
    }
}

fn run(case: &Case, network: &Network, text: &str) -> String {
    let settings = Settings {
        seed: text.len() as u64,
        least: Nanos(200_000_000),
        most_events: MOST_EVENTS,
        ..Settings::default()
    };
    let record = simulate(case, network, &settings);
    let broken = record.validate();
    assert!(broken.is_empty(), "an invalid record: {broken:?}\n{text}");
    let laws = iopath_analysis::audit(&record);
    // Counters have whole requests when they are done, and a window may have a few only: one more
    // or less is then more than that law allows for sampling.
    let laws = laws.iter().filter(|law| law.law.name() != "capacity");
    let broken: Vec<_> = laws.filter(|law| !law.holds).collect();
    assert!(broken.is_empty(), "failed consistency checks: {broken:?}\n{text}");
    behaviour(&record)
}

/// About how much was done, and what was waited for.
fn behaviour(record: &Record) -> String {
    let phases = || record.streams.iter().flat_map(|stream| &stream.phases);
    let window = || phases().filter(|totals| totals.phase == Phase::Window);
    let sum = |of: fn(&iopath_record::PhaseTotals) -> u64| window().map(of).sum::<u64>();
    let done = sum(|totals| totals.completed);
    let bits = 64 - done.leading_zeros();
    let waits = (sum(|totals| totals.pool_wait_ns) > 0, sum(|totals| totals.idle_ns) > 0);
    let kinds: BTreeSet<String> = window()
        .flat_map(|totals| &totals.latency)
        .map(|one| format!("{:?}{:?}", one.what, one.op))
        .collect();
    format!("{} streams, 2^{bits} done, {waits:?}, {kinds:?}", record.streams.len().min(6))
}
