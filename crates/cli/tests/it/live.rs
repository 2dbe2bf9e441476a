//! `iopath emulate --live`: real requests to a described system, as slow, as safe and as full of
//! failures as it is described.

use std::fs::{File, OpenOptions};
use std::os::unix::fs::FileExt;
use std::path::PathBuf;
use std::sync::atomic::{AtomicBool, AtomicU64, Ordering};
use std::time::{Duration, Instant};

use serde_json::Value;

use crate::emulations::{assert_nothing_left, daemons, directory, emulate, with};
use crate::loopback::{Bench, is_root};
use crate::program::Program;

/// Five disks behind two controllers, of which the first one owns the volume. Its caches hold
/// little of it, so that a short measurement with cold ones is as fast as a long simulation.
fn array(cache: &str, stream: &str) -> String {
    format!(
        r#"study "Array"
path {{
    host "h" {{ hba {{ port count=2 read="20 MB/s" write="2 MB/s" }} }}
    array "a" {{
        controller "one" {{
            port
            cache size="64 MiB" write="back" {cache}
            raid "v" level=5 segment="64 KiB" {{
                disk count=5 size="1 GB" stream="50 MB/s" position="5 ms"
            }}
        }}
        controller "two" {{ port; cache size="64 MiB" write="back" {cache} }}
    }}
    wire from="h.hba.port[0]" to="a.one.port"
    wire from="h.hba.port[1]" to="a.two.port"
}}
workload time="20 s" {{
    streams "s" over="a.one.v" {stream}
}}
"#
    )
}

const READS: &str = r#"pattern="random" block="8 KiB" depth=8"#;
const WRITES: &str = r#"op="write" block="4 KiB""#;

/// The file of the only target of a system that stands.
fn file(program: &Program) -> PathBuf {
    let study = std::fs::read_dir(directory(program)).unwrap().next().unwrap().unwrap();
    let files = std::fs::read_dir(study.path().join("files")).unwrap();
    files.map(|entry| entry.unwrap().path()).next().unwrap()
}

fn opened(program: &Program) -> File {
    OpenOptions::new().read(true).write(true).open(file(program)).unwrap()
}

#[test]
fn what_is_measured_is_what_is_simulated_and_its_inside_is_in_the_record() {
    let program = with(&array("", READS));
    let output = emulate(&program, "study.kdl --live --run --time 4s --warm-up 1s --json");
    let value: Value = output.done().json();
    let case = &value["cases"][0];
    let off = case["off_percent"].as_f64().unwrap();
    let in_time = case["lateness"]["in_time_share"].as_f64().unwrap();
    // On a busy machine it is as much slower as answers are late, and never faster.
    let slowest = if in_time > 0.995 { -10.0 } else { -60.0 };
    assert!((slowest..10.0).contains(&off), "{case}");
    assert!(case["lateness"]["answers"].as_u64() > Some(500), "{case}");
    assert_nothing_left(&program);
    let text = program.line("show last").done().stdout;
    for wanted in ["latency-bound", "a.one.v.disk ×5", "a.one.cache", "for each of them"] {
        assert!(text.contains(wanted), "{wanted}: {text}");
    }
}

#[test]
fn what_is_written_is_read_back_and_stays_within_the_file() {
    let program = with(&array("", READS));
    emulate(&program, "study.kdl --live --up --media files --scale 1:1").done();
    let file = opened(&program);
    let size = file.metadata().unwrap().len();
    assert_eq!(size, 4_000_000_000 / 512 * 512);
    let data: Vec<u8> = (0..3_000_000_u32).map(|at| (at >> 3) as u8).collect();
    file.write_all_at(&data, 12_288).unwrap();
    file.sync_all().unwrap();
    let mut read = vec![0; data.len()];
    file.read_exact_at(&mut read, 12_288).unwrap();
    assert!(read == data);
    assert_eq!(file.read_at(&mut read, size).unwrap(), 0);
    assert_eq!(file.read_at(&mut read[..8192], size - 512).unwrap(), 512);
    let full = file.write_all_at(&[1; 1024], size - 512).unwrap_err();
    assert_eq!(full.kind(), std::io::ErrorKind::StorageFull);
    drop(file);
    emulate(&program, "--down").done();
    assert_nothing_left(&program);
}

/// Writes blocks one after the other, each flushed, for a while; how many of them are not there
/// afterwards, and how long the slowest took.
fn lost_of_acknowledged(cache: &str) -> (usize, Duration) {
    const BLOCK: usize = 4096;
    let program = with(&array(cache, WRITES));
    let fails = "--fail a.one --at 2s";
    emulate(&program, &format!("study.kdl --live --up --media files --scale 1:1 {fails}")).done();
    let file = opened(&program);
    let content = |number: u64| [(number % 251) as u8 + 1; BLOCK];
    let most = file.metadata().unwrap().len() / BLOCK as u64;
    let (mut acknowledged, mut slowest) = (0, Duration::ZERO);
    while acknowledged < most && slowest < Duration::from_secs(3) {
        let began = Instant::now();
        file.write_all_at(&content(acknowledged), acknowledged * BLOCK as u64).unwrap();
        file.sync_data().unwrap();
        slowest = slowest.max(began.elapsed());
        acknowledged += 1;
    }
    let mut found = [0; BLOCK];
    let is_lost = |number: &u64| {
        file.read_exact_at(&mut found, number * BLOCK as u64).unwrap();
        found != content(*number)
    };
    let lost = (0..acknowledged).filter(is_lost).count();
    drop(file);
    emulate(&program, "--down").done();
    assert_nothing_left(&program);
    (lost, slowest)
}

/// How often at most.
const TRIES: usize = 3;

#[test]
fn a_controller_takes_what_only_its_cache_has_and_the_other_one_takes_over() {
    for (cache, loses) in [
        (r#"flush="never""#, true),
        (r#"flush="never" battery=#true"#, false),
        (r#"flush="never" mirror=#true"#, false),
    ] {
        // On a busy machine a cache may be empty when its controller fails.
        let mut tried = (0..TRIES).map(|_| lost_of_acknowledged(cache));
        let (lost, slowest) = match loses {
            true => tried.find(|(lost, _)| *lost > 0).expect(cache),
            false => tried.next().unwrap(),
        };
        assert_eq!(lost > 0, loses, "{cache}: {lost} lost");
        // The default of `failover`.
        assert!(slowest >= Duration::from_secs(4), "{slowest:?}");
    }
}

#[test]
fn a_part_of_a_path_that_is_up_fails_on_the_command_line() {
    let program = with(&array(r#"flush="never""#, WRITES));
    emulate(&program, "--fail a.one").ends(3).tells(&["no live path is up in "]);
    emulate(&program, "study.kdl --live --up --media files --scale 1:1").done();
    emulate(&program, "--fail a.three").ends(3).tells(&["--fail a.three: "]);
    let file = opened(&program);
    file.write_all_at(&[7; 4096], 0).unwrap();
    let fails = "study.kdl --fail a.one --for 30s";
    emulate(&program, fails).done().tells(&["a.one of Array fails now, for 30"]);
    let (mut found, began) = ([7; 4096], Instant::now());
    file.read_exact_at(&mut found, 0).unwrap();
    // The default of `failover`.
    assert!(began.elapsed() >= Duration::from_secs(4), "{:?}", began.elapsed());
    assert_eq!(found, [0; 4096]);
    drop(file);
    emulate(&program, "--down").done();
    assert_nothing_left(&program);
}

#[test]
fn what_is_inside_a_path_that_is_up_is_watched() {
    let program = with(&array(r#"flush="never" mirror=#true"#, WRITES));
    let watch = |words: &str| {
        let directory = directory(&program);
        program.line(&format!("watch --live {words} --directory {}", directory.display()))
    };
    watch("").ends(3).tells(&["--live: no live path is up in "]);
    emulate(&program, "study.kdl --live --up --scale 1:1").done();
    let idle = watch("--count 1 --interval 200ms --plain").done().stdout;
    assert!(idle.contains("inside Array, live") && !idle.contains("a.one.cache"), "{idle}");
    let (is_over, written) = (AtomicBool::new(false), AtomicU64::new(0));
    let file = opened(&program);
    let [picture, json, kept] = std::thread::scope(|scope| {
        let write = || {
            while !is_over.load(Ordering::Relaxed) {
                file.write_all_at(&[7; 4096], 0).unwrap();
                written.fetch_add(4096, Ordering::Relaxed);
            }
        };
        scope.spawn(write);
        let picture = watch("study.kdl --count 2 --interval 500ms --plain");
        let json = watch("--count 1 --interval 500ms --json");
        let record = format!("--record --store {}", program.store().display());
        let kept = watch(&format!("--count 3 --interval 400ms --plain {record}"));
        is_over.store(true, Ordering::Relaxed);
        [picture, json, kept].map(|output| output.done().stdout)
    });
    for wanted in ["ports", "  h.hba.port[0] ", "controllers", "  a.one ", "caches", "devices"] {
        assert!(picture.contains(wanted), "no {wanted} in {picture}");
    }
    let json: Value = serde_json::from_str(&json).unwrap();
    let entities = json["entities"].as_array().unwrap();
    let of = |name: &str| entities.iter().find(|one| one["name"] == name).unwrap();
    let rate = |name: &str| of(name)["write_bytes_per_sec"].as_f64().unwrap();
    // The other cache has the same data.
    let [own, mirror] = ["a.one.cache", "a.two.cache"].map(rate);
    assert!(own > 0.0 && (mirror / own - 1.0).abs() < 0.1, "{own} {mirror}");
    assert!(of("h.hba.port[0]")["utilisation"].as_f64() > Some(0.0), "{json:#}");
    assert!(kept.contains("  a.one.cache"), "{kept}");
    let written = written.into_inner();
    let run = &program.json("show last")["trials"][0];
    let findings = &run["findings"];
    let [bytes, requests] = ["bytes", "requests"].map(|key| findings[key].as_u64().unwrap());
    // The load is what its stream wrote: disks of a RAID 5 move more than that, and read, too.
    assert!(requests > 1 && bytes == 4096 * requests, "{findings:#}");
    assert!(bytes <= written, "{bytes} of {written}");
    assert!(findings["read"].is_null(), "{findings:#}");
    let causes = ["component", "device", "unknown"];
    let cause = findings["limit"]["cause"].as_str().unwrap();
    assert!(causes.contains(&cause), "{cause}: no kernel is inside it");
    let shown = program.line("show last --full").done().stdout;
    for wanted in ["inside Array, live", "a.one.cache", "h.hba.port[0]"] {
        assert!(shown.contains(wanted), "no {wanted} in {shown}");
    }
    watch("--interval 10ms").ends(3).tells(&["--interval: at least 100 ms with --live"]);
    program.write("other.kdl", array("", READS).replace("Array", "Other"));
    watch("other.kdl").ends(3).tells(&["no live path of \"Other\" is up in "]);
    emulate(&program, "--down").done();
    assert_nothing_left(&program);
}

#[test]
fn who_watches_a_path_hears_that_it_is_taken_down() {
    let program = with(&array("", READS));
    emulate(&program, "study.kdl --live --up --scale 1:1").done();
    let directory = directory(&program);
    let line = format!("watch --live --plain --interval 100ms --directory {}", directory.display());
    let running = program.start(&line);
    running.await_lines(1);
    emulate(&program, "--down").done();
    running.wait().done().tells(&["Array was taken down"]);
    assert_nothing_left(&program);
}

#[test]
fn without_a_path_left_requests_fail_and_the_events_are_in_the_record() {
    let program = with(&array("", READS));
    emulate(&program, "study.kdl --live --up --scale 1:1 --fail h.hba --at 0.5s").done();
    std::thread::sleep(Duration::from_millis(600));
    let error = opened(&program).read_at(&mut [0; 4096], 0).unwrap_err();
    assert_eq!(error.raw_os_error(), Some(5), "{error}");
    emulate(&program, "--down").done();
    let fails = "--fail a.two --at 2s --for 20s";
    emulate(&program, &format!("study.kdl --live --run --time 3s --warm-up 1s {fails}")).done();
    let text = program.line("show last").done().stdout;
    assert!(text.contains("a.two fails"), "{text}");
    assert_nothing_left(&program);
}

#[test]
fn requests_that_were_recorded_are_answered_the_same_by_the_simulation() {
    let stream = r#"op="mix" reads="70 %" pattern="random" block="8 KiB" depth=8 sync="fdatasync""#;
    let program = with(&array("", stream));
    let short = "--live --run --time 2s --warm-up 0.5s";
    emulate(&program, &format!("study.kdl {short} --scale 1:1 --arrivals all.jsonl")).done();
    let replay = "simulate study.kdl --arrivals all.jsonl --no-progress";
    let text = program.line(replay).done().stdout;
    let recorded = std::fs::read_to_string(program.path("all.jsonl")).unwrap();
    let requests = recorded.lines().count() - 1;
    assert!(requests > 100, "{requests}");
    let wanted = format!("replayed {requests} requests, 100.0 % of them answered as recorded");
    assert!(text.contains(&wanted), "{text}");
    // Another system answers them at other times.
    let slow = format!("{replay} --set a.one.v.disk.position=20ms");
    let text = program.line(&slow).done().stdout;
    assert!(!text.contains("100.0 %"), "{text}");
    let again = format!("study.kdl {short} --scale 1:1 --arrivals all.jsonl");
    emulate(&program, &again).ends(3).tells(&["all.jsonl exists"]);
    program.write("small.kdl", array("", stream).replace("1 GB", "1 MB"));
    let small = "simulate small.kdl --arrivals all.jsonl";
    program.line(small).ends(3).tells(&["beyond the end of a.one.v"]);
    // What was cut off counts as not recorded; what is wrong in the middle does not pass.
    let third = recorded.match_indices('\n').nth(2).unwrap().0;
    program.write("cut.jsonl", &recorded[..third + 9]);
    let cut = program.line("simulate study.kdl --arrivals cut.jsonl --no-progress").done().stdout;
    assert!(cut.contains("replayed 2 requests"), "{cut}");
    program.write("odd.jsonl", format!("{}\n{}", &recorded[..third + 9], &recorded[third..]));
    let odd = "simulate study.kdl --arrivals odd.jsonl";
    program.line(odd).ends(3).tells(&["odd.jsonl: line 4: "]);
    assert_nothing_left(&program);
}

#[test]
fn a_daemon_that_is_killed_is_swept_up() {
    let program = with(&array("", READS));
    emulate(&program, "study.kdl --live --up --scale 1:1").done();
    let [(daemon, _)] = daemons(&program)[..] else { panic!("{:?}", daemons(&program)) };
    let killed = std::process::Command::new("kill").args(["-9", &daemon.to_string()]).status();
    assert!(killed.unwrap().success());
    emulate(&program, "--down").done().tells(&["1 emulated path taken away"]);
    assert_nothing_left(&program);
}

#[test]
fn a_full_disk_refuses_what_has_no_room_and_nothing_else() {
    if !is_root() {
        return;
    }
    let mut bench = Bench::new();
    let small = bench.mount(&["-t", "tmpfs", "-o", "size=2M,mode=700", "none"], "small");
    let program = with(&array("", WRITES));
    let options = format!("--live --media files --scale 1:1 --directory {}", small.display());
    let line = |rest: &str| program.line(&format!("emulate {rest} {options}"));
    line("study.kdl --up").done();
    let place = small.join("Array/files");
    let place = std::fs::read_dir(&place).unwrap().next().unwrap().unwrap().path();
    let file = OpenOptions::new().read(true).write(true).open(place).unwrap();
    file.write_all_at(&[1; 1 << 19], 0).unwrap();
    let full = file.write_all_at(&[1; 4 << 20], 1 << 19).unwrap_err();
    assert_eq!(full.kind(), std::io::ErrorKind::StorageFull);
    let mut found = [0; 8192];
    file.read_exact_at(&mut found, (1 << 19) - 4096).unwrap();
    assert!(found == [1; 8192]);
    drop(file);
    let down = format!("emulate --down --directory {}", small.display());
    program.line(&down).done().tells(&["1 emulated path taken away"]);
    std::fs::write(small.join("rest"), vec![0; 4 << 20]).unwrap_err();
    line("study.kdl --up").ends(4).tells(&["not enough space in "]);
}

#[test]
fn every_target_of_a_stream_that_counts_is_a_file_and_each_can_be_opened() {
    let study = r#"study "Two of three"
path { host "h" { disk count=3 size="1 GB" read="20 MB/s" latency="1 ms" } }
workload {
    streams "a" over="h.disk[0]" block="64 KiB" depth=2
    streams "b" over="h.disk[2]" block="64 KiB" count=3
}
"#;
    let program = with(study);
    emulate(&program, "study.kdl --live --up --scale 1:1").done();
    let place = file(&program);
    let files = std::fs::read_dir(place.parent().unwrap()).unwrap();
    let files: Vec<PathBuf> = files.map(|entry| entry.unwrap().path()).collect();
    assert_eq!(files.len(), 2, "{files:?}");
    for file in files {
        assert_eq!(File::open(&file).unwrap().read_at(&mut [0; 65536], 0).unwrap(), 65536);
    }
    emulate(&program, "--down").done();
    assert_nothing_left(&program);
}

#[test]
fn what_cannot_be_live_says_why() {
    let program = with(&array("", READS));
    for (options, wanted) in [
        ("--live --up --fail a.three", "--fail a.three: "),
        ("--live --run --passes 2 --fail a.two", "omit --passes"),
        ("--live --up --fail a.two --at soon", "--at: "),
    ] {
        emulate(&program, &format!("study.kdl {options}")).ends(3).tells(&[wanted]);
    }
    let fast = r#"study "fast"
path { host "h" { disk count=8 size="1 GB" read="1000 GB/s" } }
workload { streams "s" over="h.disk" block="4 KiB" depth=4 }
"#;
    let program = with(fast);
    let up = "study.kdl --live --up --scale 1:1";
    emulate(&program, up).ends(4).tells(&["; try 1:1, stretched "]);
    let sizeless = fast.replace(r#"size="1 GB" "#, "");
    let program = with(&sizeless);
    emulate(&program, up).ends(4).tells(&["state its size"]);
    assert_nothing_left(&program);
}
