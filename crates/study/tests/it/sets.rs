//! `--set` next to `--case`: assignments hold in the experiments of the cases asked for.

use iopath_study::{Asked, Assignment, Case, Mistakes, Source, parse_asked};

const STUDY: &str = r#"study "s"
layout { file "data" size="1 GiB" }
experiment "blocks" {
    workload { streams "app" over="data" block="4 KiB" depth=2 }
    vary {
        factor "block" of="app.block" "4 KiB" "8 KiB"
        factor "op" of="app.op" "read" "write"
    }
}
experiment "depths" {
    workload { streams "app" over="data" block="4 KiB"; streams "more" over="data" block="4 KiB" }
    vary { factor "depth" of="app.depth" 1 2 }
}
experiment "skewed" {
    workload { streams "app" over="data" block="4 KiB" pattern="zipf" theta=0.9 }
}
"#;

fn asked(sets: &[&str], cases: Option<&[&str]>) -> Result<Vec<Case>, Mistakes> {
    let source = Source { name: "study.kdl".into(), text: STUDY.into() };
    let sets: Vec<_> = sets.iter().map(|set| Assignment::parse(set).unwrap()).collect();
    let names: Option<Vec<String>> =
        cases.map(|cases| cases.iter().map(|name| (*name).to_owned()).collect());
    let asked = Asked { sets: &sets, cases: names.as_deref(), is_template: false };
    parse_asked(&source, &[], asked)?.cases()
}

/// Block and depth of every case of an experiment, in its order.
fn of(cases: &[Case], experiment: &str) -> Vec<String> {
    let own = cases.iter().filter(|case| case.experiment == experiment);
    own.map(|case| format!("{} {}", case.streams[0].block, case.streams[0].depth)).collect()
}

#[test]
fn what_other_experiments_vary_can_be_set() {
    let cases = asked(&["app.block=16 KiB"], Some(&["depths"])).unwrap();
    assert_eq!(of(&cases, "depths"), ["16 KiB 1", "16 KiB 2"]);
    assert_eq!(of(&cases, "blocks"), ["4 KiB 2", "4 KiB 2", "8 KiB 2", "8 KiB 2"]);
    // A level means its experiment.
    let cases = asked(&["app.depth=16"], Some(&["op=write", "8 KiB"])).unwrap();
    assert_eq!(of(&cases, "blocks")[3], "8 KiB 16");
    assert_eq!(of(&cases, "depths"), ["4 KiB 1", "4 KiB 2"]);
}

#[test]
fn what_would_break_other_experiments_does_not_matter() {
    let cases = asked(&["app.theta=0.5"], Some(&["skewed"])).unwrap();
    assert_eq!(cases.len(), 7);
    assert!(asked(&["app.theta=0.5"], None).unwrap_err().to_string().contains("theta"));
}

#[test]
fn what_the_file_states_for_a_value_that_is_replaced_is_no_mistake() {
    let cases = asked(&["app.pattern=random"], None).unwrap();
    assert_eq!(cases.len(), 7);
    assert!(refused("app.theta=0.5", None).contains("theta counts only with pattern"));
}

fn refused(set: &str, cases: Option<&[&str]>) -> String {
    asked(&[set], cases).unwrap_err().to_string()
}

#[test]
fn what_the_cases_asked_for_vary_cannot_be_set() {
    insta::assert_snapshot!(refused("app.block=8 KiB", Some(&["op=read"])), @r#"
    --set:1:1: app.block is varied by the factor "block" of the experiment "blocks"
     1 | app.block=8 KiB
       | ^^^^^^^^^
       = hint: select one of its levels instead: --case "block=4 KiB", or another experiment: --case "depths"
    "#);
    // Without a name every experiment is asked for.
    let told = refused("app.depth=8", Some(&[]));
    assert!(told.contains("of the experiment \"depths\""), "{told}");
    assert!(
        told.contains("--case \"depth=1\", or another experiment: --case \"blocks\""),
        "{told}"
    );
    // A command without --case does not hear of it.
    let told = refused("app.depth=8", None);
    assert!(told.contains("of the experiment \"depths\"") && !told.contains("--case"), "{told}");
}

#[test]
fn what_is_only_in_other_experiments_is_not_set_in_silence() {
    let told = refused("more.block=8 KiB", Some(&["blocks"]));
    assert!(told.contains("more.block is not in the cases asked for"), "{told}");
    assert!(told.contains("it is in --case \"depths\""), "{told}");
    let told = refused("mre.block=8 KiB", Some(&["blocks"]));
    assert!(told.contains("there is no \"mre\""), "{told}");
}

#[test]
fn names_that_mean_no_case_are_left_to_whoever_asks() {
    assert_eq!(asked(&["app.block=8 KiB"], Some(&["op=rad"])).unwrap().len(), 7);
    assert_eq!(asked(&["app.block=8 KiB"], Some(&["op=read", "op=write"])).unwrap().len(), 7);
}
