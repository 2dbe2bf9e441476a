//! Workers that cannot start, workers by the thousand, and what they take.

use std::time::Instant;

use iopath_machine::Root;
use iopath_measurement::target::preflight;
use iopath_measurement::{Ending, Failure, Targets};
use iopath_record::{Counter, Record, StreamTotals, Technique};
use iopath_study::Case;
use iopath_study::case::{BufferKind, EngineKind, Pattern, Until};
use iopath_units::{Bytes, Nanos};

use crate::cases::{Left, case, run, run_on, stream};

const MINUTE: Nanos = Nanos(60_000_000_000);

/// A case of two streams for a minute, the second of which is to fail when it is set up.
fn with_a_bad_stream(directory: &std::path::Path) -> Case {
    let mut case = case(directory);
    case.workload.until.time = Some(MINUTE);
    case.streams = (0..2).map(|index| stream("reader", index, 2)).collect();
    case
}

/// The failed set-up ends the pass at once and is told; nothing was issued.
fn assert_not_started(case: &Case, says: &str) {
    let began = Instant::now();
    // Preflight would find this out before anything starts; here the workers must.
    let mut targets = Targets::new(Root::live(), std::env::temp_dir());
    let Left { records, ending, .. } = run_on(case, &mut targets, &false.into());
    assert!(began.elapsed().as_secs() < 50, "it did not wait for the end of the pass");
    let Ending::Failed(failure @ Failure::SetUp { .. }) = ending else { panic!("{ending:?}") };
    let text = failure.to_string();
    assert!(text.contains("reader[1]") && text.contains(says), "{text}");
    let warnings: Vec<_> = records[0].warnings.iter().map(|w| w.kind.as_str()).collect();
    assert!(warnings.contains(&"pass-failed"), "{warnings:?}");
    let phases = records[0].streams.iter().flat_map(|stream| &stream.phases);
    assert_eq!(phases.map(|phase| phase.submitted).sum::<u64>(), 0, "where one cannot, none does");
}

#[test]
fn a_ring_that_is_too_deep_ends_the_pass_before_it_begins() {
    let place = tempfile::tempdir().unwrap();
    let mut case = with_a_bad_stream(place.path());
    case.streams[1].block = Bytes(512);
    case.streams[1].depth = 33_000;
    assert_not_started(&case, "at most 32,768 requests");
}

#[test]
fn huge_pages_that_do_not_exist_end_the_pass_before_it_begins() {
    let place = tempfile::tempdir().unwrap();
    for engine in [EngineKind::Uring, EngineKind::Null] {
        let mut case = with_a_bad_stream(place.path());
        case.workload.engine = engine;
        case.workload.buffers = BufferKind::HugeRequired;
        // No machine has so many. The first stream would fail too.
        case.streams.remove(0);
        case.streams[0].block = Bytes(4 << 20);
        case.streams[0].depth = 32_768;
        assert_not_started(&case, "memory");
    }
}

#[test]
fn more_streams_than_the_kernel_has_mappings_or_threads_for_are_refused_before_they_start() {
    let place = tempfile::tempdir().unwrap();
    let limits = [
        ("vm/max_map_count", "65530", EngineKind::Uring, "vm.max_map_count permits 65530"),
        ("kernel/threads-max", "15000", EngineKind::Uring, "kernel.threads-max permits 15000"),
        ("kernel/pid_max", "15000", EngineKind::Threads, "kernel.pid_max permits 15000"),
    ];
    for (file, number, engine, says) in limits {
        let tree = tempfile::tempdir().unwrap();
        let file = tree.path().join("proc/sys").join(file);
        std::fs::create_dir_all(file.parent().unwrap()).unwrap();
        std::fs::write(file, number).unwrap();
        let mut case = case(place.path());
        case.workload.engine = engine;
        case.targets[0].size = Some(Bytes(1 << 30));
        let says = |case: &Case| {
            let own = std::slice::from_ref(case);
            let found = preflight::lacking(&Root::at(tree.path()), own, own);
            found.iter().any(|obstacle| obstacle.to_string().contains(says))
        };
        case.streams = (0..100).map(|index| stream("reader", index, 100)).collect();
        assert!(!says(&case), "{engine:?}: a hundred streams");
        case.streams = (0..20_000).map(|index| stream("reader", index, 20_000)).collect();
        assert!(says(&case), "{engine:?}: 20,000 streams");
    }
}

/// 32 streams of 64 threads each until the pass ends; what each stream submitted. All of it ended.
fn by_thousands(until: Until) -> Vec<u64> {
    let place = tempfile::tempdir().unwrap();
    let mut case = case(place.path());
    case.workload.engine = EngineKind::Threads;
    case.workload.until = until;
    case.streams = (0..32).map(|index| stream("reader", index, 32)).collect();
    case.streams.iter_mut().for_each(|stream| stream.depth = 64);
    let left = run(&case);
    assert!(matches!(left.ending, Ending::Finished), "{:?}", left.ending);
    let ended = |stream: &StreamTotals| {
        let [submitted, ended] = [
            stream.phases.iter().map(|phase| phase.submitted).sum::<u64>(),
            stream.phases.iter().map(|phase| phase.completed + phase.failed).sum(),
        ];
        assert_eq!(submitted, ended);
        submitted
    };
    left.records[0].streams.iter().map(ended).collect()
}

#[test]
fn thousands_of_workers_start_and_end() {
    // Each stream covers its 64 blocks, however long that takes on a busy machine.
    assert_eq!(by_thousands(Until { time: None, amount: None }), [64; 32]);
    // Time ends them in the middle of their work. Some may not have had their turn by then.
    let time = Some(Nanos(300_000_000));
    assert_eq!(by_thousands(Until { time, amount: None }).len(), 32);
}

/// Runs one test of this file again in a process of its own, where nothing else takes memory.
fn alone(test: &str) -> String {
    let program = std::env::current_exe().unwrap();
    let mut command = std::process::Command::new(program);
    let output = command.args(["--exact", test, "--nocapture"]).env("ALONE", "1").output().unwrap();
    let text = String::from_utf8_lossy(&output.stdout).into_owned();
    assert!(output.status.success(), "{text}{}", String::from_utf8_lossy(&output.stderr));
    text
}

fn greatest(record: &Record, counter: Counter) -> u64 {
    let series = record.series.iter().find(|series| series.counter == counter);
    series.expect("it is sampled").values().max().unwrap_or(0)
}

#[test]
#[expect(clippy::print_stdout, reason = "the figure is what the test is for")]
fn many_streams_take_little_memory() {
    if std::env::var_os("ALONE").is_none() {
        let text = alone("starts::many_streams_take_little_memory");
        text.lines().filter(|line| line.contains("resident")).for_each(|line| println!("{line}"));
        return;
    }
    let place = tempfile::tempdir().unwrap();
    let mut case = case(place.path());
    case.workload.engine = EngineKind::Uring;
    case.streams = (0..64).map(|index| stream("reader", index, 64)).collect();
    for stream in &mut case.streams {
        stream.depth = 32;
        stream.pattern = Pattern::Random;
    }
    let left = run(&case);
    assert!(matches!(left.ending, Ending::Finished), "{:?}", left.ending);
    let bytes = greatest(&left.records[0], Counter::ResidentBytes);
    println!("resident: {:.1} MB for 64 streams x depth 32 x 4 KiB", bytes as f64 / 1e6);
    assert!(bytes > 64 * 32 * 4096, "less than the buffers: {bytes}");
    assert!(bytes < 100_000_000, "{bytes}");
}

/// Forbids this thread, and those it starts, to make a ring, as a container does (seccomp).
fn forbid_rings(code: i32) {
    let statement = |code: u32, k: u32| libc::sock_filter { code: code as u16, jt: 0, jf: 0, k };
    let load = statement(libc::BPF_LD | libc::BPF_W | libc::BPF_ABS, 0);
    let setup = u32::try_from(libc::SYS_io_uring_setup).unwrap();
    let is_setup = statement(libc::BPF_JMP | libc::BPF_JEQ | libc::BPF_K, setup);
    let answer = |k| statement(libc::BPF_RET | libc::BPF_K, k);
    let refused = libc::SECCOMP_RET_ERRNO | code.cast_unsigned();
    let mut filter = [
        load,
        libc::sock_filter { jf: 1, ..is_setup },
        answer(refused),
        answer(libc::SECCOMP_RET_ALLOW),
    ];
    let program = libc::sock_fprog { len: filter.len() as u16, filter: filter.as_mut_ptr() };
    // SAFETY: the filter outlives the call, which copies it; it binds this thread alone.
    unsafe {
        assert_eq!(libc::prctl(libc::PR_SET_NO_NEW_PRIVS, 1, 0, 0, 0), 0);
        let mode = libc::SECCOMP_MODE_FILTER;
        assert_eq!(libc::prctl(libc::PR_SET_SECCOMP, mode, &raw const program), 0);
    }
}

#[test]
fn where_rings_are_forbidden_threads_serve_and_the_record_says_so() {
    let place = tempfile::tempdir().unwrap();
    for code in [libc::EPERM, libc::ENOSYS] {
        let mut case = case(place.path());
        case.workload.engine = EngineKind::Uring;
        case.workload.passes = 2;
        let forbidden = || {
            forbid_rings(code);
            run(&case)
        };
        let left = std::thread::scope(|scope| scope.spawn(forbidden).join().unwrap());
        assert!(matches!(left.ending, Ending::Finished), "{:?}", left.ending);
        assert_eq!(left.records.len(), 2);
        for record in &left.records {
            let Technique::Measurement { engine, .. } = &record.technique else { panic!() };
            assert_eq!(engine, "threads");
            assert_eq!(record.environment["engine.asked"], "uring");
            assert_eq!(record.environment["engine.used"], "threads");
            let said = record.warnings.iter().find(|warning| warning.kind == "ring-unavailable");
            assert!(said.is_some_and(|warning| warning.text.contains("not permitted")));
            assert!(record.streams[0].phases.iter().any(|phase| phase.completed > 0));
        }
    }
    let rings = run(&case(place.path())).records.remove(0);
    assert!(!rings.warnings.iter().any(|warning| warning.kind == "ring-unavailable"));
}
