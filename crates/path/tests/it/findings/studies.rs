//! What the rules say of the studies that are shipped.

use iopath_path::Rule;

use super::found_in;

#[test]
fn opposite_halves_of_the_p690_are_told_with_the_cables_to_swap() {
    let (_, found) = found_in(include_str!("../../../../../studies/p690.kdl"), |case| {
        ["RAID geometry", "cabling"].contains(&case.experiment.as_str())
    });
    let told = found.iter().find(|finding| finding.rule == Rule::CrossesBackplane).unwrap();
    assert!(told.text.starts_with("san: 16 of 16 flows"), "{}", told.text);
    assert!(told.text.contains("1.600 GB/s: 100.0 MB/s each"), "{}", told.text);
    assert!(
        told.hint.starts_with(
            "swap the cables of san.asic[0-1].port[4-7] with those of san.asic[2-3].port[0-3]"
        ),
        "{}",
        told.hint
    );
    assert!(found.iter().all(|finding| finding.rule != Rule::PartialStripe), "{found:#?}");
}

#[test]
fn the_readers_of_one_region_are_told() {
    let (_, found) = found_in(include_str!("../../../../../studies/veritas-cfs.kdl"), |case| {
        case.experiment.contains("raw")
    });
    assert!(found.iter().any(|finding| finding.rule == Rule::SharedRegion
        && finding.text.starts_with("64 streams, one region")));
}

#[test]
fn mirrors_across_both_controllers_are_sound() {
    let (_, found) = found_in(include_str!("../../../../../studies/storagetek-2540.kdl"), |case| {
        case.levels.iter().all(|level| level.level != "64 GiB")
    });
    assert!(!found.is_empty());
    assert!(found.iter().all(|finding| finding.rule != Rule::MirrorSharesPart), "{found:#?}");
}
