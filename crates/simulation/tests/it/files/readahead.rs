//! Sequential buffered readers.

use super::study::{near, simulate};

/// A disk that only takes its time, however many requests it has.
const SLOW: &str = r#"host "h" cpus=8 { ssd "d" latency="10 ms" }"#;

fn file_system(inside: &str) -> String {
    format!(
        r#"filesystem "fs" on="h.d" cache="buffered" {{ {inside} }}
file "f" count=16 on="fs" size="64 MiB""#
    )
}

#[test]
fn a_reader_has_its_window_and_the_unit_that_it_waits_for_in_flight() {
    for units in [1_u32, 2, 7] {
        let inside = format!("readahead unit=\"128 KiB\" streams={units} growth=\"at-once\"");
        let streams = r#"streams "r" over="f[0]" block="128 KiB""#;
        let got = simulate(SLOW, &file_system(&inside), streams).total();
        near(got, f64::from(units + 1) * 131_072.0 / 10e-3, 0.02);
    }
}

#[test]
fn a_window_that_doubles_reaches_its_most_unless_its_reader_waits_too_long() {
    // Each read is four units: with a window of two it has to wait for two that it asks for itself.
    let streams = r#"streams "r" over="f[0]" block="512 KiB""#;
    let of = |patience: &str| {
        let inside = format!("readahead unit=\"128 KiB\" streams=16 start=2 {patience}");
        simulate(SLOW, &file_system(&inside), streams).total() / 131_072.0 * 10e-3
    };
    // At the end of the file the window begins anew, so less than 20 units on average.
    let grown = of("");
    assert!((14.0..20.0).contains(&grown), "{grown}");
    near(of(r#"patience="20 ms""#), grown, 0.001);
    near(of(r#"patience="1 ms""#), 4.0, 0.03);
}

#[test]
fn without_readahead_each_read_goes_down_as_it_is() {
    let streams = r#"streams "r" over="f[0]" block="32 KiB""#;
    for inside in ["", r#"readahead unit="128 KiB" streams=0"#] {
        let got = simulate(SLOW, &file_system(inside), streams).total();
        near(got, 32_768.0 / 10e-3, 0.01);
    }
}

#[test]
fn random_reads_are_not_read_ahead_of() {
    let inside = r#"readahead unit="1 MiB" streams=8"#;
    let streams = r#"streams "r" over="f[0]" block="32 KiB" pattern="random""#;
    near(simulate(SLOW, &file_system(inside), streams).total(), 32_768.0 / 10e-3, 0.02);
}

#[test]
fn once_the_path_is_full_every_window_carries_the_same_and_none_carries_less() {
    let host = r#"host "h" cpus=8 { ssd "d" read="200 MB/s" latency="5 ms" }"#;
    let streams = r#"streams "r" over="f" block="32 KiB""#;
    let of = |units: u32| {
        let inside = format!("readahead unit=\"256 KiB\" streams={units}");
        simulate(host, &file_system(&inside), streams)
    };
    for units in [1, 4, 12] {
        near(of(units).total(), 200e6, 0.02);
    }
    assert!(of(1).jain() > 0.99);
    let off = of(0).total();
    near(off, 16.0 * 32_768.0 / 5e-3, 0.05);
}

#[test]
fn one_processor_copies_for_a_reader_and_what_is_there_is_only_copied() {
    let host = r#"host "h" cpus=8 { ssd "d" latency="1 ms"; cost use="free" }"#;
    let inside = r#"readahead unit="1 MiB" streams=16 growth="at-once"
cost copy="500 MB/s""#;
    let of = |hit: &str| {
        let streams = format!("streams \"r\" over=\"f[0]\" block=\"256 KiB\" {hit}");
        simulate(host, &file_system(inside), &streams).total()
    };
    near(of(""), 500e6, 0.02);
    near(of("hit=1.0"), 500e6, 0.001);
}

#[test]
fn small_reads_out_of_a_unit_are_an_event_or_two_each() {
    let host = r#"host "h" cpus=8 { ssd "d" read="1 GB/s" latency="1 ms" }"#;
    let inside = r#"readahead unit="512 KiB" streams=8
cost copy="1 GB/s""#;
    let got = simulate(host, &file_system(inside), r#"streams "r" over="f[0]" block="4 KiB""#);
    assert!(got.events < 1.1, "{} events a read", got.events);
}
