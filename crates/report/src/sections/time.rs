//! What happened when, on one axis of time for all figures, with the phases of the pass shaded:
//! throughput of every layer, stream and device, then requests, latency, queues, processors and
//! flushes.

mod strips;

use iopath_analysis::Timeline;
use iopath_record::{EntityId, Layer, Record};

use super::Shown;
use super::chosen::{ChosenTrial, each};
use super::over_time::{Besides, Line, Measure, Titled, figure, timeline, timeline_of_streams};
use crate::document::{Block, Figure, Section};

const LAYERS: &str = "Each line is one layer: the sum of all of one kind, as counted there. \
    Coinciding lines are usual: the devices move what the application asks for. A layer below the \
    one above it is served by a cache or not yet written back; one above it moves copies, parity, \
    readahead or load of others; ports of a switch count traffic in and out, so twice as much. \
    Devices that continue after the window write back a cache.";

const STREAMS: &str = "Each line is one stream (one chain of requests), from its first request to \
    its last; a value is the mean between two samples. Level lines mean a steady state; a slope \
    means that the test is too short or a cache fills. Verdict and tables count the window, in \
    which every stream was active: a fall at the right end is the tail, not the storage, and what \
    the others gain there does not last. The sum is drawn when selected in the legend; with few \
    streams from the beginning.";

const DEVICES: &str = "Each line is one device, by the kernel's counters: its traffic from all \
    programs. Equal lines are a striped volume or a fair mirror. One apart is a hot spot, a slow \
    member or other load, and a device that is level while others move is often the limit: see \
    which of them is always busy.";

pub(crate) fn section(shown: &Shown<'_>) -> Option<Section> {
    let blocks = each(shown, |told| figures(told, shown).into_iter().map(Block::Figure).collect());
    Section::of("time", "over time", blocks)
}

fn figures(told: &ChosenTrial<'_>, shown: &Shown<'_>) -> Vec<Figure> {
    let Some(record) = told.first() else { return Vec::new() };
    let layers = layers(told, record, shown);
    // A single stream or device is a line among the layers already.
    let is_news = |figure: &Figure| layers.is_none() || figure.chart.traces.len() > 1;
    let others = [streams(told, record, shown), devices(told, record, shown)];
    let others: Vec<Figure> = others.into_iter().flatten().filter(is_news).collect();
    layers.into_iter().chain(others).chain(strips::all(told, record, shown)).collect()
}

fn titled(told: &ChosenTrial<'_>, (id, title, guide): (&str, &str, &str)) -> Titled {
    Titled {
        id: format!("time-{id}-{}", told.number()),
        title: told.title(title),
        guide: format!("{guide}{}", told.of_passes()),
        measure: Measure::Throughput,
    }
}

/// One line a layer; nothing where there is one only.
fn layers(told: &ChosenTrial<'_>, record: &Record, shown: &Shown<'_>) -> Option<Figure> {
    let timeline = timeline(record, 1);
    let mut lines: Vec<Line> = Vec::new();
    for tier in timeline.tiers().into_iter().filter(|tier| !tier.layer.is_beside()) {
        let Some(rates) = timeline.of_tier(&tier).filter(|all| all.iter().any(|one| *one > 0.0))
        else {
            continue;
        };
        let name = match tier.members.as_slice() {
            [one] => format!("{} {}", tier.kind, name(record, *one)),
            many => format!("{} × {}", many.len(), tier.kind),
        };
        lines.push(Line { name, values: rates.into_iter().map(Some).collect() });
    }
    if lines.len() < 2 {
        return None;
    }
    let titled = titled(told, ("layers", "Layers", LAYERS));
    figure(&timeline, (titled, lines), Besides::Kinds, shown.system)
}

fn streams(told: &ChosenTrial<'_>, record: &Record, shown: &Shown<'_>) -> Option<Figure> {
    let timeline = timeline_of_streams(record);
    let titled = titled(told, ("streams", "Streams", STREAMS));
    let findings = &told.trial.findings;
    let ends = findings.min_stream.as_ref().zip(findings.max_stream.as_ref());
    let ends = ends.map(|(slowest, fastest)| [slowest.name.as_str(), fastest.name.as_str()]);
    figure(
        &timeline,
        (titled, timeline.streams().into_iter().map(Line::from).collect()),
        Besides::Sum { ends },
        shown.system,
    )
}

/// One figure of the devices.
fn devices(told: &ChosenTrial<'_>, record: &Record, shown: &Shown<'_>) -> Option<Figure> {
    let ids = device_ids(record);
    let timeline = timeline(record, ids.len());
    let line = |id: EntityId| {
        let rates = timeline.bytes_per_sec(id)?;
        let is_used = rates.iter().any(|rate| *rate > 0.0);
        let values = rates.into_iter().map(Some).collect();
        is_used.then(|| Line { name: name(record, id), values })
    };
    let lines: Vec<Line> = ids.into_iter().filter_map(line).collect();
    let titled = titled(told, ("devices", "Devices", DEVICES));
    figure(&timeline, (titled, lines), Besides::Nothing, shown.system)
}

/// Devices, each kind with its own: disks, then what is above and beside them.
fn device_ids(record: &Record) -> Vec<EntityId> {
    let whole = Timeline::of(record).tiers();
    let tiers = whole.iter().filter(|tier| tier.layer == Layer::Device);
    tiers.flat_map(|tier| tier.members.iter().copied()).collect()
}

fn name(record: &Record, id: EntityId) -> String {
    record.entities.get(id.0 as usize).map_or_else(String::new, |entity| entity.name.clone())
}
