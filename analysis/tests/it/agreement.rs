//! What a study publishes against records that say something known.

use std::collections::BTreeMap;

use iopath_analysis::agreement::{Agreement, Answers, Outcome, Said, Status, agree, moves};
use iopath_record::{
    Bound, BoundKind, CaseText, ClockNote, Entity, EntityId, Layer, LimitId, Phase, PhaseTotals,
    Price, Record, StreamTotals, Technique, Warning,
};
use iopath_study::{Case, Source, parse};

const STUDY: &str = r#"
study "figures"
layout { file "a" count=2 size="1 GiB" }
workload {
    streams "r" over="a[0]" block="4 KiB"
    streams "w" over="a[1]" block="4 KiB" op="write"
}
vary {
    factor "depth" of="r.depth" 1 2 4
    factor "cache" of="workload.cache" "direct" "buffered"
}
published {
"#;

/// The rows of figures, when the streams r and w move so many bytes per second each.
fn rows(figures: &str, says: impl Fn(&str, &str) -> (u64, u64)) -> Vec<Agreement> {
    rows_of(figures, |case| {
        let level = |at: usize| case.levels[at].level.as_str();
        record(case, says(level(0), level(1)))
    })
}

fn rows_of(figures: &str, record: impl Fn(&Case) -> Record) -> Vec<Agreement> {
    let text = format!("{STUDY}{figures}\n}}\n");
    let source = Source { name: "figures.kdl".to_owned(), text };
    let study = parse(&source, &[]).unwrap_or_else(|mistakes| panic!("{mistakes}"));
    let answer = |case: Case| {
        let analytic = Some(record(&case));
        Answers { case, analytic, simulated: None, measured: None }
    };
    let answers: Vec<Answers> = study.cases().unwrap().into_iter().map(answer).collect();
    agree(&study.experiments[0], &answers)
}

fn record(case: &Case, (r, w): (u64, u64)) -> Record {
    let entity = |name: &str, kind: &str| Entity {
        name: name.to_owned(),
        kind: kind.to_owned(),
        layer: Layer::Application,
        parent: None,
        binding: None,
        count: 1,
        limits: Vec::new(),
    };
    let bound = Bound {
        kind: BoundKind::FixedSplit,
        bytes_per_sec: r + w,
        operations_milli_per_sec: 0,
        binding: vec![Price { of: LimitId { entity: EntityId(2), limit: 0 }, gain_ppm: 1_000_000 }],
        upgrades: Vec::new(),
        leaves_out: Vec::new(),
    };
    Record {
        format: Record::FORMAT,
        case: CaseText {
            study: case.study.clone(),
            experiment: case.experiment.clone(),
            text: String::new(),
            levels: BTreeMap::new(),
            trial: 0,
            pass: 0,
            seed: 1,
        },
        technique: Technique::Analytic,
        environment: BTreeMap::new(),
        entities: vec![
            entity("r", "stream"),
            entity("w", "stream"),
            entity("host.hba[0-3]", "hba"),
        ],
        relations: Vec::new(),
        clock: ClockNote::default(),
        instants_ns: vec![0, 2_000_000_000],
        series: Vec::new(),
        streams: vec![totals(0, (2 * r, 0)), totals(1, (0, 2 * w))],
        heat: Vec::new(),
        bounds: vec![bound],
        curve: Vec::new(),
        events: Vec::new(),
        warnings: Vec::new(),
    }
}

/// Two seconds of a stream.
fn totals(entity: u32, (read_bytes, write_bytes): (u64, u64)) -> StreamTotals {
    let window = PhaseTotals {
        phase: Phase::Window,
        from_ns: 0,
        to_ns: 2_000_000_000,
        submitted: 10,
        completed: 10,
        failed: 0,
        operations_ppm: 10_000_000,
        read_bytes,
        write_bytes,
        in_flight_ns: 1_000_000,
        join_wait_ns: 0,
        pool_wait_ns: 0,
        idle_ns: 0,
        user_ns: 0,
        system_ns: 0,
        latency: Vec::new(),
    };
    StreamTotals {
        entity: EntityId(entity),
        first_issue_ns: 0,
        first_done_ns: 0,
        last_done_ns: 2_000_000_000,
        phases: vec![window],
    }
}

fn by_depth(depth: &str, _: &str) -> (u64, u64) {
    let depth: u64 = depth.parse().unwrap();
    (depth * 100_000_000, 50_000_000)
}

#[test]
fn single_values_ranges_and_edges_have_their_errors() {
    let rows = rows(
        r#"
        check "one" throughput="100 MB/s" depth=1 cache="direct"
        identity "sum" throughput="250 MB/s" depth=2 cache="direct"
        identity "not quite" throughput="250.1 MB/s" depth=2 cache="direct"
        check "range" r="300 MB/s .. 350 MB/s" depth=4 cache="direct"
        check "edge" r=">500 MB/s" depth=4 cache="direct"
        check "inside" r="<500 MB/s" depth=4 cache="direct"
        given "input" w.throughput="50 MB/s" depth=1 cache="direct"
        "#,
        by_depth,
    );
    let told: Vec<_> = rows
        .iter()
        .map(|row| (row.status, row.outcome, row.error_percent.map(|e| (e * 1e3).round() / 1e3)))
        .collect();
    use {Outcome::*, Status::*};
    assert_eq!(
        told,
        [
            (Check, Missed, Some(50.0)),
            (Identity, Met, Some(0.0)),
            (Identity, Missed, Some(-0.04)),
            (Check, Missed, Some(14.286)),
            (Check, Missed, Some(-20.0)),
            (Check, Met, Some(0.0)),
            (Given, Met, Some(0.0)),
        ]
    );
    assert_eq!(rows[5].note, "20.0 % below the edge");
    assert_eq!(rows[0].analytic, Said::Number(150e6));
}

#[test]
fn a_range_of_levels_is_met_by_its_nearest_and_says_which() {
    let rows = rows(r#"check "some" r="190 MB/s" depth="1 .. 4" cache="direct""#, by_depth);
    assert_eq!((rows[0].outcome, rows[0].analytic.clone()), (Outcome::Missed, Said::Number(200e6)));
    assert_eq!(rows[0].note, "depth = 2");
}

#[test]
fn ratios_are_taken_against_the_case_that_differs_only_where_said() {
    let figure = r#"shape "twice" ratio="1.9 .. 2.1" metric="r" depth=4 cache="buffered" {
        against depth=2
    }"#;
    let buffered = |depth: &str, cache: &str| match cache {
        "direct" => (7, 7),
        _ => by_depth(depth, cache),
    };
    let rows = rows(figure, buffered);
    assert_eq!((rows[0].outcome, rows[0].analytic.clone()), (Outcome::Met, Said::Number(2.0)));
}

#[test]
fn an_edge_is_not_beyond_itself_and_a_flat_course_does_not_rise() {
    let figures = r#"
        shape "more" r=">100 MB/s" depth=1 cache="direct"
        shape "as much" r=">=100 MB/s" depth=1 cache="direct"
        shape "flat" rises="w" along="depth" cache="direct"
        "#;
    let rows = rows(figures, by_depth);
    let told: Vec<_> = rows.iter().map(|row| row.outcome).collect();
    assert_eq!(told, [Outcome::Missed, Outcome::Met, Outcome::Missed]);
    assert_eq!(rows[2].analytic, Said::Words("is flat over 3 levels".to_owned()));
}

#[test]
fn what_names_no_level_must_hold_at_every_one() {
    let figures = r#"
        shape "at each" r="100 MB/s" depth=1
        shape "at one" r="200 MB/s" depth="1 .. 4"
        "#;
    let differing = |depth: &str, cache: &str| match cache {
        "buffered" => (7, 7),
        _ => by_depth(depth, cache),
    };
    let told: Vec<_> = rows(figures, by_depth).iter().map(|row| row.outcome).collect();
    assert_eq!(told, [Outcome::Met, Outcome::Met]);
    let told: Vec<_> = rows(figures, differing).iter().map(|row| row.outcome).collect();
    assert_eq!(told, [Outcome::Missed, Outcome::Missed]);
}

#[test]
fn courses_and_bottlenecks_are_met_or_missed() {
    let figures = r#"
        shape "up" rises="r" along="depth" cache="direct"
        shape "down" rises="r" along="depth" cache="buffered"
        shape "best" best="throughput" along="depth" depth=4 cache="direct"
        shape "not best" best="throughput" along="depth" depth=2 cache="direct"
        shape "near" best="throughput" along="depth" tolerance=0.5 depth=2 cache="direct"
        "#;
    let falling = |depth: &str, cache: &str| match (depth, cache) {
        ("4", "buffered") => (1, 1),
        _ => by_depth(depth, cache),
    };
    let rows = rows(figures, falling);
    let told: Vec<_> = rows.iter().map(|row| (row.figure.as_str(), row.outcome)).collect();
    assert_eq!(
        told,
        [
            ("up: rises", Outcome::Met),
            ("down: rises", Outcome::Missed),
            ("best: best", Outcome::Met),
            ("not best: best", Outcome::Missed),
            ("near: best", Outcome::Met),
        ]
    );
    assert_eq!(rows[1].analytic, Said::Words("falls at 4".to_owned()));
}

#[test]
fn what_no_bound_accounts_for_needs_simulation_and_lies_below_the_bound() {
    let figures = r#"
        check "below" r="90 MB/s" depth=1 cache="direct"
        check "above" r="110 MB/s" depth=1 cache="direct"
        check "said so" r="90 MB/s" needs="the size of the cache" depth=2 cache="direct"
        check "not bounded" r.median="110 MB/s" depth=1 cache="direct"
        shape "course" rises="r" along="depth" cache="direct"
        "#;
    let rows = rows_of(figures, |case| {
        let level = case.levels[0].level.as_str();
        let mut record = record(case, by_depth(level, ""));
        if level == "1" {
            let text = "readahead of vxfs".to_owned();
            record.warnings.push(Warning { kind: "needs-simulation".to_owned(), text });
        }
        record
    });
    assert!(rows.iter().all(|row| row.analytic == Said::NeedsSimulation));
    let told: Vec<_> = rows.iter().map(|row| row.outcome).collect();
    assert_eq!(told, [Outcome::Open, Outcome::Missed, Outcome::Open, Outcome::Open, Outcome::Open]);
    assert_eq!(rows[0].needs, ["readahead of vxfs"]);
    assert_eq!(
        (rows[0].bound, rows[0].note.as_str()),
        (Some(100e6), "the bound lies 11.1 % above")
    );
    assert!(rows[1].note.ends_with("the bound lies 9.1 % below, so the model is wrong"));
    assert!(rows[2].needs == ["the size of the cache"]);
}

#[test]
fn moves_are_those_of_checks_and_sorted() {
    let figures = r#"
        given "input" r="100 MB/s" depth=1 cache="direct"
        check "small" w="50 MB/s" depth=1 cache="direct"
        check "large" r="100 MB/s" depth=1 cache="direct"
        "#;
    let at = |r: u64, w: u64| rows(figures, move |_, _| (r, w));
    let found = moves("host.hba.read", &at(1000, 1000), &at(800, 990), &at(1100, 1000));
    let told: Vec<_> =
        found.iter().map(|m| (m.figure.as_str(), m.lower_percent, m.higher_percent)).collect();
    assert_eq!(told, [("large: r.throughput", -20.0, 10.0), ("small: w.throughput", -1.0, 0.0)]);
}
