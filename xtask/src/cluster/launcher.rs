//! The `mpirun` of each MPI, told to start its daemons on the hosts by an agent and to talk over
//! their cables only.

use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};

use anyhow::{Context, Result, bail, ensure};

use super::hosts::Host;
use super::network::{FRONT, INTERFACE};
use super::place::Place;
use crate::bench::executable;
use crate::workspace::{Workspace, cargo};

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Mpi {
    OpenMpi,
    Mpich,
}

/// iopath, as built for each.
#[derive(Clone, Debug, Default)]
pub(crate) struct Programs {
    openmpi: Option<PathBuf>,
    mpich: Option<PathBuf>,
    /// The test program of `iopath-mpi`, for Open MPI.
    world: Option<PathBuf>,
}

/// What stands for a program that was not asked for, among words.
const NONE: &str = "-";

impl Mpi {
    pub(crate) const ALL: [Self; 2] = [Self::OpenMpi, Self::Mpich];

    pub(crate) fn name(self) -> &'static str {
        match self {
            Self::OpenMpi => "openmpi",
            Self::Mpich => "mpich",
        }
    }

    pub(crate) fn parse(name: &str) -> Result<Self> {
        let found = Self::ALL.into_iter().find(|mpi| mpi.name() == name);
        found.with_context(|| format!("--mpi {name}: there are openmpi and mpich"))
    }

    /// Debian's name of its launcher.
    pub(crate) fn mpirun(self) -> &'static str {
        match self {
            Self::OpenMpi => "mpirun.openmpi",
            Self::Mpich => "mpirun.mpich",
        }
    }

    /// iopath as cargo builds it for this MPI, in a folder of its own: what binds MPI was generated
    /// for one of them, and cargo does not know which.
    pub(crate) fn built(self) -> Result<PathBuf> {
        self.cargo(&["build", "--package", "iopath", "--features", "mpi"])
    }

    /// The test program of `iopath-mpi`, beside it.
    pub(crate) fn built_world(self) -> Result<PathBuf> {
        let what = ["test", "--no-run", "--package", "iopath-mpi", "--features", "mpi"];
        self.cargo(&[&what[..], &["--test", "world"]].concat())
    }

    fn cargo(self, what: &[&str]) -> Result<PathBuf> {
        let target = Workspace::read()?.target.join(self.name());
        let output = Command::new(cargo())
            .args(what)
            .args(["--locked", "--message-format=json-render-diagnostics", "--target-dir"])
            .arg(&target)
            .env("MPICC", format!("mpicc.{}", self.name()))
            .stderr(Stdio::inherit())
            .output()
            .context("cargo does not start")?;
        ensure!(output.status.success(), "cargo {}: {}", what.join(" "), output.status);
        executable(&String::from_utf8_lossy(&output.stdout)).context("cargo built no program")
    }

    /// Starts so many ranks, dealt in order over the hosts; the program and its words follow.
    pub(crate) fn command(self, place: &Place, hosts: &[Host], ranks: u32) -> Command {
        let each = ranks.div_ceil(u32::try_from(hosts.len()).unwrap_or(u32::MAX));
        let rows: Vec<String> =
            hosts.iter().map(|host| format!("{}:{each}", host.name())).collect();
        let agent = place.path("agent");
        let mut command = Command::new(self.mpirun());
        command.env("TMPDIR", place.path("tmp")).args(["-n", &ranks.to_string()]);
        match self {
            Self::OpenMpi => open_mpi(&mut command, &rows.join(","), &agent),
            Self::Mpich => mpich(&mut command, &rows.join(","), &agent),
        }
        command
    }
}

/// Daemons and ranks by TCP, ranks of one host by shared memory. Without a tree the front starts
/// all daemons: one host cannot enter another.
fn open_mpi(command: &mut Command, hosts: &str, agent: &Path) {
    let chosen = ["pml ob1", "btl tcp,self,vader", "plm_rsh_no_tree_spawn 1"];
    for row in chosen {
        command.arg("--mca").args(row.split(' '));
    }
    command.args(["--mca", "btl_tcp_if_include", INTERFACE, "--mca", "plm_rsh_agent"]).arg(agent);
    // Each host takes the first processor for its own, and all have the same.
    command.args(["--bind-to", "none"]);
    command.args(["--host", hosts]);
    // A cluster's users do not need these: as root, and more ranks than processors.
    for name in ["ALLOW_RUN_AS_ROOT", "ALLOW_RUN_AS_ROOT_CONFIRM", "MCA_rmaps_base_oversubscribe"] {
        command.env(format!("OMPI_{name}"), "1");
    }
}

fn mpich(command: &mut Command, hosts: &str, agent: &Path) {
    command.args(["-launcher", "rsh", "-launcher-exec"]).arg(agent);
    command.args(["-hosts", hosts, "-localhost", FRONT]);
    // Which of the two carries messages is decided when MPICH is built.
    command.env("FI_PROVIDER", "tcp").env("FI_TCP_IFACE", INTERFACE);
    command.env("UCX_NET_DEVICES", INTERFACE);
}

/// What both start instead of ssh: `agent HOST WORDS…`, where the words are a shell's.
pub(crate) fn agent(hosts: &[Host]) -> String {
    let rows: Vec<String> =
        hosts.iter().map(|host| format!("{}) first={} ;;\n", host.name(), host.first())).collect();
    format!(
        "#!/bin/sh\nhost=$1\nshift\ncase $host in\n{}\
         *) echo \"no host is called $host\" >&2; exit 255 ;;\nesac\n\
         exec nsenter --target $first --all -- sh -c \"$*\"\n",
        rows.concat()
    )
}

impl Programs {
    /// From words, as [`Programs::words`] gives them.
    pub(crate) fn of(words: [&str; 3]) -> Self {
        let [openmpi, mpich, world] = words.map(|word| (word != NONE).then(|| PathBuf::from(word)));
        Self { openmpi, mpich, world }
    }

    pub(crate) fn words(&self) -> [String; 3] {
        let word = |path: &Option<PathBuf>| {
            path.as_ref().map_or(NONE.to_owned(), |path| path.display().to_string())
        };
        [word(&self.openmpi), word(&self.mpich), word(&self.world)]
    }

    pub(crate) fn set(&mut self, mpi: Mpi, program: PathBuf) {
        match mpi {
            Mpi::OpenMpi => self.openmpi = Some(program),
            Mpi::Mpich => self.mpich = Some(program),
        }
    }

    pub(crate) fn set_world(&mut self, world: PathBuf) {
        self.world = Some(world);
    }

    pub(crate) fn world(&self) -> Result<&Path> {
        self.world.as_deref().context("the test program of iopath-mpi was not built")
    }

    pub(crate) fn has(&self, mpi: Mpi) -> bool {
        self.program(mpi).is_ok()
    }

    pub(crate) fn program(&self, mpi: Mpi) -> Result<&Path> {
        let program = match mpi {
            Mpi::OpenMpi => &self.openmpi,
            Mpi::Mpich => &self.mpich,
        };
        match program {
            Some(program) => Ok(program),
            None => bail!("iopath was not built for {}", mpi.name()),
        }
    }
}
