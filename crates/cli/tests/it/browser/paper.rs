//! Reports on paper: every chart that is not in a closed fold is there, in light colours and within
//! the sheet, whatever was on the screen.

use serde_json::json;

use super::page::{VIEWS, browser};
use super::{MISPLACED, measured};
use crate::program::Program;

/// The width of A4 within the margins of a browser, in CSS pixels.
const SHEET: u32 = 718;

#[test]
fn charts_that_were_never_in_view_are_on_paper_light_and_whole() {
    let Some(page) = browser() else { return };
    let program = Program::in_memory();
    let path = measured(&program);
    for view in VIEWS {
        page.look(view);
        page.open_file(&path);
        // What a browser has unpacked when there was nothing else to do.
        page.wait("window.Plotly !== undefined");
        page.eval("dispatchEvent(new Event('beforeprint'))");
        let open = "[...document.querySelectorAll('figure:has(> .chart)')]
            .filter((one) => one.getClientRects().length > 0)";
        page.wait(&format!("{open}.every((one) => 'drawn' in one.dataset)"));
        assert!(page.eval(&format!("{open}.length")).as_u64() > Some(2), "{view:?}");
        page.print_on(SHEET);
        assert_eq!(page.eval(MISPLACED), json!([]), "{view:?}");
        let outside = page.eval(&format!(
            "{open}.filter((one) => one.querySelector('svg.main-svg').getBoundingClientRect()
                .right > {SHEET}).length"
        ));
        assert_eq!(outside, 0, "{view:?}");
        let colors = page.eval(
            "[getComputedStyle(document.body).backgroundColor,
                document.querySelector('.xtick text').style.fill]",
        );
        assert_eq!(colors, json!(["rgb(255, 255, 255)", "rgb(27, 31, 36)"]), "{view:?}");
        page.look(view);
        page.eval("dispatchEvent(new Event('afterprint'))");
        // Charts follow the window some time after it changed.
        page.wait(&format!("{MISPLACED}.length === 0"));
    }
    assert_eq!(page.errors(), Vec::<String>::new());
}

#[test]
fn printing_takes_every_open_chart() {
    let Some(page) = browser() else { return };
    let program = Program::in_memory();
    page.look(VIEWS[1]);
    page.open_file(&measured(&program));
    page.wait("window.Plotly !== undefined");
    page.eval(
        "addEventListener('beforeprint', () => { window.late =
            document.querySelectorAll('figure:has(> .chart):not([data-drawn])').length; })",
    );
    assert!(page.pdf().starts_with(b"%PDF"));
    let folded = "[...document.querySelectorAll('figure:has(> .chart)')]
        .filter((one) => one.getClientRects().length === 0).length";
    assert_eq!(page.eval("window.late"), page.eval(folded), "drawn when the event ends");
}
