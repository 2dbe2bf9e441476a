//! How many mappings, threads and open files this process may have, and which signals it ignores.
//!
//! Sources: `vm.max_map_count` (Documentation/admin-guide/sysctl/vm.rst); `kernel.threads-max` and
//! `kernel.pid_max` (sysctl/kernel.rst); `pids.max` of the process's control group and those above
//! it (cgroup-v2.rst, cgroup-v1/pids.rst); RLIMIT_NPROC and RLIMIT_NOFILE (getrlimit(2)).
//! Leaves out: what other processes have of the same limits.

use std::path::Path;

use rustix::process::{Resource, geteuid, getrlimit};

use crate::groups::{self, Group};
use crate::root::Root;

/// One limit.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Limit {
    /// The largest number.
    pub number: u64,
    /// What sets it, as its owner would look it up.
    pub by: String,
}

/// The limits that are known, by what they count.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct ProcessLimits {
    /// Of mappings in the address space.
    pub mappings: Vec<Limit>,
    pub threads: Vec<Limit>,
    pub open_files: Vec<Limit>,
}

/// Reads the limits; one that cannot be read is left out.
pub fn read(root: &Root) -> ProcessLimits {
    let sysctl = |name: &str| {
        let number = root.attribute(format!("/proc/sys/{}", name.replace('.', "/")))?;
        Some(Limit { number: number.parse().ok()?, by: name.to_owned() })
    };
    let mut threads: Vec<Limit> =
        ["kernel.threads-max", "kernel.pid_max"].into_iter().filter_map(sysctl).collect();
    // The kernel does not hold root to RLIMIT_NPROC (setrlimit(2)).
    threads.extend(resource(Resource::Nproc, "ulimit -u").filter(|_| !geteuid().is_root()));
    threads.extend(of_groups(root));
    ProcessLimits {
        mappings: sysctl("vm.max_map_count").into_iter().collect(),
        threads,
        open_files: resource(Resource::Nofile, "ulimit -n").into_iter().collect(),
    }
}

/// Whether this process was started with a signal ignored (proc_pid_status(5), `SigIgn`).
pub fn ignores(root: &Root, signal: i32) -> bool {
    let status = root.read("/proc/self/status").unwrap_or_default();
    let mask = status.lines().find_map(|line| line.strip_prefix("SigIgn:"));
    let mask = mask.and_then(|mask| u64::from_str_radix(mask.trim(), 16).ok());
    mask.is_some_and(|mask| mask & (1 << (signal - 1)) != 0)
}

fn resource(which: Resource, by: &str) -> Option<Limit> {
    Some(Limit { number: getrlimit(which).current?, by: by.to_owned() })
}

/// `pids.max` of the process's group and of every group above it.
fn of_groups(root: &Root) -> Vec<Limit> {
    let limit = |directory: &Path| {
        let file = directory.join("pids.max");
        let number = root.attribute(&file)?.parse().ok()?;
        Some(Limit { number, by: file.display().to_string() })
    };
    let groups = groups::of(root, "pids").unwrap_or_default();
    groups.iter().flat_map(Group::with_above).filter_map(limit).collect()
}

#[cfg(test)]
mod tests {
    use std::fs;

    use super::*;

    #[test]
    fn every_group_above_limits_threads() {
        let tree = tempfile::tempdir().unwrap();
        let root = Root::at(tree.path());
        let files = [
            ("proc/self/cgroup", "4:cpu,pids:/a\n0::/user/me\n"),
            (
                "proc/self/mountinfo",
                "30 1 0:25 / /sys/fs/cgroup rw - cgroup2 cgroup2 rw\n\
                 31 1 0:26 / /sys/fs/pids rw - cgroup cgroup rw,cpu,pids\n",
            ),
            ("sys/fs/cgroup/user/me/pids.max", "max\n"),
            ("sys/fs/cgroup/user/pids.max", "77\n"),
            ("sys/fs/pids/a/pids.max", "33\n"),
            ("proc/sys/kernel/threads-max", "1000\n"),
            ("proc/sys/vm/max_map_count", "65530\n"),
        ];
        for (name, text) in files {
            let file = tree.path().join(name);
            fs::create_dir_all(file.parent().unwrap()).unwrap();
            fs::write(file, text).unwrap();
        }
        let limits = read(&root);
        let limit = |number, by: &str| Limit { number, by: by.to_owned() };
        assert_eq!(limits.mappings, [limit(65_530, "vm.max_map_count")]);
        for expected in [
            limit(1_000, "kernel.threads-max"),
            limit(33, "/sys/fs/pids/a/pids.max"),
            limit(77, "/sys/fs/cgroup/user/pids.max"),
        ] {
            assert!(limits.threads.contains(&expected), "{expected:?} in {:?}", limits.threads);
        }
    }
}
