//! The picture of a path in a real browser: pointing, keyboard and finger show a box's figures
//! within the view, and choosing a box opens its row with members.

use std::path::PathBuf;

use serde_json::{Value, json};

use super::MISPLACED;
use super::page::{Page, VIEWS, View, browser};
use crate::program::Program;

/// Eighty drives that are alike and all but equally busy: one box with a spread.
const DRIVES: &str = r#"study "Eighty drives"
path {
    host "server" {
        root-port "slot" count=80 read=(rated)"40 MB/s" {
            nvme "drive" read=(rated)"20 MB/s"
        }
    }
}
workload {
    streams "early" over="server.slot[0-39].drive" block="256 KiB" rate="600 MB/s"
    streams "late" over="server.slot[40-79].drive" block="256 KiB" rate="560 MB/s"
}
"#;

fn page_of_drives(program: &Program) -> PathBuf {
    program.write("study.kdl", DRIVES);
    program.line("simulate study.kdl --no-progress --report page.html").done();
    program.path("page.html")
}

/// Selectors of all boxes.
fn boxes(page: &Page) -> Vec<String> {
    let count = page.eval("document.querySelectorAll('.diagram svg a').length").as_u64().unwrap();
    (1..=count).map(|at| format!(".diagram svg a:nth-of-type({at})")).collect()
}

/// The box that stands for all drives.
fn folded(page: &Page) -> String {
    let texts = |selector: &str| {
        let text = format!("document.querySelector({selector:?}).textContent");
        page.eval(&text).as_str().unwrap().to_owned()
    };
    let is_of_drives =
        |selector: &String| texts(selector).contains("drive") && texts(selector).contains("×80");
    let found: Vec<String> = boxes(page).into_iter().filter(is_of_drives).collect();
    assert_eq!(found.len(), 1, "one box of drives");
    found[0].clone()
}

/// What is shown beside a box, whose name it begins with; it lies within the view and not upon its
/// box.
fn shown(page: &Page, of: &str, view: View) -> String {
    let found = page.eval(&format!(
        "(async () => {{ const tip = document.querySelector('.tip');
            const {{ ariaLabel }} = document.querySelector({of:?});
            const first = () => tip.innerText.split('\\n')[0];
            const isThere = () => !tip.hidden && first() && ariaLabel.startsWith(first());
            for (let turn = 0; !isThere() && turn < 1500; turn += 1)
                await new Promise((done) => setTimeout(done, 20));
            const t = tip.getBoundingClientRect();
            const b = document.querySelector({of:?}).getBoundingClientRect();
            const wide = document.documentElement.clientWidth;
            const isWithin = t.left >= 0 && t.right <= wide
                && t.top >= 0 && t.bottom <= innerHeight;
            const isBeside = t.top >= b.bottom || t.bottom <= b.top;
            const style = getComputedStyle(tip);
            return {{ text: tip.innerText, isOfIt: isThere(), isWithin, isBeside, width: t.width,
                ariaLabel, ink: style.color, paper: style.backgroundColor }}; }})()"
    ));
    assert_eq!(found["isOfIt"], true, "{view:?} {of}: {found}");
    assert_eq!([&found["isWithin"], &found["isBeside"]], [true, true], "{view:?} {of}: {found}");
    assert!(found["width"].as_f64() > Some(80.0), "{view:?} {of}: {found}");
    assert_eq!(found["paper"] == "rgb(255, 255, 255)", view.theme == "light", "{found}");
    assert_ne!(found["paper"], found["ink"], "{found}");
    found["text"].as_str().unwrap().to_owned()
}

/// The row that a box leads to is in view, and every fold around and within it is open and drawn.
fn assert_opened(page: &Page, of: &str) -> Value {
    page.wait(&format!(
        "(() => {{ const id = document.querySelector({of:?}).getAttribute('href').slice(1);
            const row = document.getElementById(id);
            const {{ top, bottom }} = row.getBoundingClientRect();
            const isDrawn = (one) => one.open
                && [...one.querySelectorAll('tr')].every((row) => row.getClientRects().length > 0);
            return top >= -1 && top < innerHeight && bottom > top
                && [...row.querySelectorAll('details')].every(isDrawn); }})()"
    ));
    page.eval(&format!(
        "(() => {{ const id = document.querySelector({of:?}).getAttribute('href').slice(1);
            const row = document.getElementById(id);
            const cells = [...row.querySelectorAll('details[open] tbody tr')];
            return cells.filter((one) => one.getClientRects().length > 0)
                .map((one) => one.innerText); }})()"
    ))
}

#[test]
fn pointing_at_a_box_shows_its_figures_within_every_view() {
    let Some(page) = browser() else { return };
    let program = Program::in_memory();
    let path = page_of_drives(&program);
    for view in VIEWS {
        page.look(view);
        page.open_file(&path);
        assert_eq!(page.eval("document.querySelectorAll('svg title').length"), json!(0));
        for of in boxes(&page) {
            page.point_at(&of);
            shown(&page, &of, view);
        }
        let of = folded(&page);
        page.point_at(&of);
        let text = shown(&page, &of, view);
        for needed in ["utilisation", "each can do", "in flight", "mean time", "20.00 MB/s", "–"]
        {
            assert!(text.contains(needed), "{view:?}: no {needed} in {text}");
        }
        page.point_at("h1");
        page.wait("document.querySelector('.tip').hidden");
    }
    assert_eq!(page.errors(), Vec::<String>::new());
}

#[test]
fn the_keyboard_reaches_boxes_and_their_rows() {
    let Some(page) = browser() else { return };
    let program = Program::in_memory();
    page.look(VIEWS[0]);
    page.open_file(&page_of_drives(&program));
    page.eval("document.querySelector('.diagram .files :last-child').focus()");
    let is_box = "document.activeElement.matches('.diagram svg a')";
    for _ in 0..3 {
        if page.eval(is_box) == false {
            page.press("Tab");
        }
    }
    assert_eq!(page.eval(is_box), true);
    let of = ".diagram svg a:nth-of-type(1)";
    assert!(shown(&page, of, VIEWS[0]).contains("mean time"));
    page.press("Escape");
    page.wait("document.querySelector('.tip').hidden");
    page.press("Tab");
    shown(&page, ".diagram svg a:nth-of-type(2)", VIEWS[0]);
    page.press("Enter");
    assert_opened(&page, ".diagram svg a:nth-of-type(2)");
}

#[test]
fn the_box_of_equal_drives_has_their_spread_and_leads_to_them() {
    let Some(page) = browser() else { return };
    let program = Program::in_memory();
    let path = page_of_drives(&program);
    for view in [VIEWS[0], VIEWS[3]] {
        page.look(view);
        page.open_file(&path);
        let of = folded(&page);
        let said = page.eval(&format!("document.querySelector({of:?} + ' .share').textContent"));
        let said = said.as_str().unwrap();
        assert!(said.contains('–') && said.contains('%'), "no spread in {said:?}");
        page.click_at(&of);
        let members = assert_opened(&page, &of);
        let members = members.as_array().unwrap();
        assert_eq!(members.len(), 41, "40 drives and how many more: {members:?}");
        assert!(members[0].as_str().unwrap().contains("server.slot[0].drive"), "{members:?}");
        assert_eq!(page.eval(MISPLACED), json!([]), "{view:?}");
    }
    // Eighty lines over time are a spread with two named ones.
    let names = page.eval(
        "(async () => { const figure = document.querySelector('figure[id^=time-devices]');
            figure.scrollIntoView(); while (!('drawn' in figure.dataset))
                await new Promise((done) => setTimeout(done, 20));
            return figure.querySelector('.chart').data.map(({ name }) => name); })()",
    );
    let names: Vec<&str> = names.as_array().unwrap().iter().filter_map(Value::as_str).collect();
    assert_eq!(names[..5], ["minimum", "25 %", "median", "75 %", "maximum"]);
    assert!(names[5].starts_with("slowest: ") && names[6].starts_with("fastest: "), "{names:?}");
}

#[test]
fn a_finger_sees_the_figures_first_and_the_row_when_it_touches_again() {
    let Some(page) = browser() else { return };
    let program = Program::in_memory();
    page.look(VIEWS[2]);
    page.open_file(&page_of_drives(&program));
    let of = folded(&page);
    page.tap(&of);
    assert!(shown(&page, &of, VIEWS[2]).contains("Touch it again"));
    assert_eq!(page.eval("location.hash"), "");
    page.tap(&of);
    assert_opened(&page, &of);
    page.wait("document.querySelector('.tip').hidden");
}

#[test]
fn an_address_of_a_row_opens_it() {
    let Some(page) = browser() else { return };
    let program = Program::in_memory();
    let path = page_of_drives(&program);
    page.look(VIEWS[0]);
    page.open_file(&path);
    let of = folded(&page);
    let href = page.eval(&format!("document.querySelector({of:?}).getAttribute('href')"));
    // A query makes it another document, which is loaded and not only scrolled.
    page.open(&format!("file://{}?again{}", path.display(), href.as_str().unwrap()));
    assert_eq!(assert_opened(&page, &of).as_array().unwrap().len(), 41);
}
