//! Links below which more hangs than they carry: a PCI Express switch, an expander, an adapter, a
//! root port, the ports of a controller. What hangs below carries what its media are rated for, as
//! far as the links between let it through.
//!
//! Followed are containers, and a wire from a machine to a box that has no other wire from one.
//! Left out: fabrics, where many reach many; parts of which something below has no rating.

use std::collections::BTreeMap;

use iopath_study::{Class, PartId};
use iopath_units::{ByteRate, Human, System};

use super::Remarks;
use super::rule::Rule;
use super::view::{About, View};
use crate::volume::Geometry;

/// What is judged. An array of disks with arms carries less than these by its nature.
const JUDGED: [&str; 10] = [
    "link",
    "bridge",
    "root-port",
    "pcie-switch",
    "hba",
    "nic",
    "port",
    "expander",
    "enclosure",
    "controller",
];

/// How many times more (chosen: fewer are usual, as drives are seldom all busy at once; at twice,
/// half of them fill the link).
const MOST: f64 = 2.0;

pub(super) fn check(view: &View<'_>, remarks: &mut Remarks) {
    let hanging = Hanging { view, wired: wired(view) };
    for id in view.system.ids().filter(|id| JUDGED.contains(&view.kind(*id))) {
        let ways = ["write", "read"].map(|way| Some((way, hanging.over(id, way)?)));
        let excess = |(_, (carries, below)): &(&str, (u64, u64))| *below as f64 / *carries as f64;
        let worst = ways.into_iter().flatten().max_by(|one, other| {
            // Rates are above zero, so ratios compare.
            excess(one).total_cmp(&excess(other))
        });
        let Some(worst) = worst.filter(|worst| excess(worst) > MOST) else { continue };
        let (way, (carries, below)) = worst;
        let says = format!(
            "what hangs below carries {} of {way}s, {:.1} times its {}",
            ByteRate(below).human(System::Decimal),
            excess(&worst),
            ByteRate(carries).human(System::Decimal),
        );
        let hint = "spread what hangs below over more links, or use a faster one, if the load \
                    needs all of it at once: see iopath predict";
        About::advice(Rule::Oversubscribed, view.declared(id)).say(remarks, &[id], says, hint);
    }
}

/// What hangs below what.
struct Hanging<'a> {
    view: &'a View<'a>,
    /// Where a wire of a machine ends: a port of a box, or the box.
    wired: BTreeMap<PartId, PartId>,
}

/// Wires from machines to boxes that have one such wire only.
fn wired(view: &View<'_>) -> BTreeMap<PartId, PartId> {
    let in_host = |id: PartId| view.class(view.outermost(id)) == Class::Host;
    let pairs = view.system.wires.iter().flat_map(|link| &link.pairs);
    let both = pairs.flat_map(|(one, other)| [(*one, *other), (*other, *one)]);
    let mut boxes: BTreeMap<PartId, Vec<(PartId, PartId)>> = BTreeMap::new();
    for (end, beyond) in both.filter(|(end, beyond)| in_host(*end) && !in_host(*beyond)) {
        boxes.entry(view.outermost(beyond)).or_default().push((end, beyond));
    }
    let single = boxes.into_values().filter_map(|wires| match wires[..] {
        [wire] => Some(wire),
        _ => None,
    });
    single.collect()
}

/// What a port leads to: what it stands in.
fn around(view: &View<'_>, end: PartId) -> PartId {
    let mut up = std::iter::once(end).chain(view.system.ancestors(end));
    up.find(|id| view.kind(*id) != "port").unwrap_or(end)
}

impl Hanging<'_> {
    /// What a part carries, and what hangs below it.
    fn over(&self, id: PartId, way: &str) -> Option<(u64, u64)> {
        let below = self.below(id, way)?;
        let carries = match self.view.class(id) {
            Class::Controller => self.ports(id, way)?,
            _ => self.view.limit(id, way)?,
        };
        (carries > 0).then_some((carries, below))
    }

    /// What the ports of a controller carry together.
    fn ports(&self, id: PartId, way: &str) -> Option<u64> {
        let inside = self.view.children[id.0].iter();
        let ports = inside.filter(|child| self.view.kind(**child) == "port");
        ports.map(|port| self.view.limit(*port, way)).sum::<Option<u64>>().filter(|sum| *sum > 0)
    }

    /// What hangs below a part; none where nothing does, or where nobody says what it carries.
    fn below(&self, id: PartId, way: &str) -> Option<u64> {
        let inside = match self.view.class(id) {
            Class::Volume => self.view.active(id),
            _ => &self.view.children[id.0],
        };
        let inside = inside.iter().copied().filter(|child| self.keeps_data(*child));
        let inside = inside.map(|child| self.carried(child, way));
        let behind = self.wired.get(&id).filter(|end| self.keeps_data(around(self.view, **end)));
        let behind = behind.map(|end| self.behind(*end, way));
        let carried: Vec<Option<u64>> = inside.chain(behind).collect();
        carried.into_iter().reduce(|sum, more| sum?.checked_add(more?)).flatten()
    }

    /// What comes through the end of a wire.
    fn behind(&self, end: PartId, way: &str) -> Option<u64> {
        self.view.limit(end, way).into_iter().chain(self.carried(around(self.view, end), way)).min()
    }

    fn carried(&self, id: PartId, way: &str) -> Option<u64> {
        let ports = match self.view.class(id) {
            Class::Controller => self.ports(id, way),
            _ => None,
        };
        let own = self.view.limit(id, way).into_iter().chain(ports);
        let below = self.below(id, way).map(|below| self.of_data(id, way, below));
        own.chain(below).min()
    }

    /// What its disks leave a volume: parity and second copies are no data.
    fn of_data(&self, id: PartId, way: &str, disks: u64) -> u64 {
        if self.view.class(id) != Class::Volume {
            return disks;
        }
        let Some(volume) = self.view.volume(id) else { return disks };
        match volume.geometry {
            Geometry::Parity(parity) => {
                let (data, width) = (parity.data(volume.members), parity.width(volume.members));
                disks / u64::from(width.max(1)) * u64::from(data)
            }
            Geometry::StripedMirrors { .. } if way == "write" => disks / 2,
            Geometry::Mirror if way == "write" => disks / u64::from(volume.members.max(1)),
            Geometry::StripedMirrors { .. }
            | Geometry::Stripe { .. }
            | Geometry::Whole
            | Geometry::Concat { .. }
            | Geometry::Mirror
            | Geometry::Scattered { .. } => disks,
        }
    }

    /// Whether there is data in a part or behind it.
    fn keeps_data(&self, id: PartId) -> bool {
        match self.view.class(id) {
            Class::Medium | Class::Volume => true,
            Class::Software | Class::File => false,
            Class::Host
            | Class::Controller
            | Class::Switch
            | Class::Expander
            | Class::Initiator
            | Class::Adapter
            | Class::Structure => {
                let behind = self.wired.get(&id).map(|end| around(self.view, *end));
                let inside = self.view.children[id.0].iter().copied().chain(behind);
                inside.into_iter().any(|child| self.keeps_data(child))
            }
        }
    }
}
