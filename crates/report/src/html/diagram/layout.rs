//! Where everything of a diagram stands: tiers as rows from the left, so that a narrow screen shows
//! the way from top to bottom; bands that leap over tiers get a lane of their own at the right.
//! What no band reaches, such as processors, is broken into rows that are no wider than the way.

use crate::document::{Band, Diagram, DiagramTier};

/// Room for what is said of tiers.
pub(super) const LABELS: f64 = 104.0;
pub(super) const BOX_WIDTH: f64 = 192.0;
pub(super) const BOX_HEIGHT: f64 = 60.0;
/// Between boxes of a row.
const BESIDE: f64 = 12.0;
/// Between rows, where bands are.
pub(super) const GAP: f64 = 36.0;
/// Room for the legend.
const LEGEND: f64 = 34.0;
/// A lane, with the blank beside it.
const LANE: f64 = 30.0;
/// The widest band.
const WIDEST: f64 = 0.8 * BOX_WIDTH;
/// The narrowest, so that it can be seen.
const NARROWEST: f64 = 1.5;

/// The upper left corner of a box.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(super) struct Spot {
    pub x: f64,
    pub y: f64,
}

/// A diagram's places.
pub(super) struct Layout {
    pub width: f64,
    pub height: f64,
    /// Of each tier.
    pub tops: Vec<f64>,
    /// Of each box.
    pub spots: Vec<Option<Spot>>,
    /// The middle of the lane of each band; none of one that goes to the next tier.
    pub lanes: Vec<Option<f64>>,
    most: f64,
}

impl Layout {
    pub(super) fn of(diagram: &Diagram) -> Self {
        let across = across(diagram);
        let inner = across.iter().map(|boxes| side_by_side(*boxes)).fold(BOX_WIDTH, f64::max);
        let leaps = leaps(diagram);
        let mut count = 0.0;
        let mut lane = |leaps: &bool| {
            let middle = LABELS + inner + BESIDE + (count + 0.5) * LANE;
            count += f64::from(u8::from(*leaps));
            leaps.then_some(middle)
        };
        let lanes = leaps.iter().map(&mut lane).collect();
        let aside = if count > 0.0 { BESIDE + count * LANE } else { 0.0 };
        let (tops, spots, bottom) = placed(diagram, &across);
        let ends = diagram.bands.iter().flat_map(|band| band.uppers.iter().chain(&band.lowers));
        Self {
            width: LABELS + inner + aside + 2.0,
            height: bottom + LEGEND,
            tops,
            spots,
            lanes,
            most: ends.map(|(_, bytes)| *bytes).fold(0.0, f64::max),
        }
    }

    /// How wide a band of so many bytes a second is.
    pub(super) fn width_of(&self, bytes_per_sec: f64) -> f64 {
        if self.most <= 0.0 { NARROWEST } else { bytes_per_sec / self.most * WIDEST }.max(NARROWEST)
    }
}

fn side_by_side(boxes: usize) -> f64 {
    boxes as f64 * (BOX_WIDTH + BESIDE) - BESIDE
}

/// How many boxes of each tier stand side by side.
fn across(diagram: &Diagram) -> Vec<usize> {
    let ends = diagram.bands.iter().flat_map(|band| band.uppers.iter().chain(&band.lowers));
    let joined: Vec<usize> = ends.map(|(at, _)| *at).collect();
    let on_the_way = |tier: &&DiagramTier| tier.boxes.iter().any(|at| joined.contains(at));
    let tiers = || diagram.tiers.iter();
    let boxes = |tier: &DiagramTier| tier.boxes.len().max(1);
    match tiers().filter(on_the_way).map(boxes).max() {
        None => tiers().map(boxes).collect(),
        Some(most) => tiers().map(|tier| boxes(tier).min(most)).collect(),
    }
}

/// Which bands do not end in the next tier.
fn leaps(diagram: &Diagram) -> Vec<bool> {
    let mut tier_of = vec![0; diagram.boxes.len()];
    for (at, tier) in diagram.tiers.iter().enumerate() {
        tier.boxes.iter().for_each(|one| tier_of[*one] = at);
    }
    let tier = |ends: &[(usize, f64)]| ends.first().map_or(0, |(at, _)| tier_of[*at]);
    let leaps = |band: &Band| tier(&band.lowers) > tier(&band.uppers) + 1;
    diagram.bands.iter().map(leaps).collect()
}

/// The tops of tiers, the places of boxes, and where the last one ends.
fn placed(diagram: &Diagram, across: &[usize]) -> (Vec<f64>, Vec<Option<Spot>>, f64) {
    let mut spots = vec![None; diagram.boxes.len()];
    let (mut tops, mut next, mut bottom) = (Vec::new(), 1.0, 0.0);
    for (tier, across) in diagram.tiers.iter().zip(across) {
        for (at, one) in tier.boxes.iter().enumerate() {
            let (row, column) = ((at / across) as f64, (at % across) as f64);
            let x = LABELS + column * (BOX_WIDTH + BESIDE);
            spots[*one] = Some(Spot { x, y: next + row * (BOX_HEIGHT + BESIDE) });
        }
        let rows = tier.boxes.len().div_ceil(*across).max(1) as f64;
        tops.push(next);
        bottom = next + rows * (BOX_HEIGHT + BESIDE) - BESIDE;
        next = bottom + GAP;
    }
    (tops, spots, bottom)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::html::diagram::bands::tests::two_to_two;

    #[test]
    fn what_no_band_reaches_is_broken_into_rows_no_wider_than_the_way() {
        let mut diagram = two_to_two();
        let way = Layout::of(&diagram).width;
        let more: Vec<_> = (0..3).map(|_| diagram.boxes[0].clone()).collect();
        diagram.boxes.extend(more);
        diagram.tiers.push(DiagramTier { boxes: vec![4, 5, 6], ..diagram.tiers[0].clone() });
        let layout = Layout::of(&diagram);
        assert_eq!(layout.width, way);
        let [fifth, sixth, last] = [4, 5, 6].map(|at| layout.spots[at].unwrap());
        assert_eq!(fifth.y, sixth.y);
        assert_eq!((last.x, last.y), (fifth.x, fifth.y + BOX_HEIGHT + BESIDE));
        assert!(layout.height >= last.y + BOX_HEIGHT);
    }
}
