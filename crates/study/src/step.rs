//! Steps of a runbook: what an experiment is for, and what is expected of it.
//!
//! A step stands in its experiment; one that is no experiment stands at the top level, with a
//! title and what it needs. They change nothing of what is measured.

use std::collections::BTreeMap;

use iopath_units::Ratio;

use crate::declaration::{Reader, default};
use crate::document::Document;
use crate::language::Kind;
use crate::mistake::MistakeKind;
use crate::nearest;
use crate::source::Sourced;
use crate::syntax::Node;
use crate::value::Value;

/// A step of a runbook.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Step {
    /// The title of its experiment, or its own.
    pub title: String,
    /// Whether it is an experiment.
    pub is_experiment: bool,
    /// The question that it answers.
    pub why: Option<String>,
    /// What must be there and the program cannot provide.
    pub needs: Option<String>,
    /// The experiment before it whose throughput is expected.
    pub like: Option<String>,
    /// The share of that which is expected.
    pub ratio: Ratio,
    /// How far throughput may be from what is expected.
    pub tolerance: Ratio,
    /// The least Jain index of the streams.
    pub fair: Option<Ratio>,
}

/// All steps, in the order in which they are written.
pub(crate) fn read(document: &Document<'_>, reader: &mut Reader) -> Vec<Step> {
    let Some(kind) = Kind::named("step") else { return Vec::new() };
    let mut found: Vec<(usize, Step)> = Vec::new();
    for block in &document.blocks {
        for (at, node) in block.sections.steps.iter().enumerate() {
            reader.surplus(kind, &node.arguments);
            if at > 0 {
                let message = "step appears twice";
                reader.collected.add(MistakeKind::Duplicate, node.kind.span, message);
            }
            let step = Step { is_experiment: true, ..step(kind, node, reader) };
            found.push((node.kind.span.start, Step { title: block.title.clone(), ..step }));
        }
    }
    for node in &document.shared.steps {
        let title = reader.title(kind, node).unwrap_or_default();
        let step = Step { title, ..step(kind, node, reader) };
        if step.needs.is_none() {
            let message = "this step is no experiment, and nothing says what it needs";
            let hint = "write needs=\"…\", or put it into an experiment";
            reader.collected.hinted(MistakeKind::Missing, node.kind.span, message, hint);
        }
        found.push((node.kind.span.start, step));
    }
    found.sort_by_key(|(start, _)| *start);
    let steps: Vec<Step> = found.into_iter().map(|(_, step)| step).collect();
    check_order(document, &steps, reader);
    steps
}

fn step(kind: &'static Kind, node: &Node, reader: &mut Reader) -> Step {
    reader.kinds(&node.children, kind.name);
    let mut values = reader.values(kind, node);
    for property in kind.all_properties() {
        if let Some(usual) = default(property, node.kind.span) {
            values.entry(property.name).or_insert(usual);
        }
    }
    Step {
        title: String::new(),
        is_experiment: false,
        why: text(&values, "why"),
        needs: text(&values, "needs"),
        like: text(&values, "like"),
        ratio: ratio(&values, "ratio").unwrap_or(Ratio::ONE),
        tolerance: ratio(&values, "tolerance").unwrap_or(Ratio::ONE),
        fair: ratio(&values, "fair"),
    }
}

type Values = BTreeMap<&'static str, Sourced<Value>>;

fn text(values: &Values, name: &str) -> Option<String> {
    match &values.get(name)?.value {
        Value::Text(text) => Some(text.clone()),
        _ => None,
    }
}

fn ratio(values: &Values, name: &str) -> Option<Ratio> {
    match values.get(name)?.value {
        Value::Share(ratio) | Value::Number(ratio) => Some(ratio),
        _ => None,
    }
}

/// What a step is like has been measured by then.
fn check_order(document: &Document<'_>, steps: &[Step], reader: &mut Reader) {
    for (at, block) in document.blocks.iter().enumerate() {
        let before = || document.blocks[..at].iter().map(|block| block.title.as_str());
        let own = steps.iter().find(|step| step.is_experiment && step.title == block.title);
        let Some(like) = own.and_then(|step| step.like.as_deref()) else { continue };
        if !before().any(|title| title == like) {
            let message = format!("no experiment before this one is \"{like}\"");
            let hint = nearest::hint(like, before());
            let span = block.sections.steps[0].kind.span;
            reader.collected.hinted(MistakeKind::UnknownName, span, message, hint);
        }
    }
}
