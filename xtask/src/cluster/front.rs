//! `Front`: where `mpirun` runs. It stands for the login node and the switch, and is no host.

use std::cell::Cell;
use std::process::{Command, ExitStatus};
use std::time::{Duration, Instant};

use anyhow::{Result, bail};

use super::hosts::Host;
use super::job::{Asked, shown};
use super::launcher::{Mpi, Programs, agent};
use super::network;
use super::options::{Run, Shape};
use super::place::Place;
use crate::limits::rig::said;

pub(crate) struct Front {
    pub place: Place,
    pub programs: Programs,
    pub asked: Asked,
    /// How many queues of delayed packets there have been. Their readers end with this process.
    queues: Cell<u16>,
}

/// For what `mpirun` started on hosts to end after it: a daemon notices that by itself.
const REST: Duration = Duration::from_secs(5);

/// Hosts that are up, of which all is gone when this is.
pub(crate) struct Cluster<'f> {
    pub front: &'f Front,
    pub hosts: Vec<Host>,
}

impl Front {
    /// In namespaces that `outside` made for this process.
    pub(crate) fn up(place: Place, programs: Programs) -> Result<Self> {
        let asked = Asked::watch()?;
        said("hostname", &["front"])?;
        place.mount()?;
        network::route()?;
        let names = place.write("hosts", &network::names(200))?.display().to_string();
        said("mount", &["--bind", &names, "/etc/hosts"])?;
        Ok(Self { place, programs, asked, queues: Cell::new(0) })
    }

    /// Brings hosts up.
    pub(crate) fn cluster(&self, shape: &Shape) -> Result<Cluster<'_>> {
        let mut hosts = Vec::new();
        for number in 0..shape.hosts {
            if self.asked.is_stop() {
                bail!("interrupted");
            }
            hosts.push(Host::up(number, shape, &self.place)?);
        }
        hosts.iter().try_for_each(network::await_running)?;
        self.place.script("agent", &agent(&hosts))?;
        network::at_once()?;
        if let Some(delay) = shape.delay {
            network::delay(delay, self.queues.get())?;
            self.queues.set(self.queues.get() + 1);
        }
        Ok(Cluster { front: self, hosts })
    }

    /// One command on all ranks, whose words go to this terminal.
    pub(crate) fn run(&self, run: &Run) -> Result<()> {
        let cluster = self.cluster(&run.shape)?;
        let mut command = cluster.mpirun(run.mpi, run.ranks);
        match &run.program {
            Some(program) => command.arg(program),
            None => command.arg(self.programs.program(run.mpi)?),
        };
        command.args(&run.words);
        let status = shown(command, &self.asked)?;
        let left = cluster.left();
        drop(cluster);
        if !left.is_empty() {
            bail!("left running: {}", left.join(", "));
        }
        leave(status)
    }
}

impl Cluster<'_> {
    /// `mpirun` with so many ranks; the program is to follow.
    pub(crate) fn mpirun(&self, mpi: Mpi, ranks: u32) -> Command {
        mpi.command(&self.front.place, &self.hosts, ranks)
    }

    /// Processes that still run on hosts some time after `mpirun` has ended.
    pub(crate) fn left(&self) -> Vec<String> {
        let begin = Instant::now();
        loop {
            let running = self.running();
            if running.is_empty() || begin.elapsed() > REST {
                return running;
            }
            std::thread::sleep(Duration::from_millis(10));
        }
    }

    fn running(&self) -> Vec<String> {
        let of = |host: &Host| {
            let all = host.processes();
            all.into_iter()
                .map(|one| format!("{} on {}", one.name, host.name()))
                .collect::<Vec<_>>()
        };
        self.hosts.iter().flat_map(of).collect()
    }
}

/// Ends as `mpirun` did.
fn leave(status: ExitStatus) -> Result<()> {
    match status.code() {
        Some(0) => Ok(()),
        Some(code) => std::process::exit(code),
        None => bail!("mpirun: {status}"),
    }
}
