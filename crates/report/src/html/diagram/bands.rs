//! Bands between boxes: from one to several, from several to one; several to several go through a
//! bar, as nothing tells which hands on to which; those that leap over tiers go down a lane.

use maud::{Markup, html};

use super::layout::{BOX_HEIGHT, BOX_WIDTH, GAP, Layout};
use crate::document::{Band, Diagram};

/// Half the height of the bar that joins several.
const BAR: f64 = 2.5;

/// A piece of a horizontal edge: from where a band goes, or where it arrives.
#[derive(Clone, Copy)]
struct Edge {
    x: f64,
    y: f64,
    width: f64,
}

pub(super) fn all(diagram: &Diagram, layout: &Layout) -> Markup {
    html! {
        g.bands aria-hidden="true" {
            @for (at, band) in diagram.bands.iter().enumerate() {
                @for path in paths(band, layout, layout.lanes[at]) { path.band d=(path) {} }
            }
        }
    }
}

fn paths(band: &Band, layout: &Layout, lane: Option<f64>) -> Vec<String> {
    let uppers: Vec<Edge> =
        band.uppers.iter().filter_map(|end| edge(layout, *end, BOX_HEIGHT)).collect();
    let lowers: Vec<Edge> = band.lowers.iter().filter_map(|end| edge(layout, *end, 0.0)).collect();
    let (Some(from), Some(to)) = (uppers.first(), lowers.first()) else { return Vec::new() };
    match (lane, uppers.as_slice(), lowers.as_slice()) {
        (Some(x), ..) => through_lane(x, &uppers, &lowers),
        (None, [one], [other]) => vec![shape(*one, *other)],
        (None, [one], many) => {
            divided(*one, many).into_iter().zip(many).map(|(a, b)| shape(a, *b)).collect()
        }
        (None, many, [one]) => {
            divided(*one, many).into_iter().zip(many).map(|(b, a)| shape(*a, b)).collect()
        }
        (None, many, others) => through_bar((from.y + to.y) / 2.0, many, others),
    }
}

/// Where a band leaves a box or arrives at it.
fn edge(layout: &Layout, (at, bytes): (usize, f64), below: f64) -> Option<Edge> {
    let spot = layout.spots[at]?;
    let width = layout.width_of(bytes).min(BOX_WIDTH);
    Some(Edge { x: spot.x + BOX_WIDTH / 2.0, y: spot.y + below, width })
}

/// An edge in parts, as wide as what they go to, side by side in the order of these.
fn divided(one: Edge, many: &[Edge]) -> Vec<Edge> {
    let all: f64 = many.iter().map(|edge| edge.width).sum();
    let mut order: Vec<usize> = (0..many.len()).collect();
    order.sort_by(|a, b| many[*a].x.total_cmp(&many[*b].x));
    let mut parts = vec![one; many.len()];
    let mut left = one.x - one.width / 2.0;
    for at in order {
        let width = one.width * many[at].width / all;
        parts[at] = Edge { x: left + width / 2.0, y: one.y, width };
        left += width;
    }
    parts
}

/// Several to several: down to a bar, and from there down.
fn through_bar(y: f64, uppers: &[Edge], lowers: &[Edge]) -> Vec<String> {
    let all = || uppers.iter().chain(lowers);
    let left = all().map(|edge| edge.x - edge.width / 2.0).fold(f64::INFINITY, f64::min);
    let right = all().map(|edge| edge.x + edge.width / 2.0).fold(f64::NEG_INFINITY, f64::max);
    let bar = format!("M{left:.1} {:.1}H{right:.1}v{}H{left:.1}Z", y - BAR, 2.0 * BAR);
    let down = uppers.iter().map(|edge| shape(*edge, Edge { y: y - BAR, ..*edge }));
    let on = lowers.iter().map(|edge| shape(Edge { y: y + BAR, ..*edge }, *edge));
    std::iter::once(bar).chain(down).chain(on).collect()
}

/// Over tiers: to the lane in the gap below, down the lane, and back in the gap above the end.
fn through_lane(x: f64, uppers: &[Edge], lowers: &[Edge]) -> Vec<String> {
    let (top, bottom) = (uppers[0].y + GAP, lowers[0].y - GAP);
    let total: f64 = uppers.iter().map(|edge| edge.width).sum();
    let lane = Edge { x, y: top, width: total.min(16.0) };
    let end = Edge { y: bottom, ..lane };
    let into = divided(lane, uppers).into_iter().zip(uppers).map(|(b, a)| shape(*a, b));
    let out = divided(end, lowers).into_iter().zip(lowers).map(|(a, b)| shape(a, *b));
    into.chain([shape(lane, end)]).chain(out).collect()
}

/// A band between two edges: leaves and arrives upright.
fn shape(from: Edge, to: Edge) -> String {
    let middle = (from.y + to.y) / 2.0;
    let ends = |edge: Edge| (edge.x - edge.width / 2.0, edge.x + edge.width / 2.0);
    let ((a, b), (c, d)) = (ends(from), ends(to));
    format!(
        "M{a:.1} {y:.1}C{a:.1} {middle:.1} {c:.1} {middle:.1} {c:.1} {z:.1}H{d:.1}\
         C{d:.1} {middle:.1} {b:.1} {middle:.1} {b:.1} {y:.1}Z",
        y = from.y,
        z = to.y
    )
}

#[cfg(test)]
pub(super) mod tests {
    use super::*;
    use crate::document::{DiagramBox, DiagramTier, Table};

    /// Two boxes above two others, with one band from all to all.
    pub(in crate::html::diagram) fn two_to_two() -> Diagram {
        let one = |at: usize| DiagramBox {
            name: at.to_string(),
            about: [String::new(), String::new()],
            share: None,
            share_text: String::new(),
            is_limit: false,
            details: Vec::new(),
            members: None,
        };
        let (title, notes) = (String::new(), Vec::new());
        let tier = |boxes| DiagramTier { title: title.clone(), notes: notes.clone(), boxes };
        Diagram {
            id: String::new(),
            title: String::new(),
            guide: String::new(),
            tiers: vec![tier(vec![0, 1]), tier(vec![2, 3])],
            boxes: (0..4).map(one).collect(),
            bands: vec![Band {
                uppers: vec![(0, 1e6), (1, 5e5)],
                lowers: vec![(2, 5e5), (3, 1e6)],
            }],
            scale: None,
            columns: Vec::new(),
            table: Table::default(),
        }
    }

    #[test]
    fn several_hand_on_to_several_through_one_bar_that_reaches_over_all_ends() {
        let diagram = two_to_two();
        let layout = Layout::of(&diagram);
        let all = paths(&diagram.bands[0], &layout, layout.lanes[0]);
        let ends: Vec<Edge> = [(0, 1e6), (1, 5e5), (2, 5e5), (3, 1e6)]
            .map(|end| edge(&layout, end, 0.0).unwrap())
            .to_vec();
        let (left, right) = (ends[0].x - ends[0].width / 2.0, ends[3].x + ends[3].width / 2.0);
        assert_eq!(all.len(), 1 + 4, "the bar, and a piece for each end: {all:?}");
        let bar = format!("M{left:.1} 76.5H{right:.1}v5H{left:.1}Z");
        assert_eq!(all[0], bar, "in the middle of the gap");
    }
}
