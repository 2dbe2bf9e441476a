//! Rules about streams and ratings.

use iopath_path::Rule;

use super::{hold, text_of};

fn study(part: &str, streams: &str) -> String {
    format!(
        "study \"t\"\npath {{ host \"h\" {{\n{part}\n}} }}\n\
         workload time=\"1 s\" {{\n{streams}\n}}\n"
    )
}

#[test]
fn many_readers_of_one_region_are_told() {
    let disk = "disk size=\"1 TB\"";
    let found = hold(&study(
        disk,
        r#"streams "r" count=64 over="h.disk" block="1 MiB" region="shared" // ! shared-region"#,
    ));
    let told = text_of(&found, Rule::SharedRegion);
    assert!(told.starts_with("64 streams, one region: all of r read"), "{told}");
    hold(&study(disk, r#"streams "r" count=64 over="h.disk" block="1 MiB""#));
    let staggered =
        r#"streams "r" count=64 over="h.disk" block="1 MiB" region="shared" pattern="staggered""#;
    hold(&study(disk, staggered));
    hold(&study(disk, r#"streams "r" over="h.disk" block="1 MiB" region="shared""#));
}

#[test]
fn files_that_the_caches_below_hold_are_reported() {
    let path = |size: &str, streams: &str| {
        format!(
            "study \"t\"\npath {{ host \"h\" {{ controller {{\n\
             cache size=\"8 GB\"\nlun {{ disk }}\n}} }} }}\n\
             layout {{ filesystem \"fs\" on=\"h.controller.lun\" cache=\"direct\"\n\
             file \"f\" count=4 on=\"fs\" size=\"{size}\" }}\n\
             workload time=\"1 s\" {{\n{streams}\n}}\n"
        )
    };
    let reads = r#"streams "r" over="f" block="1 MiB""#;
    let found = hold(&path("2 GB", &format!("{reads} // ! fits-cache")));
    let told = text_of(&found, Rule::FitsCache);
    assert!(
        told.starts_with(
            "r: the files that are read are 8.000 GB, and the caches below hold 8.000"
        ),
        "{told}"
    );
    hold(&path("3 GB", reads));
    hold(&path("2 GB", &format!("{reads} op=\"write\"")));
    // Two loads that fit each for itself, but not together.
    let halves = r#"streams "a" over="f[0-1]" block="1 MiB"
streams "b" over="f[2-3]" block="1 MiB""#;
    hold(&path("3 GB", halves));
    let behind = r#"streams "w" over="f" op="write" block="1 MiB"
streams "r" over="f" block="1 MiB" behind="w""#;
    hold(&path("2 GB", behind));
}

#[test]
fn hits_are_assumed() {
    let streams = r#"streams "r" over="h.disk" block="1 MiB" hit=0.5 // ! assumed-hits"#;
    let array = "controller { cache size=\"4 GB\"\nlun { disk } }";
    let found = hold(&study(array, &streams.replace("h.disk", "h..lun")));
    let told = text_of(&found, Rule::AssumedHits);
    assert_eq!(told, "r: hit=50 % is assumed; caches of 4.000 GB are described");
    hold(&study("disk", &streams.replace("assumed-hits", "no-cache")));
}

#[test]
fn a_measurement_above_a_rating_is_told() {
    let streams = r#"streams "r" over="h..disk" block="1 MiB""#;
    let port = |rate: &str, mark: &str| {
        format!("hba use=\"fc-8g\" read=(given)\"{rate}\" {{ {mark}\ndisk }}")
    };
    let found = hold(&study(&port("900 MB/s", "// ! above-rating"), streams));
    let told = text_of(&found, Rule::AboveRating);
    assert!(told.starts_with("h.hba: read is 900.0 MB/s, above the 82"), "{told}");
    hold(&study(&port("807 MB/s", ""), streams));
}

#[test]
fn a_ceiling_that_nothing_below_reaches_is_a_detail() {
    let streams = r#"streams "r" over="h..part" block="1 MiB""#;
    let link = |count: u32, mark: &str| {
        format!(
            "link both=\"820 MB/s\" {{ {mark}\nhba count={count} both=\"195 MB/s\" {{ part }} }}"
        )
    };
    let found = hold(&study(&link(3, "// ! never-binds"), streams));
    assert!(found[0].rule.is_detail());
    assert!(found[0].text.contains("read 820.0 MB/s, but 585.0 MB/s hang below"));
    hold(&study(&link(5, ""), streams));
}

#[test]
fn streams_on_no_certain_host_are_one_mistake() {
    let text = r#"study "t"
path {
    host "h" count=2 { disk }
}
workload time="1 s" { streams "r" over="h[0].disk" block="1 MiB" } // ! many-hosts
"#;
    hold(text);
    hold(&text.replace("over=", "on=\"h[0]\" over=").replace(" // ! many-hosts", ""));
}
