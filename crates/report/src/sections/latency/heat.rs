//! Latencies over time as a map: how many requests of each interval took how long.

use std::collections::BTreeMap;

use iopath_analysis::Timeline;
use iopath_record::histogram::bounds_of;

use crate::document::{Axis, Chart, Column, Figure, Mark, Trace};
use crate::sections::Shown;
use crate::sections::chosen::ChosenTrial;
use crate::sections::over_time::{shades, time_axis, without_drain};
use crate::view::run::INSTANT_NS;

/// Intervals of a map: chosen, with the rows some thousand cells.
const INTERVALS: usize = 150;

/// Rows in each factor of ten: chosen; a row is 21 % higher than the one below, wider than the
/// buckets of the record.
const ROWS: f64 = 12.0;

const GUIDE: &str = "Each column is an interval, each row a span of latencies, the colour how \
    many requests fell there, in steps of factors: brighter by one mark of the bar is ten times \
    as many. One thin bright band is a path that does one thing. Two bands are two things (cache \
    and media, a fast and a slow path); a band that wanders means that the state of the path \
    changes: queues that grow, a cache that fills, throttling. Faint dots far above are the tail, \
    each of them some requests of very many. Colours compare counts, not shares: an interval in \
    which more completes is brighter everywhere. Reads and writes are together here.";

/// The map of the first pass; none where the record has no latencies over time.
pub(super) fn figure(told: &ChosenTrial<'_>, shown: &Shown<'_>) -> Option<Figure> {
    let record = told.first()?;
    let timeline = Timeline::of(record).under_load().in_at_most(INTERVALS);
    let heat = timeline.heat();
    let mut cells: BTreeMap<(usize, i32), u64> = BTreeMap::new();
    for (interval, histogram) in heat.iter().enumerate() {
        for (bucket, count) in &histogram.buckets {
            *cells.entry((interval, row_of(*bucket as usize))).or_default() += count;
        }
    }
    let greatest = heat.iter().map(|one| one.max_ns).max().unwrap_or_default();
    if heat.len() < 2 || cells.is_empty() || greatest < INSTANT_NS {
        return None;
    }
    let seconds = timeline.seconds();
    let all = with_empty(&cells, heat.len());
    let time = all.iter().map(|((interval, _), _)| seconds[*interval]).collect();
    let middle = |row: i32| 10f64.powf((f64::from(row) + 0.5) / ROWS);
    let latency = all.iter().map(|((_, row), _)| middle(*row)).collect();
    let requests = all.iter().map(|(_, count)| count.map(|count| count as f64)).collect();
    let columns = vec![
        Column::numbers("time_s", time),
        Column::numbers("latency_ns", latency),
        Column::maybe("completed_requests", requests),
    ];
    let y = Axis::ns("latency", &columns[1..2]).in_factors(&columns[1..2]);
    let mark = Mark::Heat { z: 2, counts: "requests" };
    let traces = vec![Trace::plain("requests", mark, 0, 1)];
    let x = time_axis(&timeline);
    Some(Figure {
        id: format!("latency-heat-{}", told.number()),
        title: told.title("Latency over time"),
        guide: format!("{GUIDE}{}{}", told.of_passes(), without_drain(&timeline, shown.system)),
        columns,
        chart: Chart { x, y, traces, shades: shades(&timeline) },
    })
}

/// The row that the middle of a bucket lies in.
fn row_of(bucket: usize) -> i32 {
    let (from, to) = bounds_of(bucket);
    let middle = f64::midpoint(from as f64, (to - 1) as f64).max(1.0);
    (middle.log10() * ROWS).floor() as i32
}

/// The cells with some that are empty, so that each row and each interval is there: a chart makes
/// cells as wide as the distance to the next.
fn with_empty(
    cells: &BTreeMap<(usize, i32), u64>,
    intervals: usize,
) -> Vec<((usize, i32), Option<u64>)> {
    let mut all: BTreeMap<(usize, i32), Option<u64>> =
        cells.iter().map(|(at, count)| (*at, Some(*count))).collect();
    let rows = || cells.keys().map(|(_, row)| *row);
    let (least, most) = (rows().min().unwrap_or_default(), rows().max().unwrap_or_default());
    for row in least..=most {
        all.entry((0, row)).or_default();
    }
    for interval in 0..intervals {
        all.entry((interval, least)).or_default();
    }
    all.into_iter().collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_row_and_interval_has_a_cell_and_no_count_changes() {
        let cells = BTreeMap::from([((0, 3), 5), ((2, 7), 1)]);
        let all = with_empty(&cells, 4);
        assert_eq!(all.iter().filter_map(|(_, count)| *count).sum::<u64>(), 6);
        for row in 3..=7 {
            assert!(all.iter().any(|((_, at), _)| *at == row), "row {row}");
        }
        for interval in 0..4 {
            assert!(all.iter().any(|((at, _), _)| *at == interval), "interval {interval}");
        }
        assert_eq!(all.len(), 9);
    }

    #[test]
    fn rows_are_equal_factors() {
        let row = |ns| row_of(iopath_record::histogram::bucket_of(ns));
        assert_eq!(row(10_000_000) - row(1_000_000), 12);
        assert_eq!(row(0), 0);
    }
}
