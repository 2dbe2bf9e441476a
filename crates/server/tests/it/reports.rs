//! Reports and values: the same that commands print.

use iopath_analysis::compare;
use iopath_report::{RunFacts, RunView, comparison_json, render_json};

use iopath_store::NewRun;

use crate::hosted::{Hosted, finished, new_run, record};

#[test]
fn a_report_is_the_page_of_the_command_with_a_way_back() {
    let hosted = Hosted::new();
    finished(&hosted.store(), "Two readers");
    for page in ["runs/1", "runs/last"] {
        let body = hosted.page(page);
        assert!(body.contains("<h2>verdict</h2>") && body.contains("Two readers · run 1"));
        assert!(body.contains("href=\"../\"") && body.contains("href=\"../api/runs/1\""));
    }
    assert!(hosted.page("").contains("href=\"runs/1\""));
}

#[test]
fn a_value_is_what_the_command_prints() {
    let hosted = Hosted::new();
    let store = hosted.store();
    let id = finished(&store, "Two readers");
    let records = store.records(id).unwrap();
    let view = RunView::of(RunFacts::of_id(&1), records).unwrap();
    assert_eq!(hosted.json("api/runs/1"), render_json(&view));
    let missing = hosted.get("api/runs/2");
    assert_eq!(missing.status, 404);
    let error: serde_json::Value = serde_json::from_str(&missing.body).unwrap();
    assert_eq!(error["format"], "iopath-error/1");
    assert!(error["error"].as_str().unwrap().contains("the store has 1"), "{error}");
}

#[test]
fn runs_are_compared_first_and_then_each_is_told() {
    let hosted = Hosted::new();
    let store = hosted.store();
    let ids = [finished(&store, "one"), finished(&store, "two"), finished(&store, "three")];
    for question in ["runs=1,2,3", "runs=1&runs=2&runs=3", "runs=1,2&runs=last"] {
        let page = hosted.page(&format!("compare?{question}"));
        for part in ["run 1, run 2, run 3 compared", "B against A</strong>", "C against A</strong>"]
        {
            assert!(page.contains(part), "{question}: {part}");
        }
        let places = ["comparison", "part-1-verdict", "part-2-verdict", "part-3-verdict"];
        let found = places.map(|id| page.find(&format!("<section id=\"{id}\"")).unwrap());
        assert!(found.is_sorted(), "{found:?}");
        assert!(page.matches("id=\"").count() == unique_ids(&page), "an anchor appears twice");
    }
    let (a, b) = (store.records(ids[0]).unwrap(), store.records(ids[1]).unwrap());
    let expected = comparison_json(&compare(&a, &b).unwrap());
    assert_eq!(hosted.json("api/compare?runs=1,2"), expected);
}

#[test]
fn of_runs_that_were_ticked_the_older_one_is_the_baseline() {
    let hosted = Hosted::new();
    let store = hosted.store();
    for title in ["one", "two"] {
        finished(&store, title);
    }
    // A run that was imported later may be older than those here.
    let begin = NewRun { started_unix_ns: 1_700_000_000_000_000_000, ..new_run("iopath measure") };
    let old = store.begin_run(&begin).unwrap();
    store.append(old, &record("three", 0)).unwrap();
    for (question, order) in [
        ("runs=2&runs=1", ["A · one · run 1", "B · two · run 2"]),
        ("runs=3&runs=2", ["A · three · run 3", "B · two · run 2"]),
        ("runs=2,1", ["A · two · run 2", "B · one · run 1"]),
    ] {
        let page = hosted.page(&format!("compare?{question}"));
        assert!(order.iter().all(|run| page.contains(run)), "{question}: {order:?}");
    }
}

fn unique_ids(page: &str) -> usize {
    let ids = page.split("id=\"").skip(1).map(|rest| rest.split('"').next().unwrap());
    ids.collect::<std::collections::BTreeSet<_>>().len()
}

#[test]
fn what_cannot_be_compared_is_said() {
    let hosted = Hosted::new();
    finished(&hosted.store(), "one");
    let many = vec!["1"; 13].join(",");
    for (question, status, told) in [
        ("runs=1", 400, "select two to 12 runs"),
        ("", 400, "select two to 12 runs"),
        (&format!("runs={many}"), 400, "select two to 12 runs"),
        ("runs=1,7", 404, "there is no run"),
    ] {
        let answered = hosted.get(&format!("compare?{question}"));
        assert_eq!(answered.status, status, "{question}");
        assert!(answered.body.contains(told), "{question}: {}", answered.body);
    }
    assert_eq!(hosted.get("api/compare?runs=1,1,1").status, 400);
}
