//! What a fact is about, by its key: so it is known how those of several ranks are one.

use crate::{Fact, TargetFact};

/// What a fact is about.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) struct About {
    /// The thing with a name that it is a fact of, if it is one of those.
    pub thing: Option<Thing>,
    pub joined: Joined,
}

/// A target or a device.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) struct Thing {
    /// `target` or `device`.
    pub topic: &'static str,
    pub name: String,
    pub fact: String,
}

/// How facts of several ranks are one.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Joined {
    /// Numbers of each rank's own, which add up.
    Sum,
    /// Lists that are joined.
    List { between: &'static str },
    /// What all streams have in common: all ranks must say it.
    Common,
    /// What only ranks know that have such streams or targets.
    Known,
    /// Of the machine.
    Host,
}

const SUMS: [Fact<'_>; 4] = [Fact::Ceiling, Fact::BufferBytes, Fact::HugeBytes, Fact::Streams];

const LISTS: [Fact<'_>; 2] = [Fact::EngineUsed, Fact::Sync];

impl About {
    pub(super) fn of(key: &str) -> Self {
        let thing = Thing::of(key);
        let is = |fact: &Fact<'_>| fact.to_string() == key;
        let joined = match key.split_once('.').map_or(key, |(topic, _)| topic) {
            _ if SUMS.iter().any(is) => Joined::Sum,
            _ if LISTS.iter().any(is) => Joined::List { between: ", " },
            _ if lists_devices(key) => Joined::List { between: " " },
            _ if thing.is_some() => Joined::Known,
            "workload" | "buffers" => Joined::Common,
            "intensity" | "engine" | "bound" | "find_max" | "emulation" => Joined::Known,
            _ => Joined::Host,
        };
        Self { thing, joined }
    }

    /// The key of what only one host, or one rank, says.
    pub(super) fn key_of(&self, key: &str, whose: &str) -> String {
        let rest = key.split_once('.').filter(|_| self.thing.is_some());
        match rest {
            Some((topic, rest)) => format!("{topic}.{whose}.{rest}"),
            None => format!("{whose}.{key}"),
        }
    }
}

impl Thing {
    /// No name of a fact has a dot; names of things may.
    fn of(key: &str) -> Option<Self> {
        let (topic, rest) = key.split_once('.')?;
        let topic = ["target", "device"].into_iter().find(|known| *known == topic)?;
        let (name, fact) = rest.rsplit_once('.')?;
        Some(Self { topic, name: name.to_owned(), fact: fact.to_owned() })
    }
}

/// Whether a fact lists devices by name.
pub(super) fn lists_devices(key: &str) -> bool {
    TargetFact::Devices.target(key).is_some()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_a_fact_is_about_stands_in_its_key() {
        for (key, joined) in [
            ("generator.ceiling_operations_per_sec", Joined::Sum),
            ("workload.streams", Joined::Sum),
            ("workload.block", Joined::Common),
            ("workload.sync", Joined::List { between: ", " }),
            ("target.a.b.devices", Joined::List { between: " " }),
            ("target.a.b.cache", Joined::Known),
            ("device.sda.read_ahead_kb", Joined::Known),
            ("intensity.oltp.shares_ppm", Joined::Known),
            ("kernel.release", Joined::Host),
        ] {
            assert_eq!(About::of(key).joined, joined, "{key}");
        }
        let thing = About::of("target.a.b.cache");
        assert_eq!(thing.thing.as_ref().unwrap().name, "a.b");
        assert_eq!(thing.key_of("target.a.b.cache", "node[1]"), "target.node[1].a.b.cache");
        let host = About::of("kernel.release");
        assert_eq!(host.key_of("kernel.release", "node[1]"), "node[1].kernel.release");
    }
}
