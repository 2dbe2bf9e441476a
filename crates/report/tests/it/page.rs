//! Pages of runs: what each figure holds is what the records hold, and no name does harm.

mod comparisons;
mod headline;
mod large;
mod sections;
mod sweeps;
mod times;

use iopath_record::{Counter, EntityId, Record, Series};
use iopath_report::document::{Block, Column, Document, Figure, Table, Values};
use iopath_report::{RunFacts, RunView, compose, html};
use iopath_units::System;

use crate::load::Load;

/// Endings of names of columns with numbers: their unit, or what they count.
const UNITS: [&str; 9] =
    ["_s", "_ns", "_bytes", "_per_sec", "_share", "_requests", "_index", "_number", "_level"];

pub(crate) fn reported(records: Vec<Record>) -> RunView {
    RunView::of(RunFacts::default(), records).unwrap()
}

pub(crate) fn page(records: Vec<Record>) -> Document {
    compose::whole(&reported(records), System::Decimal)
}

/// The cells of a table, row by row.
pub(crate) fn rows(table: &Table) -> Vec<Vec<&str>> {
    let row = |at: usize| table.columns.iter().map(|column| column.cells[at].as_str()).collect();
    (0..table.rows()).map(row).collect()
}

/// Every figure of a page, also those within folds.
pub(crate) fn figures(page: &Document) -> Vec<&Figure> {
    fn of(block: &Block) -> Vec<&Figure> {
        match block {
            Block::Figure(figure) => vec![figure],
            Block::Fold(_, blocks) => blocks.iter().flat_map(of).collect(),
            Block::Cases(cases) => {
                cases.iter().flat_map(|case| &case.blocks).flat_map(of).collect()
            }
            _ => Vec::new(),
        }
    }
    page.sections.iter().flat_map(|section| &section.blocks).flat_map(of).collect()
}

pub(crate) fn figure<'a>(page: &'a Document, id: &str) -> &'a Figure {
    let found = figures(page).into_iter().find(|figure| figure.id == id);
    found.unwrap_or_else(|| panic!("no figure {id} among {:?}", ids(page)))
}

fn ids(page: &Document) -> Vec<&str> {
    figures(page).into_iter().map(|figure| figure.id.as_str()).collect()
}

pub(crate) fn numbers(figure: &Figure, name: &str) -> Vec<Option<f64>> {
    let found = figure.columns.iter().find(|column| column.name == name);
    let names: Vec<_> = figure.columns.iter().map(|column| &column.name).collect();
    match &found.unwrap_or_else(|| panic!("no column {name} among {names:?}")).values {
        Values::Numbers(numbers) => numbers.clone(),
        Values::Texts(_) => panic!("{name} has names"),
    }
}

fn length(column: &Column) -> usize {
    match &column.values {
        Values::Numbers(numbers) => numbers.len(),
        Values::Texts(texts) => texts.len(),
    }
}

/// What holds for the figures of every page.
pub(crate) fn assert_sound(page: &Document) {
    let mut ids = ids(page);
    let all = ids.len();
    ids.sort_unstable();
    ids.dedup();
    assert_eq!(ids.len(), all, "anchors are unique");
    for figure in figures(page) {
        let id = &figure.id;
        assert!(!figure.guide.is_empty() && !figure.title.is_empty(), "{id}");
        assert!(!figure.chart.traces.is_empty(), "{id}");
        let rows = length(&figure.columns[0]);
        let mut names: Vec<&str> = Vec::new();
        for column in &figure.columns {
            assert_eq!(length(column), rows, "{id}: {}", column.name);
            let has_unit = UNITS.iter().any(|unit| column.name.ends_with(unit));
            let is_text = matches!(column.values, Values::Texts(_));
            assert!(has_unit || is_text, "{id}: {} has no unit", column.name);
            names.push(&column.name);
        }
        names.sort_unstable();
        let columns = names.len();
        names.dedup();
        assert_eq!(names.len(), columns, "{id}: columns have names of their own");
        for trace in &figure.chart.traces {
            let errors = [trace.error, trace.error_below];
            let used = [Some(trace.x), Some(trace.y), trace.text].into_iter().chain(errors);
            let mut used = used.flatten();
            assert!(used.all(|at| at < columns), "{id}");
        }
    }
}

/// A load whose streams were sampled each second, the last half a second after the others.
pub(crate) fn sampled(streams: u32) -> Record {
    let mut record = Load { streams, ..Load::new() }.record();
    let seconds = 11u64;
    record.instants_ns = (0..=seconds).map(|second| second * 1_000_000_000).collect();
    record.series.clear();
    for index in 0..streams {
        record.streams[index as usize].phases[1].read_bytes += u64::from(index) << 20;
        // Each a little faster than the one before, and all slower and slower.
        let values: Vec<u64> = (0..=seconds)
            .map(|at| (1_000_000 + u64::from(index) * 1_000) * at * (40 - at))
            .collect();
        let id = EntityId(2 + index);
        record.series.push(Series::from_values(id, Counter::ReadBytes, &values));
    }
    record
}

#[test]
fn the_sum_of_the_streams_is_the_line_of_the_sum() {
    for streams in [3, 64] {
        let page = page(vec![sampled(streams)]);
        assert_sound(&page);
        let figure = figure(&page, "time-streams-0");
        let sum = numbers(figure, "sum_throughput_bytes_per_sec");
        assert_eq!(sum.len(), 11);
        for (row, total) in sum.iter().enumerate() {
            let of = |index: u32| {
                numbers(figure, &format!("reader[{index}]_throughput_bytes_per_sec"))[row].unwrap()
            };
            let added: f64 = (0..streams).map(of).sum();
            assert!((added - total.unwrap()).abs() < 1.0, "row {row}: {added} of {total:?}");
        }
    }
}

#[test]
fn an_interval_of_streams_is_as_long_as_some_requests_take() {
    let intervals = |requests: u64| {
        let mut record = sampled(2);
        for phase in record.streams.iter_mut().flat_map(|stream| &mut stream.phases) {
            phase.completed = 0;
        }
        record.streams.iter_mut().for_each(|stream| stream.phases[1].completed = requests);
        let page = page(vec![record]);
        let found = figures(&page).into_iter().find(|figure| figure.id == "time-streams-0");
        found.map(|figure| length(&figure.columns[0]))
    };
    assert_eq!(intervals(1_000), Some(11), "one for each sample");
    assert_eq!(intervals(24), Some(6), "of four requests each");
    assert_eq!(intervals(7), None, "one interval is no timeline");
}

#[test]
fn of_many_streams_the_slowest_and_the_fastest_are_named() {
    let page = page(vec![sampled(64)]);
    let figure = figure(&page, "time-streams-0");
    let names: Vec<&str> =
        figure.chart.traces.iter().skip(64).map(|trace| trace.name.as_str()).collect();
    assert_eq!(names, ["slowest: reader[0]", "fastest: reader[63]", "sum"]);
}

#[test]
fn a_line_ends_where_its_stream_ends() {
    let mut record = sampled(2);
    record.streams[1].last_done_ns = 6_500_000_000;
    let page = page(vec![record]);
    let ended = numbers(figure(&page, "time-streams-0"), "reader[1]_throughput_bytes_per_sec");
    let known: Vec<bool> = ended.iter().map(Option::is_some).collect();
    assert_eq!(known, [vec![true; 7], vec![false; 4]].concat());
}

#[test]
fn a_timeline_of_jains_index_is_drawn_where_it_is_not_always_1() {
    let has_timeline = |record: Record| {
        let page = page(vec![record]);
        figures(&page).iter().any(|figure| figure.id == "fairness-jain-0")
    };
    assert!(!has_timeline(sampled(2)));
    let mut record = sampled(2);
    let slow: Vec<u64> = (0..=11).map(|at| 400_000 * at * (40 - at)).collect();
    record.series[1] = Series::from_values(EntityId(3), Counter::ReadBytes, &slow);
    assert!(has_timeline(record));
}

#[test]
fn hostile_names_stay_text() {
    let hostile = "</script><script>alert(1)</script>%{x}<b>";
    let mut record = sampled(2);
    for entity in &mut record.entities {
        entity.name = format!("{hostile}{}", entity.name);
    }
    record.case.experiment = hostile.to_owned();
    record.case.study = hostile.to_owned();
    let page = page(vec![record]);
    assert_sound(&page);
    let text = html::render(&page);
    assert!(!text.contains("<script>alert") && !text.contains("%{x}<b>"), "a name is markup");
    let templates = text.matches("\"hovertemplate\":\"").count();
    assert!(templates > 0);
    for part in text.split("\"hovertemplate\":\"").skip(1) {
        let template = &part[..part.find('"').unwrap()];
        assert!(!template.contains("alert"), "{template}");
    }
}

#[test]
fn records_of_older_formats_still_have_a_page() {
    let fixtures = [
        include_str!("../../../record/tests/fixtures/v1/two-streams.json"),
        include_str!("../../../record/tests/fixtures/v1/analytic.json"),
        include_str!("../../../record/tests/fixtures/v2/bounds.json"),
        include_str!("../../../record/tests/fixtures/v2/least.json"),
        include_str!("../../../record/tests/fixtures/v3/emulated.json"),
        include_str!("../../../record/tests/fixtures/v4/observed.json"),
    ];
    for text in fixtures {
        let page = page(vec![iopath_record::from_json(text).unwrap()]);
        assert_sound(&page);
        assert!(html::render(&page).starts_with(html::MARK));
    }
}

#[test]
fn of_many_trials_some_can_be_chosen_and_the_others_are_named() {
    let trial = |trial: u32| {
        let mut record = sampled(2);
        record.case.trial = trial;
        record.case.levels.insert("depth".to_owned(), trial.to_string());
        record
    };
    let page = page((0..20).map(trial).collect());
    assert_sound(&page);
    let section = page.sections.iter().find(|section| section.id == "time").unwrap();
    let Some(Block::Cases(cases)) = section.blocks.first() else { panic!("no cases") };
    assert_eq!(cases.len(), 12, "the fastest first");
    let html = html::render(&page);
    assert_eq!(html.matches("<select").count(), 1, "one list for all sections");
    assert_eq!(html.matches("<option").count(), 12);
    let sections = page.sections.iter();
    let last = sections.filter_map(|section| section.blocks.last());
    let told = last.filter(|one| matches!(one, Block::Text(text) if text.contains("8 of 20")));
    assert_eq!(told.count(), 1, "several sections leave the same out, and one says so");
}
