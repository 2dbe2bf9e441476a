//! The cases that fio and a simulation are compared on: all kinds of components, some of them of
//! the studies that come with the program.
//!
//! Responses are of milliseconds, as those of the described systems: what the kernel and fio add to
//! each is some 20 to 50 µs. Caches are small, so that a warm-up fills them.

use super::nodes::nodes;

/// One of them.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Case {
    pub name: &'static str,
    pub study: Text,
    /// Seconds until everything is as full as it will be.
    pub warm_up: u64,
}

/// What is described, and how it is used.
#[derive(Clone, Copy, Debug)]
pub(crate) enum Text {
    /// A path (and layout) with a declaration of streams.
    Own { path: &'static str, streams: &'static str },
    /// A case of a file in `studies`, with words of `simulate`.
    Shipped { file: &'static str, words: &'static [&'static str] },
}

impl Text {
    /// The text of a study of our own.
    pub(crate) fn own(self, name: &str) -> Option<String> {
        match self {
            Self::Own { path, streams } => Some(format!(
                "study \"{name}\"\n{path}\nworkload time=\"60 s\" {{\n    \
                 streams \"s\" {streams}\n}}\n"
            )),
            Self::Shipped { .. } => None,
        }
    }
}

const fn own(name: &'static str, path: &'static str, streams: &'static str) -> Case {
    Case { name, study: Text::Own { path, streams }, warm_up: 2 }
}

const fn shipped(name: &'static str, file: &'static str, words: &'static [&'static str]) -> Case {
    Case { name, study: Text::Shipped { file, words }, warm_up: 2 }
}

/// Caches fill for longer.
const fn filled(case: Case) -> Case {
    Case { warm_up: 6, ..case }
}

const ARM: &str = r#"path {
    host "h" {
        disk "d" size="10 GB" stream="100 MB/s" position="4 ms" position-queued="2.5 ms"
    }
}"#;

const RAID_0: &str = r#"path {
    host "h" { raid "v" level=0 segment="64 KiB" {
        disk count=4 size="4 GB" stream="80 MB/s" position="3 ms"
    } }
}"#;

const RAID_1: &str = r#"path {
    host "h" { raid "v" level=1 { disk count=2 size="4 GB" stream="80 MB/s" position="3 ms" } }
}"#;

const RAID_5: &str = r#"path {
    host "h" { raid "v" level=5 segment="64 KiB" {
        disk count=5 size="4 GB" stream="80 MB/s" position="3 ms" rotation="4 ms"
    } }
}"#;

const RAID_6: &str = r#"path {
    host "h" { raid "v" level=6 segment="64 KiB" {
        disk count=6 size="4 GB" stream="80 MB/s" position="3 ms" rotation="4 ms"
    } }
}"#;

/// The disks decide: what its cache takes it must destage.
const CACHE: &str = r#"path {
    host "h" { hba { port read="100 MB/s" write="100 MB/s" } }
    array "a" {
        controller "c" {
            port
            cache size="16 MiB" write="back" flush="never"
            raid "v" level=10 segment="64 KiB" {
                disk count=4 size="1 GB" stream="80 MB/s" position="3 ms"
            }
        }
    }
    wire from="h.hba.port" to="a.c.port"
}"#;

/// The link that copies between the controllers decides.
const MIRRORED: &str = r#"path {
    host "h" { hba { port count=2 } }
    array "a" both="30 MB/s" {
        controller count=2 {
            port
            cache size="32 MiB" write="back" mirror=#true battery=#true
            raid "v" level=0 segment="256 KiB" { disk count=4 size="1 GB" stream="100 MB/s" }
        }
    }
    wire from="h.hba.port" to="a.controller.port"
    multipath policy="owner"
}"#;

/// Hits cost what the controller's processors need for a request.
const HITS: &str = r#"path {
    host "h" { hba { port } }
    array "a" {
        controller "c" ops="5000 /s" latency="300 us" {
            port
            cache size="64 MiB" write="back" read-ahead=#true read-ahead-size="1 MiB"
            raid "v" level=0 segment="64 KiB" {
                disk count=4 size="4 GB" stream="30 MB/s" position="3 ms"
            }
        }
    }
    wire from="h.hba.port" to="a.c.port"
}"#;

/// A pair of nodes that caches and stripes over two arrays.
const NODES: &str = nodes! {
    host_port: r#"read="200 MB/s" write="200 MB/s""#,
    node: r#"latency="60 us" ops="20000 /s""#,
    port: r#"read="200 MB/s" write="200 MB/s""#,
    cache: r#"size="16 MiB" write="back" mirror=#true battery=#true"#,
    segment: "256 KiB",
    disk: r#"size="1 GB" stream="80 MB/s" position="3 ms""#,
    unit: "1 MiB",
};

const LINK: &str = r#"path {
    host "h" { hba count=2 read="60 MB/s" write="40 MB/s" latency="200 us" }
    array "a" { controller count=2 { port; nvme "n" size="4 GB" } }
    wire from="h.hba" to="a.controller.port"
}"#;

const FLASH: &str = r#"path {
    host "h" { ssd "d" size="10 GB" read-ops="4000 /s" write-ops="2000 /s" latency="1 ms" }
}"#;

/// Half full at 2,000 requests a second, of which a run has enough for their chance to be small.
const OPEN: &str = r#"path {
    host "h" { ssd "d" size="10 GB" read-ops="4000 /s" latency="3 ms" }
}"#;

pub(crate) const ALL: [Case; 24] = [
    own("arm, random, depth 1", ARM, r#"over="h.d" pattern="random" block="4 KiB""#),
    own("arm, random, depth 4", ARM, r#"over="h.d" pattern="random" block="8 KiB" depth=4"#),
    own("arm, random, depth 16", ARM, r#"over="h.d" pattern="random" block="16 KiB" depth=16"#),
    own("arm, sequential", ARM, r#"over="h.d" block="256 KiB" depth=2"#),
    own("arm, writes", ARM, r#"over="h.d" op="write" pattern="random" block="64 KiB" depth=4"#),
    own("raid 0, reads", RAID_0, r#"over="h.v" pattern="random" block="64 KiB" depth=8"#),
    own("raid 0, writes", RAID_0, r#"over="h.v" op="write" block="1 MiB" depth=2"#),
    own("raid 1, reads", RAID_1, r#"over="h.v" pattern="random" block="8 KiB" depth=4"#),
    own(
        "raid 1, writes",
        RAID_1,
        r#"over="h.v" op="write" pattern="random" block="8 KiB" depth=4"#,
    ),
    own("raid 5, reads", RAID_5, r#"over="h.v" pattern="random" block="16 KiB" depth=8"#),
    own(
        "raid 5, writes",
        RAID_5,
        r#"over="h.v" op="write" pattern="random" block="4 KiB" depth=8"#,
    ),
    own("raid 6, reads", RAID_6, r#"over="h.v" pattern="random" block="128 KiB" depth=4"#),
    own(
        "raid 6, writes",
        RAID_6,
        r#"over="h.v" op="write" pattern="random" block="8 KiB" depth=8"#,
    ),
    filled(own(
        "cache, write-back",
        CACHE,
        r#"over="a.c.v" op="write" pattern="random" block="64 KiB" depth=4"#,
    )),
    filled(own(
        "cache, mirrored",
        MIRRORED,
        r#"over="a.controller[0].v" op="write" block="64 KiB" depth=4"#,
    )),
    own("cache, hits", HITS, r#"over="a.c.v" pattern="random" block="4 KiB" depth=8 hit=1.0"#),
    own(
        "cache, half of it hits",
        HITS,
        r#"over="a.c.v" pattern="random" block="8 KiB" depth=8 hit=0.5"#,
    ),
    filled(own(
        "nodes, 70/30",
        NODES,
        r#"over="vdisk" op="mix" reads=0.7 pattern="random" block="8 KiB" depth=8"#,
    )),
    own("links", LINK, r#"over="a..n" pattern="random" block="512 KiB" depth=2"#),
    own("flash, IOPS", FLASH, r#"over="h.d" pattern="random" block="4 KiB" depth=16"#),
    own(
        "open loop",
        OPEN,
        r#"over="h.d" pattern="random" block="4 KiB" depth=100 rate="2000 /s" arrivals="poisson""#,
    ),
    shipped(
        "svc.kdl, one read miss",
        "svc.kdl",
        &["--case", "one read miss", "--case", "nodes=60 us"],
    ),
    shipped(
        "cloud-token-bucket.kdl, database",
        "cloud-token-bucket.kdl",
        &["--case", "load=database", "--case", "volumes=4"],
    ),
    shipped(
        "nfs-nconnect.kdl, one connection",
        "field/nfs-nconnect.kdl",
        // fio takes the last answers all at once: at a depth of 32 these would be 3 % of its 900.
        &["--case", "connections=1", "--set", "server.media.size=100GB", "--set", "reader.depth=4"],
    ),
];

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn names_are_unique() {
        let mut names = ALL.map(|case| case.name);
        names.sort_unstable();
        assert!(names.windows(2).all(|pair| pair[0] != pair[1]));
    }
}
