//! PCI functions and NUMA nodes of imitated machines.

use crate::{Entry, Tree, last};

/// Speed and width of a link, now and at most.
#[derive(Debug, Clone, Copy)]
pub struct Rate {
    /// Such as `16.0 GT/s PCIe`.
    pub speed: &'static str,
    /// Lanes.
    pub width: u32,
    /// The most of it.
    pub max_speed: &'static str,
    /// The most of it.
    pub max_width: u32,
}

impl Rate {
    /// A link at its full rate.
    pub fn full(speed: &'static str, width: u32) -> Self {
        Self { speed, width, max_speed: speed, max_width: width }
    }
}

/// An interrupt; one processor has served all of it.
#[derive(Debug, Clone, Copy)]
pub struct Interrupt<'a> {
    pub number: u32,
    /// The processors that it may go to.
    pub allowed: &'a str,
    pub served_by: usize,
    /// How often it came.
    pub count: u64,
}

/// A PCI function.
#[derive(Debug, Clone, Copy)]
pub struct Function {
    /// Such as `0x010802`.
    pub class: &'static str,
    /// Vendor and device, such as `15b7:5017`.
    pub id: &'static str,
    pub driver: &'static str,
    /// NUMA node, -1 for none.
    pub node: i32,
    /// Its link; `None` for a conventional function.
    pub rate: Option<Rate>,
}

impl Function {
    /// A port of the root complex or of a switch.
    pub fn port(id: &'static str, node: i32, rate: Rate) -> Self {
        Self { class: "0x060400", id, driver: "pcieport", node, rate: Some(rate) }
    }
}

impl Tree {
    /// Writes a function; `path` begins with the root bus: `pci0000:00/0000:00:01.0`. Returns its
    /// folder.
    pub fn function(&mut self, path: &str, function: Function) -> String {
        let folder = format!("/sys/devices/{path}");
        let (vendor, device) = function.id.split_once(':').unwrap_or((function.id, "0000"));
        self.attributes(
            &folder,
            &[
                ("class", function.class),
                ("vendor", &format!("0x{vendor}")),
                ("device", &format!("0x{device}")),
                ("numa_node", &function.node.to_string()),
                ("power/runtime_status", "active"),
                ("power_state", "D0"),
            ],
        );
        if let Some(rate) = function.rate {
            let (width, max) = (rate.width.to_string(), rate.max_width.to_string());
            self.attributes(
                &folder,
                &[
                    ("current_link_speed", rate.speed),
                    ("current_link_width", &width),
                    ("max_link_speed", rate.max_speed),
                    ("max_link_width", &max),
                ],
            );
        }
        let driver = format!("/sys/bus/pci/drivers/{}", function.driver);
        self.link(&format!("{folder}/driver"), &driver);
        self.link(&format!("/sys/bus/pci/devices/{}", last(path)), &folder);
        folder
    }

    /// Writes so many online processors, and titles of /proc/interrupts for them.
    pub fn processors(&mut self, number: usize) {
        let online = format!("0-{}", number - 1);
        self.attribute("/sys/devices/system/cpu", "online", &online);
        let titles: String =
            (0..number).map(|cpu| format!(" {:>10}", format!("CPU{cpu}"))).collect();
        self.file("/proc/interrupts", &format!("     {titles}\n"));
    }

    /// Writes an interrupt of the function with that folder.
    pub fn interrupt(&mut self, folder: &str, interrupt: Interrupt<'_>) {
        let Interrupt { number, allowed, served_by, count } = interrupt;
        let path = "/proc/interrupts";
        let titles = match self.entries.get(path) {
            Some(Entry::File(text)) => text.lines().next().unwrap_or_default(),
            _ => "",
        };
        let each: String = (0..titles.split_whitespace().count())
            .map(|cpu| format!(" {:>10}", if cpu == served_by { count } else { 0 }))
            .collect();
        let function = last(folder);
        self.append(path, &format!("{number:>4}:{each} PCI-MSIX-{function} {number}-edge queue\n"));
        let now = served_by.to_string();
        let affinity = [("smp_affinity_list", allowed), ("effective_affinity_list", &now)];
        self.attributes(&format!("/proc/irq/{number}"), &affinity);
        self.attribute(&format!("{folder}/msi_irqs"), &number.to_string(), "msix");
    }

    /// Writes a NUMA node.
    pub fn node(&mut self, number: u32, cpus: &str, memory_kib: u64, distances: &str) {
        let folder = format!("/sys/devices/system/node/node{number}");
        self.attribute(&folder, "cpulist", cpus);
        self.attribute(&folder, "distance", distances);
        let text = format!(
            "Node {number} MemTotal:       {memory_kib} kB\nNode {number} MemFree:        1024 kB\n"
        );
        self.file(&format!("{folder}/meminfo"), &text);
    }
}
