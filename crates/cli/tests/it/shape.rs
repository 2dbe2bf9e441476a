//! The shape of `iopath-run/8` and `iopath-simulation/6`, key by key: scripts that rely on the JSON
//! read it so. A new key must be written down here, and a missing one fails.

use serde_json::Value;

const RUN: &str = "depths format ladders run searches trials";
const DEPTHS: &str = "evidence experiment flat_bytes_per_sec flat_from flat_operations_per_sec \
    levels points verdict";
const DEPTH: &str = "bytes_per_sec cause depth half_width_bytes_per_sec in_flight_mean \
    latency_ns_mean operations_per_sec trial utilisation";
const LOAD_SWEEP: &str = "experiment factor highest_within_per_sec levels lightest_response_ns \
    measure rungs within_ns";
const LOAD_STEP: &str = "achieved_per_sec is_within level response_ns_mean response_ns_p50 \
    response_ns_p99 trial wanted_per_sec";
const INTENSITY: &str = "coefficient_of_variation intervals kept measured_per_sec ratio stream \
    wanted_per_sec";
const TRIAL: &str = "balance case emulated environment findings hosts layers prediction \
    technique watched";
const EMULATED: &str = "scale stretch";
const CASE: &str = "experiment levels seed study text trial";
const FINDINGS: &str = "actions advice audit bytes confidence cpu_ns_per_byte cpu_ns_per_request \
    cpu_system_ns cpu_user_ns cpu_worker_ns deskewed_operations_per_sec \
    deskewed_throughput_bytes_per_sec duration_ns epochs failed failures flush headline \
    intended_latency_ns_max intended_latency_ns_mean intended_latency_ns_p50 \
    intended_latency_ns_p90 intended_latency_ns_p99 intended_latency_ns_p999 intensities jain \
    lags latency_ns_max latency_ns_mean latency_ns_p50 latency_ns_p90 latency_ns_p99 \
    latency_ns_p999 latency_of limit max_stream min_stream operations_per_sec passes read \
    requests skew_ns streams throughput_bytes_per_sec wanted_bytes_per_sec \
    wanted_operations_per_sec warnings window_ns write";
const STREAM: &str = "bytes first_done_ns last_done_ns name passes_bytes_per_sec \
     throughput_bytes_per_sec";
const LAG: &str = "lag_bytes_max lag_bytes_mean name";
const FAILURE: &str = "events from_ns latency_ns_max latency_ns_p50 latency_ns_p99 \
    operations_per_sec throughput_bytes_per_sec to_ns";
const PASS: &str = "deskewed_throughput_bytes_per_sec operations_per_sec pass \
    throughput_bytes_per_sec";
const LIMIT: &str = "capacity cause entity evidence";
const CAPACITY: &str = "bytes_per_sec operations_per_sec";
const ADVICE: &str = "commands gain persistent restart risk rule undo what";
const EVIDENCE: &str = "entity law text threshold value";
const LAW: &str = "entity holds law text threshold value";
const WARNING: &str = "kind text";
const CONFIDENCE: &str = "half_width_percent mean passes";
const STREAM_RATE: &str = "name throughput_bytes_per_sec";
const OP: &str = "bytes latency_ns_max latency_ns_mean latency_ns_p50 latency_ns_p90 \
    latency_ns_p99 latency_ns_p999 operations_per_sec requests throughput_bytes_per_sec";
const FLUSH: &str = "commit_latency_ns commits_per_sec flushes flushes_per_sec \
    intended_commit_latency_ns latency_ns";
const EPOCH: &str = "actions bytes deskewed_throughput_bytes_per_sec duration_ns flush headline \
    latency_ns latency_of read requests streams write";
const ACTION: &str = "action bytes bytes_per_sec intended_latency_ns latency_ns \
    operations_per_sec requests";
const SUMMARY: &str = "max mean p50 p90 p99 p999";
const CAUSES: [&str; 11] = [
    "component",
    "cpu",
    "device",
    "flush",
    "generator",
    "latency",
    "page-cache",
    "rate",
    "synchronisation",
    "throttle",
    "unknown",
];

const WATCH: &str = "at_unix_ns entities events format interval_ns memory pressure processors \
    what";
const WATCHED: &str = "balance below binding discard_bytes_per_sec discard_ns_mean \
    discards_per_sec errors_per_sec flush_ns_mean flushes_per_sec in_flight in_flight_mean \
    kind layer name read_bytes_per_sec read_ns_mean read_operations_per_sec utilisation \
    write_bytes_per_sec write_ns_mean write_operations_per_sec";
const BALANCE: &str = "idle least_ns least_share members most_ns most_share odd";
const PROCESSOR: &str = "count idle interrupt io_wait name steal system user";
const MEMORY: &str = "cached_bytes dirty_bytes read_bytes_per_sec write_bytes_per_sec \
    writeback_bytes";
const PRESSURE: &str = "name stalled";

const FOLLOWING: &str = "device_count devices doing done elapsed_ns format left_ns pass run \
    silence streams throughput_bytes_per_sec title trial trials";

const SIMULATION: &str = "cases format ladders run";
const SIMULATED: &str =
    "bound case components environment findings of_bound seeds technique without";
const SEED: &str = "events facts half_width_percent jain operations_per_sec response_ns seed \
    shares throughput_bytes_per_sec";
const BOUND: &str = "bottlenecks decided_by leaves_out operations_per_sec response_ns \
    throughput_bytes_per_sec";
const WITHOUT: &str = "before lost removed";
const PLACING: &str = "best format moves placeable predictions reached seed starts study today \
    written";
const PLACEABLE: &str = "copies counts kind places things";
const MOVE: &str = "copies effect gain_share kind moved operations_per_sec \
    throughput_bytes_per_sec";
const MACHINE_PLACING: &str = "commands controllers format host moves not_known undo";
const PLACED_CONTROLLER: &str = "address behind can_move driver interrupts node queues served_by";
const PREDICTED: &str = "case prediction technique without";

const LAYOUT: &str = "devices format programs script steps study tool written";
const LAYOUT_DEVICE: &str = "device name variable";
const LAYOUT_STEP: &str = "commands makes needs part remarks source undo";
const LAYOUT_NEED: &str = "at_first test text";
const LAYOUT_REMARK: &str = "source text";

/// Fails where a key is missing or not known.
#[track_caller]
fn keys(value: &Value, expected: &str) {
    let object = value.as_object().unwrap_or_else(|| panic!("no object: {value}"));
    let mut found: Vec<&str> = object.keys().map(String::as_str).collect();
    let mut expected: Vec<&str> = expected.split_whitespace().collect();
    found.sort_unstable();
    expected.sort_unstable();
    assert_eq!(found, expected);
}

#[track_caller]
fn all(value: &Value, expected: &str) {
    value.as_array().unwrap().iter().for_each(|item| keys(item, expected));
}

#[track_caller]
fn if_any(value: &Value, expected: &str) {
    if !value.is_null() {
        keys(value, expected);
    }
}

/// Reads a run strictly and returns its trials.
#[track_caller]
pub(crate) fn trials(run: &Value) -> &Vec<Value> {
    keys(run, RUN);
    assert_eq!(run["format"], "iopath-run/8");
    all(&run["ladders"], LOAD_SWEEP);
    for load_sweep in run["ladders"].as_array().unwrap() {
        all(&load_sweep["rungs"], LOAD_STEP);
    }
    all(&run["depths"], DEPTHS);
    for depths in run["depths"].as_array().unwrap() {
        all(&depths["points"], DEPTH);
        all(&depths["evidence"], EVIDENCE);
    }
    let trials = run["trials"].as_array().unwrap();
    for trial in trials {
        keys(trial, TRIAL);
        keys(&trial["case"], CASE);
        if_any(&trial["emulated"], EMULATED);
        assert_eq!(trial["technique"], "measurement");
        assert!(trial["environment"].as_object().unwrap().values().all(Value::is_string));
        findings(&trial["findings"]);
    }
    trials
}

/// Reads the commands that build a layout strictly.
#[track_caller]
pub(crate) fn layout(value: &Value) {
    keys(value, LAYOUT);
    assert_eq!(value["format"], "iopath-layout/1");
    all(&value["devices"], LAYOUT_DEVICE);
    all(&value["steps"], LAYOUT_STEP);
    for step in value["steps"].as_array().unwrap() {
        all(&step["needs"], LAYOUT_NEED);
        all(&step["remarks"], LAYOUT_REMARK);
    }
}

/// Reads an interval of what is watched strictly.
#[track_caller]
pub(crate) fn watched(line: &Value) {
    keys(line, WATCH);
    assert_eq!(line["format"], "iopath-watch/2");
    all(&line["entities"], WATCHED);
    all(&line["processors"], PROCESSOR);
    all(&line["pressure"], PRESSURE);
    if_any(&line["memory"], MEMORY);
    for entity in line["entities"].as_array().unwrap() {
        if_any(&entity["balance"], BALANCE);
    }
}

/// Reads a picture of a run under way strictly.
#[track_caller]
pub(crate) fn following(line: &Value) {
    keys(line, FOLLOWING);
    assert_eq!(line["format"], "iopath-following/1");
    all(&line["streams"], STREAM_RATE);
    all(&line["devices"], STREAM_RATE);
}

/// Reads a placement strictly and returns its moves.
#[track_caller]
pub(crate) fn placed(placing: &Value) -> &Vec<Value> {
    keys(placing, PLACING);
    assert_eq!(placing["format"], "iopath-placement/1");
    all(&placing["placeable"], PLACEABLE);
    for case in [&placing["today"], &placing["best"]] {
        keys(case, PREDICTED);
        keys(&case["case"], CASE);
    }
    for unit in placing["placeable"].as_array().unwrap() {
        all(&unit["counts"], "best name today");
    }
    all(&placing["moves"], MOVE);
    let moves = placing["moves"].as_array().unwrap();
    moves.iter().for_each(|one| all(&one["moved"], "from to what"));
    moves
}

/// Reads the placement of a machine strictly.
#[track_caller]
pub(crate) fn machine_placed(placing: &Value) {
    keys(placing, MACHINE_PLACING);
    assert_eq!(placing["format"], "iopath-machine-placement/1");
    all(&placing["controllers"], PLACED_CONTROLLER);
    for controller in placing["controllers"].as_array().unwrap() {
        all(&controller["served_by"], "processors share");
    }
    all(&placing["moves"], "hint parts rule severity text");
}

/// Reads a simulation strictly and returns its cases.
#[track_caller]
pub(crate) fn simulated(simulation: &Value) -> &Vec<Value> {
    keys(simulation, SIMULATION);
    assert_eq!(simulation["format"], "iopath-simulation/6");
    all(&simulation["ladders"], LOAD_SWEEP);
    let cases = simulation["cases"].as_array().unwrap();
    for case in cases {
        keys(case, SIMULATED);
        keys(&case["case"], CASE);
        keys(&case["bound"], BOUND);
        all(&case["seeds"], SEED);
        if_any(&case["without"], WITHOUT);
        assert_eq!(case["technique"], "simulation");
        findings(&case["findings"]);
    }
    cases
}

#[track_caller]
fn findings(findings: &Value) {
    keys(findings, FINDINGS);
    all(&findings["streams"], STREAM);
    all(&findings["epochs"], EPOCH);
    all(&findings["actions"], ACTION);
    all(&findings["lags"], LAG);
    all(&findings["failures"], FAILURE);
    all(&findings["intensities"], INTENSITY);
    all(&findings["passes"], PASS);
    all(&findings["warnings"], WARNING);
    all(&findings["audit"], LAW);
    keys(&findings["skew_ns"], "back front");
    if_any(&findings["confidence"], CONFIDENCE);
    if_any(&findings["min_stream"], STREAM_RATE);
    if_any(&findings["max_stream"], STREAM_RATE);
    if_any(&findings["read"], OP);
    if_any(&findings["write"], OP);
    if_any(&findings["flush"], FLUSH);
    for times in ["latency_ns", "commit_latency_ns", "intended_commit_latency_ns"] {
        if_any(&findings["flush"][times], SUMMARY);
    }
    keys(&findings["limit"], LIMIT);
    all(&findings["limit"]["evidence"], EVIDENCE);
    if !findings["limit"]["capacity"].is_null() {
        keys(&findings["limit"]["capacity"], CAPACITY);
    }
    all(&findings["advice"], ADVICE);
    let cause = findings["limit"]["cause"].as_str().unwrap();
    assert!(CAUSES.contains(&cause), "{cause}");
    for name in ["latency_of", "bytes", "duration_ns", "requests", "throughput_bytes_per_sec"] {
        assert!(!findings[name].is_null(), "{name}");
    }
}

/// The findings of a run of one trial.
#[track_caller]
pub(crate) fn only(run: &Value) -> &Value {
    let trials = trials(run);
    assert_eq!(trials.len(), 1);
    &trials[0]["findings"]
}

/// Laws of the audit that are broken, as text.
pub(crate) fn broken(findings: &Value) -> Vec<String> {
    let laws = findings["audit"].as_array().unwrap();
    laws.iter().filter(|law| law["holds"] == false).map(ToString::to_string).collect()
}
