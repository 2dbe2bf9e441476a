//! Networks written by hand, for what bounds must make of them.

use iopath_path::{
    Charge, Component, ComponentId, Direction, Leg, LegId, Measure, Network, Next, Route, RouteId,
    Row, RowId, StreamLoad, Way,
};
use iopath_study::source::Origin;
use iopath_units::Op;

/// Bytes of each request, where a test does not care.
pub(crate) const BLOCK: u64 = 1000;

/// A network that grows part by part; legs are added upwards from the media, and [`Paths::done`]
/// turns them round.
#[derive(Default)]
pub(crate) struct Paths {
    network: Network,
}

impl Paths {
    /// A component with one row of bytes per second for both directions.
    pub(crate) fn part(&mut self, name: &str, capacity: f64) -> ComponentId {
        let component = ComponentId(self.network.components.len() as u32);
        let row = RowId(self.network.rows.len() as u32);
        self.network.rows.push(Row {
            component,
            property: "both",
            measure: Measure::Bytes,
            direction: Direction::Both,
            capacity,
            origin: Origin::Unstated,
            burst: None,
            crossed: true,
        });
        self.network.components.push(Component {
            name: name.to_owned(),
            kind: "part",
            parent: None,
            place: None,
            rows: vec![row],
            latency_s: 0.0,
            outstanding: None,
            variability: None,
            missing: Default::default(),
            removed: false,
        });
        component
    }

    /// A leg of reads over ways, each of components, with equal shares.
    pub(crate) fn leg(&mut self, bytes: u64, ways: &[&[ComponentId]], next: Vec<Next>) -> LegId {
        let share = 1.0 / ways.len() as f64;
        let ways = ways.iter().map(|crossed| {
            let route = RouteId(self.network.routes.len() as u32);
            let crossed = crossed.iter().map(|&component| (component, false)).collect();
            self.network.routes.push(Route { crossed, latency_s: 0.0, optimised: true });
            Way { route, share }
        });
        let leg = Leg {
            to: ComponentId(0),
            op: Op::Read,
            bytes,
            ways: ways.collect(),
            charges: Vec::new(),
            holds: Vec::new(),
            next,
            serial: false,
            background: false,
        };
        self.network.legs.push(leg);
        LegId(self.network.legs.len() as u32 - 1)
    }

    /// Charges the end of a leg.
    pub(crate) fn charge(&mut self, leg: LegId, component: ComponentId, amount: f64) {
        let row = self.network.component(component).rows[0];
        self.network.legs[leg.0 as usize].charges.push(Charge { row, amount });
    }

    /// A stream whose requests all begin with one leg.
    pub(crate) fn stream(&mut self, leg: LegId, wants_per_sec: Option<f64>) {
        let stream = self.network.streams.len();
        let bytes = self.network.leg(leg).bytes as f64;
        let roots = vec![(leg, 1.0)];
        let load = StreamLoad { stream, roots, bytes, in_flight: bytes, wants_per_sec };
        self.network.streams.push(load);
    }

    /// The network, with each leg before those that it leads to.
    pub(crate) fn done(mut self) -> Network {
        let legs = self.network.legs.len() as u32;
        let turned = |leg: &mut LegId| leg.0 = legs - 1 - leg.0;
        self.network.legs.reverse();
        let next = self.network.legs.iter_mut().flat_map(|leg| &mut leg.next);
        next.for_each(|next| turned(&mut next.leg));
        let roots = self.network.streams.iter_mut().flat_map(|stream| &mut stream.roots);
        roots.for_each(|(leg, _)| turned(leg));
        self.network
    }
}

/// A leg that must be done so many times.
pub(crate) fn forced(leg: LegId, times: f64) -> Next {
    Next { leg, times, at_once: 1.0, phase: 0, choice: None }
}

/// Alternatives with equal shares of one request.
pub(crate) fn stripe(legs: &[LegId]) -> Vec<Next> {
    let times = 1.0 / legs.len() as f64;
    let next = |&leg| Next { times, choice: Some(0), ..forced(leg, times) };
    legs.iter().map(next).collect()
}
