//! What of a case can be placed elsewhere: read from what the study declares, and from the parts
//! and wires that it makes.

use std::collections::BTreeMap;

use iopath_study::experiment::Experiment;
use iopath_study::placeable::{Holding, Spot};
use iopath_study::{Case, Class};

use super::counts::{Counts, Holder};
use super::{Form, Kind, Unit, cables, places};

/// Everything that could be elsewhere.
#[must_use]
pub fn units(experiment: &Experiment, case: &Case) -> Vec<Unit> {
    let holdings = experiment.holdings();
    let listings = experiment.listings();
    let mut units = held(&holdings);
    units.extend(cables::units(&listings, &case.system));
    units.extend(places::units(&listings, case));
    units.retain(|unit| !unit.steps(&unit.today()).is_empty());
    units
}

/// What makes components equal, and where they may go.
#[derive(PartialEq, Eq, PartialOrd, Ord)]
struct Alike<'a> {
    within: Option<Spot>,
    root: Option<usize>,
    content: &'a str,
    parents: u32,
}

/// Components in slots, and volumes below controllers.
fn held(holdings: &[Holding]) -> Vec<Unit> {
    let mut alike: BTreeMap<Alike<'_>, Vec<&Holding>> = BTreeMap::new();
    for holding in holdings.iter().filter(|holding| kind(holding).is_some()) {
        // A volume stays in its array, an adapter in its machine.
        let within = match kind(holding) {
            Some(Kind::Owners) => holding.parent.parent(),
            _ => None,
        };
        let (root, parents) = (holding.spot.root(), holding.parents);
        let content = holding.content.as_str();
        alike.entry(Alike { within, root, content, parents }).or_default().push(holding);
    }
    let mut groups: Vec<Vec<&Holding>> = alike.into_values().collect();
    groups.sort_by(|one, other| one[0].spot.cmp(&other[0].spot));
    let unit = |group: Vec<&Holding>| {
        let holders = group.iter().map(|holding| holder(holding, &group, holdings)).collect();
        let counts = Counts { holders, copies: group[0].parents };
        Some(Unit { kind: kind(group[0])?, form: Form::Counts(counts) })
    };
    groups.into_iter().filter(|group| group.len() > 1).filter_map(unit).collect()
}

fn kind(holding: &Holding) -> Option<Kind> {
    let class = Class::of(holding.kind);
    if class == Class::Volume && Class::of(holding.parent_kind) == Class::Controller {
        Some(Kind::Owners)
    } else {
        (class.is_component() && holding.slots.is_some()).then_some(Kind::Slots)
    }
}

fn holder(holding: &Holding, group: &[&Holding], all: &[Holding]) -> Holder {
    let beside = all.iter().filter(|other| {
        let is_component = Class::of(other.kind).is_component();
        is_component && other.parent == holding.parent && other.spot != holding.spot
    });
    let taken: u32 = beside.map(|other| other.count).sum();
    let all_of_it: u32 = group.iter().map(|holding| holding.count).sum();
    let is_equal = |other: &&Holding| {
        (&other.around, other.parent.parent()) == (&holding.around, holding.parent.parent())
    };
    Holder {
        spot: holding.spot.clone(),
        name: holding.name.clone(),
        count: holding.count as usize,
        most: holding.slots.map_or(all_of_it, |slots| slots.saturating_sub(taken)) as usize,
        class: group.iter().position(is_equal).unwrap_or(0),
    }
}
