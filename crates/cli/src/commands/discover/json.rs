//! What was discovered, `iopath-discovery/1`; keys are described in `docs/json.md`.

use iopath_discovery::{Component, Discovered, FileSystem, Finding, Volume};
use iopath_path::tree::Tree;
use iopath_report::{tree_json, versioned};
use serde::Serialize;
use serde_json::Value;

#[derive(Serialize)]
struct Discovery<'a> {
    title: &'a str,
    study: &'a str,
    tree: Value,
    parts: Vec<Part<'a>>,
    volumes: Vec<Laid<'a>>,
    file_systems: Vec<Mounted<'a>>,
    findings: Vec<Found<'a>>,
    not_known: &'a [String],
    assumed: &'a [String],
}

#[derive(Serialize)]
struct Part<'a> {
    kind: &'static str,
    name: &'a str,
    device: Option<&'a str>,
    told: &'a str,
}

#[derive(Serialize)]
struct Laid<'a> {
    kind: &'static str,
    name: &'a str,
    device: Option<&'a str>,
    over: &'a [String],
    told: &'a str,
}

#[derive(Serialize)]
struct Mounted<'a> {
    name: &'a str,
    on: &'a [String],
    told: &'a str,
}

#[derive(Serialize)]
struct Found<'a> {
    rule: &'static str,
    severity: &'static str,
    parts: &'a [String],
    text: &'a str,
    hint: &'a str,
}

/// What was found, with the study of it and that study's tree.
pub(super) fn of(found: &Discovered, study: &str, tree: &Tree) -> Value {
    let parts = found.path.iter().flat_map(Component::all);
    let discovery = Discovery {
        title: &found.title,
        study,
        tree: tree_json(tree),
        parts: parts.map(part).collect(),
        volumes: found.volumes.iter().map(laid).collect(),
        file_systems: found.file_systems.iter().map(mounted).collect(),
        findings: found.findings.iter().map(finding).collect(),
        not_known: &found.unread,
        assumed: &found.assumed,
    };
    versioned("iopath-discovery/1", &discovery)
}

fn part(of: &Component) -> Part<'_> {
    let Component { kind, kernel, node, remark, .. } = of;
    Part { kind, name: kernel, device: node.as_deref(), told: remark }
}

fn laid(of: &Volume) -> Laid<'_> {
    let Volume { kind, name, node, over, remark, .. } = of;
    Laid { kind, name, device: node.as_deref(), over, told: remark }
}

fn mounted(of: &FileSystem) -> Mounted<'_> {
    let FileSystem { name, on, remark, .. } = of;
    Mounted { name, on, told: remark }
}

fn finding(of: &Finding) -> Found<'_> {
    let Finding { rule, weight, parts, text, hint } = of;
    Found { rule, severity: weight.word(), parts, text, hint }
}
