//! One case of several: choosing it changes what every section shows, its charts are drawn, and the
//! address brings it back.

use std::path::Path;

use serde_json::{Value, json};

use super::page::{Page, VIEWS, browser};
use super::{MISPLACED, assert_drawn, simulated};
use crate::program::Program;

/// The trial of which each section shows its part, each number once.
const SHOWN: &str = "[...new Set([...document.querySelectorAll('.cases > :not(template)')]
    .map((one) => one.dataset.case))]";

/// The titles of what is drawn or will be.
const TITLES: &str =
    "[...document.querySelectorAll('.cases figcaption strong')].map((one) => one.textContent)";

const LIST: &str = "document.querySelector('.choice select')";

/// Chooses as a person does; the value of what is chosen.
fn choose(page: &Page, at: usize) -> Value {
    page.eval(&format!(
        "(() => {{ {LIST}.selectedIndex = {at};
            {LIST}.dispatchEvent(new Event('change')); return {LIST}.value; }})()"
    ))
}

fn open(page: &Page, path: &Path, hash: &str) {
    page.open("about:blank");
    page.open(&format!("file://{}{hash}", path.display()));
}

#[test]
fn another_case_changes_every_section_and_its_address_brings_it_back() {
    let Some(page) = browser() else { return };
    let program = Program::in_memory();
    let path = simulated(&program);
    page.look(VIEWS[0]);
    page.open_file(&path);
    let sections = page.eval("document.querySelectorAll('.cases').length");
    assert!(sections.as_u64() >= Some(3), "{sections} sections");
    assert_eq!(page.eval("document.querySelectorAll('select').length"), json!(1));
    let first = page.eval(SHOWN);
    assert_eq!(first, json!([page.eval(&format!("{LIST}.value"))]), "all sections the same");
    let before = page.eval(TITLES);

    let second = choose(&page, 1);
    assert_eq!(page.eval(SHOWN), json!([second]));
    let after = page.eval(TITLES);
    let [before, after] = [&before, &after].map(|titles| titles.as_array().unwrap());
    assert!(!after.is_empty() && !after.iter().any(|title| before.contains(title)), "{after:?}");
    assert!(assert_drawn(&page) >= 2);
    assert_eq!(page.eval(MISPLACED), json!([]));
    let hash = page.eval("location.hash");
    assert_eq!(hash, json!(format!("#case={}", second.as_str().unwrap())));

    open(&page, &path, hash.as_str().unwrap());
    assert_eq!(page.eval(SHOWN), json!([second]), "from the address");
    assert_eq!(page.eval(&format!("{LIST}.value")), second);
    page.eval("(location.hash = '#time', null)");
    page.eval("new Promise((done) => setTimeout(done, 50))");
    assert_eq!(page.eval(SHOWN), json!([second]), "an anchor of a section keeps the case");
    page.eval(&format!("(location.hash = 'case={}', null)", first[0].as_str().unwrap()));
    page.wait(&format!("JSON.stringify({SHOWN}) === '{first}'"));
    assert!(assert_drawn(&page) >= 2);
    assert_eq!(page.errors(), Vec::<String>::new());
}

#[test]
fn runs_on_one_page_have_a_list_each() {
    let Some(page) = browser() else { return };
    let program = Program::in_memory();
    simulated(&program);
    for _ in 0..2 {
        program.line("simulate study.kdl --no-progress --keep --no-report").done();
    }
    program.line("report 1 2 -o compared.html").done();
    page.look(VIEWS[0]);
    page.open_file(&program.path("compared.html"));
    let first = page.eval(&format!("{LIST}.value"));
    let second = choose(&page, 1);
    let of = |part: u32| {
        let shown = SHOWN.replace(".cases", &format!("#part-{part} .cases"));
        page.eval(&shown)
    };
    assert_eq!((of(1), of(2)), (json!([second]), json!([first])));
    let hash = page.eval("location.hash");
    assert_eq!(hash, json!(format!("#part-1-case={}", second.as_str().unwrap())));
    open(&page, &program.path("compared.html"), hash.as_str().unwrap());
    assert_eq!((of(1), of(2)), (json!([second]), json!([first])), "from the address");
    assert_eq!(page.errors(), Vec::<String>::new());
}

#[test]
fn without_scripts_a_note_says_how_to_see_the_other_cases() {
    let Some(page) = browser() else { return };
    let program = Program::in_memory();
    let path = simulated(&program);
    page.without_scripts();
    page.open_file(&path);
    assert!(page.content().contains("<code>iopath show --full</code>"));
}
