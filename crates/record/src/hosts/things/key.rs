//! By what an entity of one rank is known as one of another.
//!
//! On one host a name and a kind are enough, as all ranks read one study and one kernel. Between
//! hosts only identities count, and what every kernel has once. A kernel counts its devices once,
//! whatever the namespaces from which they are read.

use std::collections::{BTreeMap, BTreeSet};

use super::super::parts::Parts;
use super::shared::SharedTargets;
use super::{Counts, Source};
use crate::{Entity, EntityId, Kind, Layer};

/// Who an entity is among those of all ranks.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub(crate) enum Key<'a> {
    /// A stream, which is of one rank.
    Stream { name: &'a str },
    /// A kind of request of a load, whose streams may be on several hosts.
    SubStream { name: &'a str },
    /// What counts the work of a rank itself.
    Own { node: &'a str, kind: &'a Kind, name: &'a str, nth: u32 },
    /// The same of what all ranks share.
    OwnShared { identity: &'a str },
    /// What has no counters of its own on any host, or only gauges: a shared file, an array.
    Shared { identity: &'a str },
    /// What a kernel counts.
    Counted { machine: &'a str, identity: &'a str, nth: u32 },
    /// What a kernel has once by that name.
    OfKernel { machine: &'a str, kind: &'a Kind, name: &'a str, nth: u32 },
    /// What a host has by that name.
    OfHost { node: &'a str, kind: &'a Kind, name: &'a str, nth: u32 },
}

impl Key<'_> {
    /// How the counters of all who have this key are one.
    pub(crate) fn counts(&self) -> Counts {
        match self {
            Self::Stream { .. }
            | Self::Counted { .. }
            | Self::OfKernel { .. }
            | Self::OfHost { .. } => Counts::Once,
            Self::SubStream { .. } | Self::Own { .. } | Self::OwnShared { .. } => Counts::Added,
            Self::Shared { .. } => Counts::EachKernel,
        }
    }

    /// The same as the so-manieth of its part: two ways to one unit are two.
    fn with_nth(mut self, position: u32) -> Self {
        match &mut self {
            Self::Own { nth, .. }
            | Self::Counted { nth, .. }
            | Self::OfKernel { nth, .. }
            | Self::OfHost { nth, .. } => *nth = position,
            Self::Stream { .. }
            | Self::SubStream { .. }
            | Self::OwnShared { .. }
            | Self::Shared { .. } => {}
        }
        self
    }
}

/// The keys of all entities.
pub(super) struct Keys<'a> {
    parts: &'a Parts,
    pub shared: SharedTargets<'a>,
    /// By part.
    counted: Vec<BTreeSet<EntityId>>,
    /// How often each key was given in a part.
    given: BTreeMap<(usize, Key<'a>), u32>,
}

impl<'a> Keys<'a> {
    pub(super) fn of(parts: &'a Parts) -> Self {
        let counted = |one: &super::super::OfRank| {
            one.record.series.iter().map(|series| series.entity).collect()
        };
        Self {
            parts,
            shared: SharedTargets::of(parts),
            counted: parts.ranks.iter().map(counted).collect(),
            given: BTreeMap::new(),
        }
    }

    pub(super) fn key(&mut self, source: Source) -> Key<'a> {
        let key = self.plain(source);
        let given = self.given.entry((source.part, key.clone())).or_default();
        let key = key.with_nth(*given);
        *given += 1;
        key
    }

    fn plain(&self, Source { part, entity: id }: Source) -> Key<'a> {
        let (parts, nth) = (self.parts, 0);
        let entity = parts.entity(part, id);
        let (name, kind) = (entity.name.as_str(), &entity.kind);
        let (node, machine) = (parts.node(part), parts.machine(part));
        let identity = parts.identity(part, id);
        let together = identity.filter(|identity| self.shared.is_together(identity));
        if entity.layer == Layer::Application {
            return match kind {
                Kind::SubStream => Key::SubStream { name },
                _ => Key::Stream { name },
            };
        }
        match (is_own(entity), together, identity) {
            (true, Some(identity), _) => Key::OwnShared { identity },
            (true, None, _) => Key::Own { node, kind, name, nth },
            (false, Some(identity), _) => Key::Shared { identity },
            (false, None, Some(identity)) if self.is_described(part, id) => {
                Key::Shared { identity }
            }
            (false, None, Some(identity)) => Key::Counted { machine, identity, nth },
            (false, None, None) if is_of_kernel(entity) => {
                Key::OfKernel { machine, kind, name, nth }
            }
            (false, None, None) => Key::OfHost { node, kind, name, nth },
        }
    }

    /// Whether it is a part of a described path, which nobody counts.
    fn is_described(&self, part: usize, id: EntityId) -> bool {
        let has_limits = !self.parts.entity(part, id).limits.is_empty();
        has_limits && !self.counted[part].contains(&id)
    }
}

/// Whether a rank counts there what it did itself.
pub(super) fn is_own(entity: &Entity) -> bool {
    match entity.kind {
        Kind::Process | Kind::Readahead | Kind::Member => true,
        // A volume of the kernel is a device.
        _ => entity.layer == Layer::Volume && entity.binding.is_none(),
    }
}

/// Whether a kernel has it once, in whatever namespace it is looked at. Network interfaces and
/// mounts belong to namespaces.
fn is_of_kernel(entity: &Entity) -> bool {
    let is_beside = matches!(entity.layer, Layer::Memory | Layer::Processor);
    let is_source = matches!(
        entity.kind,
        Kind::Pressure | Kind::FcHost | Kind::Pool | Kind::Dataset | Kind::Btrfs | Kind::Path
    );
    let node = || format!("/dev/{}", entity.name.replace('!', "/"));
    let is_device = entity.binding.as_deref().is_some_and(|binding| binding == node());
    is_beside && entity.limits.is_empty() || is_source || is_device
}
