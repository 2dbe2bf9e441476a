//! Where everything of a diagram stands: tiers as rows from the left, so that a narrow screen shows
//! the way from top to bottom; bands that leap over tiers get a lane of their own at the right.

use crate::document::{Band, Diagram};

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
        let mut tier_of = vec![0; diagram.boxes.len()];
        for (at, tier) in diagram.tiers.iter().enumerate() {
            tier.boxes.iter().for_each(|one| tier_of[*one] = at);
        }
        let leaps = |band: &Band| {
            let upper = band.uppers.first().map_or(0, |(at, _)| tier_of[*at]);
            let lower = band.lowers.first().map_or(0, |(at, _)| tier_of[*at]);
            lower > upper + 1
        };
        let row = |boxes: usize| boxes as f64 * (BOX_WIDTH + BESIDE) - BESIDE;
        let rows = diagram.tiers.iter().map(|tier| row(tier.boxes.len()));
        let inner = rows.fold(BOX_WIDTH, f64::max);
        let mut lanes = Vec::new();
        let mut count = 0.0;
        for band in &diagram.bands {
            lanes.push(leaps(band).then_some(LABELS + inner + BESIDE + (count + 0.5) * LANE));
            count += f64::from(u8::from(leaps(band)));
        }
        let top = |at: usize| at as f64 * (BOX_HEIGHT + GAP) + 1.0;
        let tops: Vec<f64> = (0..diagram.tiers.len()).map(top).collect();
        let mut spots = vec![None; diagram.boxes.len()];
        for (tier, y) in diagram.tiers.iter().zip(&tops) {
            for (at, one) in tier.boxes.iter().enumerate() {
                spots[*one] = Some(Spot { x: LABELS + at as f64 * (BOX_WIDTH + BESIDE), y: *y });
            }
        }
        let lane = if count > 0.0 { BESIDE + count * LANE } else { 0.0 };
        let bottom = tops.last().map_or(0.0, |top| top + BOX_HEIGHT);
        let ends = diagram.bands.iter().flat_map(|band| band.uppers.iter().chain(&band.lowers));
        let most = ends.map(|(_, bytes)| *bytes).fold(0.0, f64::max);
        Self {
            width: LABELS + inner + lane + 2.0,
            height: bottom + LEGEND,
            tops,
            spots,
            lanes,
            most,
        }
    }

    /// How wide a band of so many bytes a second is.
    pub(super) fn width_of(&self, bytes_per_sec: f64) -> f64 {
        if self.most <= 0.0 { NARROWEST } else { bytes_per_sec / self.most * WIDEST }.max(NARROWEST)
    }
}
