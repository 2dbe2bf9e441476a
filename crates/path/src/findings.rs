//! What is wrong or unwise about a path before anything is run: rules over the declarations of a
//! case and over the routes of its network.
//!
//! Each rule says which parts it means by a selector, with the figures that make it true, and what
//! to do. Equal statements about several parts of one declaration are one finding. Every rule has
//! a row with its threshold and source in `docs/path-rules.md`; a statement that needs a bound or
//! a simulation (which part is saturated) is not made here.

mod rule;
mod view;

mod backplane;
mod caches;
mod counts;
mod effects;
mod geometry;
mod inter_switch;
mod loads;
mod luns;
mod members;
mod networks;
mod oversubscribed;
mod ownership;
mod placement;
mod raid;
mod ratings;
mod reach;
mod requests;
mod served;
mod single;
mod sockets;
mod wiring;

use std::collections::{BTreeMap, BTreeSet};

use iopath_study::source::{Place, Span};
use iopath_study::{Case, PartId};

use crate::components;
use crate::mistake::{PathMistake, PathMistakeKind};
use crate::network::Network;
use crate::select::select;

use reach::Steps;
pub use rule::{Rule, Severity};
use view::View;

/// One finding about a path.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct PathFinding {
    /// The rule that it breaks.
    pub rule: Rule,
    /// How bad that is.
    pub severity: Severity,
    /// What, which parts, figures with their units.
    pub text: String,
    /// What to do.
    pub hint: String,
    /// The parts that are meant.
    pub parts: Vec<PartId>,
    /// Where these are declared.
    pub declared: BTreeSet<Span>,
    /// Where the study says what is wrong.
    pub span: Span,
}

/// A statement about parts, before equal ones are put together.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord)]
struct Remark {
    span: Span,
    severity: Severity,
    rule: Rule,
    /// Whether the parts are named in what is said; else their names are put before it.
    names_parts: bool,
    /// What is said of the parts.
    says: String,
    hint: String,
}

/// Collects remarks.
#[derive(Default)]
struct Remarks(BTreeMap<Remark, Vec<PartId>>);

impl Remarks {
    fn add(&mut self, remark: Remark, parts: &[PartId]) {
        self.0.entry(remark).or_default().extend(parts);
    }

    /// The parts that a rule has spoken of: what follows from it need not be told.
    fn told(&self, rule: Rule) -> BTreeSet<PartId> {
        let remarks = self.0.iter().filter(|(remark, _)| remark.rule == rule);
        remarks.flat_map(|(_, parts)| parts).copied().collect()
    }

    /// All of them, each with the names of its parts.
    fn into_findings(self, view: &View<'_>) -> Vec<PathFinding> {
        let told = self.0.into_iter().map(|(remark, mut parts)| {
            parts.sort();
            parts.dedup();
            let Remark { rule, severity, names_parts, says, hint, span } = remark;
            let text = match names_parts || parts.is_empty() {
                true => says,
                false => format!("{}: {says}", select(view.system, &parts)),
            };
            let declared = parts.iter().map(|id| view.declared(*id)).collect();
            PathFinding { rule, severity, text, hint, parts, declared, span }
        });
        told.collect()
    }
}

/// Builds the network of a case without some parts, and tells what is wrong or unwise about it,
/// also where it is so wrong that no model can use it.
#[must_use]
pub fn check(case: &Case, removed: &BTreeSet<PartId>) -> Vec<PathFinding> {
    match Network::build(case, removed) {
        Ok(network) => findings(case, &network),
        Err(mistakes) => {
            let mut network = Network::default();
            components::lay(&case.system, &mut network);
            for part in removed {
                network.components[part.0].removed = true;
            }
            let mut all: Vec<PathFinding> =
                mistakes.into_iter().filter_map(PathFinding::of).collect();
            let unserved: BTreeSet<Span> =
                all.iter().filter(|one| one.rule == Rule::NoCache).map(|one| one.span).collect();
            let mut found = findings(case, &network);
            found.retain(|one| one.rule != Rule::AssumedHits || !unserved.contains(&one.span));
            all.append(&mut found);
            all.sort_by_key(|finding| (finding.span, finding.severity, finding.rule));
            all
        }
    }
}

/// Everything that the rules find in a case, in the order of the study, the worst of a place first.
#[must_use]
pub fn findings(case: &Case, network: &Network) -> Vec<PathFinding> {
    let view = View::new(case, network);
    let steps = Steps::new(&view);
    let mut remarks = Remarks::default();
    members::check(&view, &mut remarks);
    geometry::check(&view, &mut remarks);
    raid::check(&view, &mut remarks);
    counts::check(&view, &mut remarks);
    luns::check(&view, &steps, &mut remarks);
    caches::check(&view, &mut remarks);
    effects::check(&view, &mut remarks);
    served::check(&view, &mut remarks);
    loads::check(&view, &mut remarks);
    ratings::check(&view, &mut remarks);
    oversubscribed::check(&view, &mut remarks);
    sockets::check(&view, &steps, &mut remarks);
    wiring::check(&view, &steps, &mut remarks);
    ownership::check(&view, &steps, &mut remarks);
    placement::check(&view, &steps, &mut remarks);
    backplane::check(&view, &steps, &mut remarks);
    inter_switch::check(&view, &steps, &mut remarks);
    single::check(&view, &steps, &mut remarks);
    remarks.into_findings(&view)
}

/// What a case has more of than its study says that a product takes (`most-members`, `most-luns`):
/// it cannot be built, nor can one with more. What [`findings`] says of it, found without the rest.
#[must_use]
pub fn exceeded(case: &Case, network: &Network) -> Vec<PathFinding> {
    let states = |id: PartId, property: &str| case.system.count(id, property).is_some();
    let any_states = |property: &str| case.system.ids().any(|id| states(id, property));
    let (members, luns) = (any_states(counts::MOST_MEMBERS), any_states(luns::MOST_LUNS));
    if !members && !luns {
        return Vec::new();
    }
    let view = View::new(case, network);
    let mut remarks = Remarks::default();
    if members {
        counts::check(&view, &mut remarks);
    }
    if luns {
        luns::check(&view, &Steps::new(&view), &mut remarks);
    }
    let mut found = remarks.into_findings(&view);
    found.retain(|finding| finding.severity == Severity::Mistake);
    found
}

impl PathFinding {
    /// A mistake that keeps the network from being built.
    fn of(mistake: PathMistake) -> Option<Self> {
        let rule = match mistake.kind {
            PathMistakeKind::ManyHosts => Rule::ManyHosts,
            PathMistakeKind::Unreachable => Rule::UnreachableTarget,
            PathMistakeKind::Via => Rule::NoVia,
            PathMistakeKind::Gone => Rule::MissingMember,
            PathMistakeKind::Cache => Rule::NoCache,
            // A rule tells of numbers of disks, for all volumes of a class at once.
            PathMistakeKind::Geometry => return None,
            // It can be measured.
            PathMistakeKind::Unmodelled => return None,
        };
        Some(Self {
            rule,
            severity: Severity::Mistake,
            text: mistake.text,
            hint: mistake.hint.unwrap_or_default(),
            parts: mistake.part.into_iter().collect(),
            declared: BTreeSet::new(),
            span: mistake.span.unwrap_or(Place::default().0),
        })
    }
}

/// The findings of several cases of one study, each told once, with the number of cases that have
/// it. What a factor varies gives other figures, so rule and place decide; of single points also
/// which classes they are. The one that is about most parts stays, of those the first.
#[must_use]
pub fn distinct(cases: impl IntoIterator<Item = Vec<PathFinding>>) -> Vec<(PathFinding, usize)> {
    let mut told: BTreeMap<Key, (PathFinding, usize)> = BTreeMap::new();
    for findings in cases {
        let mut here: BTreeMap<(Span, Severity, Rule), usize> = BTreeMap::new();
        for finding in findings {
            let (span, severity, rule) = (finding.span, finding.severity, finding.rule);
            let before = here.entry((span, severity, rule)).or_default();
            let classes = match rule {
                Rule::SinglePoints => finding.declared.clone(),
                _ => BTreeSet::new(),
            };
            let key = (span, severity, rule, *before, classes);
            *before += 1;
            let parts = finding.parts.len();
            let known = told.entry(key).or_insert_with(|| (finding.clone(), 0));
            known.1 += 1;
            if known.0.parts.len() < parts {
                known.0 = finding;
            }
        }
    }
    told.into_values().collect()
}

/// What makes a finding of one case the same as one of another: place, severity and rule, which of
/// several of these it is, and classes of parts where they matter.
type Key = (Span, Severity, Rule, usize, BTreeSet<Span>);
