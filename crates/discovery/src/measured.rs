//! Values that a profile has measured, in place of ratings: by the kernel's name of a part, as long
//! as it is still the same thing.

use std::collections::{BTreeMap, BTreeSet};

use iopath_study::language::Kind;
use iopath_units::Op;

use crate::fold::{Places, declarations, words};
use crate::model::{Component, Discovered, Property};
use crate::path::{HOST, NO_LIMIT, unlimited};

/// A measured value of one part.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct MeasuredValue {
    /// What it is of.
    pub part: PartIdentity,
    /// A property of it, or of its processor time: `read`, `cost.request`.
    pub property: String,
    /// As it is written, without quotes.
    pub value: String,
    /// When and how.
    pub origin: String,
}

/// A part and what tells whether it is still the same.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub struct PartIdentity {
    /// What the kernel calls it.
    pub kernel: String,
    /// Its kind; of devices model and size too.
    pub what: String,
}

/// The property of a machine below which processor time is stated.
const COST: &str = "cost";

/// The directions that a measured property limits.
fn limits(property: &str) -> &'static [Op] {
    match property {
        "read" | "read-ops" | "read-time" => &[Op::Read],
        "write" | "write-ops" | "write-time" => &[Op::Write],
        "both" | "ops" => &Op::BOTH,
        _ => &[],
    }
}

impl Discovered {
    /// Every part by its name in the study.
    #[must_use]
    pub fn identities(&self) -> BTreeMap<String, PartIdentity> {
        let places = Places::of(&declarations(&self.path));
        let parts = self.path.iter().flat_map(Component::all);
        let named =
            parts.filter_map(|part| Some((words(places.of.get(&part.kernel)?), part.identity())));
        named.collect()
    }

    /// The same path with what was measured of its parts; parts that are others now keep their
    /// ratings and are named.
    #[must_use]
    pub fn with_measured(mut self, values: &[MeasuredValue]) -> (Self, Vec<String>) {
        let (mut changed, mut limited) = (BTreeSet::new(), BTreeMap::new());
        for part in &mut self.path {
            part.measure(values, &mut changed, &mut limited);
        }
        for (kernel, directions) in limited {
            self.limited(&kernel, &directions);
        }
        (self, changed.into_iter().collect())
    }

    /// Where a device was said to have no limit: what of it has one now.
    fn limited(&mut self, kernel: &str, directions: &BTreeSet<Op>) {
        let Some(why) = self.unlimited.get(kernel) else { return };
        let rest = match (directions.contains(&Op::Read), directions.contains(&Op::Write)) {
            (true, true) => None,
            (true, false) => Some("writes have no limit"),
            (false, true) => Some("reads have no limit"),
            (false, false) => return,
        };
        let before = unlimited(kernel, why, NO_LIMIT);
        let Some(at) = self.unread.iter().position(|line| *line == before) else { return };
        match rest {
            Some(rest) => self.unread[at] = unlimited(kernel, why, rest),
            None => drop(self.unread.remove(at)),
        }
    }
}

impl Component {
    fn identity(&self) -> PartIdentity {
        let size = self.values.iter().find(|value| value.name == "size");
        let device = self.node.as_ref().map(|_| {
            let model = self.uses.as_deref().unwrap_or("-");
            format!(" {model} {}", size.map_or("-", |size| size.value.as_str()))
        });
        let what = format!("{}{}", self.kind, device.unwrap_or_default());
        PartIdentity { kernel: self.kernel.clone(), what }
    }

    /// Takes what was measured of it and of all in it. Adds the kernel's names of parts that are
    /// others now, and the directions that have a limit by it.
    fn measure(
        &mut self,
        values: &[MeasuredValue],
        changed: &mut BTreeSet<String>,
        limited: &mut BTreeMap<String, BTreeSet<Op>>,
    ) {
        let own = self.identity();
        for value in values.iter().filter(|value| value.part.kernel == own.kernel) {
            if value.part != own {
                changed.insert(own.kernel.clone());
                continue;
            }
            self.take(value);
            limited.entry(own.kernel.clone()).or_default().extend(limits(&value.property));
        }
        self.children.iter_mut().for_each(|child| child.measure(values, changed, limited));
    }

    /// A value of its own, or of the cost in it.
    fn take(&mut self, value: &MeasuredValue) {
        match value.property.strip_prefix("cost.") {
            Some(property) if self.kernel == HOST => {
                let cost = self.children.iter().position(|child| child.kind == COST);
                let at = cost.unwrap_or_else(|| {
                    self.children.insert(0, assumed_cost());
                    0
                });
                self.children[at].set(property, value);
            }
            Some(_) => {}
            None => self.set(&value.property, value),
        }
    }

    fn set(&mut self, property: &str, value: &MeasuredValue) {
        let Some(name) = Kind::named(self.kind).and_then(|kind| kind.property(property)) else {
            return;
        };
        self.values.retain(|other| other.name != name.name);
        self.values.push(Property::quantity(name.name, &value.value).from(&value.origin));
    }
}

/// What the language assumes where nothing is stated, so that only measured values differ.
fn assumed_cost() -> Component {
    let assumed = Property::quantity("use", "linux-io_uring").from("assumed");
    Component { values: vec![assumed], ..Component::new(COST, "(cost)", COST) }
}
