//! Flushes after writes: when they are issued, what they cover, and what they cost.

use super::*;
use crate::engine::scripted::What;

/// An engine whose calls block, one after the other.
pub(super) struct Blocking<E>(pub(super) E);

impl<E: Engine> Engine for Blocking<E> {
    const BLOCKS: bool = true;

    fn queue(&mut self, io: Io) {
        self.0.queue(io);
    }

    fn flush(&mut self, slot: SlotId, member: u16) {
        self.0.flush(slot, member);
    }

    fn exchange(&mut self, wait: Wait, done: &mut Vec<Done>) -> std::io::Result<()> {
        self.0.exchange(wait, done)
    }
}

const WRITE_NS: u64 = 100_000;
const FLUSH_NS: u64 = 1_000_000;

fn writes(sync: SyncMode, depth: u32, left: u64) -> Bench<'static> {
    let mut bench = Bench::reads(depth, left);
    bench.stream.reads = Ratio(0);
    bench.stream.sync = sync;
    bench
}

fn run(bench: &Bench<'_>) {
    bench.run(|io, _| What::Whole.after(if is_flush(io) { FLUSH_NS } else { WRITE_NS })).unwrap();
}

fn is_flush(io: &Io) -> bool {
    io.slot == FLUSH
}

/// What was asked for: `w` a write, `f` a flush.
fn order(bench: &Bench<'_>) -> String {
    bench.asked().iter().map(|asked| if is_flush(&asked.io) { 'f' } else { 'w' }).collect()
}

#[test]
fn one_writer_waits_for_each_flush() {
    let bench = writes(SyncMode::Fdatasync(1), 1, 10);
    run(&bench);
    assert_eq!(order(&bench), "wfwfwfwfwfwfwfwfwfwf");
    assert_eq!(bench.world.clock.stands_at(), 10 * (WRITE_NS + FLUSH_NS), "1 / (write + flush)");
    let [flush, commit] = [Latency::Flush, Latency::Commit].map(|what| bench.latencies(what));
    assert_eq!((flush.count(), flush.min_ns, flush.max_ns), (10, FLUSH_NS, FLUSH_NS));
    assert_eq!((commit.count(), commit.sum_ns), (10, 10 * (WRITE_NS + FLUSH_NS)));
    let all = bench.all();
    assert_eq!((all.completed, all.write_bytes), (10, 10 * u64::from(BLOCK)), "flushes are none");
}

#[test]
fn a_flush_follows_as_many_writes_as_are_wanted() {
    let bench = writes(SyncMode::Fsync(4), 1, 10);
    run(&bench);
    // The last two are covered by none.
    assert_eq!(order(&bench), "wwwwfwwwwfww");
    assert_eq!(bench.latencies(Latency::Commit).count(), 8);
}

#[test]
fn writers_that_arrive_together_share_a_flush() {
    let (writers, rounds) = (8, 5);
    let bench = writes(SyncMode::Fdatasync(1), writers, u64::from(writers) * rounds);
    run(&bench);
    assert_eq!(order(&bench), "wwwwwwwwf".repeat(5), "K / (write + flush)");
    assert_eq!(bench.world.clock.stands_at(), rounds * (WRITE_NS + FLUSH_NS));
}

#[test]
fn who_completes_during_a_flush_is_covered_by_the_next() {
    let bench = writes(SyncMode::Fdatasync(1), 2, 4);
    // The second writer is slow: its first write completes while the first flush is out.
    let mut written = 0;
    bench
        .run(|io, _| {
            written += u32::from(!is_flush(io));
            let slow = !is_flush(io) && written == 2;
            What::Whole.after(match (is_flush(io), slow) {
                (true, _) => FLUSH_NS,
                (false, true) => 2 * WRITE_NS,
                (false, false) => WRITE_NS,
            })
        })
        .unwrap();
    let asked: Vec<_> = bench.asked().iter().map(|one| (is_flush(&one.io), one.at_ns)).collect();
    assert_eq!(asked[2], (true, WRITE_NS));
    let first_done_ns = WRITE_NS + FLUSH_NS;
    assert!(asked[3..].contains(&(true, first_done_ns)), "the second write waited: {asked:?}");
    assert_eq!(bench.latencies(Latency::Commit).count(), 4);
}

#[test]
fn more_writes_than_the_depth_may_wait_and_reads_never_do() {
    let mut bench = writes(SyncMode::Fsync(6), 2, 12);
    run(&bench);
    assert_eq!(order(&bench), "wwwwwwfwwwwwwf");
    bench = writes(SyncMode::Fsync(1), 1, 40);
    bench.stream.reads = Ratio(500_000);
    bench.stream.pattern = Pattern::Random;
    run(&bench);
    let asked = bench.asked();
    let flushes = asked.iter().filter(|one| is_flush(&one.io)).count();
    let written = bench.latencies(Latency::Commit).count();
    assert_eq!((flushes as u64, written), (written, all_writes(&bench)));
}

fn all_writes(bench: &Bench<'_>) -> u64 {
    bench.all().write_bytes / u64::from(BLOCK)
}

#[test]
fn one_flush_at_the_end_covers_all() {
    let bench = writes(SyncMode::End, 4, 10);
    run(&bench);
    assert_eq!(order(&bench), "wwwwwwwwwwf");
    assert_eq!(bench.latencies(Latency::Flush).count(), 1);
    assert_eq!(bench.latencies(Latency::Commit).count(), 0, "nobody waited for it");
    assert_eq!(bench.counters.last_done_ns.value(), bench.world.clock.stands_at());
}

#[test]
fn a_flush_that_is_refused_for_the_moment_is_asked_for_again() {
    let bench = writes(SyncMode::Fdatasync(1), 1, 2);
    let mut refusals = 0;
    bench
        .run(|io, _| {
            if is_flush(io) && refusals == 0 {
                refusals += 1;
                return What::Error(libc::EINTR).after(1_000);
            }
            What::Whole.after(WRITE_NS)
        })
        .unwrap();
    assert_eq!(order(&bench), "wffwf");
    assert_eq!(bench.latencies(Latency::Flush).max_ns, WRITE_NS + 1_000, "from its first issue");
}

#[test]
fn a_failed_flush_ends_the_pass_and_covers_nothing() {
    let bench = writes(SyncMode::Fdatasync(1), 2, 100);
    let ran = bench.run(|io, before| match is_flush(io) && before > 8 {
        true => What::Error(libc::EIO).after(FLUSH_NS),
        false => What::Whole.after(WRITE_NS),
    });
    let Err(failure @ Failure::WriteBack { .. }) = ran else { panic!("{ran:?}") };
    assert!(failure.to_string().starts_with("/data: writes did not reach"), "{failure}");
    let durable = bench.latencies(Latency::Commit).count();
    assert!(durable < all_writes(&bench), "{durable}");
}

#[test]
fn an_open_loop_counts_commits_from_the_intended_start() {
    let mut bench = writes(SyncMode::Fdatasync(1), 1, 5);
    let rate = iopath_study::case::Rate::Operations(iopath_units::OperationRate(2_000_000));
    let arrivals = iopath_study::case::Arrivals::Constant;
    bench.stream.pacing = Pacing::Open { rate, streams: 1, arrivals };
    bench.world.clock.reading_ns = 50;
    run(&bench);
    let [commit, intended] =
        [Latency::Commit, Latency::IntendedCommit].map(|what| bench.latencies(what));
    assert_eq!((commit.count(), intended.count()), (5, 5));
    // Due every 0.5 ms, served every 1.1 ms.
    assert!(intended.max_ns >= commit.max_ns + 4 * 600_000 - 100_000, "{intended:?}");
}

#[test]
fn nothing_is_issued_behind_a_flush_that_blocks() {
    let mut bench = writes(SyncMode::Fdatasync(1), 4, 60);
    (bench.stream.reads, bench.stream.pattern) = (Ratio(500_000), Pattern::Random);
    bench.blocks = true;
    run(&bench);
    let asked = bench.asked();
    for (at, _) in asked.iter().enumerate().filter(|(_, one)| is_flush(&one.io)) {
        let next = asked.get(at + 1).map_or(u64::MAX, |next| next.at_ns);
        assert!(next >= asked[at].at_ns + FLUSH_NS, "{at}");
    }
    assert_eq!(bench.latencies(Latency::Total).max_ns, WRITE_NS, "no request contains a flush");
}

#[test]
fn a_flush_that_is_refused_for_ever_is_a_failure() {
    let bench = writes(SyncMode::Fdatasync(1), 1, 2);
    let ran = bench.run(|io, _| match is_flush(io) {
        true => What::Error(libc::EAGAIN).after(1_000_000_000),
        false => What::Whole.after(WRITE_NS),
    });
    assert!(matches!(ran, Err(Failure::WriteBack { .. })), "{ran:?}");
}
