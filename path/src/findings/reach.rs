//! Which ways lead where: the routes of every step that requests take, from where a stream runs to
//! a volume, and from where that is split to its members. Routes that no policy uses are among
//! them, because they are what is left after a loss.

use std::collections::BTreeMap;

use iopath_study::PartId;

use super::view::View;
use crate::network::{ComponentId, Route};
use crate::routes::{Choice, Place, Routes};

/// One step: from a place to something that lies elsewhere.
#[derive(Debug)]
pub(super) struct Step {
    /// Where requests are.
    pub from: Place,
    /// What they go to.
    pub to: PartId,
    /// Every pair of ports; none where requests stay where they are.
    pub choices: Vec<Choice>,
    /// The routes in use, with their shares.
    pub ways: Vec<(Route, f64)>,
    /// The steps that follow, with the position of the member.
    pub next: Vec<(u32, usize)>,
}

/// All steps of a case, each once.
#[derive(Debug, Default)]
pub(super) struct Steps {
    pub all: Vec<Step>,
    /// The first step of every stream that has one.
    pub roots: Vec<usize>,
    known: BTreeMap<(Place, PartId), usize>,
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
        let component = ComponentId::from(to);
        let choices = routes.choices(from, component).ok()?;
        let arrival = routes.ways(from, component).ok()?;
        let ways = arrival.ways.iter();
        let ways = ways.map(|way| (routes.route(way.route).clone(), way.share)).collect();
        let step = self.all.len();
        self.known.insert((from, to), step);
        self.all.push(Step { from, to, choices, ways, next: Vec::new() });
        for (position, member) in (0..).zip(view.active(to)) {
            let next = self.follow(view, routes, (arrival.place, *member));
            self.all[step].next.extend(next.map(|next| (position, next)));
        }
        Some(step)
    }
}

impl Step {
    /// Every route, used or not.
    pub(super) fn routes(&self) -> impl Iterator<Item = &Route> {
        self.choices.iter().flat_map(|choice| &choice.routes)
    }
}

/// What lies outermost around a part.
pub(super) fn outermost(view: &View<'_>, id: PartId) -> PartId {
    view.system.ancestors(id).last().unwrap_or(id)
}

/// Where a route leaves the box that it starts in and where it enters the one that it ends in;
/// none for a route inside of one box.
pub(super) fn ports(view: &View<'_>, route: &Route) -> Option<(PartId, PartId)> {
    let crossed: Vec<PartId> = route.crossed.iter().map(|(id, _)| PartId::from(*id)).collect();
    let (first, last) = (outermost(view, *crossed.first()?), outermost(view, *crossed.last()?));
    if first == last {
        return None;
    }
    let leaves = crossed.iter().rev().find(|id| outermost(view, **id) == first)?;
    let enters = crossed.iter().find(|id| outermost(view, **id) == last)?;
    Some((*leaves, *enters))
}
