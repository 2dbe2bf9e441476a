//! `cargo xtask cluster`: many hosts on one machine, for ranks of a real `mpirun`.
//!
//! ```text
//! this command ─▶ front: namespaces of its own, mpirun, a router          (login node, switch)
//!                   ├─ veth ─▶ host0: own name, clock, network, processes, disk ─▶ ranks
//!                   └─ veth ─▶ host1: …
//! ```
//!
//! `mpirun` starts its daemons on the hosts by an agent where a cluster has ssh; what they and the
//! ranks say to each other passes through TCP. Namespaces, interfaces and devices end with the last
//! process that is in them, so that nothing is left, however this ends.

mod check;
mod delay;
mod disk;
mod front;
mod hosts;
mod job;
mod launcher;
mod left;
mod network;
mod options;
mod outside;
mod place;

use anyhow::{Result, bail};

use options::Task;

/// Runs what the words ask for.
pub(crate) fn run(words: &[&str]) -> Result<()> {
    match words {
        [outside::INSIDE, place, openmpi, mpich, world, words @ ..] => {
            let programs = launcher::Programs::of([openmpi, mpich, world]);
            let front = front::Front::up(place::Place::at(place), programs)?;
            match Task::parse(words)? {
                Task::Run(run) => front.run(&run),
                Task::Check(check) => check::run(&front, &check),
            }
        }
        [] => bail!("`cluster run -n N -- WORDS…` or `cluster check`"),
        words => outside::run(words, &Task::parse(words)?),
    }
}
