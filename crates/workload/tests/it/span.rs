//! Which part of a target a stream uses.

use iopath_study::case::{Pattern, Sharing};
use iopath_units::Bytes;
use iopath_workload::Span;
use proptest::prelude::*;

use crate::{KIB, stream};

proptest! {
    #[test]
    fn own_parts_are_disjoint_cover_all_whole_blocks_and_differ_by_one(
        count in 1u32..100, block in 1u64..100_000, blocks in 0u64..1_000, odd in 0.0..1.0,
    ) {
        let bytes = (blocks + u64::from(count)) * block + (odd * block as f64) as u64;
        let whole = bytes / block;
        let mut end = 0;
        for index in 0..count {
            let mut one = stream(Pattern::Sequential, Sharing::Own, (index, count));
            one.block = Bytes(block);
            let span = Span::of(&one, bytes).unwrap();
            prop_assert_eq!(span.offset, end);
            prop_assert_eq!(span.bytes % block, 0);
            prop_assert!((span.bytes / block).abs_diff(whole / u64::from(count)) < 2);
            end = span.offset + span.bytes;
        }
        prop_assert_eq!(end, whole * block);
    }
}

#[test]
fn shared_parts_are_all_of_the_target() {
    for index in 0..3 {
        let one = stream(Pattern::Sequential, Sharing::Shared, (index, 3));
        let span = Span::of(&one, 41 * KIB);
        assert_eq!(span, Ok(Span { offset: 0, bytes: 40 * KIB }));
    }
}

#[test]
fn a_part_without_a_block_says_what_is_too_small() {
    let one = stream(Pattern::Sequential, Sharing::Own, (0, 3));
    let error = Span::of(&one, 8 * KIB).unwrap_err().to_string();
    for says in ["reader[0]", "4 KiB", "8192 B for 3"] {
        assert!(error.contains(says), "{error}");
    }
    let mut empty = stream(Pattern::Sequential, Sharing::Shared, (0, 1));
    empty.block = Bytes(0);
    let error = Span::of(&empty, 8 * KIB).unwrap_err();
    assert_eq!(error.to_string(), "stream reader[0]: a block has at least 1 B");
}
