//! Throughput over time: of every stream and device, with the phases of the pass shaded.

use iopath_analysis::Course;
use iopath_record::{EntityId, Layer, Phase, Record};

use super::compose::Shown;
use super::{Axis, Block, Chart, Column, Figure, Mark, Section, Shade, Trace};
use crate::run::label;

const STREAMS: &str = "Each line is one stream; a value is the mean over the interval between two \
    samples. Verdict and tables count what lies in the window, in which every stream was active: \
    a fall at the right end is the tail, not the storage.";

const DEVICES: &str = "Each line is one device, by the kernel's counters: what it moved for \
    everybody, not for this load alone. More than the streams together means other load, a mirror \
    or readahead; less means a cache.";

pub(super) fn section(shown: &Shown<'_>) -> Option<Section> {
    let first = shown.run.records.iter().filter(|record| record.case.pass == 0);
    let blocks = first.flat_map(|record| {
        let streams = Kind { id: "streams", title: "Streams", guide: STREAMS };
        let devices = Kind { id: "devices", title: "Devices", guide: DEVICES };
        let both = [(streams, Layer::Application), (devices, Layer::Device)];
        both.into_iter().filter_map(|(kind, layer)| figure(record, (kind, layer), shown))
    });
    let blocks: Vec<Block> = blocks.map(Block::Figure).collect();
    let title = "Throughput over time".to_owned();
    (!blocks.is_empty()).then_some(Section { id: "time", title, blocks })
}

/// What a figure of one layer is called.
struct Kind {
    id: &'static str,
    title: &'static str,
    guide: &'static str,
}

fn figure(record: &Record, (kind, layer): (Kind, Layer), shown: &Shown<'_>) -> Option<Figure> {
    let course = Course::of(record);
    let entities = (0u32..).map(EntityId).zip(&record.entities);
    let of_layer = entities.filter(|(_, entity)| entity.layer == layer);
    let rates: Vec<(String, Vec<f64>)> = of_layer
        .filter_map(|(id, entity)| Some((entity.name.clone(), course.bytes_per_sec(id)?)))
        .collect();
    if rates.is_empty() || course.seconds().len() < 2 {
        return None;
    }
    let mut columns = vec![Column::numbers("time_s", course.seconds())];
    let mut traces = Vec::new();
    for (name, values) in rates {
        traces.push(Trace::plain(&name, Mark::Line, 0, columns.len()));
        columns.push(Column::numbers(format!("{name}_throughput_bytes_per_sec"), values));
    }
    let y = Axis::bytes_per_sec("throughput", &columns[1..], shown.system);
    let case = &record.case;
    Some(Figure {
        id: format!("time-{}-{}", kind.id, case.trial),
        title: format!("{} of {}", kind.title, label(&case.experiment, &case.levels)),
        guide: kind.guide.to_owned(),
        columns,
        chart: Chart { x: Axis::seconds("time since go"), y, traces, shades: shades(&course) },
    })
}

/// The phases of a pass, as spans of seconds.
pub(super) fn shades(course: &Course<'_>) -> Vec<Shade> {
    let name = |phase| match phase {
        Phase::WarmUp => "warm-up",
        Phase::Ramp => "ramp",
        Phase::Window => "window",
        Phase::Tail => "tail",
        Phase::Drain => "drain",
    };
    let shade = |span: iopath_analysis::PhaseSpan| Shade {
        name: name(span.phase).to_owned(),
        from: span.from_ns as f64 / 1e9,
        to: span.to_ns as f64 / 1e9,
    };
    course.phases().into_iter().map(shade).collect()
}
