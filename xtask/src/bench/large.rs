//! Studies of large paths, written for a benchmark: the pSeries 690 with more drawers.
//!
//! Each drawer has 16 adapters, a switch of its own and 8 arrays of two controllers with one RAID
//! array each; 266 components. 16 volumes are striped over all of the arrays, and each is read.

use std::fmt::Write;

/// How many components a path has, and whether they can be told apart.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Large {
    pub drawers: u32,
    pub ratings: Ratings,
}

/// The ratings of the RAID arrays and of the volumes over them.
#[derive(Clone, Copy, Debug)]
pub(crate) enum Ratings {
    /// One for all: almost all folds.
    Equal,
    /// One for each, so that no two ways from a volume to an array are alike, and none folds.
    AllDifferent,
}

/// Each is read by streams of its own.
pub(super) const VOLUMES: u32 = 16;

const PATH: &str = r#"
study "a large path"

path {
    host "p690" cpus=32 {
        drawer count=DRAWERS {
            planar count=2 read="1332 MB/s" write="1332 MB/s" {
                link "link0" read="820 MB/s" write="820 MB/s" {
                    bridge "phb1" { hba count=3 use="fc-2g" }
                }
                link "link1" read="814 MB/s" write="814 MB/s" {
                    bridge "phb2" { hba count=3 use="fc-2g" }
                    bridge "phb3" { hba count=2 use="fc-2g" }
                }
            }
        }
    }
    switch "san" count=DRAWERS both="1600 MB/s" { asic count=4 { port count=8 use="fc-2g" } }
    array "a" count=ARRAYS {
        controller count=2 {
            port use="fc-2g"
            raid "lun" level=5 segment="128 KiB" read="178500 kB/s" write="142500 kB/s" {
                disk count=9 use="hdd-15k-fc"
            }
        }
    }
    wire from="p690..hba" to="san.asic.port[0-3]"
    wire from="a.controller.port" to="san.asic.port[4-7]"
    zone from="p690..hba" to="a.controller.port"
}

layout { stripe "vol" count=VOLUMES unit="1 MiB" over="a..lun" size="100 GB" }

workload { streams "reader" over="vol" op="read" block="256 MiB" }
"#;

/// The text of a study.
pub(crate) fn study(large: Large) -> String {
    let arrays = 8 * large.drawers;
    let drawers = large.drawers.to_string();
    let text = PATH
        .replace("DRAWERS", &drawers)
        .replace("ARRAYS", &arrays.to_string())
        .replace("VOLUMES", &VOLUMES.to_string());
    match large.ratings {
        Ratings::Equal => text,
        Ratings::AllDifferent => text + &ratings(arrays),
    }
}

/// A level that gives each RAID array and each volume its own rating.
fn ratings(arrays: u32) -> String {
    let mut text = String::from("\nvary { factor \"ratings\" { level \"all different\"");
    let mut rate = |what: &str, kb_per_sec: u32| {
        // Writing to a string cannot fail.
        let _ = write!(text, " \\\n    \"{what}.read\"=\"{kb_per_sec} kB/s\"");
    };
    for (array, controller) in (0..arrays).flat_map(|array| [(array, 0), (array, 1)]) {
        rate(&format!("a[{array}].controller[{controller}].lun"), 178_500 + 2 * array + controller);
    }
    for volume in 0..VOLUMES {
        rate(&format!("vol[{volume}]"), 1_000_000_000 + volume);
    }
    text + "\n} }\n"
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn each_array_gets_its_own_rating() {
        let text = study(Large { drawers: 2, ratings: Ratings::AllDifferent });
        assert!(text.contains("drawer count=2 ") && text.contains("array \"a\" count=16 "));
        assert!(text.contains("\n    \"a[15].controller[1].lun.read\"=\"178531 kB/s\" \\\n"));
        assert!(text.ends_with("\n    \"vol[15].read\"=\"1000000015 kB/s\"\n} }\n"));
        assert_eq!(text.matches(".lun.read").count(), 32);
    }
}
