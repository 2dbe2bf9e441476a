//! Which part of its target a stream uses: all of it, or one of equal parts that are cut at block
//! borders. What remains behind the last whole block of the target is not used.

use iopath_study::case::{Region, Sharing, Stream};

use crate::unfit::Unfit;

/// The part of its target that a stream uses: whole blocks.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Span {
    /// Bytes in front of it on the target.
    pub offset: u64,
    /// Its length in bytes: a multiple of the stream's block.
    pub bytes: u64,
}

impl Span {
    /// The part of a target of `target_bytes` that `stream` uses. Own parts are disjoint, cover
    /// all whole blocks and differ by one block at most.
    ///
    /// # Panics
    /// Where the stream's place is not among those that share the target.
    pub fn of(stream: &Stream, target_bytes: u64) -> Result<Self, Unfit> {
        let block = stream.block.0;
        let blocks = target_bytes
            .checked_div(block)
            .ok_or_else(|| Unfit::of(stream, "a block has at least 1 B"))?;
        let (part, parts) = part(stream.region);
        let border = |part: u32| {
            // A share of `blocks`, so it fits into 64 bits again.
            (u128::from(blocks) * u128::from(part) / u128::from(parts)) as u64
        };
        let (first, end) = (border(part), border(part + 1));
        if first == end {
            let what = format!(
                "no whole block of {} fits into its part of the target ({target_bytes} B for \
                 {parts} of them); use a larger target, a smaller block or fewer streams",
                stream.block
            );
            return Err(Unfit::of(stream, &what));
        }
        Ok(Self { offset: first * block, bytes: (end - first) * block })
    }
}

/// Which part of how many. A place outside is a mistake of expansion.
fn part(region: Region) -> (u32, u32) {
    match region.sharing {
        Sharing::Own => {
            assert!(region.index < region.count, "a stream has a place among those on its target");
            (region.index, region.count)
        }
        Sharing::Shared => (0, 1),
    }
}
