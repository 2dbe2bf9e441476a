//! Records of a steady load: 1,000 requests a second and stream, window from 1 s to 11 s.

use std::collections::BTreeMap;

use iopath_record::histogram::{Summary, bucket_of};
use iopath_record::{
    CaseText, ClockNote, Counter, Direction, Entity, EntityId, Histogram, Latency,
    LatencyHistogram, Layer, Limit, Measure, Origin, Phase, PhaseTotals, Record, Relation, Series,
    StreamTotals, Technique,
};
use iopath_units::{Action, Op};

/// What the tests vary.
#[derive(Clone)]
pub(crate) struct Load {
    pub trial: u32,
    pub pass: u32,
    pub experiment: &'static str,
    pub streams: u32,
    pub depth: u64,
    pub block: u64,
    pub write_percent: u64,
    pub requests_per_sec: u64,
    pub cache: &'static str,
    pub device_share: f64,
    pub device_busy: f64,
    pub kernel: &'static str,
    pub is_open: bool,
}

impl Load {
    pub(crate) fn new() -> Self {
        Self {
            trial: 0,
            pass: 0,
            experiment: "sequential read",
            streams: 1,
            depth: 8,
            block: 1 << 20,
            write_percent: 0,
            requests_per_sec: 1000,
            cache: "direct",
            device_share: 1.0,
            device_busy: 0.99,
            kernel: "6.12.0",
            is_open: false,
        }
    }

    pub(crate) fn record(&self) -> Record {
        Record {
            format: Record::FORMAT,
            case: CaseText {
                study: "storage under the current directory".to_owned(),
                experiment: self.experiment.to_owned(),
                text: "study \"storage under the current directory\"\n".to_owned(),
                levels: BTreeMap::new(),
                trial: self.trial,
                pass: self.pass,
                seed: 42,
            },
            technique: Technique::Measurement { engine: "uring".to_owned(), emulated: None },
            environment: self.environment(),
            entities: self.entities(),
            relations: self.relations(),
            clock: ClockNote::default(),
            instants_ns: vec![0, 11_000_000_000],
            series: self.series(),
            streams: (0..self.streams).map(|index| self.stream(index)).collect(),
            heat: Vec::new(),
            events: Vec::new(),
            bounds: Vec::new(),
            bad_blocks: Default::default(),
            curve: Vec::new(),
            warnings: Vec::new(),
        }
    }

    /// As many passes, each a little faster than the one before.
    pub(crate) fn passes(&self, count: u32) -> Vec<Record> {
        let pass = |pass| {
            let requests_per_sec = self.requests_per_sec + 10 * u64::from(pass);
            Self { pass, requests_per_sec, ..self.clone() }.record()
        };
        (0..count).map(pass).collect()
    }

    fn environment(&self) -> BTreeMap<String, String> {
        let facts = [
            ("kernel.release", self.kernel),
            ("target.scratch.cache", self.cache),
            ("target.scratch.bytes", "8589934592"),
            ("target.scratch.file_system", "ext4"),
            ("machine.memory_bytes", "16000000000"),
            ("engine.used", "uring"),
        ];
        facts.map(|(key, value)| (key.to_owned(), value.to_owned())).into()
    }

    fn entities(&self) -> Vec<Entity> {
        let file = entity("scratch", "file", Layer::FileSystem);
        let disk = entity("vda", "disk", Layer::Device);
        let streams = (0..self.streams).map(|index| {
            let mut stream = entity(&format!("reader[{index}]"), "stream", Layer::Application);
            stream.limits.push(limit(Measure::Requests, 0, Some(self.depth)));
            if self.is_open {
                stream.limits.push(limit(Measure::Operations, self.requests_per_sec, None));
            }
            stream
        });
        [file, disk].into_iter().chain(streams).collect()
    }

    fn relations(&self) -> Vec<Relation> {
        let below = |upper, lower| Relation {
            upper: EntityId(upper),
            lower: vec![EntityId(lower)],
            read_copies_ppm: 1_000_000,
            write_copies_ppm: 1_000_000,
        };
        (0..self.streams).map(|index| below(2 + index, 0)).chain([below(0, 1)]).collect()
    }

    fn series(&self) -> Vec<Series> {
        let elapsed = 11e9;
        let bytes = 11.0
            * self.device_share
            * (self.requests_per_sec * self.block * u64::from(self.streams)) as f64;
        let written = bytes * self.write_percent as f64 / 100.0;
        let in_flight = 7.5 * f64::from(self.streams) * self.device_busy * elapsed;
        let grown = [
            (Counter::ReadBytes, bytes - written),
            (Counter::WriteBytes, written),
            (Counter::BusyNs, self.device_busy * elapsed),
            (Counter::InFlightNs, in_flight),
        ];
        let series = |(counter, to): (Counter, f64)| {
            Series::from_values(EntityId(1), counter, &[0, to as u64])
        };
        grown.map(series).into()
    }

    fn stream(&self, index: u32) -> StreamTotals {
        let warm_up = self.phase(Phase::WarmUp, 0, 1_000_000_000);
        let window = self.phase(Phase::Window, 1_000_000_000, 11_000_000_000);
        StreamTotals {
            action: Action::Transfer,
            entity: EntityId(2 + index),
            first_issue_ns: 0,
            first_done_ns: 8_000_000,
            last_done_ns: 11_000_000_000,
            phases: vec![warm_up, window],
        }
    }

    fn phase(&self, phase: Phase, from_ns: u64, to_ns: u64) -> PhaseTotals {
        let requests = self.requests_per_sec * (to_ns - from_ns) / 1_000_000_000;
        let writes = requests * self.write_percent / 100;
        let latency_ns = self.depth * 1_000_000_000 / self.requests_per_sec;
        let kinds = [(Op::Read, requests - writes), (Op::Write, writes)];
        let held = kinds.into_iter().filter(|(_, count)| *count > 0);
        let kept = held.flat_map(|(op, count)| {
            let total = kept(Latency::Total, op, equal(latency_ns, count));
            let late = kept(Latency::Intended, op, equal(2 * latency_ns, count));
            [Some(total), self.is_open.then_some(late)].into_iter().flatten()
        });
        PhaseTotals {
            phase,
            from_ns,
            to_ns,
            submitted: requests,
            completed: requests,
            failed: 0,
            operations_ppm: requests * 1_000_000,
            read_bytes: (requests - writes) * self.block,
            write_bytes: writes * self.block,
            trim_bytes: 0,
            in_flight_ns: requests * latency_ns,
            join_wait_ns: 0,
            pool_wait_ns: 0,
            idle_ns: 0,
            user_ns: (to_ns - from_ns) / 50,
            system_ns: (to_ns - from_ns) / 20,
            latency: kept.collect(),
        }
    }
}

fn entity(name: &str, kind: &str, layer: Layer) -> Entity {
    let (name, kind) = (name.to_owned(), kind.into());
    Entity { name, kind, layer, parent: None, binding: None, count: 1, limits: Vec::new() }
}

fn limit(measure: Measure, per_sec: u64, tokens: Option<u64>) -> Limit {
    let (direction, origin) = (Direction::Both, Origin::Study);
    Limit { measure, direction, per_sec, origin, tokens }
}

fn kept(what: Latency, op: Op, histogram: Histogram) -> LatencyHistogram {
    LatencyHistogram { what, op, histogram }
}

/// Requests that take the same time, but for one that met empty queues.
fn equal(ns: u64, count: u64) -> Histogram {
    let mut counts = vec![0; bucket_of(ns)];
    counts.push(count);
    Histogram::from_counts(counts, Summary { sum_ns: ns * count, min_ns: ns / 4, max_ns: ns })
}
