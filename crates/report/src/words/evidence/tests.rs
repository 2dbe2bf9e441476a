//! Every fact as its sentence.

use iopath_analysis::limit::{
    CapacityUse, Cause, Flushed, LatencyUse, MemberFact, MemberRates, MemberTimes, Plateau, Range,
    RateOf,
};
use iopath_analysis::prediction::LimitFinding;
use iopath_record::{Direction, Limit, Measure};

use super::*;

/// Of `sda`, half of what is compared with 0.9.
fn line(fact: Fact) -> Evidence {
    Evidence { entity: "sda".to_owned(), fact, value: 0.5, threshold: 0.9 }
}

fn check(facts: impl IntoIterator<Item = (Fact, &'static str)>) {
    for (fact, expected) in facts {
        assert_eq!(sentence(&line(fact), System::Decimal), expected);
    }
}

fn limit(measure: Measure, direction: Direction, origin: &str) -> Limit {
    Limit { measure, direction, per_sec: 1_048_576_000, origin: origin.into(), tokens: None }
}

fn capacity(measure: Measure, tokens: Option<u64>, used: Range) -> CapacityUse {
    let Limit { measure, direction, per_sec, origin, .. } =
        limit(measure, Direction::Both, "rated");
    let limit = LimitFinding { measure, direction, per_sec, tokens, origin };
    CapacityUse { count: 1, of: 1, limit, used, others: 0 }
}

const ALL: Range = Range { least: 1.0, most: 1.0 };

fn plateau(may_be_a_full_cache: bool) -> Fact {
    Fact::Plateau(Plateau {
        level: 1_048_576.0,
        measure: RateOf::Bytes,
        times: 3.0,
        intervals: 7,
        may_be_a_full_cache,
    })
}

#[test]
fn what_was_asked_for_and_the_generator() {
    let (achieved, wanted) = (500.0, 1000.0);
    check([
        (Fact::Completions(Nothing::Completed), "no request completed in the measured part"),
        (
            Fact::Completions(Nothing::Moved),
            "no I/O reached the watched devices; what the page cache serves does not",
        ),
        (
            Fact::WantedRate { achieved, wanted, measure: RateOf::Requests },
            "500 of the wanted 1000 requests a second were reached: 50.0 %",
        ),
        (Fact::FreeSlots { in_flight: 3.25, slots: 8 }, "3.2 of 8 slots were in use on average"),
        (
            Fact::GeneratorCeiling { achieved, ceiling: wanted },
            "500 requests a second are 50.0 % of what the load generator reaches without storage \
             (1000)",
        ),
        (
            Fact::ThreadTime { user: 0.2, system: 0.3, is_limit: true },
            "each stream's thread was on a processor at least 50.0 % of the time (20.0 % user, \
             30.0 % kernel): each stream is limited by one processor; more streams may yield more",
        ),
    ]);
}

#[test]
fn processors_memory_and_throttles() {
    check([
        (
            Fact::ProcessorTime { count: 4, own: Some(0.25), steal: 0.08 },
            "the 4 processors were busy 50.0 % of the time (25.0 % by this process), 8.0 % taken \
             by the hypervisor",
        ),
        (
            Fact::ProcessorTime { count: 4, own: None, steal: 0.004 },
            "the 4 processors were busy 50.0 % of the time",
        ),
        (
            Fact::ServedByProcessor { device: "loop0".to_owned(), kernel: 0.4 },
            "loop0 is served by processors, of which sda was busy 50.0 % of the time (40.0 % \
             kernel)",
        ),
        (
            Fact::ProcessorWait { waiting: 0.4, is_held_back: true },
            "the streams' threads were runnable 50.0 % of the time and waited for a processor \
             40.0 %: other threads compete for it, which delays requests",
        ),
        (Fact::DeviceBytes(Op::Write), "the devices saw 50.0 % of the bytes written"),
        (Fact::CachedShare { targets: 1 }, "at least 50.0 % of sda was in the page cache"),
        (
            Fact::CachedShare { targets: 64 },
            "at least 50.0 % of each of 64 targets was in the page cache",
        ),
        (
            Fact::GroupLimit {
                achieved: 5e8,
                limit: limit(Measure::Bytes, Direction::Write, "control group, /a"),
            },
            "500000000 bytes a second were written on sda, 50.0 % of what its control group, /a \
             allows (1048576000)",
        ),
        (
            Fact::HeldAbove { slots: 8, busiest: 0.3, spread: 0.01 },
            "the queue was full (8), but only 50.0 % of latency is device time (busiest device \
             30.0 % busy) and throughput is flat within 1.0 %: throttled above the device",
        ),
        (
            plateau(true),
            "after 3.0 times as much, 1048576 bytes a second for 7 intervals, within 50.0 % of an \
             interval of a straight line: typical of an empty token bucket; a full write cache on \
             a steady device looks the same, and only a second depth separates the two",
        ),
    ]);
}

#[test]
fn devices_and_flushes() {
    let (per_sec, mean_ns, slots) = (800.0, 1e6, 8);
    check([
        (
            Fact::Rating {
                achieved: 5e8,
                limit: limit(Measure::Operations, Direction::Both, "data sheet"),
            },
            "sda moved 500000000 operations a second, 50.0 % of its rating (1048576000, data \
             sheet)",
        ),
        (
            Fact::Utilisation { is_watched: true, in_flight: Some(3.0) },
            "sda was busy 50.0 % of the time with 3.0 requests in flight on average",
        ),
        (Fact::Depth, "queue depth 1 measures latency, not peak throughput; try a higher depth"),
        (
            Fact::Unqueued { slots, mean_ns, least_ns: 5e5 },
            "the queue was full (8) and requests did not wait for each other (1.000 ms on \
             average, 0.500 ms at least): a higher depth would yield more",
        ),
        (
            Fact::Unqueued { slots: 1, mean_ns, least_ns: 5e5 },
            "one request at a time, each 1.000 ms on average, 0.500 ms at least: queue depth 1 \
             measures latency, not peak throughput; try a higher depth",
        ),
        (
            Fact::Flushes(Flushed::Streams { per_sec, mean_ns, writes: 1.0 }),
            "a flush was outstanding 50.0 % of the time: 800 a second, 1.000 ms each, after each \
             write",
        ),
        (
            Fact::Flushes(Flushed::Streams { per_sec, mean_ns, writes: 4.0 }),
            "a flush was outstanding 50.0 % of the time: 800 a second, 1.000 ms each, 4.0 writes \
             each",
        ),
        (Fact::Flushes(Flushed::AtEnd { mean_ns }), "one flush at the end took 1.000 ms"),
        (
            Fact::Flushes(Flushed::Device { per_sec, mean_ns }),
            "sda carried out 800 flushes a second, 1.000 ms each",
        ),
        (
            Fact::Flushes(Flushed::EachWrite),
            "each write is flushed, and sda had a flush outstanding 50.0 % of the time that writes \
             took",
        ),
    ]);
    let four = Evidence { value: 2.5, threshold: 4.0, ..line(Fact::Depth) };
    assert_eq!(
        sentence(&four, System::Decimal),
        "2.5 of 4 slots were in use: a single depth does not show whether a higher one yields more"
    );
}

#[test]
fn components_and_what_is_on_the_way() {
    let used = Range { least: 0.98, most: 0.995 };
    let several =
        CapacityUse { count: 16, of: 20, others: 3, ..capacity(Measure::BusyNs, None, used) };
    let way =
        |fullest| Fact::Latency(LatencyUse { in_flight: 8.0, streams: 2, mean_ns: 4e6, fullest });
    check([
        (
            Fact::Capacity(capacity(Measure::Bytes, None, ALL)),
            "sda used 100 % of its capacity: 1.049 GB/s, rated",
        ),
        (
            Fact::Capacity(capacity(Measure::Requests, Some(8), ALL)),
            "sda used 100 % of its 8 concurrent requests, rated",
        ),
        (
            Fact::Capacity(capacity(Measure::Operations, None, ALL)),
            "sda used 100 % of its capacity: 1048576000 operations a second, rated",
        ),
        (
            Fact::Capacity(several),
            "each of sda (16 of 20) used 98.0 % to 99.5 % of its time, rated; 3 others are also \
             full",
        ),
        (
            Fact::EmulatedPath { limit: "265 MB/s, assumed".to_owned() },
            "all streams reached 50.0 % of the load that saturates sda on the emulated path (265 \
             MB/s, assumed)",
        ),
        (
            Fact::JoinWait,
            "finished parts of requests to sda waited for the other parts 50.0 % of the time",
        ),
        (
            Fact::SlowestPart { volume: "pool".to_owned() },
            "parts on sda took 0.50 times as long as those on the median member of pool",
        ),
        (
            way(None),
            "8.0 requests of 2 streams were in flight, each took 4.000 ms, and no component on \
             their path is saturated: more requests in flight would yield more",
        ),
        (
            way(Some(("bus".to_owned(), 0.5))),
            "8.0 requests of 2 streams were in flight, each took 4.000 ms, and the most used \
             component on their path, bus, is at 50.0 %: more requests in flight would yield more",
        ),
    ]);
}

#[test]
fn members_and_depths() {
    let busy = Range { least: 0.25, most: 0.25 };
    let rates = Range { least: 100.0, most: 200.0 };
    let of = |slow| Fact::Service(MemberTimes { fast_ns: 1e6, slow_ns: 2e6, slow, others: 3 });
    let odd = MemberFact::Odd {
        volume: "md0".to_owned(),
        others: 3,
        busy,
        times_ns: Some((15e6, Range { least: 1e6, most: 1.26e6 })),
    };
    check([
        (
            Fact::Member(odd),
            "sda was busy 50.0 % of the time, the other 3 of md0 25.0 %; its requests took 15.00 \
             ms, theirs 1.00 ms to 1.26 ms",
        ),
        (
            Fact::Member(MemberFact::Alone { member: "sdb".to_owned(), busy: 0.99 }),
            "sdb alone carries the load of sda, busy 99.0 %",
        ),
        (
            Fact::Member(MemberFact::Even { members: 4, busy, is_balanced: true }),
            "the 4 members of sda share its load evenly, each busy 25.0 %",
        ),
        (
            Fact::Member(MemberFact::Even { members: 4, busy, is_balanced: false }),
            "the 4 members of sda are busy 25.0 %",
        ),
        (
            Fact::Rate(MemberRates { rates, measure: RateOf::Requests, members: 4, idle: 1 }),
            "4 members carry 100 to 200 requests a second, highest to lowest 0.50; 1 idle",
        ),
        (of(0), "a request takes 1.00 ms in the faster half, 2.00 ms in the slower"),
        (of(1), "1 of them take 2.00 ms for a request, the other 3 1.00 ms: 0.5 times"),
        (
            Fact::InFlight { fast: 1.0, slow: 2.0 },
            "a slow member has 2.00 requests in flight on average, another 1.00",
        ),
        (
            Fact::DepthRate { from: 8, to: 32, change: DepthChange::Fell { times: 0.75 } },
            "from depth 8 to 32 the rate fell to 75.0 % of the highest: more in flight costs \
             throughput",
        ),
        (
            Fact::DepthRate { from: 8, to: 32, change: DepthChange::Grew { times: 4.0 } },
            "from depth 8 to 32 the rate grew 4.00 times and had not settled: a higher depth may \
             yield more",
        ),
        (
            Fact::DepthRate {
                from: 8,
                to: 32,
                change: DepthChange::Stays { longer: 4.0, more: 4.1 },
            },
            "from depth 8 to 32 the rate stayed within 50.0 %, and a request took 4.0 times as \
             long with 4.1 times as many in flight",
        ),
        (Fact::DepthBusy, "the busiest device was busy 50 % of the time at most"),
    ]);
    let cause = Evidence { value: 8.0, ..line(Fact::DepthCause(Cause::PageCache)) };
    assert_eq!(sentence(&cause, System::Decimal), "at depth 8 the limit is page-cache");
}

#[test]
fn amounts_of_bytes_are_binary_where_somebody_asks_for_them() {
    let rates = Range { least: 1_048_576.0, most: 2_097_152.0 };
    let measure = RateOf::Bytes;
    for (fact, expected) in [
        (
            Fact::WantedRate { achieved: 1_048_576.0, wanted: 2_097_152.0, measure },
            "1.000 MiB/s of the wanted 2.000 MiB/s were reached: 50.0 %",
        ),
        (
            Fact::GroupLimit {
                achieved: 524_288_000.0,
                limit: limit(Measure::Bytes, Direction::Read, "io.max"),
            },
            "500.0 MiB/s were read on sda, 50.0 % of what its io.max allows (1000 MiB/s)",
        ),
        (
            Fact::Rating {
                achieved: 524_288_000.0,
                limit: limit(Measure::Bytes, Direction::Both, "data sheet"),
            },
            "sda moved 500.0 MiB/s, 50.0 % of its rating (1000 MiB/s, data sheet)",
        ),
        (
            plateau(false),
            "after 3.0 times as much, 1.000 MiB/s for 7 intervals, within 50.0 % of an interval of \
             a straight line: typical of an empty token bucket",
        ),
        (
            Fact::Capacity(capacity(Measure::Bytes, None, ALL)),
            "sda used 100 % of its capacity: 1000 MiB/s, rated",
        ),
        (
            Fact::EmulatedPath { limit: "1048576 kB/s, assumed".to_owned() },
            "all streams reached 50.0 % of the load that saturates sda on the emulated path (1000 \
             MiB/s, assumed)",
        ),
        (
            Fact::Rate(MemberRates { rates, measure, members: 2, idle: 0 }),
            "2 members carry 1.000 MiB/s to 2.000 MiB/s, highest to lowest 0.50",
        ),
    ] {
        assert_eq!(sentence(&line(fact), System::Binary), expected);
    }
}
