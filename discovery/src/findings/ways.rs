//! Several ways to one unit: those that are down, and those that are loaded unequally.

use std::collections::BTreeMap;

use iopath_machine::devices::{Device, DeviceKind};
use iopath_machine::hardware::{Scsi, ScsiVia, Transport};

use super::{Subject, finding};
use crate::model::{Finding, Weight};

/// The paths of a multipath device of device-mapper.
fn paths<'a>(subject: &'a Subject<'_>, device: &Device) -> Vec<(&'a str, &'a Scsi)> {
    let attachments = &subject.facts.hardware.attachments;
    let scsi = |name: &String| {
        let (name, attachment) = attachments.get_key_value(name)?;
        match &attachment.transport {
            Transport::Scsi(scsi) => Some((name.as_str(), scsi.as_ref())),
            _ => None,
        }
    };
    device.slaves.iter().filter_map(scsi).collect()
}

fn multipaths<'a>(subject: &'a Subject<'_>) -> impl Iterator<Item = &'a Device> {
    let devices = subject.names.iter().filter_map(|name| subject.facts.devices.find(name));
    devices.filter(|device| match &device.kind {
        DeviceKind::Mapper { uuid, .. } => uuid.starts_with("mpath-"),
        _ => false,
    })
}

/// Neither in use nor in reserve.
fn is_down(scsi: &Scsi) -> bool {
    let dead = ["unavailable", "offline"];
    let is_refused = scsi.access_state.as_deref().is_some_and(|word| dead.contains(&word));
    let is_stopped = scsi.state.as_deref().is_some_and(|state| state != "running");
    let is_cut = matches!(&scsi.via, ScsiVia::FibreChannel(via) if !via.is_online());
    is_refused || is_stopped || is_cut
}

/// Paths that carry nothing and could not.
pub(super) fn down(subject: &Subject<'_>, all: &mut Vec<Finding>) {
    let mut tell = |name: &str, down: &[&str], count: usize| {
        if down.is_empty() {
            return;
        }
        let word = if down.len() * 2 == count { "half of its paths are" } else { "paths are" };
        let text = format!("{word} down: {} of {count} ({})", down.len(), down.join(", "));
        let hint = "look at cables, zones and the array; each path that is down is less \
                    throughput and less safety";
        all.push(finding("paths-down", Weight::Warning, &[name], text, hint));
    };
    for device in multipaths(subject) {
        let paths = paths(subject, device);
        let down: Vec<&str> =
            paths.iter().filter(|(_, scsi)| is_down(scsi)).map(|(name, _)| *name).collect();
        tell(&device.name, &down, paths.len());
    }
    for (name, attachment) in subject.attached() {
        let Transport::Nvme(nvme) = &attachment.transport else { continue };
        let is_down = |state: Option<&str>, ana: Option<&str>| {
            state.is_some_and(|state| state != "live") || ana == Some("persistent-loss")
        };
        let down = nvme
            .paths
            .iter()
            .filter(|path| is_down(path.controller.state.as_deref(), path.ana_state.as_deref()));
        let down: Vec<&str> = down.map(|path| path.controller.name.as_str()).collect();
        tell(name, &down, nvme.paths.len());
    }
}

/// Ports of this machine with different numbers of paths that carry requests.
pub(super) fn uneven(subject: &Subject<'_>, all: &mut Vec<Finding>) {
    for device in multipaths(subject) {
        let mut by_host: BTreeMap<u32, usize> = BTreeMap::new();
        for (_, scsi) in paths(subject, device) {
            let word = scsi.access_state.as_deref();
            let is_active = scsi.is_usable() && word.is_none_or(|word| word == "active/optimized");
            *by_host.entry(scsi.address.host).or_default() += usize::from(is_active);
        }
        let (least, most) = (by_host.values().min(), by_host.values().max());
        if by_host.len() > 1 && least < most {
            let each = by_host.iter().map(|(host, count)| format!("{count} by host{host}"));
            let each: Vec<String> = each.collect();
            let text = format!("active paths are uneven: {}", each.join(", "));
            let hint = "a policy that takes paths in turn loads one port more: zone them equally";
            all.push(finding("uneven-paths", Weight::Warning, &[&device.name], text, hint));
        }
    }
}
