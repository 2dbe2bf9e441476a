//! Machines with several sockets: devices that are spread unequally, and the link between sockets
//! that the study does not state. A stream reaches what hangs at another socket over that link,
//! which stands in the path as the machine's own `read`, `write` or `both`.

use std::collections::{BTreeMap, BTreeSet};

use iopath_study::{Class, PartId};
use iopath_units::{ByteRate, Human, System};

use super::Remarks;
use super::reach::{Steps, Way};
use super::rule::Rule;
use super::view::{About, View};

/// Sockets differ where one has this much more than another (chosen, as for `uneven-paths`).
const UNEQUAL: f64 = 0.1;

pub(super) fn check(view: &View<'_>, steps: &Steps, remarks: &mut Remarks) {
    let mut sockets: BTreeMap<PartId, Vec<PartId>> = BTreeMap::new();
    for socket in view.system.ids().filter(|id| view.kind(*id) == "socket") {
        if let Some(host) = view.within(socket, &["host"]) {
            sockets.entry(host).or_default().push(socket);
        }
    }
    for (host, sockets) in sockets.into_iter().filter(|(_, sockets)| sockets.len() > 1) {
        let machine = Machine { host, sockets };
        unbalanced(view, &machine, remarks);
        unstated(view, steps, &machine, remarks);
    }
}

/// A host with several sockets.
struct Machine {
    host: PartId,
    sockets: Vec<PartId>,
}

/// What hangs at a socket.
struct Attached {
    /// What its direct parts carry; none where nothing states it.
    rate: Option<u64>,
    /// Drives and adapters.
    devices: usize,
}

impl Attached {
    fn of(view: &View<'_>, socket: PartId) -> Self {
        let ports = view.children[socket.0].iter();
        let mut ports = ports.filter(|child| view.class(**child).is_crossed()).peekable();
        let limit = |id: PartId| {
            let rates = ["read", "both"].map(|way| view.system.byte_rate(id, way));
            rates.into_iter().flatten().map(|rate| rate.0).next()
        };
        let rate = ports.peek().is_some().then(|| ports.map(|port| limit(*port)).sum());
        let is_device = |id: &PartId| {
            view.class(*id) == Class::Medium || matches!(view.kind(*id), "hba" | "nic")
        };
        let devices = view.system.ids().filter(|id| view.system.is_inside(*id, socket));
        Self { rate: rate.flatten(), devices: devices.filter(is_device).count() }
    }

    fn says(&self) -> String {
        let s = if self.devices == 1 { "" } else { "s" };
        let rate = self.rate.map(|rate| ByteRate(rate).human(System::Decimal));
        let rate = rate.map(|rate| format!(" on links of {rate}")).unwrap_or_default();
        format!("{} device{s}{rate}", self.devices)
    }
}

/// Streams on one socket wait for links that those on another leave idle.
fn unbalanced(view: &View<'_>, machine: &Machine, remarks: &mut Remarks) {
    let Machine { host, sockets } = machine;
    let attached: Vec<Attached> =
        sockets.iter().map(|socket| Attached::of(view, *socket)).collect();
    let devices: Vec<u64> = attached.iter().map(|one| one.devices as u64).collect();
    let rates: Option<Vec<u64>> = attached.iter().map(|one| one.rate).collect();
    if !is_unequal(&devices) && !rates.is_some_and(|rates| is_unequal(&rates)) {
        return;
    }
    let name = |socket: PartId| match view.system.part(socket).name.rsplit_once('.') {
        Some((_, name)) => name.to_owned(),
        None => view.system.part(socket).name.clone(),
    };
    let each = sockets.iter().zip(&attached).map(|(id, one)| {
        let name = name(*id);
        format!("{name} has {}", one.says())
    });
    let says = format!("unequal sockets: {}", each.collect::<Vec<_>>().join(", "));
    let about = About::advice(Rule::NumaUnbalanced, view.declared(sockets[0]));
    let hint = "spread adapters and drives equally, or let more streams run where more hangs";
    about.say(remarks, &[*host], says, hint);
}

fn is_unequal(values: &[u64]) -> bool {
    let (least, most) = (values.iter().min(), values.iter().max());
    let pair = least.zip(most);
    pair.is_some_and(|(least, most)| *least as f64 * (1.0 + UNEQUAL) < *most as f64)
}

/// Data crosses from socket to socket, and nothing limits it.
fn unstated(view: &View<'_>, steps: &Steps, machine: &Machine, remarks: &mut Remarks) {
    let Machine { host, sockets } = machine;
    let stated = ["read", "write", "both"].map(|way| view.system.byte_rate(*host, way));
    if stated.into_iter().any(|rate| rate.is_some()) {
        return;
    }
    let mut ways = steps.ways.iter();
    if !ways.any(|way| leaves_socket(view, machine, way)) {
        return;
    }
    let says = format!(
        "{} sockets, and no link between them is stated: streams reach what hangs at another \
         socket without a limit",
        sockets.len()
    );
    let hint = "state what the links between its sockets carry as read and write of the host, \
                as use=\"upi-11-2gt\" does for one, and run streams on sockets";
    About::advice(Rule::SocketLink, view.declared(*host)).say(remarks, &[*host], says, hint);
}

/// Whether requests reach another socket than the one that they start at, or start at none.
fn leaves_socket(view: &View<'_>, machine: &Machine, way: &Way) -> bool {
    let Machine { host, sockets } = machine;
    let Some(start) = way.from.component().map(PartId::from) else { return false };
    if start != *host && !view.system.is_inside(start, *host) {
        return false;
    }
    let socket = |id: PartId| {
        let at = |socket: &&PartId| **socket == id || view.system.is_inside(id, **socket);
        sockets.iter().find(at).copied()
    };
    let crossed = way.used.iter().flat_map(|(route, _)| &route.crossed);
    let crossed: BTreeSet<PartId> =
        crossed.filter_map(|(id, _)| socket(PartId::from(*id))).collect();
    crossed.into_iter().any(|other| socket(start) != Some(other))
}
