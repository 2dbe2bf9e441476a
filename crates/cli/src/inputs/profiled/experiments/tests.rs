//! Profiles whose experiments are simulated.

use std::collections::BTreeSet;

use iopath_analysis::capacities::Carried;
use iopath_analysis::findings::Warning;
use iopath_analysis::limit::Cause;
use iopath_path::Network;
use iopath_record::Record;
use iopath_report::{LoadCarried, Profile as Found, RunFacts, RunView, compose};
use iopath_simulation::Settings;
use iopath_units::System;

use super::super::{GivenUp, devices};
use super::*;
use crate::run::crew::Simulator;
use crate::run::models::simulated;
use crate::run::profiling::Profiling;
use crate::run::session::{Coming, Trials};

/// Two volumes of slow disks behind an array, and a link that media cannot fill.
fn array(cache: &str, volumes: &str, over: &str) -> String {
    format!(
        r#"study "Array"
path {{
    host "h" {{ hba {{ port read="200 MB/s" }} }}
    array "a" {{ controller {{ port; {cache} {volumes} }} }}
    wire from="h.hba.port" to="a.controller.port"
}}
{over}
"#
    )
}

const VOLUMES: &str = r#"workload time="1 s" {
        streams "s" over="a.controller.v" block="1 MiB"
    }"#;
const FILES: &str = r#"layout {
        filesystem "fs" on="a.controller.v[0]"
        file "f" count=2 on="fs" size="400 MB"
    }
    workload time="1 s" { streams "s" over="f" block="1 MiB" }"#;
const MIXED: &str = r#"layout {
        filesystem "fs" on="h.hba.local"
        file "f" count=2 on="fs" size="400 MB"
    }
    workload time="1 s" {
        streams "s" over="a.controller.v" block="1 MiB"
        streams "t" over="f" block="1 MiB"
    }"#;
const CACHE: &str = r#"cache size="256 MiB";"#;
const OF_THEIR_OWN: &str = r#"raid "v" count=2 level=0 segment="64 KiB" {
        disk count=2 size="1 GB" stream="20 MB/s" position="5 ms"
    }"#;

fn profiled(text: String) -> Profiled {
    let planned = studies::plan("(array)", text, &[]).unwrap();
    let case = planned.plan.trials.into_iter().next().unwrap().case;
    let devices = devices(&case, &GivenUp::of(&case, &[]));
    Profiled {
        case,
        devices,
        unmatched: Vec::new(),
        text: planned.text,
        found: None,
        from: String::new(),
    }
}

/// A profile whose experiments are simulated.
fn viewed(profiled: &Profiled) -> RunView {
    let extent = Extent { passes: 1, ..Extent::USUAL };
    RunView::of(RunFacts::default(), simulated_all(profiled, extent)).unwrap()
}

fn simulated_all(profiled: &Profiled, extent: Extent) -> Vec<Record> {
    let mut trials = Profiling::of(profiled, &mut plan(profiled, extent).unwrap());
    let mut records = Vec::new();
    for trial in 0.. {
        let Some(Coming { case, .. }) = trials.next(&records).unwrap() else { break };
        let network = Network::build(&case, &BTreeSet::new()).unwrap();
        let settings = Settings::default();
        let mut record = simulated(&Simulator::Here, &case, &network, 0, &settings);
        record.case.trial = trial;
        records.push(record);
    }
    records
}

fn found(profiled: &Profiled) -> Found {
    Found::of(&viewed(profiled).report).expect("a profile")
}

/// What a component of that name carries of large reads, and of which load.
fn carried(found: &Found, name: &str) -> (Figure, Carried) {
    let component = found.components.iter().find(|one| one.name == name).unwrap();
    let read = component.of_bytes(Op::Read).unwrap();
    (read.load.figure, read.carried)
}

/// What each component carried of new data, and which others no experiment separates from it.
fn new_data(found: &Found) -> impl Iterator<Item = (&str, Carried, &[String])> {
    found.components.iter().filter_map(|component| {
        let mut all = component.carried.iter();
        let one = all.find(|one| one.load.figure == Figure::Throughput)?;
        Some((component.name.as_str(), one.carried, &one.alike[..]))
    })
}

fn assert_port_is_filled_by_rereads(found: &Found) {
    let port = carried(found, "h.hba.port");
    let is_full = |rate| is_near(rate, 200e6);
    assert!(matches!(port, (Figure::Reread, Carried::Full(rate)) if is_full(rate)), "{port:?}");
}

fn is_near(rate: f64, expected: f64) -> bool {
    (rate / expected - 1.0).abs() < 0.05
}

#[test]
fn experiments_of_which_devices_saw_nothing_say_nothing_of_the_path() {
    let mut view = viewed(&profiled(array(CACHE, OF_THEIR_OWN, VOLUMES)));
    let before = Found::of(&view.report).unwrap();
    let trials = &mut view.report.trials;
    // The first volume alone, by large requests.
    trials[0].findings.warnings.push(Warning::HolesOrCache(0.01));
    let found = Found::of(&view.report).unwrap();
    assert_eq!(found.not_served, [view.report.trials[0].case.experiment.clone()]);
    assert_eq!(
        (found.alone.len() + 1, found.experiments),
        (before.alone.len(), before.experiments)
    );
    for trial in &mut view.report.trials[1..] {
        trial.findings.warnings.push(Warning::HolesOrCache(0.01));
    }
    let found = Found::of(&view.report).unwrap();
    assert_eq!(found.not_served.len(), found.experiments);
    assert!(found.components.is_empty() && found.alone.is_empty() && found.widest.is_empty());
}

#[test]
fn what_lies_above_a_cache_is_filled_by_reading_the_same_bytes_again() {
    let view = viewed(&profiled(array(CACHE, OF_THEIR_OWN, VOLUMES)));
    let found = Found::of(&view.report).unwrap();
    assert_port_is_filled_by_rereads(&found);
    assert_eq!(
        compose::headline(&view, System::Decimal),
        "2 devices read 80.00 MB/s, each as much as alone: nothing that they share was full; \
             from a cache 200.0 MB/s"
    );
    let disk = carried(&found, "a.controller.v[0].disk[0]");
    assert!(
        matches!(disk, (Figure::Throughput, Carried::Full(rate)) if is_near(rate, 20e6)),
        "{disk:?}"
    );
}

#[test]
fn media_that_all_devices_share_do_not_stand_for_what_lies_above_a_cache() {
    let found = found(&profiled(array(CACHE, OF_THEIR_OWN, FILES)));
    assert_port_is_filled_by_rereads(&found);
    // What re-reads passed was not full of new data, in no place that says so.
    for (name, read, alike) in new_data(&found) {
        let is_disk = name.contains("disk");
        assert_eq!(matches!(read, Carried::Full(_)), is_disk, "{name}: {read:?}");
        assert!(!is_disk || alike.iter().all(|one| one.contains("disk")), "{name}: {alike:?}");
    }
}

#[test]
fn without_a_cache_media_that_all_devices_share_stay_what_was_full() {
    let found = found(&profiled(array("", OF_THEIR_OWN, FILES)));
    let port = carried(&found, "h.hba.port");
    let (Figure::Throughput, Carried::Full(_)) = port else { panic!("{port:?}") };
    let disk = |name: &String| name.contains("disk");
    let of_port = new_data(&found).find(|(name, ..)| *name == "h.hba.port");
    assert!(of_port.is_some_and(|(_, _, alike)| alike.iter().any(disk)));
}

#[test]
fn what_shared_media_without_a_cache_lose_fills_nothing_above_them() {
    let local = r#"hba { disk "local" size="1 GB" stream="50 MB/s" position="5 ms";"#;
    let text = array(CACHE, OF_THEIR_OWN, MIXED).replace("hba {", local);
    let found = found(&profiled(text));
    assert!(matches!(carried(&found, "h.hba"), (_, Carried::AtLeast(_))));
    assert_port_is_filled_by_rereads(&found);
}

/// Eight volumes behind four controllers: a small model of a server with hundreds.
fn eight_volumes() -> Profiled {
    let text = array(CACHE, OF_THEIR_OWN, VOLUMES)
        .replace("port read=\"200 MB/s\"", "port count=4 read=\"60 MB/s\"")
        .replace("controller {", "controller count=4 {");
    profiled(text)
}

/// So long that not each set is measured by itself.
const LONG: Extent = Extent { passes: 1000, ..Extent::USUAL };

#[test]
fn a_stopped_course_goes_on_with_the_experiments_that_it_had() {
    let profiled = eight_volumes();
    let records = simulated_all(&profiled, LONG);
    let stopped = records.len() / 2;
    let mut again = Profiling::of(&profiled, &mut plan(&profiled, LONG).unwrap());
    for (trial, record) in records.iter().enumerate() {
        let known = &records[..trial.max(stopped)];
        let coming = again.next(known).unwrap().unwrap();
        assert_eq!(coming.case.experiment, record.case.experiment);
    }
    assert!(again.next(&records).unwrap().is_none());
}

#[test]
fn what_one_device_uses_has_carried_what_its_cache_gave() {
    let text = array(CACHE, OF_THEIR_OWN, VOLUMES)
        .replace("port read=\"200 MB/s\"", "port count=2 read=\"45 MB/s\"")
        .replace("controller {", "controller count=2 {")
        .replace("\"v\" count=2", "\"v\"");
    let found = found(&profiled(text));
    let port = carried(&found, "h.hba.port[0]");
    let is_near = |rate| is_near(rate, 45e6);
    assert!(matches!(port, (Figure::Reread, Carried::AtLeast(rate)) if is_near(rate)), "{port:?}");
    let disk = carried(&found, "a.controller[0].v.disk[0]");
    assert!(matches!(disk, (Figure::Throughput, Carried::Full(_))), "{disk:?}");
}

/// All devices get together what one of them gets alone.
#[test]
fn a_quick_profile_ends_in_time_where_little_can_be_measured_at_once() {
    let mut profiled = eight_volumes();
    let narrow = profiled.text.replace("60 MB/s", "5 MB/s");
    let planned = studies::plan("(array)", narrow, &[]).unwrap();
    (profiled.case, profiled.text) =
        (planned.plan.trials.into_iter().next().unwrap().case, planned.text);
    let extent = Extent { passes: 3, ..Extent::QUICK };
    let expected = plan(&profiled, extent).unwrap();
    let records = simulated_all(&profiled, extent);
    assert!(records.len() > expected.count, "{} of {}", records.len(), expected.count);
    let case = |record: &Record| {
        let planned = studies::plan("(trial)", record.case.text.clone(), &[]).unwrap();
        planned.plan.estimated_time().known.0 / 1_000_000
    };
    let all: u64 = records.iter().map(case).sum();
    assert!(all <= QUICK_MS, "{all} ms");
}

#[test]
fn the_only_device_that_may_be_written_is() {
    let mut profiled = eight_volumes();
    profiled.devices[5].may_write = true;
    let planned = plan(&profiled, LONG).unwrap().planned.plan;
    let loads = planned.trials.iter().map(|trial| &trial.case.streams[0]);
    let of_writes = loads.filter_map(Load::of).filter(|load| load.op == Op::Write);
    let figures: Vec<Figure> = of_writes.map(|load| load.figure).collect();
    let expected = [Figure::Throughput, Figure::Operations, Figure::Latency, Figure::Flush];
    assert_eq!(figures, expected);
}

#[test]
fn what_was_stopped_in_its_first_pass_and_what_this_machine_limited_is_said() {
    let view = viewed(&profiled(array("", OF_THEIR_OWN, VOLUMES)));
    let mut report = view.report.clone();
    let count = Found::of(&report).unwrap().experiments;
    let all = report.trials.iter_mut().find(|trial| trial.findings.streams.len() == 2);
    all.unwrap().findings.limit.cause = Cause::Cpu;
    let first = &mut report.trials[0].findings.streams[0];
    first.passes_bytes_per_sec.clear();
    let found = Found::of(&report).unwrap();
    assert_eq!(found.experiments, count - 1);
    assert!(found.widest(Op::Read).unwrap().is_limited_by_host);
    let view = RunView { report, ..view };
    assert_eq!(
        compose::headline(&view, System::Decimal),
        "2 devices read 80.00 MB/s, limited by this machine and not by the path"
    );
}

#[test]
fn sets_measured_at_once_find_what_one_by_one_finds() {
    let profiled = eight_volumes();
    let by = |is_one_by_one| {
        let records = simulated_all(&profiled, Extent { is_one_by_one, ..LONG });
        let view = RunView::of(RunFacts::default(), records).unwrap();
        Found::of(&view.report).expect("a profile")
    };
    let (each, at_once) = (by(true), by(false));
    let counts = [at_once.experiments, each.experiments];
    assert!(3 * counts[0] < 2 * counts[1], "{counts:?}");
    assert_eq!(at_once.components.len(), each.components.len());
    for (one, other) in at_once.components.iter().zip(&each.components) {
        for (one, other) in one.carried.iter().zip(&other.carried) {
            assert_eq!(one.load, other.load);
            let (here, there) = (one.carried.seen().unwrap(), other.carried.seen().unwrap());
            assert!(is_near(here, there), "{one:?}\n{other:?}");
            let is_full = |one: &LoadCarried| one.carried.capacity().is_some();
            assert_eq!(is_full(one), is_full(other), "{one:?}\n{other:?}");
        }
    }
    assert_eq!(at_once.unexplained, each.unexplained);
}

#[test]
fn without_a_cache_the_same_bytes_again_prove_nothing() {
    let found = found(&profiled(array("", OF_THEIR_OWN, VOLUMES)));
    let port = carried(&found, "h.hba.port");
    assert!(
        matches!(port, (Figure::Throughput, Carried::AtLeast(rate)) if is_near(rate, 80e6)),
        "{port:?}"
    );
    let full = found
        .components
        .iter()
        .flat_map(|one| &one.carried)
        .filter(|one| one.load.is_reread() && one.carried.capacity().is_some());
    assert_eq!(full.count(), 0);
    assert!(found.unexplained.is_empty(), "{:?}", found.unexplained);
}
