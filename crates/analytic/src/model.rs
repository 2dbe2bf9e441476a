//! A network as the analytic model sees it: demand on limits, folded, and the terms of each bound.
//!
//! Limits and classes of streams that are alike are one (colour refinement, `iopath_path::fold`):
//! alike are those with equal capacities, declarations and demands on what is alike. Shares are
//! the same with and without, because max–min fair shares exist once only, so what nothing tells
//! apart gets the same; but a solution then takes microseconds, and prices take many.

use std::cell::RefCell;
use std::collections::BTreeMap;

use iopath_entities::declarations;
use iopath_path::fold::{label, refine};
use iopath_path::visits::Charges;
use iopath_path::{ComponentId, Network};
use iopath_record::BoundKind;
use iopath_study::Case;

use crate::contention::Contention;
use crate::demand::{Demand, StreamClass};
use crate::flushes::Flushes;
use crate::matrix::{Entry, Matrix};
use crate::synchronised::Synchronised;
use crate::terms::{Law, Service, Terms};
use crate::times::{NoSlowdown, Rates, Span, Stages, alone, spans};
use crate::timing::{Above, Known};

/// Everything that bounds are computed from.
pub(crate) struct Model<'a> {
    pub case: &'a Case,
    pub network: &'a Network,
    /// What one request of each leg uses up.
    pub charges: Charges,
    /// What the time of each leg has in any case.
    pub stages: Stages,
    /// Zero-load time of each leg.
    pub spans: Vec<Span>,
    /// Alike limits and streams are one.
    pub demand: Demand,
    /// The limits of the demand that each row, then each pool, of the network is one of: one for
    /// each epoch.
    pub limit_of: Vec<Vec<u32>>,
    /// The rows and pools of each limit of the demand.
    pub limits: Vec<Vec<u32>>,
    /// Declaration and property of each limit of the demand, as a number.
    pub stated_by: Vec<u32>,
    /// The declaration of each class of streams, as a number.
    pub groups: Vec<u32>,
    /// On which terms each bound holds.
    pub terms: Vec<(BoundKind, Terms)>,
    /// Where requests wait for the slowest of several parts.
    pub slowest: Option<Synchronised>,
    /// Every limit and stream for itself.
    pub plain: Demand,
    pub folding: Folding,
    /// Whether some request holds tokens.
    pub holds: bool,
    /// Whose time depends on which row.
    pub above: Above,
    /// What was found last of times; it saves work and changes no result.
    pub known: RefCell<Known>,
}

impl<'a> Model<'a> {
    pub(crate) fn of(case: &'a Case, network: &'a Network) -> Self {
        let groups = groups(case);
        let group = |stream: usize| groups.get(stream).copied().unwrap_or_default();
        let charges = Charges::of(network);
        let rates: Vec<f64> = network.rows.iter().map(|row| alone(row, row.capacity)).collect();
        let stages = Stages::of(network, &charges, &rates);
        let spans = spans(network, &stages, &NoSlowdown);
        let plain = Demand::of(network, &group, (&charges, &spans));
        let slowest = Synchronised::of(network);
        let terms = terms(network, &plain, (&charges, &stages, &spans), slowest.as_ref());
        let stated_by = stated_by(network).repeat(plain.epochs as usize);
        let of_class = |class: &StreamClass| group(network.streams[class.streams[0]].stream);
        let class_groups: Vec<u32> = plain.classes.iter().map(of_class).collect();
        let folding = Folding::of(&plain, &terms, &stated_by, &class_groups);
        Self {
            case,
            network,
            above: Above::of(network, &charges),
            charges,
            stages,
            spans,
            stated_by: folding.limits.iter().map(|all| stated_by[all[0] as usize]).collect(),
            groups: folding.classes.iter().map(|all| class_groups[all[0] as usize]).collect(),
            terms: terms.iter().map(|(kind, terms)| (*kind, folding.terms(terms))).collect(),
            demand: folding.demand(&plain),
            limit_of: by_epoch(&folding.limit_of, network.rows.len() + network.pools.len()),
            limits: of_network(&folding.limits, network.rows.len() + network.pools.len()),
            slowest,
            plain,
            folding,
            holds: network.legs.iter().any(|leg| !leg.holds.is_empty()),
            known: RefCell::default(),
        }
    }
}

/// The limits of the demand that each limit of the network is one of.
fn by_epoch(limit_of: &[u32], limits: usize) -> Vec<Vec<u32>> {
    let of = |limit| limit_of.iter().skip(limit).step_by(limits).copied().collect();
    (0..limits).map(of).collect()
}

/// Limits of epochs as limits of the network, each once.
fn of_network(members: &[Vec<u32>], limits: usize) -> Vec<Vec<u32>> {
    let plain = |all: &Vec<u32>| {
        let mut plain: Vec<u32> = all.iter().map(|limit| limit % limits as u32).collect();
        plain.sort_unstable();
        plain.dedup();
        plain
    };
    members.iter().map(plain).collect()
}

/// The number of each stream's declaration.
fn groups(case: &Case) -> Vec<u32> {
    let mut known: BTreeMap<&str, u32> = BTreeMap::new();
    let mut number = |name| {
        let next = known.len() as u32;
        *known.entry(name).or_insert(next)
    };
    case.streams.iter().map(|stream| number(stream.group.as_str())).collect()
}

/// The number of the declaration and property that state each row, then each pool.
fn stated_by(network: &Network) -> Vec<u32> {
    let declarations = declarations(network);
    let rows = network.rows.iter().map(|row| (row.component, row.property));
    let pools = network.pools.iter().map(|pool| (pool.component, pool.property));
    let mut known: BTreeMap<(u32, &str), u32> = BTreeMap::new();
    let mut number = |(component, property): (ComponentId, &'static str)| {
        let next = known.len() as u32;
        *known.entry((declarations[component.0 as usize], property)).or_insert(next)
    };
    rows.chain(pools).map(&mut number).collect()
}

/// The terms of the fixed-split, the closed-loop and, where it says anything, the synchronised
/// bound.
fn terms(
    network: &Network,
    demand: &Demand,
    (charges, stages, spans): (&Charges, &Stages, &[Span]),
    slowest: Option<&Synchronised>,
) -> Vec<(BoundKind, Terms)> {
    let rows = network.rows.iter().map(|row| row.capacity);
    let pools = network.pools.iter().map(|pool| pool.tokens as f64);
    let served: Vec<f64> = rows.chain(pools).collect();
    let served = served.repeat(demand.epochs as usize);
    let classes = &demand.classes;
    let is_slowest = slowest_rows(network, demand.epochs, stages, spans);
    let rated: Vec<f64> = network.rows.iter().map(|row| row.capacity).collect();
    let rates = Rates { network, charges, capacity: &rated };
    let contention = classes.iter().map(|class| Contention::of(&rates, class));
    let contention: Vec<Option<Contention>> = contention.collect();
    let service = |law, spans: &[Span], kept: Vec<f64>| Service {
        law,
        served: served.clone(),
        kept,
        zero_load: classes.iter().map(|class| class.zero_load(spans)).collect(),
        contention: contention.clone(),
        flushes: classes.iter().map(|class| Flushes::of(network, class, spans)).collect(),
        is_slowest: is_slowest.clone(),
        matrix: None,
    };
    let terms = |service: Service| {
        let depth = classes.iter().enumerate();
        let kept = served.iter().zip(&service.kept);
        Terms {
            capacity: kept.map(|(all, kept)| all * kept).collect(),
            weights: demand.weights.clone(),
            depth: depth.map(|(at, class)| service.suffices(at, class.in_flight)).collect(),
            wanted: classes.iter().map(|class| class.wants.unwrap_or(f64::INFINITY)).collect(),
            // Infinite where it spends no time.
            thread: classes.iter().map(|class| class.thread_s.recip()).collect(),
            flush: flush(classes, &service),
            service,
        }
    };
    let closed = terms(service(Law::Closed, spans, vec![1.0; served.len()]));
    let mut known = vec![(BoundKind::FixedSplit, split(network, &closed))];
    known.push((BoundKind::ClosedLoop, closed));
    known.extend(slowest.map(|slowest| {
        let kept = slowest.kept(network, demand, &demand.weights);
        let service = service(Law::Synchronised, &slowest.spans(network, stages), kept);
        (BoundKind::Synchronised, terms(service))
    }));
    known
}

/// What flushes let streams do.
fn flush(classes: &[StreamClass], service: &Service) -> Vec<f64> {
    let times = service.flushes.iter().zip(&service.zero_load);
    let most = classes.iter().zip(times).map(|(class, (flushes, seconds))| {
        flushes.map_or(f64::INFINITY, |flushes| flushes.most(class.in_flight, *seconds))
    });
    most.collect()
}

/// The terms without what requests in flight suffice for.
fn split(network: &Network, closed: &Terms) -> Terms {
    let mut split = closed.clone();
    let limits = (network.rows.len() + network.pools.len()).max(1);
    for (limit, capacity) in split.capacity.iter_mut().enumerate() {
        if limit % limits >= network.rows.len() {
            *capacity = f64::INFINITY;
        }
    }
    split.depth.fill(f64::INFINITY);
    split.flush.fill(f64::INFINITY);
    split.service.law = Law::Split;
    split.service.is_slowest.fill(false);
    split
}

/// Whether some leg waits for each row, once for each epoch.
fn slowest_rows(network: &Network, epochs: u32, stages: &Stages, spans: &[Span]) -> Vec<bool> {
    let mut is_slowest = vec![false; network.rows.len() + network.pools.len()];
    stages.rows_of(spans).for_each(|row| is_slowest[row.0 as usize] = true);
    is_slowest.repeat(epochs as usize)
}

/// Which limits and which classes of streams are alike.
pub(crate) struct Folding {
    limit_of: Vec<u32>,
    pub limits: Vec<Vec<u32>>,
    pub class_of: Vec<u32>,
    classes: Vec<Vec<u32>>,
}

impl Folding {
    fn of(
        demand: &Demand,
        terms: &[(BoundKind, Terms)],
        stated_by: &[u32],
        groups: &[u32],
    ) -> Self {
        let mut colours = Colours::default();
        let limits = demand.matrix.limits();
        let limit = |limit: usize| {
            let capacities = terms.iter().map(|(_, terms)| label(terms.capacity[limit]));
            [0, u64::from(stated_by[limit])].into_iter().chain(capacities).collect()
        };
        let class = |at: usize| {
            let class = &demand.classes[at];
            let depths = terms.iter().map(|(_, terms)| label(terms.depth[at]));
            let flushes = terms.iter().map(|(_, terms)| label(terms.flush[at]));
            let numbers = [class.bytes, class.in_flight, class.count(), class.thread_s].map(label);
            let wants = class.wants.map_or(u64::MAX, label);
            let own = [1, u64::from(groups[at]), wants].into_iter();
            own.chain(numbers).chain(depths).chain(flushes).collect()
        };
        let mut initial: Vec<u64> = (0..limits).map(|at| colours.of(limit(at))).collect();
        initial.extend((0..demand.classes.len()).map(|at| colours.of(class(at))));
        let mut edges = Vec::new();
        for limit in 0..limits {
            let users = demand.matrix.classes_of(limit).iter();
            edges.extend(
                users.map(|(class, amount)| (limit as u32, limits as u32 + class, label(*amount))),
            );
        }
        let found = refine(&initial, &edges);
        let (limit_of, limits) = numbered(&found[..limits]);
        let (class_of, classes) = numbered(&found[initial.len() - demand.classes.len()..]);
        Self { limit_of, limits, class_of, classes }
    }

    fn terms(&self, terms: &Terms) -> Terms {
        let service = &terms.service;
        Terms {
            capacity: first(&self.limits, &terms.capacity),
            weights: first(&self.classes, &terms.weights),
            depth: first(&self.classes, &terms.depth),
            wanted: first(&self.classes, &terms.wanted),
            thread: first(&self.classes, &terms.thread),
            flush: first(&self.classes, &terms.flush),
            service: Service {
                law: service.law,
                served: first(&self.limits, &service.served),
                kept: first(&self.limits, &service.kept),
                zero_load: first(&self.classes, &service.zero_load),
                contention: first(&self.classes, &service.contention),
                flushes: first(&self.classes, &service.flushes),
                is_slowest: first(&self.limits, &service.is_slowest),
                matrix: None,
            },
        }
    }

    /// A demand with alike limits and streams as one.
    pub(crate) fn demand(&self, demand: &Demand) -> Demand {
        let mut entries = Vec::new();
        for (number, limits) in (0..).zip(&self.limits) {
            let mut amounts: BTreeMap<u32, f64> = BTreeMap::new();
            for (class, amount) in demand.matrix.classes_of(limits[0] as usize) {
                *amounts.entry(self.class_of[*class as usize]).or_default() += amount;
            }
            let entry = |(class, amount)| Entry { limit: number, class, amount };
            entries.extend(amounts.into_iter().map(entry));
        }
        let classes: Vec<StreamClass> =
            self.classes.iter().map(|all| united(demand, all)).collect();
        Demand {
            matrix: Matrix::new(self.limits.len(), classes.len(), &entries),
            weights: classes.iter().map(|class| class.in_flight).collect(),
            classes,
            epochs: demand.epochs,
        }
    }
}

/// What the first of those that are one has.
fn first<T: Clone>(all: &[Vec<u32>], values: &[T]) -> Vec<T> {
    all.iter().map(|members| values[members[0] as usize].clone()).collect()
}

/// Classes that are alike as one.
fn united(demand: &Demand, classes: &[u32]) -> StreamClass {
    let all = || classes.iter().map(|class| &demand.classes[*class as usize]);
    let mut streams: Vec<usize> = all().flat_map(|class| &class.streams).copied().collect();
    streams.sort_unstable();
    StreamClass { streams, ..demand.classes[classes[0] as usize].clone() }
}

/// Classes numbered from 0 in the order of their first members, and the members of each.
fn numbered(found: &[u32]) -> (Vec<u32>, Vec<Vec<u32>>) {
    let mut known: BTreeMap<u32, u32> = BTreeMap::new();
    let mut members: Vec<Vec<u32>> = Vec::new();
    let class_of = (0..).zip(found).map(|(at, class)| {
        let number = *known.entry(*class).or_insert(members.len() as u32);
        if number as usize == members.len() {
            members.push(Vec::new());
        }
        members[number as usize].push(at);
        number
    });
    (class_of.collect(), members)
}

/// Numbers of lists of numbers.
#[derive(Default)]
struct Colours {
    known: BTreeMap<Vec<u64>, u64>,
}

impl Colours {
    fn of(&mut self, key: Vec<u64>) -> u64 {
        let next = self.known.len() as u64;
        *self.known.entry(key).or_insert(next)
    }
}
