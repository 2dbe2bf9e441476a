//! Large systems: what is found once is not looked for again.

use std::collections::BTreeSet;

use iopath_path::Network;

use crate::text::case;

#[test]
fn a_hundred_thousand_components_with_ten_thousand_routes_are_built_at_once() {
    let path = r#"path {
        host "h" count=100 { hba count=10 { port count=2 use="fc-32g" } }
        switch "left" { port count=1500 }
        switch "right" { port count=1500 }
        array "a" count=100 {
            controller count=2 { port count=2; raid "lun" count=24 level=6 { disk count=18 } }
        }
        wire from="h.hba.port[0]" to="left.port[0-999]"
        wire from="h.hba.port[1]" to="right.port[0-999]"
        wire from="a.controller.port[0]" to="left.port[1000-1199]"
        wire from="a.controller.port[1]" to="right.port[1000-1199]"
    }"#;
    let streams = r#"streams "s" on="h[0-2]" over="a..lun" block="64 KiB""#;
    let case = case(path, "", streams);
    let network = Network::build(&case, &BTreeSet::new()).expect("whole");
    assert_eq!(network.components.len(), 98_002);
    // From 3 hosts to 200 controllers, by 10 ports of the host to one of the controller on each
    // of two switches: 24 volumes of one owner share their routes.
    assert_eq!(network.routes.len(), 3 * 200 * 20);
}
