//! What the path holds and is made of, from the facts of a record: `capacity.…`, `parts.…`.

use std::collections::BTreeMap;

use iopath_analysis::Prediction;

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
    let bytes = |key: &str| facts.get(key)?.parse::<u64>().ok();
    let (usable, raw) = (bytes("capacity.usable_bytes")?, bytes("capacity.raw_bytes")?);
    let unknown = match bytes("capacity.media_without_size") {
        Some(media) if media > 0 => format!("; {media} media do not state their size"),
        _ => String::new(),
    };
    let (usable, raw) = (size(usable, look.system), size(raw, look.system));
    Some(format!("{usable} usable of {raw} raw{unknown}"))
}

fn parts(facts: &BTreeMap<String, String>) -> Option<String> {
    let parts = facts.iter().filter_map(|(key, count)| Some((key.strip_prefix("parts.")?, count)));
    let parts: Vec<String> = parts.map(|(kind, count)| format!("{count} {kind}")).collect();
    (!parts.is_empty()).then(|| parts.join(", "))
}

fn cost(facts: &BTreeMap<String, String>) -> Option<String> {
    let named = [("capacity.price", "price"), ("capacity.rack_units", "rack units")];
    let known = named.iter().filter_map(|(key, name)| Some(format!("{name} {}", facts.get(*key)?)));
    let known: Vec<String> = known.collect();
    (!known.is_empty()).then(|| known.join(", "))
}
