//! Fairness, latency and layers of a page.

use iopath_record::histogram::{Summary, bucket_of};
use iopath_record::{Counter, CurvePoint, EntityId, Histogram, Series, Technique};
use iopath_report::document::{Block, Mark};

use super::{assert_sound, figure, figures, numbers, page, sampled};
use crate::load::Load;

fn histogram(values_ns: &[u64]) -> Histogram {
    let mut counts = vec![0; 3712];
    values_ns.iter().for_each(|value| counts[bucket_of(*value)] += 1);
    let summary = Summary {
        sum_ns: values_ns.iter().sum(),
        min_ns: values_ns.iter().copied().min().unwrap_or(0),
        max_ns: values_ns.iter().copied().max().unwrap_or(0),
    };
    Histogram::from_counts(counts, summary)
}

fn known(values: Vec<Option<f64>>) -> Vec<f64> {
    values.into_iter().flatten().collect()
}

#[test]
fn every_stream_is_a_dot_and_once_among_the_sorted() {
    let mut record = sampled(5);
    for (index, stream) in (1u64..).zip(&mut record.streams) {
        stream.phases[1].read_bytes = 10_000_000_000 * (7 - index);
    }
    record.entities[4].name = "writer".to_owned();
    let page = page(vec![record]);
    assert_sound(&page);
    let figure = figure(&page, "fairness-rates-0");
    let readers = numbers(figure, "reader_throughput_bytes_per_sec");
    let writer = numbers(figure, "writer_throughput_bytes_per_sec");
    assert_eq!(known(readers), [6e9, 5e9, 3e9, 2e9]);
    assert_eq!(writer, [None, None, Some(4e9), None, None]);
    let sorted = known(numbers(figure, "sorted_throughput_bytes_per_sec"));
    assert_eq!(sorted, [2e9, 3e9, 4e9, 5e9, 6e9]);
    assert_eq!(known(numbers(figure, "mean_throughput_bytes_per_sec")), [4e9; 5]);
    let section = page.sections.iter().find(|section| section.id == "fairness").unwrap();
    let tables = section.blocks.iter().filter(|block| matches!(block, Block::Table(_)));
    assert_eq!(tables.count(), 1, "two groups");
    let dots: Vec<_> = figure.chart.traces.iter().filter(|one| one.mark == Mark::Dots).collect();
    let named = dots.iter().filter_map(|one| Some(figure.columns[one.text?].name.as_str()));
    assert_eq!(named.collect::<Vec<_>>(), ["stream", "stream"], "a dot shows whose it is");
    // 20^2 / (5 (36 + 25 + 16 + 9 + 4)).
    let sentence = "Jain's index 0.8889 over 5 streams; reader[4] got 2.000 GB/s, reader[0] got \
                    6.000 GB/s";
    assert_eq!(section.blocks[0], Block::Text(sentence.to_owned()));
}

#[test]
fn a_single_stream_has_no_fairness() {
    let page = page(vec![sampled(1)]);
    assert!(page.sections.iter().all(|section| section.id != "fairness"));
}

#[test]
fn the_counts_of_the_map_are_those_of_the_record() {
    let mut record = sampled(2);
    record.heat = (1..=11).map(|at| histogram(&vec![1_000_000 * at; at as usize])).collect();
    record.heat[4] = Histogram::default();
    let all: u64 = record.heat.iter().map(Histogram::count).sum();
    let page = page(vec![record]);
    assert_sound(&page);
    let figure = figure(&page, "latency-heat-0");
    let counts = known(numbers(figure, "completed_requests"));
    assert_eq!(counts.iter().sum::<f64>(), all as f64);
    assert!(matches!(figure.chart.traces[0].mark, Mark::Heat { .. }));
    let rows = numbers(figure, "latency_ns");
    let of_five = rows.iter().flatten().any(|ns| (4.5e6..5.6e6).contains(ns));
    assert!(of_five, "the row of an interval without requests is there all the same");
}

#[test]
fn percentiles_rise_and_reads_and_writes_are_apart() {
    let load = Load { write_percent: 30, is_open: true, ..Load::new() };
    let mut record = load.record();
    for phase in &mut record.streams[0].phases {
        for kept in &mut phase.latency {
            let tail: Vec<u64> = (0..100).map(|at| 9_000_000 + at * 1_000_000).collect();
            kept.histogram.merge(&histogram(&tail));
        }
    }
    let page = page(vec![record]);
    assert_sound(&page);
    let figure = figure(&page, "latency-percentiles-0");
    let names: Vec<&str> = figure.chart.traces.iter().map(|trace| trace.name.as_str()).collect();
    let intended = ["reads from intended start", "writes from intended start"];
    assert_eq!(names, [["reads", "writes"], intended].concat());
    for trace in &figure.chart.traces {
        let curve = known(numbers(figure, &figure.columns[trace.y].name));
        assert!(curve.len() > 20 && curve.is_sorted(), "{}: {curve:?}", trace.name);
    }
    assert!(figure.chart.x.ticks.iter().any(|(at, label)| *at == 1000.0 && label == "99.9"));
}

#[test]
fn a_model_of_which_no_part_takes_time_has_no_picture_of_latency() {
    let mut record = sampled(2);
    for stream in &mut record.streams {
        for kept in stream.phases.iter_mut().flat_map(|phase| &mut phase.latency) {
            kept.histogram = histogram(&[0; 500]);
        }
    }
    record.heat = (0..11).map(|_| histogram(&[0; 9])).collect();
    let page = page(vec![record]);
    assert!(page.sections.iter().all(|section| section.id != "latency"));
}

#[test]
fn a_load_sweep_is_drawn_with_its_limit() {
    let step = |(trial, rate): (u32, u64)| {
        let load = Load { trial, requests_per_sec: rate, is_open: true, ..Load::new() };
        let mut record = load.record();
        record.case.levels.insert("rate".to_owned(), rate.to_string());
        record
    };
    let page = page((0..).zip([500, 1000, 2000]).map(step).collect());
    assert_sound(&page);
    let figure = figure(&page, "latency-ladder-0");
    assert_eq!(known(numbers(figure, "wanted_operations_per_sec")), [500.0, 1000.0, 2000.0]);
    assert_eq!(known(numbers(figure, "limit_ns")), [3e7; 3]);
}

#[test]
fn load_sweeps_of_one_experiment_lie_over_one_another() {
    let step = |(trial, (pairs, rate)): (u32, (u32, u64))| {
        let load = Load { trial, requests_per_sec: rate, is_open: true, ..Load::new() };
        let mut record = load.record();
        record.case.levels.insert("pairs".to_owned(), pairs.to_string());
        record.case.levels.insert("rate".to_owned(), rate.to_string());
        record
    };
    let rates = [(1, 500), (1, 1000), (2, 500), (2, 1000), (2, 2000)];
    let page = page((0..).zip(rates).map(step).collect());
    assert_sound(&page);
    let figure = figure(&page, "latency-ladders-0");
    let names: Vec<&str> = figure.chart.traces.iter().map(|one| one.name.as_str()).collect();
    assert_eq!(names[..2], ["pairs=1", "pairs=2"]);
    assert_eq!(numbers(figure, "pairs=1_achieved_operations_per_sec")[2], None);
    let [few, many] = [500.0, 2000.0].map(Some);
    let all = numbers(figure, "pairs=2_achieved_operations_per_sec");
    assert!(all[0] == few && all[2] == many, "{all:?}");
}

#[test]
fn a_curve_stands_between_its_asymptotes() {
    let mut record = Load::new().record();
    record.technique = Technique::Analytic;
    let point = |load_ppm: u64| CurvePoint {
        load_ppm,
        operations_milli_per_sec: load_ppm,
        bytes_per_sec: load_ppm,
        response_ns: 1_000_000_000_000 / (1_000_000 - load_ppm),
    };
    record.curve = (1..20).map(|step| point(step * 50_000)).collect();
    record.bounds = vec![iopath_record::Bound {
        kind: iopath_record::BoundKind::FreeSplit,
        bytes_per_sec: 1_000_000,
        operations_milli_per_sec: 1_000_000,
        binding: Vec::new(),
        upgrades: Vec::new(),
        leaves_out: Vec::new(),
    }];
    let page = page(vec![record]);
    assert_sound(&page);
    let figure = figure(&page, "latency-curve-0");
    let saturation = known(numbers(figure, "saturated_operations_per_sec"));
    assert!(saturation.iter().all(|one| (one - 1000.0).abs() < 1e-6), "{saturation:?}");
    let knee: Vec<usize> = numbers(figure, "knee_response_ns")
        .iter()
        .enumerate()
        .filter_map(|(at, one)| one.map(|_| at))
        .collect();
    assert_eq!(knee, [9], "half the load of a single server");
}

#[test]
fn slow_members_with_equal_rates_stand_above_the_others() {
    let mut record = Load { streams: 2, ..Load::new() }.record();
    let disk = record.entities[1].clone();
    let names = ["sda", "sdb", "sdc", "sdd"];
    record.entities[1].name = names[0].to_owned();
    let first = record.entities.len() as u32;
    record.entities.extend(
        names[1..]
            .iter()
            .map(|name| iopath_record::Entity { name: (*name).to_owned(), ..disk.clone() }),
    );
    let members: Vec<u32> = std::iter::once(1).chain(first..first + 3).collect();
    let relation = record.relations.iter_mut().find(|one| one.upper == EntityId(0)).unwrap();
    relation.lower = members.iter().map(|id| EntityId(*id)).collect();
    record.series.clear();
    for (at, member) in members.iter().enumerate() {
        let ns = if at == 3 { 40_000_000 } else { 5_000_000 };
        let grown = [
            (Counter::ReadBytes, 5_500 << 20),
            (Counter::ReadOperations, 5_500),
            (Counter::ReadNs, 5_500 * ns),
        ];
        for (counter, to) in grown {
            record.series.push(Series::from_values(EntityId(*member), counter, &[0, to]));
        }
    }
    let page = page(vec![record]);
    assert_sound(&page);
    let figure = figure(&page, "layers-balance-0-0");
    assert_eq!(known(numbers(figure, "slow_service_ns")), [4e7]);
    assert_eq!(known(numbers(figure, "service_ns")), [5e6; 3]);
    let layers = page.sections.iter().find(|section| section.id == "layers").unwrap();
    assert!(layers.blocks.iter().any(|block| matches!(block, Block::Lines(lines) if lines.iter()
        .any(|line| line.contains("sdd")))));
    let bars = figures(&page).into_iter().find(|figure| figure.id == "layers-bytes-0").unwrap();
    assert_eq!(bars.chart.traces[0].mark, Mark::Bars);
}

#[test]
fn the_sentence_of_several_trials_is_that_of_the_fastest() {
    let trial = |trial, depth: u64| {
        let mut record = Load { trial, depth, ..Load::new() }.record();
        record.case.levels.insert("depth".to_owned(), depth.to_string());
        record.streams[0].phases[1].read_bytes *= depth;
        record
    };
    let verdicts = |depths: &[u64]| {
        let records = (0..).zip(depths).map(|(at, depth)| trial(at, *depth)).collect();
        let page = page(records);
        let blocks = page.sections[0].blocks.iter();
        blocks.take(3).cloned().collect::<Vec<_>>()
    };
    let [Block::Verdict(sentence), Block::Lines(lines), _] = &verdicts(&[4, 16, 8])[..] else {
        panic!("a sentence and a line for each trial");
    };
    assert!(sentence.contains("best of 3 trials is depth=16"), "{sentence}");
    assert_eq!(lines.len(), 3);
    let many = verdicts(&(1..=20).collect::<Vec<_>>());
    let [Block::Verdict(_), Block::Lines(first), Block::Fold(title, _)] = &many[..] else {
        panic!("{many:?}");
    };
    assert_eq!(title, "all 20 trials");
    assert!(first[0].starts_with("20 trials from ") && first[0].contains("depth=20: "));
}
