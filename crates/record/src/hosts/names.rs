//! What entities are called in the record of several hosts.
//!
//! Streams and what several hosts have keep their names; what one host has is called
//! `node[1].NAME`. On one host nothing needs a node. Where two things would still be called alike,
//! the later one says which rank has it.

use std::collections::BTreeMap;

use super::parts::Parts;
use super::things::Source;
use crate::{Kind, Layer};

/// The names given so far, by kind, as a thing may be called like one of another kind.
pub(super) struct Names<'a> {
    parts: &'a Parts,
    /// With the part that it was given for.
    given: BTreeMap<(String, &'a Kind), usize>,
}

impl<'a> Names<'a> {
    pub(super) fn of(parts: &'a Parts) -> Self {
        Self { parts, given: BTreeMap::new() }
    }

    /// The name of what has these sources.
    pub(super) fn name(&mut self, sources: &[Source]) -> String {
        let Source { part, entity } = sources[0];
        let (node, own) = (self.parts.node(part), self.parts.entity(part, entity));
        let is_of_several = sources.iter().any(|one| self.parts.node(one.part) != node);
        let is_plain = own.layer == Layer::Application || is_of_several;
        match is_plain {
            true => self.free(sources[0], own.name.clone()),
            false => self.free(sources[0], on_node(self.parts, part, &own.name)),
        }
    }

    /// The name of what stands over a target of several kernels.
    pub(super) fn shared(&mut self, target: Source) -> String {
        let name = self.parts.entity(target.part, target.entity).name.clone();
        self.free(target, name)
    }

    fn free(&mut self, Source { part, entity }: Source, wanted: String) -> String {
        let own = self.parts.entity(part, entity);
        let rank = self.parts.ranks[part].rank;
        let on_node = on_node(self.parts, part, &own.name);
        let of_rank = format!("rank[{rank}].{}", own.name);
        for name in [wanted, on_node] {
            // A record may have called two things alike itself.
            let is_free = self.given.get(&(name.clone(), &own.kind)).is_none_or(|of| *of == part);
            if is_free {
                self.given.insert((name.clone(), &own.kind), part);
                return name;
            }
        }
        of_rank
    }
}

/// A name of one host's.
pub(super) fn on_node(parts: &Parts, part: usize, name: &str) -> String {
    let node = parts.node(part);
    // Parts of a described path may be called by the node that they belong to already.
    let rest = name.strip_prefix(node);
    let has_node = rest.is_some_and(|rest| rest.is_empty() || rest.starts_with('.'));
    match parts.is_one_host() || has_node {
        true => name.to_owned(),
        false => format!("{node}.{name}"),
    }
}
