//! iSCSI: the session, its connection and the interface it goes through.
//!
//! Format: drivers/scsi/scsi_transport_iscsi.c. The connections of `session3` are `connection3:0`
//! and on. Which interface carries it is known where the session is bound to one (`netdev` of the
//! host) and to hardware initiators; else the kernel routes each packet.
//! Leaves out: CHAP and its secrets, parameters of recovery.

use super::attributes::Attributes;

/// A way over iSCSI.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct IscsiVia {
    /// Such as `session3`.
    pub session: String,
    /// `LOGGED_IN`, `FAILED`, `FREE`.
    pub state: Option<String>,
    /// The target's name (IQN).
    pub target: Option<String>,
    /// The portal's address and port: `10.0.0.5:3260`.
    pub portal: Option<String>,
    /// The interface it is bound to.
    pub interface: Option<String>,
}

pub(super) fn read(attributes: &Attributes<'_>, session: &str, host: u32) -> IscsiVia {
    let text = |file: &str| attributes.text(format!("/sys/class/iscsi_session/{session}/{file}"));
    let connection = session.replacen("session", "connection", 1);
    let folder = format!("/sys/class/iscsi_connection/{connection}:0");
    let of_connection = |file: &str| attributes.text(format!("{folder}/{file}"));
    let address = of_connection("address").or_else(|| of_connection("persistent_address"));
    let port = of_connection("port").or_else(|| of_connection("persistent_port"));
    let netdev = attributes.text(format!("/sys/class/iscsi_host/host{host}/netdev"));
    IscsiVia {
        session: session.to_owned(),
        state: text("state"),
        target: text("targetname"),
        portal: address.map(|address| match (&port, address.contains(':')) {
            (Some(port), true) => format!("[{address}]:{port}"),
            (Some(port), false) => format!("{address}:{port}"),
            (None, _) => address,
        }),
        interface: netdev.filter(|name| !matches!(name.as_str(), "default" | "<NULL>" | "(null)")),
    }
}
