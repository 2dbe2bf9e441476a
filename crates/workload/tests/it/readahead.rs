//! What is read ahead: nothing twice, nothing too far, nothing for who reads at random.

use iopath_units::{Bytes, Nanos};
use iopath_workload::readahead::{Course, Growth, Readahead, Settings, Unit};
use proptest::prelude::*;

const KIB: u64 = 1024;
const MS: u64 = 1_000_000;

fn settings(streams: u32) -> Settings {
    let growth = Growth::Doubling { start: 2, patience: None };
    Settings { unit: Bytes(512 * KIB), streams, trigger: 2, growth }
}

fn units(state: &mut Readahead) -> Vec<Unit> {
    std::iter::from_fn(|| state.next_unit()).collect()
}

/// Reads `count` blocks of 32 KiB one after the other from `offset` on; gives what is requested
/// with each.
fn read(state: &mut Readahead, offset: u64, count: u64) -> Vec<Vec<Unit>> {
    let read = |block| {
        state.read(offset + block * 32 * KIB, 32 * KIB);
        units(state)
    };
    (0..count).map(read).collect()
}

fn any_settings() -> impl Strategy<Value = Settings> {
    let growth = prop_oneof![
        Just(Growth::AtOnce),
        (1..5_u32, prop::option::of(1..100_u64)).prop_map(|(start, patience)| {
            Growth::Doubling { start, patience: patience.map(Nanos) }
        }),
    ];
    (1..3_000_u64, 0..30_u32, 1..4_u32, growth).prop_map(|(unit, streams, trigger, growth)| {
        Settings { unit: Bytes(unit), streams, trigger, growth }
    })
}

proptest! {
    #[test]
    fn what_is_requested_is_what_will_be_read_once_and_not_too_far_ahead(
        settings in any_settings(),
        // Where to jump before a read, how long it is, how long it waited.
        reads in prop::collection::vec((prop::option::weighted(0.1, 0..50_000_u64), 1..5_000_u64,
            0..100_u64), 1..200),
        end in 1..100_000_u64,
    ) {
        let mut state = Readahead::new(settings, end);
        let unit = settings.unit.0;
        let (mut at, mut requested) = (0, 0..0);
        for (jump, bytes, waited) in reads {
            let offset = jump.unwrap_or(at);
            let course = state.read(offset, bytes);
            at = offset + bytes;
            let new = units(&mut state);
            match course {
                Course::Alone => prop_assert_eq!(&new, &[]),
                Course::Begins => requested = offset..offset,
                Course::Follows => prop_assert!(jump.is_none_or(|jump| jump == at - bytes)),
            }
            for Unit { offset, bytes } in new {
                prop_assert_eq!(offset, requested.end, "the units follow one another");
                requested.end = offset + bytes;
                prop_assert!(bytes > 0 && bytes <= unit);
                prop_assert_eq!(offset / unit, (requested.end - 1) / unit, "over a border");
            }
            if course != Course::Alone {
                prop_assert!(requested.start <= offset && at <= requested.end);
                prop_assert!(requested.end <= end, "behind the end");
                let window = u64::from(state.window());
                prop_assert!((1..=u64::from(settings.streams)).contains(&window));
                prop_assert!(requested.end - at <= window * unit, "too far ahead");
                prop_assert!(requested.end == end || requested.end - at > (window - 1) * unit);
            }
            state.waited(Nanos(waited));
        }
    }
}

#[test]
fn the_second_of_two_sequential_reads_starts_with_two_units() {
    let mut state = Readahead::new(settings(24), 1 << 30);
    let requested = read(&mut state, 0, 2);
    assert_eq!(requested[0], []);
    let (first, second) = (32 * KIB, 512 * KIB);
    let partial = Unit { offset: first, bytes: second - first };
    let whole = Unit { offset: second, bytes: 512 * KIB };
    assert_eq!(requested[1], [partial, whole], "up to a border of units");
}

#[test]
fn a_random_reader_triggers_nothing_and_ends_what_was_begun() {
    let mut state = Readahead::new(settings(24), 1 << 30);
    for block in [5, 3, 9, 7, 11, 0, 2] {
        assert_eq!(state.read(block * 32 * KIB, 32 * KIB), Course::Alone);
        assert_eq!(state.next_unit(), None);
    }
    read(&mut state, 1 << 20, 2);
    assert_eq!(state.window(), 2);
    assert_eq!(state.read(0, 32 * KIB), Course::Alone);
    assert_eq!((state.window(), state.next_unit()), (0, None));
}

#[test]
fn no_streams_is_off_and_one_is_one_unit_at_a_time() {
    let mut off = Readahead::new(settings(0), 1 << 30);
    assert_eq!(read(&mut off, 0, 64).concat(), []);
    let mut one = Readahead::new(settings(1), 1 << 30);
    let requested = read(&mut one, 0, 64);
    for (block, units) in requested.into_iter().enumerate() {
        // Sixteen reads make a unit; the next is requested with the last of them.
        let expected = block == 1 || block % 16 == 15;
        assert_eq!(units.len(), usize::from(expected), "block {block}");
    }
}

#[test]
fn a_window_doubles_for_those_who_do_not_wait() {
    let patience = Some(Nanos(40 * MS));
    let growth = Growth::Doubling { start: 2, patience };
    let windows = |wait: u64, at_once: bool| -> Vec<u32> {
        let growth = if at_once { Growth::AtOnce } else { growth };
        let mut state = Readahead::new(Settings { growth, ..settings(24) }, 1 << 40);
        let mut windows = Vec::new();
        for block in 0..16 * 60 {
            state.read(block * 32 * KIB, 32 * KIB);
            state.waited(Nanos(wait));
            windows.push(state.window());
        }
        windows.dedup();
        windows
    };
    assert_eq!(windows(0, false), [0, 2, 4, 8, 16, 24]);
    assert_eq!(windows(40 * MS, false), [0, 2, 4, 8, 16, 24]);
    assert_eq!(windows(40 * MS + 1, false), [0, 2]);
    assert_eq!(windows(40 * MS + 1, true), [0, 24]);
}

#[test]
fn a_long_wait_is_forgotten_when_the_window_was_passed() {
    let growth = Growth::Doubling { start: 2, patience: Some(Nanos(MS)) };
    let mut state = Readahead::new(Settings { growth, ..settings(24) }, 1 << 40);
    read(&mut state, 0, 2);
    state.waited(Nanos(2 * MS));
    read(&mut state, 64 * KIB, 31);
    assert_eq!(state.window(), 2, "it waited too long for the first time");
    read(&mut state, 33 * 32 * KIB, 32);
    assert_eq!(state.window(), 4);
}
