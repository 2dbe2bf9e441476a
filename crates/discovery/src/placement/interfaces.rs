//! Network interfaces that storage goes through: of iSCSI, NVMe over TCP and NFS.

use std::collections::BTreeSet;

use iopath_machine::hardware::{Attachment, ScsiVia, Transport};
use iopath_machine::mounts::Mount;
use iopath_machine::network_routes;

use crate::facts::Facts;

/// Interfaces with hardware of their own that storage over a network goes through.
pub(crate) fn interfaces(facts: &Facts, names: &BTreeSet<String>) -> BTreeSet<String> {
    let attachments = names.iter().filter_map(|name| facts.hardware.attachments.get(name));
    let of_disks = attachments.flat_map(interfaces_of);
    let mounts: Vec<&Mount> = match facts.targets.is_empty() {
        true => facts.mounts.iter().collect(),
        false => facts.targets.iter().filter_map(|target| target.place.mount.as_ref()).collect(),
    };
    let of_mounts = mounts.into_iter().filter_map(|mount| towards_server(facts, mount));
    let mut open: Vec<String> = of_disks.chain(of_mounts).collect();
    let mut found = BTreeSet::new();
    while let Some(name) = open.pop() {
        let lower = facts.hardware.interfaces.get(&name).map(|found| &found.lower);
        // A bond stands on others.
        if found.insert(name) {
            open.extend(lower.into_iter().flatten().cloned());
        }
    }
    found
}

/// Interfaces that a disk names: an iSCSI session its own, NVMe over TCP in `host_iface`.
fn interfaces_of(attachment: &Attachment) -> Vec<String> {
    if let Transport::Scsi(scsi) = &attachment.transport
        && let ScsiVia::Iscsi(via) = &scsi.via
    {
        return via.interface.clone().into_iter().collect();
    }
    let Transport::Nvme(nvme) = &attachment.transport else { return Vec::new() };
    let interfaces =
        nvme.paths.iter().filter_map(|path| path.controller.address_word("host_iface"));
    interfaces.map(str::to_owned).collect()
}

/// The interface towards the server of an NFS mount.
fn towards_server(facts: &Facts, mount: &Mount) -> Option<String> {
    let address = mount.option("addr")?;
    let is_nfs = mount.fs_type.starts_with("nfs");
    let interface = network_routes::towards(&facts.routes, address.parse().ok()?);
    interface.filter(|_| is_nfs).map(str::to_owned)
}
