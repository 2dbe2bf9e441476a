//! Fibre Channel: the port of this machine and the port of the array.
//!
//! Format: drivers/scsi/scsi_transport_fc.c. Speeds are texts: `16 Gbit`, `Unknown`,
//! `Not Negotiated`; what a port can do is a list of them. The rates are names of generations: a
//! port of `16 Gbit` signals 14.025 GBd and carries 1.6 GB/s in each direction (FC-PI-5).
//! Leaves out: the fabric between the two, which only its switches know.

use super::attributes::{Attributes, names_of, thousandfold};
use super::pci;

/// The two ends of a way over Fibre Channel.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct FibreChannelVia {
    /// The port of this machine.
    pub host: FibreChannelHost,
    /// The port of the array.
    pub remote: RemotePort,
}

/// A Fibre Channel port of this machine.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct FibreChannelHost {
    /// Its number as a SCSI host.
    pub number: u32,
    /// `Online`, `Linkdown` …
    pub state: Option<String>,
    /// How it runs: 16000 is called 16 Gbit.
    pub megabits_per_sec: Option<u32>,
    /// All that it can do.
    pub supported_megabits_per_sec: Vec<u32>,
    /// The name of the fabric it is in.
    pub fabric_name: Option<String>,
    /// The PCI function it is on.
    pub pci: Option<String>,
}

/// A port of an array.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct RemotePort {
    /// Such as `rport-7:0-0`.
    pub name: String,
    /// Its name in the world (WWPN).
    pub port_name: Option<String>,
    /// The name of the array or controller it belongs to (WWNN).
    pub node_name: Option<String>,
    /// `Online`, `Blocked`, `Not Present` …
    pub state: Option<String>,
}

impl FibreChannelVia {
    /// Both ends are online, as far as they say.
    pub fn is_online(&self) -> bool {
        let is_online = |state: &Option<String>| state.as_deref().is_none_or(|s| s == "Online");
        is_online(&self.host.state) && is_online(&self.remote.state)
    }
}

pub(super) fn read(attributes: &Attributes<'_>, remote: &str, host: u32) -> FibreChannelVia {
    FibreChannelVia { host: read_host(attributes, host), remote: read_remote(attributes, remote) }
}

fn read_host(attributes: &Attributes<'_>, number: u32) -> FibreChannelHost {
    let folder = format!("/sys/class/fc_host/host{number}");
    let text = |file: &str| attributes.text(format!("{folder}/{file}"));
    let path = attributes.resolve(&folder).unwrap_or_default();
    let supported = text("supported_speeds").unwrap_or_default();
    FibreChannelHost {
        number,
        state: text("port_state"),
        megabits_per_sec: text("speed").as_deref().and_then(thousandfold),
        supported_megabits_per_sec: supported.split(',').filter_map(thousandfold).collect(),
        // All ones or nothing without a fabric.
        fabric_name: text("fabric_name").filter(|name| {
            let digits = name.trim_start_matches("0x");
            !digits.bytes().all(|byte| byte == b'f') && !digits.bytes().all(|byte| byte == b'0')
        }),
        pci: pci::function_on(&names_of(&path)),
    }
}

fn read_remote(attributes: &Attributes<'_>, name: &str) -> RemotePort {
    let text = |file: &str| attributes.text(format!("/sys/class/fc_remote_ports/{name}/{file}"));
    RemotePort {
        name: name.to_owned(),
        port_name: text("port_name"),
        node_name: text("node_name"),
        state: text("port_state"),
    }
}
