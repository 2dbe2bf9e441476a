//! Networks made by hand: a component for each call, its rows and pools, legs and streams.

use iopath_path::{
    Charge, Component, ComponentId, Direction, Hold, Leg, LegId, Measure, Network, Next, Pool,
    PoolId, Route, RouteId, Row, RowId, StreamLoad, Way,
};
use iopath_record::Record;
use iopath_study::source::Origin;
use iopath_study::{Case, Source, parse};
use iopath_units::Op;

/// A network while it grows.
#[derive(Clone, Debug, Default)]
pub(crate) struct Build {
    pub network: Network,
}

impl Build {
    /// Adds a component.
    pub(crate) fn part(&mut self, name: &str, parent: Option<ComponentId>) -> ComponentId {
        let name = match parent {
            Some(parent) => format!("{}.{name}", self.network.component(parent).name),
            None => name.to_owned(),
        };
        self.network.components.push(Component {
            name,
            kind: "part",
            parent,
            place: None,
            rows: Vec::new(),
            latency_s: 0.0,
            outstanding: None,
            variability: None,
            contention: 0.0,
            empties_on_sync: false,
            missing: Default::default(),
            removed: false,
        });
        ComponentId(self.network.components.len() as u32 - 1)
    }

    /// Adds a row of bytes in both directions that is used up by crossing.
    pub(crate) fn bytes(&mut self, component: ComponentId, capacity: f64) -> RowId {
        self.row(component, ("both", Measure::Bytes), capacity)
    }

    /// Adds any row that is used up by crossing.
    pub(crate) fn row(
        &mut self,
        component: ComponentId,
        (property, measure): (&'static str, Measure),
        capacity: f64,
    ) -> RowId {
        let id = RowId(self.network.rows.len() as u32);
        self.network.rows.push(Row {
            component,
            property,
            measure,
            direction: Direction::Both,
            crossed: true,
            capacity,
            origin: Origin::Given,
            burst: None,
        });
        self.network.components[component.0 as usize].rows.push(id);
        id
    }

    /// Adds a pool.
    pub(crate) fn pool(&mut self, component: ComponentId, tokens: u64) -> PoolId {
        let id = PoolId(self.network.pools.len() as u32);
        let origin = Origin::Given;
        self.network.pools.push(Pool { component, property: "threads", tokens, origin });
        id
    }

    /// Adds a route over components.
    pub(crate) fn route(&mut self, crossed: &[ComponentId]) -> RouteId {
        let latency = |id: &ComponentId| self.network.component(*id).latency_s;
        let latency_s = crossed.iter().map(latency).sum();
        let crossed = crossed.iter().map(|id| (*id, false)).collect();
        self.network.routes.push(Route { crossed, latency_s, optimised: true });
        RouteId(self.network.routes.len() as u32 - 1)
    }

    /// Adds a leg that reads so many bytes of a component over components; legs that others lead
    /// to are added after those.
    pub(crate) fn read(&mut self, to: ComponentId, bytes: u64, crossed: &[ComponentId]) -> LegId {
        let ways = match crossed {
            [] => Vec::new(),
            some => vec![Way { route: self.route(some), share: 1.0 }],
        };
        self.network.legs.push(Leg {
            to,
            volume: to,
            op: Op::Read,
            bytes,
            ways,
            charges: Vec::new(),
            holds: Vec::new(),
            next: Vec::new(),
            serial: false,
            delay_s: 0.0,
            issue: None,
            background: false,
        });
        LegId(self.network.legs.len() as u32 - 1)
    }

    /// Adds a leg of reads that may take any of several ways, with equal shares.
    pub(crate) fn read_over(&mut self, bytes: u64, ways: &[&[ComponentId]]) -> LegId {
        let end = *ways[0].last().unwrap();
        let leg = self.read(end, bytes, &[]);
        let share = 1.0 / ways.len() as f64;
        let ways = ways.iter().map(|way| Way { route: self.route(way), share });
        self.network.legs[leg.0 as usize].ways = ways.collect();
        leg
    }

    /// The leg of a number, to change it.
    pub(crate) fn leg(&mut self, leg: LegId) -> &mut Leg {
        &mut self.network.legs[leg.0 as usize]
    }

    /// Charges a leg for its end.
    pub(crate) fn charge(&mut self, leg: LegId, row: RowId, amount: f64) {
        self.leg(leg).charges.push(Charge { row, amount });
    }

    /// Lets a leg hold tokens.
    pub(crate) fn hold(&mut self, leg: LegId, pool: PoolId, tokens: f64) {
        self.leg(leg).holds.push(Hold { pool, tokens });
    }

    /// Lets a leg lead to members of a stripe, each as often, so many of them at once.
    pub(crate) fn stripe(&mut self, leg: LegId, members: &[LegId], at_once: f64) {
        let times = at_once / members.len() as f64;
        for member in members {
            self.leg(leg).next.push(next(*member, times, Some(0)));
        }
    }

    /// Adds a stream.
    pub(crate) fn stream(&mut self, leg: LegId, in_flight: f64) -> &mut StreamLoad {
        let stream = self.network.streams.len();
        let bytes = self.network.leg(leg).bytes as f64;
        let roots = vec![(leg, 1.0)];
        let wants_per_sec = None;
        self.network.streams.push(StreamLoad {
            stream,
            roots,
            bytes,
            in_flight,
            wants_per_sec,
            thread_s: 0.0,
            epoch: 0,
            rewrites: false,
            run: 0,
            flushing: None,
        });
        self.network.streams.last_mut().unwrap()
    }

    /// The record of the network, which must be a good one.
    pub(crate) fn evaluate(&self) -> Record {
        self.record(iopath_analytic::evaluate)
    }

    /// The same without streams that nothing limits.
    pub(crate) fn evaluate_rated(&self) -> Record {
        self.record(iopath_analytic::evaluate_rated)
    }

    /// The same without what binds.
    pub(crate) fn rates_rated(&self) -> Record {
        self.record(iopath_analytic::rates_rated)
    }

    fn record(&self, of: fn(&Case, &Network) -> Record) -> Record {
        let record = of(&case(self.network.streams.len()), &self.network);
        assert_eq!(record.validate(), []);
        record
    }
}

/// A leg that another one leads to.
pub(crate) fn next(leg: LegId, times: f64, choice: Option<u16>) -> Next {
    Next { leg, times, at_once: 1.0, phase: 0, choice, often: 1.0 }
}

/// A case of so many streams of one declaration; networks made by hand need nothing else of it.
pub(crate) fn case(streams: usize) -> Case {
    let text = format!(
        "study \"by hand\"\nlayout {{ file \"data\" size=\"1 TiB\" }}\n\
         workload {{ streams \"reader\" over=\"data\" block=\"1 MiB\" count={} }}\n",
        streams.max(1)
    );
    let source = Source { name: "by hand".to_owned(), text };
    let [case] = parse(&source, &[]).unwrap().cases().unwrap().try_into().unwrap();
    case
}
