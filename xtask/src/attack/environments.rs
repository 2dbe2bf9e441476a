//! Environments: limits, missing variables, hidden file systems, an ordinary user. Whatever is
//! missing, each command ends in time, with a documented code, and without a panic.

use std::fs::{self, Permissions};
use std::os::unix::fs::PermissionsExt;
use std::path::Path;

use anyhow::{Result, ensure};

use super::Attack;
use super::bench::{Bench, Ended, SHORT, finish, report};
use crate::limits::rig::Rig;

/// What stands around a command.
struct Environment {
    name: &'static str,
    /// A script with `"$@"` for the command.
    script: &'static str,
    /// Every command works in it; else each may refuse.
    works: bool,
}

const ALL: &[Environment] = &[
    Environment {
        name: "512 MiB of address space",
        script: "ulimit -v 524288; exec \"$@\"",
        works: true,
    },
    Environment { name: "64 open files", script: "ulimit -n 64; exec \"$@\"", works: true },
    Environment { name: "1 MiB file size", script: "ulimit -f 1024; exec \"$@\"", works: false },
    Environment { name: "an ordinary user", script: "exec $USER_IS \"$@\"", works: true },
    Environment {
        name: "no locked memory, as a user",
        script: "ulimit -l 0; exec $USER_IS \"$@\"",
        works: true,
    },
    Environment {
        name: "no HOME",
        script: "exec env --unset=HOME --unset=XDG_DATA_HOME \"$@\"",
        works: false,
    },
    Environment {
        name: "empty environment",
        script: "exec env --ignore-environment \"$@\"",
        works: false,
    },
    Environment { name: "stdout closed", script: "exec \"$@\" >&-", works: false },
    Environment { name: "stdout full", script: "exec \"$@\" > /dev/full", works: false },
    Environment {
        name: "/proc hidden",
        script: "exec unshare --mount sh -c 'mount -t tmpfs none /proc; exec \"$@\"' sh \"$@\"",
        works: false,
    },
    Environment {
        name: "/sys hidden",
        script: "exec unshare --mount sh -c 'mount -t tmpfs none /sys; exec \"$@\"' sh \"$@\"",
        works: false,
    },
];

const AS_USER: &str = "setpriv --reuid 65534 --regid 65534 --clear-groups";

const COMMANDS: &[&str] = &[
    "measure --target . --size 4MiB --block 64KiB SHORT",
    "measure --target new.dat --op write --engine uring --size 4MiB --no-report SHORT",
    "check study.kdl",
    "plan study.kdl",
    "predict study.kdl",
    "simulate study.kdl --no-report",
    "discover --tree",
    "list",
    "show last",
    "report last",
    "watch --time 200ms --plain",
];

/// Tries every command in every environment.
pub(super) fn run(attack: &Attack) -> Result<bool> {
    let tried =
        ALL.iter().map(|around| report(around.name, &all_commands(&attack.program, around)));
    Ok(tried.fold(true, |a, b| a & b))
}

fn all_commands(program: &Path, around: &Environment) -> Result<()> {
    let rig = Rig::new()?;
    let bench = Bench { program, directory: rig.path("") };
    fs::set_permissions(&bench.directory, Permissions::from_mode(0o1777))?;
    bench.studies()?;
    for words in COMMANDS {
        let words = words.replace("SHORT", SHORT);
        let script = around.script.replace("$USER_IS", AS_USER);
        let script = format!("set -- $B {words}; {script}");
        let ended = finish(bench.shell(&script).spawn()?)?;
        ends_well(&ended, around.works).map_err(|error| error.context(words))?;
    }
    Ok(())
}

fn ends_well(ended: &Ended, works: bool) -> Result<()> {
    ended.with(if works { &[0] } else { &[0, 1, 3, 4, 5, 6] })?;
    ensure!(!ended.stderr.contains("panicked"), "{}", ended.stderr);
    Ok(())
}
