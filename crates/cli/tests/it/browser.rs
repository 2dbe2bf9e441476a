//! Reports in a real browser: they open without errors, charts are there and answer to pointing,
//! nothing overlaps in any size or theme, and what matters is read without scripts.

mod boxes;
mod choice;
mod devtools;
mod live;
mod names;
mod page;
mod paper;
mod saved;

use std::fs;
use std::path::PathBuf;

use page::{Page, VIEWS, browser};
use serde_json::{Value, json};

use crate::program::Program;

/// A measurement with four streams that read and write, long enough for some samples.
const MEASURED: &str = "measure --target . --size 32MiB --op mix=70 --streams 4 --block 64KiB \
    --depth 4 --time 2500ms --warm-up 500ms --passes 1 --no-progress --report page.html";

/// One case on a short way.
const ONE_CASE: &str = r#"study "two drives"
path { host "h" { root-port "slot" count=2 read="2 GB/s" { nvme "drive" read="3 GB/s" } } }
workload { streams "r" over="h..drive" block="1 MiB" depth=8 }"#;

/// The page of a measurement.
fn measured(program: &Program) -> PathBuf {
    program.line(MEASURED).done();
    program.path("page.html")
}

/// The page of a study with a path, factors and published figures.
fn simulated(program: &Program) -> PathBuf {
    program.write("study.kdl", include_str!("../../../../studies/cloud-token-bucket.kdl"));
    program.line("simulate study.kdl --no-progress --report simulated.html").done();
    program.path("simulated.html")
}

/// What is drawn in each figure: every fold is opened and every figure brought into view.
const DRAWN: &str = "(async () => {
    document.querySelectorAll('details').forEach((one) => (one.open = true));
    const [drawn, begin] = [[], performance.now()];
    for (const figure of document.querySelectorAll('figure:has(> .chart)')) {
        figure.scrollIntoView({ block: 'center' });
        while (!('drawn' in figure.dataset) && performance.now() - begin < 50000)
            await new Promise((done) => setTimeout(done, 20));
        const marks = 'path.js-line, path.point, .points path, image, ' +
            '.heatmaplayer image, .fills path';
        drawn.push([figure.querySelector('strong').textContent,
            'drawn' in figure.dataset ? figure.querySelectorAll(marks).length : 0]);
    }
    return drawn;
})()";

/// In every figure something is drawn; how many there are.
fn assert_drawn(page: &Page) -> usize {
    let drawn = page.eval(DRAWN);
    let figures = drawn.as_array().unwrap();
    for figure in figures {
        assert!(figure[1].as_u64() > Some(0), "{} is empty", figure[0]);
    }
    figures.len()
}

/// Pairs of neighbours of which the lower begins above the end of the upper, and what sticks out.
const MISPLACED: &str = "(() => {
    const wrong = [];
    const visible = (e) => e.getClientRects().length > 0;
    const flows = (e) => visible(e) && getComputedStyle(e).position !== 'sticky';
    const wide = document.documentElement.scrollWidth - innerWidth;
    if (wide > 0) wrong.push('the page is ' + wide + ' pixels too wide');
    for (const parent of document.querySelectorAll('main, section, figure, header')) {
        const children = [...parent.children].filter(flows);
        children.slice(1).forEach((lower, at) => {
            const above = children[at].getBoundingClientRect();
            const start = (e) => e.outerHTML.slice(0, 80);
            if (lower.getBoundingClientRect().top < above.bottom - 1)
                wrong.push(start(children[at]) + ' / ' + start(lower));
        });
    }
    for (const chart of document.querySelectorAll('.chart')) {
        const room = chart.getBoundingClientRect();
        const names = [...chart.querySelectorAll('.ytick text')].filter(visible)
            .map((e) => [e.getBoundingClientRect(), e.textContent]);
        names.sort(([a], [b]) => a.top - b.top).slice(1).forEach(([lower, name], at) => {
            const [upper, above] = names[at];
            if (lower.top < upper.bottom - 3) wrong.push('upon ' + above + ': ' + name);
        });
        const phases = [...chart.querySelectorAll('.annotation-text')]
            .map((e) => [e.getBoundingClientRect(), e.textContent]);
        phases.slice(1).forEach(([later, name], at) => {
            const [earlier, before] = phases[at];
            if (later.left < earlier.right) wrong.push('upon ' + before + ': ' + name);
        });
        const texts = '.legendtext, .g-xtitle text, .g-ytitle text, .ytick text';
        for (const text of chart.querySelectorAll(texts)) {
            const box = text.getBoundingClientRect();
            if (visible(text) && (box.left < room.left - 2 || box.right > room.right + 2))
                wrong.push('cut: ' + text.textContent);
        }
    }
    return wrong;
})()";

#[test]
fn a_measured_run_opens_without_errors_in_every_size_and_theme() {
    let Some(page) = browser() else { return };
    let program = Program::in_memory();
    let path = measured(&program);
    for view in VIEWS {
        page.look(view);
        page.open_file(&path);
        assert!(assert_drawn(&page) >= 3, "{view:?}");
        assert_eq!(page.eval(MISPLACED), json!([]), "{view:?}");
        let paper = page.eval("getComputedStyle(document.body).backgroundColor");
        assert_eq!(paper == "rgb(255, 255, 255)", view.theme == "light", "{view:?}: {paper}");
    }
    assert_eq!(page.errors(), Vec::<String>::new());
}

#[test]
fn the_picture_of_one_case_stands_beside_its_verdict_and_below_it_on_a_phone() {
    let Some(page) = browser() else { return };
    let program = Program::in_memory();
    program.write("study.kdl", ONE_CASE);
    program.line("simulate study.kdl --no-progress --report page.html").done();
    let path = program.path("page.html");
    let places = "['.verdict', '.tiles', '#path svg'].map((one) => {
        const { left, right, top, bottom } = document.querySelector(one).getBoundingClientRect();
        return { left, right, top, bottom };
    })";
    for view in VIEWS {
        page.look(view);
        page.open_file(&path);
        let places = page.eval(places);
        let at = |one: usize, side: &str| places[one][side].as_f64().unwrap();
        if view.width < 600 {
            assert!(at(2, "top") > at(1, "bottom"), "{view:?}: {places}");
        } else {
            assert!(at(2, "left") > at(0, "right"), "{view:?}: {places}");
            assert!(at(2, "bottom") < 900.0, "{view:?}: {places}");
        }
    }
}

#[test]
fn a_simulated_study_opens_without_errors_in_every_size_and_theme() {
    let Some(page) = browser() else { return };
    let program = Program::in_memory();
    let path = simulated(&program);
    for view in VIEWS {
        page.look(view);
        page.open_file(&path);
        assert!(assert_drawn(&page) >= 2, "{view:?}");
        assert_eq!(page.eval(MISPLACED), json!([]), "{view:?}");
    }
    assert_eq!(page.errors(), Vec::<String>::new());
}

#[test]
fn names_of_published_figures_and_of_trials_stand_apart_in_every_view() {
    let Some(page) = browser() else { return };
    let program = Program::in_memory();
    program.write("svc.kdl", include_str!("../../../../studies/svc.kdl"));
    program.line("validate svc.kdl --without-simulation --report published.html").done();
    simulated(&program);
    for _ in 0..2 {
        program.line("simulate study.kdl --no-progress --keep --no-report").done();
    }
    program.line("report 1 2 -o compared.html").done();
    for view in VIEWS {
        for (name, figure) in
            [("published.html", "agreement-0"), ("compared.html", "comparison-difference-0")]
        {
            page.look(view);
            page.open_file(&program.path(name));
            page.eval(&format!("document.getElementById('{figure}').scrollIntoView()"));
            page.wait(&format!("'drawn' in document.getElementById('{figure}').dataset"));
            let names = format!("document.querySelectorAll('#{figure} .ytick text').length");
            assert!(page.eval(&names).as_u64() >= Some(4), "{view:?}: {name}");
            assert_eq!(page.eval(MISPLACED), json!([]), "{view:?}: {name}");
        }
    }
    assert_eq!(page.errors(), Vec::<String>::new());
}

#[test]
fn a_chart_below_the_fold_is_drawn_when_it_is_scrolled_to_and_answers_to_pointing() {
    let Some(page) = browser() else { return };
    let program = Program::in_memory();
    page.look(VIEWS[0]);
    page.open_file(&measured(&program));
    let last = "[...document.querySelectorAll('figure:has(> .chart)')].filter((one) => \
        one.getClientRects().length > 0).at(-1)";
    assert_eq!(page.eval(&format!("'drawn' in {last}.dataset")), Value::Bool(false));
    page.eval(&format!("{last}.scrollIntoView()"));
    page.wait(&format!("'drawn' in {last}.dataset"));
    let first = "figure:has(> .chart)";
    page.eval(&format!("document.querySelector('{first}').scrollIntoView({{block: 'center'}})"));
    page.wait(&format!("'drawn' in document.querySelector('{first}').dataset"));
    page.point_at(&format!("{first} .nsewdrag"));
    page.wait("document.querySelector('.hoverlayer .hovertext') !== null");
}

#[test]
fn the_data_of_a_figure_are_behind_a_link() {
    let Some(page) = browser() else { return };
    let program = Program::in_memory();
    page.open_file(&measured(&program));
    let text = page.eval(
        "(async () => { const link = document.querySelector('figure:has(> .chart) a.csv'); \
         let clicks = 0; link.addEventListener('click', (event) => \
         { clicks += 1; event.preventDefault(); }); link.click(); \
         while (clicks < 2) await new Promise((done) => setTimeout(done, 20)); \
         return [link.download, await (await fetch(link.href)).text()]; })()",
    );
    assert!(text[0].as_str().unwrap().ends_with(".csv"), "{text}");
    let lines: Vec<&str> = text[1].as_str().unwrap().split("\r\n").collect();
    assert!(lines[0].contains("_per_sec"), "{}", lines[0]);
    let columns = lines[0].split("\",\"").count();
    assert!(lines.len() > 2 && lines[1].split(',').count() == columns, "{lines:?}");
}

#[test]
fn without_scripts_verdict_path_and_tables_are_read() {
    let Some(page) = browser() else { return };
    let program = Program::in_memory();
    let path = measured(&program);
    page.without_scripts();
    page.open_file(&path);
    let content = page.content();
    for needed in ["class=\"verdict\"", "<table", "Charts need JavaScript", "id=\"path\"", "<svg"] {
        assert!(content.contains(needed), "{needed}");
    }
}

#[test]
fn no_name_becomes_markup_in_page_or_chart() {
    let Some(page) = browser() else { return };
    let program = Program::in_memory();
    let taken = "document.title='taken'";
    let long = "n".repeat(300);
    let name = format!(
        "<script>{taken}</script><img src=x onerror=\"{taken}\"> 🚀 %{{x}} <b>bold</b> {long}"
    );
    let quoted = name.replace('"', "\\\"");
    let study = format!(
        "study \"{quoted}\"\nlayout {{ file \"data\" size=\"8 MiB\" }}\n\
         experiment \"{quoted}\" {{\n    workload time=\"1200 ms\" warm-up=\"0 s\" {{\n        \
         streams \"r\" over=\"data\" block=\"64 KiB\"\n    }}\n    vary {{\n        \
         factor \"how\" {{\n            level \"{quoted}\" r.depth=1\n            \
         level \"b\" r.depth=2\n        }}\n    }}\n}}\n"
    );
    program.write("study.kdl", study);
    program.line("measure study.kdl --no-progress --report page.html").done();
    page.look(VIEWS[2]);
    page.open_file(&program.path("page.html"));
    assert!(assert_drawn(&page) >= 1);
    assert!(page.eval("document.title").as_str().unwrap().contains("<script>"));
    assert_eq!(page.eval("document.querySelectorAll('img, main b').length"), json!(0));
    assert_eq!(page.eval(MISPLACED), json!([]));
    assert!(fs::metadata(program.path("page.html")).unwrap().len() < 6_000_000);
    assert_eq!(page.errors(), Vec::<String>::new());
}
