//! Processor time and memory that software takes: simulations and bounds against closed forms.

use iopath_analytic::evaluate;

use super::model::{assert_near, case, network, run, window};

/// What the tightest bound and a simulation say of the streams "s", in bytes a second.
fn both(text: &str) -> [f64; 2] {
    let case = case(text);
    let bounds = evaluate(&case, &network(&case)).bounds;
    let bound = bounds.last().expect("something limits").bytes_per_sec as f64;
    [bound, window(&run(text, 2), "s").bytes_per_sec()]
}

pub(crate) fn assert_both(text: &str, wanted: f64) {
    for found in both(text) {
        assert_near(found, wanted, 0.03);
    }
}

#[test]
fn a_host_without_cost_has_the_typical_one_on_all_its_processors() {
    let text = |cost: &str| {
        format!(
            r#"path {{ host "h" cpus=2 {{
                nvme "d" count=4 latency="20 us" read-ops="700000 /s"
                {cost}
            }} }}
            workload {{ streams "s" over="h.d" pattern="random" block="4 KiB" depth=32 }}"#
        )
    };
    assert_both(&text(""), 2.0 / 2.31e-6 * 4096.0);
    assert_both(&text(r#"cost request="5 us""#), 2.0 / 5e-6 * 4096.0);
    assert_both(&text(r#"cost use="free""#), 4.0 * 700e3 * 4096.0);
}

#[test]
fn one_stream_transforms_on_one_processor() {
    let text = |count: u32| {
        format!(
            r#"path {{ host "h" cpus=2 {{
                nvme "d" read="9 GB/s" latency="20 us"
                cost request="0 s" transform="1 GB/s"
            }} }}
            workload {{ streams "s" count={count} over="h.d" block="1 MB" depth=4 }}"#
        )
    };
    assert_both(&text(1), 1e9);
    assert_both(&text(4), 2e9);
}

#[test]
fn what_is_transformed_crosses_memory_more_often() {
    assert_both(
        r#"path { host "h" cpus=8 memory-rate="3 GB/s" {
            nvme "d" read="9 GB/s" latency="20 us"
            cost request="0 s" crossings=2
        } }
        workload { streams "s" count=2 over="h.d" block="1 MB" depth=4 }"#,
        1e9,
    );
}

#[test]
fn a_direct_file_system_adds_its_own() {
    assert_both(
        r#"path { host "h" cpus=8 memory-rate="3 GB/s" {
            nvme "d" read="9 GB/s" latency="20 us" size="1 TB"; cost use="free"
        } }
        layout {
            filesystem "fs" on="h.d" { cost crossings=2 }
            file "f" on="fs" size="100 GB"
        }
        workload { streams "s" count=2 over="f" block="1 MB" depth=4 }"#,
        1e9,
    );
}

#[test]
fn a_host_that_serves_a_drive_handles_its_requests_and_passes_its_data_twice() {
    let text = |server: &str| {
        format!(
            r#"path {{
                host "client" {{ nic }}
                host "server" {server}
                    nic; nvme "d" count=2 read="9 GB/s" latency="20 us"
                    cost request="10 us" crossings=2
                }}
                switch "net"
                wire from="client.nic" to="net"
                wire from="server.nic" to="net"
            }}
            workload {{ streams "s" on="client" over="server.d" block="1 MB" depth=4 }}"#
        )
    };
    assert_both(&text(r#"cpus=8 memory-rate="6 GB/s" {"#), 1.5e9);
    let small = text("cpus=1 {").replace("1 MB", "4 KiB");
    assert_both(&small, 1.0 / 10e-6 * 4096.0);
}

#[test]
fn an_assumed_processor_time_is_no_rating_of_a_drive() {
    let text = r#"path { host "h" cpus=4 { nvme "known" read="2 GB/s"; nvme "new" } }
        workload { streams "s" over="h.known, h.new" block="1 MiB" depth=4 }"#;
    let case = case(text);
    let record = iopath_analytic::evaluate_rated(&case, &network(&case));
    let bound = record.bounds.last().expect("the known one limits").bytes_per_sec;
    assert_near(bound as f64, 2e9, 0.001);
    assert_eq!(iopath_record::Fact::Unrated.of(&record.environment), Some("s (1 of 2 streams)"));
    let stated =
        text.replace("{ nvme \"known\"", "{ cost request=(given)\"10 us\"; nvme \"known\"");
    let stated = super::model::case(&stated);
    let record = iopath_analytic::evaluate_rated(&stated, &network(&stated));
    assert_eq!(iopath_record::Fact::Unrated.of(&record.environment), None, "it is stated");
}

#[test]
fn a_stated_time_of_a_request_limits_whatever_other_hosts_assume() {
    let text = r#"path {
            host "a" cpus=4 { cost request=(given)"5 us"; nvme "d" }
            host "b" cpus=4 { nvme "e" }
        }
        workload { streams "s" on="a" over="a.d" block="4 KiB" depth=4 count=4 }"#;
    assert_both(text, 4.0 / 5e-6 * 4096.0);
    let two =
        text.replace("count=4 }", r#"count=4; streams "t" on="b" over="b.e" block="4 KiB" }"#);
    let case = case(&two);
    let record = iopath_analytic::evaluate_rated(&case, &network(&case));
    let bound = record.bounds.last().expect("the stated one limits").bytes_per_sec;
    assert_near(bound as f64, 4.0 / 5e-6 * 4096.0, 0.001);
    assert_eq!(iopath_record::Fact::Unrated.of(&record.environment), Some("t"));
}

#[test]
fn a_thread_that_copies_through_a_page_cache_is_its_bound() {
    let text = |depth: u32| {
        format!(
            r#"path {{ host "h" cpus=8 {{
                nvme "d" read="9 GB/s" latency="20 us" size="1 TB"
                cost request="1 us" copy="2 GB/s"
            }} }}
            layout {{
                filesystem "fs" on="h.d" cache="buffered" {{
                    readahead unit="1 MiB" streams=8 growth="at-once"
                }}
                file "f" on="fs" size="100 GB"
            }}
            workload {{ streams "s" over="f" block="1 MiB" depth={depth} }}"#
        )
    };
    let thread = (1 << 20) as f64 / (1e-6 + (1 << 20) as f64 / 2e9);
    assert_both(&text(1), thread);
    assert_both(&text(3), 3.0 * thread);
}

#[test]
fn parity_is_computed_where_the_volume_is_of_what_is_written() {
    let text = |host: &str, raid: &str, op: &str| {
        format!(
            r#"path {{ host "h" {host} {{
                nvme "d" count=5 latency="20 us"
                cost request="0 s" parity="1 GB/s"
            }} }}
            layout {{ raid "md" {raid} segment="64 KiB" over="h.d" }}
            workload {{ streams "s" count=8 over="md" op="{op}" block="256 KiB" depth=4 }}"#
        )
    };
    assert_both(&text("cpus=3", "level=5", "write"), 3e9);
    assert_both(&text("cpus=3", "level=5 parity-threads=1", "write"), 1e9);
    assert_both(&text("cpus=3", "level=5 parity-threads=1", r#"mix" reads="50%"#), 2e9);
    let mirrors = text("cpus=3", "level=0", "write").replace("latency", "write=\"1 GB/s\" latency");
    assert_both(&mirrors, 5e9);
}

#[test]
fn all_sockets_of_a_host_compute_parity() {
    let text = |host: &str, sockets: [u32; 2], raid: &str| {
        let [a, b] = sockets;
        format!(
            r#"path {{ host "h" {host} {{
                nvme "d" count=5 latency="20 us"
                socket "a" cpus={a}
                socket "b" cpus={b}
                cost request="0 s" parity="1 GB/s"
            }} }}
            layout {{ raid "md" {raid} segment="64 KiB" over="h.d" }}
            workload {{ streams "s" count=8 over="md" op="write" block="256 KiB" depth=4 }}"#
        )
    };
    assert_both(&text("", [1, 1], "level=5"), 2e9);
    assert_both(&text("", [1, 3], "level=5"), 4e9);
    assert_both(&text("", [2, 2], "level=5 parity-threads=1"), 1e9);
    assert_both(&text("cpus=3", [2, 2], "level=5"), 3e9);
}

#[test]
fn threads_of_parity_that_are_full_are_the_limit_of_a_simulation() {
    let text = r#"path { host "h" cpus=8 {
        nvme "d" count=5 latency="20 us"
        cost request="0 s" parity="1 GB/s"
    } }
    layout { raid "md" level=5 segment="64 KiB" parity-threads=1 over="h.d" }
    workload { streams "s" over="md" op="write" block="256 KiB" depth=8 }"#;
    let record = run(text, 2);
    let limit = iopath_analysis::analyse(&[record]).unwrap().limit;
    assert_eq!(limit.entity.as_deref(), Some("md parity-threads"), "{limit:?}");
}

/// Writes or reads to four disks and one of parity, behind a controller of two processors of which
/// one takes 50 us of each command and moves 400 MB/s.
fn controller(parity: &str, load: &str) -> String {
    format!(
        r#"path {{
            host "h" {{ hba {{ port read="9 GB/s" write="9 GB/s" }} }}
            array "a" {{ controller cpus=2 {{
                cost request="50 us" transform="400 MB/s" {parity}
                port read="9 GB/s" write="9 GB/s"
                raid "lun" level=5 segment="64 KiB" {{ ssd count=5 read="9 GB/s" write="9 GB/s" }}
            }} }}
            wire from="h.hba.port" to="a.controller.port"
        }}
        workload {{ streams "s" count=8 over="a..lun" depth=8 {load} }}"#
    )
}

/// Bytes a second where each command of so many bytes takes these times of one of two processors.
fn closed(bytes: f64, seconds: f64) -> f64 {
    2.0 / seconds * bytes
}

#[test]
fn commands_and_bytes_take_the_same_processors_of_a_controller() {
    for kib in [4, 64, 256] {
        let bytes = f64::from(kib) * 1024.0;
        let load = format!(r#"pattern="random" block="{kib} KiB""#);
        assert_both(&controller("", &load), closed(bytes, 50e-6 + bytes / 400e6));
    }
}

#[test]
fn a_controller_computes_the_parity_of_what_is_written_and_of_nothing_else() {
    let parity = r#"parity="200 MB/s""#;
    for kib in [4, 64, 256] {
        let bytes = f64::from(kib) * 1024.0;
        let load = format!(r#"pattern="random" block="{kib} KiB""#);
        let each = 50e-6 + bytes / 400e6;
        assert_both(&controller(parity, &load), closed(bytes, each));
        let load = format!(r#"op="write" {load}"#);
        assert_both(&controller(parity, &load), closed(bytes, each + bytes / 200e6));
        let plain = controller(parity, &load).replace("level=5", "level=0");
        assert_both(&plain, closed(bytes, each));
    }
}
