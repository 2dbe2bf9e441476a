//! Facts about machine, targets and settings, as `topic.fact`: value.

use std::collections::{BTreeMap, BTreeSet};

use iopath_machine::target::{DirectIo, TargetKind};
use iopath_machine::{Devices, environment};
use iopath_study::case::{Sharing, Stream};
use iopath_units::{Action, Ratio};

use super::{Composer, PassFacts, used};
use crate::observation::DESCRIBED;
use crate::pass::LaneFacts;
use crate::target::{OpenFile, OpenTarget};

/// Everything worth knowing when two runs differ.
pub(super) fn of(
    composer: &Composer<'_>,
    lanes: &[LaneFacts],
    facts: &PassFacts<'_>,
) -> BTreeMap<String, String> {
    let mut all = environment::read(composer.root).facts;
    all.insert("iopath.version".to_owned(), env!("CARGO_PKG_VERSION").to_owned());
    let devices = Devices::read(composer.root).ok();
    for (target, left) in composer.targets.iter().zip(&facts.left_cached) {
        describe(target, &mut all);
        if let Some(left) = left {
            all.insert(format!("target.{}.left_cached_bytes", target.name), left.to_string());
        }
        for name in devices.iter().flat_map(|devices| below(target, devices)) {
            let Some(devices) = &devices else { continue };
            let name = &name;
            let found = environment::read_device(composer.root, devices, name).facts;
            all.extend(
                found.into_iter().map(|(fact, value)| (format!("device.{name}.{fact}"), value)),
            );
        }
    }
    for (file, before) in &composer.settings {
        all.insert(format!("setting.{}.before", file.display()), before.clone());
        let now = composer.root.attribute(file).unwrap_or_default();
        all.insert(format!("setting.{}.during", file.display()), now);
    }
    all.extend(common(&composer.case.streams));
    all.extend(iopath_study::spc1::intensities(composer.case));
    let workload = &composer.case.workload;
    let engine = used(composer.choice.engine, lanes);
    all.insert("workload.seed".to_owned(), workload.seed.to_string());
    all.insert("workload.verify".to_owned(), format!("{:?}", workload.verify).to_lowercase());
    if let Some(wanted) = workload.until_ci {
        let percent = 100.0 * wanted.as_f64();
        all.insert("workload.until_ci_percent".to_owned(), percent.to_string());
    }
    all.insert("engine.asked".to_owned(), format!("{:?}", workload.engine).to_lowercase());
    all.insert("engine.used".to_owned(), engine);
    for stream in &composer.case.streams {
        let way = composer.choice.engine.of(stream.action);
        if way != composer.choice.engine {
            all.insert(format!("engine.{}", stream.action), way.to_string());
        }
    }
    all.insert("buffers.kind".to_owned(), format!("{:?}", workload.buffers).to_lowercase());
    let sum = |bytes: fn(&LaneFacts) -> u64| lanes.iter().map(bytes).sum::<u64>().to_string();
    all.insert("buffers.bytes".to_owned(), sum(|lane| lane.buffer_bytes));
    all.insert("buffers.huge_bytes".to_owned(), sum(|lane| lane.huge_bytes));
    if let Some(ceiling) = composer.ceiling {
        all.insert("generator.ceiling_operations_per_sec".to_owned(), ceiling.to_string());
    }
    if let Some(memory) = all.get("memory.total_bytes").cloned() {
        all.insert("machine.memory_bytes".to_owned(), memory);
    }
    if let Some(cpus) = all.get("cpu.count").cloned() {
        all.insert("machine.cpus".to_owned(), cpus);
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
        ("workload.block", of_data(same(streams, |stream| stream.block.to_string()))),
        ("workload.depth", same(streams, |stream| stream.depth.to_string())),
        ("workload.region", same(streams, sharing)),
        ("workload.reads", of_data(same(streams, |stream| stream.reads.to_string()))),
        ("workload.advice", of_data(same(streams, advice))),
        ("workload.pattern", same(streams, |stream| format!("{:?}", stream.pattern))),
        ("workload.pacing", same(streams, |stream| format!("{:?}", stream.pacing))),
        ("workload.streams", Some(streams.len().to_string())),
    ];
    let sync = [("workload.sync", syncs(streams))];
    let all = facts.into_iter().chain(sync);
    all.filter_map(|(name, value)| Some((name.to_owned(), value?))).collect()
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
    let mut note = |fact: &str, value: String| {
        all.insert(format!("target.{}.{fact}", target.name), value);
    };
    note("path", target.label.clone());
    match &target.tree {
        Some(tree) => tree.facts().into_iter().for_each(|(fact, value)| note(fact, value)),
        None => note("bytes", target.bytes.to_string()),
    }
    note("cache", target.cache().to_string());
    note("in_memory", target.is_in_memory().to_string());
    if let Some(checker) = &target.checker {
        note("stamp_seed", checker.seed.to_string());
    }
    let Some(volume) = &target.volume else { return describe_file(&target.files[0], note) };
    note("kind", volume.kind.to_owned());
    note("members", target.files.len().to_string());
    for file in &target.files {
        let mut note = |fact: &str, value: String| {
            all.insert(format!("target.{}.{fact}", file.name), value);
        };
        note("path", file.label.clone());
        note("bytes", file.bytes.to_string());
        note("cache", file.cache.to_string());
        describe_file(file, note);
    }
}

fn describe_file(file: &OpenFile, mut note: impl FnMut(&str, String)) {
    note(
        "kind",
        match &file.facts.kind {
            TargetKind::RegularFile => "file".to_owned(),
            TargetKind::Directory => "directory".to_owned(),
            TargetKind::BlockDevice(name) => format!("block device {name}"),
        },
    );
    if let Some(system) = &file.facts.file_system {
        note("file_system", system.type_name.clone());
    }
    note(
        "direct_io",
        match file.facts.direct_io {
            DirectIo::Aligned { offset_bytes, .. } => format!("aligned to {offset_bytes} B"),
            DirectIo::Refused => "refused".to_owned(),
            DirectIo::Unstated { assumed_bytes } => format!("assumed aligned to {assumed_bytes} B"),
        },
    );
    note("devices", file.devices.join(" "));
}
