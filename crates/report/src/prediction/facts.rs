//! What the path holds and is made of, from the facts of a record: `capacity.…`, `parts.…`.

use std::collections::BTreeMap;

use iopath_analysis::Prediction;
use iopath_record::Fact;

use crate::look::Look;
use crate::numbers::size;
use crate::wrap::wrap;

pub(super) fn section(prediction: &Prediction, look: &Look) -> String {
    let facts = &prediction.facts;
    let lines = [room(facts, look), parts(facts), cost(facts)];
    let lines = lines.into_iter().flatten().map(|line| wrap(&line, 2, look.width));
    super::section("capacity and parts", &lines.collect::<Vec<_>>())
}

fn room(facts: &BTreeMap<String, String>, look: &Look) -> Option<String> {
    let bytes = |fact: Fact<'_>| fact.of(facts)?.parse::<u64>().ok();
    let (usable, raw) = (bytes(Fact::UsableBytes)?, bytes(Fact::RawBytes)?);
    let unknown = match bytes(Fact::MediaWithoutSize) {
        Some(media) if media > 0 => format!("; {media} media do not state their size"),
        _ => String::new(),
    };
    let (usable, raw) = (size(usable, look.system), size(raw, look.system));
    Some(format!("{usable} usable of {raw} raw{unknown}"))
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
