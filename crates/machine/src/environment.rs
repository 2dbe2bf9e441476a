//! Facts about the machine that a result depends on, as names and texts.
//!
//! They are kept as text because they are compared, not computed with: two records differ in their
//! environment where a name has another value. What could not be read is listed, never invented.
//! Leaves out: anything secret or personal beyond the host's name.

use std::collections::{BTreeMap, BTreeSet};

use crate::devices::Devices;
use crate::hardware::queue::{SETTINGS, chosen, setting};
use crate::root::Root;

/// Names and values, and the names that had none.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct Environment {
    /// Such as `kernel.release` = `6.12.48`.
    pub facts: BTreeMap<String, String>,
    /// Names of facts this machine does not tell.
    pub unreadable: Vec<String>,
}

impl Environment {
    fn note(&mut self, name: &str, value: Option<String>) {
        match value {
            Some(value) => {
                self.facts.insert(name.to_owned(), value);
            }
            None => self.unreadable.push(name.to_owned()),
        }
    }
}

/// Facts that are one attribute each.
const MACHINE: [(&str, &str); 18] = [
    ("kernel.release", "/proc/sys/kernel/osrelease"),
    ("kernel.version", "/proc/sys/kernel/version"),
    ("kernel.command_line", "/proc/cmdline"),
    ("kernel.io_uring_disabled", "/proc/sys/kernel/io_uring_disabled"),
    ("host.name", "/proc/sys/kernel/hostname"),
    ("host.boot_id", "/proc/sys/kernel/random/boot_id"),
    ("host.product", "/sys/class/dmi/id/product_name"),
    ("host.vendor", "/sys/class/dmi/id/sys_vendor"),
    ("clock.source", "/sys/devices/system/clocksource/clocksource0/current_clocksource"),
    ("cpu.online", "/sys/devices/system/cpu/online"),
    ("cpu.governor", "/sys/devices/system/cpu/cpu0/cpufreq/scaling_governor"),
    ("cpu.boost", "/sys/devices/system/cpu/cpufreq/boost"),
    ("cpu.smt", "/sys/devices/system/cpu/smt/active"),
    ("numa.online", "/sys/devices/system/node/online"),
    ("memory.transparent_hugepage", "/sys/kernel/mm/transparent_hugepage/enabled"),
    ("memory.dirty_ratio", "/proc/sys/vm/dirty_ratio"),
    ("memory.dirty_background_ratio", "/proc/sys/vm/dirty_background_ratio"),
    ("memory.swappiness", "/proc/sys/vm/swappiness"),
];

/// The name of the time since the machine was started; process numbers start anew with it.
pub fn boot(root: &Root) -> Option<String> {
    root.attribute("/proc/sys/kernel/random/boot_id")
}

/// What the machine is called on its network.
pub fn host_name(root: &Root) -> Option<String> {
    root.attribute("/proc/sys/kernel/hostname")
}

/// Reads the machine's facts.
pub fn read(root: &Root) -> Environment {
    let mut environment = Environment::default();
    for (name, file) in MACHINE {
        environment.note(name, root.attribute(file).map(|text| chosen(&text)));
    }
    let processors = root.attribute("/proc/cpuinfo");
    let processors = processors.as_deref().unwrap_or("");
    environment.note("cpu.model", cpu_model(processors));
    environment.note("cpu.count", count_of(processors, "processor"));
    environment.note("cpu.mitigations", mitigations(root));
    let memory = crate::counters::memory::read(root).ok();
    environment.note("memory.total_bytes", memory.map(|memory| memory.total_bytes.to_string()));
    let uptime = root.attribute("/proc/uptime");
    let seconds = uptime.and_then(|text| Some(text.split('.').next()?.to_owned()));
    environment.note("host.uptime_seconds", seconds);
    environment
}

/// Reads the settings and identity of one block device; a partition has its disk's queue.
pub fn read_device(root: &Root, devices: &Devices, name: &str) -> Environment {
    let mut environment = Environment::default();
    let disk = devices.whole_of(name);
    environment.note("queue", Some(format!("/sys/block/{disk}/queue")));
    // Such as `T10-DIF-TYPE1-CRC`: protection information behind each sector.
    let integrity = root.attribute(format!("/sys/block/{disk}/integrity/format"));
    environment.note("integrity", integrity);
    for (fact, file) in SETTINGS {
        environment.note(fact, setting(root, disk, file));
    }
    if let Some(device) = devices.find(name) {
        environment.note("size_bytes", Some(device.bytes.to_string()));
        environment.note("read_only", Some(device.read_only.to_string()));
        let identity = devices.find(disk).unwrap_or(device).identity.clone();
        environment.note("model", identity.model);
        environment.note("serial", identity.serial);
        environment.note("wwid", identity.wwid);
        environment.note("firmware", identity.firmware);
    }
    environment
}

/// x86 says `model name`, others `Model`, `cpu` or nothing; arm has only a part number.
fn cpu_model(text: &str) -> Option<String> {
    ["model name", "cpu", "Model", "CPU part"].iter().find_map(|wanted| {
        text.lines().find_map(|line| {
            let (name, value) = line.split_once(':')?;
            (name.trim() == *wanted).then(|| value.trim().to_owned())
        })
    })
}

fn count_of(text: &str, wanted: &str) -> Option<String> {
    let is_wanted =
        |line: &&str| line.split(':').next().is_some_and(|name| name.trim_end() == wanted);
    let count = text.lines().filter(is_wanted).count();
    (count > 0).then(|| count.to_string())
}

/// The distinct answers about hardware vulnerabilities; mitigations tax every system call.
fn mitigations(root: &Root) -> Option<String> {
    let folder = "/sys/devices/system/cpu/vulnerabilities";
    let names = root.list(folder).ok()?;
    let read = |name: &String| {
        let text = root.attribute(format!("{folder}/{name}"))?;
        text.starts_with("Mitigation").then(|| name.clone())
    };
    let active: BTreeSet<String> = names.iter().filter_map(read).collect();
    let text = active.into_iter().collect::<Vec<_>>().join(" ");
    (!names.is_empty()).then(|| if text.is_empty() { "none".to_owned() } else { text })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn processors_are_counted_and_named_on_several_architectures() {
        let x86 = "processor\t: 0\nmodel name\t: AMD EPYC 7B13\nprocessor\t: 1\n";
        assert_eq!(cpu_model(x86).unwrap(), "AMD EPYC 7B13");
        assert_eq!(count_of(x86, "processor").unwrap(), "2");
        let arm = "processor\t: 0\nCPU part\t: 0xd0c\n";
        assert_eq!(cpu_model(arm).unwrap(), "0xd0c");
        assert_eq!(count_of("", "processor"), None);
    }
}
