//! Which ways lead where: the routes of every step that requests take, from where a stream runs to
//! a volume, and from where that is split to its members. Routes that no policy uses are among
//! them, because they are what is left after a loss.

use std::collections::BTreeMap;

use iopath_study::{Class, PartId};

use super::view::View;
use crate::network::{ComponentId, Route};
use crate::routes::{Choice, Place, Routes};

/// One step: from a place to something that lies elsewhere.
#[derive(Debug)]
pub(super) struct Step {
    /// What requests go to.
    pub to: PartId,
    /// The way there, by its position.
    pub way: usize,
    /// The steps that follow, with the position of the member.
    pub next: Vec<(u32, usize)>,
}

/// The ways from a place to all that stands at one end, each once.
#[derive(Debug)]
pub(super) struct Way {
    /// Where requests are.
    pub from: Place,
    /// Every pair of ports; none where requests stay where they are.
    pub choices: Vec<Choice>,
    /// The routes in use, with their shares.
    pub used: Vec<(Route, f64)>,
    /// How many steps take it.
    pub steps: u32,
}

/// All steps of a case, each once.
#[derive(Debug, Default)]
pub(super) struct Steps {
    pub all: Vec<Step>,
    pub ways: Vec<Way>,
    /// The first step of every stream that has one.
    pub roots: Vec<usize>,
    known: BTreeMap<(Place, PartId), usize>,
    ends: BTreeMap<(Place, Option<PartId>, bool), (usize, Place)>,
}

impl Steps {
    /// Follows every stream; what cannot be reached is left out, it is told elsewhere.
    pub(super) fn new(view: &View<'_>) -> Self {
        let mut steps = Self::default();
        let Ok(running) = crate::running(view.case) else { return steps };
        if view.network.components.len() != view.system.parts.len() {
            return steps;
        }
        let mut routes = Routes::new(view.system, view.network);
        for stream in running {
            let target = view.case.streams[stream.stream].target;
            let Some(target) = view.case.targets.get(target) else { continue };
            if let Some(root) = steps.follow(view, &mut routes, (stream.place, target.part)) {
                steps.roots.push(root);
            }
        }
        steps.roots.sort_unstable();
        steps.roots.dedup();
        steps
    }

    /// The step to a part and those that follow from it.
    fn follow(
        &mut self,
        view: &View<'_>,
        routes: &mut Routes,
        (from, to): (Place, PartId),
    ) -> Option<usize> {
        if let Some(known) = self.known.get(&(from, to)) {
            return Some(*known);
        }
        let (way, place) = self.way(view, routes, (from, to))?;
        self.ways[way].steps += 1;
        let step = self.all.len();
        self.known.insert((from, to), step);
        self.all.push(Step { to, way, next: Vec::new() });
        for (position, member) in (0..).zip(view.active(to)) {
            let next = self.follow(view, routes, (place, *member));
            self.all[step].next.extend(next.map(|next| (position, next)));
        }
        Some(step)
    }

    /// The way to a part, and where requests are then. What stands in one container shares it.
    fn way(
        &mut self,
        view: &View<'_>,
        routes: &mut Routes,
        (from, to): (Place, PartId),
    ) -> Option<(usize, Place)> {
        let is_medium = view.class(to) == Class::Medium;
        let crossed = || view.system.ancestors(to).find(|up| view.class(*up).is_crossed());
        let end = match view.network.component(to.into()).place {
            Some(place) => Some(PartId::from(place)),
            None => crossed(),
        };
        let key = (from, end, is_medium);
        if let Some(known) = self.ends.get(&key) {
            return Some(*known);
        }
        let component = ComponentId::from(to);
        let choices = routes.choices(from, component).ok()?;
        let arrival = routes.ways(from, component).ok()?;
        let used = arrival.ways.iter();
        let used = used.map(|way| (routes.route(way.route).clone(), way.share)).collect();
        let way = self.ways.len();
        self.ways.push(Way { from, choices, used, steps: 0 });
        self.ends.insert(key, (way, arrival.place));
        Some((way, arrival.place))
    }

    /// Each step with its way.
    pub(super) fn with_ways(&self) -> impl Iterator<Item = (&Step, &Way)> {
        self.all.iter().map(|step| (step, &self.ways[step.way]))
    }
}

impl Way {
    /// Every route, used or not.
    pub(super) fn routes(&self) -> impl Iterator<Item = &Route> {
        self.choices.iter().flat_map(|choice| &choice.routes)
    }
}

/// Where a route leaves the box that it starts in and where it enters the one that it ends in;
/// none for a route inside of one box.
pub(super) fn ports(view: &View<'_>, route: &Route) -> Option<(PartId, PartId)> {
    let top = |crossed: &(ComponentId, bool)| view.outermost(PartId::from(crossed.0));
    let (first, last) = (top(route.crossed.first()?), top(route.crossed.last()?));
    if first == last {
        return None;
    }
    let leaves = route.crossed.iter().rev().find(|crossed| top(crossed) == first)?;
    let enters = route.crossed.iter().find(|crossed| top(crossed) == last)?;
    Some((leaves.0.into(), enters.0.into()))
}
