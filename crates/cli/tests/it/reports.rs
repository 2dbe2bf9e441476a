//! Pages of runs: where they go, what stands in them, and that no name in them is markup.

use std::fs;

use crate::program::Program;

const SHORT: &str = "--time 60ms --warm-up 0s --block 64KiB";

fn pages(program: &Program) -> Vec<String> {
    let Ok(entries) = fs::read_dir(program.store().with_file_name("reports")) else {
        return Vec::new();
    };
    let mut names: Vec<String> =
        entries.map(|entry| entry.unwrap().file_name().into_string().unwrap()).collect();
    names.sort();
    names
}

#[test]
fn a_measurement_leaves_its_page_beside_the_store_and_says_where() {
    let program = Program::in_memory();
    program.file("data", 1 << 20);
    let output = program.line(&format!("measure --target data {SHORT}")).done();
    assert!(output.stderr.contains("report: ") && output.stderr.contains("run-1.html"));
    assert_eq!(
        (pages(&program), program.names()),
        (vec!["run-1.html".into()], vec!["data".into()])
    );
    program.line(&format!("measure --target data {SHORT} --no-report")).done();
    assert_eq!(pages(&program), ["run-1.html"]);
    program.line(&format!("measure --target data {SHORT} --report mine.html")).done();
    assert_eq!(program.names(), ["data", "mine.html"]);
}

#[test]
fn a_page_says_what_the_text_says_and_needs_nothing_from_elsewhere() {
    let program = Program::in_memory();
    program.file("data", 1 << 20);
    program.line(&format!("measure --target data {SHORT} --no-report")).done();
    program.line("report last -o page.html").done();
    let page = fs::read_to_string(program.path("page.html")).unwrap();
    let verdict = program.line("show last").done().stdout;
    let figure = verdict.lines().find(|line| line.contains("B/s")).unwrap();
    let figure = figure.split_once("B/s").unwrap().0.rsplit(' ').nth(1).unwrap();
    assert!(page.contains(figure), "{figure} of {verdict}");
    for needed in ["<title>", "id=\"verdict\"", "id=\"environment\""] {
        assert!(page.contains(needed), "{needed}");
    }
    for elsewhere in ["src=\"http", "href=\"http", "@import", "url(http"] {
        assert!(!page.contains(elsewhere), "{elsewhere}");
    }
    assert!(page.len() < 6_000_000, "{}", page.len());
}

#[test]
fn a_page_on_stdout_has_stdout_to_itself() {
    let program = Program::in_memory();
    program.file("data", 1 << 20);
    for json in ["", " --json"] {
        let line = format!("measure --target data {SHORT} --no-progress --report -{json}");
        let output = program.line(&line).done();
        let page = output.stdout.trim();
        assert!(page.starts_with("<!DOCTYPE html>") && page.ends_with("</html>"), "{json}");
        assert!(!page.contains("iopath-run/8"));
        let wanted = if json.is_empty() { "\nlimit" } else { "\"format\": \"iopath-run/8\"" };
        assert!(output.stderr.contains(wanted), "{}", output.stderr);
    }
}

#[test]
fn names_stay_text() {
    let program = Program::in_memory();
    let name = "<script>alert(1)</script> \"q\" 🚀 %{x} ".to_owned() + &"n".repeat(300);
    let quoted = name.replace('"', "\\\"");
    let streams = "streams \"r\" over=\"data\" block=\"64 KiB\"";
    let study = format!(
        "study \"{quoted}\"\nlayout {{ file \"data\" size=\"1 MiB\" }}\n\
         workload time=\"60 ms\" warm-up=\"0 s\" {{ {streams} }}\n"
    );
    program.write("study.kdl", study);
    program.line("measure study.kdl --report page.html").done();
    let page = fs::read_to_string(program.path("page.html")).unwrap();
    assert!(!page.contains("<script>alert"), "a name became markup");
    assert!(page.contains("&lt;script&gt;alert(1)"));
}

#[test]
fn a_page_that_cannot_be_written_fails_what_was_asked_for_only() {
    let program = Program::in_memory();
    program.file("data", 1 << 20);
    program.line(&format!("measure --target data {SHORT}")).done();
    program.line("report 1 -o data/page.html").ends(4).tells(&["cannot open data/page.html"]);
    program.line("report 1 -o typo/page.html").ends(4).tells(&["cannot open typo/page.html"]);
    assert!(!program.path("typo").exists(), "nobody asked for a directory");
    program.line("report 7").ends(3).tells(&["7"]);
    let reports = program.store().with_file_name("reports");
    fs::remove_dir_all(&reports).unwrap();
    fs::write(&reports, "in the way").unwrap();
    let output = program.line(&format!("measure --target data {SHORT}")).done();
    assert!(output.stderr.contains("no report: cannot make"), "{}", output.stderr);
}

#[test]
fn models_leave_pages_with_what_is_published() {
    let program = Program::in_memory();
    program.write("study.kdl", include_str!("../../../../studies/cloud-token-bucket.kdl"));
    program.line("validate study.kdl --report validated.html").done();
    let page = fs::read_to_string(program.path("validated.html")).unwrap();
    assert!(page.contains("published statements") && page.contains("agreement-0"));
    program.line("simulate study.kdl --report simulated.html").done();
    let page = fs::read_to_string(program.path("simulated.html")).unwrap();
    assert!(page.contains("id=\"agreement\""), "the study publishes figures");
}

/// A third drive does not fit, and is not asked for.
#[test]
fn what_is_published_is_in_the_page_of_a_stored_case_although_another_one_is_impossible() {
    let program = Program::in_memory();
    let study = r#"study "Two slots"
path { host "h" { enclosure "bay" slots=2 { nvme "drive" read=(rated)"2 GB/s" } } }
workload time="1 s" { streams "r" over="h.bay..drive" op="read" block="1 MiB" depth=16 }
vary { factor "drives" of="h.bay.drive.count" 1 2 3 }
published { identity "both" throughput="4 GB/s" drives=2 }
"#;
    program.write("study.kdl", study);
    program.line("simulate study.kdl --case drives=2 --keep --report made.html").done();
    program.line("report last -o stored.html").done();
    for page in ["made.html", "stored.html"] {
        let page = fs::read_to_string(program.path(page)).unwrap();
        assert!(page.contains("id=\"agreement\""), "the study publishes a figure");
    }
}
