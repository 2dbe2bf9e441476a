//! The commands that make a rig of two daemons: a function of the rig and of the places.
//!
//! The first daemon has a throttle group for each group, a medium for each number, and for each
//! device a chain of throttle nodes, written with the medium innermost, exported by NBD. The second
//! has for each device an NBD client and a FUSE export in a thread of its own. Why two:
//! docs/decisions/013.

use std::collections::BTreeMap;
use std::path::Path;

use serde_json::{Value, json};

use crate::limits::{Note, limits};
use crate::options::Media;
use crate::places::Places;
use crate::qmp::Command;
use crate::rig::{Device, Rig};

/// What both daemons are told, in order.
pub(crate) struct Wiring {
    pub(crate) media: Vec<Command>,
    pub(crate) exports: Vec<Command>,
    pub(crate) notes: Vec<Note>,
}

pub(crate) fn wire(rig: &Rig, media: Media, places: &Places) -> Wiring {
    let mut notes = Vec::new();
    let mut commands = Vec::new();
    let limited = groups(rig, &mut commands, &mut notes);
    commands.push(Command {
        about: "the server of devices".to_owned(),
        execute: "nbd-server-start",
        arguments: json!({"addr": unix(&places.devices_socket), "max-connections": 0}),
    });
    match media {
        Media::Null => {}
        Media::Files => files(rig, places, &mut commands, &mut notes),
    }
    for (index, device) in rig.devices.iter().enumerate() {
        let medium = match media {
            Media::Null => null(index, device),
            Media::Files => json!(medium_name(device.medium)),
        };
        chain(index, device, &limited, medium, &mut commands);
    }
    Wiring { media: commands, exports: exports(rig, places), notes }
}

/// Makes the throttle groups; says which groups have one.
fn groups(rig: &Rig, commands: &mut Vec<Command>, notes: &mut Vec<Note>) -> Vec<bool> {
    let mut limited = Vec::new();
    for (index, group) in rig.groups.iter().enumerate() {
        let limits = limits(group, notes);
        limited.push(limits.is_some());
        commands.extend(limits.map(|limits| Command {
            about: format!("group {}", group.name),
            execute: "object-add",
            arguments: json!({
                "qom-type": "throttle-group", "id": group_name(index), "limits": limits,
            }),
        }));
    }
    limited
}

/// Null media keep no data, so each device has one of its own, with its own delay.
fn null(index: usize, device: &Device) -> Value {
    json!({
        "driver": "null-co", "node-name": medium_name(index), "size": device.bytes,
        "latency-ns": device.latency.0,
    })
}

fn files(rig: &Rig, places: &Places, commands: &mut Vec<Command>, notes: &mut Vec<Note>) {
    for (medium, file) in &places.media {
        commands.push(Command {
            about: format!("the medium {}", file.display()),
            execute: "blockdev-add",
            arguments: json!({
                "driver": "file", "node-name": medium_name(*medium), "filename": text(file),
            }),
        });
    }
    let delayed = rig.devices.iter().filter(|device| device.latency.0 > 0);
    notes.extend(delayed.map(|device| Note::Latency { device: device.name.clone() }));
}

/// Requests pass the last group of the device first, and the medium last.
fn chain(
    index: usize,
    device: &Device,
    limited: &[bool],
    medium: Value,
    commands: &mut Vec<Command>,
) {
    let groups = device.groups.iter().copied().filter(|group| limited[*group]);
    let node = groups.fold(medium, |file, group| {
        json!({"driver": "throttle", "throttle-group": group_name(group), "file": file})
    });
    // A node that only refers to another needs a driver of its own to have a name.
    let mut node = if node.is_string() { json!({"driver": "raw", "file": node}) } else { node };
    node["node-name"] = json!(device_name(index));
    commands.push(Command {
        about: format!("device {}", device.name),
        execute: "blockdev-add",
        arguments: node,
    });
    commands.push(Command {
        about: format!("device {}", device.name),
        execute: "block-export-add",
        arguments: json!({
            "type": "nbd", "id": format!("e{index}"), "node-name": device_name(index),
            "name": device_name(index), "writable": true,
        }),
    });
}

fn exports(rig: &Rig, places: &Places) -> Vec<Command> {
    let mut commands = Vec::new();
    for (index, (device, path)) in rig.devices.iter().zip(&places.exports).enumerate() {
        let name = device_name(index);
        let thread = format!("t{index}");
        let steps = [
            ("object-add", json!({"qom-type": "iothread", "id": thread})),
            (
                "blockdev-add",
                json!({
                    "driver": "nbd", "node-name": name, "export": name,
                    "server": {"type": "unix", "path": text(&places.devices_socket)},
                }),
            ),
            (
                "block-export-add",
                json!({
                    "type": "fuse", "id": format!("e{index}"), "node-name": name,
                    "mountpoint": text(path), "writable": true, "iothread": thread,
                    "fixed-iothread": true,
                }),
            ),
        ];
        let about = format!("device {}", device.name);
        commands.extend(steps.map(|(execute, arguments)| Command {
            about: about.clone(),
            execute,
            arguments,
        }));
    }
    commands
}

/// The media of a rig with their sizes. All devices of one medium have the same.
pub(crate) fn media(rig: &Rig) -> BTreeMap<usize, u64> {
    rig.devices.iter().map(|device| (device.medium, device.bytes)).collect()
}

fn unix(path: &Path) -> Value {
    json!({"type": "unix", "data": {"path": text(path)}})
}

/// [`Places`] are UTF-8: it was checked when they were chosen.
fn text(path: &Path) -> &str {
    path.to_str().unwrap_or_default()
}

fn group_name(index: usize) -> String {
    format!("g{index}")
}

fn device_name(index: usize) -> String {
    format!("d{index}")
}

fn medium_name(index: usize) -> String {
    format!("m{index}")
}
