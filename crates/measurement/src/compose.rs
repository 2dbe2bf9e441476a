//! The record of a pass: its entities and relations, what workers and sampler counted, facts about
//! the machine, and warnings.

mod carriers;
mod environment;
mod group_limits;
mod loads;
mod paths;
mod warnings;

use std::os::fd::AsRawFd as _;
use std::path::PathBuf;

use iopath_entities::case_text;
use iopath_machine::location::path_of_open;
use iopath_machine::{Devices, Root};
use iopath_record::{
    BadBlocks, CaseText, ClockNote, Direction, Entity, EntityId, Event, Kind, Layer, Limit,
    Measure, Origin, Record, Relation, Technique,
};
use iopath_study::Case;
use iopath_study::case::{Pacing, Rate, Stream};
use iopath_units::Ratio;

use crate::ahead;
use crate::below::{Copies, Stack};
use crate::engine::choice::{Choice, Way};
use crate::engine::ring::Features;
use crate::failure::Failure;
use crate::pass::{Outcome, WorkerFacts, seed_of};
use crate::sampler::{Disk, Plan, Sampled, Sources};
use crate::system_sources::{Entities, Ground, Named, Scope, SystemSources};
use paths::Paths;

pub(crate) use carriers::PathBelow;

use crate::target::{OpenFile, OpenTarget};

/// What a trial knows that its records need.
pub(crate) struct Composer<'a> {
    pub case: &'a Case,
    pub path: PathBelow<'a>,
    pub trial: u32,
    pub root: &'a Root,
    pub targets: &'a [OpenTarget],
    pub choice: &'a Choice,
    /// Requests per second without storage.
    pub ceiling: Option<u64>,
    /// The kernel's files that were changed, and what they said before.
    pub settings: Vec<(PathBuf, String)>,
}

/// What one pass adds.
pub(crate) struct PassFacts<'a> {
    pub pass: u32,
    /// Bytes that stayed in the page cache of each target, where `drop` was asked for.
    pub left_cached: Vec<Option<u64>>,
    /// Of each target, whether it was trimmed before and not written since.
    pub trimmed: Vec<bool>,
    pub failed: Option<&'a Failure>,
    /// What reads during the pass found.
    pub bad_blocks: BadBlocks,
    pub entities: Table,
}

/// The table of entities, while it grows.
#[derive(Default)]
pub(crate) struct Table {
    entities: Vec<Entity>,
    relations: Vec<Relation>,
    streams: Vec<EntityId>,
}

impl Table {
    fn add(&mut self, entity: Entity) -> EntityId {
        self.entities.push(entity);
        EntityId(u32::try_from(self.entities.len() - 1).unwrap_or(u32::MAX))
    }

    fn relate(&mut self, upper: EntityId, lower: Vec<EntityId>) {
        self.relate_copied(upper, lower, Copies::ONE);
    }

    fn relate_copied(&mut self, upper: EntityId, lower: Vec<EntityId>, copies: Copies) {
        let (read_copies_ppm, write_copies_ppm) = (copies.read_ppm, copies.write_ppm);
        self.relations.push(Relation { upper, lower, read_copies_ppm, write_copies_ppm });
    }
}

impl Entities for Table {
    fn put(&mut self, named: Named) -> EntityId {
        let Named { name, kind, layer, binding } = named;
        self.add(Entity { binding, ..entity(name, kind, layer) })
    }

    fn describe(&mut self, id: EntityId, parent: Option<EntityId>, count: u32) {
        let entity = &mut self.entities[id.0 as usize];
        (entity.parent, entity.count) = (parent, count.max(1));
    }
}

fn entity(name: impl Into<String>, kind: Kind, layer: Layer) -> Entity {
    Entity {
        name: name.into(),
        kind,
        layer,
        parent: None,
        binding: None,
        count: 1,
        limits: Vec::new(),
    }
}

impl Composer<'_> {
    /// Opens what is sampled during a pass, with the entities that the samples belong to.
    pub(crate) fn sources(&self) -> (Sources, Table) {
        let mut table = Table::default();
        let devices = Devices::read(self.root).unwrap_or_default();
        let mut paths = Paths::new(Stack::read(self.root, &devices));
        let targets = self.targets.iter().enumerate().map(|(index, target)| {
            let mut streams = self.case.streams.iter();
            let writes = streams.any(|s| s.target == index && s.reads != Ratio::ONE);
            paths.add(&mut table, target, writes)
        });
        let targets: Vec<EntityId> = targets.collect();
        self.add_streams(&mut table, &targets);
        let plan = self.plan(&mut table, paths);
        (Sources::open(self.root, plan), table)
    }

    fn add_streams(&self, table: &mut Table, targets: &[EntityId]) {
        for stream in &self.case.streams {
            let limits = limits_of(stream);
            let id = table
                .add(Entity { limits, ..entity(&stream.name, Kind::Stream, Layer::Application) });
            table.streams.push(id);
            table.relate(id, vec![targets[stream.target]]);
        }
    }

    /// What is read ahead of each stream of which it is, in their order.
    fn add_ahead(&self, table: &mut Table) -> Vec<EntityId> {
        let (case, engine) = (self.case, self.choice.engine);
        let streams = case.streams.iter().zip(table.streams.clone());
        let ahead = streams.filter(|(stream, _)| ahead::used(case, engine, stream).is_some());
        let add = |(stream, id): (&Stream, EntityId)| {
            let name = format!("{}.readahead", stream.name);
            table.add(Entity {
                parent: Some(id),
                ..entity(name, Kind::Readahead, Layer::FileSystem)
            })
        };
        ahead.map(add).collect()
    }

    fn plan(&self, table: &mut Table, paths: Paths<'_>) -> Plan {
        let ahead = self.add_ahead(table);
        let devices = paths.stack.devices;
        group_limits::add(table, self.root, devices, &paths.disks());
        let loads = loads::add(self.case, table);
        let process = table.add(entity("process", Kind::Process, Layer::Generator));
        let system = self.system_sources(table, &paths);
        let streams = table.streams.clone();
        let disks = paths.disks();
        let Paths { counted, joined, watched: targets, ways, .. } = paths;
        carriers::add(table, self.path, self.root, devices, &disks);
        Plan { loads, disks, ways, targets, counted, joined, ahead, system, process, streams }
    }

    /// What is sampled beside devices: of the machine, and below the targets.
    fn system_sources(&self, table: &mut Table, paths: &Paths<'_>) -> SystemSources {
        let files = self.targets.iter().flat_map(|target| &target.files);
        let files: Vec<PathBuf> = files.map(|file| path_of_open(file.file.as_raw_fd())).collect();
        let scope = Scope::of(self.root, paths.stack.devices, &files).ok();
        let disks = paths.disks().into_iter();
        let disks: Vec<_> = disks.map(|Disk { entity, name, .. }| (entity, name)).collect();
        let scope = scope.unwrap_or_default();
        SystemSources::open(table, Ground { root: self.root, scope: &scope, disks: &disks })
    }

    /// The record of a pass.
    pub(crate) fn record(&self, outcome: Outcome, facts: PassFacts<'_>) -> Record {
        let warnings = warnings::of(self, &outcome, &facts);
        let mut events = given_up(self.targets);
        events.extend(events_of(&outcome, &facts));
        let environment = environment::of(self, &outcome.workers, &facts);
        let engine = used(self.choice.engine, &outcome.workers);
        let table = facts.entities;
        let Sampled { instants_ns, late_ns, series, heat } = outcome.sampled.unwrap_or_default();
        let streams = outcome.streams.into_iter().zip(&table.streams);
        let streams = streams.map(|(counts, entity)| counts.totals(*entity)).collect();
        Record {
            format: Record::FORMAT,
            case: CaseText {
                trial: self.trial,
                pass: facts.pass,
                ..case_text(self.case, seed_of(self.case, self.trial, facts.pass))
            },
            technique: Technique::Measurement { engine, emulated: None },
            environment,
            entities: table.entities,
            relations: table.relations,
            clock: ClockNote { started_unix_ns: outcome.started_unix_ns, error_ns: late_ns },
            instants_ns,
            series,
            streams,
            heat,
            events,
            bounds: Vec::new(),
            bad_blocks: facts.bad_blocks,
            curve: Vec::new(),
            warnings,
        }
    }
}

/// What a stream cannot exceed by its own settings. The streams of a declaration share one rate:
/// whole numbers that add up to it exactly.
fn limits_of(stream: &Stream) -> Vec<Limit> {
    let ordinal = u64::from(stream.ordinal);
    let limit = |measure, per_sec, tokens| Limit {
        measure,
        direction: Direction::Both,
        per_sec,
        origin: Origin::Study,
        tokens,
    };
    let mut limits = vec![limit(Measure::Requests, 0, Some(u64::from(stream.depth)))];
    if let Pacing::Open { rate, streams, .. } = stream.pacing {
        let streams = u128::from(streams.max(1));
        let up_to = |total: u64, count: u64| u128::from(total) * u128::from(count) / streams;
        let share = |total| (up_to(total, ordinal + 1) - up_to(total, ordinal)) as u64;
        limits.push(match rate {
            Rate::Operations(rate) => {
                limit(Measure::Operations, share(rate.per_sec().round() as u64), None)
            }
            Rate::Bytes(rate) => limit(Measure::Bytes, share(rate.0), None),
        });
    }
    limits
}

/// What the user permitted to be lost, as the record's first events.
fn given_up(targets: &[OpenTarget]) -> Vec<Event> {
    let of = |file: &OpenFile| {
        let label = file.label.clone();
        let what = move |reason: &String| format!("written by name, given up: {label}: {reason}");
        file.given_up.iter().map(what).collect::<Vec<_>>()
    };
    let all = targets.iter().flat_map(|target| &target.files).flat_map(|file| of(file));
    all.map(|what| Event { at_ns: 0, entity: None, what }).collect()
}

fn events_of(outcome: &Outcome, facts: &PassFacts<'_>) -> Vec<Event> {
    let began = outcome.edges.iter().filter(|(_, from, to)| from < to);
    let mut events: Vec<Event> = began
        .map(|(phase, from_ns, _)| Event {
            at_ns: *from_ns,
            entity: None,
            what: format!("{} begins", word(*phase)),
        })
        .collect();
    let end_ns = outcome.edges.iter().map(|(_, _, to)| *to).max().unwrap_or(0);
    if let Some(failure) = facts.failed {
        events.push(Event { at_ns: end_ns, entity: None, what: failure.to_string() });
    }
    events
}

fn word(phase: iopath_record::Phase) -> &'static str {
    use iopath_record::Phase;
    match phase {
        Phase::WarmUp => "warm-up",
        Phase::Ramp => "ramp",
        Phase::Window => "window",
        Phase::Tail => "tail",
        Phase::Drain => "drain",
    }
}

/// The engine in words, with what its rings reached.
fn used(engine: Way, workers: &[WorkerFacts]) -> String {
    let name = engine.to_string();
    let Some(ring) = workers.iter().filter_map(|worker| worker.ring).reduce(Features::common)
    else {
        return name;
    };
    let registered =
        [(ring.fixed_files, "files"), (ring.fixed_buffers, "buffers"), (ring.fixed_ring, "ring")];
    let registered: Vec<_> =
        registered.into_iter().filter_map(|(is, what)| is.then_some(what)).collect();
    match registered.is_empty() {
        true => format!("{name} ({})", ring.setup),
        false => format!("{name} ({}; registered {})", ring.setup, registered.join(", ")),
    }
}
