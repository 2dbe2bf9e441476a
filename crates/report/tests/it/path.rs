//! Records of a path with bounds: seven drawers of two planars with three adapters each, and what
//! 14 readers get from them.

use std::collections::BTreeMap;

use iopath_record::{
    Bound, BoundKind, CaseText, ClockNote, Counter, CurvePoint, Direction, Entity, EntityId, Layer,
    Limit, LimitId, Measure, Phase, PhaseTotals, Price, Raise, Record, Series, StreamTotals,
    Technique, Upgrade,
};
use iopath_units::Action;

const MB: u64 = 1_000_000;
const SECOND: u64 = 1_000_000_000;
const READERS: u32 = 14;

/// A record that grows.
pub(crate) struct Path {
    pub(crate) record: Record,
}

impl Path {
    fn add(&mut self, name: &str, layer: Layer, parent: Option<u32>, limits: Vec<Limit>) -> u32 {
        let last = name.rsplit('.').next().unwrap_or_default();
        let kind = last.split('[').next().unwrap_or_default();
        self.record.entities.push(Entity {
            name: name.to_owned(),
            kind: kind.into(),
            layer,
            parent: parent.map(EntityId),
            binding: None,
            count: 1,
            limits,
        });
        self.record.entities.len() as u32 - 1
    }

    fn carries(&mut self, entity: u32, mb: u64) {
        let entity = EntityId(entity);
        let bytes = Series::from_values(entity, Counter::ReadBytes, &[0, mb * MB]);
        let requests = Series::from_values(entity, Counter::ReadOperations, &[0, mb / 4]);
        self.record.series.extend([bytes, requests]);
    }

    /// `planar` MB/s is what a planar is rated at and what each reader gets.
    pub(crate) fn new(experiment: &str, planar: u64) -> Self {
        let mut path = Self { record: empty(experiment) };
        for reader in 0..READERS {
            let depth = Limit { tokens: Some(2), ..limit(Measure::Requests, 0, "study") };
            let name = format!("reader[{reader}]");
            path.add(&name, Layer::Application, None, vec![depth]);
            path.record.streams.push(stream(reader, planar));
        }
        let host = path.add("p690", Layer::Bus, None, Vec::new());
        let mut planars = Vec::new();
        for drawer in 0..7 {
            let name = format!("p690.drawer[{drawer}]");
            let drawer = path.add(&name, Layer::Bus, Some(host), Vec::new());
            path.carries(drawer, 2 * planar);
            for index in 0..2 {
                let name = format!("{name}.planar[{index}]");
                let rated = limit(Measure::Bytes, planar, "given");
                let id = path.add(&name, Layer::Bus, Some(drawer), vec![rated]);
                path.carries(id, planar);
                planars.push(id);
                for hba in 0..3 {
                    let limits = vec![
                        limit(Measure::Bytes, 500, "given"),
                        limit(Measure::Operations, 1, "rated"),
                    ];
                    let hba =
                        path.add(&format!("{name}.hba[{hba}]"), Layer::Adapter, Some(id), limits);
                    path.carries(hba, planar / 3);
                }
            }
        }
        let spare = limit(Measure::Bytes, 500, "(assumed)");
        path.add("spare", Layer::Adapter, None, vec![spare]);
        path.record.bounds = vec![bound(&planars, planar)];
        path
    }
}

fn empty(experiment: &str) -> Record {
    Record {
        format: Record::FORMAT,
        case: CaseText {
            study: "the I/O path, bottom up".to_owned(),
            experiment: experiment.to_owned(),
            text: "study \"the I/O path, bottom up\"\n".to_owned(),
            levels: BTreeMap::from([("op".to_owned(), "read".to_owned())]),
            trial: 0,
            pass: 0,
            seed: 1,
        },
        technique: Technique::Analytic,
        environment: [
            ("capacity.usable_bytes", "8000000000000"),
            ("capacity.raw_bytes", "9000000000000"),
            ("parts.hba", "42"),
        ]
        .map(|(key, value)| (key.to_owned(), value.to_owned()))
        .into(),
        entities: Vec::new(),
        relations: Vec::new(),
        clock: ClockNote::default(),
        instants_ns: vec![0, SECOND],
        series: Vec::new(),
        streams: Vec::new(),
        heat: Vec::new(),
        bounds: Vec::new(),
        bad_blocks: Default::default(),
        curve: [(500_000, 6_000_000), (900_000, 30_000_000)]
            .map(|(load_ppm, response_ns)| CurvePoint {
                load_ppm,
                operations_milli_per_sec: load_ppm * 4,
                bytes_per_sec: load_ppm * 16_000,
                response_ns,
            })
            .into(),
        events: Vec::new(),
        warnings: Vec::new(),
    }
}

pub(crate) fn limit(measure: Measure, millions: u64, origin: &str) -> Limit {
    let (direction, origin) = (Direction::Read, origin.into());
    Limit { measure, direction, per_sec: millions * MB, origin, tokens: None }
}

fn stream(entity: u32, mb: u64) -> StreamTotals {
    let requests = mb / 4;
    let phase = PhaseTotals {
        phase: Phase::Window,
        from_ns: 0,
        to_ns: SECOND,
        submitted: requests,
        completed: requests,
        failed: 0,
        operations_ppm: requests * MB,
        read_bytes: mb * MB,
        write_bytes: 0,
        trim_bytes: 0,
        in_flight_ns: 2 * SECOND,
        join_wait_ns: 0,
        pool_wait_ns: 0,
        idle_ns: 0,
        user_ns: 0,
        system_ns: 0,
        latency: Vec::new(),
    };
    StreamTotals {
        action: Action::Transfer,
        entity: EntityId(entity),
        first_issue_ns: 0,
        first_done_ns: 0,
        last_done_ns: SECOND,
        phases: vec![phase],
    }
}

fn bound(planars: &[u32], planar: u64) -> Bound {
    let of = |entity: &u32| LimitId { entity: EntityId(*entity), limit: 0 };
    let total = u64::from(READERS) * planar * MB;
    let upgrade = Upgrade {
        raise: planars.iter().map(|id| Raise { of: of(id), to_per_sec: 1500 * MB }).collect(),
        then_bytes_per_sec: u64::from(READERS) * 1500 * MB,
        then_operations_milli_per_sec: u64::from(READERS) * 375_000,
        then_binds: planars.iter().map(|id| of(&(id + 1))).collect(),
    };
    Bound {
        kind: BoundKind::FixedSplit,
        bytes_per_sec: total,
        operations_milli_per_sec: total / 4000,
        binding: planars.iter().map(|id| Price { of: of(id), gain_ppm: MB }).collect(),
        upgrades: vec![upgrade],
        leaves_out: vec!["seeks: of sixteen streams on one disk".to_owned()],
    }
}
