//! `due`: each answer against its due time, by size, service time and requests in flight.

use anyhow::Result;

use super::fio::{self, Time};
use super::stage::Stage;
use super::stream::Stream;
use super::system::{Study, System};
use super::{Tally, verdict};

const KIB: [u64; 3] = [4, 8, 16];
/// Microseconds that a request takes, whatever else is in flight.
const SERVICE_US: [u64; 5] = [100, 300, 1_000, 3_000, 10_000];
const DEPTHS: [u64; 3] = [1, 4, 32];
/// Percent of answers within 2 % of their response, or 100 µs.
const IN_TIME: f64 = 99.0;
const TIME: Time = Time { warm_up: 0, counted: 2 };

const HEAD: &str = "\
| service time | request | depth | requests/s | in time | late at the median | at p99 | met |
|---|---|---|---|---|---|---|---|";

/// A load on a system in which each request takes the same time.
#[derive(Clone, Copy, Debug)]
struct Load {
    service_us: u64,
    kib: u64,
    depth: u64,
}

pub(crate) fn play(stage: &Stage) -> Result<Tally> {
    let mut tally = Tally::default();
    println!("{HEAD}");
    for service_us in SERVICE_US {
        let all =
            KIB.iter().flat_map(|kib| DEPTHS.map(|depth| Load { service_us, kib: *kib, depth }));
        let wanted: Vec<Load> = all.filter(|load| stage.options.wants(&load.name())).collect();
        if wanted.is_empty() {
            continue;
        }
        let folder = tempfile::tempdir()?;
        let file = folder.path().join("due.kdl");
        std::fs::write(&file, delay(service_us))?;
        let system = System::up(stage, &Study::of(&file), &[])?;
        for load in wanted {
            tally.add(is_in_time(stage, &system, load)?);
        }
    }
    Ok(tally)
}

/// The study of a system in which each request takes the same time, and keeps no other waiting. It
/// says one in flight: more than this machine carries would be refused, and fio is to ask for more.
fn delay(service_us: u64) -> String {
    format!(
        r#"study "due"
path {{ host "h" {{ part "d" size="4 GB" latency="{service_us} us" }} }}
workload time="2 s" {{
    streams "s" over="h.d" pattern="random" block="4 KiB"
}}
"#
    )
}

fn is_in_time(stage: &Stage, system: &System, load: Load) -> Result<bool> {
    system.restart()?;
    fio::run(stage, system, &load.stream(), TIME, &format!("due-{}", load.name()))?;
    let lateness = system.report()?.lateness;
    let in_time = lateness.in_time_percent();
    let missed = match in_time >= IN_TIME {
        true => Vec::new(),
        false => vec![format!("less than {IN_TIME} % in time")],
    };
    let Load { service_us, kib, depth } = load;
    println!(
        "| {} ms | {kib} KiB | {depth} | {:.0} | {in_time:.2} % | {:.0} µs | {:.0} µs | {} |",
        service_us as f64 / 1e3,
        lateness.answers as f64 / TIME.counted as f64,
        lateness.micros(0.5),
        lateness.micros(0.99),
        verdict(&missed)
    );
    Ok(missed.is_empty())
}

impl Load {
    /// As `--case` names it.
    fn name(self) -> String {
        let Self { service_us, kib, depth } = self;
        format!("{service_us}us-{kib}k-{depth}")
    }

    fn stream(self) -> Stream {
        Stream {
            op: "randread".to_owned(),
            reads_percent: 100,
            block: self.kib << 10,
            depth: self.depth,
            count: 1,
            is_shared: false,
            rate: None,
            is_poisson: false,
        }
    }
}
