//! A page as one HTML file that needs nothing else: style, charts and data are inside.
//!
//! Verdict, tables and the picture of the path are plain HTML and SVG, so they are read at once and
//! without scripts. Charts are drawn by plotly.js when they come into view; it lies at the end of
//! the file, packed by gzip, and is unpacked once. Every text goes through `maud`, which escapes
//! it; what plotly would take for markup is escaped again where charts are made.
//! What a server shows besides, such as the list of runs, is made here too: see [`list`].

mod block;
mod chart;
mod data;
mod diagram;
mod figure;
mod late;
mod live;
mod opening;
mod served;
mod table;

use base64::Engine;
use base64::prelude::BASE64_STANDARD;
use maud::{Markup, PreEscaped, html};

use crate::document::{Block, Document, Part, Section};
use block::choice;

pub use live::live;
pub use served::{Listed, RunSearch, SortedBy, list, served, trouble};

/// How each page begins: a file that begins so was written by iopath, which may replace it.
pub const MARK: &str = "<!DOCTYPE html><!--iopath page-->";

/// The program's mark: a path that narrows to its limit.
const ICON: &str = "data:image/svg+xml,%3Csvg xmlns='http://www.w3.org/2000/svg' \
    viewBox='0 0 16 16'%3E%3Cpath d='M2 2h12L9 8v6H7V8z' fill='%230072b2'/%3E%3C/svg%3E";

const STYLE: &str = include_str!("html/style.css");
const SCRIPT: &str = include_str!("html/script.js");
const BOXES: &str = include_str!("html/boxes.js");
const SAVE: &str = include_str!("html/save.js");

/// plotly.js, packed by the build script.
static LIBRARY: &[u8] = include_bytes!(concat!(env!("OUT_DIR"), "/plotly.js.gz"));

/// The page as a file.
#[must_use]
pub fn render(page: &Document) -> String {
    let body = html! { (whole(page)) };
    document(&page.title, &body, has_charts(page), None).into_string()
}

/// A whole document around a body; with the chart library where it has charts, with a nonce for
/// its script where a server's policy wants one.
fn document(title: &str, body: &Markup, has_charts: bool, nonce: Option<&str>) -> Markup {
    html! {
        (PreEscaped(MARK))
        html lang="en" {
            head {
                meta charset="utf-8";
                meta name="viewport" content="width=device-width, initial-scale=1";
                meta name="color-scheme" content="light dark";
                meta name="generator" content={ "iopath " (env!("CARGO_PKG_VERSION")) };
                title { (title) }
                link rel="icon" href=(ICON);
                style { (PreEscaped(STYLE)) }
            }
            body {
                @if has_charts {
                    noscript { p.hint { "Charts need JavaScript; everything else does not." } }
                }
                (body)
                @if has_charts {
                    script type="text/plain" id="plotly" { (BASE64_STANDARD.encode(LIBRARY)) }
                }
                script nonce=[nonce] { (PreEscaped(SCRIPT)) (PreEscaped(BOXES)) (PreEscaped(SAVE)) }
            }
        }
    }
}

/// All that a page says.
fn whole(page: &Document) -> Markup {
    html! {
        header {
            h1 { (page.title) }
            p.about { (page.about) }
            nav aria-label="Sections" {
                @for (anchor, section) in anchored(&page.sections) {
                    a href={ "#" (anchor) } { (short(&section.title)) } " "
                }
                @for part in &page.parts { a href={ "#" (part.id) } { (part.title) } " " }
            }
        }
        main {
            (sections(&page.sections, ""))
            @for part in &page.parts { (self::part(part)) }
        }
    }
}

/// A title up to what it says in detail.
fn short(title: &str) -> &str {
    match title.split_once([':', ';']) {
        Some((short, _)) => short,
        None => title,
    }
}

/// Sections with anchors of their own: of several with one word, later ones are numbered.
fn anchored(sections: &[Section]) -> impl Iterator<Item = (String, &Section)> {
    sections.iter().enumerate().map(|(at, section)| {
        let before = sections[..at].iter().filter(|other| other.id == section.id).count();
        let number = if before == 0 { String::new() } else { format!("-{}", before + 1) };
        (format!("{}{number}", section.id), section)
    })
}

fn part(part: &Part) -> Markup {
    html! {
        article id=(part.id) {
            h1 { (part.title) }
            p.about { (part.about) }
            (sections(&part.sections, &format!("{}-", part.id)))
        }
    }
}

/// Sections of a page or a part; what is chosen for all of them stands before the first it changes.
/// The picture of a path that is of all of them stands next to the answer.
fn sections(all: &[Section], prefix: &str) -> Markup {
    let anchored: Vec<(String, &Section)> =
        anchored(all).map(|(anchor, one)| (format!("{prefix}{anchor}"), one)).collect();
    let first = all.iter().position(|section| choice::of(section).is_some());
    match opening::of(all) {
        Some(opening) => {
            let (front, rest) = anchored.split_at(opening.path + 1);
            html! {
                (opening::laid(front, opening))
                @for (anchor, one) in rest { (section(anchor, one)) }
            }
        }
        None => html! {
            @for (at, (anchor, one)) in anchored.iter().enumerate() {
                @if first == Some(at) && let Some(cases) = choice::of(one) {
                    (choice::list(&format!("{prefix}case"), cases))
                }
                (section(anchor, one))
            }
        },
    }
}

fn section(anchor: &str, section: &Section) -> Markup {
    let verdicts = section.blocks.iter().filter(|block| matches!(block, Block::Verdict(_))).count();
    html! {
        section id=(anchor) {
            h2 { (section.title) }
            @for block in &section.blocks {
                @if verdicts > 1 && let Block::Verdict(text) = block {
                    (block::one_of_several(text))
                } @else if section.id == "verdict" { (block::of_answer(block)) }
                @else { (block::block(block)) }
            }
        }
    }
}

fn has_charts(page: &Document) -> bool {
    let of_parts = page.parts.iter().flat_map(|part| &part.sections);
    let blocks = page.sections.iter().chain(of_parts).flat_map(|section| &section.blocks);
    blocks.into_iter().any(block::has_chart)
}
