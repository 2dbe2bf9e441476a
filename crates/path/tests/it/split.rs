//! Where bytes of a volume are, and what requests cost its members.

use std::collections::BTreeMap;

use iopath_path::{Geometry, Parity, Part, Range, Rotation, Run, Volume};
use iopath_units::Op;
use proptest::prelude::*;

const KIB: u64 = 1 << 10;

fn raid(parity: u32, groups: u32, rotation: Rotation, segment: u64) -> Geometry {
    Geometry::Parity(Parity { segment, parity, groups, rotation })
}

fn raid5(data: u32, segment: u64) -> Volume {
    Volume::new(raid(1, 1, Rotation::LeftSymmetric, segment), data + 1)
}

fn raid6(data: u32, segment: u64) -> Volume {
    Volume::new(raid(2, 1, Rotation::LeftSymmetric, segment), data + 2)
}

fn read(offset: u64, bytes: u64) -> Range {
    Range { op: Op::Read, offset, bytes }
}

fn write(offset: u64, bytes: u64) -> Range {
    Range { op: Op::Write, offset, bytes }
}

/// How many parts of each operation.
fn counted(parts: &[Part]) -> (usize, usize) {
    let reads = parts.iter().filter(|part| part.op == Op::Read).count();
    (reads, parts.len() - reads)
}

fn bytes(parts: &[Part], op: Op) -> u64 {
    parts.iter().filter(|part| part.op == op).map(|part| part.bytes).sum()
}

/// Any layout of small units, so that few bytes meet all of it.
fn layouts() -> impl Strategy<Value = Volume> {
    let unit = 1_u64..7;
    let rotation = prop_oneof![Just(Rotation::LeftSymmetric), Just(Rotation::Last)];
    prop_oneof![
        Just(Volume::new(Geometry::Whole, 1)),
        (unit.clone(), 1_u32..6).prop_map(|(unit, n)| Volume::new(Geometry::Stripe { unit }, n)),
        (unit.clone(), 1_u32..6)
            .prop_map(|(block, n)| Volume::new(Geometry::Scattered { block }, n)),
        prop::collection::vec(1_u64..40, 1..5).prop_map(|sizes| {
            let members = sizes.len() as u32;
            Volume::new(Geometry::Concat { sizes }, members)
        }),
        (2_u32..4).prop_map(|n| Volume::new(Geometry::Mirror, n)),
        (unit.clone(), 1_u32..4)
            .prop_map(|(segment, n)| Volume::new(Geometry::StripedMirrors { segment }, 2 * n)),
        (unit, 1_u32..4, 1_u32..4, 1_u32..5, rotation).prop_map(
            |(segment, parity, groups, data, rotation)| {
                Volume::new(raid(parity, groups, rotation, segment), groups * (data + parity))
            }
        ),
    ]
}

/// Every place that a byte of the volume is written to as data: the place that a read of it meets
/// when all the other places of it are lost.
fn places(volume: &Volume, offset: u64) -> Vec<(u32, u64)> {
    let one = |parts: Vec<Part>| {
        assert_eq!(parts.len(), 1, "one byte is one part");
        (parts[0].member, parts[0].offset)
    };
    match &volume.geometry {
        Geometry::Mirror | Geometry::StripedMirrors { .. } => {
            let parts = volume.split(write(offset, 1));
            parts.iter().map(|part| (part.member, part.offset)).collect()
        }
        _ => vec![one(volume.split(read(offset, 1)))],
    }
}

fn runs(volume: &Volume, request: Range) -> Vec<Run> {
    let mut runs = Vec::new();
    volume.runs_into(request, &mut runs);
    runs
}

/// How often each byte of a member is met by parts of each operation.
fn count(parts: &[Part], times: &mut BTreeMap<(u32, u64, Op), u32>) {
    for part in parts {
        for byte in part.offset..part.offset + part.bytes {
            *times.entry((part.member, byte, part.op)).or_default() += 1;
        }
    }
}

/// Parts that follow one another on a member as one.
fn joined(mut parts: Vec<Part>) -> Vec<Part> {
    let of = |part: &Part| (part.phase, part.op, part.member);
    parts.sort_unstable();
    parts.dedup_by(|next, first| {
        let follows = of(next) == of(first) && next.offset == first.offset + first.bytes;
        first.bytes += if follows { next.bytes } else { 0 };
        follows
    });
    parts
}

proptest! {
    #[test]
    fn joined_runs_are_what_a_split_gives(
        volume in layouts(), offset in 0_u64..300, bytes in 1_u64..200,
    ) {
        for request in [read(offset, bytes), write(offset, bytes)] {
            let runs = runs(&volume, request).into_iter().map(|run| run.part).collect();
            let mut split = volume.split(request);
            if volume.is_scattered() {
                split = joined(split);
            }
            split.sort_unstable();
            prop_assert_eq!(joined(runs), split, "{:?}", request);
        }
    }

    /// However a range is cut, it is written as in one piece; what is lost is left out.
    #[test]
    fn rows_that_are_gathered_are_written_once_and_nothing_is_read(
        mut volume in layouts(), cuts in prop::collection::vec(1_u64..60, 1..40),
        lost in prop::option::of(0_u32..6),
    ) {
        let lost = lost.filter(|lost| *lost < volume.members);
        volume.missing.extend(lost);
        if !volume.is_whole() {
            volume.missing.clear();
        }
        let all = cuts.iter().sum::<u64>().next_multiple_of(volume.period());
        let mut whole = BTreeMap::new();
        count(&volume.split(write(0, all)), &mut whole);
        volume.gathers = true;
        let (mut pieces, mut at) = (BTreeMap::new(), 0);
        for bytes in cuts.iter().cycle() {
            let bytes = (*bytes).min(all - at);
            count(&volume.split(write(at, bytes)), &mut pieces);
            at += bytes;
            if at == all {
                break;
            }
        }
        prop_assert_eq!(pieces, whole);
    }

    #[test]
    fn runs_tile_their_request_and_go_where_its_bytes_are(
        mut volume in layouts(), offset in 0_u64..300, bytes in 1_u64..200,
        largest in prop::option::of(1_u64..20),
    ) {
        volume.largest = largest;
        let mut covered = vec![0; bytes as usize];
        for run in runs(&volume, read(offset, bytes)) {
            let at = run.at.expect("all that is read of a whole volume was asked for");
            for byte in 0..run.part.bytes {
                covered[(at + byte) as usize] += 1;
                let place = (run.part.member, run.part.offset + byte);
                prop_assert!(places(&volume, offset + at + byte).contains(&place));
            }
        }
        prop_assert!(covered.iter().all(|times| *times == 1), "{:?}", covered);
        let mut written = BTreeMap::new();
        for run in runs(&volume, write(offset, bytes)) {
            let Some(at) = run.at else { continue };
            prop_assert_eq!(run.part.op, Op::Write, "what is read before is no data of a write");
            for byte in 0..run.part.bytes {
                let place = (run.part.member, run.part.offset + byte);
                prop_assert_eq!(written.insert(place, at + byte), None);
            }
        }
        let expected: BTreeMap<(u32, u64), u64> = (0..bytes)
            .flat_map(|at| places(&volume, offset + at).into_iter().map(move |place| (place, at)))
            .collect();
        prop_assert_eq!(written, expected);
    }

    #[test]
    fn layout_maps_are_bijections_and_conserve_bytes(
        volume in layouts(), offset in 0_u64..300, bytes in 1_u64..200,
    ) {
        let copies = match volume.geometry {
            Geometry::Mirror => volume.members as usize,
            Geometry::StripedMirrors { .. } => 2,
            _ => 1,
        };
        // Each byte has its own place, in as many copies as the layout keeps.
        let mut taken = BTreeMap::new();
        for at in offset..offset + bytes {
            let places = places(&volume, at);
            prop_assert_eq!(places.len(), copies);
            for place in places {
                prop_assert_eq!(taken.insert(place, at), None, "{:?} holds two bytes", place);
            }
        }
        // A request meets the places of its bytes: each once when read, in each copy when written.
        let mut met = BTreeMap::new();
        for part in volume.split(read(offset, bytes)) {
            for at in 0..part.bytes {
                let byte = taken.get(&(part.member, part.offset + at));
                prop_assert!(byte.is_some(), "{:?} holds a byte that nobody asked for", part);
                prop_assert_eq!(met.insert(byte, ()), None, "a byte is read twice");
            }
        }
        prop_assert_eq!(met.len() as u64, bytes);
        let mut written: BTreeMap<(u32, u64), ()> = BTreeMap::new();
        for part in volume.split(write(offset, bytes)) {
            let all = (0..part.bytes).map(|at| ((part.member, part.offset + at), ()));
            if part.op == Op::Write {
                written.extend(all);
            }
        }
        prop_assert!(taken.keys().all(|place| written.contains_key(place)));
    }

    #[test]
    fn a_whole_period_loads_its_members_alike(volume in layouts()) {
        prop_assume!(!matches!(volume.geometry, Geometry::Concat { .. } | Geometry::Mirror));
        prop_assume!(volume.geometry != Geometry::Whole);
        let mut load = BTreeMap::new();
        for part in volume.split(write(0, volume.period())) {
            *load.entry(part.member).or_insert(0) += part.bytes;
        }
        prop_assert_eq!(load.len() as u32, volume.members);
        let least = load.values().min();
        prop_assert_eq!(least, load.values().max());
    }

    #[test]
    fn larger_parts_than_the_largest_request_are_cut_and_nothing_is_lost(
        mut volume in layouts(), offset in 0_u64..300, length in 1_u64..200, largest in 1_u64..20,
    ) {
        for request in [read(offset, length), write(offset, length)] {
            volume.largest = None;
            let whole = volume.split(request);
            volume.largest = Some(largest);
            let cut = volume.split(request);
            prop_assert!(cut.iter().all(|part| part.bytes <= largest));
            for op in Op::BOTH {
                prop_assert_eq!(bytes(&cut, op), bytes(&whole, op));
            }
        }
    }

    /// Reconstruction reads what the lost member's share takes, and never the lost member.
    #[test]
    fn a_lost_member_is_never_asked_and_its_data_is_still_made_out(
        data in 2_u32..6, parity in 1_u32..3, lost in 0_u32..8, offset in 0_u64..200,
        length in 1_u64..60,
    ) {
        let mut volume = Volume::new(raid(parity, 1, Rotation::LeftSymmetric, 4), data + parity);
        prop_assume!(lost < volume.members);
        volume.missing.insert(lost);
        for request in [read(offset, length), write(offset, length)] {
            prop_assert!(volume.split(request).iter().all(|part| part.member != lost));
        }
        let whole = Volume::new(volume.geometry.clone(), volume.members);
        for at in offset..offset + length {
            let home = whole.split(read(at, 1))[0];
            let parts = volume.split(read(at, 1));
            let wanted = if home.member == lost { data as usize } else { 1 };
            prop_assert_eq!(parts.len(), wanted);
        }
    }
}

#[test]
fn parity_rotates_to_the_left_and_data_follows_it_as_linux_lays_it_out() {
    let volume = raid5(3, 1);
    let homes: Vec<u32> = (0..12).map(|at| volume.split(read(at, 1))[0].member).collect();
    assert_eq!(homes, [0, 1, 2, 3, 0, 1, 2, 3, 0, 1, 2, 3]);
    let parity: Vec<u32> = (0..4)
        .map(|row| {
            let data: Vec<u32> =
                (0..3).map(|at| volume.split(read(3 * row + at, 1))[0].member).collect();
            (0..4).find(|member| !data.contains(member)).unwrap()
        })
        .collect();
    assert_eq!(parity, [3, 2, 1, 0]);
}

#[test]
fn a_small_write_reads_old_data_and_parity_and_then_writes_both() {
    for (volume, cost) in [(raid5(4, 64 * KIB), 2), (raid6(5, 64 * KIB), 3)] {
        let parts = volume.split(write(4 * KIB, 4 * KIB));
        assert_eq!(counted(&parts), (cost, cost));
        assert!(parts.iter().all(|part| part.bytes == 4 * KIB && part.offset == 4 * KIB));
        for part in &parts {
            assert_eq!(part.phase, u8::from(part.op == Op::Write));
        }
    }
}

#[test]
fn a_full_stripe_is_written_without_reading() {
    let volume = raid5(8, 128 * KIB);
    let parts = volume.split(write(1 << 20, 1 << 20));
    assert_eq!(counted(&parts), (0, 9));
    assert!(parts.iter().all(|part| part.phase == 0 && part.bytes == 128 * KIB));
    let double = raid6(8, 128 * KIB).split(write(0, 1 << 20));
    assert_eq!(counted(&double), (0, 10));
}

#[test]
fn most_of_a_stripe_reads_the_rest_of_it() {
    // 3 of 4 segments: the rest is 1 read, read-modify-write would be 4.
    assert_eq!(counted(&raid5(4, 64 * KIB).split(write(0, 192 * KIB))), (1, 4));
    // 2 of 4: the rest is 2, read-modify-write 3.
    assert_eq!(counted(&raid5(4, 64 * KIB).split(write(0, 128 * KIB))), (2, 3));
    // 1 of 3: 2 either way, so what is there already is taken: old data and parity.
    let parts = raid5(3, 64 * KIB).split(write(0, 64 * KIB));
    let read: Vec<u32> =
        parts.iter().filter(|part| part.op == Op::Read).map(|p| p.member).collect();
    assert_eq!(read, [0, 3]);
}

#[test]
fn a_request_across_a_border_reads_the_bands_that_it_does_not_cover() {
    // Second half of one segment, first half of the next: nothing is covered twice, so each half
    // is a small write of its own.
    let volume = raid5(8, 64 * KIB);
    let parts = volume.split(write(32 * KIB, 64 * KIB));
    assert_eq!(bytes(&parts, Op::Read), 2 * 64 * KIB);
    assert_eq!(bytes(&parts, Op::Write), 2 * 64 * KIB);
    // The parity of both halves is one range.
    assert_eq!(counted(&parts), (3, 3));
}

#[test]
fn a_mirror_reads_its_sides_by_turn_and_writes_both() {
    let volume = Volume::new(Geometry::Mirror, 2);
    let sides: Vec<u32> =
        (0..4).map(|at| volume.split(read(at * 8 * KIB, 8 * KIB))[0].member).collect();
    assert_eq!(sides, [0, 1, 0, 1]);
    assert_eq!(counted(&volume.split(write(0, 8 * KIB))), (0, 2));
}

#[test]
fn a_mirror_whose_turn_is_stated_reads_so_much_of_one_side_whatever_the_request() {
    let volume = Volume { turn: Some(32 * KIB), ..Volume::new(Geometry::Mirror, 2) };
    for bytes in [4 * KIB, 8 * KIB, 16 * KIB] {
        for at in 0..128 * KIB / bytes {
            let parts = volume.split(read(at * bytes, bytes));
            assert_eq!(parts[0].member, (at * bytes / (32 * KIB) % 2) as u32, "{at} {bytes}");
        }
    }
    assert_eq!(counted(&volume.split(write(0, 8 * KIB))), (0, 2));
}

#[test]
fn level_10_writes_both_of_a_pair_and_reads_one() {
    let volume = Volume::new(Geometry::StripedMirrors { segment: 64 * KIB }, 6);
    let members = |parts: Vec<Part>| parts.iter().map(|part| part.member).collect::<Vec<_>>();
    assert_eq!(members(volume.split(write(64 * KIB, 8 * KIB))), [2, 3]);
    assert_eq!(members(volume.split(write(0, 192 * KIB))), [0, 1, 2, 3, 4, 5]);
    assert_eq!(counted(&volume.split(read(0, 192 * KIB))), (3, 0));
}

#[test]
fn a_stripe_of_mirrors_sends_each_unit_to_both_sides_of_one_mirror() {
    let stripe = Volume::new(Geometry::Stripe { unit: 128 * KIB }, 6);
    let mirror = Volume::new(Geometry::Mirror, 2);
    let disks: Vec<(u32, u32)> = stripe
        .split(write(128 * KIB, 256 * KIB))
        .iter()
        .flat_map(|part| {
            let below = Range { op: part.op, offset: part.offset, bytes: part.bytes };
            mirror.split(below).into_iter().map(|side| (part.member, side.member))
        })
        .collect();
    assert_eq!(disks, [(1, 0), (1, 1), (2, 0), (2, 1)]);
}

#[test]
fn level_50_fills_a_stripe_of_one_group_before_the_next_group() {
    let volume = Volume::new(raid(1, 2, Rotation::LeftSymmetric, 64 * KIB), 6);
    let members = |offset| {
        let parts = volume.split(write(offset, 128 * KIB));
        assert_eq!(counted(&parts), (0, 3));
        parts.iter().map(|part| part.member).collect::<Vec<_>>()
    };
    assert_eq!(members(0), [0, 1, 2]);
    assert_eq!(members(128 * KIB), [3, 4, 5]);
}

#[test]
fn decimal_requests_on_binary_units_touch_the_members_that_their_bytes_lie_on() {
    // 256 MB on 1 MiB units over 106 members: 244.14 units, so two or three a member.
    let volume = Volume::new(Geometry::Stripe { unit: 1 << 20 }, 106);
    for number in [0_u64, 1, 41, 1000] {
        let parts = volume.split(read(number * 256_000_000, 256_000_000));
        assert_eq!(parts.len(), 106, "one part a member");
        assert_eq!(bytes(&parts, Op::Read), 256_000_000);
        assert!(parts.iter().all(|part| part.bytes > 1 << 20 && part.bytes <= 3 << 20));
    }
}

#[test]
fn a_degraded_write_of_what_is_lost_writes_parity_that_stands_for_it() {
    let mut volume = raid5(4, 64 * KIB);
    // Segment 0 lies on member 0, parity of the first row on member 4.
    volume.missing.insert(0);
    let parts = volume.split(write(0, 4 * KIB));
    // The three others of the row are read, and parity alone is written.
    assert_eq!(counted(&parts), (3, 1));
    assert_eq!(parts.last().map(|part| part.member), Some(4));
    // Without its parity a row is written as it is.
    volume.missing = [4].into();
    assert_eq!(counted(&volume.split(write(0, 4 * KIB))), (0, 1));
}

#[test]
fn a_mirror_without_one_side_reads_and_writes_the_other() {
    let mut volume = Volume::new(Geometry::Mirror, 2);
    volume.missing.insert(0);
    for request in [read(0, 512), read(512, 512), write(0, 512)] {
        let members: Vec<u32> = volume.split(request).iter().map(|part| part.member).collect();
        assert_eq!(members, [1]);
    }
}
