//! Rules over paths: each fires where it should, at its line, and nowhere else.
//!
//! In the studies here a comment `// ! rule` marks the line at which a rule speaks. What is not
//! marked must not be told; `single-points` has tests of its own, because every path has some.

use std::collections::BTreeSet;

use iopath_path::{PathFinding, Rule, check, distinct};
use iopath_study::study::parse_with;
use iopath_study::{Case, Source, Study};

mod arrays;
mod fabrics;
mod layouts;
mod links;
mod loads;
mod losses;
mod networks;
mod studies;

/// A study and what its cases are found to have.
pub(crate) fn found(text: &str) -> (Study, Vec<PathFinding>) {
    found_in(text, |_| true)
}

/// What some of its cases are found to have.
fn found_in(text: &str, wanted: impl Fn(&Case) -> bool) -> (Study, Vec<PathFinding>) {
    let source = Source { name: "t.kdl".into(), text: text.into() };
    let p690 = include_str!("../../../../studies/p690.kdl");
    let included = [Source { name: "p690.kdl".into(), text: p690.into() }];
    let study = parse_with(&source, &included, &[]).unwrap_or_else(|mistakes| panic!("{mistakes}"));
    let cases = study.cases().unwrap_or_else(|mistakes| panic!("{mistakes}"));
    let cases = cases.iter().filter(|case| wanted(case));
    let found = distinct(cases.map(|case| check(case, &BTreeSet::new())));
    (study, found.into_iter().map(|(finding, _)| finding).collect())
}

/// Lines with the names of rules.
type Told = BTreeSet<(usize, String)>;

fn marked(text: &str) -> Told {
    let lines = (1..).zip(text.lines());
    let marked = lines.filter_map(|(line, text)| Some((line, text.split_once("// !")?.1)));
    marked
        .flat_map(|(line, rules)| rules.split_whitespace().map(move |rule| (line, rule.to_owned())))
        .collect()
}

/// Holds a study to its marks, and gives what was told.
fn hold(text: &str) -> Vec<PathFinding> {
    let (study, mut found) = found(text);
    found.retain(|finding| finding.rule != Rule::SinglePoints);
    let line = |finding: &PathFinding| study.remark(finding.span, "", None).line;
    let told: Told =
        found.iter().map(|finding| (line(finding), finding.rule.name().to_owned())).collect();
    assert_eq!(told, marked(text), "{text}\n{found:#?}");
    assert_eq!(told.len(), found.len(), "told twice: {found:#?}");
    found
}

/// Holds a path and layout under one reader of 1 MiB blocks of `vol`.
fn hold_read(path: &str) -> Vec<PathFinding> {
    let text = format!(
        "study \"t\"\n{path}\nworkload time=\"1 s\" {{\n\
         streams \"app\" over=\"vol\" block=\"1 MiB\" depth=4\n}}\n"
    );
    hold(&text)
}

/// The text of the only finding of a rule.
fn text_of(found: &[PathFinding], rule: Rule) -> &str {
    let mut texts = found.iter().filter(|finding| finding.rule == rule);
    let text = texts.next().unwrap_or_else(|| panic!("no {rule}: {found:#?}"));
    assert!(texts.next().is_none(), "{rule} twice: {found:#?}");
    &text.text
}

#[test]
fn every_rule_has_a_name_of_its_own_and_a_row_in_the_docs() {
    let docs = include_str!("../../../../docs/path-rules.md");
    let names: BTreeSet<&str> = Rule::ALL.iter().map(|rule| rule.name()).collect();
    assert_eq!(names.len(), Rule::ALL.len());
    for name in names {
        assert!(docs.contains(&format!("| `{name}` |")), "docs/path-rules.md lacks {name}");
    }
}

#[test]
fn one_mistake_hides_no_other() {
    let found = hold(
        r#"study "t"
path {
    host "h" {
        hba count=2 { port count=2 } // ! unwired-port
        hba "fast" use="fc-8g" read=(given)"900 MB/s" { // ! above-rating
            part "own" count=2
        }
    }
    array "a" count=2 {
        controller count=2 {
            port // ! unwired-port
            cache size="1 GB" block="4 KiB" battery=#false // ! unmirrored-cache cache-without-battery cache-block
            raid "lun" level=5 segment="256 KiB" { disk count=7 size="1 TB" } // ! no-spare partial-stripe
            raid "odd" level=10 { disk count=3 } // ! disk-count
        }
        lun "stray" level=0 { disk count=2 } // ! no-owner no-redundancy
    }
    wire from="h.hba.port[0]" to="a[0].controller.port"
    wire from="h.hba[0].port[1]" to="a[1].controller[0].port"
}
layout {
    stripe "vol" unit="1 MiB" largest-request="512 KiB" over="a[0]..lun" size="20 TB" // ! cut-requests too-large
    mirror "m" { // ! mirror-shares-part
        side of="a[0].controller[0].lun"
        side of="a[0].controller[0].odd"
    }
}
workload time="1 s" {
    streams "w" over="vol" op="write" block="16 MiB"
    streams "r" count=4 over="vol" block="1 MiB" region="shared" // ! shared-region
}
"#,
    );
    assert!(found.len() > 12);
}

#[test]
fn what_was_removed_is_missed_below_and_above() {
    let text = r#"study "t"
path { host "h" { enclosure count=2 { disk count=4 } } }
layout {
    raid "vol" level=6 over="h..disk"
}
workload time="1 s" { streams "r" over="vol" block="1 MiB" }
"#;
    let (study, _) = found(text);
    let case = study.cases().unwrap().remove(0);
    let part = |name: &str| case.system.ids().find(|id| case.system.part(*id).name == name);
    let removed = BTreeSet::from([part("h.enclosure[1].disk[2]").unwrap()]);
    let found = check(&case, &removed);
    let told = text_of(&found, Rule::MissingMember);
    assert_eq!(told, "vol: 1 of its 8 members are removed: h.enclosure[1].disk[2]");
    let removed = BTreeSet::from([part("h.enclosure[1]").unwrap()]);
    let found = check(&case, &removed);
    assert!(found.iter().any(|finding| finding.rule == Rule::MissingMember), "{found:#?}");
}

#[test]
fn a_via_that_nothing_crosses_is_a_mistake() {
    hold(
        r#"study "t"
path {
    host "h" { hba count=2 { disk } }
}
workload time="1 s" {
    streams "r" over="h.hba[0].disk" via="h.hba[1]" block="1 MiB" // ! no-via
}
"#,
    );
}
