//! The program over real ranks, started by the `mpirun` of the MPI that it was built for: on one
//! host, and on several, which are namespaces of this machine with clocks a day apart.

#[path = "../it/exports.rs"]
mod exports;
#[path = "../it/loopback.rs"]
#[expect(dead_code, reason = "made for the tests of one process")]
mod loopback;
#[path = "../it/program.rs"]
#[expect(dead_code, reason = "made for the tests of one process")]
mod program;

mod ends;
mod hosts;
mod models;
mod runs;

use std::process::Command;

use program::{Output, Program, Running};
use rustix::process::{Pid, Signal, kill_process};
use serde_json::Value;

/// The compiler wrapper that the program was built with says whose launcher starts it.
const LAUNCHER: &str = match option_env!("MPICC") {
    Some(wrapper) if wrapper.as_bytes()[wrapper.len() - 1] == b'h' => "mpirun.mpich",
    Some(_) | None => "mpirun.openmpi",
};

/// Whether the launcher kills all ranks as soon as one has died.
const KILLS_AT_ONCE: bool = matches!(LAUNCHER.as_bytes()[LAUNCHER.len() - 1], b'h');

/// So many ranks (`$a_host`) are a host: its own name, its own clock, and a directory `own` that
/// only one rank sees.
const HOSTS: &str = "r=$((${OMPI_COMM_WORLD_RANK:-$PMI_RANK} / a_host)); mkdir -p own; \
    exec unshare --uts --time --mount --monotonic=$((r * 86400)) --fork --kill-child bash -c \
    \"hostname host$r; mount -t tmpfs none own; exec \\\"\\$@\\\"\" bash \"$@\"";

/// How many ranks, and where.
#[derive(Clone, Copy)]
struct Ranks {
    count: u32,
    /// How many are a host of their own.
    a_host: Option<u32>,
}

impl Ranks {
    const fn here(count: u32) -> Self {
        Self { count, a_host: None }
    }

    /// A rank on each host; none where namespaces cannot be made.
    fn hosts(count: u32) -> Option<Self> {
        Self::on_hosts(count, 1)
    }

    /// Several ranks on each host.
    fn on_hosts(count: u32, ranks: u32) -> Option<Self> {
        let is_root = rustix::process::geteuid().is_root();
        if !is_root {
            program::not_run("hosts of their own need root");
        }
        is_root.then_some(Self { count: count * ranks, a_host: Some(ranks) })
    }

    fn command(self, program: &Program, line: &str) -> Command {
        let count = self.count.to_string();
        let shell = self.a_host.map_or("exec \"$@\"", |_| HOSTS);
        let mut words = vec![LAUNCHER, "-n", &count, "bash", "-c", shell, "bash"];
        words.push(env!("CARGO_BIN_EXE_iopath"));
        words.extend(line.split_whitespace());
        let mut command = program.command_of(&words);
        command.env("a_host", self.a_host.unwrap_or(1).to_string());
        let allowed =
            ["ALLOW_RUN_AS_ROOT", "ALLOW_RUN_AS_ROOT_CONFIRM", "MCA_rmaps_base_oversubscribe"];
        command.envs(allowed.map(|name| (format!("OMPI_{name}"), "1")));
        command
    }

    fn start(self, program: &Program, line: &str) -> Running {
        Running::start(program, &mut self.command(program, line))
    }

    fn run(self, program: &Program, line: &str) -> Output {
        program.run_command(&mut self.command(program, line))
    }
}

/// The records of the newest run, as they are stored.
fn records(program: &Program) -> Vec<Value> {
    let exported = program.line("export last").done().stdout;
    let lines = exported.lines().filter_map(|line| serde_json::from_str::<Value>(line).ok());
    let record = |line: Value| line.get("record").cloned().unwrap_or(line);
    lines.map(record).filter(|record| record["entities"].is_array()).collect()
}

/// Bytes that all streams of a record moved.
fn bytes(record: &Value) -> u64 {
    let streams = record["streams"].as_array().unwrap().iter();
    let phases = streams.flat_map(|stream| stream["phases"].as_array().unwrap());
    let of = |phase: &Value, name: &str| phase[name].as_u64().unwrap_or(0);
    phases.map(|phase| of(phase, "read_bytes") + of(phase, "write_bytes")).sum()
}

/// Names of what a record has counters of.
fn entities(record: &Value) -> Vec<String> {
    let all = record["entities"].as_array().unwrap().iter();
    all.map(|entity| entity["name"].as_str().unwrap().to_owned()).collect()
}

/// A fact of a record.
fn fact(record: &Value, name: &str) -> String {
    record["environment"][name].as_str().unwrap_or_default().to_owned()
}

/// The process of a rank, where it runs by now.
fn process(program: &Program, rank: u32) -> Option<u32> {
    let directory = program.directory();
    let is_rank = |process: &u32| {
        let read = |file: &str| std::fs::read(format!("/proc/{process}/{file}"));
        let environment = read("environ").unwrap_or_default();
        let words = String::from_utf8_lossy(&environment).into_owned();
        let is = |name: &str| words.split('\0').any(|word| word == format!("{name}={rank}"));
        let at = std::fs::read_link(format!("/proc/{process}/cwd"));
        let program = std::fs::read_link(format!("/proc/{process}/exe"));
        at.is_ok_and(|at| at == directory)
            && program.is_ok_and(|program| program.ends_with("iopath"))
            && (is("OMPI_COMM_WORLD_RANK") || is("PMI_RANK"))
    };
    let processes = std::fs::read_dir("/proc").unwrap().flatten();
    let numbers = processes.filter_map(|entry| entry.file_name().to_str()?.parse::<u32>().ok());
    numbers.filter(is_rank).last()
}

/// Whether a rank has a thread of that name.
fn has_thread(program: &Program, rank: u32, name: &str) -> bool {
    let folder = process(program, rank).map(|process| format!("/proc/{process}/task"));
    let threads = folder.and_then(|folder| std::fs::read_dir(folder).ok());
    let name_of = |thread: std::fs::DirEntry| std::fs::read_to_string(thread.path().join("comm"));
    let names = threads.into_iter().flatten().flatten().filter_map(|thread| name_of(thread).ok());
    names.into_iter().any(|found| found.trim_end() == name)
}

/// Sends a signal to the process of a rank.
fn signal(program: &Program, rank: u32, signal: Signal) {
    let process = process(program, rank).expect("the rank runs");
    kill_process(Pid::from_raw(process.cast_signed()).unwrap(), signal).unwrap();
}
