//! Small studies as text, simulated, and what is read off their records.

use std::collections::BTreeSet;

use iopath_analytic::evaluate;
use iopath_path::Network;
use iopath_record::{Latency, Phase, PhaseTotals, Record};
use iopath_simulation::{Settings, simulate};
use iopath_study::{Case, Source, parse};
use iopath_units::Nanos;

/// The only case of a study of this text.
pub(crate) fn case(text: &str) -> Case {
    let source = Source { name: "test".to_owned(), text: format!("study \"test\"\n{text}") };
    let study = parse(&source, &[]).unwrap_or_else(|mistakes| panic!("{mistakes}"));
    study.cases().unwrap_or_else(|mistakes| panic!("{mistakes}")).remove(0)
}

pub(crate) fn network(case: &Case) -> Network {
    Network::build(case, &BTreeSet::new()).unwrap_or_else(|mistakes| panic!("{mistakes:?}"))
}

/// What becomes of a study in so many simulated seconds behind the warm-up, whatever its precision.
pub(crate) fn run(text: &str, seconds: u64) -> Record {
    let case = case(text);
    simulate(&case, &network(&case), &lasting(seconds))
}

/// Settings that end by time only.
pub(crate) fn lasting(seconds: u64) -> Settings {
    let least = Nanos(seconds * 1_000_000_000);
    Settings {
        least,
        longest: least,
        precision: 0.0,
        most_events: 100_000_000,
        ..Settings::default()
    }
}

/// What the streams of a group did in the window.
pub(crate) struct Window {
    pub(crate) seconds: f64,
    phases: Vec<PhaseTotals>,
}

pub(crate) fn window(record: &Record, group: &str) -> Window {
    let of_group = record.streams.iter().filter(|stream| {
        let name = &record.entities[stream.entity.0 as usize].name;
        name.split('[').next() == Some(group)
    });
    let phases = of_group.flat_map(|stream| &stream.phases);
    let phases: Vec<_> = phases.filter(|one| one.phase == Phase::Window).cloned().collect();
    let first = phases.first().expect("the group has streams");
    Window { seconds: (first.to_ns - first.from_ns) as f64 / 1e9, phases }
}

impl Window {
    fn sum(&self, of: impl Fn(&PhaseTotals) -> f64) -> f64 {
        self.phases.iter().map(of).sum()
    }

    pub(crate) fn per_sec(&self) -> f64 {
        self.sum(|one| one.operations_ppm as f64 / 1e6) / self.seconds
    }

    pub(crate) fn bytes_per_sec(&self) -> f64 {
        self.sum(|one| (one.read_bytes + one.write_bytes) as f64) / self.seconds
    }

    pub(crate) fn in_flight(&self) -> f64 {
        self.sum(|one| one.in_flight_ns as f64 / 1e9) / self.seconds
    }

    /// Mean share of the time that a stream waited for a slot or its partner.
    pub(crate) fn pool_wait(&self) -> f64 {
        self.sum(|one| one.pool_wait_ns as f64 / 1e9) / self.seconds / self.phases.len() as f64
    }

    pub(crate) fn idle(&self) -> f64 {
        self.sum(|one| one.idle_ns as f64 / 1e9) / self.seconds / self.phases.len() as f64
    }

    /// Mean latency in seconds, and how many it is of.
    pub(crate) fn latency(&self, what: Latency) -> (f64, f64) {
        let all = self.phases.iter().flat_map(|one| &one.latency).filter(|one| one.what == what);
        let (sum, count) = all.fold((0.0, 0.0), |(sum, count), one| {
            (sum + one.histogram.sum_ns as f64 / 1e9, count + one.histogram.count() as f64)
        });
        (sum / count, count)
    }
}

#[track_caller]
pub(crate) fn assert_near(found: f64, wanted: f64, tolerance: f64) {
    let is_near = (found / wanted - 1.0).abs() <= tolerance;
    assert!(is_near, "found {found}, wanted {wanted} within {tolerance}");
}

/// What a stream of this name does in a simulation, and the tightest bound of the case in requests
/// a second.
pub(crate) fn bounded(text: &str, name: &str) -> (Window, f64) {
    let case = case(text);
    let record = evaluate(&case, &network(&case));
    let bounds = record.bounds.iter().map(|bound| bound.operations_milli_per_sec as f64 / 1e3);
    let bound = bounds.reduce(f64::min).expect("something limits it");
    (window(&run(text, 5), name), bound)
}
