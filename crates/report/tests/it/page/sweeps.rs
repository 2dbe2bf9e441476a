//! Sweeps of a page: what is told of trials that differ in a factor.

use iopath_record::histogram::{Summary, bucket_of};
use iopath_record::{Histogram, Record, Technique};
use iopath_report::document::{Block, Document, Figure, Mark, Table};

use super::{assert_sound, figure, figures, numbers, page, reported, rows};
use crate::load::Load;

/// A trial for each rate, with as many requests in flight as its level says.
fn trials(rates: &[(u32, u64)]) -> Vec<Record> {
    let trial = |(trial, (depth, rate)): (u32, &(u32, u64))| {
        let load = Load { trial, requests_per_sec: *rate, ..Load::new() };
        let mut record = load.record();
        record.case.levels.insert("depth".to_owned(), depth.to_string());
        record
    };
    (0..).zip(rates).map(trial).collect()
}

fn sweep(page: &Document) -> &[Block] {
    assert_sound(page);
    let section = page.sections.iter().find(|section| section.id == "sweeps");
    &section.expect("there is a sweep").blocks
}

fn table(blocks: &[Block]) -> Option<&Table> {
    blocks.iter().find_map(|block| match block {
        Block::Table(table) => Some(table),
        Block::Fold(_, blocks) => table(blocks),
        _ => None,
    })
}

fn marks(rates: &[(u32, u64)]) -> Vec<String> {
    let page = page(trials(rates));
    let rows = rows(table(sweep(&page)).unwrap());
    rows.iter().map(|row| (*row.last().unwrap()).to_owned()).collect()
}

#[test]
fn a_knee_is_marked_where_a_line_turns_flat_and_not_where_it_ends() {
    assert_eq!(marks(&[(1, 500), (2, 1000), (4, 1010)]), ["", "knee", "best"]);
    assert_eq!(marks(&[(1, 500), (2, 1000), (4, 2000)]), ["", "", "best"]);
}

/// All requests take no time.
fn instant(record: &mut Record) {
    record.technique = Technique::Simulation { events: 1 };
    let phases = record.streams.iter_mut().flat_map(|stream| &mut stream.phases);
    for kept in phases.flat_map(|phase| &mut phase.latency) {
        let mut counts = vec![0; bucket_of(0)];
        counts.push(kept.histogram.count());
        let summary = Summary { sum_ns: 0, min_ns: 0, max_ns: 0 };
        kept.histogram = Histogram::from_counts(counts, summary);
    }
}

#[test]
fn a_model_of_which_no_part_takes_time_has_no_response_no_knee_and_no_best() {
    let mut records = trials(&[(1, 500), (2, 1000), (4, 1010)]);
    records.iter_mut().for_each(instant);
    let page = page(records);
    let [Block::Text(told)] = sweep(&page) else { panic!("{:?}", sweep(&page)) };
    assert!(told.contains("no part of the described path takes time"), "{told}");
}

#[test]
fn a_response_of_no_time_is_not_told_beside_others() {
    let mut records = trials(&[(1, 500), (2, 1000), (4, 1010)]);
    instant(&mut records[0]);
    let page = page(records);
    let table = table(sweep(&page)).unwrap();
    let mut columns = table.columns.iter();
    let told = &columns.find(|one| one.title == "mean latency from issue").unwrap().cells;
    assert_eq!(told[0], "-");
    assert!(told[1..].iter().all(|cell| cell.ends_with(" ms")), "{told:?}");
}

/// The figure of a sweep over a factor with these levels.
fn family(levels: &[&str], rates: &[u64]) -> Figure {
    let trial = |(trial, (level, rate)): (u32, (&&str, &u64))| {
        let mut record = Load { trial, requests_per_sec: *rate, ..Load::new() }.record();
        record.case.levels.insert("factor".to_owned(), (*level).to_owned());
        record
    };
    let page = page((0..).zip(levels.iter().zip(rates)).map(trial).collect());
    figure(&page, "sweep-0").clone()
}

#[test]
fn names_are_bars_and_numbers_are_lines() {
    let mark = |levels: &[&str]| family(levels, &[500, 1000]).chart.traces[0].mark;
    assert_eq!(mark(&["read", "write"]), Mark::Bars);
    assert_eq!(mark(&["4 KiB", "64 KiB"]), Mark::LineDots);
    assert_eq!(mark(&["1", "2"]), Mark::LineDots);
}

#[test]
fn only_levels_that_were_tried_have_labels() {
    let axis = family(&["4", "8"], &[500, 1000]).chart.x;
    assert_eq!(axis.ticks, [(4.0, "4".to_owned()), (8.0, "8".to_owned())]);
    assert!(axis.is_relative, "it need not begin at 0");
}

#[test]
fn trials_that_are_no_worse_than_the_best_are_named() {
    let told = |rates: &[(u32, u64)]| match &page(trials(rates)).sections[0].blocks[0] {
        Block::Verdict(text) => text.clone(),
        other => panic!("{other:?}"),
    };
    let equal = told(&[(1, 500), (2, 1000), (4, 1000)]);
    assert!(
        equal.contains("best of 3 trials is depth=2, ") && equal.contains("; depth=4 is as fast")
    );
    let apart = told(&[(1, 500), (2, 1000), (4, 2000)]);
    assert!(!apart.contains("as fast"), "{apart}");
}

#[test]
fn each_experiment_has_its_sentence_whichever_says_most_of_it() {
    let named = |name: &str, first: u32| {
        let mut records = trials(&[(1, 500), (2, 1000), (4, 1010)]);
        for record in &mut records {
            record.case.trial += first;
            record.case.experiment = name.to_owned();
        }
        records
    };
    let mut records = named("b", 0);
    for (record, load) in records.iter_mut().zip(["0.25", "0.5", "0.5"]) {
        record.case.levels = [("load".to_owned(), load.to_owned())].into();
    }
    records.truncate(2);
    let page = page([records, named("a", 3)].concat());
    let said = |block: &Block| match block {
        Block::Verdict(text) => Some(text.clone()),
        _ => None,
    };
    let said: Vec<String> = page.sections[0].blocks.iter().filter_map(said).collect();
    assert_eq!(said.len(), 2, "{said:?}");
    assert!(said[0].starts_with("b: ") && said[1].starts_with("a: best of 3 trials"), "{said:?}");
}

#[test]
fn the_least_fair_trial_is_named() {
    let trial = |(trial, slow): (u32, usize)| {
        let mut record = Load { trial, streams: 8, ..Load::new() }.record();
        record.case.levels.insert("depth".to_owned(), (trial + 1).to_string());
        for phase in record.streams[..slow].iter_mut().flat_map(|stream| &mut stream.phases) {
            phase.read_bytes /= 10;
        }
        record
    };
    let said = |slow: [usize; 3]| match &page((0..).zip(slow).map(trial).collect()).sections[0]
        .blocks[0]
    {
        Block::Verdict(text) => text.clone(),
        other => panic!("{other:?}"),
    };
    assert!(
        said([0, 6, 0]).contains("; unfair at depth=2: Jain's index 0."),
        "{}",
        said([0, 6, 0])
    );
    assert!(!said([0, 0, 0]).contains("unfair"));
}

/// Throughput over depth where 2 carries 99 % of the most: its knee.
fn bent() -> Document {
    page(trials(&[(1, 500), (2, 1000), (4, 1010)]))
}

#[test]
fn p99_is_drawn_below_throughput_over_the_same_levels() {
    let page = bent();
    let [rate, p99] = ["sweep-0", "sweep-0-p99"].map(|id| figure(&page, id));
    assert_eq!(rate.chart.x, p99.chart.x);
    assert_eq!(rate.columns[0], p99.columns[0]);
    let ns = numbers(p99, "sequential read_p99_ns");
    let found = reported(trials(&[(1, 500), (2, 1000), (4, 1010)])).report.trials;
    let found = found.iter().map(|trial| trial.findings.latency_ns_p99.map(|ns| ns as f64));
    assert_eq!(ns, found.collect::<Vec<_>>());
    assert!(ns.iter().all(Option::is_some));
    let ids: Vec<&str> = sweep(&page)
        .iter()
        .filter_map(|block| match block {
            Block::Figure(figure) => Some(figure.id.as_str()),
            _ => None,
        })
        .collect();
    assert_eq!(ids[..2], ["sweep-0", "sweep-0-p99"]);
}

#[test]
fn the_knee_is_marked_in_both_charts_and_named_with_its_p99() {
    let page = bent();
    for (id, column) in [("sweep-0", "throughput_bytes_per_sec"), ("sweep-0-p99", "p99_ns")] {
        let figure = figure(&page, id);
        let knee = figure.chart.traces.iter().find(|one| one.name == "knee, recommended: depth=2");
        assert_eq!(knee.unwrap().mark, Mark::Dots);
        let of_line = numbers(figure, &format!("sequential read_{column}"));
        assert_eq!(numbers(figure, &format!("knee_{column}")), [None, of_line[1], None]);
    }
    let Block::Verdict(sentence) = &page.sections[0].blocks[0] else { panic!() };
    assert!(sentence.contains("; recommended depth=2 (knee): 99 % of the maximum with p99 "));
}

#[test]
fn a_sweep_stands_before_the_limit_and_a_line_to_its_end_has_no_knee() {
    let page = page(trials(&[(1, 500), (2, 1000), (4, 2000)]));
    let at = |id: &str| page.sections.iter().position(|section| section.id == id).unwrap();
    assert!(at("sweeps") < at("limit") && at("sweeps") < at("latency"));
    let traces = &figure(&page, "sweep-0").chart.traces;
    assert!(traces.iter().all(|trace| !trace.name.starts_with("knee")));
    assert!(traces.iter().any(|trace| trace.name == "best: depth=4"));
}

#[test]
fn trials_that_are_all_the_same_are_a_sentence_and_no_chart() {
    let page = page(trials(&[(1, 500), (2, 500), (4, 500)]));
    assert!(figures(&page).iter().all(|figure| !figure.id.starts_with("sweep-")));
    let texts: Vec<&str> = sweep(&page)
        .iter()
        .filter_map(|block| match block {
            Block::Text(text) => Some(text.as_str()),
            _ => None,
        })
        .collect();
    assert!(texts[0].starts_with("sequential read: every trial has a throughput of "), "{texts:?}");
    assert!(texts[1].starts_with("sequential read: every trial has a p99 of "), "{texts:?}");
}

#[test]
fn below_the_sentence_of_a_sweep_those_of_more_than_a_few_trials_are_folded() {
    let is_folded = |rates: &[(u32, u64)]| {
        let blocks = page(trials(rates)).sections[0].blocks.clone();
        blocks
            .iter()
            .any(|block| matches!(block, Block::Fold(title, _) if title.contains("trials")))
    };
    assert!(!is_folded(&[(1, 500), (2, 1000), (4, 1010)]));
    assert!(is_folded(&[(1, 500), (2, 1000), (4, 1010), (8, 1010)]));
}

#[test]
fn a_factor_of_two_names_has_no_map_and_one_of_three_has() {
    let has_map = |names: &[&str]| {
        let levels = names.iter().flat_map(|name| ["1", "2"].map(|depth| (*name, depth)));
        let trial = |(trial, (name, depth)): (u32, (&str, &str))| {
            let requests_per_sec = 500 + u64::from(trial);
            let mut record = Load { trial, requests_per_sec, ..Load::new() }.record();
            record.case.levels.insert("name".to_owned(), name.to_owned());
            record.case.levels.insert("depth".to_owned(), depth.to_owned());
            record
        };
        let page = page((0..).zip(levels).map(trial).collect());
        assert_sound(&page);
        figures(&page).iter().any(|figure| figure.id == "sweep-0-map")
    };
    assert!(!has_map(&["a", "b"]));
    assert!(has_map(&["a", "b", "c"]));
}
