//! NUMA nodes: which processors and how much memory are close to each other.
//!
//! Format: Documentation/ABI/stable/sysfs-devices-node; `cpulist` as in bitmap lists (`0-3,8`),
//! `distance` as ACPI's SLIT (10 is the node itself). A node may have memory only, or none.
//! Leaves out: caches, and where one process's memory lies.

use super::attributes::Attributes;

/// Processors and memory that are close to each other.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct NumaNode {
    pub number: u32,
    /// Its processors that are online, as the kernel lists them: `0-15,32-47`; empty for none.
    pub cpus: String,
    /// How many those are.
    pub cpu_count: u32,
    pub memory_bytes: Option<u64>,
    /// How far each node is, in order of their numbers; 10 is itself.
    pub distances: Vec<u32>,
}

impl NumaNode {
    /// Whether any of its processors is in a list such as `0-3,8`.
    pub fn has_any_of(&self, list: &str) -> bool {
        let meets = |(first, last): (u32, u32)| {
            ranges(&self.cpus).any(|(own_first, own_last)| first <= own_last && own_first <= last)
        };
        ranges(list).any(meets)
    }
}

const FOLDER: &str = "/sys/devices/system/node";

pub(super) fn read(attributes: &Attributes<'_>) -> Vec<NumaNode> {
    let number = |name: &String| name.strip_prefix("node")?.parse().ok();
    let mut numbers: Vec<u32> = attributes.names(FOLDER).iter().filter_map(number).collect();
    numbers.sort_unstable();
    numbers.into_iter().map(|number| read_one(attributes, number)).collect()
}

fn read_one(attributes: &Attributes<'_>, number: u32) -> NumaNode {
    let text = |name: &str| attributes.text(format!("{FOLDER}/node{number}/{name}"));
    let cpus = text("cpulist").unwrap_or_default();
    let distances = text("distance").unwrap_or_default();
    NumaNode {
        number,
        cpu_count: count(&cpus),
        cpus,
        memory_bytes: text("meminfo").and_then(|text| memory_bytes(&text)),
        distances: distances.split_whitespace().filter_map(|word| word.parse().ok()).collect(),
    }
}

/// `Node 0 MemTotal:       65787652 kB`.
fn memory_bytes(text: &str) -> Option<u64> {
    let (_, rest) = text.lines().find_map(|line| line.split_once("MemTotal:"))?;
    let kib: u64 = rest.strip_suffix("kB")?.trim().parse().ok()?;
    kib.checked_mul(1024)
}

/// The online processors, and those of them that are kept free of interrupts: `isolcpus=` and
/// `nohz_full=` (Documentation/ABI/testing/sysfs-devices-system-cpu).
pub(super) fn processors(attributes: &Attributes<'_>) -> (Vec<u32>, Vec<u32>) {
    let listed = |name: &str| attributes.text(format!("/sys/devices/system/cpu/{name}"));
    let all = |list: Option<String>| each(&list.unwrap_or_default());
    let kept_free = all(listed("isolated")).into_iter().chain(all(listed("nohz_full")));
    (all(listed("online")), kept_free.collect())
}

/// Affinity and cpuset of this process: proc_pid_status(5).
pub(super) fn usable_cpus(attributes: &Attributes<'_>) -> Option<String> {
    let text = attributes.text("/proc/self/status")?;
    let list = text.lines().find_map(|line| line.strip_prefix("Cpus_allowed_list:"))?.trim();
    (!list.is_empty()).then(|| list.to_owned())
}

/// How many numbers a list such as `0-3,8` names.
fn count(list: &str) -> u32 {
    let length = |(first, last): (u32, u32)| last.saturating_sub(first).saturating_add(1);
    ranges(list).map(length).fold(0, u32::saturating_add)
}

/// The most processors that a kernel can have (NR_CPUS of x86).
const MOST: u32 = 8192;

/// The numbers that a list names.
fn each(list: &str) -> Vec<u32> {
    ranges(list).flat_map(|(first, last)| first..=last.min(MOST)).collect()
}

/// First and last number of each part of a list such as `0-3,8`.
fn ranges(list: &str) -> impl Iterator<Item = (u32, u32)> {
    let range = |part: &str| {
        let (first, last) = part.split_once('-').unwrap_or((part, part));
        let (first, last): (u32, u32) = (first.trim().parse().ok()?, last.trim().parse().ok()?);
        (first <= last).then_some((first, last))
    };
    list.split(',').filter_map(range)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn lists_of_processors_are_counted() {
        for (list, expected) in [("0-3,8", 5), ("0", 1), ("", 0), ("0-15,32-47", 32), ("5-3", 0)] {
            assert_eq!(count(list), expected, "{list}");
        }
    }

    #[test]
    fn lists_of_processors_meet_where_a_number_is_in_both() {
        let node = |cpus: &str| NumaNode {
            number: 0,
            cpus: cpus.to_owned(),
            cpu_count: 0,
            memory_bytes: None,
            distances: Vec::new(),
        };
        for (own, list, expected) in [
            ("0-15,32-47", "40", true),
            ("0-15,32-47", "16-31,48-63", false),
            ("0-15,32-47", "15-16", true),
            ("", "0-63", false),
            ("0", "", false),
        ] {
            assert_eq!(node(own).has_any_of(list), expected, "{own} and {list}");
        }
    }

    #[test]
    fn memory_is_read_from_its_line() {
        let text = "Node 0 MemTotal:       65787652 kB\nNode 0 MemFree:  1 kB\n";
        assert_eq!(memory_bytes(text), Some(65_787_652 * 1024));
        assert_eq!(memory_bytes("Node 0 MemTotal:"), None);
    }
}
