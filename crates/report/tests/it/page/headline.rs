//! The headline of a page and what stands below it are of the same trial; rates of another part of
//! a pass say so; damage has its places; charts end with the load.

use iopath_record::{BadBlock, BadBlocks, BadKind, Phase, PhaseTotals, Record, Technique};
use iopath_report::document::{Block, Document};
use iopath_report::{Color, Look, compose, html};
use iopath_units::System;

use super::{assert_sound, figure, page, rows, sampled};

const SECOND: u64 = 1_000_000_000;

/// A simulated trial of `bytes` a second in the window, with so many seconds of drain.
fn simulated(trial: u32, bytes: u64, drain: u64) -> Record {
    let mut record = sampled(2);
    record.technique = Technique::Simulation { events: 1 };
    record.case.trial = trial;
    record.case.levels.insert("load".to_owned(), trial.to_string());
    for stream in &mut record.streams {
        let window = &mut stream.phases[1];
        window.read_bytes = bytes * 10 / 2;
        let window = window.clone();
        let (from_ns, to_ns) = (11 * SECOND, (11 + drain) * SECOND);
        let phase = Phase::Drain;
        let latency = Vec::new();
        let done = PhaseTotals { completed: 1, read_bytes: 1, operations_ppm: 1_000_000, ..window };
        stream.phases.push(PhaseTotals { phase, from_ns, to_ns, latency, ..done });
        stream.last_done_ns = to_ns;
    }
    for series in &mut record.series {
        let mut values: Vec<u64> = series.values().collect();
        let last = values.last().copied().unwrap();
        values.extend((0..drain).map(|_| last));
        *series = iopath_record::Series::from_values(series.entity, series.counter, &values);
    }
    record.instants_ns = (0..=11 + drain).map(|second| second * SECOND).collect();
    record
}

fn section<'a>(page: &'a Document, id: &str) -> &'a [Block] {
    assert_sound(page);
    &page.sections.iter().find(|section| section.id == id).expect(id).blocks
}

fn headline(page: &Document) -> &str {
    section(page, "verdict")
        .iter()
        .find_map(|block| if let Block::Verdict(text) = block { Some(text.as_str()) } else { None })
        .unwrap()
}

/// The trials whose figures are shown first, by the number that their anchors end with.
fn open(page: &Document) -> Vec<String> {
    let blocks =
        ["time", "path", "latency", "fairness"].into_iter().flat_map(|id| section(page, id));
    let blocks = blocks.flat_map(|block| match block {
        Block::Cases(cases) => &cases[0].blocks[..],
        other => std::slice::from_ref(other),
    });
    let ids = blocks.filter_map(|block| match block {
        Block::Figure(figure) => Some(&figure.id),
        Block::Diagram(diagram) => Some(&diagram.id),
        _ => None,
    });
    let mut numbers: Vec<String> =
        ids.map(|id| id.rsplit('-').next().unwrap().to_owned()).collect();
    numbers.sort();
    numbers.dedup();
    numbers
}

#[test]
fn headline_pictures_and_charts_are_of_the_first_of_equally_fast_trials() {
    let page = page(
        (0..5)
            .map(|trial| simulated(trial, if trial % 2 == 1 { 900 } else { 500 } * 1_000_000, 0))
            .collect(),
    );
    let headline = headline(&page);
    assert!(headline.contains("best of 5 trials is load=1, 900.0 MB/s with p99 "), "{headline}");
    assert!(headline.contains("; load=3 is as fast"), "{headline}");
    assert_eq!(open(&page), ["1"]);
}

#[test]
fn a_drain_does_not_decide_which_trial_is_the_fastest() {
    let rates = [(500_000_000, 0), (900_000_000, 40), (700_000_000, 0)];
    let trials = (0..).zip(rates).map(|(trial, (bytes, drain))| simulated(trial, bytes, drain));
    let trials: Vec<Record> = trials.collect();
    let page = page(trials.clone());
    let said = headline(&page);
    assert!(said.contains("load=1, 900.0 MB/s"), "{said}");
    assert_eq!(open(&page), ["1"]);
    // Tables of trials have the same rate as the headline.
    let table = section(&page, "verdict").iter().find_map(|block| match block {
        Block::Table(table) => Some(table),
        _ => None,
    });
    assert_eq!(rows(table.unwrap())[1][1], "900.0 MB/s");
    let look = Look { width: 200, system: System::Decimal, color: Color::Never };
    let text = crate::brief(&compose::summary(&crate::view(&trials), look.system), &look);
    let row = text.lines().find(|line| line.trim_start().starts_with("load=1  "));
    assert!(row.unwrap().contains("900.0 MB/s"), "{text}");
}

#[test]
fn a_long_drain_is_left_out_of_charts_and_said() {
    let page = page(vec![simulated(0, 900_000_000, 40)]);
    let figure = figure(&page, "time-streams-0");
    let last = super::numbers(figure, "time_s").into_iter().flatten().fold(0.0, f64::max);
    assert!(last < 12.0, "{last}");
    assert!(figure.chart.shades.iter().all(|shade| shade.to <= 11.0 && shade.name != "drain"));
    assert!(figure.guide.contains("The drain of 40.00 s"), "{}", figure.guide);
    let short = page_of_short();
    let figure = super::figure(&short, "time-streams-0");
    assert!(figure.chart.shades.iter().any(|shade| shade.name == "drain"), "{:?}", figure.chart);
    assert!(!figure.guide.contains("The drain of"));
}

fn page_of_short() -> Document {
    page(vec![simulated(0, 900_000_000, 1)])
}

#[test]
fn rates_of_the_window_say_so_where_they_stand_beside_the_headline() {
    assert!(
        titles(&page(vec![sampled(2)]))
            .contains(&"From application to media, rates in the window".to_owned())
    );
    // Of several passes they are of the first, and the headline of all.
    let mut second = sampled(2);
    second.case.pass = 1;
    let several = titles(&page(vec![sampled(2), second]));
    let title = "From application to media, rates in the window of the first pass".to_owned();
    assert!(several.contains(&title), "{several:?}");
}

fn titles(page: &Document) -> Vec<String> {
    page.sections
        .iter()
        .flat_map(|section| &section.blocks)
        .filter_map(|block| match block {
            Block::Diagram(diagram) => Some(diagram.title.clone()),
            Block::Table(table) => Some(table.title.clone()),
            _ => None,
        })
        .collect()
}

fn bad(kind: BadKind, offset_bytes: u64) -> BadBlock {
    BadBlock {
        kind,
        target: "/data/file".to_owned(),
        offset_bytes,
        wanted_generation: Some(3),
        found_generation: (kind == BadKind::Stale).then_some(2),
        found_offset_bytes: None,
        what: format!("offset {offset_bytes}: something"),
    }
}

#[test]
fn a_damaged_run_lists_kinds_and_places_on_its_page() {
    let mut record = sampled(2);
    let mut found = BadBlocks::default();
    (0..150).for_each(|at| found.add(bad(BadKind::Stale, at * 4096)));
    found.add(bad(BadKind::Torn, 7 << 20));
    record.bad_blocks = found;
    let page = page(vec![record]);
    let blocks = section(&page, "bad-blocks");
    let Block::Table(kinds) = &blocks[1] else { panic!("{blocks:?}") };
    let counted: Vec<_> = rows(kinds).into_iter().map(|row| (row[0], row[1])).collect();
    assert_eq!(counted, [("stale", "150"), ("torn", "1")]);
    let Block::Fold(title, inner) = &blocks[3] else { panic!("{blocks:?}") };
    assert_eq!(title, "where the first 100 are");
    let Block::Table(places) = &inner[0] else { panic!("{inner:?}") };
    assert_eq!(places.rows(), 100);
    assert_eq!(rows(places)[1][..5], ["/data/file", "4096 (4.096 kB)", "stale", "3", "2"]);
    assert_eq!(blocks[4], Block::Lines(vec!["… and 141 more: iopath show RUN --json".to_owned()]));
    assert!(html::render(&page).contains("id=\"bad-blocks\""));
    assert!(headline(&page).starts_with("wrong data: "), "{}", headline(&page));
    let sound = super::page(vec![sampled(2)]);
    assert!(sound.sections.iter().all(|section| section.id != "bad-blocks"));
}

#[test]
fn blocks_without_a_usable_stamp_are_not_called_wrong() {
    let mut record = sampled(2);
    record.bad_blocks.add(BadBlock { wanted_generation: None, ..bad(BadKind::Unstamped, 0) });
    let page = page(vec![record]);
    let said = headline(&page);
    assert!(said.starts_with("not verified: "), "{said}");
    let text = html::render(&page);
    assert!(text.contains("1 block without a usable stamp (1 unstamped)"));
    assert!(!text.contains("does not return the data that was written"));
}
