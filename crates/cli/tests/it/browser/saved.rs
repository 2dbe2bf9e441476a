//! Charts and the picture of the path as files: what is saved is a picture of its own, with every
//! mark, its title and light colours, whatever the theme.

use serde_json::{Value, json};

use super::page::{Page, VIEWS, browser};
use super::{measured, simulated};
use crate::program::Program;

/// What a button makes: kind and name of the file, its text, and what is drawn in it.
fn saved(page: &Page, figure: &str, kind: &str) -> Value {
    let button = format!("{figure} button.save[value={kind}]");
    page.eval(&format!(
        "(() => {{ window.made = null; URL.createObjectURL = (file) => {{ window.made = {{ file }};
            return '#'; }};
            HTMLAnchorElement.prototype.click = function () {{
                window.made.name = this.download; }};
            document.querySelector('{button}').focus(); }})()"
    ));
    page.press("Enter");
    page.wait("window.made?.name !== undefined");
    page.eval(
        "(async () => { const { file, name } = window.made;
            if (file.type !== 'image/svg+xml') {
                const { width, height } = await createImageBitmap(file);
                return { type: file.type, name, width, height };
            }
            const text = await file.text();
            const svg = new DOMParser().parseFromString(text, 'image/svg+xml');
            const count = (what) => svg.querySelectorAll(what).length;
            const image = new Image();
            image.src = 'data:image/svg+xml;charset=utf-8,' + encodeURIComponent(text);
            await image.decode();
            return { type: file.type, name, text, width: image.width, height: image.height,
                errors: count('parsererror'), lines: count('path.js-line'), boxes:
                count('rect.box'), said: svg.documentElement.textContent }; })()",
    )
}

#[test]
fn a_saved_chart_is_a_picture_of_its_own_with_every_mark_in_light_colours() {
    let Some(page) = browser() else { return };
    let program = Program::in_memory();
    let path = measured(&program);
    for view in [VIEWS[0], VIEWS[1], VIEWS[3]] {
        page.look(view);
        page.open_file(&path);
        let figure = page.eval(
            "[...document.querySelectorAll('figure:has(> .chart)')].find((one) =>
                one.getClientRects().length > 0 && one.id.startsWith('latency-percentiles')).id",
        );
        let figure = format!("#{}", figure.as_str().unwrap());
        page.eval(&format!("document.querySelector('{figure}').scrollIntoView()"));
        page.wait(&format!("'drawn' in document.querySelector('{figure}').dataset"));
        let drawn = page.eval(&format!("document.querySelectorAll('{figure} .js-line').length"));
        let svg = saved(&page, &figure, "svg");
        assert_eq!(svg["name"], format!("{}.svg", &figure[1..]), "{view:?}");
        assert_eq!((&svg["errors"], &svg["lines"]), (&json!(0), &drawn), "{view:?}");
        assert!(drawn.as_u64() > Some(0), "{view:?}");
        assert!(svg["said"].as_str().unwrap().contains("Latency by percentile"), "{view:?}");
        let text = svg["text"].as_str().unwrap();
        assert!(!text.contains("var(--"), "{view:?}");
        assert!(
            text.contains("rgb(255, 255, 255)") && text.contains("rgb(27, 31, 36)"),
            "{view:?}"
        );
        assert_eq!(page.eval("document.documentElement.className"), "", "{view:?}");
        let png = saved(&page, &figure, "png");
        assert_eq!(png["type"], "image/png", "{view:?}");
        let twice = |side: &str| svg[side].as_u64().map(|one| 2 * one);
        assert_eq!(
            (png["width"].as_u64(), png["height"].as_u64()),
            (twice("width"), twice("height"))
        );
    }
    assert_eq!(page.errors(), Vec::<String>::new());
}

#[test]
fn the_saved_picture_of_the_path_has_its_boxes_and_their_colours() {
    let Some(page) = browser() else { return };
    let program = Program::in_memory();
    page.look(VIEWS[1]);
    page.open_file(&simulated(&program));
    let boxes = page.eval("document.querySelector('.diagram').querySelectorAll('rect.box').length");
    let svg = saved(&page, ".diagram", "svg");
    assert_eq!((&svg["errors"], &svg["boxes"]), (&json!(0), &boxes));
    let text = svg["text"].as_str().unwrap();
    // A box on paper, and no link into the page.
    assert!(text.contains("fill: rgb(246, 248, 250)") && !text.contains("href"), "{text}");
    let title = page.eval("document.querySelector('.diagram strong').textContent");
    assert!(svg["said"].as_str().unwrap().starts_with(title.as_str().unwrap()), "{svg}");
    assert_eq!(saved(&page, ".diagram", "png")["type"], "image/png");
    assert_eq!(page.errors(), Vec::<String>::new());
}
