//! The order of offsets, pattern by pattern.

use iopath_study::case::{Pattern, Sharing, Stream};
use iopath_units::{Bytes, Ratio};
use iopath_workload::{Requests, Seeds, Span};
use proptest::prelude::*;

use crate::{KIB, alone, blocks_of, requests, stream};

fn block_order(stream: &Stream, blocks: u64, count: u64) -> Vec<u64> {
    blocks_of(stream, &mut requests(stream, blocks, 1), count)
}

/// Any pattern that has requests on a region of at least 2 blocks.
fn patterns() -> impl Strategy<Value = Pattern> {
    let ratio = || (0..=Ratio::ONE.0).prop_map(Ratio);
    prop_oneof![
        Just(Pattern::Sequential),
        Just(Pattern::Staggered),
        Just(Pattern::RandomStart),
        Just(Pattern::Interleaved),
        Just(Pattern::Backwards),
        (1u64..20).prop_map(|n| Pattern::Strided { stride: Bytes(n * 4 * KIB) }),
        Just(Pattern::Random),
        (0u64..4_000_000).prop_map(|theta| Pattern::Zipf { theta: Ratio(theta) }),
        (ratio(), ratio()).prop_map(|(share, band)| Pattern::Hot { share, band }),
        (4 * KIB..100 * KIB).prop_map(|step| Pattern::Walk { step: Bytes(step) }),
        (ratio(), ratio()).prop_map(|(hits, write_hits)| {
            Pattern::Resident { hits, write_hits, set: Bytes(4 * KIB) }
        }),
    ]
}

proptest! {
    #[test]
    fn every_request_is_a_block_of_its_region(
        pattern in patterns(), own: bool, index in 0u32..3, blocks in 6u64..100, seed: u64,
    ) {
        let sharing = if own { Sharing::Own } else { Sharing::Shared };
        let one = stream(pattern, sharing, (index, 3));
        let span = Span::of(&one, blocks * one.block.0).unwrap();
        let mut requests = Requests::new(&one, span, seed).unwrap();
        for _ in 0..300 {
            let request = requests.next_request();
            prop_assert_eq!(u64::from(request.bytes), one.block.0);
            prop_assert_eq!((request.offset - span.offset) % one.block.0, 0);
            prop_assert!(request.offset + one.block.0 <= span.offset + span.bytes);
        }
    }

    #[test]
    fn each_round_of_an_ordered_pattern_covers_every_block_once(
        index in 0u32..4, blocks in 1u64..200, stride in 1u64..250,
    ) {
        let strided = Pattern::Strided { stride: Bytes(stride * 4 * KIB) };
        let ordered = [Pattern::Sequential, Pattern::Staggered, Pattern::RandomStart];
        for pattern in ordered.into_iter().chain([Pattern::Backwards, strided]) {
            let one = stream(pattern, Sharing::Shared, (index, 4));
            let mut requests = requests(&one, blocks, 1);
            prop_assert_eq!(requests.round(), blocks);
            for _ in 0..2 {
                let mut round = blocks_of(&one, &mut requests, blocks);
                round.sort_unstable();
                prop_assert!(round.into_iter().eq(0..blocks), "{:?}", pattern);
            }
        }
    }

    #[test]
    fn interleaved_streams_cover_every_block_once_together(count in 1u32..9, more in 0u64..50) {
        let blocks = u64::from(count) + more;
        let mut all = Vec::new();
        for index in 0..count {
            let one = stream(Pattern::Interleaved, Sharing::Shared, (index, count));
            let mut requests = requests(&one, blocks, 1);
            let round = requests.round();
            let first = blocks_of(&one, &mut requests, round);
            prop_assert_eq!(&first, &blocks_of(&one, &mut requests, round));
            all.extend(first);
        }
        all.sort_unstable();
        prop_assert!(all.into_iter().eq(0..blocks));
    }

    #[test]
    fn a_walk_stays_within_its_step(blocks in 1u64..100, step in 1u64..30, seed: u64) {
        let one = alone(Pattern::Walk { step: Bytes(step * 4 * KIB) });
        let walk = blocks_of(&one, &mut requests(&one, blocks, seed), 200);
        prop_assert!(walk.windows(2).all(|pair| pair[0].abs_diff(pair[1]) <= step));
    }

    #[test]
    fn the_same_seed_gives_the_same_requests(pattern in patterns(), seed: u64) {
        let mut one = stream(pattern, Sharing::Own, (0, 2));
        one.reads = Ratio(500_000);
        let run = |seed| {
            let mut requests = requests(&one, 64, seed);
            (0..100).map(|_| requests.next_request()).collect::<Vec<_>>()
        };
        prop_assert_eq!(run(seed), run(seed));
        prop_assert_ne!(run(seed), run(seed ^ 1));
    }
}

#[test]
fn ascending_patterns_run_as_drawn() {
    let shared = |pattern| stream(pattern, Sharing::Shared, (1, 2));
    let stride = Pattern::Strided { stride: Bytes(12 * KIB) };
    for (pattern, order) in [
        (Pattern::Sequential, vec![0, 1, 2, 3, 4, 5, 6, 7, 0, 1]),
        (Pattern::Staggered, vec![4, 5, 6, 7, 0, 1, 2, 3, 4, 5]),
        (Pattern::Interleaved, vec![1, 3, 5, 7, 1, 3]),
        (Pattern::Backwards, vec![7, 6, 5, 4, 3, 2, 1, 0, 7, 6]),
        (stride, vec![0, 3, 6, 1, 4, 7, 2, 5, 0, 3]),
    ] {
        let one = shared(pattern);
        assert_eq!(block_order(&one, 8, order.len() as u64), order, "{pattern:?}");
    }
}

#[test]
fn a_random_start_is_another_one_for_each_seed_and_goes_up_from_there() {
    let one = alone(Pattern::RandomStart);
    let first = |seed| {
        let order = blocks_of(&one, &mut requests(&one, 1000, seed), 1000);
        assert!(order.windows(2).all(|pair| pair[1] == (pair[0] + 1) % 1000));
        order[0]
    };
    let starts: std::collections::BTreeSet<u64> = (0..20).map(first).collect();
    assert!(starts.len() > 15, "{starts:?}");
}

#[test]
fn a_stream_with_a_region_of_its_own_runs_through_it() {
    for pattern in [Pattern::Staggered, Pattern::Interleaved] {
        let one = stream(pattern, Sharing::Own, (1, 2));
        assert_eq!(block_order(&one, 8, 5), [4, 5, 6, 7, 4], "{pattern:?}");
    }
}

#[test]
fn misses_take_the_rest_once_a_round_and_in_no_order() {
    let resident = |hits| {
        let hits = Ratio(hits);
        alone(Pattern::Resident { hits, write_hits: hits, set: Bytes(12 * KIB) })
    };
    let mut order = block_order(&resident(0), 1003, 2000);
    let followers = order.windows(2).filter(|pair| pair[0] + 1 == pair[1]).count();
    assert!(followers < 20, "{followers} of 2000 follow the one before");
    let (first, second) = order.split_at_mut(1000);
    assert_eq!(first, second, "the same order again");
    first.sort_unstable();
    assert!(first.iter().copied().eq(3..1003), "each once");
    let order = block_order(&resident(500_000), 1000, 400);
    let mut missed: Vec<u64> = order.into_iter().filter(|block| 2 < *block).collect();
    assert!((150..250).contains(&missed.len()), "{} misses of 400", missed.len());
    missed.sort_unstable();
    assert!(missed.windows(2).all(|pair| pair[0] < pair[1]), "none twice");
}

#[test]
fn reads_and_writes_may_hit_in_shares_of_their_own() {
    let (hits, write_hits) = (Ratio(500_000), Ratio(0));
    let set = Bytes(12 * KIB);
    let mut one = alone(Pattern::Resident { hits, write_hits, set });
    one.reads = Ratio(700_000);
    let mut requests = requests(&one, 100_000, 5);
    let mut hit = [0u32; 2];
    for _ in 0..10_000 {
        let request = requests.next_request();
        hit[request.op.index()] += u32::from(request.offset < set.0);
    }
    // 3,500 with a standard deviation of 48.
    assert!((3300..3700).contains(&hit[0]), "{hit:?}");
    assert_eq!(hit[1], 0);
}

#[test]
fn streams_without_common_seed_or_name_differ() {
    let one = |index| stream(Pattern::Random, Sharing::Shared, (index, 2));
    assert_ne!(block_order(&one(0), 1000, 20), block_order(&one(1), 1000, 20));
}

/// Which block of its region a zipf stream asks for most often.
fn most_popular(sharing: Sharing, index: u32, target: usize) -> u64 {
    const BLOCKS: u64 = 100;
    let mut one = stream(Pattern::Zipf { theta: Ratio(1_500_000) }, sharing, (index, 2));
    one.target = target;
    let mut count = [0; BLOCKS as usize];
    for block in block_order(&one, 2 * BLOCKS, 2000) {
        count[(block % BLOCKS) as usize] += 1;
    }
    (0..BLOCKS).max_by_key(|block| count[*block as usize]).unwrap()
}

#[test]
fn heat_belongs_to_the_data_and_not_to_its_reader() {
    let first = most_popular(Sharing::Shared, 0, 0);
    assert_eq!(first, most_popular(Sharing::Shared, 1, 0));
    assert_ne!(first, most_popular(Sharing::Shared, 0, 1), "another target");
    let own = |index| most_popular(Sharing::Own, index, 0);
    assert_ne!(own(0), own(1), "another region");
}

#[test]
fn another_order_reads_the_same_hot_data() {
    let one = alone(Pattern::Zipf { theta: Ratio(2_000_000) });
    let order = |order| {
        let span = Span::of(&one, 64 * one.block.0).unwrap();
        let mut requests = Requests::new(&one, span, Seeds { data: 1, order }).unwrap();
        blocks_of(&one, &mut requests, 500)
    };
    let most = |blocks: &[u64]| {
        (0..64).max_by_key(|at| blocks.iter().filter(|block| *block == at).count())
    };
    let [first, second] = [order(1), order(2)];
    assert_ne!(first, second);
    assert_eq!(most(&first), most(&second));
}

#[test]
fn what_a_region_cannot_give_is_refused_with_a_reason() {
    let bytes = |blocks: u64| Bytes(blocks * 4 * KIB);
    let resident =
        |hits, set| Pattern::Resident { hits: Ratio(hits), write_hits: Ratio(hits), set };
    for (pattern, says) in [
        (
            Pattern::Strided { stride: Bytes(6 * KIB) },
            "6 KiB is not a multiple of the block, 4 \
             KiB",
        ),
        (Pattern::Strided { stride: Bytes(0) }, "not a multiple"),
        (Pattern::Walk { step: Bytes(KIB) }, "a step of 1 KiB is shorter than the block, 4 KiB"),
        (Pattern::Interleaved, "9 streams interleave over 8 blocks"),
        (resident(500_000, Bytes(KIB)), "no block of 4 KiB to hit"),
        (resident(500_000, bytes(9)), "no block of 4 KiB to hit"),
        (resident(999_999, bytes(8)), "no block of 4 KiB to miss"),
    ] {
        let one = stream(pattern, Sharing::Shared, (8, 9));
        let span = Span { offset: 0, bytes: 32 * KIB };
        let error = Requests::new(&one, span, 1).unwrap_err().to_string();
        assert!(error.contains(says) && error.contains("reader[8]"), "{pattern:?}: {error}");
    }
    let mut one = alone(Pattern::Sequential);
    let small = Span { offset: 0, bytes: KIB };
    let says = |span, one: &_| Requests::new(one, span, 1).unwrap_err().to_string();
    assert!(says(small, &one).contains("has no room for a block of 4 KiB"));
    for block in [0, 1 << 32] {
        one.block = Bytes(block);
        let span = Span { offset: 0, bytes: 1 << 33 };
        assert!(says(span, &one).contains(
            "is not a valid request size; use 1 B to 4 GiB less 1 \
             B"
        ));
    }
    assert_eq!(block_order(&alone(resident(1_000_000, bytes(1))), 1, 3), [0, 0, 0]);
}
