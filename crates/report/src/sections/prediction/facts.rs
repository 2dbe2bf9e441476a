//! What the path holds and is made of, from the facts of a record: `capacity.…`, `parts.…`.

use std::collections::BTreeMap;

use iopath_analysis::Prediction;
use iopath_record::Fact;
use iopath_units::System;

use crate::document::{Block, Section};
use crate::numbers::size;

pub(super) fn section(prediction: &Prediction, system: System) -> Option<Section> {
    let facts = &prediction.facts;
    let lines = [room(facts, system), parts(facts), cost(facts)].into_iter().flatten().collect();
    let title = match Fact::Without.of(facts) {
        Some(_) => "capacity and parts of the intact path",
        None => "capacity and parts",
    };
    Section::of("capacity", title, Block::lines(lines).into_iter().collect())
}

fn room(facts: &BTreeMap<String, String>, system: System) -> Option<String> {
    let bytes = |fact: Fact<'_>| fact.of(facts)?.parse::<u64>().ok();
    let (usable, raw) = (bytes(Fact::UsableBytes)?, bytes(Fact::RawBytes)?);
    let unknown = match bytes(Fact::MediaWithoutSize) {
        Some(media) if media > 0 => format!("; {media} media do not state their size"),
        _ => String::new(),
    };
    Some(format!("{} usable of {} raw{unknown}", size(usable, system), size(raw, system)))
}

fn parts(facts: &BTreeMap<String, String>) -> Option<String> {
    let prefix = Fact::Parts("").to_string();
    let parts = facts.iter().filter_map(|(key, count)| Some((key.strip_prefix(&prefix)?, count)));
    let parts: Vec<String> = parts.map(|(kind, count)| format!("{count} {kind}")).collect();
    (!parts.is_empty()).then(|| parts.join(", "))
}

fn cost(facts: &BTreeMap<String, String>) -> Option<String> {
    let named = [(Fact::Price, "price"), (Fact::RackUnits, "rack units")];
    let known = named.iter().filter_map(|(fact, name)| Some(format!("{name} {}", fact.of(facts)?)));
    let known: Vec<String> = known.collect();
    (!known.is_empty()).then(|| known.join(", "))
}
