//! Serial-attached SCSI: the ports on the way to a device, and their lanes.
//!
//! Format: Documentation of the SAS transport class (drivers/scsi/scsi_transport_sas.c). The path
//! of a device goes `host0/port-0:0/expander-0:0/port-0:0:3/end_device-0:0:3/…`: every `port-` is a
//! link, whose folder holds its lanes (`phy-0:0`, …): one of several lanes is a wide port. Rates
//! are texts: `12.0 Gbit`, `Unknown`, `Phy disabled`, `Link Rate failed`. Controllers that show
//! volumes of their own show none of this.
//! Leaves out: zoning, errors on lanes, enclosures and their bays.

use super::attributes::{Attributes, thousandfold};

/// The way to a SAS device.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct SasVia {
    /// The ports on the way, from the adapter down.
    pub ports: Vec<SasPort>,
}

/// One link on the way: of one lane, or of several.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct SasPort {
    /// Such as `port-0:0`.
    pub name: String,
    pub lanes: Vec<SasPhy>,
    /// What is at its far end.
    pub end: SasDevice,
}

/// One lane, seen from the end nearer to the adapter.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct SasPhy {
    /// Such as `phy-0:4`.
    pub name: String,
    /// How it runs, in million bits per second on the wire: 12000 is 12 Gb/s.
    pub megabits_per_sec: Option<u32>,
    /// The most that it may.
    pub max_megabits_per_sec: Option<u32>,
}

/// What is at the far end of a port.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum SasDevice {
    /// A switch of SAS, with links to many.
    Expander {
        /// Such as `expander-0:0`.
        name: String,
        /// Who made it.
        vendor: Option<String>,
        /// Its maker's name for it.
        product: Option<String>,
    },
    /// The drive.
    End {
        /// Such as `end_device-0:0:3`.
        name: String,
    },
}

/// Reads the way along the names of a device's path.
pub(super) fn read(attributes: &Attributes<'_>, names: &[String]) -> SasVia {
    let links = names.windows(2).filter(|pair| pair[0].starts_with("port-"));
    SasVia { ports: links.map(|pair| read_port(attributes, &pair[0], &pair[1])).collect() }
}

fn read_port(attributes: &Attributes<'_>, name: &str, end: &str) -> SasPort {
    let files = attributes.names(format!("/sys/class/sas_port/{name}/device"));
    let lanes = files.into_iter().filter(|file| file.starts_with("phy-"));
    let end = if end.starts_with("expander-") {
        let text = |file: &str| attributes.text(format!("/sys/class/sas_expander/{end}/{file}"));
        let (vendor, product) = (text("vendor_id"), text("product_id"));
        SasDevice::Expander { name: end.to_owned(), vendor, product }
    } else {
        SasDevice::End { name: end.to_owned() }
    };
    SasPort {
        name: name.to_owned(),
        lanes: lanes.map(|lane| read_lane(attributes, lane)).collect(),
        end,
    }
}

fn read_lane(attributes: &Attributes<'_>, name: String) -> SasPhy {
    let rate = |file: &str| {
        let text = attributes.text(format!("/sys/class/sas_phy/{name}/{file}"))?;
        thousandfold(&text)
    };
    let limits = [rate("maximum_linkrate_hw"), rate("maximum_linkrate")];
    SasPhy {
        megabits_per_sec: rate("negotiated_linkrate"),
        max_megabits_per_sec: limits.into_iter().flatten().min(),
        name,
    }
}
