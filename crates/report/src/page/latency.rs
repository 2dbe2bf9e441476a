//! Latency: response time against throughput, percentiles, and latencies over time.

mod curves;
mod heat;
mod percentiles;

use super::chosen::each;
use super::compose::Shown;
use super::{Block, Section};

pub(super) fn section(shown: &Shown<'_>) -> Option<Section> {
    let ladders = curves::ladders(shown).into_iter().map(Block::Figure);
    let mut blocks: Vec<Block> = ladders.collect();
    blocks.extend(each(shown, |told| {
        let all =
            [curves::curve(told, shown), percentiles::figure(told), heat::figure(told, shown)];
        all.into_iter().flatten().map(Block::Figure).collect()
    }));
    let title = "Latency".to_owned();
    (!blocks.is_empty()).then_some(Section { id: "latency", title, blocks })
}
