//! Routes: how requests get from where they are to a volume or medium.
//!
//! A route climbs from its start to a common ancestor or a wire, passes switches only, and
//! descends. Fewest wires win; zones restrict its ends; a route that crosses a controller which
//! holds neither end is not optimised (it goes through a partner, as in ALUA and ANA).
//!
//! * **The start** is crossed by a request that begins there: a limit of a host meets the streams
//!   that run on the host itself. It is not crossed again by what a volume sends on from there.
//! * **The end** is crossed where it is part of the path: the controller of a LUN. A medium or a
//!   volume is not; its limits are charged by the legs that end there.
//! * What stands in a container is reached through it, so all media of one box share its routes.
//!
//! Left out: how a fabric chooses among equally short ways between its switches. Each carries the
//! same share here.

mod crossing;
mod doors;
mod ports;
mod tree;
mod zones;

use std::collections::{BTreeMap, BTreeSet};
use std::fmt;

use iopath_study::system::Multipath;
use iopath_study::{Class, System};
use iopath_units::Op;

use self::crossing::{Crossing, is_optimised, optimised_pairs};
use self::ports::{Missing, Pair, Ports};
use self::tree::Tree;
use crate::network::{ComponentId, Measure, Mechanism, Network, Route, RouteId, Way};
use crate::policy::{self, Candidate};

/// Where a request is, and whether it has travelled.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub struct Place {
    /// The part of the path; none in a study without any host, whose path begins outside of it.
    at: Option<ComponentId>,
    /// A request that came from elsewhere does not cross the place again.
    arrived: bool,
}

/// How requests get to an end, and where they are then.
#[derive(Clone, Debug, PartialEq)]
pub struct Arrival {
    /// The routes with their shares; none where requests stay where they are.
    pub ways: Vec<Way>,
    /// Where the end splits them and sends them on from.
    pub place: Place,
}

/// No route leads there.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Unreachable {
    pub from: Option<ComponentId>,
    pub to: ComponentId,
    pub why: Obstruction,
}

/// Why no route leads somewhere.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub enum Obstruction {
    /// An end of it is removed.
    Removed,
    /// No wires join both ends.
    Wire,
    /// Wires do; no zone has both.
    Zone,
    /// Every route crosses another controller than the owner, and the policy forbids that.
    Owner,
}

/// One pair of ports that a route may use.
#[derive(Clone, Debug, PartialEq)]
pub struct Choice {
    /// The routes between them: several where switches are joined by several wires.
    pub routes: Vec<Route>,
    /// Whether they cross no controller but the owner's.
    pub optimised: bool,
}

/// Which pairs of ports routes are laid between: of a thousand, often only a few are optimised.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Pairs {
    All,
    /// All where none is.
    Optimised,
}

/// The routes of a system.
#[derive(Debug)]
pub struct Routes {
    tree: Tree,
    ports: Ports,
    multipath: Multipath,
    latencies_s: Vec<f64>,
    /// Of reads and of writes.
    least: [Vec<f64>; 2],
    boxes: BTreeMap<(u32, u32), Result<Vec<Pair>, Missing>>,
    known: BTreeMap<(Place, u32, Op), Result<Vec<Way>, Obstruction>>,
    interned: BTreeMap<(Vec<(ComponentId, bool)>, u64), RouteId>,
    routes: Vec<Route>,
    left_out: BTreeSet<Mechanism>,
}

impl Place {
    /// Where a stream runs; none in a study without any host.
    #[must_use]
    pub fn start(at: Option<ComponentId>) -> Self {
        Self { at, arrived: false }
    }

    /// Whether the request came here from elsewhere.
    #[must_use]
    pub fn has_arrived(self) -> bool {
        self.arrived
    }

    /// The part of the path.
    #[must_use]
    pub fn component(self) -> Option<ComponentId> {
        self.at
    }
}

impl Routes {
    /// The routes of a system whose components and rows are laid.
    #[must_use]
    pub fn new(system: &System, network: &Network) -> Self {
        let components = &network.components;
        let tree = Tree::new(components);
        let ports = Ports::new(system, &tree);
        Self {
            tree,
            ports,
            multipath: system.multipath,
            latencies_s: components.iter().map(|component| component.latency_s).collect(),
            least: Op::BOTH.map(|op| least(network, op)),
            boxes: BTreeMap::new(),
            known: BTreeMap::new(),
            interned: BTreeMap::new(),
            routes: Vec::new(),
            left_out: BTreeSet::new(),
        }
    }

    /// How reads get from where they are to a volume, a medium or a part of the path. Writes take
    /// the same routes; their shares are those of [`Routes::ways_of`].
    ///
    /// # Errors
    /// Where no route leads there.
    pub fn ways(&mut self, from: Place, to: ComponentId) -> Result<Arrival, Unreachable> {
        self.ways_of(Op::Read, from, to)
    }

    /// How requests of an operation get from where they are to an end.
    ///
    /// # Errors
    /// Where no route leads there.
    pub fn ways_of(
        &mut self,
        op: Op,
        from: Place,
        to: ComponentId,
    ) -> Result<Arrival, Unreachable> {
        let Some(end) = self.end(to) else {
            return Ok(Arrival { ways: Vec::new(), place: from });
        };
        let moved = Place { at: Some(ComponentId(end)), arrived: true };
        if self.stays(from, to, end) {
            return Ok(Arrival { ways: Vec::new(), place: from });
        }
        // Only shares that follow capacities differ by operation.
        let op = if policy::is_adaptive(self.multipath.policy) { op } else { Op::Read };
        let ways = match self.known.get(&(from, end, op)) {
            Some(known) => known.clone(),
            None => {
                let found = self.choose(from, end, op);
                self.known.insert((from, end, op), found.clone());
                found
            }
        };
        match ways {
            Ok(ways) => Ok(Arrival { ways, place: moved }),
            Err(why) => Err(Unreachable { from: from.at, to, why }),
        }
    }

    /// Every pair of ports from a place to a volume or medium, those that no policy uses included.
    /// Empty where requests stay where they are.
    ///
    /// # Errors
    /// Where no route leads there.
    pub fn choices(&mut self, from: Place, to: ComponentId) -> Result<Vec<Choice>, Unreachable> {
        match self.end(to).filter(|end| !self.stays(from, to, *end)) {
            None => Ok(Vec::new()),
            Some(end) => self.all(from, end, Pairs::All).map_err(|why| Unreachable {
                from: from.at,
                to,
                why,
            }),
        }
    }

    /// A route that [`Routes::ways`] told of.
    #[must_use]
    pub fn route(&self, id: RouteId) -> &Route {
        &self.routes[id.0 as usize]
    }

    /// The same ways, which end before they cross that component; its delay remains.
    pub(crate) fn short_of(&mut self, end: ComponentId, ways: &[Way]) -> Vec<Way> {
        let mut shorter = |way: &Way| {
            let mut route = self.route(way.route).clone();
            route.crossed.retain(|(crossed, _)| *crossed != end);
            Way { route: self.intern(&route), share: way.share }
        };
        ways.iter().map(&mut shorter).collect()
    }

    /// Hands the routes that [`Routes::ways`] told of to the network, and what shares over them
    /// leave out.
    pub(crate) fn finish(self, network: &mut Network) {
        network.routes = self.routes;
        network.mechanisms.extend(self.left_out);
    }

    /// The part of the path where requests to a component end up; none where they stay.
    fn end(&self, to: ComponentId) -> Option<u32> {
        match self.tree.class(to.0) {
            Class::Volume | Class::File => self.tree.place(to.0),
            Class::Medium | Class::Software => self.tree.landing(to.0),
            Class::Host
            | Class::Controller
            | Class::Switch
            | Class::Expander
            | Class::Initiator
            | Class::Adapter
            | Class::Structure => Some(to.0),
        }
    }

    /// A volume is split where the request is already. A medium there is still to be reached: by a
    /// request that begins there, through the place itself.
    fn stays(&self, from: Place, to: ComponentId, end: u32) -> bool {
        let is_medium = self.tree.class(to.0) == Class::Medium;
        from.at == Some(ComponentId(end)) && (from.arrived || !is_medium)
    }

    fn choose(&mut self, from: Place, end: u32, op: Op) -> Result<Vec<Way>, Obstruction> {
        let pairs = match policy::uses_reserve(self.multipath) {
            true => Pairs::All,
            false => Pairs::Optimised,
        };
        let choices = self.all(from, end, pairs)?;
        let candidates: Vec<Candidate> =
            choices.iter().map(|one| self.candidate(one, op)).collect();
        let shares = policy::shares(self.multipath, &candidates);
        if shares.is_empty() {
            return Err(Obstruction::Owner);
        }
        self.note(&shares, &choices);
        let mut ways = Vec::new();
        for (at, share) in shares {
            let share = share / choices[at].routes.len() as f64;
            for route in &choices[at].routes {
                ways.push(Way { route: self.intern(route), share });
            }
        }
        Ok(ways)
    }

    /// What fixed shares leave out.
    fn note(&mut self, shares: &[(usize, f64)], choices: &[Choice]) {
        if shares.len() > 1 && policy::is_adaptive(self.multipath.policy) {
            let text = "multipath selects routes by requests in flight: shares follow the load";
            let kind = "adaptive-multipath";
            self.left_out.insert(Mechanism { kind, text: text.to_owned(), decides: false });
        }
        if shares.iter().any(|(at, _)| choices[*at].routes.len() > 1) {
            let text = "switches select among equally short routes: equal shares are assumed";
            let kind = "fabric-routing";
            self.left_out.insert(Mechanism { kind, text: text.to_owned(), decides: false });
        }
    }

    /// What a policy knows of a choice: of several ways between switches the first one.
    fn candidate(&self, choice: &Choice, op: Op) -> Candidate {
        let crossed = choice.routes.iter().take(1).flat_map(|route| &route.crossed);
        let least = crossed.map(|(id, flipped)| {
            let op = if *flipped { op.reverse() } else { op };
            let least = &self.least[usize::from(op == Op::BOTH[1])];
            least[id.0 as usize]
        });
        let least = least.fold(f64::INFINITY, f64::min);
        Candidate { optimised: choice.optimised, least }
    }

    fn all(&mut self, from: Place, end: u32, pairs: Pairs) -> Result<Vec<Choice>, Obstruction> {
        let start = from.at.map(|at| at.0);
        if start.into_iter().chain([end]).any(|id| self.tree.is_removed(id)) {
            return Err(Obstruction::Removed);
        }
        let climb = match start {
            None => Some(self.tree.descend(end)),
            Some(start) => self.tree.climb(start, end),
        };
        if let Some(climb) = climb {
            let way = Crossing::inside(&self.tree, &climb);
            return Ok(vec![self.choice(from, end, &[way])]);
        }
        let Some(start) = start else { return Err(Obstruction::Wire) };
        let boxes = (self.tree.top(start), self.tree.top(end));
        let (tree, ports) = (&self.tree, &mut self.ports);
        self.boxes.entry(boxes).or_insert_with(|| ports.between(tree, boxes.0, boxes.1));
        let all = self.boxes[&boxes].as_ref().map_err(|missing| match missing {
            Missing::Wire => Obstruction::Wire,
            Missing::Zone => Obstruction::Zone,
        })?;
        let doors = &self.ports.doors;
        let ways = |pair| Crossing::outside(&self.tree, doors, (start, end), pair);
        let choice = |pair| self.choice(from, end, &ways(pair));
        if pairs == Pairs::Optimised {
            let optimised = optimised_pairs(&self.tree, all, start, end);
            if !optimised.is_empty() {
                return Ok(optimised.into_iter().map(choice).collect());
            }
        }
        Ok(all.iter().map(choice).collect())
    }

    fn choice(&self, from: Place, end: u32, ways: &[Crossing]) -> Choice {
        let ends = (from.at.map(|at| at.0), end);
        let routes: Vec<Route> = ways.iter().map(|way| self.charged(from, ends, way)).collect();
        Choice { optimised: routes.iter().all(|route| route.optimised), routes }
    }

    fn charged(&self, from: Place, ends: (Option<u32>, u32), way: &Crossing) -> Route {
        let optimised = is_optimised(&self.tree, &way.crossed, ends);
        let is_charged = |id: u32| !(from.arrived && ends.0 == Some(id));
        let charged = way.crossed.iter().filter(|(id, _)| is_charged(*id));
        let crossed: Vec<_> = charged.map(|(id, flip)| (ComponentId(*id), *flip)).collect();
        let delays = crossed.iter().map(|(id, _)| self.latencies_s[id.0 as usize]);
        Route { latency_s: way.wires_s + delays.sum::<f64>(), optimised, crossed }
    }

    /// Routes that cross the same are one.
    fn intern(&mut self, route: &Route) -> RouteId {
        let key = (route.crossed.clone(), route.latency_s.to_bits());
        let next = RouteId(u32::try_from(self.routes.len()).unwrap_or(u32::MAX));
        let id = *self.interned.entry(key).or_insert(next);
        if id == next {
            self.routes.push(route.clone());
        }
        id
    }
}

/// The least rate in bytes of each component that an operation uses up by crossing; infinite where
/// it has none.
fn least(network: &Network, op: Op) -> Vec<f64> {
    let rates = |id: &crate::RowId| {
        let row = network.row(*id);
        let carries = row.crossed && row.direction.carries(op);
        (carries && row.measure == Measure::Bytes).then_some(row.capacity)
    };
    let of = |component: &crate::Component| {
        component.rows.iter().filter_map(rates).fold(f64::INFINITY, f64::min)
    };
    network.components.iter().map(of).collect()
}

impl fmt::Display for Obstruction {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(match self {
            Self::Removed => "it is removed",
            Self::Wire => "no wires connect them",
            Self::Zone => "wires connect them, but no zone contains both",
            Self::Owner => "every route crosses a controller that is not its owner",
        })
    }
}
