//! Facts about machine, targets and settings, as `topic.fact`: value.

mod load;

use std::collections::{BTreeMap, BTreeSet};

use iopath_machine::target::{DirectIo, TargetKind};
use iopath_machine::{Devices, environment};
use iopath_record::{Fact, TargetFact};
use iopath_study::case::{Sharing, Stream};
use iopath_units::{Action, Ratio};

use super::{Composer, PassFacts, used};
use crate::observation::DESCRIBED;
use crate::pass::WorkerFacts;
use crate::target::{OpenFile, OpenTarget};

/// Everything worth knowing when two runs differ.
pub(super) fn of(
    composer: &Composer<'_>,
    workers: &[WorkerFacts],
    facts: &PassFacts<'_>,
) -> BTreeMap<String, String> {
    let mut all = environment::read(composer.root).facts;
    all.extend([Fact::Version.is(env!("CARGO_PKG_VERSION"))]);
    let devices = Devices::read(composer.root).ok();
    for (target, left) in composer.targets.iter().zip(&facts.left_cached) {
        describe(target, &mut all);
        if let Some(left) = left {
            let fact = Fact::Target(&target.name, TargetFact::LeftCachedBytes);
            all.extend([fact.is(left.to_string())]);
        }
        for name in devices.iter().flat_map(|devices| below(target, devices)) {
            let Some(devices) = &devices else { continue };
            let name = &name;
            let found = environment::read_device(composer.root, devices, name).facts;
            all.extend(found.into_iter().map(|(fact, value)| Fact::Device(name, &fact).is(value)));
        }
    }
    for (file, before) in &composer.settings {
        let now = composer.root.attribute(file).unwrap_or_default();
        let file = file.display().to_string();
        all.extend([Fact::SettingBefore(&file).is(before), Fact::SettingDuring(&file).is(now)]);
    }
    all.extend(common(&composer.case.streams));
    all.extend(iopath_study::spc1::intensities(composer.case));
    let workload = &composer.case.workload;
    let engine = used(composer.choice.engine, workers);
    all.extend([
        Fact::Seed.is(workload.seed.to_string()),
        Fact::Verify.is(format!("{:?}", workload.verify).to_lowercase()),
        Fact::EngineAsked.is(format!("{:?}", workload.engine).to_lowercase()),
        Fact::EngineUsed.is(engine),
        Fact::BufferKind.is(format!("{:?}", workload.buffers).to_lowercase()),
    ]);
    if let Some(wanted) = workload.until_ci {
        let percent = 100.0 * wanted.as_f64();
        all.extend([Fact::UntilCi.is(percent.to_string())]);
    }
    for stream in &composer.case.streams {
        let way = composer.choice.engine.of(stream.action);
        if way != composer.choice.engine {
            all.extend([Fact::EngineOf(&stream.action.to_string()).is(way.to_string())]);
        }
    }
    let sum = |bytes: fn(&WorkerFacts) -> u64| workers.iter().map(bytes).sum::<u64>().to_string();
    all.extend([
        Fact::BufferBytes.is(sum(|worker| worker.buffer_bytes)),
        Fact::HugeBytes.is(sum(|worker| worker.huge_bytes)),
    ]);
    if let Some(ceiling) = composer.ceiling {
        all.extend([Fact::Ceiling.is(ceiling.to_string())]);
    }
    if let Some(memory) = all.get("memory.total_bytes").cloned() {
        all.extend([Fact::MemoryBytes.is(memory)]);
    }
    if let Some(cpus) = all.get("cpu.count").cloned() {
        all.extend([Fact::Cpus.is(cpus)]);
    }
    all
}

/// Names of the devices of a target and of what they stand on, where these are few.
fn below(target: &OpenTarget, devices: &Devices) -> BTreeSet<String> {
    let own = target.files.iter().flat_map(|file| &file.devices).cloned();
    let mut names: BTreeSet<String> = own.collect();
    let inner: BTreeSet<String> = names.iter().flat_map(|name| devices.below(name)).collect();
    names.extend(Some(inner).filter(|inner| inner.len() <= DESCRIBED).unwrap_or_default());
    names
}

/// What all streams have in common: a reader of the figures wants it beside them.
fn common(streams: &[Stream]) -> Vec<(String, String)> {
    let sharing = |stream: &Stream| match stream.region.sharing {
        Sharing::Own => "own".to_owned(),
        Sharing::Shared => "shared".to_owned(),
    };
    let advice = |stream: &Stream| format!("{:?}", stream.advice).to_lowercase();
    // A file has no block, and no order of offsets.
    let is_of_files = streams.iter().all(|stream| stream.action.is_of_files());
    let of_data = |fact: Option<String>| fact.filter(|_| !is_of_files);
    let facts = [
        (Fact::Block, of_data(same(streams, |stream| stream.block.to_string()))),
        (Fact::Depth, same(streams, |stream| stream.depth.to_string())),
        (Fact::Region, same(streams, sharing)),
        (Fact::Reads, of_data(same(streams, |stream| stream.reads.to_string()))),
        (Fact::Advice, of_data(same(streams, advice))),
        (Fact::Pattern, same(streams, |stream| load::pattern(stream.pattern))),
        (Fact::Pacing, same(streams, |stream| load::pacing(stream.pacing))),
        (Fact::Streams, Some(streams.len().to_string())),
    ];
    let sync = [(Fact::Sync, syncs(streams))];
    let all = facts.into_iter().chain(sync);
    all.filter_map(|(fact, value)| Some(fact.is(value?))).collect()
}

/// All ways in which writes are synced; none where nothing writes.
fn syncs(streams: &[Stream]) -> Option<String> {
    let is_synced = |action: Action| action.is_transfer() || action == Action::Create;
    let writes = |stream: &&Stream| is_synced(stream.action) && stream.reads != Ratio::ONE;
    let writers = streams.iter().filter(writes);
    let all: BTreeSet<String> = writers.map(|stream| stream.sync.to_string()).collect();
    let all: Vec<String> = all.into_iter().collect();
    (!all.is_empty()).then(|| all.join(", "))
}

/// A fact of all streams; none where they differ.
fn same(streams: &[Stream], fact: impl Fn(&Stream) -> String) -> Option<String> {
    let first = fact(streams.first()?);
    streams.iter().all(|stream| fact(stream) == first).then_some(first)
}

fn describe(target: &OpenTarget, all: &mut BTreeMap<String, String>) {
    let mut note = |fact, value: String| all.extend([Fact::Target(&target.name, fact).is(value)]);
    note(TargetFact::Path, target.label.clone());
    match &target.tree {
        Some(tree) => tree.facts().into_iter().for_each(|(fact, value)| note(fact, value)),
        None => note(TargetFact::Bytes, target.bytes.to_string()),
    }
    note(TargetFact::Cache, target.cache().to_string());
    note(TargetFact::InMemory, target.is_in_memory().to_string());
    if let Some(checker) = &target.checker {
        note(TargetFact::StampSeed, checker.seed.to_string());
    }
    let Some(volume) = &target.volume else { return describe_file(&target.files[0], note) };
    note(TargetFact::Kind, volume.kind.to_owned());
    note(TargetFact::Members, target.files.len().to_string());
    for file in &target.files {
        let mut note = |fact, value: String| all.extend([Fact::Target(&file.name, fact).is(value)]);
        note(TargetFact::Path, file.label.clone());
        note(TargetFact::Bytes, file.bytes.to_string());
        note(TargetFact::Cache, file.cache.to_string());
        describe_file(file, note);
    }
}

fn describe_file(file: &OpenFile, mut note: impl FnMut(TargetFact, String)) {
    note(
        TargetFact::Kind,
        match &file.facts.kind {
            TargetKind::RegularFile => "file".to_owned(),
            TargetKind::Directory => "directory".to_owned(),
            TargetKind::BlockDevice(name) => format!("block device {name}"),
        },
    );
    if let Some(system) = &file.facts.file_system {
        note(TargetFact::FileSystem, system.type_name.clone());
    }
    note(
        TargetFact::DirectIo,
        match file.facts.direct_io {
            DirectIo::Aligned { offset_bytes, .. } => format!("aligned to {offset_bytes} B"),
            DirectIo::Refused => "refused".to_owned(),
            DirectIo::Unstated { assumed_bytes } => format!("assumed aligned to {assumed_bytes} B"),
        },
    );
    note(TargetFact::Devices, file.devices.join(" "));
}
