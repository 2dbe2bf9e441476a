//! What is left when parts are removed.

use std::collections::BTreeSet;

use iopath_path::{Loss, Network};
use iopath_study::{Case, PartId};

use crate::text::case;

const PATH: &str = r#"path {
    host "h" { hba count=2 }
    switch "f" count=2
    array "a" count=2 {
        controller count=2 {
            port
            raid "lun" level=5 { disk count=5 }
        }
    }
    wire from="h.hba" to="f"
    wire from="a.controller[0].port" to="f[0]"
    wire from="a.controller[1].port" to="f[1]"
}"#;

fn study() -> Case {
    let layout = r#"
        stripe "v" over="a..lun"
        mirror "m" { side of="a[0]..lun"; side of="a[1]..lun" }"#;
    case(PATH, layout, "streams \"s\" over=\"v, m\" block=\"4 KiB\"")
}

fn without(names: &[&str]) -> Vec<String> {
    let case = study();
    let removed: BTreeSet<PartId> = names.iter().map(|name| part(&case, name)).collect();
    let network = Network::build(&case, &removed).expect("something is left");
    let name = |id| network.component(id).name.clone();
    let losses = network.losses.iter().map(|loss| match loss {
        Loss::Moved { volume, to } => format!("{} to {}", name(*volume), name(*to)),
        Loss::Reserve { text, .. }
        | Loss::Degraded { text, .. }
        | Loss::Spare { text, .. }
        | Loss::Gone { text, .. }
        | Loss::Stopped { text, .. } => text.clone(),
    });
    losses.collect()
}

fn part(case: &Case, name: &str) -> PartId {
    let found = case.system.ids().find(|id| case.system.part(*id).name == name);
    found.unwrap_or_else(|| panic!("no part {name}"))
}

#[test]
fn nothing_is_lost_where_nothing_is_removed() {
    assert!(without(&[]).is_empty());
}

#[test]
fn the_partner_takes_over_what_a_controller_owned() {
    let losses = without(&["a[0].controller[0]"]);
    assert_eq!(losses, ["a[0].controller[0].lun to a[0].controller[1]"]);
}

#[test]
fn parity_makes_up_for_one_disk() {
    let losses = without(&["a[1].controller[0].lun.disk[2]"]);
    let text = "a[1].controller[0].lun has lost a[1].controller[0].lun.disk[2] and goes on: a \
                read of a lost block takes 4 of other members, one of a whole row as many as \
                before";
    assert_eq!(losses, [text]);
}

#[test]
fn what_a_degraded_volume_keeps_is_told() {
    let told = |properties: &str| {
        let lun = format!("raid \"lun\" {properties} {{ disk count=6 }}");
        let path = format!("path {{ host \"h\" {{ controller \"c\" {{ {lun} }} }} }}");
        let case = case(&path, "", "streams \"s\" over=\"h.c.lun\" block=\"4 KiB\"");
        let removed = BTreeSet::from([part(&case, "h.c.lun.disk[0]")]);
        let network = Network::build(&case, &removed).expect("parity is left");
        match &network.losses[..] {
            [Loss::Degraded { text, .. }] => text.clone(),
            losses => panic!("{losses:?}"),
        }
    };
    let copy =
        "h.c.lun has lost h.c.lun.disk[0] and goes on: reads of lost blocks go to their copy";
    assert_eq!(told("level=10"), copy);
    let begin = |reads: u32| {
        format!(
            "h.c.lun has lost h.c.lun.disk[0] and goes on: a read of a lost block takes {reads} \
             of other members, one of a whole row as many as before"
        )
    };
    let rated = "; ratings stated for it as a whole are assumed to hold";
    assert_eq!(told("level=5"), begin(5));
    assert_eq!(told("level=6"), begin(4));
    assert_eq!(told("level=50"), begin(2));
    assert_eq!(told("level=5 spares=1"), format!("{}; 1 spare is left", begin(4)));
    let stated = told("level=5 spares=1 read=\"1 GB/s\"");
    assert_eq!(stated, format!("{}{rated}; 1 spare is left", begin(4)));
}

#[test]
fn a_lost_spare_is_told_with_how_many_are_left() {
    let lun = "raid \"lun\" level=5 spares=3 { disk count=8 }";
    let path = format!("path {{ host \"h\" {{ controller \"c\" {{ {lun} }} }} }}");
    let case = case(&path, "", "streams \"s\" over=\"h.c.lun\" block=\"4 KiB\"");
    let told = |lost: &[u32]| {
        let disk = |at: &u32| part(&case, &format!("h.c.lun.disk[{at}]"));
        let removed = lost.iter().map(disk).collect();
        let network = Network::build(&case, &removed).expect("parity is left");
        assert!(!network.component(part(&case, "h.c.lun").into()).removed);
        match &network.losses[..] {
            [Loss::Spare { text, .. } | Loss::Degraded { text, .. }] => {
                text.replace("h.c.lun.", "").replace("h.c.", "")
            }
            losses => panic!("{losses:?}"),
        }
    };
    assert_eq!(told(&[7]), "lun has lost its spare disk[7]; 2 of 3 spares are left");
    assert_eq!(told(&[6, 7]), "lun has lost disk[6] and 1 more spare; 1 of 3 spares is left");
    assert_eq!(told(&[5, 6, 7]), "lun has lost disk[5] and 2 more spares; no spare is left");
    assert!(told(&[0]).ends_with("; 3 spares are left"), "{}", told(&[0]));
    assert!(told(&[0, 5]).ends_with("; 2 of 3 spares are left"), "{}", told(&[0, 5]));
    assert!(told(&[0, 5, 6, 7]).ends_with("; no spare is left"), "{}", told(&[0, 5, 6, 7]));
}

#[test]
fn a_mirror_goes_on_with_one_side() {
    let case = study();
    let removed = BTreeSet::from([part(&case, "a[0]")]);
    let network = Network::build(&case, &removed).expect("something is left");
    let mirror = network.component(part(&case, "m[0]").into());
    assert_eq!(mirror.missing, BTreeSet::from([0]));
    assert!(!mirror.removed);
    assert!(network.component(part(&case, "v").into()).removed);
}

#[test]
fn without_its_own_port_a_controller_is_reached_through_its_partner() {
    let losses = without(&["a[0].controller[1].port"]);
    let text = "a[0].controller[1].lun is reached through a controller that is not its owner";
    assert_eq!(losses, [text]);
}

#[test]
fn epochs_have_no_gap_where_those_in_between_have_stopped() {
    let layout = "stripe \"v\" over=\"a[0]..lun\"\nstripe \"w\" over=\"a[1]..lun\"";
    let streams = r#"
        streams "last" over="v" block="4 KiB" after="next"
        streams "next" over="w" block="4 KiB" after="first"
        streams "first" over="v" block="4 KiB" count=2"#;
    let case = case(PATH, layout, streams);
    let epochs = |removed: BTreeSet<PartId>| {
        let network = Network::build(&case, &removed).expect("something is left");
        let each = network.streams.iter();
        each.map(|load| (case.streams[load.stream].group.clone(), load.epoch)).collect::<Vec<_>>()
    };
    let named = |all: &[(&str, u32)]| {
        all.iter().map(|(name, epoch)| ((*name).to_owned(), *epoch)).collect::<Vec<_>>()
    };
    assert_eq!(
        epochs(BTreeSet::new()),
        named(&[("last", 2), ("next", 1), ("first", 0), ("first", 0)])
    );
    let without = BTreeSet::from([part(&case, "a[1]")]);
    assert_eq!(epochs(without), named(&[("last", 1), ("first", 0), ("first", 0)]));
}

#[test]
fn triple_parity_survives_three_losses_and_no_fourth() {
    let path = PATH.replace("level=5 { disk count=5 }", "level=6 parity=3 { disk count=8 }");
    let case = case(&path, "", "streams \"s\" over=\"a..lun\" block=\"4 KiB\"");
    let lost = |disks: std::ops::Range<usize>| {
        let disk = |at| part(&case, &format!("a[0].controller[0].lun.disk[{at}]"));
        let network = Network::build(&case, &disks.map(disk).collect()).expect("others are left");
        network.losses.iter().any(|loss| matches!(loss, Loss::Gone { .. }))
    };
    assert!(!lost(0..3));
    assert!(lost(0..4));
}
