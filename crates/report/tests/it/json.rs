//! What a program reads: a reader that knows every key and accepts no other.

use std::collections::BTreeMap;

use iopath_analysis::{analyses, compare, predict};
use iopath_record::{Record, Technique};
use iopath_report::{
    Color, Detail, ListedRun, Look, RunFacts, RunView, SimulatedCase, Simulation, comparison_json,
    compose, list_json, render_json, simulation_json,
};
use iopath_units::System;
use serde::Deserialize;

use crate::load::Load;

#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct Run {
    format: String,
    run: Option<String>,
    trials: Vec<Trial>,
    #[serde(rename = "ladders")]
    load_sweeps: Vec<LoadSweep>,
    depths: Vec<Depths>,
    searches: Vec<serde_json::Value>,
}

#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
#[expect(dead_code, reason = "a key is pinned by being named")]
struct LoadSweep {
    experiment: String,
    factor: String,
    levels: BTreeMap<String, String>,
    measure: String,
    within_ns: u64,
    #[serde(rename = "rungs")]
    steps: Vec<LoadStep>,
    highest_within_per_sec: Option<f64>,
    lightest_response_ns: Option<f64>,
}

#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
#[expect(dead_code, reason = "a key is pinned by being named")]
struct LoadStep {
    level: String,
    trial: u32,
    wanted_per_sec: f64,
    achieved_per_sec: f64,
    response_ns_mean: Option<f64>,
    response_ns_p50: Option<u64>,
    response_ns_p99: Option<u64>,
    is_within: Option<bool>,
}

#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
#[expect(dead_code, reason = "a key is pinned by being named")]
struct Intensity {
    stream: String,
    wanted_per_sec: f64,
    measured_per_sec: f64,
    ratio: Option<f64>,
    coefficient_of_variation: Option<f64>,
    intervals: usize,
    kept: Option<bool>,
}

#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
#[expect(dead_code, reason = "a key is pinned by being named")]
struct Emulated {
    scale: u64,
    stretch: u64,
}

#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct Trial {
    case: Case,
    technique: String,
    emulated: Option<Emulated>,
    environment: BTreeMap<String, String>,
    findings: Findings,
    prediction: Option<serde_json::Value>,
    layers: serde_json::Value,
    balance: Vec<serde_json::Value>,
    watched: Option<serde_json::Value>,
    hosts: Option<serde_json::Value>,
}

#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
#[expect(dead_code, reason = "a key is pinned by being named")]
struct Case {
    study: String,
    experiment: String,
    levels: BTreeMap<String, String>,
    text: String,
    trial: u32,
    seed: u64,
}

#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
#[expect(dead_code, reason = "a key is pinned by being named")]
struct Headline {
    throughput_bytes_per_sec: f64,
    operations_per_sec: f64,
    of: String,
}

#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
#[expect(dead_code, reason = "a key is pinned by being named")]
struct Findings {
    headline: Headline,
    throughput_bytes_per_sec: f64,
    deskewed_throughput_bytes_per_sec: Option<f64>,
    operations_per_sec: f64,
    deskewed_operations_per_sec: Option<f64>,
    wanted_operations_per_sec: Option<f64>,
    wanted_bytes_per_sec: Option<f64>,
    requests: u64,
    failed: u64,
    bytes: u64,
    duration_ns: u64,
    window_ns: u64,
    latency_of: String,
    latency_ns_mean: Option<f64>,
    latency_ns_p50: Option<u64>,
    latency_ns_p90: Option<u64>,
    latency_ns_p99: Option<u64>,
    latency_ns_p999: Option<u64>,
    latency_ns_max: Option<u64>,
    intended_latency_ns_mean: Option<f64>,
    intended_latency_ns_p50: Option<u64>,
    intended_latency_ns_p90: Option<u64>,
    intended_latency_ns_p99: Option<u64>,
    intended_latency_ns_p999: Option<u64>,
    intended_latency_ns_max: Option<u64>,
    read: Option<OpFindings>,
    write: Option<OpFindings>,
    flush: Option<FlushFindings>,
    actions: Vec<ActionFindings>,
    cpu_user_ns: Option<f64>,
    cpu_system_ns: Option<f64>,
    cpu_worker_ns: Option<f64>,
    cpu_ns_per_request: Option<f64>,
    cpu_ns_per_byte: Option<f64>,
    skew_ns: Skew,
    jain: Option<f64>,
    min_stream: Option<StreamRate>,
    max_stream: Option<StreamRate>,
    streams: Vec<Stream>,
    epochs: Vec<Epoch>,
    lags: Vec<Lag>,
    failures: Vec<Failure>,
    intensities: Vec<Intensity>,
    limit: Limit,
    advice: Vec<Advice>,
    passes: Vec<Pass>,
    confidence: Option<Confidence>,
    warnings: Vec<Warning>,
    audit: Vec<LawCheck>,
}

#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
#[expect(dead_code, reason = "a key is pinned by being named")]
struct Epoch {
    streams: Vec<String>,
    headline: Headline,
    deskewed_throughput_bytes_per_sec: Option<f64>,
    requests: u64,
    bytes: u64,
    duration_ns: u64,
    latency_of: String,
    latency_ns: Times,
    read: Option<OpFindings>,
    write: Option<OpFindings>,
    flush: Option<FlushFindings>,
    actions: Vec<ActionFindings>,
}

#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
#[expect(dead_code, reason = "a key is pinned by being named")]
struct Lag {
    name: String,
    lag_bytes_mean: f64,
    lag_bytes_max: u64,
}

#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
#[expect(dead_code, reason = "a key is pinned by being named")]
struct Failure {
    from_ns: u64,
    to_ns: u64,
    events: Vec<String>,
    throughput_bytes_per_sec: f64,
    operations_per_sec: f64,
    latency_ns_p50: Option<u64>,
    latency_ns_p99: Option<u64>,
    latency_ns_max: Option<u64>,
}

#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
#[expect(dead_code, reason = "a key is pinned by being named")]
struct FlushFindings {
    flushes: u64,
    flushes_per_sec: f64,
    latency_ns: Times,
    commits_per_sec: Option<f64>,
    commit_latency_ns: Option<Times>,
    intended_commit_latency_ns: Option<Times>,
}

#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
#[expect(dead_code, reason = "a key is pinned by being named")]
struct ActionFindings {
    action: String,
    requests: u64,
    operations_per_sec: f64,
    bytes: u64,
    bytes_per_sec: f64,
    latency_ns: Times,
    intended_latency_ns: Option<Times>,
}

#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
#[expect(dead_code, reason = "a key is pinned by being named")]
struct Times {
    mean: Option<f64>,
    p50: Option<u64>,
    p90: Option<u64>,
    p99: Option<u64>,
    p999: Option<u64>,
    max: Option<u64>,
}

#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
#[expect(dead_code, reason = "a key is pinned by being named")]
struct OpFindings {
    throughput_bytes_per_sec: f64,
    operations_per_sec: f64,
    requests: u64,
    bytes: u64,
    latency_ns_mean: Option<f64>,
    latency_ns_p50: Option<u64>,
    latency_ns_p90: Option<u64>,
    latency_ns_p99: Option<u64>,
    latency_ns_p999: Option<u64>,
    latency_ns_max: Option<u64>,
}

#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
#[expect(dead_code, reason = "a key is pinned by being named")]
struct Skew {
    front: u64,
    back: u64,
}

#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
#[expect(dead_code, reason = "a key is pinned by being named")]
struct StreamRate {
    name: String,
    throughput_bytes_per_sec: f64,
}

#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
#[expect(dead_code, reason = "a key is pinned by being named")]
struct Stream {
    name: String,
    bytes: u64,
    throughput_bytes_per_sec: Option<f64>,
    passes_bytes_per_sec: Vec<f64>,
    first_done_ns: u64,
    last_done_ns: u64,
}

#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct Limit {
    cause: String,
    entity: Option<String>,
    capacity: Option<Capacity>,
    evidence: Vec<Evidence>,
}

#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct Capacity {
    bytes_per_sec: Option<f64>,
    operations_per_sec: Option<f64>,
}

#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
#[expect(dead_code, reason = "a key is pinned by being named")]
struct Advice {
    rule: String,
    what: String,
    commands: Vec<String>,
    persistent: Option<String>,
    gain: String,
    risk: String,
    restart: String,
    undo: Vec<String>,
}

#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
#[expect(dead_code, reason = "a key is pinned by being named")]
struct Evidence {
    entity: String,
    law: String,
    value: f64,
    threshold: f64,
    text: String,
}

#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
#[expect(dead_code, reason = "a key is pinned by being named")]
struct Pass {
    pass: u32,
    throughput_bytes_per_sec: f64,
    deskewed_throughput_bytes_per_sec: Option<f64>,
    operations_per_sec: f64,
}

#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
#[expect(dead_code, reason = "a key is pinned by being named")]
struct Confidence {
    mean: f64,
    half_width_percent: f64,
    passes: usize,
}

#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
#[expect(dead_code, reason = "a key is pinned by being named")]
struct Warning {
    kind: String,
    text: String,
}

#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
#[expect(dead_code, reason = "a key is pinned by being named")]
struct LawCheck {
    entity: String,
    law: String,
    value: f64,
    threshold: f64,
    holds: bool,
    text: String,
}

fn read(records: &[Record]) -> Run {
    let view = RunView::of(RunFacts::default(), records.to_vec()).unwrap();
    serde_json::from_str(&render_json(&view).to_string()).unwrap()
}

#[test]
fn a_strict_reader_reads_a_run() {
    let load = Load { streams: 2, write_percent: 30, is_open: true, ..Load::new() };
    let run = read(&load.passes(3));
    assert_eq!((run.format.as_str(), run.run, run.trials.len()), ("iopath-run/8", None, 1));
    assert!(run.searches.is_empty());
    let trial = &run.trials[0];
    assert_eq!((trial.technique.as_str(), trial.case.seed), ("measurement", 42));
    assert!(trial.emulated.is_none());
    assert_eq!(trial.environment["target.scratch.cache"], "direct");
    let findings = &trial.findings;
    assert_eq!(findings.requests, 2 * (10_000 + 10_100 + 10_200));
    assert_eq!(findings.latency_of, "window");
    assert!(findings.read.is_some() && findings.intended_latency_ns_p999.is_some());
    assert_eq!(findings.passes.len(), 3);
    let tiers = trial.layers["tiers"].as_array().expect("tiers");
    assert_eq!(tiers[0]["layer"], "application");
    assert!(trial.balance.is_empty(), "one disk shares with nobody");
    assert!(findings.confidence.is_some());
}

#[test]
fn what_is_not_known_is_null_and_never_left_out() {
    let view = RunView::of(RunFacts::default(), Load::new().passes(1)).unwrap();
    let json = render_json(&view);
    let findings = json["trials"][0]["findings"].as_object().unwrap();
    for key in ["confidence", "read", "write", "intended_latency_ns_mean", "cpu_worker_ns"] {
        assert!(findings.get(key).is_some_and(serde_json::Value::is_null), "{key}");
    }
}

#[test]
fn causes_have_the_names_of_the_text() {
    let run = read(&Load::new().passes(1));
    let limit = &run.trials[0].findings.limit;
    assert_eq!((limit.cause.as_str(), limit.entity.as_deref()), ("device", Some("vda")));
    assert_eq!(run.trials[0].prediction, None);
    assert_eq!(run.trials[0].watched, None);
    assert_eq!(run.trials[0].hosts, None);
    assert!(!limit.evidence.is_empty());
    let capacity = limit.capacity.as_ref().unwrap();
    assert!(capacity.bytes_per_sec > Some(0.0));
    assert_eq!(capacity.operations_per_sec, None);
    let cached = Load { cache: "buffered", device_share: 0.0, ..Load::new() };
    assert_eq!(read(&cached.passes(1)).trials[0].findings.limit.cause, "page-cache");
}

#[test]
fn trials_are_told_apart_and_passes_are_not() {
    let other = Load { trial: 1, experiment: "random read", ..Load::new() };
    let records = [Load::new().passes(2), other.passes(3)].concat();
    let run = read(&records);
    let passes: Vec<_> = run.trials.iter().map(|trial| trial.findings.passes.len()).collect();
    assert_eq!(passes, [2, 3]);
}

#[test]
fn lists_and_comparisons_name_their_format() {
    let listed = ListedRun {
        id: "7".to_owned(),
        started_unix_ns: 1,
        study: "s".to_owned(),
        command: "iopath measure".to_owned(),
        host: "h".to_owned(),
        state: "finished".to_owned(),
        technique: "measurement".to_owned(),
        trials: 1,
        passes: 3,
        throughput_bytes_per_sec: Some(1e9),
        verdict: "v".to_owned(),
    };
    let list = list_json(&[listed], 7);
    assert_eq!((&list["count"], &list["runs"][0]["state"]), (&7.into(), &"finished".into()));
    assert_eq!((&list["format"], &list["runs"][0]["passes"]), (&"iopath-runs/2".into(), &3.into()));
    let records = Load::new().passes(3);
    let json = comparison_json(&compare(&records, &records).unwrap());
    assert_eq!(json["format"], "iopath-comparison/2");
    let measure = &json["comparison"]["trials"][0]["measures"][0];
    assert_eq!(measure["measure"], "throughput_bytes_per_sec");
    assert_eq!(
        (&measure["verdict"], &measure["same_within_percent"]),
        (&"same".into(), &5.0.into())
    );
}

#[test]
fn a_load_sweep_of_loads_stands_beside_the_trials() {
    let step = |(trial, per_sec): (u32, u64)| {
        let load = Load { trial, requests_per_sec: per_sec, is_open: true, ..Load::new() };
        let mut record = load.record();
        record.case.levels.insert("load".to_owned(), per_sec.to_string());
        record
    };
    let run = read(&[(0, 4000), (1, 1000)].map(step));
    let [load_sweep] = run.load_sweeps.as_slice() else { panic!("{}", run.load_sweeps.len()) };
    assert_eq!((load_sweep.factor.as_str(), load_sweep.measure.as_str()), ("load", "operations"));
    assert_eq!(load_sweep.within_ns, 30_000_000);
    let levels: Vec<&str> = load_sweep.steps.iter().map(|step| step.level.as_str()).collect();
    assert_eq!(levels, ["1000", "4000"], "the lightest first");
    assert!(read(&Load::new().passes(2)).load_sweeps.is_empty());
}

#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
#[expect(dead_code, reason = "a key is pinned by being named")]
struct Depths {
    experiment: String,
    levels: BTreeMap<String, String>,
    verdict: String,
    flat_from: Option<u64>,
    flat_operations_per_sec: Option<f64>,
    flat_bytes_per_sec: Option<f64>,
    points: Vec<Point>,
    evidence: Vec<Evidence>,
}

#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
#[expect(dead_code, reason = "a key is pinned by being named")]
struct Point {
    trial: u32,
    depth: u64,
    in_flight_mean: f64,
    operations_per_sec: f64,
    bytes_per_sec: f64,
    half_width_bytes_per_sec: Option<f64>,
    latency_ns_mean: f64,
    utilisation: Option<f64>,
    cause: String,
}

#[test]
fn depths_are_compared_beside_the_trials() {
    let run = read(&crate::depths::trials(0.4));
    let [depths] = run.depths.as_slice() else { panic!("{}", run.depths.len()) };
    assert_eq!((depths.verdict.as_str(), depths.flat_from), ("throttled", Some(8)));
    assert_eq!(depths.points.iter().map(|point| point.trial).collect::<Vec<_>>(), [1, 0]);
    assert!(!depths.evidence.is_empty() && read(&Load::new().passes(2)).depths.is_empty());
}

#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct SimulatedRun {
    format: String,
    run: Option<String>,
    cases: Vec<Simulated>,
    #[serde(rename = "ladders")]
    load_sweeps: Vec<LoadSweep>,
}

#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
#[expect(dead_code, reason = "a key is pinned by being named")]
struct Simulated {
    case: Case,
    technique: String,
    environment: BTreeMap<String, String>,
    findings: Findings,
    components: Vec<serde_json::Value>,
    seeds: Vec<Seed>,
    bound: SimulatedBound,
    of_bound: Option<f64>,
    without: Option<serde_json::Value>,
}

#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
#[expect(dead_code, reason = "a key is pinned by being named")]
struct Seed {
    seed: u64,
    events: u64,
    facts: BTreeMap<String, String>,
    half_width_percent: Option<f64>,
    throughput_bytes_per_sec: f64,
    operations_per_sec: f64,
    response_ns: Option<f64>,
    jain: Option<f64>,
    shares: Vec<serde_json::Value>,
}

#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
#[expect(dead_code, reason = "a key is pinned by being named")]
struct SimulatedBound {
    throughput_bytes_per_sec: f64,
    operations_per_sec: f64,
    response_ns: Option<f64>,
    decided_by: Option<String>,
    bottlenecks: Vec<serde_json::Value>,
    leaves_out: Vec<serde_json::Value>,
}

/// Two seeds of one case, of which the first knows its interval.
fn simulated() -> RunView {
    let mut records = Load { streams: 2, ..Load::new() }.passes(2);
    for (seed, record) in (42..).zip(&mut records) {
        record.technique = Technique::Simulation { events: 1000 };
        record.case.seed = seed;
    }
    let fact = |name: &str, value: &str| (format!("simulation.{name}"), value.to_owned());
    records[0].environment.extend([fact("half_width", "0.005"), fact("time", "10 s")]);
    RunView::of(RunFacts::default(), records).unwrap()
}

/// As a simulation that reached half of its bound.
fn simulation(view: &RunView) -> Simulation<'_> {
    let mut bound = predict(&view.records[0]);
    bound.throughput_bytes_per_sec *= 2.0;
    let case = SimulatedCase::of(&view.report.trials[0], &view.records, bound, None).unwrap();
    Simulation { view, cases: vec![case] }
}

#[test]
fn a_single_seed_is_analysed_with_its_trial_and_each_of_several_once_more() {
    let mut records = simulated().records;
    let analysed = |records: Vec<Record>| {
        let before = analyses();
        let view = RunView::of(RunFacts::default(), records).unwrap();
        let simulation = simulation(&view);
        let seeds: Vec<_> = simulation.cases[0].seeds.iter().map(|seed| seed.jain).collect();
        (analyses() - before, seeds[0])
    };
    let (several, jain) = analysed(records.clone());
    assert_eq!(several, 3);
    records.truncate(1);
    assert_eq!(analysed(records), (1, jain));
}

#[test]
fn a_strict_reader_reads_a_simulation() {
    let text = simulation_json(&simulation(&simulated())).to_string();
    let read: SimulatedRun = serde_json::from_str(&text).unwrap();
    assert_eq!((read.format.as_str(), read.run), ("iopath-simulation/6", None));
    assert!(read.load_sweeps.is_empty());
    let case = &read.cases[0];
    assert_eq!((case.technique.as_str(), case.findings.passes.len()), ("simulation", 2));
    let seeds: Vec<_> = case.seeds.iter().map(|one| (one.seed, one.half_width_percent)).collect();
    assert_eq!(seeds, [(42, Some(0.5)), (43, None)]);
    assert_eq!(case.seeds[0].facts["time"], "10 s");
    let share = case.of_bound.unwrap();
    assert!((0.45..0.55).contains(&share), "{share}");
}

#[test]
fn a_simulation_as_text_has_its_seeds_and_its_share_of_the_bound() {
    let look = Look { width: 160, system: System::Decimal, color: Color::Never };
    let text = crate::brief(
        &compose::simulation(&simulation(&simulated()), Detail::Brief, look.system),
        &look,
    );
    for part in [
        "simulated: ",
        "of bound",
        "\nseeds\n",
        "\nlimit: latency (all streams), because\n",
        "2000 events; ",
    ] {
        assert!(text.contains(part), "no {part:?} in\n{text}");
    }
    // The seeds' requests took 8 ms and 8 ms / 1.01; the mean is of all of them.
    let row = text.lines().find(|line| line.contains(" 7.960 ms "));
    assert_eq!(row.map(|row| row.matches(" ms ").count()), Some(3), "mean, p50 and p99: {text}");
}
