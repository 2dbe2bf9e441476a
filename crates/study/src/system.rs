//! The system of a case: every part of path and layout that `count` makes, with its values, and how
//! the parts are joined. Names are looked up, catalogue parts are merged in, assignments are made;
//! what the parts mean to a request is left to the crate `path`.
//!
//! Parts stand in document order, each before what it contains. A part is called like its
//! declaration, with an index from 0 where the declaration stands for more than one:
//! `p690.drawer[0].planar[1].link0`.

mod absent;
mod cuts;
mod select;

use std::collections::BTreeMap;
use std::str::FromStr;
use std::sync::Arc;

use iopath_units::{ByteRate, Bytes, Nanos, OperationRate, Ratio};
use strum::{EnumString, IntoStaticStr, VariantNames};

use crate::case::Rate;
use crate::language::Class;
use crate::scaling::Scale;
use crate::source::{Sourced, Span};
use crate::value::Value;

/// Position in [`System::parts`].
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct PartId(pub usize);

/// Everything that requests of a case may meet.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct System {
    /// What is declared, in document order.
    pub declarations: Vec<Declared>,
    /// What the declarations stand for.
    pub parts: Vec<Part>,
    /// Wires, in order.
    pub wires: Vec<Link>,
    /// Zones, in order; without any, all that is wired may talk.
    pub zones: Vec<Link>,
    /// How requests choose among several routes.
    pub multipath: Multipath,
    /// How much smaller and slower it is than described.
    pub scale: Scale,
}

/// A declaration with everything that holds for all its parts.
#[derive(Clone, Debug)]
pub struct Declared {
    /// The word it begins with: `hba`, `raid`, `filesystem`.
    pub kind: &'static str,
    /// What that is to a request.
    pub class: Class,
    /// Its own name.
    pub name: String,
    /// Its place in the study.
    pub span: Span,
    /// Its values: stated, from the catalogue, or defaults.
    pub values: BTreeMap<&'static str, Sourced<Value>>,
    /// What the part that `use` names states where the declaration says something else.
    pub rated: BTreeMap<&'static str, Sourced<Value>>,
}

/// One part.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Part {
    /// Position in [`System::declarations`].
    pub declared: usize,
    /// Its full name.
    pub name: String,
    /// Its index among the parts that its declaration makes within its parent, from 0.
    pub index: u32,
    /// What contains it.
    pub parent: Option<PartId>,
    /// What it lies on: members of a volume (the sides of a mirror in turn), volumes of a file
    /// system, the file system of a file. Empty where its media stand inside it.
    pub members: Arc<[PartId]>,
    /// Where a volume is split, where `at` says so.
    pub place: Option<PartId>,
    /// What an assignment with an index changed.
    pub changed: BTreeMap<&'static str, Sourced<Value>>,
}

/// One declaration of wires or zones, both ends paired.
#[derive(Clone, Debug)]
pub struct Link {
    /// Its name; empty where it has none.
    pub name: String,
    /// Its place in the study.
    pub span: Span,
    /// The pairs, in order.
    pub pairs: Vec<(PartId, PartId)>,
    /// Delay of each.
    pub latency: Option<Sourced<Nanos>>,
}

/// How requests choose among several routes.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Multipath {
    /// Whether the study states any.
    pub stated: bool,
    /// The rule.
    pub policy: Policy,
    /// The most routes that are used.
    pub most: Option<u32>,
    /// Whether routes that are not optimised carry requests while optimised ones are there.
    pub standby_used: bool,
}

/// How requests choose among several routes.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, EnumString, IntoStaticStr, VariantNames)]
#[strum(serialize_all = "kebab-case")]
pub enum Policy {
    /// Each route in turn.
    #[default]
    RoundRobin,
    /// The route with the fewest requests in flight.
    QueueLength,
    /// The route that would be done first.
    ServiceTime,
    /// In turn over the routes through the owner.
    Owner,
    /// Always the first.
    Fixed,
}

impl PartialEq for Declared {
    /// Two declarations that say the same are equal, wherever they stand and whatever parts rate.
    fn eq(&self, other: &Self) -> bool {
        (self.kind, &self.name, &self.values) == (other.kind, &other.name, &other.values)
    }
}

impl Eq for Declared {}

impl PartialEq for Link {
    fn eq(&self, other: &Self) -> bool {
        (&self.name, &self.pairs, &self.latency) == (&other.name, &other.pairs, &other.latency)
    }
}

impl Eq for Link {}

impl System {
    /// The part of this position.
    #[must_use]
    pub fn part(&self, id: PartId) -> &Part {
        &self.parts[id.0]
    }

    /// The word that a part's declaration begins with.
    #[must_use]
    pub fn kind(&self, id: PartId) -> &'static str {
        self.declared(id).kind
    }

    /// What a part is to a request.
    #[must_use]
    pub fn class(&self, id: PartId) -> Class {
        self.declared(id).class
    }

    /// The declaration that a part comes from.
    #[must_use]
    pub fn declared(&self, id: PartId) -> &Declared {
        &self.declarations[self.part(id).declared]
    }

    /// The names of a part and of what contains it, without indices: `server.hba`.
    #[must_use]
    pub fn path(&self, id: PartId) -> String {
        let mut names: Vec<&str> =
            self.ancestors(id).map(|up| self.declared(up).name.as_str()).collect();
        names.reverse();
        names.push(&self.declared(id).name);
        names.join(".")
    }

    /// Every part's position, in document order.
    pub fn ids(&self) -> impl Iterator<Item = PartId> + use<> {
        (0..self.parts.len()).map(PartId)
    }

    /// What a part contains directly, in document order.
    pub fn children(&self, parent: PartId) -> impl Iterator<Item = PartId> {
        // Parts stand behind what contains them, so those of one parent lie in its own range.
        let inside = (parent.0 + 1..self.parts.len()).map(PartId);
        let inside = inside.take_while(move |id| self.is_inside(*id, parent));
        inside.filter(move |id| self.part(*id).parent == Some(parent))
    }

    /// Whether a part is in another one, at any depth.
    #[must_use]
    pub fn is_inside(&self, id: PartId, container: PartId) -> bool {
        self.ancestors(id).any(|ancestor| ancestor == container)
    }

    /// What contains a part, from the inside out.
    pub fn ancestors(&self, id: PartId) -> impl Iterator<Item = PartId> {
        std::iter::successors(self.part(id).parent, |up| self.part(*up).parent)
    }

    /// The value of a part's property: changed by an assignment, stated, or default.
    #[must_use]
    pub fn value(&self, id: PartId, property: &str) -> Option<&Sourced<Value>> {
        let changed = self.part(id).changed.get(property);
        changed.or_else(|| self.declared(id).values.get(property))
    }

    /// A property that takes bytes per second.
    #[must_use]
    pub fn byte_rate(&self, id: PartId, property: &str) -> Option<ByteRate> {
        match self.value(id, property)?.value {
            Value::Rate(Rate::Bytes(rate)) => Some(rate),
            _ => None,
        }
    }

    /// A property that takes operations per second.
    #[must_use]
    pub fn operation_rate(&self, id: PartId, property: &str) -> Option<OperationRate> {
        match self.value(id, property)?.value {
            Value::Rate(Rate::Operations(rate)) => Some(rate),
            _ => None,
        }
    }

    /// A property that takes bytes.
    #[must_use]
    pub fn size(&self, id: PartId, property: &str) -> Option<Bytes> {
        self.value(id, property)?.value.size()
    }

    /// A property that takes a time.
    #[must_use]
    pub fn time(&self, id: PartId, property: &str) -> Option<Nanos> {
        self.value(id, property)?.value.time()
    }

    /// A property that takes a whole number.
    #[must_use]
    pub fn count(&self, id: PartId, property: &str) -> Option<u64> {
        self.value(id, property)?.value.count()
    }

    /// A property that takes a share or a number.
    #[must_use]
    pub fn ratio(&self, id: PartId, property: &str) -> Option<Ratio> {
        self.value(id, property)?.value.share()
    }

    /// A property that takes one of some words ([`crate::words`]).
    #[must_use]
    pub fn choice<T: FromStr>(&self, id: PartId, property: &str) -> Option<T> {
        self.value(id, property)?.value.choice()
    }

    /// A property that takes any text.
    #[must_use]
    pub fn text(&self, id: PartId, property: &str) -> Option<&str> {
        self.value(id, property)?.value.text()
    }

    /// A property that takes `#true` or `#false`.
    #[must_use]
    pub fn flag(&self, id: PartId, property: &str) -> Option<bool> {
        match self.value(id, property)?.value {
            Value::Flag(flag) => Some(flag),
            _ => None,
        }
    }
}
