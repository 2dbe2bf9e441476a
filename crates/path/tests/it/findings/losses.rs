//! Every part whose loss stops a stream: what the list says is what happens when it is removed.

use std::collections::BTreeSet;

use iopath_path::{Loss, Network, Rule, findings};
use iopath_study::{Case, PartId, Source, parse};

use super::{found, text_of};

fn case(path: &str, over: &str) -> Case {
    let text = format!(
        "study \"t\"\n{path}\nworkload time=\"1 s\" {{ streams \"r\" on=\"h\" over=\"{over}\" \
         block=\"1 MiB\" }}\n"
    );
    let source = Source { name: "t.kdl".into(), text };
    let study = parse(&source, &[]).unwrap_or_else(|mistakes| panic!("{mistakes}"));
    study.cases().unwrap_or_else(|mistakes| panic!("{mistakes}")).remove(0)
}

/// The parts of the path that the finding lists.
fn listed(case: &Case) -> BTreeSet<PartId> {
    let network = Network::build(case, &BTreeSet::new()).unwrap();
    let found = findings(case, &network);
    let points = found.iter().find(|finding| finding.rule == Rule::SinglePoints);
    points.map(|finding| finding.parts.iter().copied().collect()).unwrap_or_default()
}

/// The parts of the path whose removal stops a stream, found the slow way.
fn stopping(case: &Case) -> BTreeSet<PartId> {
    let kinds = ["lun", "raid", "stripe", "mirror", "filesystem", "file", "cache"];
    let physical = case.system.ids().filter(|id| !kinds.contains(&case.system.kind(*id)));
    let stops = |id: &PartId| match Network::build(case, &BTreeSet::from([*id])) {
        Ok(network) => network.losses.iter().any(|loss| matches!(loss, Loss::Stopped { .. })),
        Err(_) => true,
    };
    physical.filter(stops).collect()
}

fn agree(path: &str, over: &str) {
    let case = case(path, over);
    let name = |parts: BTreeSet<PartId>| -> Vec<String> {
        parts.into_iter().map(|id| case.system.part(id).name.clone()).collect()
    };
    assert_eq!(name(listed(&case)), name(stopping(&case)), "{path}");
}

const DUAL: &str = r#"path {
    host "h" { hba count=2 { port } }
    switch "s" count=2
    array "a" count=2 {
        controller "c" count=2 {
            port count=2
            cache size="1 GB"
            LUN
        }
    }
    wire from="h.hba.port" to="s"
    wire from="a.c.port[0]" to="s[0]"
    wire from="a.c.port[1]" to="s[1]"
}
layout {
    LAYOUT
}"#;

fn dual(lun: &str, layout: &str) -> String {
    DUAL.replace("LUN", lun).replace("LAYOUT", layout)
}

#[test]
fn the_list_is_what_happens() {
    let five = "raid \"lun\" level=5 { disk count=5 }";
    let plain = "lun { disk count=2 }";
    let stripe = r#"stripe "vol" over="a..lun""#;
    let mirror = r#"mirror "vol" { side of="a[0]..lun"; side of="a[1]..lun" }"#;
    agree(&dual(five, stripe), "vol");
    agree(&dual(plain, stripe), "vol");
    agree(&dual(plain, mirror), "vol");
    agree(&dual(plain, mirror), "vol[0]");
    agree(&dual(five, ""), "a[0].c[1].lun");
    // What a controller owns, its partner takes over; not its ports to shelves.
    let shelf = format!("port \"be\" {{ enclosure \"shelf\" {{ {five} }} }}");
    agree(&dual(&shelf, ""), "a[0].c[1].be.shelf.lun");
    agree(&dual(&shelf, stripe), "vol");
    let nested = format!(
        "{mirror}\nstripe \"top\" over=\"vol\"\nfilesystem \"fs\" on=\"top\"\n\
         file \"f\" size=\"1 GB\" on=\"fs\""
    );
    agree(&dual(plain, &nested), "f");
}

#[test]
fn one_adapter_one_switch_and_one_shelf_are_single() {
    let path = r#"path {
    host "h" { socket count=2 { hba { port count=2 } } }
    switch "s"
    array "a" { controller count=2 { port; raid "lun" level=6 { disk count=6 } } }
    wire from="h.socket[0].hba.port" to="s"
    wire from="a.controller.port" to="s"
}
layout { stripe "vol" over="a..lun" }"#;
    agree(path, "vol");
    let text = format!(
        "study \"t\"\n{path}\nworkload time=\"1 s\" {{\n\
         streams \"r\" over=\"vol\" block=\"1 MiB\"\n}}\n"
    );
    let (_, found) = found(&text);
    let told = text_of(&found, Rule::SinglePoints);
    assert_eq!(told, "losing any of these stops a stream: h, h.socket[0], h.socket[0].hba, s, a");
}
