//! Models over several ranks: who simulated what changes nothing.

use rustix::process::Signal;

use crate::program::{Program, await_that};
use crate::{Ranks, has_thread, records, signal};

const SWEEP: &str = r#"study "sweep"
path { host "server" cpus=8 { nvme "d" count=4 use="nvme-gen4" } }
layout { stripe "v" over="server.d" unit="64 KiB" size="4 GiB" }
vary { factor "block" of="r.block" "4 KiB" "64 KiB" "256 KiB" "1 MiB" }
workload time="2 s" { streams "r" over="v" op="read" pattern="random" block="64 KiB" depth=2 }"#;

/// The same command alone and over ranks: what each prints.
fn both(program: &Program, line: &str) -> [String; 2] {
    let alone = program.line(line).stdout;
    let together = Ranks::here(3).run(program, line);
    assert!(!alone.is_empty(), "{}", together.stderr);
    [alone, together.stdout]
}

#[test]
fn a_sweep_over_ranks_is_the_sweep_of_one() {
    let program = Program::in_memory();
    program.write("s.kdl", SWEEP);
    for line in [
        "simulate s.kdl --seeds 3 --json",
        "simulate s.kdl --without server.d[1] --seeds 2 --json",
        "tune s.kdl --json --no-progress",
    ] {
        let [alone, together] = both(&program, line);
        assert_eq!(alone, together, "{line}");
    }
}

#[test]
fn kept_simulations_stand_in_the_order_of_cases() {
    let program = Program::in_memory();
    program.write("s.kdl", SWEEP);
    Ranks::here(3).run(&program, "simulate s.kdl --seeds 2 --keep --no-progress").done();
    let order = |record: &serde_json::Value| {
        let number = |name: &str| record["case"][name].as_u64().unwrap();
        (number("trial"), number("pass"))
    };
    let mut kept: Vec<(u64, u64)> = records(&program).iter().map(order).collect();
    kept.sort_unstable();
    let all: Vec<(u64, u64)> = (0..4).flat_map(|trial| [(trial, 0), (trial, 1)]).collect();
    assert_eq!(kept, all);
}

#[test]
fn published_figures_are_validated_over_ranks() {
    let program = Program::in_memory();
    let line = format!(
        "validate {}/../../studies/storagetek-2540.kdl --seeds 1 --json --no-progress",
        env!("CARGO_MANIFEST_DIR")
    );
    let [alone, together] = both(&program, &line);
    assert_eq!(alone, together);
}

const TEMPLATE: &str = r#"study "mirrored"
path { host "server" cpus=8 { nvme "d" count=3 use="nvme-gen4" } }
layout { raid "v" level=5 segment="64 KiB" over="server.d" size="4 GiB" }
vary { factor "drives" of="server.d.count" "3 .. 6" }
workload time="2 s" { streams "r" over="v" op="read" pattern="random" block="64 KiB" depth=32 }"#;

/// Which losses are simulated at once decides nothing.
#[test]
fn a_build_is_sized_over_ranks() {
    let program = Program::in_memory();
    program.write("t.kdl", TEMPLATE);
    let [alone, together] =
        both(&program, "size t.kdl --need read=12GB/s --by-simulation --survive d --json");
    assert!(alone.contains("\"builds\""), "{alone}");
    assert_eq!(alone, together);
}

/// What a rank that hangs had to simulate, rank 0 simulates.
#[test]
fn a_rank_that_hangs_is_done_without() {
    let program = Program::in_memory();
    program.write("s.kdl", SWEEP.replace("time=\"2 s\"", "time=\"8 s\""));
    let alone = program.line("simulate s.kdl --seeds 12 --json --no-progress").done();
    let line = "simulate s.kdl --seeds 12 --json --no-progress";
    let running = Ranks::here(2).start(&program, line);
    await_that("rank 1 simulates", || has_thread(&program, 1, "simulation"));
    signal(&program, 1, Signal::STOP);
    assert_eq!(running.wait().stdout, alone.stdout);
}
