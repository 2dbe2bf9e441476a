//! A measurement under way in a real browser: the list leads to its page, figures change without a
//! reload, and the page becomes the report when the run ends. Without scripts it is followed too.

use std::time::{Duration, Instant};

use serde_json::{Value, json};

use super::page::{Page, VIEWS, browser};
use super::{MISPLACED, assert_drawn};
use crate::program::{Program, Running, await_that};
use crate::serving::{PATIENCE, Serving};

/// Longer than anybody has to wait: it is interrupted when everything was seen. At a rate that
/// leaves the processors to the browser.
const LONG: &str = "measure --target data --time 100s --warm-up 0s --passes 1 --streams 3 \
    --pattern random --rate 300/s --no-progress";

/// The line of all streams.
const LINE: &str = "document.querySelector('.live polyline:not(.stream)')?.getAttribute('points')";

/// A served store with a run that is over and one under way.
fn under_way(program: &Program) -> (Serving, Running) {
    program.file("data", 4 << 20);
    program.line("measure --target data --time 60ms --passes 1 --warm-up 0s").done();
    let serving = Serving::of(program);
    let measuring = program.start(LONG);
    await_that("its run begins", || serving.json("api/runs")["count"] == 2);
    (serving, measuring)
}

/// Waits for another line than the one that was seen; gives it.
fn another_line(page: &Page, seen: &Value) -> Value {
    page.wait(&format!("({LINE} ?? {seen}) !== {seen}"));
    page.eval(LINE)
}

#[test]
fn a_run_is_followed_from_the_list_to_its_report() {
    let Some(page) = browser() else { return };
    let program = Program::in_memory();
    let (serving, measuring) = under_way(&program);
    page.look(VIEWS[0]);
    page.open(&serving.url);
    page.click_at("a[href='runs/2/live']");
    page.wait("location.pathname.endsWith('/runs/2/live')");
    // Gone as soon as the page is loaded anew.
    page.eval("window.kept = true");
    let mut line = another_line(&page, &Value::Null);
    for view in VIEWS {
        page.look(view);
        line = another_line(&page, &line);
        assert_eq!(page.eval(MISPLACED), json!([]), "{view:?}");
        let said = page.eval("document.querySelector('main').innerText").to_string();
        for part in ["B/s", "trial 1 of 1", "pass 1", " left"] {
            assert!(said.contains(part), "{view:?}: no {part:?} in {said}");
        }
        assert_eq!(page.eval("document.querySelectorAll('.streams tbody tr').length"), json!(3));
    }
    let title = page.eval("document.title");
    assert!(title.as_str().unwrap().ends_with("under way"), "{title}");
    assert_eq!(page.eval("window.kept"), json!(true), "it was loaded anew");
    measuring.interrupt();
    measuring.wait().ends(130);
    page.wait("location.pathname.endsWith('/runs/2')");
    page.wait("document.querySelector('figure:has(> .chart)') !== null");
    assert!(assert_drawn(&page) >= 2);
    assert_eq!(page.eval(MISPLACED), json!([]));
    assert_eq!(page.errors(), Vec::<String>::new());
}

#[test]
fn without_scripts_a_run_is_followed_too() {
    let Some(page) = browser() else { return };
    let program = Program::in_memory();
    let (serving, measuring) = under_way(&program);
    page.without_scripts();
    page.open(&format!("{}runs/2/live", serving.url));
    let begin = Instant::now();
    let until = |is_there: &dyn Fn(&str) -> bool| loop {
        let content = page.content();
        if is_there(&content) {
            break content;
        }
        assert!(begin.elapsed() < PATIENCE, "it does not change: {content}");
        std::thread::sleep(Duration::from_millis(50));
    };
    let line = |content: &str| {
        let from = content.rfind("<polyline points=\"")?;
        Some(content[from..].split('"').nth(1)?.to_owned())
    };
    let first = line(&until(&|content| line(content).is_some()));
    until(&|content| line(content).is_some_and(|line| Some(line) != first));
    measuring.interrupt();
    measuring.wait().ends(130);
    until(&|content| content.contains("<h2>verdict</h2>"));
}
