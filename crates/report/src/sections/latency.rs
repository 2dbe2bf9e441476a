//! Latency: response time against throughput, percentiles, and latencies over time.

pub(super) mod curves;
mod heat;
pub(super) mod load_sweeps;
pub(super) mod percentiles;

use super::Shown;
use super::chosen::each;
use crate::document::{Block, Section};

pub(crate) fn section(shown: &Shown<'_>) -> Option<Section> {
    let blocks = each(shown, |told| {
        let all =
            [curves::curve(told, shown), percentiles::figure(told), heat::figure(told, shown)];
        all.into_iter().flatten().map(Block::Figure).collect()
    });
    Section::of("latency", "latency", blocks)
}
