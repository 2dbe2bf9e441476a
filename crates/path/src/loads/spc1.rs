//! The load like that of SPC-1 (it is not SPC-1) by operation, size and whether it is sequential.
//!
//! Shares, shares of reads and sizes are the table `iopath_study::spc1`. Left out: where in the
//! address spaces they go, and what a walk finds in a cache; `hit` states that.

use iopath_study::case::Stream;
use iopath_study::spc1::{MIX, MIXED, STREAMS, SubStream};
use iopath_units::Op;

use crate::legs::{Asked, Offsets, Reach, Request, Sharers};

/// The kinds of requests, each with its share of all.
pub(super) fn requests(stream: &Stream) -> Vec<(Request, f64)> {
    let mut all: Vec<(Request, f64)> = Vec::new();
    for one in &STREAMS {
        let reads = one.reads.as_f64();
        for (blocks, of_size) in sizes(one) {
            for (op, of_op) in [(Op::Read, reads), (Op::Write, 1.0 - reads)] {
                let share = one.share.as_f64() * of_size * of_op;
                let bytes = u64::from(blocks) * stream.block.0;
                let request = request(stream, (op, bytes), !one.way.is_mixed());
                match all.iter_mut().find(|(known, _)| *known == request) {
                    Some((_, sum)) => *sum += share,
                    None if share > 0.0 => all.push((request, share)),
                    None => {}
                }
            }
        }
    }
    all
}

/// Sizes in blocks, each with its share.
fn sizes(one: &SubStream) -> Vec<(u32, f64)> {
    if !one.way.is_mixed() {
        return vec![(1, 1.0)];
    }
    MIX.iter().map(|(blocks, count)| (*blocks, *count as f64 / MIXED as f64)).collect()
}

fn request(stream: &Stream, (op, bytes): (Op, u64), is_random: bool) -> Request {
    Request {
        asked: Asked { op, bytes, at: Offsets::new(0, bytes) },
        is_random,
        apart: None,
        hit_ppm: stream.modelled.hit.0,
        revokes_ppm: 0,
        sharers: Sharers::NONE,
        // All of it is there before the load begins.
        rewrites: true,
        is_flushed: stream.sync.is_durable() && op == Op::Write,
        reach: Reach::Seek,
        pieces: 1,
        scans: op == Op::Read,
        gap: None,
        is_first: true,
        run: 0,
    }
}
