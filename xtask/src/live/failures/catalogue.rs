//! What fails, in which system, and what that promises.
//!
//! Disks are fast, so that a failure and all that follows it take about a second.

use super::group::{BEGIN_MS, ROUND_MS};
use crate::live::nodes::nodes;

/// A part that fails.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Kind {
    pub name: &'static str,
    path: &'static str,
    /// Of the caches of an array.
    cache: &'static str,
    target: &'static str,
    /// One after the other, and again.
    fails: &'static [&'static str],
    pub promise: Promise,
}

/// Which writes are there after a failure.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Promise {
    /// All that were acknowledged.
    Acknowledged,
    /// Those that were flushed.
    Flushed,
    /// Those of a time in which the controller fails that does not own the volume: each of two
    /// fails in turn, the owner first.
    NotOwned,
    /// Any.
    None,
}

/// Two controllers, of which the first owns the volume.
const ARRAY: &str = r#"path {
    host "h" { hba { port count=2 read="100 MB/s" write="100 MB/s" latency="100 us" } }
    array "a" {
        controller "one" {
            port
            cache size="8 MiB" write="back" CACHE
            raid "v" level=5 segment="64 KiB" {
                disk count=5 size="16 MB" stream="100 MB/s" position="1 ms"
            }
        }
        controller "two" { port; cache size="8 MiB" write="back" CACHE }
    }
    wire from="h.hba.port[0]" to="a.one.port"
    wire from="h.hba.port[1]" to="a.two.port"
}"#;

/// Two ways to one controller.
const PATHS: &str = r#"path {
    host "h" { hba { port count=2 read="50 MB/s" write="50 MB/s" latency="100 us" } }
    array "a" {
        controller "one" {
            port count=2
            raid "v" level=10 segment="64 KiB" {
                disk count=4 size="16 MB" stream="100 MB/s" position="1 ms"
            }
        }
    }
    wire from="h.hba.port" to="a.one.port"
}"#;

/// A pair of nodes over two arrays.
const NODES: &str = nodes! {
    host_port: r#"read="100 MB/s" write="100 MB/s""#,
    node: r#"latency="60 us""#,
    port: "",
    cache: r#"size="8 MiB" write="back" CACHE"#,
    segment: "64 KiB",
    disk: r#"size="16 MB" stream="100 MB/s" position="1 ms""#,
    unit: "256 KiB",
};

const CONTROLLER: Kind = Kind {
    name: "controller, mirrored caches",
    path: ARRAY,
    cache: r#"flush="never" mirror=#true"#,
    target: "a.one.v",
    fails: &["a.one"],
    promise: Promise::Acknowledged,
};

const NODE: Kind = Kind {
    name: "node of a pair",
    path: NODES,
    target: "vdisk",
    fails: &["pair.node[0]"],
    ..CONTROLLER
};

pub(crate) const ALL: [Kind; 9] = [
    CONTROLLER,
    Kind { name: "controller, battery", cache: r#"flush="never" battery=#true"#, ..CONTROLLER },
    Kind {
        name: "controller, caches that flushes empty",
        cache: r#"flush="on-sync""#,
        promise: Promise::Flushed,
        ..CONTROLLER
    },
    Kind {
        name: "controller, neither mirror nor battery",
        cache: r#"flush="never""#,
        promise: Promise::None,
        ..CONTROLLER
    },
    Kind {
        name: "controllers in turn, caches that keep what they may",
        cache: r#"flush="never" flush-start="80 %""#,
        fails: &["a.one", "a.two"],
        promise: Promise::NotOwned,
        ..CONTROLLER
    },
    Kind { name: "path", path: PATHS, fails: &["h.hba.port[0]"], ..CONTROLLER },
    Kind { name: "disk", fails: &["a.one.v.disk[1]"], ..CONTROLLER },
    NODE,
    Kind { name: "switch", fails: &["fabric[0]"], ..NODE },
];

impl Kind {
    fn fails_in(&self, round: u64) -> &'static str {
        self.fails[round as usize % self.fails.len()]
    }

    /// Whether writes of a round are safe from what fails in it.
    pub(crate) fn keeps_all_of(&self, round: u64) -> bool {
        self.promise == Promise::NotOwned && self.fails_in(round) != self.fails[0]
    }

    /// The study, in which it fails at these moments, in milliseconds from when writers begin.
    pub(crate) fn text(&self, moments: &[u64]) -> String {
        let Self { name, path, cache, target, .. } = self;
        let path = path.replace("CACHE", cache);
        let mut text = format!("study \"{name}\"\n{path}\n");
        let seconds = (BEGIN_MS + ROUND_MS * moments.len() as u64).div_ceil(1000);
        text += &format!(
            "workload time=\"{seconds} s\" {{\n    streams \"s\" over=\"{target}\" op=\"mix\" \
             reads=0.25 pattern=\"random\" block=\"4 KiB\" depth=4\n"
        );
        for (round, moment) in (0..).zip(moments) {
            let (at, fails) = (BEGIN_MS + ROUND_MS * round + moment, self.fails_in(round));
            text += &format!(
                "    fail of=\"{fails}\" at=\"{at} ms\" for=\"200 ms\" failover=\"50 ms\" \
                 failback=\"50 ms\"\n"
            );
        }
        text + "}\n"
    }
}
