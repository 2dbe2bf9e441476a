//! Selectors that are written for a set of parts.

use std::collections::BTreeSet;

use iopath_study::selector::{IndexedNames, Selector, cover};
use iopath_study::{PartId, System};
use proptest::prelude::*;

use super::cases_of;

/// Boxes with controllers with disks, so many of each, and a lone host.
fn system([boxes, controllers, disks]: [u32; 3]) -> System {
    let text = format!(
        r#"study "s"
path {{
    host "server"
    array "box" count={boxes} {{
        controller count={controllers} {{ disk count={disks} size="1 GB"; port }}
    }}
}}
layout {{ file "f" size="1 GB" }}
workload time="1 s" {{ streams "s" on="server" over="f" block="1 MiB" }}
"#
    );
    let mut cases = cases_of(&text);
    cases.remove(0).system
}

fn names<'a>(system: &'a System, parts: &'a BTreeSet<PartId>) -> impl Iterator<Item = &'a str> {
    parts.iter().map(|id| system.part(*id).name.as_str())
}

fn selected(system: &System, text: &str) -> BTreeSet<PartId> {
    system.select(&text.parse::<Selector>().unwrap_or_else(|mistake| panic!("{text}: {mistake}")))
}

#[test]
fn a_selector_of_nothing_says_which_step_leads_nowhere_and_what_is_there() {
    let system = system([2, 2, 3]);
    for (text, why) in [
        ("box", None),
        ("box, nothing", None),
        ("bxo", Some("there is no \"bxo\"; did you mean \"box\"?")),
        ("tape", Some("there is no \"tape\"; known here: box, f, server")),
        ("disk[0]", Some("there is no \"disk\" at the top: write box.controller.disk")),
        ("box.disk", Some("there is no \"disk\" directly in box: write box..disk")),
        ("box.controler", Some("there is no \"controler\" in box; did you mean \"controller\"?")),
        ("box[2]", Some("the study has no box[2]: the last one is box[1]")),
        ("box..disk[3-4]", Some("box has no disk[3]: the last one is disk[2]")),
    ] {
        let absent = system.absent(&text.parse().unwrap());
        assert_eq!(absent.first().map(String::as_str), why, "{text}");
    }
}

proptest! {
    #[test]
    fn what_is_written_selects_exactly_the_set(
        counts in prop::array::uniform3(1..4_u32),
        draws in prop::collection::vec(any::<bool>(), 60),
    ) {
        let system = system(counts);
        let drawn = system.ids().zip(draws.iter().cycle()).filter(|(_, is_in)| **is_in);
        let parts: BTreeSet<PartId> = drawn.map(|(id, _)| id).collect();
        prop_assume!(!parts.is_empty());
        let texts = cover(names(&system, &parts), |_, _| false);
        prop_assert_eq!(selected(&system, &texts.join(", ")), parts.clone());
        let mut count = 0;
        for text in &texts {
            let names = IndexedNames::read(text, &mut 1000);
            prop_assert!(names.is_product());
            prop_assert_eq!(&names.text(|_, _| false), text);
            count += names.count;
        }
        prop_assert_eq!(count, parts.len());
    }
}

#[test]
fn parts_that_agree_on_what_follows_stand_together() {
    let rows = ["a[0].c[0].l", "a[0].c[1].l", "a[1].c[0].l", "h", "a[2].c[0].l", "a[2].c[1].l"];
    assert_eq!(cover(rows, |_, _| false), ["a[0,2].c[0-1].l", "a[1].c[0].l", "h"]);
    let is_all = |place: usize, indices: &BTreeSet<u32>| place == 1 && indices.len() == 2;
    assert_eq!(cover(rows, is_all), ["a[0,2].c.l", "a[1].c[0].l", "h"]);
}

#[test]
fn a_number_of_parts_is_no_selector() {
    let wrong = "1 switch".parse::<Selector>().unwrap_err();
    assert!(wrong.contains("name which ones, as in sw[0]"), "{wrong}");
}

#[test]
fn a_list_of_one_pattern_is_read_as_one() {
    let read = |text| {
        let names = IndexedNames::read(text, &mut 10);
        (names.text(|_, _| false), names.count, names.is_product())
    };
    assert_eq!(read("a[0].b, a[2].b"), ("a[0,2].b".to_owned(), 2, true));
    assert_eq!(read("a[0].b[0], a[1].b[1]"), ("a[0-1].b[0-1]".to_owned(), 2, false));
    for text in ["a[0].b, c[0]", "a[x]", "b[1", "a[0-10]", "a[3-1]", "a[]", ""] {
        assert_eq!(read(text), (text.to_owned(), 1, true));
    }
}
