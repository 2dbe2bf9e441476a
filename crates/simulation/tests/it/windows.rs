//! What a window lets a connection carry, and a device that is busy with one request at a time:
//! simulations and bounds against window / round trip, and against fixed time + size / rate.

use super::processors::assert_both;

/// Clients that read over connections of 64 KiB each from a server 10 ms away.
fn text(connections: u32, streams: u32) -> String {
    format!(
        r#"path {{
            host "client" {{ nic use="eth-10g" {{
                port "tcp" count={connections} window="64 KiB" round-trip="10 ms"
            }} }}
            switch "net"
            host "server" {{ nic "p" use="eth-10g"; part "media" }}
            wire from="client.nic.tcp" to="net"
            wire from="server.p" to="net"
        }}
        workload {{ streams "s" count={streams} on="client" over="server.media" block="64 KiB" depth=4 }}"#
    )
}

#[test]
fn a_window_passes_once_in_a_round_trip() {
    let one = 65536.0 / 10e-3;
    assert_both(&text(1, 1), one);
    // More streams on one connection do not help, more connections do.
    assert_both(&text(1, 4), one);
    assert_both(&text(4, 4), 4.0 * one);
}

#[test]
fn a_device_is_busy_for_a_fixed_time_and_the_bytes_of_each_request() {
    for (block, bytes) in [("4 kB", 4e3), ("64 kB", 64e3), ("1 MB", 1e6)] {
        let text = format!(
            r#"path {{ host "h" {{
                nvme read="2 GB/s" read-time="12 us" latency="40 us"
            }} }}
            workload {{
                streams "s" over="h..nvme" pattern="random" block="{block}" depth=64
            }}"#
        );
        assert_both(&text, bytes / (12e-6 + bytes / 2e9));
    }
}
