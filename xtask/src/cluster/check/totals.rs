//! Two hosts, each with a file of its own and one that one writes and the other reads: the same
//! bytes as on one host.

use std::collections::BTreeMap;

use anyhow::{Result, ensure};

use super::super::options::Shape;
use super::row::Row;
use super::stage::{By, Record, Stage};

pub(super) fn run(stage: &Stage<'_>) -> Result<Vec<Row>> {
    let alone = totals(&stage.alone(&words(stage, "alone")?)?);
    let mut rows = Vec::new();
    for mpi in stage.mpis() {
        let cluster =
            stage.front.cluster(&Shape { hosts: 2, skew_s: 86_400, ..Shape::default() })?;
        rows.extend(on_two(stage, By { cluster: &cluster, mpi, ranks: 2 }, &alone)?);
    }
    Ok(rows)
}

fn on_two(stage: &Stage<'_>, by: By<'_>, alone: &BTreeMap<String, u64>) -> Result<Vec<Row>> {
    let name = by.mpi.name();
    let records = stage.records(by, &words(stage, name)?)?;
    let two = totals(&records);
    let equal = two == *alone;
    ensure!(!two.is_empty(), "no streams");
    let bytes: u64 = two.values().sum();
    let said = format!("{bytes} bytes, {}", if equal { "equal" } else { "not equal" });
    let names = records[0].entities.iter().map(|entity| entity.name.as_str());
    let named = ["node[0].", "node[1]."]
        .iter()
        .all(|node| names.clone().any(|name| name.starts_with(node)));
    let hosts = records[0].environment.get("ranks.hosts").cloned().unwrap_or_default();
    Ok(vec![
        Row::of(format!("own and shared files, {name}"), "as one host, to the byte", said, equal),
        Row::of(
            format!("entities of both hosts, {name}"),
            "node[0].…, node[1].…",
            hosts.clone(),
            named && hosts == "host0 host1",
        ),
    ])
}

fn totals(records: &[Record]) -> BTreeMap<String, u64> {
    records.iter().flat_map(Record::totals).collect()
}

/// Files of a run have names of their own, as an existing one is not overwritten.
fn words(stage: &Stage<'_>, name: &str) -> Result<Vec<String>> {
    let [a, b] = ["a", "b"].map(|file| stage.own(&format!("{name}.{file}")));
    let c = stage.shared(&format!("{name}.c"));
    let text = format!(
        "study \"own and shared\"\npath {{ host \"node\" count=2 }}\n\
         layout {{\n    file \"a\" size=\"8 MiB\"\n    file \"b\" size=\"8 MiB\"\n    \
         file \"c\" size=\"8 MiB\"\n}}\n\
         bind from=\"a\" to=\"{a}\"\nbind from=\"b\" to=\"{b}\"\nbind from=\"c\" to=\"{c}\"\n\
         workload passes=1 block=\"64 KiB\" {{\n    \
         streams \"left\" on=\"node[0]\" over=\"a\" op=\"write\"\n    \
         streams \"right\" on=\"node[1]\" over=\"b\" op=\"write\"\n    \
         streams \"writer\" on=\"node[0]\" over=\"c\" op=\"write\"\n    \
         streams \"reader\" on=\"node[1]\" over=\"c\" op=\"read\"\n}}\n"
    );
    Ok(Stage::measure(&stage.study(&format!("{name}.kdl"), &text)?))
}
