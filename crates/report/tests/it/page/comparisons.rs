//! A page of several runs: what differs, by how much, and the runs over one another.

use iopath_record::Record;
use iopath_report::document::{Block, Document};
use iopath_report::{RunFacts, RunView, compose};
use iopath_units::System;

use super::{assert_sound, figure, numbers, sampled};
use crate::load::Load;

/// A run with this number.
fn run(id: &str, records: Vec<Record>) -> RunView {
    let facts = RunFacts::of_id(&id);
    RunView::of(facts, records).unwrap()
}

fn compared(a: Vec<Record>, b: Vec<Record>) -> Document {
    let page = compose::several(&[run("1", a), run("2", b)], System::Decimal);
    assert_sound(&page);
    page
}

#[test]
fn differences_are_dots_with_the_interval_of_the_table_around_them() {
    let faster = Load { requests_per_sec: 1200, ..Load::new() };
    let page = compared(Load::new().passes(3), faster.passes(3));
    let figure = figure(&page, "comparison-difference-0");
    let rate = |column: &str| numbers(figure, column)[0].unwrap();
    let (middle, above, below) =
        (rate("difference_share"), rate("interval_above_share"), rate("interval_below_share"));
    assert!((middle - 0.2).abs() < 0.01, "{middle}");
    assert!(above > 0.0 && below > 0.0 && middle - below > 0.0, "{above} {below}");
    let traces = &figure.chart.traces;
    assert_eq!((traces[0].error, traces[0].error_below), (Some(2), Some(3)));
    assert!(numbers(figure, "no_difference_share").iter().all(|zero| *zero == Some(0.0)));
}

#[test]
fn each_run_has_a_letter_that_stands_for_it_in_every_place() {
    let of = |id, ns| {
        let facts = RunFacts { id: Some(id), started_unix_ns: ns, ..RunFacts::default() };
        RunView::of(facts, Load::new().passes(3)).unwrap()
    };
    let runs = ["4", "7", "9"].map(|id| of(id.to_owned(), 1_700_000_000_000_000_000));
    let page = compose::several(&runs, System::Decimal);
    assert_sound(&page);
    let blocks = &page.sections[0].blocks;
    let Block::Table(named) = &blocks[0] else { panic!("{:?}", blocks[0]) };
    let column =
        |title: &str| &named.columns.iter().find(|column| column.title == title).unwrap().cells;
    assert_eq!(*column(""), ["A", "B", "C"]);
    assert_eq!(*column("run"), ["4", "7", "9"]);
    assert!(column("started (UTC)").iter().all(|at| at == "2023-11-14 22:13:20"));
    let said = blocks.iter().filter_map(|block| match block {
        Block::Verdict(text) => Some(text.split(':').next().unwrap_or_default()),
        _ => None,
    });
    assert_eq!(said.collect::<Vec<_>>(), ["B against A", "C against A"]);
    let last = blocks.iter().rev().find_map(|block| match block {
        Block::Table(table) => Some(table.columns.iter().map(|one| one.title.as_str())),
        _ => None,
    });
    let last: Vec<&str> = last.unwrap().collect();
    assert!(last.ends_with(&["A", "C", "difference", "95 % interval", "C is"]), "{last:?}");
    let parts: Vec<&str> = page.parts.iter().map(|part| &part.title[..1]).collect();
    assert_eq!(parts, ["A", "B", "C"]);
}

#[test]
fn what_differs_between_cases_stands_below_the_sentence() {
    let with_depth = |depth: u32| {
        let mut record = Load::new().record();
        record.case.text = format!("study \"s\"\nstream depth={depth}\n");
        vec![record]
    };
    let page = compared(with_depth(8), with_depth(16));
    let [Block::Table(_), Block::Verdict(_), Block::Lines(lines), ..] =
        &page.sections[0].blocks[..]
    else {
        panic!("{:?}", page.sections[0].blocks)
    };
    assert_eq!(*lines, ["stream: depth=8 -> depth=16"]);
    let page = compared(with_depth(8), with_depth(8));
    assert!(!matches!(page.sections[0].blocks[2], Block::Lines(_)));
}

#[test]
fn runs_lie_over_one_another_by_percentile_and_over_time() {
    let mut short = sampled(2);
    short.instants_ns.truncate(8);
    short.series.iter_mut().for_each(|series| series.steps.truncate(7));
    let page = compared(vec![sampled(2)], vec![short]);
    let names = |id: &str| -> Vec<&str> {
        figure(&page, id).chart.traces.iter().map(|trace| trace.name.as_str()).collect()
    };
    assert_eq!(names("comparison-percentiles-0"), ["A (run 1): reads", "B (run 2): reads"]);
    let time = figure(&page, "comparison-time-0");
    assert_eq!(names("comparison-time-0"), ["A (run 1)", "B (run 2)"]);
    let [long, short] = ["A (run 1)", "B (run 2)"]
        .map(|run| numbers(time, &format!("{run}_throughput_bytes_per_sec")));
    assert_eq!(long[..7], short[..7], "both moved the same at first");
    assert!(short[7..].iter().all(Option::is_none) && long[7].is_some());
}

#[test]
fn sweeps_of_runs_lie_over_one_another_along_their_factor() {
    let swept = |rates: [u64; 3]| -> Vec<Record> {
        let trial = |(trial, (depth, requests_per_sec)): (u32, (u32, u64))| {
            let mut record = Load { trial, requests_per_sec, ..Load::new() }.record();
            record.case.levels.insert("depth".to_owned(), depth.to_string());
            record
        };
        (0..).zip([1, 2, 4].into_iter().zip(rates)).map(trial).collect()
    };
    let page = compared(swept([500, 1000, 1010]), swept([600, 1200, 1250]));
    for id in ["comparison-sweep-0", "comparison-sweep-0-p99"] {
        let figure = figure(&page, id);
        let names: Vec<&str> = figure.chart.traces.iter().map(|one| one.name.as_str()).collect();
        assert_eq!(names, ["run=A", "run=B"], "{id}");
        assert_eq!(figure.columns[0].name, "depth_level");
    }
    let figure = figure(&page, "comparison-sweep-0");
    let [a, b] =
        ["A", "B"].map(|run| numbers(figure, &format!("run={run}_throughput_bytes_per_sec")));
    assert!(a.iter().zip(&b).all(|(a, b)| a < b), "{a:?} {b:?}");
    let page = compared(vec![Load::new().record()], vec![Load::new().record()]);
    assert!(super::figures(&page).iter().all(|one| !one.id.starts_with("comparison-sweep")));
}
