//! Names of things that a record brings along, as one from another machine does.

use std::fs;

use serde_json::{Value, json};

use super::page::{VIEWS, browser};
use super::{MISPLACED, assert_drawn, simulated};
use crate::program::Program;

/// What would do harm as markup, in an attribute, in a template of the chart library, or by length.
fn hostile(at: usize) -> String {
    let markup = "</script><script>document.title='taken'</script><img src=x onerror=alert(1)>";
    let names = [
        format!("{markup} {at}"),
        format!("\"><b>bold</b>' %{{x}} 🚀 {at}"),
        format!("{}{at}", "n".repeat(300)),
        format!("two\nlines &amp; a\ttab {at}"),
    ];
    names[at % names.len()].clone()
}

/// A stored run whose things all have such names, read from a file.
fn renamed(program: &Program) {
    simulated(program);
    program.line("simulate study.kdl --no-progress --keep --no-report").done();
    let exported = program.line("export last").done().stdout;
    let (header, records) = exported.split_once('\n').unwrap();
    let mut text = format!("{header}\n");
    for record in records.lines() {
        let mut record: Value = serde_json::from_str(record).unwrap();
        for (at, entity) in record["entities"].as_array_mut().unwrap().iter_mut().enumerate() {
            entity["name"] = json!(hostile(at));
            entity["kind"] = json!(hostile(at));
        }
        text.push_str(&format!("{record}\n"));
    }
    program.write("renamed.jsonl", text);
    program.line("import renamed.jsonl").done();
}

#[test]
fn no_name_of_a_thing_becomes_markup_wherever_its_record_comes_from() {
    let Some(page) = browser() else { return };
    let program = Program::in_memory();
    renamed(&program);
    program.line("report last -o renamed.html").done();
    for view in VIEWS {
        page.look(view);
        page.open_file(&program.path("renamed.html"));
        assert!(assert_drawn(&page) >= 1);
        assert_ne!(page.eval("document.title"), json!("taken"));
        assert_eq!(page.eval("document.querySelectorAll('img, main b').length"), json!(0));
        assert_eq!(page.eval(MISPLACED), json!([]), "{view:?}");
    }
    assert!(fs::metadata(program.path("renamed.html")).unwrap().len() < 6_000_000);
    assert_eq!(page.errors(), Vec::<String>::new());
}
