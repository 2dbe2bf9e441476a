//! Pages of hundreds of things: still one file to mail, with the spread instead of every line.

use iopath_record::{Counter, Entity, EntityId, Record, Series};
use iopath_report::document::{Document, Figure, Mark, Quantile};
use iopath_report::html;

use super::{assert_sound, figure, figures, numbers, page, sampled};

/// A file in this many bytes can be mailed everywhere: chosen with the goals of the report.
const MOST_BYTES: usize = 6_000_000;

/// A load of as many streams over as many disks, each sampled ten times a second for a minute; a
/// little noise keeps figures from being packed to nothing.
fn wide(streams: u32, disks: u32, trial: u32) -> Record {
    let mut record = sampled(streams);
    record.case.trial = trial;
    record.case.levels.insert("trial".to_owned(), trial.to_string());
    record.instants_ns = (0..=600).map(|at| at * 100_000_000).collect();
    record.series.clear();
    let file = record.relations.iter().position(|one| one.upper == EntityId(0)).unwrap();
    let disk = record.entities[1].clone();
    record.entities[1].name = "array[0].disk".to_owned();
    let first = record.entities.len() as u32;
    let name = |at: u32| format!("array[{at}].disk");
    record.entities.extend((1..disks).map(|at| Entity { name: name(at), ..disk.clone() }));
    let ids: Vec<u32> = std::iter::once(1).chain(first..first + disks - 1).collect();
    record.relations[file].lower = ids.iter().map(|id| EntityId(*id)).collect();
    let streams = (0..streams).map(|at| 2 + at);
    for (at, id) in (1u64..).zip(streams.chain(ids)) {
        let grown = |time: u64| (4_000_000 + at * 1_000) * time + noise(at, time);
        let values: Vec<u64> = (0..=600).map(grown).collect();
        record.series.push(Series::from_values(EntityId(id), Counter::ReadBytes, &values));
    }
    record
}

/// Up to a tenth of what an interval adds, never falling.
fn noise(at: u64, time: u64) -> u64 {
    (at * 7_919 + time * 104_729).wrapping_mul(2_654_435_761) % 400_000
}

fn quantiles(figure: &Figure) -> Vec<Quantile> {
    let marks = figure.chart.traces.iter().map(|trace| trace.mark);
    let quantile = |mark| if let Mark::Quantile(of) = mark { Some(of) } else { None };
    marks.filter_map(quantile).collect()
}

fn of_disks(page: &Document) -> &Figure {
    figure(page, "time-devices-0")
}

#[test]
fn a_page_of_hundreds_of_devices_and_streams_stays_below_6_mb() {
    let page = page((0..4).map(|trial| wide(424, 424, trial)).collect());
    assert_sound(&page);
    let bytes = html::render(&page).len();
    assert!(bytes < MOST_BYTES, "{bytes} bytes");
    let drawn = figures(&page).into_iter().map(|figure| figure.chart.traces.len()).max();
    assert!(drawn < Some(64), "{drawn:?} lines in one figure");
}

#[test]
fn of_more_than_64_lines_the_spread_is_drawn_and_the_ends_are_named() {
    let each = page(vec![wide(2, 64, 0)]);
    assert_eq!(quantiles(of_disks(&each)), []);
    assert_eq!(of_disks(&each).chart.traces.len(), 64 + 2);
    let page = page(vec![wide(2, 65, 0)]);
    assert_sound(&page);
    let figure = of_disks(&page);
    let all = [Quantile::Least, Quantile::Lower, Quantile::Median, Quantile::Upper, Quantile::Most];
    assert_eq!(quantiles(figure), all);
    let names: Vec<&str> =
        figure.chart.traces.iter().skip(all.len()).map(|trace| trace.name.as_str()).collect();
    assert_eq!(names, ["slowest: array[0].disk", "fastest: array[64].disk"]);
    assert!(figure.guide.contains("Of these 65"), "{}", figure.guide);
    assert_eq!(figure.columns.len(), 1 + all.len() + 2, "the CSV has what is drawn");
}

#[test]
fn at_every_time_quantiles_rise_and_reach_from_the_least_to_the_most() {
    let (spread, each) = (page(vec![wide(2, 65, 0)]), page(vec![wide(2, 64, 0)]));
    let of = |name: &str| numbers(of_disks(&spread), &format!("{name}_throughput_bytes_per_sec"));
    let columns = ["minimum", "p25", "median", "p75", "maximum"].map(of);
    for row in 0..columns[0].len() {
        let values = columns.each_ref().map(|column| column[row].unwrap());
        assert!(values.is_sorted(), "{row}: {values:?}");
        for disk in 0..64 {
            let name = format!("array[{disk}].disk_throughput_bytes_per_sec");
            let rate = numbers(of_disks(&each), &name)[row].unwrap();
            assert!((values[0]..=values[4]).contains(&rate), "{row}: {rate} of {values:?}");
        }
    }
}

#[test]
fn the_sum_of_very_many_streams_can_still_be_chosen() {
    let page = page(vec![wide(65, 2, 0)]);
    let figure = figure(&page, "time-streams-0");
    assert_eq!(quantiles(figure).len(), 5);
    let last = figure.chart.traces.last().unwrap();
    assert_eq!((last.name.as_str(), last.mark), ("sum", Mark::HiddenSum));
    let sum = numbers(figure, "sum_throughput_bytes_per_sec");
    let median = numbers(figure, "median_throughput_bytes_per_sec");
    let mean = sum[0].unwrap() / 65.0;
    assert!((0.8..1.25).contains(&(mean / median[0].unwrap())), "{mean} of {median:?}");
}
