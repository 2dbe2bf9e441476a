//! Where each drive stands in the path, by what carries its requests.
//!
//! Drives that this machine alone has stand below its adapters; logical units of an array, and
//! whatever is reached over a network, stand in a box of their own (`fabric`). A way that is not
//! told ends at the machine. Leaves out: what is inside controllers that show volumes of their own.

use iopath_machine::devices::{Device, DeviceKind};
use iopath_machine::hardware::{
    AtaVia, Attachment, Link, NvmeController, NvmePath, NvmeTransport, QueueFacts, SasDevice,
    SasPort, SasVia, Scsi, ScsiVia, Transport,
};
use iopath_units::Bytes;

use crate::model::{Component, Property};
use crate::path::{Growing, HOST};
use crate::ratings::{self, Class};

impl Growing<'_> {
    /// Puts a drive where it is; one that is a way to something else is put by `fabric`.
    pub(crate) fn attach(&mut self, device: &Device) {
        if self.has(&device.name) {
            return;
        }
        let facts = self.facts;
        let Some(attachment) = facts.hardware.attachments.get(&device.name) else {
            let place = drive("part", device, "");
            self.add(Some(HOST), place);
            return;
        };
        match &attachment.transport {
            Transport::Nvme(nvme) => {
                let is_local = |path: &&NvmePath| {
                    path.controller.transport == NvmeTransport::Pcie
                        || path.controller.pci.is_some()
                };
                let local: Vec<&NvmePath> = nvme.paths.iter().filter(is_local).collect();
                match local[..] {
                    [] => self.nvme_over_fabric(device, nvme),
                    [path] => self.nvme(device, attachment, &path.controller),
                    [..] => self.nvme_by_controllers(device, attachment, nvme),
                }
            }
            Transport::Scsi(scsi) => self.scsi(device, attachment, scsi),
            Transport::Virtio { bus } => {
                let remark = format!("virtio-blk over {bus}");
                self.virtual_disk(device, attachment, &remark);
            }
            Transport::Xen => self.virtual_disk(device, attachment, "a virtual disk of Xen"),
            Transport::Mmc => self.on_function(device, attachment, "an SD or eMMC card"),
            Transport::Pmem => self.on_function(device, attachment, "persistent memory"),
            Transport::Network(word) => {
                self.not_known(&device.name, format_args!("the other end of {word} is not known"));
                self.on_function(device, attachment, &format!("{word}, over a network"));
            }
            Transport::Other(word) => self.on_function(device, attachment, word),
            Transport::None => {
                let remark = match device.kind {
                    DeviceKind::Zram => "compressed memory",
                    _ => "no hardware of its own",
                };
                self.on_function(device, attachment, remark);
            }
        }
    }

    /// A disk of a hypervisor: what is behind it cannot be told.
    fn virtual_disk(&mut self, device: &Device, attachment: &Attachment, remark: &str) {
        self.behind_hypervisor(device);
        self.on_function(device, attachment, remark);
    }

    pub(crate) fn behind_hypervisor(&mut self, device: &Device) {
        self.unlimited(&device.name, "a hypervisor's disk: its backing storage is not visible");
    }

    fn on_function(&mut self, device: &Device, attachment: &Attachment, remark: &str) {
        let place = match &attachment.pci {
            Some(address) => self.port_above(address),
            None => self.place_of_node(attachment.node),
        };
        let remark = joined(remark, &queue(&attachment.queue));
        let part = disk("part", device, attachment, &remark);
        self.add(Some(&place), part);
    }

    fn nvme(&mut self, device: &Device, attachment: &Attachment, controller: &NvmeController) {
        let (place, link) = self.slot(attachment, controller);
        let uses = self.nvme_model(device, controller, link);
        let queues = controller.queue_count.zip(controller.queue_entries);
        // One queue is for administration.
        let queues = queues
            .map(|(count, entries)| format!("{} queues of {entries}", count.saturating_sub(1)));
        let remark = joined(&queue(&attachment.queue), &queues.unwrap_or_default());
        let mut part = disk("nvme", device, attachment, &remark);
        if uses.is_none() {
            self.unrated(device);
        }
        let siblings = self.namespaces(&controller.name);
        let place = if siblings > 1 {
            // What the drive can do is shared by its namespaces.
            let mut shared = Component::new("hba", &controller.name, &controller.name);
            shared.uses = uses;
            self.add(Some(&place), shared)
        } else {
            part.uses = uses;
            place
        };
        self.add(Some(&place), part);
    }

    /// The port that a controller of NVMe is below, and the link that it can.
    pub(crate) fn slot(
        &mut self,
        attachment: &Attachment,
        controller: &NvmeController,
    ) -> (String, Option<Link>) {
        match controller.pci.as_deref().or(attachment.pci.as_deref()) {
            Some(address) => {
                let own = self.facts.hardware.functions.get(address).and_then(|f| f.max);
                (self.port_above(address), own)
            }
            None => (self.place_of_node(controller.node), None),
        }
    }

    /// The model of a drive of NVMe, as a part of the study.
    pub(crate) fn nvme_model(
        &mut self,
        device: &Device,
        controller: &NvmeController,
        link: Option<Link>,
    ) -> Option<String> {
        let model = controller.model.as_deref().or(device.identity.model.as_deref());
        let firmware = controller.firmware.as_deref().or(device.identity.firmware.as_deref());
        let is_real = !device.identity.is_virtual();
        is_real.then(|| self.model("nvme", (model, firmware), Class::Nvme(link))).flatten()
    }

    /// How many disks a controller of NVMe has.
    pub(crate) fn namespaces(&self, controller: &str) -> usize {
        let all = self.facts.hardware.attachments.values();
        let of = |attachment: &&Attachment| match &attachment.transport {
            Transport::Nvme(nvme) => {
                nvme.paths.iter().any(|path| path.controller.name == controller)
            }
            _ => false,
        };
        all.filter(of).count()
    }

    pub(crate) fn unrated(&mut self, device: &Device) {
        if device.identity.is_virtual() {
            return self.behind_hypervisor(device);
        }
        let model = device.identity.model.as_deref().unwrap_or("no model's name");
        self.unlimited(&device.name, format_args!("no rating known ({model})"));
    }

    fn scsi(&mut self, device: &Device, attachment: &Attachment, scsi: &Scsi) {
        match &scsi.via {
            ScsiVia::Ata(via) => self.ata(device, attachment, scsi, via),
            ScsiVia::Sas(via) => self.sas(device, attachment, (scsi, via)),
            ScsiVia::FibreChannel(_) | ScsiVia::Iscsi(_) => {
                let ways = [(device.name.clone(), scsi.clone())];
                self.unit_of_array(device, &ways, attachment);
            }
            ScsiVia::Usb(via) => {
                let adapter = self.adapter(attachment, scsi);
                let mut link = Component::new("link", &format!("usb {}", via.device), "usb");
                link.name = crate::model::name_of(&format!("usb-{}", via.device));
                if let Some(megabits) = via.megabits_per_sec {
                    ratings::usb(megabits).give(&mut link);
                    link.remark = format!("USB, {megabits} Mb/s");
                }
                let link = self.add(Some(&adapter), link);
                let part = disk("part", device, attachment, &queue(&attachment.queue));
                self.unrated(device);
                self.add(Some(&link), part);
            }
            ScsiVia::Virtio => self.behind(device, attachment, (scsi, "virtio-scsi")),
            ScsiVia::Hypervisor(driver) => self.behind(device, attachment, (scsi, driver)),
            ScsiVia::Other(driver) => {
                let adapter = self.adapter(attachment, scsi);
                let remark = format!("a volume of {driver}; its disks are not reported");
                self.not_known(&device.name, &remark);
                let remark = joined(&remark, &queue(&attachment.queue));
                let mut part = drive("lun", device, &remark);
                part.values.extend(depth(&attachment.queue));
                self.add(Some(&adapter), part);
            }
        }
    }

    /// A disk behind a controller of a hypervisor.
    fn behind(&mut self, device: &Device, attachment: &Attachment, (scsi, word): (&Scsi, &str)) {
        self.behind_hypervisor(device);
        let adapter = self.adapter(attachment, scsi);
        let remark = joined(word, &queue(&attachment.queue));
        let mut part = disk("part", device, attachment, &remark);
        part.values.extend(depth(&attachment.queue));
        self.add(Some(&adapter), part);
    }

    /// The adapter of a SCSI device, below its port.
    pub(crate) fn adapter(&mut self, attachment: &Attachment, scsi: &Scsi) -> String {
        let host = self.facts.hardware.scsi_hosts.get(&scsi.address.host);
        let driver = host.and_then(|host| host.driver.clone());
        let own = format!("host{}", scsi.address.host);
        let Some(address) = &attachment.pci else {
            let place = self.place_of_node(attachment.node);
            let mut hba = Component::new("hba", &own, &own);
            hba.remark = driver.unwrap_or_default();
            return self.add(Some(&place), hba);
        };
        let place = self.port_above(address);
        let name = match (&driver, self.ports_of(address)) {
            (Some(driver), _) => driver.clone(),
            (None, _) => own,
        };
        let mut hba = Component::new("hba", address, &name);
        hba.remark = driver.unwrap_or_default();
        self.add(Some(&place), hba)
    }

    fn ports_of(&self, address: &str) -> usize {
        let hosts = self.facts.hardware.scsi_hosts.values();
        hosts.filter(|host| host.pci.as_deref() == Some(address)).count()
    }

    fn ata(&mut self, device: &Device, attachment: &Attachment, scsi: &Scsi, via: &AtaVia) {
        let adapter = self.adapter(attachment, scsi);
        let mut link = Component::new("link", &via.port, &via.port);
        let is_real = !device.identity.is_virtual();
        if let Some(megabits) = via.megabits_per_sec.filter(|_| is_real) {
            ratings::sata(megabits).give(&mut link);
            link.remark = told_link(megabits, via.max_megabits_per_sec);
        }
        let link = self.add(Some(&adapter), link);
        let is_disk = attachment.queue.is_rotational == Some(true);
        let (kind, class) =
            if is_disk { ("disk", Class::DiskSata) } else { ("ssd", Class::FlashSata) };
        let mut part = self.medium(device, attachment, (kind, class));
        part.values.extend(depth(&attachment.queue));
        self.add(Some(&link), part);
    }

    fn sas(&mut self, device: &Device, attachment: &Attachment, (scsi, via): (&Scsi, &SasVia)) {
        let place = self.sas_links(device, attachment, (scsi, via));
        let mut part = self.sas_medium(device, attachment, via);
        part.values.extend(depth(&attachment.queue));
        self.add(Some(&place), part);
    }

    /// The links from an adapter of SAS to a drive; the last one.
    pub(crate) fn sas_links(
        &mut self,
        device: &Device,
        attachment: &Attachment,
        (scsi, via): (&Scsi, &SasVia),
    ) -> String {
        let mut place = self.adapter(attachment, scsi);
        for port in &via.ports {
            let mut link = Component::new("link", &port.name, &port.name);
            let is_real = !device.identity.is_virtual();
            let slowest = port.lanes.iter().filter_map(|lane| lane.megabits_per_sec).min();
            let slowest = slowest.filter(|_| is_real);
            let most = port.lanes.iter().filter_map(|lane| lane.max_megabits_per_sec).min();
            if let Some(megabits) = slowest {
                ratings::sas(megabits, port.lanes.len()).give(&mut link);
                link.remark = told_link(megabits, most);
                if port.lanes.len() > 1 {
                    link.remark = format!("{} lanes, each {}", port.lanes.len(), link.remark);
                }
            }
            place = self.add(Some(&place), link);
            if let SasDevice::Expander { name, vendor, product } = &port.end {
                let mut expander = Component::new("expander", name, name);
                let words = vendor.iter().chain(product).map(String::as_str);
                expander.remark = words.collect::<Vec<_>>().join(" ");
                place = self.add(Some(&place), expander);
            }
        }
        place
    }

    /// A drive of SAS, by the lanes of its own link.
    pub(crate) fn sas_medium(
        &mut self,
        device: &Device,
        attachment: &Attachment,
        via: &SasVia,
    ) -> Component {
        let is_own = |port: &&SasPort| matches!(port.end, SasDevice::End { .. });
        let own = via.ports.iter().find(is_own);
        let lanes = own.and_then(|port| port.lanes.iter().filter_map(|l| l.megabits_per_sec).min());
        let (kind, class) = match attachment.queue.is_rotational == Some(true) {
            true => ("disk", Class::DiskSas(device.bytes)),
            false => ("ssd", Class::FlashSas(lanes.unwrap_or(12_000))),
        };
        self.medium(device, attachment, (kind, class))
    }

    fn medium(
        &mut self,
        device: &Device,
        attachment: &Attachment,
        (kind, class): (&'static str, Class),
    ) -> Component {
        let identity = &device.identity;
        let told = (identity.model.as_deref(), identity.firmware.as_deref());
        let is_real = !identity.is_virtual();
        let uses = is_real.then(|| self.model(kind, told, class)).flatten();
        let mut part = disk(kind, device, attachment, &queue(&attachment.queue));
        if uses.is_none() {
            self.unrated(device);
        }
        part.uses = uses;
        part
    }
}

/// A block device as a part of the path.
pub(crate) fn drive(kind: &'static str, device: &Device, remark: &str) -> Component {
    let name = device.map_name().unwrap_or(&device.name);
    let mut part = Component::new(kind, &device.name, name);
    part.node = Some(node(device));
    if device.bytes > 0 {
        part.values.push(Property::quantity("size", &Bytes(device.bytes).to_string()));
    }
    part.remark = remark.to_owned();
    part
}

/// A drive that the kernel itself sends requests to, with the queues for its flushes, if any.
fn disk(kind: &'static str, device: &Device, attachment: &Attachment, remark: &str) -> Component {
    let mut part = drive(kind, device, remark);
    let is_flushed = attachment.queue.write_cache.as_deref() == Some("write back");
    let queues = attachment.queues.filter(|_| is_flushed);
    let queues = queues.map(|count| Property::number("hw-queues", count as u64));
    part.values.extend(queues.map(|one| one.from("sysfs: mq")));
    part
}

/// The name that stays: of device-mapper devices the one that they were given.
pub(crate) fn node(device: &Device) -> String {
    match device.map_name() {
        Some(name) => format!("/dev/mapper/{name}"),
        None => device.node().display().to_string(),
    }
}

/// Commands that a SCSI device is given at a time.
pub(crate) fn depth(queue: &QueueFacts) -> Option<Property> {
    let depth = queue.queue_depth.filter(|depth| *depth > 0)?;
    Some(Property::number("outstanding", depth).from("sysfs: queue_depth"))
}

/// A queue in words.
pub(crate) fn queue(queue: &QueueFacts) -> String {
    let size = |bytes: u64| Bytes(bytes).to_string();
    let words = [
        queue.scheduler.as_ref().map(|scheduler| format!("scheduler {scheduler}")),
        queue.max_request_bytes.map(|bytes| format!("requests to {}", size(bytes))),
        queue.read_ahead_bytes.map(|bytes| format!("readahead {}", size(bytes))),
        queue.write_cache.as_ref().map(|word| format!("cache {word}")),
    ];
    words.into_iter().flatten().collect::<Vec<_>>().join(", ")
}

fn told_link(now: u32, most: Option<u32>) -> String {
    let gigabits = |megabits: u32| f64::from(megabits) / 1000.0;
    match most.filter(|most| *most > now) {
        Some(most) => format!("{} Gb/s now, {} Gb/s at most", gigabits(now), gigabits(most)),
        None => format!("{} Gb/s", gigabits(now)),
    }
}

pub(crate) fn joined(one: &str, other: &str) -> String {
    let some = [one, other].into_iter().filter(|text| !text.is_empty());
    some.collect::<Vec<_>>().join("; ")
}
