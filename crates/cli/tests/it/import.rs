//! What other tools printed, from files to a run that is shown.

use serde_json::Value;

use crate::program::Program;

const IOSTAT: &str = include_str!("../../../import/tests/fixtures/iostat-12.6-iso.txt");
const LOCAL: &str = include_str!("../../../import/tests/fixtures/iostat-12.6.txt");
const TIMELESS: &str = include_str!("../../../import/tests/fixtures/iostat-10-mb.txt");
const PORTS: &str = include_str!("../../../import/tests/fixtures/portperfshow.txt");
const IOZONE: &str = include_str!("../../../import/tests/fixtures/iozone-excel.txt");
const VXBENCH: &str = include_str!("../../../import/tests/fixtures/veritas-raw-vxbench.txt");
const FIO: &str = include_str!("../../../import/tests/fixtures/fio-3.33-plus.json");
const FIO_SYNC: &str = include_str!("../../../import/tests/fixtures/fio-3.33-sync.json");

fn with_files() -> Program {
    let program = Program::in_memory();
    let files =
        [("io.txt", IOSTAT), ("local.txt", LOCAL), ("timeless.txt", TIMELESS), ("fio.json", FIO)];
    for (name, text) in files {
        program.write(name, text);
    }
    program
}

#[test]
fn iostat_beside_fio_becomes_one_run() {
    let program = with_files();
    let told = program.json("import io.txt fio.json --title beside");
    assert_eq!(
        (told["format"].as_str(), told["run"].as_str()),
        (Some("iopath-import/1"), Some("1"))
    );
    assert_eq!(told["files"][0]["intervals"], 4);
    assert_eq!(told["entities"]["disk"], serde_json::json!(["vda"]));
    let shown = program.json("show last");
    let findings = &shown["trials"][0]["findings"];
    let fio: Value = serde_json::from_str(FIO).unwrap();
    let jobs = fio["jobs"].as_array().unwrap();
    let bytes = |job: &Value, op: &str| job[op]["io_bytes"].as_u64().unwrap();
    let expected: u64 = jobs.iter().map(|job| bytes(job, "read") + bytes(job, "write")).sum();
    assert_eq!(findings["bytes"].as_u64(), Some(expected));
    assert_eq!(shown["trials"][0]["technique"], "observation");
    assert!(findings["audit"].as_array().unwrap().iter().all(|law| law["holds"] == true));
    let text = program.line("list").done().stdout;
    assert!(text.contains("beside"), "{text}");
}

#[test]
fn plain_json_of_fio_shows_means_and_says_what_has_no_place() {
    let program = Program::in_memory();
    program.write("fio.json", FIO_SYNC);
    let told = program.line("import fio.json").done().stdout;
    assert!(told.contains("\"wal\" flushed") && told.contains("import.fio.wal.sync"), "{told}");
    let fio: Value = serde_json::from_str(FIO_SYNC).unwrap();
    let (mut waited, mut requests) = (0.0, 0.0);
    for (job, op) in [(0, "write"), (1, "read")] {
        let way = &fio["jobs"][job][op];
        let count = way["total_ios"].as_f64().unwrap();
        waited += way["lat_ns"]["mean"].as_f64().unwrap() * count;
        requests += count;
    }
    let findings = &program.json("show 1")["trials"][0]["findings"];
    let mean = findings["latency_ns_mean"].as_f64().unwrap();
    assert!((mean * requests / waited - 1.0).abs() < 1e-3, "{mean} of {waited} / {requests}");
    assert!(findings["latency_ns_p99"].is_null(), "nothing is invented");
}

#[test]
fn an_imported_run_was_never_verified() {
    let program = with_files();
    program.line("import local.txt").done();
    let why = "imported from the output of another tool";
    let output = program.line("verify 1").ends(4).tells(&["run 1 has no journal", why]);
    assert!(!output.stderr.contains("--verify"), "{}", output.stderr);
}

#[test]
fn counters_alone_are_a_run_too() {
    let program = with_files();
    let told = program.line("import local.txt").done().stdout;
    assert!(told.contains("2 disks: loop0, vda") && told.contains("iopath show 1"), "{told}");
    program.line("show 1").done();
}

#[test]
fn what_a_text_does_not_tell_is_asked_for() {
    let program = with_files();
    let nothing = "nothing was imported";
    program.line("import timeless.txt").ends(3).tells(&["say --interval 10s", nothing]);
    program.line("import timeless.txt --interval 10").ends(3).tells(&["--interval: ", nothing]);
    program.line("import timeless.txt --interval 10s").done();
    program.line("import local.txt fio.json").ends(3).tells(&["no zone", "--zone", nothing]);
    program.line("import local.txt fio.json --zone UTC").done();
    program.line("import local.txt fio.json --begin fio.json=1s").done();
    program.line("import local.txt fio.json --begin fio.jsn=1s").ends(3).tells(&["fio.jsn"]);
    program.line("import local.txt --relate vol=vda").ends(3).tells(&["\"vol\" matches nothing"]);
    program.line("import local.txt --as vmstat").ends(3).tells(&["not a supported tool", "iostat"]);
    program.line("import local.txt gone.txt").ends(4).tells(&["cannot read gone.txt"]);
    program.write("letter.txt", "Dear all,\n");
    program.line("import letter.txt").ends(3).tells(&["unrecognized format", "--as", nothing]);
    program.write("latin.txt", b"ger\xe4t\n");
    program.line("import latin.txt").ends(3).tells(&["latin.txt:1: not UTF-8", nothing]);
}

#[test]
fn units_are_asked_for() {
    let program = with_files();
    program.write("ports.txt", PORTS);
    program.write("bench.txt", VXBENCH);
    program.write("table.txt", IOZONE);
    let nothing = "nothing was imported";
    program.line("import ports.txt").ends(3).tells(&["--unit portperfshow=MiB", nothing]);
    program.line("import ports.txt --unit MiB").ends(3).tells(&["TOOL=UNIT", nothing]);
    program.line("import ports.txt --unit portperfshow=MB --interval 1s").done();
    program.line("import bench.txt --op both").ends(3).tells(&["--op", nothing]);
    program.line("import bench.txt --unit vxbench=KiB").done();
    let shown = program.json("show last");
    let jain = shown["trials"][0]["findings"]["jain"].as_f64().unwrap();
    assert!((0.9999..=1.0).contains(&jain), "64 readers with equal shares: {jain}");
    program.line("import table.txt").done();
    assert_eq!(program.json("show last")["trials"].as_array().unwrap().len(), 8);
}

/// The listings of a published study (constructed from its figures), one node, raw volume.
const RAW: &[(&str, &str)] = &[
    ("bench", VXBENCH),
    ("vx", include_str!("../../../import/tests/fixtures/veritas-raw-vxstat.txt")),
    ("io", include_str!("../../../import/tests/fixtures/veritas-raw-iostat.txt")),
    ("ports", include_str!("../../../import/tests/fixtures/veritas-raw-portperfshow.txt")),
];

fn layers_with(prefix: &str) -> Value {
    let program = Program::in_memory();
    RAW.iter().for_each(|(name, text)| {
        program.write(name, text);
    });
    let unit = format!("portperfshow={prefix}");
    let words = [
        "import bench vx io ports --unit vxbench=KiB --interval 50s --unit",
        &unit,
        "--begin vx=0s --begin io=0s --begin ports=0s --relate user*=vol1 --relate vol1=array*",
        "--relate array*=sd[b-z],sda[a-w] --relate sd[b-z]=port* --relate sda[a-w]=port*",
    ];
    program.line(&words.join(" ")).done();
    program.json("show last")["trials"][0].clone()
}

#[test]
fn a_port_meter_whose_unit_is_off_is_found_with_the_framing_that_remains() {
    let trial = layers_with("MiB");
    let steps = trial["layers"]["steps"].as_array().unwrap();
    let ratios: Vec<f64> = steps.iter().map(|step| step["ratio"].as_f64().unwrap()).collect();
    assert_eq!(ratios.len(), 4);
    // Three meters agree: 1.504, 1.504, 1.505 in the study.
    assert!(ratios[..3].iter().all(|ratio| (ratio - 1.0).abs() < 0.005), "{ratios:?}");
    let why = &steps[3]["explanations"][0];
    assert_eq!(why["because"], "slip-and-framing");
    assert!(why["text"].as_str().unwrap().contains("MiB (2^20) taken for MB"), "{why}");
    let decimal = layers_with("MB");
    let why = &decimal["layers"]["steps"][3]["explanations"][0];
    assert_eq!(why["because"], "framing");
    assert!((why["factor"].as_f64().unwrap() - 1.017).abs() < 0.001);
    let paths = trial["balance"].as_array().unwrap();
    assert!(
        paths.iter().filter(|one| one["layer"] == "device").all(|b| b["verdict"] == "balanced")
    );
}

#[test]
fn slow_paths_that_carry_equal_rates_are_found() {
    let program = Program::in_memory();
    let text = include_str!("../../../import/tests/fixtures/veritas-32k-iostat.txt");
    program.write("io", text);
    program.line("import io").done();
    let shown = program.json("show last");
    let paths = &shown["trials"][0]["balance"][0];
    assert_eq!(paths["verdict"], "slow-members");
    assert_eq!(paths["slow"].as_array().unwrap().len(), 12);
    assert_eq!(paths["members"].as_array().unwrap().len(), 48);
    assert!((6.0..7.0).contains(&paths["service_ratio"].as_f64().unwrap()), "{paths}");
    let text = program.line("show last").done().stdout;
    assert!(text.contains("12 of 48 members are slow but get the same load"), "{text}");
}

#[test]
fn what_never_ends_or_is_too_large_is_refused_at_once() {
    let program = with_files();
    program.line("import /dev/zero").ends(4).tells(&["/dev/zero", "is a device"]);
    program.line("import io.txt /dev/full").ends(4).tells(&["/dev/full", "is a device"]);
    program.line("import .").ends(4);
    let mut endless = program.command(["import", "-"]);
    let zero = || std::process::Stdio::from(std::fs::File::open("/dev/zero").unwrap());
    program.run_command(endless.stdin(zero())).ends(3).tells(&["zero bytes"]);
    let line = "vol vol1 1 1 1 1 1.0 1.0\n";
    let large = program.write("large.txt", line.repeat((32 << 20) / line.len() + 1));
    program.line("import large.txt").ends(3).tells(&["more than 32 MiB", "nothing was imported"]);
    let mut piped = program.command(["import", "-"]);
    let large = std::process::Stdio::from(std::fs::File::open(large).unwrap());
    program.run_command(piped.stdin(large)).ends(3).tells(&["more than 32 MiB"]);
    assert!(!program.store().exists());
}

#[test]
fn an_export_with_more_records_than_it_announces_ends_at_the_first() {
    let program = with_files();
    program.line("import local.txt").done();
    program.line("export 1 run.json").done();
    let text = std::fs::read_to_string(program.path("run.json")).unwrap();
    let record = text.lines().nth(1).unwrap();
    program.write("long.json", format!("{text}{}", format!("{record}\n").repeat(50)));
    program.line("import long.json").ends(3).tells(&["line 3", "more than the 1 records"]);
    let mut piped = program.command(["import", "-"]);
    let run = std::process::Stdio::from(std::fs::File::open(program.path("run.json")).unwrap());
    program.run_command(piped.stdin(run)).done();
}
