//! A system that is fed from outside does what a simulation of the same load does, whatever time
//! its caller's clock takes.

use iopath_record::{Counter, Layer, Series};
use iopath_simulation::{Answer, Arrival, Asks, Fate, Live, What, live, simulate};
use iopath_study::case::Failure;
use iopath_units::{Nanos, Op};
use iopath_workload::{Requests, Span};

use crate::model::{assert_near, case, lasting, network, window};

const SEC: u64 = 1_000_000_000;

/// An array behind a port: a cache, an arm, a level of RAID.
fn array(inside: &str, stream: &str, failures: &str) -> String {
    format!(
        r#"path {{
    host "h" {{ hba count=2 {{ port read="100 MB/s" write="100 MB/s" }} }}
    array "a" {{
        controller count=2 {{ port }}
        {inside}
    }}
    wire from="h.hba.port" to="a.controller.port"
}}
workload time="20 s" {{
    streams "s" over="a.v" {stream}
    {failures}
}}"#
    )
}

const DISKS: &str = r#"raid "v" level=5 count=1 segment="64 KiB" {
    disk count=5 size="1 GB" stream="50 MB/s" position="5 ms"
}"#;

/// Keeps a stream's depth in flight until a time; gives the answers.
fn closed_loop(text: &str, until: Nanos) -> (f64, Vec<Answer>) {
    let case = case(text);
    let stream = &case.streams[0];
    let bytes = u64::from(u32::try_from(stream.block.0).expect("a block"));
    let span = Span::of(stream, 4_000_000_000).expect("it fits");
    let mut requests = Requests::new(stream, span, 1).expect("it has an order");
    let mut all = Vec::new();
    let done = live(&case, &network(&case), &lasting(20), |system| {
        let mut answers = Vec::new();
        let mut ticket = 0;
        let mut issue = |system: &mut Live<'_>| {
            let request = requests.next_request();
            let (op, offset, bytes) = (request.op, request.offset, request.bytes);
            let asks = Asks::Transfer { op, offset, bytes, is_durable: false };
            system.arrive(Arrival { stream: 0, ticket, asks });
            ticket += 1;
        };
        (0..stream.depth).for_each(|_| issue(system));
        let mut done = 0_u64;
        while let Some(next) = system.next_at().filter(|next| *next <= until) {
            system.advance(next, &mut answers);
            for answer in answers.drain(..) {
                done += u64::from(answer.due >= Nanos(2 * SEC));
                all.push(answer);
                issue(system);
            }
        }
        done
    });
    let seconds = (until.0 - 2 * SEC) as f64 / 1e9;
    ((done * bytes) as f64 / seconds, all)
}

#[test]
fn it_is_as_fast_as_its_simulation() {
    let cache = r#"cache size="64 MiB" write="back" flush="never""#;
    for (inside, stream) in [
        (DISKS.to_owned(), r#"block="64 KiB" depth=8 pattern="random""#),
        (DISKS.to_owned(), r#"op="write" block="64 KiB" depth=4 pattern="random""#),
        (format!("{cache}\n{DISKS}"), r#"op="write" block="8 KiB" depth=16 pattern="random""#),
        (format!("{cache}\n{DISKS}"), r#"block="256 KiB" depth=4"#),
    ] {
        let text = array(&inside, stream, "");
        let case = case(&text);
        let simulated = simulate(&case, &network(&case), &lasting(20));
        let expected = window(&simulated, "s").bytes_per_sec();
        let (found, answers) = closed_loop(&text, Nanos(20 * SEC));
        assert_near(found, expected, 0.02);
        assert!(answers.is_sorted_by_key(|answer| answer.due), "{stream}");
        assert!(answers.iter().all(|answer| !answer.is_refused));
    }
}

/// Has one request of a kind arrive at a time, on a system of disks with failures.
fn one(asks: Asks, at: Nanos, failures: &str) -> Answer {
    let case = case(&array(DISKS, r#"block="64 KiB""#, failures));
    let answer = live(&case, &network(&case), &lasting(20), |system| {
        let mut answers = Vec::new();
        system.let_fail();
        system.advance(at, &mut answers);
        system.arrive(Arrival { stream: 0, ticket: 7, asks });
        while answers.is_empty() {
            let next = system.next_at().unwrap_or(at);
            system.advance(next, &mut answers);
        }
        answers[0]
    });
    assert_eq!(answer.ticket, 7);
    answer
}

/// One read after the other for 20 s, and when each is answered; a failure is told while it runs.
fn one_after_the_other(failures: &str, told: Option<(Nanos, Failure)>) -> Vec<Answer> {
    let case = case(&array(DISKS, r#"block="64 KiB""#, failures));
    live(&case, &network(&case), &lasting(20), |system| {
        let (mut all, mut told) = (Vec::new(), told);
        system.let_fail();
        system.arrive(Arrival { stream: 0, ticket: 0, asks: READ });
        while let Some(next) = system.next_at().filter(|next| *next <= Nanos(20 * SEC)) {
            if let Some((at, failure)) = told.take_if(|(at, _)| *at <= next) {
                system.advance(at, &mut all);
                system.fail(failure);
                continue;
            }
            let before = all.len();
            system.advance(next, &mut all);
            let tickets = before as u32 + 1..=all.len() as u32;
            tickets.for_each(|ticket| system.arrive(Arrival { stream: 0, ticket, asks: READ }));
        }
        all
    })
}

#[test]
fn what_is_told_to_fail_later_fails_as_what_was_to_fail_from_the_beginning() {
    let wanted = |at: &str, lasts: &str| {
        format!(
            r#"fail of="a.controller[0]" at="{at}" for="{lasts}" failover="1 s" failback="1 s""#
        )
    };
    let known = wanted("5 s", "6 s");
    let failure =
        case(&array(DISKS, r#"block="64 KiB""#, &wanted("2 s", "6 s"))).failures.remove(0);
    let told = Some((Nanos(3 * SEC), failure));
    let expected = one_after_the_other(&known, None);
    assert_eq!(one_after_the_other("", told.clone()), expected);
    assert_ne!(one_after_the_other("", None), expected);
    // Besides another one that is over, or of the same part.
    let early = wanted("1 s", "1.5 s");
    let both = one_after_the_other(&format!("{early}\n{known}"), None);
    assert_eq!(one_after_the_other(&early, told), both);
}

const READ: Asks = Asks::Transfer { op: Op::Read, offset: 0, bytes: 65536, is_durable: false };

#[test]
fn what_finds_no_way_waits_for_one_that_returns_and_is_refused_where_none_will() {
    let answer = one(READ, Nanos(SEC), r#"fail of="h.hba[0-1]" at="2 s""#);
    assert!(!answer.is_refused && answer.due < Nanos(SEC + SEC / 10), "{answer:?}");
    let returns = r#"fail of="h.hba[0-1]" at="2 s" for="6 s" failover="1 s" failback="0 s""#;
    let answer = one(READ, Nanos(4 * SEC), returns);
    assert!(!answer.is_refused && answer.due >= Nanos(8 * SEC), "{answer:?}");
    let gone = r#"fail of="h.hba[0-1]" at="2 s" failover="1 s""#;
    let answer = one(READ, Nanos(4 * SEC), gone);
    assert!(answer.is_refused && answer.due == Nanos(4 * SEC), "{answer:?}");
}

#[test]
fn what_fails_again_when_it_is_gone_for_good_holds_nothing_up() {
    let gone = "fail of=\"h.hba[0-1]\" at=\"1 s\" failover=\"1 s\"\n\
                fail of=\"h.hba[0-1]\" at=\"4 s\" for=\"2 s\" failover=\"5 s\"";
    let answer = one(READ, Nanos(5 * SEC), gone);
    assert!(answer.is_refused && answer.due == Nanos(6 * SEC), "{answer:?}");
}

/// A pair of nodes that cache a volume of disks of another array.
fn behind_nodes(cache: &str, stream: &str, failures: &str) -> String {
    format!(
        r#"path {{
    host "h" {{ hba {{ port count=2 }} }}
    switch "fabric"
    array "pair" {{ controller "node" count=2 {{ port; cache size="64 MiB" {cache} }} }}
    array "box" {{ controller "c" {{ port count=2; {DISKS} }} }}
    wire from="h.hba.port" to="fabric"
    wire from="pair.node.port" to="fabric"
    wire from="box.c.port" to="fabric"
}}
layout {{ stripe "vdisk" at="pair.node" unit="1 MiB" over="box.c.v" }}
workload time="20 s" {{
    streams "s" over="vdisk" {stream}
    {failures}
}}"#
    )
}

/// Has requests arrive just before the array behind a pair of nodes fails for good at 2 s, which is
/// known at 3 s, and one at 4 s; gives all answers.
fn when_the_array_is_gone(cache: &str, stream: &str, requests: &[Asks]) -> Vec<Answer> {
    let case = case(&behind_nodes(cache, stream, r#"fail of="box" at="2 s" failover="1 s""#));
    live(&case, &network(&case), &lasting(20), |system| {
        let mut answers = Vec::new();
        system.let_fail();
        system.advance(Nanos(2 * SEC - 100_000), &mut answers);
        for (ticket, &asks) in (0..).zip(requests) {
            system.arrive(Arrival { stream: 0, ticket, asks });
            system.advance(Nanos(2 * SEC - 99_000 + u64::from(ticket)), &mut answers);
        }
        system.advance(Nanos(4 * SEC), &mut answers);
        let ticket = requests.len() as u32;
        system.arrive(Arrival { stream: 0, ticket, asks: Asks::Flush });
        system.advance(Nanos(20 * SEC), &mut answers);
        answers.sort_unstable_by_key(|answer| answer.ticket);
        answers
    })
}

#[test]
fn what_a_cache_does_by_itself_ends_when_the_volume_behind_it_is_gone_for_good() {
    let refused = |answers: &[Answer]| -> Vec<bool> {
        answers.iter().map(|answer| answer.is_refused).collect()
    };
    let read = |offset| Asks::Transfer { op: Op::Read, offset, bytes: 65536, is_durable: false };
    let ahead = r#"write="back" read-ahead=#true read-ahead-size="1 MiB""#;
    // Reads that wait for fetches, one of them for one that was read ahead.
    let reads = [read(0), read(65536), read(131_072)];
    let answers = when_the_array_is_gone(ahead, r#"block="64 KiB""#, &reads);
    assert_eq!(refused(&answers), [true; 4], "{answers:?}");
    assert!(answers.iter().all(|answer| answer.due <= Nanos(4 * SEC)), "{answers:?}");
    // A flush, and a write that is to be durable, for which the cache destages.
    let write = |is_durable| Asks::Transfer { op: Op::Write, offset: 0, bytes: 4096, is_durable };
    let cache = r#"write="back" flush="on-sync""#;
    let stream = r#"op="write" block="4 KiB""#;
    for last in [Asks::Flush, write(true)] {
        let answers = when_the_array_is_gone(cache, stream, &[write(false), last]);
        assert_eq!(refused(&answers), [false, true, true], "{answers:?}");
        assert!(answers[1].due <= Nanos(3 * SEC), "{answers:?}");
    }
}

#[test]
fn what_a_file_system_does_by_itself_ends_when_its_volume_is_gone_for_good() {
    for (op, over) in [(Op::Read, "a.v"), (Op::Write, "a.v"), (Op::Read, "a..v")] {
        let arrays = r#"array "b" { port; raid "v" level=0 segment="64 KiB" { disk count=2 } }"#;
        let text = format!(
            r#"path {{
    host "h" {{ hba {{ port count=2 }} }}
    array "a" {{ port; {DISKS} }}
    {arrays}
    wire from="h.hba.port[0]" to="a.port"
    wire from="h.hba.port[1]" to="b.port"
}}
layout {{
    filesystem "fs" on="{over}" block="1 MiB" cache="buffered" {{ prefetch threads=4 }}
    file "f" on="fs" size="200 MB"
}}
workload time="20 s" {{
    streams "s" over="f" op="{op}" block="64 KiB"
    fail of="a" at="2 s" failover="1 s"
}}"#
        );
        let over = over.replace("a..v", "a.v, b.v");
        let case = case(&text.replace("a..v", &over));
        let answers = live(&case, &network(&case), &lasting(20), |system| {
            let mut answers = Vec::new();
            system.let_fail();
            system.advance(Nanos(2 * SEC - 1_000_000), &mut answers);
            for ticket in 0..64_u32 {
                let offset = u64::from(ticket) * 65536;
                let asks = Asks::Transfer { op, offset, bytes: 65536, is_durable: false };
                system.arrive(Arrival { stream: 0, ticket, asks });
            }
            system.advance(Nanos(19 * SEC), &mut answers);
            answers
        });
        assert_eq!(answers.len(), 64, "{over}");
        assert_eq!(answers.iter().any(|answer| answer.is_refused), op == Op::Read, "{over}");
    }
}

/// Two controllers, of which the first owns the volume.
fn two_controllers(cache: &str, fails: &str) -> String {
    format!(
        r#"path {{
    host "h" {{ hba count=2 {{ port read="100 MB/s" write="100 MB/s" }} }}
    array "a" {{
        controller "one" {{ port; {cache}; {DISKS} }}
        controller "two" {{ port; {cache} }}
    }}
    wire from="h.hba[0].port" to="a.one.port"
    wire from="h.hba[1].port" to="a.two.port"
}}
workload time="20 s" {{
    streams "s" over="a.one.v" op="write" block="4 KiB"
    {fails}
}}"#
    )
}

#[test]
fn a_flush_waits_for_what_the_cache_of_an_owner_before_still_has() {
    let cache = r#"cache size="64 MiB" write="back" flush="on-sync" flush-start="80 %""#;
    let fails = r#"fail of="a.one" at="1 s" for="2 s" failover="100 ms" failback="100 ms""#;
    let case = case(&two_controllers(cache, fails));
    let took = live(&case, &network(&case), &lasting(20), |system| {
        let mut answers = Vec::new();
        system.let_fail();
        let write = Asks::Transfer { op: Op::Write, offset: 0, bytes: 4096, is_durable: false };
        for (ticket, at, asks) in [(0, 2 * SEC, write), (1, 4 * SEC, Asks::Flush)] {
            system.advance(Nanos(at), &mut answers);
            system.arrive(Arrival { stream: 0, ticket, asks });
        }
        while answers.len() < 2 {
            let next = system.next_at().expect("something is to be done");
            system.advance(next, &mut answers);
        }
        answers[1].due.0 - 4 * SEC
    });
    // It was written to the media of a disk with an arm.
    assert!(took > 1_000_000, "{took}");
}

#[test]
fn a_request_on_its_way_when_the_last_path_fails_is_refused_once_that_is_known() {
    let gone = r#"fail of="h.hba[0-1]" at="2 s" failover="1 s""#;
    let answer = one(READ, Nanos(2 * SEC - 1_000), gone);
    assert!(answer.is_refused && answer.due == Nanos(3 * SEC), "{answer:?}");
}

#[test]
fn a_flush_and_a_durable_write_wait_for_the_media() {
    let text = |flush: &str| {
        let cache = format!(r#"cache size="64 MiB" write="back" flush="{flush}""#);
        array(&format!("{cache}\n{DISKS}"), r#"op="write" block="4 KiB""#, "")
    };
    let times = |flush: &str, is_durable: bool| {
        let case = case(&text(flush));
        let (times, record) = live(&case, &network(&case), &lasting(20), |system| {
            let mut answers = Vec::new();
            let write = Asks::Transfer { op: Op::Write, offset: 4096, bytes: 4096, is_durable };
            for (ticket, asks) in [(0, write), (1, Asks::Flush)] {
                system.arrive(Arrival { stream: 0, ticket, asks });
                while answers.len() <= ticket as usize {
                    let next = system.next_at().expect("something is to be done");
                    system.advance(next, &mut answers);
                }
            }
            let times = [answers[0].due, Nanos(answers[1].due.0 - answers[0].due.0)];
            (times, system.record())
        });
        let phases = record.streams.iter().flat_map(|stream| &stream.phases);
        assert_eq!(phases.map(|phase| phase.completed).sum::<u64>(), 1);
        times
    };
    let [write, flush] = times("on-sync", false);
    assert!(write < Nanos(1_000_000) && flush > Nanos(5_000_000), "{write:?} {flush:?}");
    let [write, flush] = times("on-sync", true);
    assert!(write > Nanos(5_000_000) && flush < Nanos(1_000), "{write:?} {flush:?}");
    let [write, flush] = times("never", true);
    assert!(write < Nanos(1_000_000) && flush < Nanos(1_000), "{write:?} {flush:?}");
}

#[test]
fn its_record_has_the_components_and_what_failed() {
    let case = case(&array(DISKS, r#"block="64 KiB""#, r#"fail of="h.hba[0]" at="2 s""#));
    let record = live(&case, &network(&case), &lasting(20), |system| {
        system.let_fail();
        let mut answers = Vec::new();
        for ticket in 0..100 {
            let asks = Asks::Transfer {
                op: Op::Read,
                offset: u64::from(ticket) << 20,
                bytes: 65536,
                is_durable: false,
            };
            system.arrive(Arrival { stream: 0, ticket, asks });
            system.advance(Nanos(u64::from(ticket) * SEC / 10), &mut answers);
        }
        system.record();
        system.record()
    });
    assert_eq!(record.validate(), []);
    assert!(record.events.iter().any(|event| event.what.contains("h.hba[0] fails")));
    assert!(record.entities.iter().any(|entity| entity.name.contains("disk")));
    assert!(record.warnings.iter().all(|warning| warning.kind != "not-precise"));
}

/// A LUN behind a cache in its own controller, which fails 10 s on: what becomes of writes of 4 KiB
/// that were answered before.
fn fates(cache: &str, writes: u32, flushes_at: Option<u32>) -> Vec<Fate> {
    let text = format!(
        r#"path {{
    host "h" {{ hba {{ port count=2 }} }}
    array "a" {{
        controller "one" {{
            port
            cache size="64 MiB" write="back" {cache}
            raid "v" level=5 segment="64 KiB" {{
                disk count=5 size="1 GB" stream="50 MB/s" position="5 ms"
            }}
        }}
        controller "two" {{ port; cache size="64 MiB" write="back" {cache} }}
    }}
    wire from="h.hba.port[0]" to="a.one.port"
    wire from="h.hba.port[1]" to="a.two.port"
}}
workload time="20 s" {{
    streams "s" over="a.one.v" op="write" block="4 KiB"
    fail of="a.one" at="10 s"
}}"#
    );
    let case = case(&text);
    live(&case, &network(&case), &lasting(20), |system| {
        system.keep_fates();
        system.let_fail();
        let (mut answers, mut fates) = (Vec::new(), Vec::new());
        // Time for older data of the cache to be gone.
        system.advance(Nanos(10 * SEC - SEC / 10), &mut answers);
        for ticket in 0..writes {
            let offset = u64::from(ticket) << 20;
            let asks = Asks::Transfer { op: Op::Write, offset, bytes: 4096, is_durable: false };
            system.arrive(Arrival { stream: 0, ticket, asks });
            if flushes_at == Some(ticket) {
                system.arrive(Arrival { stream: 0, ticket: writes, asks: Asks::Flush });
            }
        }
        system.advance(Nanos(20 * SEC), &mut answers);
        assert_eq!(answers.len() as u32, writes + u32::from(flushes_at.is_some()));
        system.take_fates(&mut fates);
        let has_lost = fates.iter().any(|fate| fate.what == What::Lost);
        let mut events = system.record().events.into_iter();
        assert_eq!(events.any(|event| event.what.contains("loses")), has_lost);
        fates
    })
}

#[test]
fn what_only_a_failed_cache_had_is_lost_and_nothing_else() {
    let of = |fates: &[Fate], what: What| fates.iter().filter(|fate| fate.what == what).count();
    let found = fates("", 64, None);
    let (settled, lost) = (of(&found, What::Settled), of(&found, What::Lost));
    assert!(lost > 32 && settled + lost == 64, "{settled} settled, {lost} lost");
    let stored = found.iter().filter(|fate| matches!(fate.what, What::Stored(_)));
    assert_eq!(stored.count(), 64);
    let left: Vec<_> = found.iter().filter(|fate| fate.what == What::Leaves).collect();
    let is_known =
        |fate: &&Fate| left.iter().any(|one| (one.start, one.end) == (fate.start, fate.end));
    assert!(found.iter().filter(|fate| fate.what == What::Settled).all(|fate| is_known(&fate)));
    for kept in ["battery=#true", "mirror=#true"] {
        assert_eq!(fates(kept, 64, None), [], "{kept}");
    }
    // Few writes that were flushed in time.
    let flushed = fates(r#"flush="on-sync""#, 2, Some(1));
    assert_eq!((of(&flushed, What::Settled), of(&flushed, What::Lost)), (2, 0), "{flushed:?}");
}

#[test]
fn a_cache_that_fails_loses_what_it_had_itself_and_not_what_a_newer_owner_has() {
    let cache = r#"cache size="64 MiB" write="back" flush="never" flush-start="80 %""#;
    let for_2_s = r#"for="2 s" failover="100 ms" failback="100 ms""#;
    let fails =
        format!("fail of=\"a.one\" at=\"1 s\" {for_2_s}\nfail of=\"a.two\" at=\"5 s\" {for_2_s}");
    let case = case(&two_controllers(cache, &fails));
    let fates = live(&case, &network(&case), &lasting(20), |system| {
        let (mut answers, mut fates) = (Vec::new(), Vec::new());
        system.keep_fates();
        system.let_fail();
        let asks = Asks::Transfer { op: Op::Write, offset: 0, bytes: 4096, is_durable: false };
        for (ticket, at) in [(0, 2 * SEC), (1, 4 * SEC)] {
            system.advance(Nanos(at), &mut answers);
            system.arrive(Arrival { stream: 0, ticket, asks });
        }
        system.advance(Nanos(6 * SEC), &mut answers);
        system.take_fates(&mut fates);
        fates
    });
    let cache_of = |what| fates.iter().find(|fate| fate.what == what).expect("it happened").cache;
    let [first, second] = [0, 1].map(|ticket| cache_of(What::Stored(ticket)));
    assert_ne!(first, second);
    assert_eq!(cache_of(What::Lost), first, "{fates:?}");
    assert!(!fates.iter().any(|fate| fate.what == What::Lost && fate.cache == second));
}

#[test]
fn a_moment_knows_what_memory_has_moved_since_the_beginning() {
    let case = case(
        r#"path { host "h" memory-rate="3 GB/s" { disk "d" read="100 MB/s" write="100 MB/s" } }
        workload { streams "s" over="h.d" block="1 MiB" depth=4 }"#,
    );
    let moment = live(&case, &network(&case), &lasting(20), |system| {
        for (ticket, op) in (0..).zip([Op::Read, Op::Read, Op::Read, Op::Write]) {
            let offset = u64::from(ticket) << 20;
            let asks = Asks::Transfer { op, offset, bytes: 1 << 20, is_durable: false };
            system.arrive(Arrival { stream: 0, ticket, asks });
        }
        system.advance(Nanos(SEC), &mut Vec::new());
        system.moment()
    });
    let memory = moment.entities.iter().position(|one| one.layer == Layer::Memory).expect("memory");
    let bytes = |counter: Counter| {
        let is_it = |one: &&Series| one.entity.0 as usize == memory && one.counter == counter;
        moment.series.iter().find(is_it).map_or(0, |series| series.first) as f64
    };
    assert_near(bytes(Counter::ReadBytes), 3e6 * 1.048_576, 0.01);
    assert_near(bytes(Counter::WriteBytes), 1e6 * 1.048_576, 0.01);
}
