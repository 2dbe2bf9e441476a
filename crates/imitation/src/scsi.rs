//! SCSI hosts, targets and disks of imitated machines.

use crate::{Queue, Tree, last};

impl Tree {
    /// Writes a SCSI host below a folder; returns its folder.
    pub fn scsi_host(&mut self, above: &str, number: u32, driver: &str, can_queue: u32) -> String {
        let folder = format!("{above}/host{number}");
        let host = format!("{folder}/scsi_host/host{number}");
        self.attributes(
            &host,
            &[
                ("proc_name", driver),
                ("can_queue", &can_queue.to_string()),
                ("cmd_per_lun", "7"),
                ("sg_tablesize", "128"),
                ("nr_hw_queues", "1"),
                ("state", "running"),
            ],
        );
        self.link(&format!("{host}/device"), &folder);
        self.class("scsi_host", &format!("host{number}"), &host);
        folder
    }

    /// Writes a SCSI disk below what its target hangs on. `address` is `H:C:T:L`; returns the
    /// folder of the block device.
    pub fn scsi_disk(
        &mut self,
        above: &str,
        address: &str,
        (name, number): (&str, &str),
        (sectors, queue): (u64, &Queue),
    ) -> String {
        let (target, _) = address.rsplit_once(':').unwrap_or((address, ""));
        let device = format!("{above}/target{target}/{address}");
        self.attributes(
            &device,
            &[("state", "running"), ("queue_depth", "32"), ("type", "0"), ("timeout", "30")],
        );
        self.link(&format!("{device}/driver"), "/sys/bus/scsi/drivers/sd");
        let folder = format!("{device}/block/{name}");
        self.disk(&folder, number, sectors, queue);
        self.link(&format!("{folder}/device"), &device);
        if let Some(cache) = queue.value("write_cache") {
            self.attribute(&format!("{device}/scsi_disk/{address}"), "cache_type", cache);
        }
        self.link(&format!("/sys/class/scsi_device/{address}"), &device);
        folder
    }

    /// Attributes of the SCSI device under a block device.
    pub fn scsi_attributes(&mut self, folder: &str, values: &[(&str, &str)]) {
        let (device, _) = folder.split_once("/block/").unwrap_or((folder, ""));
        self.attributes(device, values);
    }

    /// A port of a SATA controller with its host and link; returns the host's folder.
    pub fn ata_port(&mut self, controller: &str, port: u32, host: u32, rate: &str) -> String {
        let above = format!("{controller}/ata{port}");
        let link = format!("{above}/link{port}/ata_link/link{port}");
        self.attributes(
            &link,
            &[
                ("sata_spd", rate),
                ("hw_sata_spd_limit", "6.0 Gbps"),
                ("sata_spd_limit", "6.0 Gbps"),
            ],
        );
        self.class("ata_link", &format!("link{port}"), &link);
        self.scsi_host(&above, host, "ahci", 32)
    }

    /// A SAS port with lanes, below a host or expander; `phys` are numbers of lanes of its owner.
    /// Returns its folder.
    pub fn sas_port(&mut self, above: &str, name: &str, phys: &[u32], rate: &str) -> String {
        let folder = format!("{above}/{name}");
        // port-0:0 is of host 0, port-0:0:3 of expander-0:0.
        let owner =
            name.trim_start_matches("port-").rsplit_once(':').map_or("0", |(owner, _)| owner);
        for phy in phys {
            let lane = format!("phy-{owner}:{phy}");
            let place = format!("{above}/{lane}/sas_phy/{lane}");
            self.attributes(
                &place,
                &[
                    ("negotiated_linkrate", rate),
                    ("maximum_linkrate", "12.0 Gbit"),
                    ("maximum_linkrate_hw", "12.0 Gbit"),
                ],
            );
            self.class("sas_phy", &lane, &place);
            self.link(&format!("{folder}/{lane}"), &format!("{above}/{lane}"));
        }
        let port = format!("{folder}/sas_port/{name}");
        self.attribute(&port, "num_phys", &phys.len().to_string());
        self.link(&format!("{port}/device"), &folder);
        self.class("sas_port", name, &port);
        folder
    }

    /// A SAS device at the end of a port; returns its folder.
    pub fn sas_end(&mut self, port: &str, enclosure: &str, bay: u32) -> String {
        let name = last(port).replacen("port-", "end_device-", 1);
        let folder = format!("{port}/{name}");
        let device = format!("{folder}/sas_device/{name}");
        let address = format!("0x5000c500a1b2c3{:02x}", bay + 1);
        self.attributes(
            &device,
            &[
                ("sas_address", &address),
                ("enclosure_identifier", enclosure),
                ("bay_identifier", &bay.to_string()),
            ],
        );
        self.class("sas_device", &name, &device);
        folder
    }
}
