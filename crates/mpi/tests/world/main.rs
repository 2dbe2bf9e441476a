//! The ranks of a real `mpirun` on this machine: messages, clocks, and how a world ends.
//!
//! Started by `cargo test` it is the driver: it starts itself under the `mpirun` of the MPI that it
//! was built for, once for each case, and looks at the exit code and at what each rank said.
//! Started by `mpirun` it is a rank of the case that its argument names.

#![expect(clippy::print_stdout, reason = "what ranks say is how the driver knows")]

mod cases;

use std::process::{Command, ExitCode, Output};

use iopath_ranks::launched;

struct Case {
    name: &'static str,
    ranks: u32,
    /// What each rank is started by, as a shell's word before the program.
    shell: &'static str,
    launcher: Launcher,
    /// 0 where each rank must say `ok`; otherwise what `mpirun` ends with.
    exit_code: i32,
}

/// Whose `mpirun` starts the case.
enum Launcher {
    Own,
    /// That of an MPI for which this program was not built.
    Other,
}

const PLAIN: Case = Case { name: "", ranks: 4, shell: "", launcher: Launcher::Own, exit_code: 0 };

/// Each rank in a time namespace: rank r has been up for 1000 r seconds longer than the root.
const NAMESPACES: &str = "\
    r=${OMPI_COMM_WORLD_RANK:-$PMI_RANK}; \
    unshare --time --monotonic=$((r * 1000)) --fork --kill-child";

/// Messages between ranks of one host as between hosts, by TCP. MPICH must end within the time.
const TCP: &str = "UCX_TLS=tcp,self OMPI_MCA_btl=tcp,self timeout 60";

const CASES: [Case; 9] = [
    Case { name: "ring", ..PLAIN },
    Case { name: "large", ..PLAIN },
    Case { name: "over-tcp", shell: TCP, ranks: 2, ..PLAIN },
    Case { name: "clocks", ..PLAIN },
    Case { name: "clocks-of-eight", ranks: 8, ..PLAIN },
    Case { name: "namespaces", shell: NAMESPACES, ..PLAIN },
    Case { name: "other-launcher", launcher: Launcher::Other, ..PLAIN },
    Case { name: "abort", exit_code: 7, ..PLAIN },
    Case { name: "panic", exit_code: 101, ..PLAIN },
];

fn main() -> ExitCode {
    let only = std::env::args().skip(1).find(|argument| !argument.starts_with('-'));
    if launched().is_some() {
        cases::run(&only.expect("the driver names a case"));
        return ExitCode::SUCCESS;
    }
    println!("{}", iopath_mpi::library());
    let wanted = |case: &&Case| only.as_ref().is_none_or(|name| name == case.name);
    let failed = CASES.iter().filter(wanted).filter(|case| !passes(case)).count();
    ExitCode::from(u8::from(failed > 0))
}

fn passes(case: &Case) -> bool {
    if !case.shell.is_empty() && !rustix::process::geteuid().is_root() {
        println!("{}: not run, as time namespaces need root", case.name);
        return true;
    }
    let output = started(case);
    let said = String::from_utf8_lossy(&output.stdout);
    let is_ok = |rank: u32| said.lines().any(|line| line == format!("rank {rank} ok"));
    let spoke = case.exit_code != 0 || (0..case.ranks).all(is_ok);
    let passes = output.status.code() == Some(case.exit_code) && spoke;
    println!("{}: {}", case.name, if passes { "ok" } else { "FAILED" });
    for line in said.lines().filter(|line| !passes || !line.ends_with(" ok")) {
        println!("  {line}");
    }
    if !passes {
        println!("  {}\n{}", output.status, String::from_utf8_lossy(&output.stderr));
    }
    passes
}

fn started(case: &Case) -> Output {
    let program = std::env::current_exe().expect("this program has a path");
    let line = format!("{} \"$0\" \"$1\"", case.shell);
    let mut mpirun = Command::new(mpirun(&case.launcher));
    mpirun.args(["-n", &case.ranks.to_string(), "bash", "-c", &line]).arg(program).arg(case.name);
    // Of Open MPI: as root, and with more ranks than processors. MPICH asks for neither.
    let allowed =
        ["ALLOW_RUN_AS_ROOT", "ALLOW_RUN_AS_ROOT_CONFIRM", "MCA_rmaps_base_oversubscribe"];
    mpirun.envs(allowed.map(|name| (format!("OMPI_{name}"), "1")));
    mpirun.output().expect("mpirun starts")
}

/// Debian's names for the launchers of the two.
fn mpirun(launcher: &Launcher) -> &'static str {
    match (launcher, iopath_mpi::library().starts_with("Open MPI")) {
        (Launcher::Own, true) | (Launcher::Other, false) => "mpirun.openmpi",
        (Launcher::Own, false) | (Launcher::Other, true) => "mpirun.mpich",
    }
}
