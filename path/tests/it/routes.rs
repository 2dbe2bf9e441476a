//! The routing rule, on paths that people have.

use crate::text::Paths;

const SERVER: &str = r#"path {
    host "server" both="90 GB/s" {
        socket count=2 {
            root-port count=2 { pcie-switch { nvme count=6 } }
        }
    }
}"#;

#[test]
fn a_route_inside_a_host_crosses_what_is_on_its_way_and_not_what_encloses_it() {
    let mut paths = Paths::of(SERVER, "server");
    let near = paths.ways("server.socket[0]", "server.socket[0].root-port[1].pcie-switch.nvme[3]");
    let expected = "server.socket[0] server.socket[0].root-port[1] \
                    server.socket[0].root-port[1].pcie-switch";
    assert_eq!(near, [(expected.to_owned(), 1.0)]);
}

#[test]
fn the_way_to_the_other_socket_turns_at_the_host() {
    let mut paths = Paths::of(SERVER, "server");
    let far = paths.ways("server.socket[0]", "server.socket[1].root-port[0].pcie-switch.nvme[0]");
    let expected = "server.socket[0] server server.socket[1] server.socket[1].root-port[0] \
                    server.socket[1].root-port[0].pcie-switch";
    assert_eq!(far, [(expected.to_owned(), 1.0)]);
}
