//! The command as it is started: it builds what the ranks run, has itself started again in
//! namespaces of its own as the front, and looks that nothing is left.

use std::os::unix::process::ExitStatusExt;
use std::path::Path;
use std::process::{Child, Command, ExitStatus};
use std::time::Duration;

use anyhow::{Context, Result, ensure};
use rustix::process::{Pid, Signal, kill_process};

use super::job::Asked;
use super::launcher::{Mpi, Programs};
use super::left;
use super::options::{Check, Task};
use crate::ci::packages;
use crate::workspace::Workspace;

/// The word that the front is started with.
pub(crate) const INSIDE: &str = "inside";

/// Distance of looks.
const LOOK: Duration = Duration::from_millis(20);

/// What a cluster needs besides an MPI.
const PROGRAMS: [&str; 6] = ["unshare", "nsenter", "setpriv", "ip", "tc", "iptables"];

pub(crate) fn run(words: &[&str], task: &Task) -> Result<()> {
    ensure!(packages::is_root(), "namespaces and devices need root");
    packages::require(&PROGRAMS)?;
    let place = Workspace::read()?.target.join("cluster");
    std::fs::create_dir_all(&place).with_context(|| place.display().to_string())?;
    left::nothing(&place).context("of an earlier cluster")?;
    let programs = programs(task)?;
    let asked = Asked::watch()?;
    let mut front = front(&place, &programs, words)?;
    let status = awaited(&mut front, &asked)?;
    left::nothing(&place)?;
    match status.code() {
        Some(0) => Ok(()),
        code => std::process::exit(code.unwrap_or(128 + status.signal().unwrap_or(0))),
    }
}

fn programs(task: &Task) -> Result<Programs> {
    let mut programs = Programs::default();
    for mpi in Mpi::ALL.into_iter().filter(|mpi| task.uses(*mpi)) {
        packages::require(&[mpi.mpirun()])?;
        let program = match task.program() {
            Some(program) => program.canonicalize().context(program.display().to_string())?,
            None => mpi.built()?,
        };
        programs.set(mpi, program);
    }
    let wants_clocks = |check: &Check| check.wants("clocks") && check.uses(Mpi::OpenMpi);
    if matches!(task, Task::Check(check) if wants_clocks(check)) {
        programs.set_world(Mpi::OpenMpi.built_world()?);
    }
    Ok(programs)
}

/// All of it ends when this process does, however it ends.
fn front(place: &Path, programs: &Programs, words: &[&str]) -> Result<Child> {
    Command::new("setpriv")
        .args(["--pdeathsig", "KILL", "unshare", "--mount", "--net", "--pid", "--uts", "--ipc"])
        .args(["--propagation", "slave", "--fork", "--kill-child", "--mount-proc", "--"])
        .arg(std::env::current_exe()?)
        .args(["cluster", INSIDE])
        .arg(place)
        .args(programs.words())
        .args(words)
        .spawn()
        .context("setpriv does not start (Debian: util-linux)")
}

/// Waits for the front's end. `unshare` is deaf to signals, so the front is told of them here.
fn awaited(child: &mut Child, asked: &Asked) -> Result<ExitStatus> {
    let mut told = false;
    loop {
        if let Some(status) = child.try_wait()? {
            return Ok(status);
        }
        if asked.is_stop() && !told {
            told = true;
            let _ = first_child(child.id()).map(|id| kill_process(id, Signal::TERM));
        }
        std::thread::sleep(LOOK);
    }
}

fn first_child(id: u32) -> Option<Pid> {
    let text = std::fs::read_to_string(format!("/proc/{id}/task/{id}/children")).ok()?;
    Pid::from_raw(text.split_whitespace().next()?.parse().ok()?)
}
