//! Records for tests: a steady load of equal requests, so that every figure has a closed form.
//!
//! Warm-up is 0 to 2 s, the window 2 to 12 s; samples are at 0, 1, … 12 s and after the drain at
//! 12.5 s. Each stream has `depth` requests of 128 KiB in flight, 1,000 a second.

use iopath_record::histogram::{Summary, bucket_of};
use iopath_record::{
    CaseText, ClockNote, Counter, Direction, Entity, EntityId, Histogram, Kind, Latency,
    LatencyHistogram, Layer, Limit, Measure, Origin, Phase, PhaseTotals, Record, Relation, Series,
    StreamTotals, Technique,
};
use iopath_units::{Action, Op};

pub(crate) const BLOCK: u64 = 131_072;
pub(crate) const RATE: u64 = 1_000;
pub(crate) const FILE_BYTES: u64 = 1_000_000_000;
const SECOND: u64 = 1_000_000_000;
const CPUS: u32 = 4;

/// What a record can differ in. Shares are of 1.
#[derive(Clone, Debug)]
pub(crate) struct Sample {
    pub trial: u32,
    pub pass: u32,
    pub streams: u32,
    pub depth: u64,
    /// Times the usual rate.
    pub speed: u64,
    pub write_percent: u64,
    pub cache: &'static str,
    pub in_memory: &'static str,
    pub engine: &'static str,
    pub cached_share: f64,
    pub dirty_bytes: u64,
    pub device_share: f64,
    pub device_busy: f64,
    pub device_in_flight: f64,
    pub wanted_per_sec: Option<u64>,
    pub thread_user: f64,
    pub thread_system: f64,
    pub machine_busy: f64,
    pub machine_steal: f64,
    pub throttled: f64,
    pub ceiling: Option<u64>,
    /// Whether there was a time in which every stream was active.
    pub window: bool,
}

impl Sample {
    pub(crate) fn new() -> Self {
        Self {
            trial: 0,
            pass: 0,
            streams: 2,
            depth: 4,
            speed: 1,
            write_percent: 0,
            cache: "direct",
            in_memory: "false",
            engine: "uring",
            cached_share: 0.0,
            dirty_bytes: 0,
            device_share: 1.0,
            device_busy: 0.6,
            device_in_flight: 4.5,
            wanted_per_sec: None,
            thread_user: 0.1,
            thread_system: 0.2,
            machine_busy: 0.2,
            machine_steal: 0.0,
            throttled: 0.0,
            ceiling: None,
            window: true,
        }
    }

    pub(crate) fn record(&self) -> Record {
        Record {
            format: Record::FORMAT,
            case: self.case(),
            technique: Technique::Measurement { engine: self.engine.to_owned(), emulated: None },
            environment: self.environment(),
            entities: self.entities(),
            relations: self.relations(),
            clock: ClockNote::default(),
            instants_ns: instants(),
            series: self.series(),
            streams: (0..self.streams).map(|index| self.stream(index)).collect(),
            heat: self.heat(),
            events: Vec::new(),
            bounds: Vec::new(),
            bad_blocks: Default::default(),
            curve: Vec::new(),
            warnings: Vec::new(),
        }
    }

    fn case(&self) -> CaseText {
        CaseText {
            study: "samples".to_owned(),
            experiment: "steady".to_owned(),
            text: String::new(),
            levels: [("block".to_owned(), "128 KiB".to_owned())].into(),
            trial: self.trial,
            pass: self.pass,
            seed: 7,
        }
    }

    fn environment(&self) -> std::collections::BTreeMap<String, String> {
        let mut facts = vec![
            ("target.scratch.cache", self.cache.to_owned()),
            ("target.scratch.in_memory", self.in_memory.to_owned()),
            ("target.scratch.file_system", "ext4".to_owned()),
            ("target.scratch.bytes", FILE_BYTES.to_string()),
            ("machine.memory_bytes", "8000000000".to_owned()),
            ("machine.cpus", CPUS.to_string()),
            ("engine.used", self.engine.to_owned()),
        ];
        facts.extend(self.ceiling.map(|c| ("generator.ceiling_operations_per_sec", c.to_string())));
        facts.into_iter().map(|(key, value)| (key.to_owned(), value)).collect()
    }

    fn entities(&self) -> Vec<Entity> {
        let mut all = vec![
            entity("scratch", Kind::File, Layer::FileSystem),
            entity("vda", Kind::Disk, Layer::Device),
            entity("process", Kind::Process, Layer::Generator),
            Entity { count: CPUS, ..entity("cpu", Kind::Cpu, Layer::Processor) },
            entity("memory", Kind::Memory, Layer::Memory),
        ];
        for index in 0..self.streams {
            let mut stream = entity(&format!("reader[{index}]"), Kind::Stream, Layer::Application);
            stream.limits.push(study_limit(Measure::Requests, 0, Some(self.depth)));
            stream
                .limits
                .extend(self.wanted_per_sec.map(|n| study_limit(Measure::Operations, n, None)));
            all.push(stream);
        }
        all
    }

    fn relations(&self) -> Vec<Relation> {
        let below = |upper, lower| Relation {
            upper: EntityId(upper),
            lower: vec![EntityId(lower)],
            read_copies_ppm: 1_000_000,
            write_copies_ppm: 1_000_000,
        };
        let streams = (0..self.streams).map(|index| below(FIRST_STREAM + index, FILE));
        streams.chain([below(FILE, DISK)]).collect()
    }

    fn stream(&self, index: u32) -> StreamTotals {
        let mut phases = vec![self.phase(Phase::WarmUp, 0, 2)];
        let counted = if self.window { Phase::Window } else { Phase::Ramp };
        phases.push(self.phase(counted, 2, 12));
        StreamTotals {
            action: Action::Transfer,
            entity: EntityId(FIRST_STREAM + index),
            first_issue_ns: 1_000 * u64::from(index),
            first_done_ns: self.latency_ns(),
            last_done_ns: 12 * SECOND - 500 * u64::from(index),
            phases,
        }
    }

    fn phase(&self, phase: Phase, from: u64, to: u64) -> PhaseTotals {
        let seconds = to - from;
        let requests = self.rate() * seconds;
        let writes = requests * self.write_percent / 100;
        let latency = [(Op::Read, requests - writes), (Op::Write, writes)];
        PhaseTotals {
            phase,
            from_ns: from * SECOND,
            to_ns: to * SECOND,
            submitted: requests,
            completed: requests,
            failed: 0,
            operations_ppm: requests * 1_000_000,
            read_bytes: (requests - writes) * BLOCK,
            write_bytes: writes * BLOCK,
            trim_bytes: 0,
            in_flight_ns: requests * self.latency_ns(),
            join_wait_ns: 0,
            pool_wait_ns: 0,
            idle_ns: 0,
            user_ns: (self.thread_user * (seconds * SECOND) as f64) as u64,
            system_ns: (self.thread_system * (seconds * SECOND) as f64) as u64,
            latency: latency
                .into_iter()
                .flat_map(|(op, count)| self.histograms(phase, op, count))
                .collect(),
        }
    }

    /// The first request of all meets empty queues.
    fn histograms(&self, phase: Phase, op: Op, count: u64) -> Vec<LatencyHistogram> {
        let late = (Latency::Intended, self.latency_ns() + 1_000_000);
        let kinds = [Some((Latency::Total, self.latency_ns())), self.wanted_per_sec.map(|_| late)];
        let held = kinds.into_iter().flatten().filter(|_| count > 0);
        let of = |(what, ns)| {
            let first = u64::from(phase == Phase::WarmUp);
            let mut histogram = equal(ns, count - first);
            histogram.merge(&equal(ns / self.depth, first));
            LatencyHistogram { what, op, histogram }
        };
        held.map(of).collect()
    }

    fn heat(&self) -> Vec<Histogram> {
        let each = equal(self.latency_ns(), self.rate() * u64::from(self.streams));
        let mut heat = vec![each; 12];
        heat.push(Histogram::default());
        heat
    }

    fn series(&self) -> Vec<Series> {
        let all = (self.rate() * u64::from(self.streams)) as f64;
        let bytes = all * BLOCK as f64 * self.device_share;
        let written = self.write_percent as f64 / 100.0;
        let second = SECOND as f64;
        let threads = f64::from(self.streams) * second;
        let idle = 1.0 - self.machine_busy - self.machine_steal;
        let cpus = f64::from(CPUS) * second;
        let grow =
            |entity, counter, per_second: f64| growing(EntityId(entity), counter, per_second);
        vec![
            grow(DISK, Counter::ReadBytes, bytes * (1.0 - written)),
            grow(DISK, Counter::WriteBytes, bytes * written),
            grow(DISK, Counter::ReadOperations, all * self.device_share * (1.0 - written)),
            grow(DISK, Counter::WriteOperations, all * self.device_share * written),
            grow(DISK, Counter::Merged, 0.0),
            grow(DISK, Counter::BusyNs, self.device_busy * second),
            grow(DISK, Counter::InFlightNs, self.device_in_flight * second),
            grow(DISK, Counter::ThrottledNs, self.throttled * second),
            grow(PROCESS, Counter::UserNs, self.thread_user * threads),
            grow(PROCESS, Counter::SystemNs, self.thread_system * threads),
            grow(PROCESS, Counter::WorkerNs, 0.5 * self.thread_system * threads),
            grow(CPU, Counter::SystemNs, self.machine_busy * cpus),
            grow(CPU, Counter::UserNs, 0.0),
            grow(CPU, Counter::IdleNs, idle * cpus),
            grow(CPU, Counter::StealNs, self.machine_steal * cpus),
            level(FILE, Counter::CachedBytes, (self.cached_share * FILE_BYTES as f64) as u64),
            rising(MEMORY, Counter::DirtyBytes, self.dirty_bytes),
        ]
    }

    fn rate(&self) -> u64 {
        RATE * self.speed
    }

    pub(crate) fn latency_ns(&self) -> u64 {
        self.depth * SECOND / self.rate()
    }
}

const FILE: u32 = 0;
const DISK: u32 = 1;
const PROCESS: u32 = 2;
const CPU: u32 = 3;
const MEMORY: u32 = 4;
const FIRST_STREAM: u32 = 5;

fn instants() -> Vec<u64> {
    (0..=12).map(|second| second * SECOND).chain([12 * SECOND + SECOND / 2]).collect()
}

fn entity(name: &str, kind: Kind, layer: Layer) -> Entity {
    let name = name.to_owned();
    Entity { name, kind, layer, parent: None, binding: None, count: 1, limits: Vec::new() }
}

fn study_limit(measure: Measure, per_sec: u64, tokens: Option<u64>) -> Limit {
    let (direction, origin) = (Direction::Both, Origin::Study);
    Limit { measure, direction, per_sec, origin, tokens }
}

/// A counter that grows evenly for 12 s and then stays.
fn growing(entity: EntityId, counter: Counter, per_second: f64) -> Series {
    let values: Vec<u64> = (0..14).map(|at| (f64::from(at.min(12)) * per_second) as u64).collect();
    Series::from_values(entity, counter, &values)
}

fn level(entity: u32, counter: Counter, value: u64) -> Series {
    Series::from_values(EntityId(entity), counter, &[value; 14])
}

fn rising(entity: u32, counter: Counter, to: u64) -> Series {
    let values: Vec<u64> = (0..14).map(|at| to * at.min(12) / 12).collect();
    Series::from_values(EntityId(entity), counter, &values)
}

/// `count` requests that took `ns` each.
pub(crate) fn equal(ns: u64, count: u64) -> Histogram {
    let mut counts = vec![0; bucket_of(ns)];
    counts.push(count);
    Histogram::from_counts(counts, Summary { sum_ns: ns * count, min_ns: ns, max_ns: ns })
}
