//! Counters watched without a load of our own: somebody else's load can be explained afterwards.
//!
//! Whoever watches takes samples when he likes; each is given back for a live view, and what was
//! sampled becomes records of [`Technique::Observation`], cut where they get long, so that an end
//! that nobody planned loses the last one only. Neighbouring records share one instant.
//!
//! Devices may come and go: what comes is added, what goes has no readings until it is back, and
//! both are events. It leaves out who makes the load.

mod devices;
mod sources;
mod table;
mod targets;

use std::collections::{BTreeMap, BTreeSet};
use std::os::unix::fs::FileTypeExt as _;
use std::path::{Path, PathBuf};

use iopath_machine::counters::processors;
use iopath_machine::{Devices, ReadError, Root, environment};
use iopath_record::sample::is_long;
use iopath_record::{
    CaseText, ClockNote, Entity, EntityId, Event, Fact, Kind, Record, Relation, Sample, Series,
    Technique, Warning,
};

use crate::clock::{Clock, Monotonic};
use crate::sampler::Columns;
use crate::system_sources::{Ground, Scope, SystemSources};
use devices::Block;
use sources::{Noticed, Sources};
use table::Table;

/// Devices up to which the settings of each are among the facts: chosen.
pub(crate) const DESCRIBED: usize = 64;

/// The warning that something could not be read.
const UNREADABLE: &str = "counter-unreadable";

/// Names that a warning lists: chosen.
const TOLD: usize = 5;

/// Why nothing can be watched.
#[derive(Debug, thiserror::Error)]
pub enum CannotWatch {
    /// The devices cannot be listed.
    #[error("cannot list the block devices: {0}")]
    Devices(#[source] ReadError),
    /// The root is not that of a machine.
    #[error("not a machine's tree: {0}; name a folder with its proc and sys")]
    NoMachine(#[source] ReadError),
    /// A target is not there.
    #[error("{}: no such file or device; name a file, a directory or a device", path.display())]
    NoTarget { path: PathBuf },
    /// A target holds no data.
    #[error(
        "{}: not a file, a directory or a block device; of an NVMe drive name a namespace, such as \
         /dev/nvme0n1",
        path.display()
    )]
    NoStorage { path: PathBuf },
    /// What a target lies on cannot be read.
    #[error("cannot watch {}: {source}", path.display())]
    Target { path: PathBuf, source: ReadError },
}

/// Whether samples become records.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Keep {
    /// They do.
    Records,
    /// Only the last sample is known.
    Nothing,
}

/// Watches until nobody asks any more.
#[derive(Debug)]
pub struct Observation {
    root: Root,
    asked: Vec<PathBuf>,
    what: String,
    keep: Keep,
    clock: Monotonic,
    table: Table,
    sources: Sources,
    sample: Sample,
    present: Option<BTreeSet<EntityId>>,
    unreadable: Option<String>,
    events: Vec<Event>,
    kept: Kept,
    pass: u32,
}

/// What the next record will hold.
#[derive(Debug, Default)]
struct Kept {
    /// On the axis of the observation.
    instants_ns: Vec<u64>,
    columns: Columns,
    events: Vec<Event>,
    warnings: Vec<Warning>,
}

impl Observation {
    /// Finds what lies below `targets`, or all that the machine has where none are given.
    ///
    /// # Errors
    /// Where there is no machine, devices cannot be listed, or a target does not exist.
    pub fn begin(root: &Root, targets: &[PathBuf], keep: Keep) -> Result<Self, CannotWatch> {
        if let Err(error) = processors::read(root)
            && error.is_missing()
        {
            return Err(CannotWatch::NoMachine(error));
        }
        let mut table = Table::default();
        let sources = open(root, targets, &mut table)?;
        Ok(Self {
            root: root.clone(),
            asked: targets.to_vec(),
            what: words(targets),
            keep,
            clock: Monotonic::default(),
            table,
            sources,
            sample: Sample::default(),
            present: None,
            unreadable: None,
            events: Vec::new(),
            kept: Kept::default(),
            pass: 0,
        })
    }

    /// Everything that is or was watched, in an order that never changes; new ones stand behind.
    pub fn entities(&self) -> &[Entity] {
        self.table.entities()
    }

    /// Whose traffic reappears where, as far as is known now.
    pub fn relations(&self) -> Vec<Relation> {
        self.table.relations()
    }

    /// What was asked for, in words: the targets, or the whole machine.
    pub fn what(&self) -> &str {
        &self.what
    }

    /// The sample before the next.
    pub fn last(&self) -> &Sample {
        &self.sample
    }

    /// Wall clock at 0 on the axis of samples, in ns since 1970.
    pub fn started_unix_ns(&self) -> u64 {
        self.clock.started_unix_ns()
    }

    /// What the last sample found: devices that came and went.
    pub fn events(&self) -> &[Event] {
        &self.events
    }

    /// Reads everything now. The first sample begins the axis.
    pub fn sample(&mut self) -> &Sample {
        self.clock.start();
        let at_ns = self.clock.now_ns();
        let mut noticed = self.sources.sample(&mut self.sample.readings);
        if noticed.others && self.look_again() {
            noticed = self.sources.sample(&mut self.sample.readings);
        }
        self.sample.at_ns = at_ns;
        self.note(noticed);
        self.keep_sample();
        &self.sample
    }

    /// Whether as much was sampled as one record should hold.
    pub fn is_long(&self) -> bool {
        let instants = self.kept.instants_ns.len();
        is_long(instants, instants * self.sample.readings.len())
    }

    /// What was sampled since the record before; the last instant is the first of the next record.
    /// None of fewer than two samples.
    pub fn record(&mut self) -> Option<Record> {
        if self.kept.instants_ns.len() < 2 {
            return None;
        }
        let kept = std::mem::take(&mut self.kept);
        self.keep_sample();
        let record = self.compose(kept);
        self.pass += 1;
        Some(record)
    }

    /// Looks for devices anew; false where they cannot be listed now, and the old ones remain.
    fn look_again(&mut self) -> bool {
        match open(&self.root, &self.asked, &mut self.table) {
            Ok(sources) => {
                self.sources = sources;
                true
            }
            Err(_) => false,
        }
    }

    /// Writes down what came, what went and what could not be read.
    fn note(&mut self, noticed: Noticed) {
        let Noticed { unreadable, present, others: _ } = noticed;
        self.events.clear();
        if let Some(why) = unreadable {
            if self.unreadable.is_none() {
                let kind = UNREADABLE.to_owned();
                self.kept.warnings.push(Warning { kind, text: why.clone() });
            }
            self.unreadable = Some(why);
            return;
        }
        self.unreadable = None;
        let now: BTreeSet<EntityId> = present.into_iter().collect();
        let Some(before) = self.present.replace(now.clone()) else { return };
        let came = now.difference(&before).map(|id| (*id, "is there now"));
        let went = before.difference(&now).map(|id| (*id, "is gone"));
        let all: Vec<_> = came.chain(went).collect();
        for (id, what) in all {
            let what = format!("{} {what}", self.entities()[id.0 as usize].name);
            self.events.push(Event { at_ns: self.sample.at_ns, entity: Some(id), what });
        }
        if self.keep == Keep::Records {
            self.kept.events.extend(self.events.iter().cloned());
        }
    }

    fn keep_sample(&mut self) {
        // Two samples at one instant would make an interval without length.
        let is_later = self.kept.instants_ns.last().is_none_or(|last| *last < self.sample.at_ns);
        if self.keep == Keep::Nothing || !is_later {
            return;
        }
        self.kept.instants_ns.push(self.sample.at_ns);
        for reading in &self.sample.readings {
            self.kept.columns.put(reading.entity, reading.counter, reading.value);
        }
        self.kept.columns.end_of_sample();
    }

    fn compose(&self, kept: Kept) -> Record {
        let Kept { instants_ns, columns, mut events, mut warnings } = kept;
        let series = columns.into_series();
        warnings.extend(self.without_counters(&series));
        let begin_ns = instants_ns.first().copied().unwrap_or_default();
        events.iter_mut().for_each(|event| event.at_ns = event.at_ns.saturating_sub(begin_ns));
        Record {
            format: Record::FORMAT,
            case: CaseText::watched(&self.what, self.pass),
            technique: Technique::Observation,
            environment: self.environment(),
            entities: self.entities().to_vec(),
            relations: self.relations(),
            clock: ClockNote { started_unix_ns: self.started_unix_ns() + begin_ns, error_ns: 0 },
            instants_ns: instants_ns.iter().map(|at_ns| at_ns - begin_ns).collect(),
            series,
            streams: Vec::new(),
            heat: Vec::new(),
            bounds: Vec::new(),
            bad_blocks: Default::default(),
            curve: Vec::new(),
            events,
            warnings,
        }
    }

    /// Devices and mounts of which no counter could ever be read.
    fn without_counters(&self, series: &[Series]) -> Option<Warning> {
        let counted: BTreeSet<EntityId> = series.iter().map(|one| one.entity).collect();
        let entities = (0u32..).map(EntityId).zip(self.entities());
        let without = entities.filter(|(id, one)| one.kind != Kind::File && !counted.contains(id));
        let names: Vec<&str> = without.map(|(_, one)| one.name.as_str()).collect();
        let told = names.iter().take(TOLD).copied().collect::<Vec<_>>().join(", ");
        let more = match names.len().saturating_sub(TOLD) {
            0 => String::new(),
            more => format!(" and {more} more"),
        };
        let text = format!("no counter of {told}{more} could be read");
        (!names.is_empty()).then(|| Warning { kind: UNREADABLE.to_owned(), text })
    }

    /// Facts about the machine, and about the devices where they are few.
    fn environment(&self) -> BTreeMap<String, String> {
        let mut all = environment::read(&self.root).facts;
        all.extend([Fact::Version.is(env!("CARGO_PKG_VERSION"))]);
        let is_drive =
            |entity: &&Entity| matches!(entity.kind, Kind::Disk | Kind::Path | Kind::Loop);
        let drives: Vec<&Entity> = self.entities().iter().filter(is_drive).collect();
        let devices = Devices::read(&self.root).ok().filter(|_| drives.len() <= DESCRIBED);
        for (devices, drive) in
            devices.iter().flat_map(|found| drives.iter().map(move |d| (found, d)))
        {
            let name = &drive.name;
            let facts = environment::read_device(&self.root, devices, name).facts;
            let named = |(fact, value): (String, String)| Fact::Device(name, &fact).is(value);
            all.extend(facts.into_iter().map(named));
        }
        all
    }
}

/// Puts everything there is into the table and opens its counters.
fn open(root: &Root, asked: &[PathBuf], table: &mut Table) -> Result<Sources, CannotWatch> {
    if let Some(path) = asked.iter().find(|path| holds_nothing(&root.path(path))) {
        return Err(CannotWatch::NoStorage { path: path.clone() });
    }
    let devices = Devices::read(root).map_err(CannotWatch::Devices)?;
    let scope = match asked {
        [] => Ok(Scope::whole()),
        asked => Scope::of(root, &devices, asked),
    };
    let scope = scope.map_err(|(path, source)| leads_nowhere(root, path, source))?;
    let block = Block::put(table, root, &devices, &scope);
    let disks = block.names(&devices);
    let system = SystemSources::open(table, Ground { root, scope: &scope, disks: &disks });
    let below = |table: &mut Table, name: &str| devices::entity(table, &devices, root, name);
    targets::put(table, &scope, &below);
    Ok(Sources::open(root, block, system))
}

/// Whether it is something else than a file, a directory or a block device.
fn holds_nothing(path: &Path) -> bool {
    path.metadata().is_ok_and(|found| {
        let kind = found.file_type();
        !kind.is_file() && !kind.is_dir() && !kind.is_block_device()
    })
}

/// A kernel file that is missing is no missing target.
fn leads_nowhere(root: &Root, path: PathBuf, source: ReadError) -> CannotWatch {
    match &source {
        ReadError::Missing { path: missing } if *missing == root.path(&path) => {
            CannotWatch::NoTarget { path }
        }
        _ => CannotWatch::Target { path, source },
    }
}

fn words(targets: &[PathBuf]) -> String {
    let names: Vec<String> = targets.iter().map(|path| path.display().to_string()).collect();
    if names.is_empty() { "the whole machine".to_owned() } else { names.join(" ") }
}
