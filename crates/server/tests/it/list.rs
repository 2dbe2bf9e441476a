//! The list: searched, in pages, computing no more verdicts than it shows.

use iopath_report::RunOrder;
use iopath_server::listing::{Listing, Verdicts};
use iopath_store::{RunState, Search, Store};
use iopath_units::System;
use rusqlite::Connection;

use crate::hosted::{Hosted, finished, new_run, record};

#[test]
fn an_empty_store_says_what_makes_a_run() {
    let hosted = Hosted::new();
    assert!(hosted.page("").contains("no run is stored yet"));
    assert_eq!(hosted.json("api/runs")["count"], 0);
}

#[test]
fn a_store_that_grows_is_shown_as_it_is_now() {
    let hosted = Hosted::new();
    let store = hosted.store();
    for number in 1..=3 {
        finished(&store, &format!("study {number}"));
        assert!(hosted.page("").contains(&format!("study {number}")));
        assert_eq!(hosted.json("api/runs")["count"], number);
    }
    let run = store.begin_run(&new_run("iopath measure x.kdl")).unwrap();
    let page = hosted.page("");
    assert!(page.contains("unfinished; no pass completed"), "{page}");
    store.append(run, &record("under way", 0)).unwrap();
    assert!(hosted.page("").contains("under way"));
    // A verdict is kept only of runs that have ended.
    let before = hosted.json("api/runs")["runs"][3]["verdict"].to_string();
    assert!(before.starts_with("\"unfinished; "), "{before}");
    store.end_run(run, &RunState::Finished, 1).unwrap();
    let after = hosted.json("api/runs")["runs"][3]["verdict"].to_string();
    assert!(!after.contains("unfinished"), "{after}");
}

#[test]
fn runs_are_found_by_words_technique_state_and_day() {
    let hosted = Hosted::new();
    let store = hosted.store();
    finished(&store, "Disks of node 1");
    finished(&store, "Disks of node 2");
    let mut other = new_run("iopath measure --target vdb");
    (other.host, other.started_unix_ns) = ("Node9".to_owned(), 1_795_305_600_000_000_000);
    store.begin_run(&other).unwrap();
    for (question, runs) in [
        ("", vec![1, 2, 3]),
        ("text=disks", vec![1, 2]),
        ("text=2+DISKS", vec![2]),
        ("text=node9", vec![3]),
        ("text=%25", vec![]),
        ("text='", vec![]),
        ("technique=measurement", vec![1, 2]),
        ("technique=simulation", vec![]),
        ("state=unfinished", vec![3]),
        ("state=finished&text=node+2", vec![2]),
        ("from=2026-11-22", vec![3]),
        ("until=2026-11-21", vec![1, 2]),
        ("from=2026-11-22&until=2026-11-22", vec![3]),
    ] {
        let found = hosted.json(&format!("api/runs?{question}"));
        let ids: Vec<u64> = found["runs"].as_array().unwrap().iter().map(id).collect();
        assert_eq!((ids, &found["count"]), (runs.clone(), &runs.len().into()), "{question}");
    }
    assert!(hosted.page("?text=nowhere").contains("no run is like that"));
}

#[test]
fn runs_are_sorted_by_every_column_in_both_directions() {
    let hosted = Hosted::new();
    let store = hosted.store();
    finished(&store, "b");
    let mut other = new_run("A without a record");
    (other.host, other.started_unix_ns) = ("Node9".to_owned(), 1);
    store.begin_run(&other).unwrap();
    finished(&store, "c");
    for (question, runs) in [
        ("sort=run", [3, 2, 1]),
        ("sort=run&order=ascending", [1, 2, 3]),
        ("sort=started&order=ascending", [2, 3, 1]),
        ("sort=study", [2, 1, 3]),
        ("sort=study&order=descending", [3, 1, 2]),
        ("sort=machine", [2, 3, 1]),
        ("sort=trials", [3, 1, 2]),
        ("sort=throughput", [3, 1, 2]),
        ("sort=throughput&order=ascending", [2, 3, 1]),
    ] {
        // Values are for programs: the last line is what the first row is.
        let found = hosted.json(&format!("api/runs?{question}"));
        let ids: Vec<u64> = found["runs"].as_array().unwrap().iter().rev().map(id).collect();
        assert_eq!(ids, runs, "{question}");
    }
    let page = hosted.page("?sort=throughput");
    assert!(page.contains("3 runs, by throughput, greatest first"), "{page}");
    assert!(page.contains(r#"aria-sort="descending"><a href="?sort=throughput&amp;order=asc"#));
    assert!(page.contains(r#"<a href="?sort=study&amp;page=1">study</a>"#), "{page}");
}

#[test]
fn of_many_trials_no_single_one_is_the_verdict() {
    let hosted = Hosted::new();
    let store = hosted.store();
    let run = store.begin_run(&new_run("iopath measure x.kdl")).unwrap();
    for trial in 0..31 {
        let mut one = record("many", 0);
        one.case.trial = trial;
        store.append(run, &one).unwrap();
    }
    store.end_run(run, &RunState::Finished, 1).unwrap();
    let listed = &hosted.json("api/runs")["runs"][0];
    assert_eq!(listed["verdict"], "31 trials: see its report");
    assert!(listed["throughput_bytes_per_sec"].is_null());
}

fn id(run: &serde_json::Value) -> u64 {
    run["run"].as_str().unwrap().parse().unwrap()
}

#[test]
fn names_of_runs_are_never_markup() {
    let hosted = Hosted::new();
    let store = hosted.store();
    let evil = "</td><script>alert(1)</script><img src=x onerror=alert(1)>\"'";
    let mut run = new_run(evil);
    run.host = evil.to_owned();
    let id = store.begin_run(&run).unwrap();
    store.append(id, &record(evil, 0)).unwrap();
    store.end_run(id, &RunState::Failed(evil.to_owned()), 1).unwrap();
    let query = format!("?text={}", evil.replace(' ', "+").replace('#', "%23"));
    for page in ["", &query, "runs/1", "runs/%3Cscript%3Ealert(1)", "?page=%3Cscript%3E"] {
        let body = hosted.get(page).body;
        assert!(!body.contains("<script>alert") && !body.contains("<img src=x"), "{page}: {body}");
        assert!(!body.contains("\"'\"") && !body.contains("value=\"</td>"), "{page}: {body}");
    }
}

/// As many runs as a store may have after years; 200 records that can be read.
fn fill(path: &std::path::Path) {
    let store = Store::open(path).unwrap();
    finished(&store, "first");
    drop(store);
    Connection::open(path)
        .unwrap()
        .execute_batch(
            "WITH RECURSIVE n(i) AS (SELECT 2 UNION ALL SELECT i + 1 FROM n WHERE i < 10000)
             INSERT INTO run (id, command, study, version, started_unix_ns, host, state,
                              ended_unix_ns)
             SELECT i, 'iopath measure', printf('%4000c', 'x'), '0.1.0', i * 1000000000, 'server1',
                    'finished', i FROM n;
             INSERT INTO record (run, trial, pass, body)
             SELECT id, trial, 0, body FROM run,
                    (SELECT 0 AS trial UNION SELECT 1 UNION SELECT 2),
                    (SELECT body FROM record WHERE run = 1)
             WHERE id > 9990 ;
             INSERT INTO listed SELECT id, printf('study %d', id), 'measurement' FROM run
             WHERE id > 1;",
        )
        .unwrap();
}

#[test]
fn of_ten_thousand_runs_only_those_shown_are_opened() {
    let hosted = Hosted::with(|path| fill(path));
    let page = hosted.page("");
    assert!(page.contains("10000 runs, newest first: 1 to 50"), "{page}");
    assert_eq!(page.matches("<tr>").count(), 51);
    assert!(hosted.page("?page=200").contains("9951 to 10000"));
    let found = (2..=10_000).filter(|number| number.to_string().contains("77")).count();
    assert_eq!(hosted.json("api/runs?text=study+77")["count"], found);
    let store = hosted.store();
    let (mut verdicts, limit) = (Verdicts::default(), Some(7));
    let search = Search { limit, ..Search::default() };
    let newest = RunOrder::default();
    let listing = Listing::read(&store, &search, newest, System::Decimal, &mut verdicts).unwrap();
    assert_eq!((listing.runs.len(), listing.count, verdicts.count()), (7, 10_000, 7));
    // The same rows again need no record.
    Connection::open(hosted.file()).unwrap().execute("UPDATE record SET body = x'00'", ()).unwrap();
    let again = Listing::read(&store, &search, newest, System::Decimal, &mut verdicts).unwrap();
    assert_eq!(again, listing);
}
