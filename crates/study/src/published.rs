//! Figures that the source of a study states, as data: names of factors select cases, names of
//! metrics state values. They are read and their names checked here; comparing them with what a
//! technique finds is not done here.

use std::collections::BTreeSet;

use crate::declaration::Reader;
use crate::language::{Kind, ValueType};
use crate::mistake::MistakeKind;
use crate::nearest;
use crate::scene::Scene;
use crate::selector::Selector;
use crate::source::{Sourced, Span};
use crate::syntax::{Entry, Form, Node, Word, Written};
use crate::value::Value;
use crate::vary::{Factor, Level};

/// What the source states about one experiment.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Published {
    /// In the order written.
    pub figures: Vec<Figure>,
}

/// One statement.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Figure {
    /// What it is good for.
    pub sort: Sort,
    /// Its title, where it has one.
    pub title: Option<String>,
    /// The metrics and what they should be.
    pub expects: Vec<Expectation>,
    /// The properties of the statement: tolerance, bottleneck, the course along a factor.
    pub rules: Vec<(&'static str, Sourced<Value>)>,
    /// The case it is about.
    pub chosen: Vec<Choice>,
    /// What differs in the case that a ratio is taken against.
    pub against: Option<Vec<Choice>>,
    /// The place of the statement.
    pub span: Span,
}

/// What a figure is good for.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Sort {
    /// It went into the study.
    Given,
    /// The study must reproduce it.
    Check,
    /// It follows from others by arithmetic.
    Identity,
    /// It tells the course along a factor.
    Shape,
}

/// A metric and what it should be.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Expectation {
    /// The streams it is about; all where nothing is said.
    pub streams: Option<String>,
    /// The metric.
    pub metric: &'static str,
    /// The lower end, if any.
    pub least: Option<Value>,
    /// The upper end, if any; equal to the lower for a single value.
    pub most: Option<Value>,
    /// As written.
    pub text: Sourced<String>,
}

/// A level or range of levels of a factor.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Choice {
    /// The factor's name.
    pub factor: String,
    /// The first level; for a range that is open here, `None`.
    pub first: Option<String>,
    /// The last level; the same as the first where it is no range.
    pub last: Option<String>,
}

/// Metrics and what they are measured in.
pub const METRICS: [(&str, ValueType); 19] = [
    ("throughput", ValueType::Rate),
    ("throughput-mean", ValueType::Rate),
    ("median", ValueType::Rate),
    ("operations", ValueType::Rate),
    ("latency-mean", ValueType::Time),
    ("latency-p50", ValueType::Time),
    ("latency-p90", ValueType::Time),
    ("latency-p99", ValueType::Time),
    ("latency-p999", ValueType::Time),
    ("latency-max", ValueType::Time),
    ("cpu", ValueType::Share),
    ("cpu-user", ValueType::Share),
    ("cpu-system", ValueType::Share),
    ("jain", ValueType::Share),
    ("slow", ValueType::Seed),
    ("skew", ValueType::Time),
    ("requests", ValueType::Seed),
    ("bytes", ValueType::Size),
    ("ratio", ValueType::Number),
];

/// Whether a word names a metric or a rule, and so no factor.
pub(crate) fn is_metric(name: &str) -> bool {
    metric(name).is_some() || Kind::named("check").is_some_and(|kind| kind.property(name).is_some())
}

fn metric(name: &str) -> Option<(&'static str, ValueType)> {
    METRICS.into_iter().find(|(metric, _)| *metric == name)
}

/// The names that a statement may use.
pub(crate) struct Names<'a> {
    pub factors: &'a [Factor],
    pub streams: BTreeSet<&'a str>,
    pub scene: &'a Scene,
    /// Whether some names could not be read, so that an unknown one may be no mistake.
    pub incomplete: bool,
}

impl Published {
    pub(crate) fn read(node: &Node, names: &Names<'_>, reader: &mut Reader) -> Self {
        let mut figures = Vec::new();
        if let Some(kind) = Kind::named("published") {
            reader.values(kind, node);
            reader.surplus(kind, &node.arguments);
        }
        for (kind, node) in reader.kinds(&node.children, "published") {
            figures.push(names.figure(kind, node, reader));
        }
        Self { figures }
    }
}

impl Names<'_> {
    fn figure(&self, kind: &'static Kind, node: &Node, reader: &mut Reader) -> Figure {
        let title = node.arguments.first().and_then(|_| reader.title(kind, node));
        let sort = match kind.name {
            "given" => Sort::Given,
            "identity" => Sort::Identity,
            "shape" => Sort::Shape,
            _ => Sort::Check,
        };
        let mut figure = Figure {
            sort,
            title,
            expects: Vec::new(),
            rules: Vec::new(),
            chosen: Vec::new(),
            against: None,
            span: node.kind.span,
        };
        for (key, entry) in reader.properties(node) {
            if let Some(property) = kind.property(&key.text) {
                let value = self.rule(property, entry, reader);
                figure.rules.push((property.name, value));
            } else if let Some(factor) = self.factor(&key.text) {
                figure.chosen.extend(self.choice(factor, entry, reader));
            } else {
                figure.expects.extend(self.expectation(key, entry, reader));
            }
        }
        if node.properties.is_empty() {
            let message = format!("{} states nothing", kind.name);
            let hint = "write metric=\"value\" factor=\"level\"";
            reader.collected.hinted(MistakeKind::Missing, node.kind.span, message, hint);
        }
        for (kind, node) in reader.kinds(&node.children, kind.name) {
            reader.surplus(kind, &node.arguments);
            figure.against = Some(self.against(node, reader));
        }
        figure
    }

    fn factor(&self, name: &str) -> Option<&Factor> {
        self.factors.iter().find(|factor| factor.name == name)
    }

    /// A rule; those that name a factor or a metric must name one that there is.
    fn rule(
        &self,
        property: &'static crate::language::Property,
        entry: &Entry,
        reader: &mut Reader,
    ) -> Sourced<Value> {
        let value = reader.value(property, entry);
        if let Some(selector) = value.value.selector() {
            self.parts(property.name, selector, entry.span, reader);
        }
        let Some(name) = value.value.text().filter(|_| property.name != "needs") else {
            return value;
        };
        let (known, names): (_, Vec<&str>) = match property.name {
            "needs" => return value,
            "along" => {
                let known = self.incomplete || self.factor(name).is_some();
                (known, self.factors.iter().map(|factor| factor.name.as_str()).collect())
            }
            _ => (self.measured(name).is_some(), METRICS.iter().map(|(name, _)| *name).collect()),
        };
        if !known {
            let message = format!("{}: there is no \"{name}\"", property.name);
            let hint = nearest::hint(name, names);
            reader.collected.hinted(MistakeKind::UnknownName, entry.span, message, hint);
        }
        value
    }

    /// Names of components must be those of the experiment.
    fn parts(&self, property: &str, selector: &Selector, span: Span, reader: &mut Reader) {
        for path in &selector.paths {
            if let Err(Some((message, hint))) = self.scene.find(path) {
                let message = format!("{property}: {message}");
                reader.collected.hinted(MistakeKind::UnknownName, span, message, hint);
            }
        }
    }

    fn against(&self, node: &Node, reader: &mut Reader) -> Vec<Choice> {
        let mut choices = Vec::new();
        for (key, entry) in &node.properties {
            match self.factor(&key.text) {
                Some(factor) => choices.extend(self.choice(factor, entry, reader)),
                None => self.unknown(key, reader),
            }
        }
        choices
    }

    fn unknown(&self, key: &Word, reader: &mut Reader) {
        if self.incomplete {
            return;
        }
        let message = format!("\"{}\" is neither a metric nor a factor", key.text);
        let metrics = METRICS.iter().map(|(name, _)| *name);
        let factors = self.factors.iter().map(|factor| factor.name.as_str());
        let hint = nearest::hint(&key.text, metrics.chain(factors));
        reader.collected.hinted(MistakeKind::UnknownName, key.span, message, hint);
    }

    fn choice(&self, factor: &Factor, entry: &Entry, reader: &mut Reader) -> Option<Choice> {
        let text = &entry.written.text;
        let (first, last) = match text.split_once("..") {
            Some(ends) if !factor.has_level(text) => ends,
            _ => (text.as_str(), text.as_str()),
        };
        let ends = [first.trim(), last.trim()];
        let mut known = entry.written.form != Form::Failed;
        for end in ends {
            if known && !end.is_empty() && !factor.has_level(end) {
                let message = format!("the factor \"{}\" has no level \"{end}\"", factor.name);
                let hint = nearest::hint(end, factor.levels.iter().map(Level::title));
                reader.collected.hinted(MistakeKind::UnknownName, entry.span, message, hint);
                known = false;
            }
        }
        let [first, last] = ends.map(|end| Some(end.to_owned()).filter(|end| !end.is_empty()));
        known.then(|| Choice { factor: factor.name.clone(), first, last })
    }

    /// The streams and metric that a key means.
    fn measured(&self, key: &str) -> Option<(Option<String>, (&'static str, ValueType))> {
        if let Some(metric) = metric(key) {
            return Some((None, metric));
        }
        let (streams, name) = key.split_once('.').unwrap_or((key, "throughput"));
        self.streams.contains(streams).then_some(())?;
        Some((Some(streams.to_owned()), metric(name)?))
    }

    fn expectation(&self, key: &Word, entry: &Entry, reader: &mut Reader) -> Option<Expectation> {
        let Some((streams, (metric, takes))) = self.measured(&key.text) else {
            self.unknown(key, reader);
            return None;
        };
        match range(takes, &entry.written) {
            Ok((least, most)) => {
                let text = entry.written.text.clone();
                let text = Sourced { value: text, origin: entry.origin.clone(), span: entry.span };
                Some(Expectation { streams, metric, least, most, text })
            }
            Err((message, hint)) => {
                let message = format!("{}: {message}", key.text);
                reader.collected.hinted(MistakeKind::Value, entry.span, message, hint);
                None
            }
        }
    }
}

type Ends = (Option<Value>, Option<Value>);

/// `"5 GB/s"`, `"5 GB/s .. 7 GB/s"`, `"<30 ms"`, `">=150000 /s"`.
fn range(takes: ValueType, written: &Written) -> Result<Ends, (String, String)> {
    if written.form == Form::Failed {
        return Ok((None, None));
    }
    let end = |text: &str| {
        let form = if written.form == Form::Number { Form::Number } else { Form::Raw };
        let end = Written { form, text: text.trim().to_owned() };
        Value::read(takes, &end).map_err(|unfit| (unfit.message, unfit.hint))
    };
    let text = written.text.trim();
    if let Some((least, most)) = text.split_once("..") {
        let open = |text: &str| (!text.trim().is_empty()).then(|| end(text)).transpose();
        return Ok((open(least)?, open(most)?));
    }
    if let Some(most) = text.strip_prefix('<') {
        return Ok((None, Some(end(most.trim_start_matches('='))?)));
    }
    if let Some(least) = text.strip_prefix('>') {
        return Ok((Some(end(least.trim_start_matches('='))?), None));
    }
    let value = end(text)?;
    Ok((Some(value.clone()), Some(value)))
}
