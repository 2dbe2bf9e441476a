//! Why a pattern and a region do not go together.

use iopath_units::Bytes;

/// Why a stream's pattern gives no requests on its region.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub enum PatternError {
    /// One request moves at least a byte and less than 4 GiB.
    #[error("stream {stream}: a block of {block} is no request; use 1 B to 4 GiB less 1 B")]
    Block {
        /// Name of the stream.
        stream: String,
        /// Bytes of one of its requests.
        block: Bytes,
    },
    /// The region holds less than a block.
    #[error("stream {stream}: a region of {region} has no room for a block of {block}")]
    NoBlock {
        /// Name of the stream.
        stream: String,
        region: Bytes,
        /// Bytes of one of its requests.
        block: Bytes,
    },
    /// More streams than blocks take turns.
    #[error(
        "stream {stream}: {count} streams interleave over {blocks} blocks, which leaves none for \
         this one; use a larger target, a smaller block or fewer streams"
    )]
    Interleaved {
        /// Name of the stream.
        stream: String,
        /// How many streams share the region.
        count: u32,
        /// Blocks of the region.
        blocks: u64,
    },
    /// No room for the walks of three address spaces.
    #[error(
        "stream {stream}: spc1-like needs a region of {least} at least, and has {region}; use a \
         larger target or fewer streams"
    )]
    Spaces {
        /// Name of the stream.
        stream: String,
        region: Bytes,
        /// Bytes that it must have.
        least: Bytes,
    },
    /// A distance that leaves the grid of blocks.
    #[error("stream {stream}: a stride of {stride} is no multiple of the block, {block}")]
    Stride {
        /// Name of the stream.
        stream: String,
        /// Distance from start to start.
        stride: Bytes,
        /// Bytes of one of its requests.
        block: Bytes,
    },
    /// A walk that could not leave its block.
    #[error("stream {stream}: a step of {step} is shorter than the block, {block}")]
    Step {
        /// Name of the stream.
        stream: String,
        /// Largest distance.
        step: Bytes,
        /// Bytes of one of its requests.
        block: Bytes,
    },
    /// A resident set that cannot be hit, or leaves nothing to miss.
    #[error(
        "stream {stream}: with a resident set of {set} a region of {region} has no block of \
         {block} to {what}; the set needs one for hits, the rest of the region one for misses"
    )]
    Resident {
        /// Name of the stream.
        stream: String,
        /// Bytes of the resident set.
        set: Bytes,
        region: Bytes,
        /// Bytes of one of its requests.
        block: Bytes,
        /// "hit" or "miss".
        what: &'static str,
    },
}
