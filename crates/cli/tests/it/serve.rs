//! The store in a browser: the address that is printed, what it shows while runs are made, the end.

use std::net::TcpStream;
use std::time::{Duration, Instant};

use crate::program::Program;
use crate::serving::{PATIENCE, Serving};

const SHORT: &str = "--target data --time 60ms --warm-up 0s --passes 1 --no-progress";

#[test]
fn what_is_served_is_what_commands_print() {
    let program = Program::in_memory();
    program.file("data", 4 << 20);
    program.line(&format!("measure {SHORT}")).done();
    let serving = Serving::of(&program);
    // A run that is made meanwhile is there.
    program.line(&format!("measure {SHORT}")).done();
    assert_eq!(serving.json("api/runs"), program.json("list"));
    assert_eq!(serving.json("api/runs/2"), program.json("show 2"));
    assert_eq!(serving.json("api/compare?runs=1,2"), program.json("compare 1 2"));
    let (status, list) = serving.get("");
    assert!(status == 200 && list.contains("href=\"runs/2\""), "{list}");
    let (status, page) = serving.get("runs/1");
    assert!(status == 200 && page.contains("<h2>verdict</h2>"));
    assert!(serving.get("compare?runs=1,2").1.contains("B against A: "));
    let url = serving.url.clone();
    assert_eq!(serving.end(), Some(0));
    let host = url.trim_start_matches("http://").split('/').next().unwrap();
    assert!(TcpStream::connect(host).is_err(), "nothing listens any more");
}

#[test]
fn a_measurement_is_followed_while_it_goes_on() {
    let program = Program::in_memory();
    program.file("data", 4 << 20);
    program.line(&format!("measure {SHORT}")).done();
    let serving = Serving::of(&program);
    // As long as anybody may have to wait: it is interrupted when it was seen.
    let options = "--target data --time 100s --warm-up 0s --passes 1 --no-progress";
    let measuring = program.start(&format!("measure {options} --streams 2"));
    let begin = Instant::now();
    let seen = |page: &str| page.contains("trial 1 of 1") && page.contains("<polyline");
    let page = loop {
        let (_, page) = serving.get("runs/2/live");
        if seen(&page) {
            break page;
        }
        assert!(begin.elapsed() < PATIENCE, "nothing is told: {page}");
        std::thread::sleep(Duration::from_millis(50));
    };
    assert!(page.contains("B/s</p>") && page.contains(" left"), "{page}");
    assert!(serving.get("").1.contains("href=\"runs/2/live\""));
    measuring.interrupt();
    measuring.wait().ends(130);
    assert_eq!(serving.get("runs/2/live").0, 302);
    assert!(serving.get("runs/2").1.contains("interrupted"));
}

#[test]
fn what_keeps_it_from_serving_is_told() {
    let program = Program::in_memory();
    program.line("serve").ends(3).tells(&["there is no store", "nothing has been stored yet"]);
    program.line("serve --store typo.db").ends(3).tells(&["typo.db"]);
    program.line("serve --port 0").ends(3).tells(&["--port"]);
    program.file("data", 1 << 20);
    program.line(&format!("measure {SHORT}")).done();
    let serving = Serving::of(&program);
    let port = serving.host().split(':').nth(1).unwrap();
    let told = [format!("port {port} is in use"), "omit --port".to_owned()];
    let told: Vec<&str> = told.iter().map(String::as_str).collect();
    program.line(&format!("serve --port {port}")).ends(4).tells(&told);
}

#[test]
fn several_runs_make_one_page_that_compares_them() {
    let program = Program::in_memory();
    program.file("data", 4 << 20);
    for _ in 0..2 {
        program.line(&format!("measure {SHORT}")).done();
    }
    let path = program.line("report 1 2").done().stdout;
    assert!(path.trim_end().ends_with("reports/run-1-2.html"), "{path}");
    let page = std::fs::read_to_string(path.trim_end()).unwrap();
    let places = ["id=\"comparison\"", "id=\"part-1-verdict\"", "id=\"part-2-verdict\""];
    let found = places.map(|place| page.find(place).unwrap());
    assert!(found.is_sorted(), "{found:?}");
    assert!(page.contains("id=\"part-2-time-devices-0\"") || !page.contains("time-devices"));
}

#[test]
fn a_long_list_shows_the_newest_and_says_so() {
    let program = Program::in_memory();
    program.file("data", 1 << 20);
    for _ in 0..3 {
        program.line(&format!("measure {SHORT}")).done();
    }
    let list = program.line("list --last 2").done().stdout;
    assert!(list.contains("1 earlier: see --last and --all"), "{list}");
    assert_eq!(program.json("list --last 2")["count"], 3);
    let runs = |line: &str| -> Vec<String> {
        let list = program.json(line);
        let runs = list["runs"].as_array().unwrap();
        runs.iter().map(|run| run["run"].as_str().unwrap().to_owned()).collect()
    };
    assert_eq!(runs("list --last 2"), ["2", "3"]);
    assert_eq!(runs("list --all"), ["1", "2", "3"]);
    assert_eq!(runs("list data measure"), ["1", "2", "3"]);
    assert_eq!(runs("list nowhere"), [""; 0]);
    let nothing = program.line("list nowhere").done().stdout;
    assert!(nothing.contains("no run matches \"nowhere\""), "{nothing}");
}
