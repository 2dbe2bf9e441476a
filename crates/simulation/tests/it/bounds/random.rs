//! Small studies at random: hosts, adapters, a switch, arrays, volumes, patterns.
//!
//! There are no caches: a simulated one decides by content, so what streams share and small writes
//! that it puts together make a path faster than its bound, which knows the stated hits only. All
//! streams are alike: of those that are not, the cheaper ones may get more than their share, and
//! the sum is more. For the same reason nothing is a mix, and nothing comes
//! by chance.

use proptest::prelude::*;

use super::{build, wrong};
use crate::model::case;

#[derive(Clone, Debug)]
struct Small {
    hosts: usize,
    adapters: usize,
    arrays: usize,
    luns: usize,
    level: usize,
    policy: usize,
    volume: usize,
    load: Load,
    count: usize,
    rate: u64,
    varies: bool,
    part: u64,
}

#[derive(Clone, Debug)]
struct Load {
    op: usize,
    pattern: usize,
    block: u64,
    depth: u32,
}

prop_compose! {
    fn load()(
        op in 0..2_usize,
        pattern in 0..4_usize,
        block in prop::sample::select(vec![4_u64, 64, 512, 2048]),
        depth in 1..9_u32,
    ) -> Load {
        Load { op, pattern, block, depth }
    }
}

prop_compose! {
    fn small()(
        hosts in 1..3_usize,
        adapters in 1..3_usize,
        arrays in 1..3_usize,
        luns in 1..4_usize,
        level in 0..5_usize,
        policy in 0..5_usize,
        volume in 0..5_usize,
        load in load(),
        count in 1..4_usize,
        rate in 50..2000_u64,
        varies in any::<bool>(),
        part in prop::sample::select(vec![1_u64, 5, 200]),
    ) -> Small {
        Small {
            hosts, adapters, arrays, luns, level, policy, volume, load, count, rate, varies, part,
        }
    }
}

impl Small {
    fn text(&self) -> String {
        let Self { hosts, adapters, arrays, luns, rate, part, .. } = self;
        let policy = ["round-robin", "queue-length", "service-time", "owner", "fixed"][self.policy];
        let level = [0, 1, 5, 6, 10][self.level];
        let varies = if self.varies { "variability=0.5" } else { "" };
        let path = format!(
            "path {{
                host \"h\" count={hosts} cpus=4 memory-rate=\"5 GB/s\" {{
                    cost request=\"20 us\" part=\"{part} us\" prepare=\"1 GB/s\"
                    hba count={adapters} both=\"{rate} MB/s\"
                }}
                array \"a\" count={arrays} {{
                    controller count=2 {{
                        port read=\"{rate} MB/s\" write=\"{rate} MB/s\" latency=\"20 us\"
                        lun count={luns} level={level} segment=\"64 KiB\" {{
                            disk count=4 both=\"{} MB/s\" ops=\"{rate} /s\" size=\"1 GiB\" \\
                                outstanding=16 {varies}
                        }}
                    }}
                }}
                wire from=\"h.hba\" to=\"s.port[0-{}]\"
                switch \"s\" both=\"{} MB/s\" {{ port count={} }}
                wire from=\"a.controller.port\" to=\"s.port[{}-{}]\"
                multipath policy=\"{policy}\" most=2
            }}",
            2 * rate,
            hosts * adapters - 1,
            3 * rate,
            hosts * adapters + 2 * arrays,
            hosts * adapters,
            hosts * adapters + 2 * arrays - 1,
        );
        format!("{path}\n{}\nworkload {{ {} }}", self.layout(), self.workload())
    }

    fn layout(&self) -> &'static str {
        match self.volume {
            0 => "",
            1 => "layout { stripe \"v\" unit=\"64 KiB\" over=\"a..lun\" }",
            2 => "layout { concat \"v\" over=\"a..lun\" }",
            3 => {
                "layout {
                    filesystem \"fs\" on=\"a..lun\" record=\"256 KiB\" cache=\"direct\"
                    file \"v\" on=\"fs\" size=\"1 GiB\"
                }"
            }
            _ => {
                "layout {
                    stripe \"v\" unit=\"256 KiB\" largest-request=\"128 KiB\" over=\"a..lun\"
                }"
            }
        }
    }

    fn workload(&self) -> String {
        let over = if self.volume == 0 { "a..lun" } else { "v" };
        let load = &self.load;
        let op = ["read", "write"][load.op];
        let pattern = ["sequential", "random", "backwards", "staggered"][load.pattern];
        format!(
            "streams \"app\" count={} over=\"{over}\" on=\"h[0]\" op=\"{op}\" \\
                pattern=\"{pattern}\" block=\"{} KiB\" depth={}",
            self.count, load.block, load.depth
        )
    }
}

proptest! {
    #![proptest_config(ProptestConfig { cases: 48, ..ProptestConfig::default() })]

    #[test]
    fn small_studies_at_random(small in small()) {
        let case = case(&small.text());
        let network = build(&case);
        prop_assert!(network.is_ok(), "{:?}\n{}", network.err(), small.text());
        if let Ok(network) = network {
            let found = wrong(&case, &network, 60_000);
            prop_assert!(found.is_empty(), "{found:#?}\n{}", small.text());
        }
    }
}

#[test]
fn a_thread_that_changes_part_of_a_record_reads_it_itself() {
    let load = Load { op: 1, pattern: 1, block: 4, depth: 8 };
    let small = Small {
        hosts: 1,
        adapters: 1,
        arrays: 1,
        luns: 2,
        level: 1,
        policy: 0,
        volume: 3,
        load,
        count: 1,
        rate: 1594,
        varies: false,
        part: 200,
    };
    let case = case(&small.text());
    let network = build(&case).unwrap();
    assert_eq!(wrong(&case, &network, 60_000), Vec::<String>::new());
}
