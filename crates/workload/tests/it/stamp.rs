//! Stamps: what was written is recognised, and every kind of damage is called by its name.

use iopath_workload::stamp::{Damage, Expected, Stamp, check, fill};
use proptest::prelude::*;

const UNITS: [usize; 4] = [512, 1024, 2048, 4096];
const STAMP: Stamp = Stamp { offset: 8192, generation: 5, seed: 42 };

fn stamped(bytes: usize, stamp: Stamp) -> Vec<u8> {
    let mut unit = vec![0xaa; bytes];
    fill(&mut unit, stamp);
    unit
}

fn anything(seed: Option<u64>) -> Expected {
    Expected::Anything { offset: STAMP.offset, seed }
}

proptest! {
    #[test]
    fn what_was_filled_in_is_found(
        offset: u64, generation: u32, seed: u64, unit in prop::sample::select(&UNITS[..]),
    ) {
        let stamp = Stamp { offset, generation, seed };
        let unit = stamped(unit, stamp);
        prop_assert_eq!(check(&unit, Expected::Exactly(stamp)), Ok(stamp));
        for seed in [None, Some(seed)] {
            prop_assert_eq!(check(&unit, Expected::Anything { offset, seed }), Ok(stamp));
        }
    }

    #[test]
    fn noise_is_never_taken_for_a_stamp(noise in prop::collection::vec(any::<u8>(), 512)) {
        let wanted = Damage::Unstamped { offset: STAMP.offset };
        prop_assert_eq!(check(&noise, Expected::Exactly(STAMP)), Err(wanted));
    }
}

#[test]
fn every_flipped_byte_is_found_and_named() {
    for expected in [Expected::Exactly(STAMP), anything(None)] {
        for bytes in UNITS {
            let mut unit = stamped(bytes, STAMP);
            for at in 0..bytes {
                for flip in [1, 0x80, 0xff] {
                    unit[at] ^= flip;
                    let wanted = Damage::Corrupt { offset: STAMP.offset, first_bad_byte: Some(at) };
                    assert_eq!(check(&unit, expected), Err(wanted), "{at} of {bytes} ^ {flip}");
                    unit[at] ^= flip;
                }
            }
        }
    }
}

#[test]
fn halves_of_two_writes_are_torn() {
    let earlier = Stamp { generation: 4, ..STAMP };
    let other_run = Stamp { seed: 43, ..STAMP };
    for other in [earlier, other_run] {
        for at in (512..4096).step_by(512) {
            let mut unit = stamped(4096, STAMP);
            unit[at..].copy_from_slice(&stamped(4096, other)[at..]);
            let offset = STAMP.offset;
            let wanted = Damage::Torn { offset, head: STAMP, tail: other, at };
            for expected in [Expected::Exactly(STAMP), Expected::Exactly(other), anything(None)] {
                assert_eq!(check(&unit, expected), Err(wanted));
            }
        }
    }
}

#[test]
fn a_lost_sector_is_corrupt_from_its_first_byte() {
    for at in (0..4096).step_by(512) {
        let mut unit = stamped(4096, STAMP);
        unit[at..at + 512].fill(0);
        let wanted = Damage::Corrupt { offset: STAMP.offset, first_bad_byte: Some(at) };
        assert_eq!(check(&unit, Expected::Exactly(STAMP)), Err(wanted), "{at}");
    }
}

#[test]
fn whole_units_of_another_place_time_or_run_are_told_apart() {
    let wanted = Expected::Exactly(STAMP);
    let elsewhere = Stamp { offset: 4096, ..STAMP };
    let earlier = Stamp { generation: 4, ..STAMP };
    let foreign = Stamp { seed: 7, ..STAMP };
    for (found, damage) in [
        (elsewhere, Damage::Misplaced { wanted: 8192, found: elsewhere }),
        (earlier, Damage::Stale { wanted: STAMP, found: earlier }),
        (foreign, Damage::Foreign { wanted: 42, found: foreign }),
    ] {
        assert_eq!(check(&stamped(512, found), wanted), Err(damage));
    }
    assert_eq!(check(&stamped(512, earlier), anything(Some(42))), Ok(earlier));
    assert_eq!(check(&stamped(512, foreign), anything(None)), Ok(foreign));
    let damage = Damage::Foreign { wanted: 42, found: foreign };
    assert_eq!(check(&stamped(512, foreign), anything(Some(42))), Err(damage));
}

#[test]
fn units_of_another_length_are_not_taken_for_damage() {
    for (written, read) in [(4096, 512), (512, 4096), (1024, 2048)] {
        let mut bytes = stamped(written, STAMP);
        bytes.resize(4096, 0);
        let wanted = Damage::OtherUnit { offset: 8192, wanted: read, found: written };
        assert_eq!(check(&bytes[..read], anything(None)), Err(wanted));
    }
}

#[test]
fn data_that_lies_a_sector_too_far_on_is_corrupt() {
    let mut units = stamped(4096, STAMP);
    units.splice(..0, [0; 512]);
    for found in [&units[..4096], &[&units[4096..], &units[..3584]].concat()] {
        let wanted = Damage::Corrupt { offset: 8192, first_bad_byte: Some(0) };
        assert_eq!(check(found, Expected::Exactly(STAMP)), Err(wanted));
    }
}

#[test]
fn what_is_written_does_not_compress() {
    let mut data = Vec::new();
    for block in 0..256 {
        data.extend(stamped(4096, Stamp { offset: block * 4096, generation: 0, seed: 42 }));
    }
    let packed = zstd::encode_all(&data[..], 19).unwrap().len();
    // Heads and magic numbers are 40 of 4096 bytes.
    assert!(packed as f64 > 0.985 * data.len() as f64, "{packed} of {}", data.len());
}

#[test]
fn zeros_are_unstamped() {
    let wanted = Damage::Unstamped { offset: 8192 };
    assert_eq!(check(&[0; 4096], anything(None)), Err(wanted));
}

#[test]
fn each_damage_says_where_and_what() {
    let found = Stamp { offset: 4096, generation: 4, seed: 7 };
    for (damage, says) in [
        (Damage::Unstamped { offset: 8192 }, "no stamp at offset 8192"),
        (
            Damage::OtherUnit { offset: 8192, wanted: 4096, found: 512 },
            "offset 8192 was stamped in units of 512 B, but is read in units of 4096 B",
        ),
        (
            Damage::Misplaced { wanted: 8192, found },
            "offset 8192 holds data written for offset 4096 (generation 4)",
        ),
        (
            Damage::Stale { wanted: STAMP, found },
            "at offset 8192: generation 4 is there, but generation 5 was written last",
        ),
        (
            Damage::Foreign { wanted: 42, found },
            "at offset 4096: it was written with seed 7, not 42",
        ),
        (
            Damage::Torn { offset: 8192, head: STAMP, tail: found, at: 512 },
            "torn data at offset 8192: generation 5 of seed 42 up to byte 512",
        ),
        (
            Damage::Corrupt { offset: 8192, first_bad_byte: Some(3) },
            "corrupt data at offset 8192: byte 3 of the unit is the first",
        ),
        (Damage::Corrupt { offset: 8192, first_bad_byte: None }, "corrupt data at offset 8192"),
    ] {
        assert!(damage.to_string().contains(says), "{damage}");
    }
}

#[test]
fn stamps_that_differ_have_no_body_in_common() {
    let stamp = Stamp { generation: 1000, ..STAMP };
    let one = stamped(4096, stamp);
    for other in [
        Stamp { generation: 1001, ..stamp },
        Stamp { offset: stamp.offset + 4096, ..stamp },
        Stamp { seed: stamp.seed + 1, ..stamp },
        Stamp { offset: stamp.offset + 512, generation: 488, ..stamp },
        Stamp { offset: stamp.offset + 512, seed: stamp.seed.wrapping_sub(512), ..stamp },
    ] {
        let other = stamped(4096, other);
        // Of 4040 random bytes 16 are equal by chance, with a standard deviation of 4.
        let equal = (32..4072).filter(|at| one[*at] == other[*at]).count();
        assert!(equal < 48, "{equal} bytes");
    }
}
