//! Studies of one host, and what their streams get.

use iopath_path::Network;
use iopath_record::{Phase, PhaseTotals, Record, Technique};
use iopath_simulation::Settings;
use iopath_study::Source;
use iopath_units::Nanos;

/// What became of a case.
pub(crate) struct Outcome {
    /// Bytes per second of each stream, in the order of the case.
    pub rates: Vec<f64>,
    /// Events for each request that was done.
    pub events: f64,
}

impl Outcome {
    pub(crate) fn total(&self) -> f64 {
        self.rates.iter().sum()
    }

    /// Jain's index of fairness.
    pub(crate) fn jain(&self) -> f64 {
        let squares: f64 = self.rates.iter().map(|rate| rate * rate).sum();
        self.total().powi(2) / squares / self.rates.len() as f64
    }
}

/// Simulates a host with these parts, this layout and these streams.
pub(crate) fn simulate(host: &str, layout: &str, streams: &str) -> Outcome {
    let workload = format!("workload time=\"1 s\" {{ {streams} }}");
    let text = format!("study \"t\"\npath {{ {host} }}\nlayout {{ {layout} }}\n{workload}");
    let source = Source { name: "t.kdl".to_owned(), text };
    let study = iopath_study::parse(&source, &[]).unwrap_or_else(|mistakes| panic!("{mistakes}"));
    let cases = study.cases().unwrap_or_else(|mistakes| panic!("{mistakes}"));
    let network = Network::build(&cases[0], &[].into());
    let network = network.unwrap_or_else(|mistakes| panic!("{mistakes:?}"));
    let settings = Settings { least: Nanos(2_000_000_000), ..Settings::default() };
    outcome(&iopath_simulation::simulate(&cases[0], &network, &settings))
}

fn outcome(record: &Record) -> Outcome {
    let of = |one: &PhaseTotals| {
        let seconds = (one.to_ns - one.from_ns) as f64 / 1e9;
        (one.read_bytes + one.write_bytes) as f64 / seconds
    };
    let windows = record.streams.iter().flat_map(|one| &one.phases);
    let windows = windows.filter(|one| one.phase == Phase::Window);
    let Technique::Simulation { events } = record.technique else { panic!("another technique") };
    let all = record.streams.iter().flat_map(|one| &one.phases);
    let done: u64 = all.map(|one| one.completed).sum();
    Outcome { rates: windows.map(of).collect(), events: events as f64 / done as f64 }
}

/// Holds a value within a share of what it should be.
pub(crate) fn near(value: f64, expected: f64, share: f64) {
    let is_near = (value - expected).abs() <= share * expected;
    assert!(is_near, "{value:.0} is not within {share} of {expected:.0}");
}
