//! Jobs of the lab, as rows of a table: what each proves, on which machine, of which family, and
//! whether `ci` runs it.
//!
//! What a job does is a script, `xtask/lab/jobs/NAME.sh`. Jobs of one machine share a boot and do
//! not depend on one another. A family is named like a job, for all of it.

use anyhow::{Result, bail};

use super::machine::{MEMBERS, Machine, NODES, PATHS, SMALL, STACKS, WAYS};

#[derive(Debug)]
pub(crate) struct Job {
    pub name: &'static str,
    pub family: Family,
    pub machine: &'static Machine,
    /// What must hold.
    pub about: &'static str,
    /// Whether `ci` runs it; by hand all are run.
    pub is_in_ci: bool,
}

/// What jobs are about.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Family {
    /// Data in use are never written; a run ends.
    Safety,
    /// Paths are drawn, predicted, measured and watched as they are.
    Topologies,
    /// What holds a run back is named.
    Limits,
}

impl Family {
    const fn name(self) -> &'static str {
        match self {
            Self::Safety => "safety",
            Self::Topologies => "topologies",
            Self::Limits => "limits",
        }
    }
}

const fn job(name: &'static str, machine: &'static Machine, about: &'static str) -> Job {
    Job { name, family: Family::Safety, machine, about, is_in_ci: true }
}

const fn topology(name: &'static str, machine: &'static Machine, about: &'static str) -> Job {
    Job { name, family: Family::Topologies, machine, about, is_in_ci: false }
}

const fn limit(name: &'static str, machine: &'static Machine, about: &'static str) -> Job {
    Job { name, family: Family::Limits, machine, about, is_in_ci: false }
}

pub(crate) const JOBS: &[Job] = &[
    job("siblings", &STACKS, "a device-mapper device over the bytes of a mounted one is in use"),
    job("snapshot", &STACKS, "origin and parts of a mounted LVM snapshot are in use"),
    job("md", &STACKS, "members of md arrays are in use: mounted, or as swap"),
    job("lvm", &STACKS, "what lies below logical volumes is in use"),
    job("held", &STACKS, "so is what dm-crypt, btrfs and bcache hold"),
    job("aliases", &STACKS, "so is a mounted image by its name in an overlay or over NFS"),
    job("refusal", &STACKS, "a refused run changes nothing: a stopped array stays stopped"),
    job("io-max", &STACKS, "a run ends under io.max, at its rate, and when terminated"),
    topology("built-md", &STACKS, "md by the commands of iopath layout, discovered and undone"),
    topology("built-pairs", &STACKS, "the same of RAID 10 and of arrays of arrays"),
    topology("built-lvm", &STACKS, "LVM by the commands of iopath layout, discovered and undone"),
    topology("gathered", &STACKS, "md gathers full stripes of what a page cache writes in order"),
    job("paths", &PATHS, "another path to a mounted unit is in use, with and without multipath"),
    topology("built-policy", &PATHS, "the policy of iopath layout is the map's, and undone"),
    job("memory", &SMALL, "every command works with 512 MiB and with strict overcommit"),
    topology("ports", &MEMBERS, "drives behind root ports and a switch, every scheduler"),
    topology("raid", &MEMBERS, "md RAID 0, 5 and 10, with file systems, and with a member missing"),
    topology("volumes", &MEMBERS, "LVM: linear, stripe, thin, snapshot"),
    topology("layers", &MEMBERS, "dm-crypt, btrfs over two drives, bcache"),
    topology("iscsi", &MEMBERS, "a disk of iSCSI over the loopback, from LIO on a drive"),
    topology("nfs", &MEMBERS, "a file over NFS from this very host"),
    limit("limits-md", &MEMBERS, "the slow member of md and btrfs, and none of equal ones"),
    limit("limits-lvm", &MEMBERS, "the slow member of a stripe of LVM"),
    limit("limits-group", &MEMBERS, "io.max, on a drive and on an array"),
    limit("limits-ports", &MEMBERS, "a throttled drive at a port, and one behind a switch"),
    topology("ways", &WAYS, "two ways over SAS and NVMe"),
    limit("limits-ways", &WAYS, "the slow one of two ways"),
    topology("nodes", &NODES, "a drive next to each of two NUMA nodes"),
];

/// The jobs that are named, by themselves or by their family, or all; each in the table's order.
pub(crate) fn named(names: &[String]) -> Result<Vec<&'static Job>> {
    let is_of =
        |job: &Job, name: &String| [job.name, job.family.name(), "all"].contains(&name.as_str());
    if let Some(unknown) = names.iter().find(|name| !JOBS.iter().any(|job| is_of(job, name))) {
        let known: Vec<&str> = JOBS.iter().map(|job| job.name).collect();
        bail!(
            "no such job: {unknown}; the jobs are {}; families are safety, topologies and limits",
            known.join(", ")
        );
    }
    let wanted = |job: &&Job| names.is_empty() || names.iter().any(|name| is_of(job, name));
    Ok(JOBS.iter().filter(wanted).collect())
}

/// Those that `ci` runs.
pub(crate) fn of_ci() -> Vec<&'static Job> {
    JOBS.iter().filter(|job| job.is_in_ci).collect()
}

/// Jobs of one machine together, as they share a boot.
pub(crate) fn by_machine(jobs: &[&'static Job]) -> Vec<Vec<&'static Job>> {
    jobs.chunk_by(|left, right| left.machine.name == right.machine.name)
        .map(<[&Job]>::to_vec)
        .collect()
}

#[cfg(test)]
mod tests {
    use std::collections::BTreeSet;
    use std::path::Path;

    use super::*;

    #[test]
    fn every_job_has_a_script_and_every_script_a_job() {
        let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("lab/jobs");
        let scripts = std::fs::read_dir(folder).unwrap().map(|entry| entry.unwrap().file_name());
        let scripts: BTreeSet<String> =
            scripts.map(|name| name.into_string().unwrap().replace(".sh", "")).collect();
        assert_eq!(scripts, JOBS.iter().map(|job| job.name.to_owned()).collect());
    }

    #[test]
    fn jobs_of_one_machine_share_one_boot() {
        let boots = by_machine(&named(&[]).unwrap());
        let machines: BTreeSet<&str> = JOBS.iter().map(|job| job.machine.name).collect();
        assert_eq!(boots.len(), machines.len());
    }

    #[test]
    fn jobs_are_chosen_by_name() {
        let names = ["paths".to_owned(), "md".to_owned()];
        let chosen: Vec<&str> = named(&names).unwrap().iter().map(|job| job.name).collect();
        assert_eq!(chosen, ["md", "paths"]);
        let limits = named(&["limits".to_owned()]).unwrap();
        assert!(limits.len() > 3 && limits.iter().all(|job| job.family == Family::Limits));
        assert_eq!(named(&["all".to_owned()]).unwrap().len(), JOBS.len());
        let error = named(&["zfs".to_owned()]).err().unwrap().to_string();
        assert!(error.starts_with("no such job: zfs; the jobs are siblings, "), "{error}");
    }
}
