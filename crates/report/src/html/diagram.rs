//! A diagram as SVG in the page, and below it the same in tables: both are read without scripts.
//!
//! Each box is a link to its row, so that it can be reached by keyboard and finger. Hovering shows
//! its details: as the browser does with titles, or beside the box where scripts run.
//! Colours are variables of the style sheet. How full a box is says a number and the length of a
//! bar besides the colour; the limit is a word and a thicker frame. Widths of texts are estimated
//! from above, so that none leaves its box.

mod bands;
mod layout;
mod names;
mod text;

use maud::{Markup, html};
use serde_json::json;

use self::layout::{BOX_HEIGHT, BOX_WIDTH, LABELS, Layout, Spot};
use self::names::Named;
use super::data::{columns, data};
use super::figure::caption;
use super::late;
use super::table::table;
use crate::document::{Diagram, DiagramBox, DiagramTier};

/// Up to this a picture leaves room for text next to it: chosen, two boxes in a row and lanes.
const SLIM: f64 = 580.0;

/// Whether it can stand next to something else on a wide screen.
pub(super) fn is_slim(diagram: &Diagram) -> bool {
    Layout::of(diagram).width <= SLIM
}

pub(super) fn diagram(diagram: &Diagram) -> Markup {
    let held = json!({ "columns": columns(&diagram.columns) });
    html! {
        figure.diagram id=(diagram.id) {
            (caption(&diagram.id, &diagram.title))
            div.wide tabindex="0" role="group" aria-label=(diagram.title) { (drawing(diagram)) }
            details.guide { summary { "How to read this" } p { (diagram.guide) } }
            (figures(diagram))
            (data(&held))
        }
    }
}

fn drawing(diagram: &Diagram) -> Markup {
    let layout = Layout::of(diagram);
    let (width, height) = (layout.width, layout.height);
    html! {
        svg xmlns="http://www.w3.org/2000/svg" width=(width) height=(height)
            viewBox={ "0 0 " (width) " " (height) } role="group" aria-label=(diagram.title) {
            (bands::all(diagram, &layout))
            @for (tier, y) in diagram.tiers.iter().zip(&layout.tops) { (label(tier, *y)) }
            @for tier in &diagram.tiers {
                @for (at, name) in tier.boxes.iter().zip(names(diagram, tier)) {
                    @if let Some(spot) = layout.spots[*at] {
                        (boxed(&row_id(&diagram.id, *at), &diagram.boxes[*at], &name, spot))
                    }
                }
            }
            (legend(diagram, &layout))
        }
    }
}

/// What boxes of a tier are called, as far as there is room.
fn names(diagram: &Diagram, tier: &DiagramTier) -> Vec<String> {
    let named = |at: &usize| {
        let one = &diagram.boxes[*at];
        Named { name: &one.name, room: BOX_WIDTH - 2.0 * PAD - mark(one) }
    };
    names::fitted(&tier.boxes.iter().map(named).collect::<Vec<_>>())
}

/// Room for the mark of the limit.
fn mark(one: &DiagramBox) -> f64 {
    if one.is_limit { text::width("LIMIT", text::SMALL) + 12.0 } else { 0.0 }
}

/// What a tier is, left of it.
fn label(tier: &DiagramTier, top: f64) -> Markup {
    let room = LABELS - 8.0;
    let title = text::cut(&tier.title, room, text::BOLD);
    let line = |at: usize| top + 18.0 + 15.0 * at as f64;
    html! {
        text.tier x="0" y=(line(0)) { (title) }
        @for (at, note) in tier.notes.iter().enumerate() {
            text.faint x="0" y=(line(at + 1)) { (text::cut(note, room, text::SMALL)) }
        }
    }
}

/// Blank between the frame of a box and its text.
const PAD: f64 = 8.0;

fn boxed(row: &str, one: &DiagramBox, name: &str, Spot { x, y }: Spot) -> Markup {
    let room = BOX_WIDTH - 2.0 * PAD;
    let mark = mark(one);
    let [kind, carried] = &one.about;
    let carried = text::cut(carried, room, text::SMALL);
    let left = room - text::width(&carried, text::SMALL) - 8.0;
    html! {
        a href={ "#" (row) } class=[one.is_limit.then_some("limit")] {
            title { (title(one)) }
            rect.box x=(x) y=(y) width=(BOX_WIDTH) height=(BOX_HEIGHT) rx="4" {}
            text.name x=(x + PAD) y=(y + 17.0) { (name) }
            @if one.is_limit {
                rect.flag x=(x + BOX_WIDTH - mark) y=(y) width=(mark) height="20" {}
                text.flag x=(x + BOX_WIDTH - mark / 2.0) y=(y + 14.0) text-anchor="middle" {
                    "LIMIT"
                }
            }
            text.faint x=(x + PAD) y=(y + 33.0) { (text::cut(kind, left.max(0.0), text::SMALL)) }
            text.faint x=(x + BOX_WIDTH - PAD) y=(y + 33.0) text-anchor="end" { (carried) }
            (bar(one, Spot { x: x + PAD, y: y + 40.0 }))
        }
    }
}

/// Length of a bar that is full.
const BAR: f64 = 46.0;

/// How full a box is: solid up to the least, lighter up to the most.
fn bar(one: &DiagramBox, Spot { x, y }: Spot) -> Markup {
    let whole = BOX_WIDTH - 2.0 * PAD;
    let room = whole - BAR - 6.0;
    html! {
        @if let Some((least, most)) = one.share {
            rect.track x=(x) y=(y) width=(BAR) height="12" {}
            rect class={ "spread " (level(most)) } x=(x) y=(y) width=(BAR * most) height="12" {}
            rect class=(level(most)) x=(x) y=(y) width=(BAR * least) height="12" {}
            text.share x=(x + BAR + 6.0) y=(y + 10.5) {
                (text::cut(&one.share_text, room, text::SMALL))
            }
        } @else {
            text.faint x=(x) y=(y + 10.5) { (text::cut(&one.share_text, whole, text::SMALL)) }
        }
    }
}

/// Shares from which the colour changes: 0.98 as for the limit; the others chosen.
fn level(share: f64) -> &'static str {
    match share {
        share if share >= iopath_analysis::thresholds::limits::FULL_SHARE => "use-full",
        share if share >= 0.8 => "use-high",
        share if share >= 0.5 => "use-some",
        _ => "use-low",
    }
}

fn title(one: &DiagramBox) -> String {
    let lines = one.details.iter().map(|(name, value)| format!("{name}: {value}"));
    std::iter::once(one.name.clone()).chain(lines).collect::<Vec<_>>().join("\n")
}

fn legend(diagram: &Diagram, layout: &Layout) -> Markup {
    let y = layout.height - 10.0;
    html! {
        @if let Some((bytes, words)) = &diagram.scale {
            @let width = layout.width_of(*bytes);
            rect.band x="0" y=(y - 11.0) width=(width) height="12" {}
            text.faint x=(width + 6.0) y=(y) { "this wide: " (words) }
        }
    }
}

/// The anchor of a box's row.
fn row_id(id: &str, at: usize) -> String {
    format!("{id}-{at}")
}

/// Every box with all its figures, and members.
fn figures(diagram: &Diagram) -> Markup {
    html! {
        details.boxes {
            summary { "All boxes in figures" }
            @for tier in &diagram.tiers {
                h3 { (tier.title) @for note in &tier.notes { " · " (note) } }
                @for at in &tier.boxes { (box_in_figures(&diagram.id, *at, &diagram.boxes[*at])) }
            }
        }
    }
}

fn box_in_figures(id: &str, at: usize, one: &DiagramBox) -> Markup {
    html! {
        div.row id=(row_id(id, at)) {
            strong { (one.name) }
            dl { @for (name, value) in &one.details { dt { (name) } dd { (value) } } }
            @if let Some(members) = &one.members {
                (late::one_of_many("members", members.rows(), &table(members)))
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_colour_of_a_bar_changes_at_the_share_of_a_limit_and_twice_below() {
        for (share, colour) in [
            (0.0, "use-low"),
            (0.499, "use-low"),
            (0.5, "use-some"),
            (0.8, "use-high"),
            (0.979, "use-high"),
            (0.98, "use-full"),
            (1.0, "use-full"),
        ] {
            assert_eq!(level(share), colour, "{share}");
        }
    }
}
