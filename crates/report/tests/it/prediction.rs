//! Predictions as people and programs read them.

use iopath_analysis::predict;
use iopath_record::{BoundKind, Limit, Measure, Record, Technique};
use iopath_report::{
    Carried, Color, Detail, Look, Lost, PredictedCase, Rebuild, Removal, Timing, compose,
    prediction_json, render_json, text, verdict,
};
use iopath_units::System;

use crate::path::{Path, limit};
use crate::{brief, compared, view};

const LOOK: Look = Look { width: 110, system: System::Decimal, color: Color::Never };

fn of(record: &Record) -> PredictedCase {
    PredictedCase::of(record, None)
}

fn text(cases: &[PredictedCase], detail: Detail) -> String {
    text::render(&compose::prediction(cases, detail, LOOK.system), detail, &LOOK)
}

#[test]
fn one_case_is_told_in_full() {
    let case = of(&Path::new("profile", 1332).record);
    insta::assert_snapshot!("one_case", text(&[case], Detail::Brief));
}

#[test]
fn full_detail_shows_idle_components_and_every_limit() {
    let case = of(&Path::new("profile", 1332).record);
    let short = text(std::slice::from_ref(&case), Detail::Brief);
    let full = text(&[case], Detail::Full);
    assert!(!short.contains("spare") && short.contains("1 line of idle components"), "{short}");
    assert!(full.contains("spare") && !full.contains("left out;"), "{full}");
    assert!(full.contains("1.000 M/s read"), "{full}");
}

#[test]
fn many_cases_are_a_line_each() {
    let cases = [("one", 1332), ("two", 999)].map(|(name, mb)| of(&Path::new(name, mb).record));
    insta::assert_snapshot!("two_cases", text(&cases, Detail::Brief));
    let full = text(&cases, Detail::Full);
    assert_eq!(full.matches("\nbounds\n").count(), 2, "{full}");
}

#[test]
fn what_a_loss_costs_stands_behind_the_sentence() {
    let (before, after) = (Path::new("profile", 1332).record, Path::new("profile", 999).record);
    let lost = |name: &str| Lost {
        kind: "stopped",
        name: name.to_owned(),
        text: "its target is gone".to_owned(),
        rebuild: None,
    };
    let removal = Removal {
        removed: vec!["p690.drawer[0].planar[0]".to_owned()],
        before: Carried::predicted(&predict(&before)),
        lost: ["a", "b", "c", "d", "e"].map(lost).into(),
    };
    let case = PredictedCase::of(&after, Some(removal));
    let told = text(&[case], Detail::Brief);
    let expected =
        "\n  with p690.drawer[0].planar[0] 18.65 GB/s, without 13.99 GB/s: 75.0 % are left\n";
    assert!(told.contains(expected), "{told}");
    let expected = "\nlosses\n  a, b, c and 2 others: stopped: its target is gone\n";
    assert!(told.contains(expected), "{told}");
}

#[test]
fn a_rebuild_has_its_least_time_what_limits_it_and_what_it_reads() {
    let before = Path::new("profile", 1332).record;
    let told = |rebuild: Rebuild, detail| {
        let lost = Lost {
            kind: "degraded",
            name: "md".to_owned(),
            text: "md goes on".to_owned(),
            rebuild: Some(rebuild),
        };
        let removal = Removal {
            removed: vec!["disk".to_owned()],
            before: Carried::predicted(&predict(&before)),
            lost: vec![lost],
        };
        text(&[PredictedCase::of(&before, Some(removal))], detail).replace("\n    ", " ")
    };
    let drive = Rebuild {
        bytes: Some(18_000_000_000_000),
        bytes_per_sec: 270_000_000,
        limit: "h.disk".to_owned(),
        reads: 8,
        has_spare: true,
    };
    let expected = "md goes on; rebuilding one drive onto a spare takes 18.52 h at least on an \
                    idle array: 18.00 TB at 270.0 MB/s, limited by h.disk; 8 drives are read\n";
    let found = told(drive.clone(), Detail::Brief);
    assert!(found.contains(expected), "{found}");
    let copy = Rebuild { bytes: None, reads: 1, has_spare: false, ..drive };
    let expected = "rebuilding one drive onto a replacement writes 270.0 MB/s at most on an idle \
                    array, limited by h.disk; its copy is read\n";
    let found = told(copy, Detail::Brief);
    assert!(found.contains(expected), "{found}");
}

#[test]
fn a_loss_that_moves_no_bound_is_not_a_share() {
    let after = Path::new("profile", 1332).record;
    let told = |bytes: f64| {
        let before = Carried { throughput_bytes_per_sec: bytes, operations_per_sec: 1.0 };
        let removal = Removal { removed: vec!["r5.disk".to_owned()], before, lost: Vec::new() };
        text(&[PredictedCase::of(&after, Some(removal))], Detail::Brief)
    };
    let same = told(predict(&after).throughput_bytes_per_sec);
    assert!(
        same.contains("with and without r5.disk 18.65 GB/s: the bound stays the same"),
        "{same}"
    );
    // A disk that is gone is not written.
    let more = told(predict(&after).throughput_bytes_per_sec / 2.0);
    assert!(more.contains("with r5.disk 9.324 GB/s, without 18.65 GB/s: 200 % of it"), "{more}");
}

#[test]
fn a_rate_that_is_wanted_is_told_with_whether_it_is_reached() {
    let mut record = Path::new("profile", 1332).record;
    for stream in 0..14 {
        record.entities[stream].limits = vec![limit(Measure::Bytes, 600, "study")];
        record.streams[stream].phases[0].read_bytes = 600_000_000;
    }
    let told = text(&[of(&record)], Detail::Brief);
    let expected = "reader (14 streams): all of the 8.400 GB/s wanted; all 14 p690.drawer.planar";
    assert!(told.contains(expected), "{told}");
    record.bounds[0].binding.clear();
    let told = text(&[of(&record)], Detail::Brief);
    assert!(told.contains("wanted; no described component is full"), "{told}");
    for stream in 0..14 {
        record.entities[stream].limits[0].per_sec = 700_000_000;
    }
    let told = text(&[of(&record)], Detail::Brief);
    assert!(told.contains("can read 8.400 GB/s of the 9.800 GB/s wanted"), "{told}");
    record.bounds.clear();
    let told = text(&[of(&record)], Detail::Brief);
    assert!(told.contains("read: the path has no rated component, so there is nothing"), "{told}");
}

#[test]
fn requests_in_flight_that_bind_are_told_with_what_more_would_give() {
    let mut record = Path::new("profile", 1332).record;
    let mut closed = record.bounds[0].clone();
    record.bounds[0].bytes_per_sec *= 2;
    closed.kind = BoundKind::ClosedLoop;
    closed.binding.clear();
    record.bounds.push(closed);
    let told = text(&[of(&record)], Detail::Brief);
    let expected = "reader (14 streams) can read 18.65 GB/s at most; limited by requests in flight";
    assert!(told.contains(expected), "{told}");
    let token = Limit { tokens: Some(400), ..limit(Measure::Requests, 0, "given") };
    record.entities[14].limits = vec![token];
    let binding = record.bounds[0].binding[0];
    let of_host = iopath_record::LimitId { entity: iopath_record::EntityId(14), limit: 0 };
    record.bounds[1].binding = vec![iopath_record::Price { of: of_host, ..binding }];
    let told = text(&[of(&record)], Detail::Brief);
    let expected =
        "p690 is used up (400 in flight read, given); with more requests in flight: 37.30 GB/s";
    assert!(told.replace("\n  ", " ").contains(expected), "{told}");
}

#[test]
fn devices_without_a_flush_time_are_named() {
    let mut record = Path::new("profile", 1332).record;
    let sentence = |record: &Record| text(&[of(record)], Detail::Brief).replace("\n  ", " ");
    let free =
        |name: &str| format!("flush-time: {name} states no flush-time: its flushes are free");
    record.bounds[0].leaves_out.push(free("a"));
    let shown = sentence(&record);
    assert!(shown.contains("; a states no flush-time: its flushes are free\n"), "{shown}");
    record.bounds[0].leaves_out.extend([free("b"), free("c")]);
    let shown = sentence(&record);
    assert!(shown.contains("its flushes are free, and so are those of 2 more\n"), "{shown}");
}

#[test]
fn json_has_every_key() {
    let case = of(&Path::new("profile", 1332).record);
    let timing = Timing { parse_ns: 1, build_ns: 2, evaluate_ns: 3 };
    let value = prediction_json(None, &[case], timing);
    assert_eq!(value["format"], "iopath-prediction/1");
    assert_eq!(value["timing"]["build_ns"], 2);
    let keys = |value: &serde_json::Value| {
        let keys: Vec<_> = value.as_object().unwrap().keys().cloned().collect();
        keys.join(" ")
    };
    let case = &value["cases"][0];
    assert_eq!(keys(case), "case prediction technique without");
    let prediction = &case["prediction"];
    assert_eq!(
        keys(prediction),
        "bottlenecks bounds components curve decided_by facts leaves_out operations_per_sec \
         read_bytes_per_sec response_ns shares throughput_bytes_per_sec upgrades warnings \
         write_bytes_per_sec"
    );
    assert_eq!(prediction["decided_by"], "fixed-split");
    let binding = &prediction["bottlenecks"][0];
    assert_eq!(keys(binding), "count gain kind limit name of shortens");
    assert_eq!((&binding["name"], &binding["count"]), (&"p690.drawer.planar".into(), &14.into()));
    let raise = &prediction["upgrades"][0]["raise"][0];
    assert_eq!(keys(raise), "count kind limit name of to_per_sec");
}

#[test]
fn a_stored_prediction_is_shown_like_a_fresh_one() {
    let record = Path::new("profile", 1332).record;
    let fresh = text(&[of(&record)], Detail::Brief);
    let run = view(&[record]);
    let shown = brief(&compose::whole(&run, LOOK.system), &LOOK);
    assert!(shown.starts_with(&fresh), "{shown}");
    let sentence = "profile op=read: reader (14 streams) can read 18.65 GB/s at most; all 14";
    assert!(verdict(&run.report.trials[0], LOOK.system).starts_with(sentence));
    let value = render_json(&run);
    assert_eq!(value["trials"][0]["prediction"]["decided_by"], "fixed-split");
    assert_eq!(value["trials"][0]["findings"]["limit"]["cause"], "component");
}

#[test]
fn a_prediction_is_compared_with_a_measurement() {
    let predicted = Path::new("profile", 1332).record;
    let mut measured = Path::new("profile", 1200).record;
    measured.technique = Technique::Measurement { engine: "uring".to_owned(), emulated: None };
    let passes = (0..3).map(|pass| {
        let mut record = measured.clone();
        record.case.pass = pass;
        record
    });
    let passes: Vec<_> = passes.collect();
    let text = brief(&compared(&[predicted], &passes, LOOK.system), &LOOK);
    assert!(
        text.contains("\nA is analytic, B is measurement; B against A: throughput -9.9 %: slower"),
        "{text}"
    );
    assert!(text.contains("-9.9 %"), "{text}");
}
