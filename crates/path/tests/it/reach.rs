//! Streams that count, those that cannot run, and what is told of them.

use std::collections::BTreeSet;

use iopath_path::{Loss, Network, PathMistake, PathMistakeKind};
use iopath_study::PartId;

use crate::text::case;

const TWO_SIDES: &str = r#"path {
    host "h" { hba count=2 }
    switch "f" count=2
    array "a" count=2 { port; lun { disk } }
    wire from="h.hba" to="f"
    wire from="a.port" to="f"
}"#;

const LAYOUT: &str = r#"
    stripe "v" over="a.lun"
    mirror "m" { side of="a[0].lun"; side of="a[1].lun" }"#;

const STREAMS: &str = r#"
    streams "plain" over="a.lun" block="4 KiB"
    streams "striped" over="v" block="4 KiB"
    streams "safe" over="m" block="4 KiB""#;

fn build(path: &str, layout: &str, streams: &str) -> Result<Network, Vec<PathMistake>> {
    Network::build(&case(path, layout, streams), &BTreeSet::new())
}

fn without(names: &[&str]) -> Result<Network, Vec<PathMistake>> {
    let case = case(TWO_SIDES, LAYOUT, STREAMS);
    let part = |name: &&str| {
        let found = case.system.ids().find(|id| case.system.part(*id).name == **name);
        found.unwrap_or_else(|| panic!("no part {name}"))
    };
    let removed: BTreeSet<PartId> = names.iter().map(part).collect();
    Network::build(&case, &removed)
}

fn stopped(network: &Network) -> Vec<(usize, &str)> {
    let stopped = network.losses.iter().filter_map(|loss| match loss {
        Loss::Stopped { stream, text } => Some((*stream, text.as_str())),
        Loss::Moved { .. }
        | Loss::Reserve { .. }
        | Loss::Degraded { .. }
        | Loss::Spare { .. }
        | Loss::Gone { .. } => None,
    });
    stopped.collect()
}

fn told(mistakes: Result<Network, Vec<PathMistake>>) -> Vec<(PathMistakeKind, String)> {
    let mistakes = mistakes.expect_err("something is wrong");
    mistakes.into_iter().map(|mistake| (mistake.kind, mistake.text)).collect()
}

#[test]
fn a_switch_that_fails_stops_what_has_no_other_side_and_degrades_the_mirror() {
    let network = without(&["f[1]"]).expect("something is left");
    let why = "no route from h to a[1].lun: no wires connect them any more";
    let stripe = format!("v has lost a[1].lun: a stripe has no redundancy; {why}");
    assert_eq!(stopped(&network), [(1, why), (2, stripe.as_str())]);
    let text = format!("m has lost a[1].lun and goes on; {why}");
    let degraded = network.losses.iter().find_map(|loss| match loss {
        Loss::Degraded { text, .. } => Some(text),
        Loss::Moved { .. }
        | Loss::Reserve { .. }
        | Loss::Spare { .. }
        | Loss::Gone { .. }
        | Loss::Stopped { .. } => None,
    });
    assert_eq!(degraded, Some(&text));
}

#[test]
fn a_removed_array_is_told_where_it_was_used() {
    let network = without(&["a[0]"]).expect("something is left");
    let stripe = "v has lost a[0].lun: a stripe has no redundancy";
    assert_eq!(stopped(&network), [(0, "a[0].lun is removed"), (2, stripe)]);
}

#[test]
fn when_nothing_is_left_each_group_is_told_why() {
    let expected = ["plain", "striped", "safe"].map(|group| {
        let text = format!("{group} cannot run: h is removed");
        (PathMistakeKind::Gone, text)
    });
    assert_eq!(told(without(&["h"])), expected);
}

#[test]
fn a_target_without_a_wire_is_a_mistake_at_its_declaration_told_once() {
    let path = r#"path {
        host "h" { hba }
        switch "f"
        array "a" { port; lun count=3 { disk } }
        wire from="h.hba" to="f"
    }"#;
    let mistakes = told(build(path, "", r#"streams "r" over="a.lun" block="4 KiB""#));
    let text = "no route from h to a.lun[0]: no wires connect them; 2 more such routes are missing";
    assert_eq!(mistakes, [(PathMistakeKind::Unreachable, text.to_owned())]);
}

#[test]
fn redundancy_does_not_hide_a_missing_wire() {
    let path =
        TWO_SIDES.replace(r#"wire from="a.port" to="f""#, r#"wire from="a[0].port" to="f[0]""#);
    let mistakes = told(build(&path, LAYOUT, r#"streams "r" over="m" block="4 KiB""#));
    let text = "no route from h to a[1].lun: no wires connect them";
    assert_eq!(mistakes, [(PathMistakeKind::Unreachable, text.to_owned())]);
}

#[test]
fn streams_must_say_where_they_run_where_there_are_several_hosts() {
    let path = r#"path { host "h" count=2 { nvme } }"#;
    let mistakes = told(build(path, "", r#"streams "r" over="h[0].nvme" block="4 KiB""#));
    let text = "r does not say where it runs, and there are 2 hosts";
    assert_eq!(mistakes, [(PathMistakeKind::ManyHosts, text.to_owned())]);
}

#[test]
fn via_keeps_what_its_routes_cross_and_is_a_mistake_where_that_is_nothing() {
    let kept = |via: &str| -> Vec<usize> {
        let streams = format!(r#"streams "r" over="a.lun, v" block="4 KiB" via="{via}""#);
        let network = build(TWO_SIDES, LAYOUT, &streams).expect("some are left");
        network.streams.iter().map(|load| load.stream).collect()
    };
    assert_eq!(kept("h"), [0, 1, 2]);
    assert_eq!(kept("h.hba[1]"), [1, 2]);
    assert_eq!(kept("f[0]"), [0, 2]);
    let idle = TWO_SIDES.replace("hba count=2 }", "hba count=2; nic }");
    let streams = r#"streams "r" over="a.lun, v" block="4 KiB" via="h.nic""#;
    let text = "no target of r is reached through h.nic";
    let mistakes = told(build(&idle, LAYOUT, streams));
    assert_eq!(mistakes, [(PathMistakeKind::Via, text.to_owned())]);
}

#[test]
fn no_mistake_hides_another_and_all_stand_in_the_order_of_the_study() {
    let path = r#"path {
        host "h" count=2 { hba count=2 }
        switch "f" count=2
        array "a" count=3 { port; lun { disk } }
        wire from="h.hba[0]" to="f[0]"
        wire from="h.hba[1]" to="f[1]"
        wire from="a[0-1].port" to="f"
    }"#;
    let streams = r#"
        streams "far" on="h[0]" over="a[2].lun" block="1 MiB"
        streams "lost" over="a[0].lun" block="1 MiB"
        streams "other" on="h[0]" over="a[0].lun" block="1 MiB" via="h[1]""#;
    let mistakes = told(build(path, "", streams));
    let kinds: Vec<_> = mistakes.iter().map(|(kind, _)| *kind).collect();
    use PathMistakeKind::{ManyHosts, Unreachable, Via};
    assert_eq!(kinds, [Unreachable, ManyHosts, Via], "{mistakes:?}");
}

#[test]
fn a_group_whose_way_is_removed_stops_and_others_go_on() {
    let streams = r#"
        streams "one" over="a[0].lun" block="4 KiB" via="h.hba[0]"
        streams "two" over="a[1].lun" block="4 KiB""#;
    let case = case(TWO_SIDES, "", streams);
    let hba = case.system.ids().find(|id| case.system.part(*id).name == "h.hba[0]");
    let network = Network::build(&case, &hba.into_iter().collect()).expect("two is left");
    let why = "no route from h to a[0].lun: no wires connect them any more";
    assert_eq!(stopped(&network), [(0, why)]);
    assert_eq!(network.streams.len(), 1);
}
