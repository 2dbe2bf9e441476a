//! The simulation against a slow and obvious one, event by event: closed streams on a stripe whose
//! members lie behind a chain of links, with rates, operations and room of their own.
//!
//! Both must agree to the nanosecond on each stream's first and last completion, on how many there
//! are, and on the sum, the least and the greatest of their latencies. Sizes are alike, so that no
//! request takes turns (`interleave.rs`).

mod world;

use iopath_record::{Latency, Phase, Record};
use iopath_simulation::{Settings, simulate};
use iopath_study::Case;
use iopath_units::Nanos;
use iopath_workload::{Purpose, Requests, Source, Span};
use proptest::prelude::*;

use self::world::{Component, Rate, Stream, World};
use crate::model::{case, network};

/// Room on a component, if it is limited.
type Outstanding = Option<u32>;

#[derive(Clone, Debug)]
struct Small {
    /// From the host to the members.
    links: Vec<(u64, Outstanding)>,
    members: Vec<(u64, Option<u64>, Outstanding)>,
    /// In KiB.
    unit: u64,
    /// What, KiB, depth, whether at random.
    streams: Vec<(&'static str, u64, u32, bool)>,
}

/// Bytes a second that make no round times, lest two events fall on one instant by design.
fn rate() -> impl Strategy<Value = u64> {
    (100_000_007_u64..4_000_000_000).prop_map(|rate| rate | 1)
}

fn room() -> impl Strategy<Value = Outstanding> {
    prop::option::of(1_u32..5)
}

prop_compose! {
    fn small()(
        links in prop::collection::vec((rate(), room()), 0..3),
        members in prop::collection::vec(
            (rate(), prop::option::of(2_001_u64..60_000), room()),
            1..5,
        ),
        unit in prop::sample::select(vec![4_u64, 16, 60, 128]),
        streams in prop::collection::vec(
            (
                prop::sample::select(vec!["read", "write"]),
                prop::sample::select(vec![64_u64, 100, 200, 400]),
                1_u32..5,
                any::<bool>(),
            ),
            1..4,
        ),
    ) -> Small {
        Small { links, members, unit, streams }
    }
}

fn outstanding(room: Outstanding) -> String {
    room.map_or_else(String::new, |room| format!("outstanding={room}"))
}

impl Small {
    fn text(&self) -> String {
        let mut parts = String::new();
        for (at, (both, ops, room)) in self.members.iter().enumerate() {
            let ops = ops.map_or_else(String::new, |ops| format!("ops=\"{ops} /s\""));
            let room = outstanding(*room);
            parts += &format!("part \"m{at}\" both=\"{both} B/s\" {ops} {room} size=\"64 MiB\"\n");
        }
        for (at, (both, room)) in self.links.iter().enumerate().rev() {
            let room = outstanding(*room);
            parts = format!("link \"l{at}\" both=\"{both} B/s\" {room} {{\n{parts}}}\n");
        }
        let over: Vec<String> =
            (0..self.members.len()).map(|member| format!("h..m{member}")).collect();
        let mut streams = String::new();
        for (at, (op, block, depth, random)) in self.streams.iter().enumerate() {
            let pattern = if *random { "random" } else { "sequential" };
            streams += &format!(
                "streams \"s{at}\" over=\"md\" op=\"{op}\" block=\"{block} KiB\" \
                 depth={depth} pattern=\"{pattern}\"\n"
            );
        }
        format!(
            "path {{ host \"h\" {{ {parts} }} }}
             layout {{ stripe \"md\" unit=\"{} KiB\" over=\"{}\" size=\"64 MiB\" }}
             workload {{ {streams} }}",
            self.unit,
            over.join(",")
        )
    }

    fn world(&self, case: &Case, seed: u64) -> World {
        let link = |(both, room): &(u64, Outstanding)| {
            Component::new(vec![Rate::Bytes(*both as f64)], *room)
        };
        let mut components: Vec<Component> = self.links.iter().map(link).collect();
        for (both, ops, room) in &self.members {
            let mut rates = vec![Rate::Bytes(*both as f64)];
            rates.extend(ops.map(|ops| Rate::Requests(ops as f64)));
            components.push(Component::new(rates, *room));
        }
        let stream = |one: &iopath_study::case::Stream| {
            let span = Span::of(one, 64 << 20).expect("a block fits");
            let requests = Requests::new(one, span, seed).expect("the pattern fits");
            let (latencies_ns, first_done_ns, last_done_ns) = (Vec::new(), 0, 0);
            Stream { requests, depth: one.depth, latencies_ns, first_done_ns, last_done_ns }
        };
        let streams = case.streams.iter().map(stream).collect();
        let mut world = World::new(components, streams, self.unit * 1024);
        world.links = (0..self.links.len()).collect();
        world.members = (self.links.len()..self.links.len() + self.members.len()).collect();
        world
    }
}

/// The order in which streams that start at one instant start.
fn order(streams: usize, seed: u64) -> Vec<usize> {
    let mut source = Source::of(seed, "start", Purpose::Order);
    let mut order: Vec<usize> = (0..streams).collect();
    for last in (1..streams).rev() {
        order.swap(last, source.below(last as u64 + 1) as usize);
    }
    order
}

/// What a stream did: requests, sum, least and greatest of their latencies, first and last done.
type Did = (u64, u64, u64, u64, u64, u64);

fn of_record(record: &Record) -> Vec<Did> {
    let stream = |one: &iopath_record::StreamTotals| {
        let all = one.phases.iter().flat_map(|phase| &phase.latency);
        let all = all.filter(|one| one.what == Latency::Total).map(|one| &one.histogram);
        let mut did = (0, 0, u64::MAX, 0, one.first_done_ns, one.last_done_ns);
        for histogram in all {
            did.0 += histogram.count();
            did.1 += histogram.sum_ns;
            did.2 = did.2.min(histogram.min_ns);
            did.3 = did.3.max(histogram.max_ns);
        }
        did
    };
    record.streams.iter().map(stream).collect()
}

fn of_world(world: &World) -> Vec<Did> {
    let stream = |one: &Stream| {
        let all = &one.latencies_ns;
        let least = all.iter().copied().min().unwrap_or(u64::MAX);
        let most = all.iter().copied().max().unwrap_or(0);
        (all.len() as u64, all.iter().sum(), least, most, one.first_done_ns, one.last_done_ns)
    };
    world.streams.iter().map(stream).collect()
}

proptest! {
    #![proptest_config(ProptestConfig { cases: 64, ..ProptestConfig::default() })]

    #[test]
    fn a_slow_and_obvious_simulation_finds_the_same(small in small(), seed in 1_u64..1000) {
        let case = case(&small.text());
        let settings = Settings {
            seed,
            least: Nanos(20_000_000),
            longest: Nanos(20_000_000),
            precision: 0.0,
            most_events: 4_000,
            stagger: Nanos(0),
            ..Settings::default()
        };
        let record = simulate(&case, &network(&case), &settings);
        let mut phases = record.streams[0].phases.iter();
        let window = phases.find(|one| one.phase == Phase::Window);
        let mut world = small.world(&case, seed);
        world.stop = window.expect("there is a window").to_ns * 1000;
        world.run(&order(case.streams.len(), seed));
        prop_assert_eq!(of_record(&record), of_world(&world));
    }
}
