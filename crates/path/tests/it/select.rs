//! Names of sets of parts: a selector that is printed means those parts and no other.

use std::collections::BTreeSet;

use iopath_path::select::{select, selectors};
use iopath_study::selector::Selector;
use iopath_study::{PartId, System};
use proptest::prelude::*;

use crate::text;

fn system() -> System {
    let path = r#"path {
    host "h" count=2 { hba count=3 { port count=2 } }
    array "a" count=4 {
        controller count=2 { port; raid "lun" count=2 { disk count=3 } }
    }
}"#;
    let streams = r#"streams "s" on="h[0]" over="f" block="4 KiB""#;
    text::case(path, "file \"f\" size=\"1 MiB\"", streams).system
}

proptest! {
    #[test]
    fn selectors_mean_the_parts_that_they_were_made_of(
        chosen in prop::collection::vec(any::<bool>(), 128)
    ) {
        let system = system();
        prop_assert!(system.parts.len() <= chosen.len());
        let parts: Vec<PartId> = system.ids().filter(|id| chosen[id.0]).collect();
        let meant: BTreeSet<PartId> = selectors(&system, &parts)
            .iter()
            .flat_map(|one| system.select(&one.parse::<Selector>().unwrap()))
            .collect();
        prop_assert_eq!(meant, parts.into_iter().collect());
    }
}

#[test]
fn what_is_regular_is_short() {
    let system = system();
    let named = |text: &str| -> Vec<PartId> {
        system.select(&text.parse::<Selector>().unwrap()).into_iter().collect()
    };
    for text in
        ["a", "a[0-2].controller.lun", "a.controller[1].lun[0].disk[0,2]", "h[1].hba[0-1].port"]
    {
        assert_eq!(selectors(&system, &named(text)), [text]);
    }
    let ragged = named("a[0-1]..lun, a[2].controller[0].lun");
    let expected = ["a[0-1].controller.lun", "a[2].controller[0].lun"];
    assert_eq!(selectors(&system, &ragged), expected);
    let many = named("h, a, h..hba, h..port, a..port, a..disk");
    assert_eq!(select(&system, &many), "h, h.hba, h.hba.port, a and 2 more");
}
