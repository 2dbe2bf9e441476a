//! Where samples of a measurement come from: devices, page cache of the targets, ourselves, and
//! what watching samples beside block devices, too ([`crate::system_sources`]).

use std::collections::BTreeMap;
use std::fs::File;
use std::io;
use std::sync::Arc;

use iopath_machine::Root;
use iopath_machine::counters::disk_sampler::DiskSampler;
use iopath_machine::counters::diskstats::{
    DeviceNumber, DiscardCounters, DiskCounters, FlushCounters,
};
use iopath_machine::counters::tasks::TaskKind;
use iopath_machine::counters::{process, tasks, throttling};
use iopath_record::{Counter, EntityId, Reading};

use super::{Columns, OfWorker};
use crate::counters::SubCounters;
use crate::engine::volume::tally::{FileCounts, TRIMS, Tally};
use crate::relay::LagGauge;
use crate::residency::{Residency, residency};
use crate::system_sources::SystemSources;
use crate::ways::{Counts, Way, Ways};

/// A device whose counters are sampled.
#[derive(Clone, Debug)]
pub(crate) struct Disk {
    pub entity: EntityId,
    /// The kernel's.
    pub name: String,
    pub number: DeviceNumber,
}

/// A target whose share of the page cache is sampled.
pub(crate) struct Watched {
    pub entity: EntityId,
    /// Its files, and how much of each is used.
    pub files: Vec<(File, u64)>,
}

/// A member of volumes, whose requests these count.
pub(crate) struct Counted {
    pub entity: EntityId,
    /// The counts, and the member's position in them.
    pub of: Vec<(Arc<Tally>, usize)>,
}

/// A volume whose parts wait for one another.
pub(crate) struct Joined {
    pub entity: EntityId,
    pub tally: Arc<Tally>,
}

/// A load whose sub-streams are counted one by one.
pub(crate) struct Load {
    /// The declaration of its streams.
    pub group: String,
    /// One a sub-stream.
    pub entities: Vec<EntityId>,
}

/// What shall be sampled, and as which entities.
pub(crate) struct Plan {
    pub loads: Vec<Load>,
    pub disks: Vec<Disk>,
    pub ways: Vec<Way>,
    pub targets: Vec<Watched>,
    /// Of the streams that are read ahead of, in their order.
    pub ahead: Vec<EntityId>,
    pub counted: Vec<Counted>,
    pub joined: Vec<Joined>,
    pub system: SystemSources,
    pub process: EntityId,
    /// By position in the case.
    pub streams: Vec<EntityId>,
}

/// The sources, open.
pub(crate) struct Sources {
    root: Root,
    pub(super) plan: Plan,
    disks: Option<DiskSampler>,
    /// Bytes that each device moved, as far as the last sample could be read.
    pub(super) disk_bytes: Vec<Option<u64>>,
    /// Time of each kernel worker so far: a worker that ended keeps what it had.
    workers: BTreeMap<u32, u64>,
    /// Time that each of our own threads waited for a processor, likewise.
    waits: BTreeMap<u32, u64>,
    /// Of our own threads in the kernel, as last told.
    system_ns: u64,
    lags: Vec<LagGauge>,
    /// What the last sample read beside devices; kept for its room.
    readings: Vec<Reading>,
}

impl Sources {
    pub(crate) fn open(root: &Root, plan: Plan) -> Self {
        let numbers: Vec<DeviceNumber> = plan.disks.iter().map(|disk| disk.number).collect();
        let disks = DiskSampler::open(root, &numbers).ok().filter(|_| !numbers.is_empty());
        Self {
            root: root.clone(),
            plan,
            disks,
            disk_bytes: Vec::new(),
            workers: BTreeMap::new(),
            waits: BTreeMap::new(),
            system_ns: 0,
            lags: Vec::new(),
            readings: Vec::new(),
        }
    }

    /// The same, with the lags of streams that follow others.
    pub(crate) fn with_lags(self, lags: Vec<LagGauge>) -> Self {
        Self { lags, ..self }
    }

    /// Names of the devices, in their order.
    pub(crate) fn disk_names(&self) -> Vec<String> {
        self.plan.disks.iter().map(|disk| disk.name.clone()).collect()
    }

    /// Reads everything once; what cannot be read is left out.
    pub(crate) fn sample(&mut self, columns: &mut Columns) {
        self.sample_disks(columns);
        self.sample_targets(columns);
        self.sample_volumes(columns);
        self.sample_system(columns);
        self.sample_process(columns);
        for lag in &self.lags {
            columns.put(self.plan.streams[lag.stream], Counter::LagBytes, lag.bytes());
        }
    }

    /// What the workers of each load did for each of its sub-streams.
    pub(crate) fn sample_loads(&self, all: &[OfWorker<'_>], columns: &mut Columns) {
        for load in &self.plan.loads {
            for (index, entity) in load.entities.iter().enumerate() {
                let workers = all.iter().filter(|worker| worker.group == load.group);
                let counts = workers.filter_map(|worker| worker.counters.subs.get(index));
                let sum = |of: fn(&SubCounters) -> u64| counts.clone().map(of).sum();
                columns.put(*entity, Counter::Submitted, sum(|sub| sub.submitted.value()));
                columns.put(*entity, Counter::ReadOperations, sum(|sub| sub.completed[0].value()));
                columns.put(*entity, Counter::WriteOperations, sum(|sub| sub.completed[1].value()));
            }
        }
    }

    fn sample_disks(&mut self, columns: &mut Columns) {
        self.disk_bytes.clear();
        let ways = Ways::read(&self.root, &self.plan.ways);
        for (entity, counts) in &ways.each {
            columns.put_all(*entity, counts);
        }
        let Some(Ok(samples)) = self.disks.as_mut().map(DiskSampler::sample) else { return };
        for (disk, counters) in self.plan.disks.iter().zip(samples) {
            let counts = counters.as_ref().map(|counters| ways.counts(disk.entity, counters));
            self.disk_bytes.push(counts.as_ref().map(bytes));
            columns.put_all(disk.entity, &counts.unwrap_or_default());
        }
    }

    fn sample_targets(&self, columns: &mut Columns) {
        for target in &self.plan.targets {
            let found: io::Result<Vec<Residency>> =
                target.files.iter().map(|(file, bytes)| residency(file, *bytes)).collect();
            let Ok(found) = found else { continue };
            let cached_bytes = found.iter().map(|found| found.cached_bytes).sum();
            columns.put(target.entity, Counter::CachedBytes, cached_bytes);
            let dirty_bytes: Option<u64> = found.iter().map(|found| found.dirty_bytes).sum();
            if let Some(dirty_bytes) = dirty_bytes {
                columns.put(target.entity, Counter::DirtyBytes, dirty_bytes);
            }
        }
    }

    fn sample_volumes(&self, columns: &mut Columns) {
        for Joined { entity, tally } in &self.plan.joined {
            columns.put(*entity, Counter::JoinWaitNs, tally.join_wait_ns());
        }
        for Counted { entity, of } in &self.plan.counted {
            let mut counts = FileCounts::default();
            of.iter().for_each(|(tally, at)| tally.add_file(*at, &mut counts));
            put_member(columns, *entity, counts);
        }
    }

    fn sample_system(&mut self, columns: &mut Columns) {
        self.readings.clear();
        self.plan.system.sample(&self.root, &mut self.readings);
        for reading in &self.readings {
            columns.put(reading.entity, reading.counter, reading.value);
        }
    }

    /// The kernel counts its io_uring workers as threads of the process; here they are apart.
    fn sample_process(&mut self, columns: &mut Columns) {
        let entity = self.plan.process;
        let worker_ns = self.look_at_tasks();
        if let Ok(usage) = crate::usage::Usage::of_process() {
            columns.put(entity, Counter::UserNs, usage.user_ns);
            // Two clocks: what both count may fall by their difference, and nothing was reset.
            self.system_ns = self.system_ns.max(usage.system_ns.saturating_sub(worker_ns));
            columns.put(entity, Counter::SystemNs, self.system_ns);
            columns.put(entity, Counter::WorkerNs, worker_ns);
        }
        if !self.waits.is_empty() {
            columns.put(entity, Counter::RunWaitNs, self.waits.values().sum());
        }
        if let Ok(Some(throttled_ns)) = throttling::throttled_ns(&self.root) {
            columns.put(entity, Counter::ThrottledNs, throttled_ns);
        }
        if let Ok(resident_bytes) = process::resident_bytes(&self.root) {
            columns.put(entity, Counter::ResidentBytes, resident_bytes);
        }
        if let Ok(Some(found)) = process::read_io(&self.root) {
            columns.put(entity, Counter::ReadBytes, found.read_bytes);
            columns.put(entity, Counter::WriteBytes, found.write_bytes);
        }
    }

    /// Time of the kernel's workers; notes how long our own threads waited.
    fn look_at_tasks(&mut self) -> u64 {
        for task in tasks::read(&self.root).unwrap_or_default() {
            if task.kind == TaskKind::Own {
                self.waits.extend(task.wait_ns.map(|wait_ns| (task.id, wait_ns)));
            } else {
                let run_ns = task.run_ns.unwrap_or(task.user_ns + task.system_ns);
                self.workers.insert(task.id, run_ns);
            }
        }
        self.workers.values().sum()
    }
}

/// Read and written.
fn bytes(counts: &Counts) -> u64 {
    let moved = |(counter, _): &&(Counter, u64)| {
        matches!(counter, Counter::ReadBytes | Counter::WriteBytes)
    };
    counts.iter().filter(moved).map(|(_, value)| value).sum()
}

/// The columns of a device as a record has them; older kernels count no discards and flushes.
pub(crate) fn disk_counters(counters: &DiskCounters) -> Counts {
    let discards = counters.discard.map_or(0, |discard| discard.merges);
    let mut counts = vec![
        (Counter::ReadBytes, counters.read_bytes),
        (Counter::WriteBytes, counters.write_bytes),
        (Counter::ReadOperations, counters.read_operations),
        (Counter::WriteOperations, counters.write_operations),
        (Counter::ReadNs, counters.read_ns),
        (Counter::WriteNs, counters.write_ns),
        (Counter::Merged, counters.read_merges + counters.write_merges + discards),
        (Counter::BusyNs, counters.busy_ns),
        (Counter::InFlightNs, counters.weighted_ns),
        (Counter::InFlight, counters.in_flight),
    ];
    if let Some(DiscardCounters { operations, bytes, ns, .. }) = counters.discard {
        counts.push((Counter::DiscardOperations, operations));
        counts.push((Counter::DiscardBytes, bytes));
        counts.push((Counter::DiscardNs, ns));
    }
    if let Some(FlushCounters { operations, ns }) = counters.flush {
        counts.push((Counter::FlushOperations, operations));
        counts.push((Counter::FlushNs, ns));
    }
    counts
}

fn put_member(columns: &mut Columns, entity: EntityId, counts: FileCounts) {
    let FileCounts { operations, bytes, spent_ns } = counts;
    let transfers = [
        (Counter::ReadBytes, bytes[0]),
        (Counter::WriteBytes, bytes[1]),
        (Counter::ReadOperations, operations[0]),
        (Counter::WriteOperations, operations[1]),
        (Counter::ReadNs, spent_ns[0]),
        (Counter::WriteNs, spent_ns[1]),
        (Counter::InFlightNs, spent_ns.iter().sum()),
    ];
    columns.put_all(entity, &transfers);
    if operations[TRIMS] > 0 {
        let trims = [
            (Counter::DiscardBytes, bytes[TRIMS]),
            (Counter::DiscardOperations, operations[TRIMS]),
            (Counter::DiscardNs, spent_ns[TRIMS]),
        ];
        columns.put_all(entity, &trims);
    }
}
