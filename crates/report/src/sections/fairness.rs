//! Fairness: what each stream got, Jain's index, groups of streams, and both over time.

use iopath_analysis::StreamFindings;
use iopath_analysis::fairness::{GroupFindings, groups, jain_over_time, shares_over_time};
use iopath_analysis::findings::StreamRate;

use super::chosen::{ChosenTrial, each};
use super::over_time::{shades, timeline_of_streams, unique};
use super::{Shown, flat};
use crate::document::{Axis, Block, Chart, Column, Figure, Mark, Section, Table, Trace};
use crate::numbers::{UNKNOWN, maybe_rate, rate, size, time};
use crate::words::actions::moves_nothing;

/// Groups up to which each has its own dots: chosen, as many as there are colours.
const GROUPS: usize = 7;

/// Streams up to which each has its number below: chosen.
const EACH: usize = 20;

/// Jain's index that is 1 in the figures of the sentence: a chart of nothing less is a level line.
const PERFECT: f64 = 0.99995;

const RATES: &str = "Each dot is one stream, by its number: its mean rate in the window, in which \
    every stream was active. The rising line has the same rates sorted: level is fair, one step \
    means two groups, a slope means that position decides. The dashed line is the mean. Unequal \
    dots are no fault where the study makes streams unequal (block, depth, rate, region); among \
    equal ones look for neighbours that share a disk, a path or a processor. The axis begins at \
    0.";

const JAIN: &str = "Jain's index of the streams that were at work in each interval: 1 where all \
    get the same, 1/n where one of n has everything. One that is lower over short times than over \
    the whole window means that streams take turns: each gets its share, but in bursts. It falls \
    in intervals in which a stream begins or ends; that is no unfairness.";

const SHARES: &str = "What part of all bytes each declaration of streams got. Level lines mean \
    that they share steadily; lines that drift apart mean that one presses the other out, as a \
    cache fills or a queue grows. The shares say nothing of how much there was to share: see \
    throughput over time.";

pub(crate) fn section(shown: &Shown<'_>) -> Option<Section> {
    let blocks = each(shown, |told| blocks(told, shown));
    Section::of("fairness", "fairness", blocks)
}

/// Nothing where fewer than two streams have a rate, or none moves data.
fn blocks(told: &ChosenTrial<'_>, shown: &Shown<'_>) -> Vec<Block> {
    let findings = &told.trial.findings;
    let groups = groups(findings);
    let streams: usize = groups.iter().map(|group| group.streams.len()).sum();
    if streams < 2 || moves_nothing(&findings.actions, findings.requests) {
        return Vec::new();
    }
    let mut blocks = vec![Block::Text(sentence(told, shown))];
    if groups.len() > 1 {
        blocks.push(Block::Table(table(&groups, shown)));
    }
    let streams = Block::table(of_streams(told, shown)).into_iter().collect();
    blocks.extend(Block::fold(told.title("each stream"), streams));
    let each = findings.streams.iter().map(|stream| stream.throughput_bytes_per_sec);
    // The sentence says what each got.
    if flat::same(each.map(|known| Some(rate(known?, shown.system)))).is_none() {
        blocks.push(Block::Figure(rates(told, &groups, shown)));
    }
    blocks.extend(over_time(told).into_iter().map(Block::Figure));
    blocks
}

fn sentence(told: &ChosenTrial<'_>, shown: &Shown<'_>) -> String {
    let findings = &told.trial.findings;
    let jain = findings.jain.map_or("not known".to_owned(), |jain| format!("{jain:.4}"));
    let of = |stream: &StreamRate| rate(stream.throughput_bytes_per_sec, shown.system);
    let ends = findings.min_stream.as_ref().zip(findings.max_stream.as_ref());
    let ends = ends.map(|(least, most)| match (of(least), of(most)) {
        (low, high) if low == high => format!("; each got {low}"),
        (low, high) => format!("; {} got {low}, {} got {high}", least.name, most.name),
    });
    let streams = findings.streams.len();
    told.of(format!("Jain's index {jain} over {streams} streams{}", ends.unwrap_or_default()))
}

fn table(groups: &[GroupFindings], shown: &Shown<'_>) -> Table {
    let of = |bytes_per_sec: f64| rate(bytes_per_sec, shown.system);
    Table::of(groups)
        .titled("streams by their declaration")
        .column("streams", |group| group.name.clone())
        .column("number", |group| group.streams.len().to_string())
        .column("together", |group| of(group.throughput_bytes_per_sec))
        .column("slowest", |group| of(group.min_bytes_per_sec))
        .expendable(1, "mean", |group| of(group.mean_bytes_per_sec))
        .column("fastest", |group| of(group.max_bytes_per_sec))
        .column("Jain's index", |group| {
            group.jain.map_or_else(|| UNKNOWN.to_owned(), |jain| format!("{jain:.4}"))
        })
        .done()
}

fn of_streams(told: &ChosenTrial<'_>, shown: &Shown<'_>) -> Table {
    let system = shown.system;
    Table::of(&told.trial.findings.streams)
        .column("stream", |stream| stream.name.clone())
        .column("bytes", |stream| size(stream.bytes, system))
        .column("throughput in the window", |stream| {
            maybe_rate(stream.throughput_bytes_per_sec, system)
        })
        .column("first done", |stream| time(stream.first_done_ns as f64, system))
        .column("last done", |stream| time(stream.last_done_ns as f64, system))
        .done()
}

fn numbered(streams: usize) -> Vec<(f64, String)> {
    (1u32..).take(streams).map(|number| (f64::from(number), number.to_string())).collect()
}

/// Dots by number, the same rates sorted, and their mean.
fn rates(told: &ChosenTrial<'_>, groups: &[GroupFindings], shown: &Shown<'_>) -> Figure {
    let all = &told.trial.findings.streams;
    let known = |stream: &StreamFindings| stream.throughput_bytes_per_sec;
    let mut sorted: Vec<f64> = all.iter().filter_map(known).collect();
    sorted.sort_by(f64::total_cmp);
    let mean = sorted.iter().sum::<f64>() / sorted.len().max(1) as f64;
    let number = (1u32..).take(all.len()).map(f64::from).collect();
    let names = all.iter().map(|stream| stream.name.clone()).collect();
    let mut columns =
        vec![Column::numbers("stream_number", number), Column::texts("stream", names)];
    let mut traces = Vec::new();
    // Streams without a rate leave the end of the sorted column empty. Dots come last, on top.
    let ranks = (0..all.len()).map(|at| sorted.get(at).copied()).collect();
    for (what, mark, values) in
        [("sorted", Mark::Sum, ranks), ("mean", Mark::Guide, vec![Some(mean); all.len()])]
    {
        traces.push(Trace::plain(what, mark, 0, columns.len()));
        columns.push(Column::maybe(format!("{what}_throughput_bytes_per_sec"), values));
    }
    for (name, values) in dots(groups, all) {
        traces.push(Trace { text: Some(1), ..Trace::plain(&name, Mark::Dots, 0, columns.len()) });
        let name = unique(&columns, format!("{name}_throughput_bytes_per_sec"));
        columns.push(Column::maybe(name, values));
    }
    let y = Axis::bytes_per_sec("throughput of a stream", &columns[2..], shown.system);
    let x = Axis::plain("stream, in the order of the study (line: sorted)", "");
    let x = if all.len() <= EACH { x.labelled(numbered(all.len())) } else { x };
    Figure {
        id: format!("fairness-rates-{}", told.number()),
        title: told.title("What each stream got"),
        guide: RATES.to_owned(),
        columns,
        chart: Chart { x, y, traces, shades: Vec::new() },
    }
}

/// One column of dots a group; of many groups one for all.
fn dots(groups: &[GroupFindings], all: &[StreamFindings]) -> Vec<(String, Vec<Option<f64>>)> {
    let of = |streams: &[usize]| {
        let mut values = vec![None; all.len()];
        for at in streams {
            values[*at] = all[*at].throughput_bytes_per_sec;
        }
        values
    };
    if groups.len() > GROUPS {
        let every: Vec<usize> = (0..all.len()).collect();
        return vec![("stream".to_owned(), of(&every))];
    }
    groups.iter().map(|group| (group.name.clone(), of(&group.streams))).collect()
}

/// Whether a share reads the same in all intervals.
fn is_level(share: &[Option<f64>]) -> bool {
    flat::same(share.iter().flatten().map(|share| Some(format!("{share:.3}")))).is_some()
}

fn over_time(told: &ChosenTrial<'_>) -> Vec<Figure> {
    let Some(record) = told.first() else { return Vec::new() };
    let timeline = timeline_of_streams(record);
    let (streams, seconds) = (timeline.streams(), timeline.seconds());
    if seconds.len() < 2 || streams.len() < 2 {
        return Vec::new();
    }
    let time = || vec![Column::numbers("time_s", seconds.clone())];
    let figure = |(id, title, guide): (&str, &str, &str), columns, traces, y| Figure {
        id: format!("fairness-{id}-{}", told.number()),
        title: told.title(title),
        guide: format!("{guide}{}", told.of_passes()),
        columns,
        chart: Chart { x: Axis::seconds("time since go"), y, traces, shades: shades(&timeline) },
    };
    let mut columns = time();
    let jain = jain_over_time(&streams);
    columns.push(Column::maybe("jain_index", jain.clone()));
    columns.push(Column::numbers("equal_index", vec![1.0; seconds.len()]));
    let is_perfect = jain.iter().flatten().all(|index| *index >= PERFECT);
    let equal = Trace::plain("all get the same", Mark::Guide, 0, 2);
    let traces = vec![equal, Trace::plain("Jain's index", Mark::Line, 0, 1)];
    let of_jain = ("jain", "Jain's index over time", JAIN);
    let mut figures = Vec::new();
    if !is_perfect {
        figures.push(figure(of_jain, columns, traces, Axis::plain("Jain's index", "")));
    }
    let shares = shares_over_time(&streams);
    if (2..=GROUPS).contains(&shares.len()) && !shares.iter().all(|(_, share)| is_level(share)) {
        let (mut columns, mut traces) = (time(), Vec::new());
        for (name, values) in shares {
            traces.push(Trace::plain(&name, Mark::Line, 0, columns.len()));
            columns.push(Column::maybe(unique(&columns, format!("{name}_share")), values));
        }
        let of_shares = ("shares", "Shares over time", SHARES);
        figures.push(figure(of_shares, columns, traces, Axis::percent("share of all bytes")));
    }
    figures
}
