//! NVMe controllers, Fibre Channel ports and network interfaces of imitated machines.

use crate::{Queue, Tree};

impl Tree {
    /// Writes an NVMe controller below a PCI function; returns its folder.
    pub fn nvme_controller(&mut self, above: &str, number: u32, model: &str) -> String {
        let name = format!("nvme{number}");
        let folder = format!("{above}/nvme/{name}");
        let address = above.rsplit('/').next().unwrap_or("");
        self.attributes(
            &folder,
            &[
                ("transport", "pcie"),
                ("address", address),
                ("state", "live"),
                ("model", model),
                ("serial", &format!("S6XNNG0T{number:06}")),
                ("firmware_rev", "GDC7302Q"),
                ("queue_count", "65"),
                ("sqsize", "1023"),
                ("cntlid", "6"),
                ("subsysnqn", &format!("nqn.1994-11.com.example:nvme:{number:06}")),
            ],
        );
        self.link(&format!("{folder}/device"), above);
        self.class("nvme", &name, &folder);
        let subsystem = format!("/sys/devices/virtual/nvme-subsystem/nvme-subsys{number}");
        self.attribute(&subsystem, "iopolicy", "numa");
        self.link(&format!("{subsystem}/{name}"), &folder);
        self.class("nvme-subsystem", &format!("nvme-subsys{number}"), &subsystem);
        folder
    }

    /// Writes the first namespace of a controller; returns the folder of the block device.
    pub fn namespace(&mut self, controller: &str, number: &str, sectors: u64) -> String {
        let name = format!("{}n1", crate::last(controller));
        let folder = format!("{controller}/{name}");
        self.disk(&folder, number, sectors, &Queue::nvme());
        self.hardware_queues(&folder, 4);
        self.attribute(&folder, "nsid", "1");
        self.attribute(&folder, "wwid", &format!("eui.36584e30{number:0>12}").replace(':', ""));
        self.link(&format!("{folder}/device"), controller);
        folder
    }

    /// Writes the Fibre Channel side of a SCSI host.
    pub fn fc_host(&mut self, host: &str, port_name: &str, speed: &str) {
        let name = crate::last(host);
        let folder = format!("{host}/fc_host/{name}");
        self.attributes(
            &folder,
            &[
                ("port_name", port_name),
                ("node_name", port_name),
                ("port_state", "Online"),
                ("speed", speed),
                ("supported_speeds", "4 Gbit, 8 Gbit, 16 Gbit"),
                ("port_type", "NPort (fabric via point-to-point)"),
                ("fabric_name", "0x100050eb1a2b3c4d"),
            ],
        );
        self.class("fc_host", name, &folder);
    }

    /// Writes a port of an array below a host; returns its folder.
    pub fn remote_port(&mut self, host: &str, name: &str, port_name: &str) -> String {
        let folder = format!("{host}/{name}");
        let port = format!("{folder}/fc_remote_ports/{name}");
        self.attributes(
            &port,
            &[
                ("port_name", port_name),
                ("node_name", "0x200200a098a1b2c3"),
                ("port_state", "Online"),
                ("roles", "FCP Target"),
                ("fast_io_fail_tmo", "5"),
                ("dev_loss_tmo", "30"),
            ],
        );
        self.class("fc_remote_ports", name, &port);
        folder
    }

    /// Writes a network interface below a device.
    pub fn interface(&mut self, above: &str, name: &str, megabits_per_sec: u32) -> String {
        let folder = format!("{above}/net/{name}");
        self.attributes(
            &folder,
            &[
                ("ifindex", "2"),
                ("operstate", "up"),
                ("mtu", "9000"),
                ("speed", &megabits_per_sec.to_string()),
                ("statistics/rx_bytes", "10738991104"),
                ("statistics/tx_bytes", "5370347520"),
            ],
        );
        if above.contains("pci") {
            self.link(&format!("{folder}/device"), above);
        }
        self.class("net", name, &folder);
        folder
    }
}
