//! The benchmarks, with their goals.
//!
//! fio's settings are candidates: before the pairs each is tried, and the fastest on this machine
//! stands against iopath. Left out are those that are not comparable: a kernel thread that polls
//! (`sqthread_poll`), and statistics switched off.

use std::time::Duration;

use super::emulated::{Emulated, Figure as Told};
use super::flushes::{Commits, Flushed, Way};
use super::hold::Hold;
use super::large::{Large, Ratings};
use super::listing::Listing;
use super::outcome::Goal;
use super::page::PageOf;
use super::place::Where;
use super::prediction::{Prediction, Studies};
use super::run::{Figure, Load, Op, Order, Storage};
use super::simulation::Simulation;
use super::sizing::{Search, Sizing};
use super::verification::Verification;
use super::volume::Volume;

pub(crate) struct Benchmark {
    pub name: &'static str,
    pub about: &'static str,
    pub work: Work,
}

pub(crate) enum Work {
    Duel(Duel),
    Verification(Verification),
    Commits(Commits),
    Volume(Volume),
    Sampler,
    Watch,
    Memory(Load),
    Listing(Listing),
    Prediction(Prediction),
    Page(PageOf),
    Hold(Hold),
    Simulation(Simulation),
    Sizing(Sizing),
    Emulated(Emulated),
}

impl Work {
    /// Whether fio runs, too.
    pub(crate) fn has_rival(&self) -> bool {
        matches!(self, Self::Duel(_) | Self::Commits(_))
    }
}

/// iopath against fio.
pub(crate) struct Duel {
    pub load: Load,
    pub place: Where,
    pub rivals: &'static [Rival],
}

/// fio with an engine.
pub(crate) struct Rival {
    pub engine: &'static str,
    /// Candidates, each as words without blanks in them.
    pub settings: &'static [&'static str],
    pub figures: &'static [(Figure, Option<Goal>)],
}

const RANDOM_READ: Load = Load {
    op: Op::Read,
    order: Order::Random,
    block_kib: 4,
    depth: 32,
    streams: 1,
    storage: Storage::Real,
};

const SEQUENTIAL_READ: Load =
    Load { order: Order::Sequential, block_kib: 1024, depth: 8, ..RANDOM_READ };

const SMALL_REQUESTS: &[&str] = &[
    "",
    "--fixedbufs --registerfiles",
    "--fixedbufs --registerfiles --iodepth_batch_submit=8 --iodepth_batch_complete_max=32",
    "--fixedbufs --registerfiles --iodepth_batch_submit=16 --iodepth_batch_complete_max=16",
    "--fixedbufs --registerfiles --iodepth_batch_submit=32 --iodepth_batch_complete_max=32",
];

const LARGE_READS: &[&str] = &[
    "",
    "--fixedbufs --registerfiles",
    "--fixedbufs --registerfiles --iodepth_batch_submit=4 --iodepth_batch_complete_max=4",
];

/// What is written is the same each time, as iopath's is unless it is to be verified.
const LARGE_WRITES: &[&str] = &[
    "--scramble_buffers=0",
    "--scramble_buffers=0 --fixedbufs --registerfiles",
    "--scramble_buffers=0 --fixedbufs --registerfiles --iodepth_batch_submit=4 \
     --iodepth_batch_complete_max=4",
];

const NO_STORAGE: &[&str] = &[
    "",
    "--iodepth_batch_submit=16 --iodepth_batch_complete_max=16",
    "--iodepth_batch_submit=32 --iodepth_batch_complete_max=32",
];

const fn at_least(value: f64) -> Option<Goal> {
    Some(Goal::AtLeast(value))
}

const fn below(value: f64) -> Option<Goal> {
    Some(Goal::Below(value))
}

const fn at_most(value: f64) -> Option<Goal> {
    Some(Goal::AtMost(value))
}

/// fio's ring with small requests, and what is wanted beside it.
const FAST_RING: Rival = Rival {
    engine: "io_uring",
    settings: SMALL_REQUESTS,
    figures: &[
        (Figure::Operations, at_least(1.0)),
        (Figure::UserTime, at_most(0.7)),
        (Figure::ProcessorTime, at_most(1.0)),
    ],
};

pub(crate) const BENCHMARKS: &[Benchmark] = &[
    Benchmark {
        name: "random-read-shm",
        about: "4 KiB random read, direct, depth 32, one stream, 1 GiB in memory; iopath's default \
                engine, which makes blocking calls there",
        work: Work::Duel(Duel {
            load: RANDOM_READ,
            place: Where::Memory,
            rivals: &[
                FAST_RING,
                Rival {
                    engine: "psync",
                    settings: &[""],
                    figures: &[
                        (Figure::Operations, at_least(1.0)),
                        (Figure::UserTime, None),
                        (Figure::ProcessorTime, None),
                    ],
                },
            ],
        }),
    },
    Benchmark {
        name: "random-read-shm-ring",
        about: "the same with rings in iopath, which kernel workers serve in memory",
        work: Work::Duel(Duel {
            load: Load { storage: Storage::ByRing, ..RANDOM_READ },
            place: Where::Memory,
            rivals: &[FAST_RING],
        }),
    },
    Benchmark {
        name: "random-read-disk",
        about: "4 KiB random read, direct, depth 32, one stream, 1 GiB on disk",
        work: Work::Duel(Duel {
            load: RANDOM_READ,
            place: Where::Disk,
            rivals: &[Rival {
                engine: "io_uring",
                settings: SMALL_REQUESTS,
                figures: &[
                    (Figure::Operations, None),
                    (Figure::UserTime, None),
                    (Figure::ProcessorTime, None),
                ],
            }],
        }),
    },
    Benchmark {
        name: "null",
        about: "4 KiB random read, depth 32, one stream, no storage: the tools' own ceilings",
        work: Work::Duel(Duel {
            load: Load { storage: Storage::None, ..RANDOM_READ },
            place: Where::Memory,
            rivals: &[Rival {
                engine: "null",
                settings: NO_STORAGE,
                figures: &[(Figure::Operations, at_least(2.0)), (Figure::ProcessorTime, None)],
            }],
        }),
    },
    Benchmark {
        name: "sequential-read-shm",
        about: "1 MiB sequential read, direct, depth 8, one stream, 1 GiB in memory",
        work: Work::Duel(Duel {
            load: SEQUENTIAL_READ,
            place: Where::Memory,
            rivals: &[Rival {
                engine: "io_uring",
                settings: LARGE_READS,
                figures: &[(Figure::Throughput, at_least(0.98)), (Figure::ProcessorTime, None)],
            }],
        }),
    },
    Benchmark {
        name: "sequential-write-shm",
        about: "1 MiB sequential write, direct, depth 8, one stream, 1 GiB in memory",
        work: Work::Duel(Duel {
            load: Load { op: Op::Write, ..SEQUENTIAL_READ },
            place: Where::Memory,
            rivals: &[Rival {
                engine: "io_uring",
                settings: LARGE_WRITES,
                figures: &[(Figure::Throughput, at_least(0.98)), (Figure::ProcessorTime, None)],
            }],
        }),
    },
    Benchmark {
        name: "verify-mix-shm",
        about: "64 KiB random, half reads, 256 MiB in memory: with --verify compared with without",
        work: Work::Verification(Verification { block_kib: 64, op: "mix=50" }),
    },
    Benchmark {
        name: "verify-read-shm",
        about: "the same, only reads",
        work: Work::Verification(Verification { block_kib: 64, op: "read" }),
    },
    Benchmark {
        name: "verify-write-shm",
        about: "the same, only writes",
        work: Work::Verification(Verification { block_kib: 64, op: "write" }),
    },
    Benchmark {
        name: "commit-1ms",
        about: "fdatasync after each write of 8 KiB, one in flight, on a FUSE file whose flush \
                takes 1 ms",
        work: Work::Commits(Commits {
            on: Flushed::Delayed { flush: Duration::from_millis(1) },
            by: Way::Ring,
            commits: Goal::Within(0.97, 1.03),
            flushes: Some(Goal::Within(0.97, 1.03)),
        }),
    },
    Benchmark {
        name: "commit-disk",
        about: "the same on disk; fio counts a flush of a ring from when it was submitted, so that \
                only commits have a goal",
        work: Work::Commits(Commits {
            on: Flushed::Disk,
            by: Way::Ring,
            commits: Goal::NotApart,
            flushes: None,
        }),
    },
    Benchmark {
        name: "commit-disk-calls",
        about: "the same on disk by blocking calls",
        work: Work::Commits(Commits {
            on: Flushed::Disk,
            by: Way::Calls,
            commits: Goal::NotApart,
            flushes: Some(Goal::NotApart),
        }),
    },
    Benchmark {
        name: "volume",
        about: "a stripe over 24 rate-limited targets (unit 512 KiB, requests of 1 MiB, 8 units in \
                flight on each) against one target of the same total rate",
        work: Work::Volume(Volume {
            members: 24,
            unit_kib: 512,
            block_kib: 1024,
            depth: 8,
            bytes_per_sec: 20 << 20,
        }),
    },
    Benchmark {
        name: "sampler",
        about: "counters of 2,000 devices, once a second",
        work: Work::Sampler,
    },
    Benchmark {
        name: "watch",
        about: "the live view of 2,000 devices that all move something, once a second",
        work: Work::Watch,
    },
    Benchmark {
        name: "memory",
        about: "64 streams of depth 32, 4 KiB random read, direct, 1 GiB in memory",
        work: Work::Memory(Load { streams: 64, ..RANDOM_READ }),
    },
    Benchmark {
        name: "list-10k",
        about: "the list of a store of 10,000 runs: the command, the page for a browser, a search",
        work: Work::Listing(Listing { runs: 10_000, below_sec: 0.2 }),
    },
    Benchmark {
        name: "predict-10k",
        about: "all bounds of a path of 10,000 components, most of them equal",
        work: Work::Prediction(Prediction {
            of: Studies::Large(Large { drawers: 38, ratings: Ratings::Equal }),
            most_ms: 50.0,
        }),
    },
    Benchmark {
        name: "predict-100k",
        about: "all bounds of a path of 100,000 components, most of them equal",
        work: Work::Prediction(Prediction {
            of: Studies::Large(Large { drawers: 375, ratings: Ratings::Equal }),
            most_ms: 500.0,
        }),
    },
    Benchmark {
        name: "free-10k-unfolded",
        about: "all bounds of a path of 10,000 components, no two RAID arrays or volumes equal",
        work: Work::Prediction(Prediction {
            of: Studies::Large(Large { drawers: 38, ratings: Ratings::AllDifferent }),
            most_ms: 1000.0,
        }),
    },
    Benchmark {
        name: "free-folded",
        about: "all bounds of every study that is shipped",
        work: Work::Prediction(Prediction { of: Studies::Shipped, most_ms: 50.0 }),
    },
    Benchmark {
        name: "size-million",
        about: "the cheapest of a million builds of a storage area network, by predictions",
        work: Work::Sizing(Sizing {
            template: "san.kdl",
            searches: &[
                Search { need: "read=5GB/s", survive: None },
                Search { need: "read=15GB/s", survive: None },
                Search { need: "read=30GB/s", survive: None },
                Search { need: "read=15GB/s", survive: Some("1 controller") },
                Search { need: "read=15GB/s", survive: Some("1 box") },
                Search { need: "read=15GB/s", survive: Some("1 hba") },
            ],
            most_sec: 5.0,
            most_predictions: 60.0,
        }),
    },
    Benchmark {
        name: "page",
        about: "the report of a path of 1,000 components with 64 streams and 300 samples, in \
                headless Chromium",
        work: Work::Page(PageOf {
            path: Large { drawers: 4, ratings: Ratings::Equal },
            streams: 64,
            samples: 300,
            readable_ms: 1_000.0,
            drawn_ms: 3_000.0,
            most_bytes: 6e6,
        }),
    },
    Benchmark {
        name: "hold-64",
        about: "the simulation's queue of events: one taken, one added; 64 pending, one core",
        work: Work::Hold(Hold { pending: 64, least: 20.0 }),
    },
    Benchmark {
        name: "hold-1k",
        about: "the same with 1,024 pending",
        work: Work::Hold(Hold { pending: 1_024, least: 20.0 }),
    },
    Benchmark {
        name: "hold-16k",
        about: "the same with 16,384 pending",
        work: Work::Hold(Hold { pending: 16_384, least: 10.0 }),
    },
    Benchmark {
        name: "simulate-veritas",
        about: "64 sequential readers with readahead of 24 units, Veritas, one seed, one core, and \
                the hold model in the same minutes",
        work: Work::Simulation(Simulation::Stages {
            study: "veritas-cfs.kdl",
            cases: &["64 files", "readahead=24", "processes=64"],
            least_per_event: 0.085,
        }),
    },
    Benchmark {
        name: "simulate-slowest",
        about: "the slowest case of each shipped study that describes a path, one seed, one core",
        work: Work::Simulation(Simulation::Slowest { most_sec: 2.0 }),
    },
    Benchmark {
        name: "validate",
        about: "all figures of all published studies, bounds and simulations, all cores",
        work: Work::Simulation(Simulation::Validate { most_sec: 60.0 }),
    },
    Benchmark {
        name: "emulated-profile",
        about: "the pSeries 690's component profile, reads, on its emulated path at 1:32; passes \
                of 10 s behind 2 s, each array alone first",
        work: Work::Emulated(Emulated {
            study: "p690.kdl",
            cases: &["component profile", "op=read"],
            scale: P690_SCALE,
            calibrated: true,
            goals: &[
                (Told::Off, at_most(5.0)),
                (Told::Alone, at_most(5.0)),
                (Told::BringUp, at_most(10_000.0)),
            ],
        }),
    },
    Benchmark {
        name: "emulated-cabling",
        about: "its cabling, worst and best, at 1:32",
        work: Work::Emulated(Emulated {
            study: "p690.kdl",
            cases: &["cabling"],
            scale: P690_SCALE,
            calibrated: false,
            goals: &[(Told::Off, at_most(5.0)), (Told::BringUp, at_most(10_000.0))],
        }),
    },
    Benchmark {
        name: "emulated-phases",
        about: "iozone's write, rewrite, read and reread, one after the other, on the emulated \
                array of Sun's 2540 study",
        work: Work::Emulated(Emulated {
            study: "storagetek-2540.kdl",
            cases: &["iozone", "size=32 GiB", "record=128 KiB"],
            scale: &[],
            calibrated: false,
            goals: &[(Told::Off, at_most(5.0)), (Told::Epochs, at_most(5.0))],
        }),
    },
    Benchmark {
        name: "emulated-readahead-24",
        about: "64 sequential readers with readahead of 24 units, Veritas, real bytes",
        work: Work::Emulated(Emulated {
            cases: &["64 files", "readahead=24", "processes=64"],
            goals: &[(Told::Jain, below(0.8)), (Told::Throughput, None)],
            ..READAHEAD
        }),
    },
    Benchmark {
        name: "emulated-readahead-1",
        about: "the same with readahead of one unit",
        work: Work::Emulated(Emulated {
            cases: &["64 files", "readahead=1", "processes=64"],
            goals: &[(Told::Jain, at_least(0.99)), (Told::Throughput, None)],
            ..READAHEAD
        }),
    },
];

const P690_SCALE: &[&str] = &["--scale", "1:32"];

const READAHEAD: Emulated = Emulated {
    study: "veritas-cfs.kdl",
    cases: &[],
    scale: &["--scale", "1:8"],
    calibrated: false,
    goals: &[],
};
