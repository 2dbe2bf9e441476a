//! Units that several adapters of this machine lead to without a fabric: drives of SAS with two
//! ports, drives of NVMe with several controllers, disks of a hypervisor.
//!
//! Such a unit stands in an enclosure that has a port for each path, each wired to what the path
//! goes through: the last link of SAS, a port of the adapter, the controller of NVMe. Units share
//! an enclosure only as namespaces of one subsystem of NVMe.
//! Leaves out: the rating of a drive that several namespaces share, as no part stands for it.

use iopath_machine::devices::Device;
use iopath_machine::hardware::{Attachment, Nvme, NvmePath, SasVia, Scsi};

use crate::attached::{drive, joined, queue};
use crate::fabric::{Unit, Way};
use crate::model::Component;
use crate::path::Growing;

impl Way {
    /// One that ends at a port for this path alone.
    fn direct(from: String, path: &str, optimised: Option<bool>) -> Self {
        let (initiators, target) = (vec![from], format!("port of {path}"));
        Self { initiators, target, node: None, optimised, fabric: None }
    }
}

impl Growing<'_> {
    /// A drive of SAS by what its first path shows of it.
    pub(crate) fn sas_unit(&mut self, device: &Device, (first, via): (&str, &SasVia)) -> Component {
        let facts = self.facts;
        let unit = drive("part", device, "");
        let path = facts.devices.find(first).zip(facts.hardware.attachments.get(first));
        let Some((path, attachment)) = path else { return unit };
        let medium = self.sas_medium(path, attachment, via);
        let Component { name, kernel, node, values, .. } = unit;
        Component { name, kernel, node, values, ..medium }
    }

    /// From the last link of SAS to a port of the drive's own.
    pub(crate) fn sas_path(
        &mut self,
        name: &str,
        (scsi, via): (&Scsi, &SasVia),
        optimised: Option<bool>,
    ) -> Option<Way> {
        let facts = self.facts;
        let (device, attachment) =
            (facts.devices.find(name)?, facts.hardware.attachments.get(name)?);
        let place = self.sas_links(device, attachment, (scsi, via));
        Some(Way::direct(place, name, optimised))
    }

    /// From a port of an adapter that shows nothing of what is behind it.
    pub(crate) fn path_of_adapter(
        &mut self,
        name: &str,
        scsi: &Scsi,
        optimised: Option<bool>,
    ) -> Option<Way> {
        let attachment = self.facts.hardware.attachments.get(name)?;
        let adapter = self.adapter(attachment, scsi);
        // An adapter takes one wire, each of its ports one more.
        let port = Component::new("port", &format!("port to {name}"), "port");
        let port = self.add(Some(&adapter), port);
        Some(Way::direct(port, name, optimised))
    }

    /// A namespace of this machine's own drive, which several controllers lead to.
    pub(crate) fn nvme_by_controllers(
        &mut self,
        device: &Device,
        attachment: &Attachment,
        nvme: &Nvme,
    ) {
        let (drawn, told) = drawn_paths(nvme);
        let mut part = drive("nvme", device, &joined(&told, &queue(&attachment.queue)));
        let mut ways = Vec::new();
        for path in drawn {
            let controller = &path.controller;
            let (place, link) = self.slot(attachment, controller);
            if part.uses.is_none() && self.namespaces(&controller.name) == 1 {
                part.uses = self.nvme_model(device, controller, link);
            }
            let adapter = Component::new("hba", &controller.name, &controller.name);
            let adapter = self.add(Some(&place), adapter);
            let way = Way::direct(adapter, &controller.name, path.is_optimised());
            ways.push(Way { node: nvme.subsystem_nqn.clone(), ..way });
        }
        if part.uses.is_none() {
            self.unrated(device);
        }
        self.policies.extend(nvme.path_policy.clone().filter(|_| ways.len() > 1));
        self.units.push(Unit { part, holder: "enclosure", vendor: nvme.subsystem.clone(), ways });
    }
}

/// The paths that are drawn, and what to say of all: those that are live, or all where none is.
pub(crate) fn drawn_paths(nvme: &Nvme) -> (Vec<&NvmePath>, String) {
    let live: Vec<&NvmePath> = nvme.paths.iter().filter(|path| path.is_live()).collect();
    let remark = match nvme.paths.len() {
        0 | 1 => String::new(),
        all => format!("{all} paths, {} of them live", live.len()),
    };
    let drawn = if live.is_empty() { nvme.paths.iter().collect() } else { live };
    (drawn, remark)
}
