//! The load like that of SPC-1 (it is not SPC-1): eight kinds of requests in three address spaces,
//! here by operation, size and whether they are sequential.
//!
//! Shares, share of reads and sizes: the table of the open generators (`spc1` of fio-like tools;
//! the page on SVC 3.1 repeats it). Over all it reads 39.4 % with 8.0 KB a request. Left out: where
//! in the address spaces they go, and what a walk finds in a cache; `hit` states that.

use iopath_study::case::Stream;
use iopath_units::Op;

use crate::legs::{Asked, Offsets, Request, Sharers};

/// One row of the generator's table.
struct Kind {
    share: f64,
    reads: f64,
    is_random: bool,
    /// Whether its sizes are [`MIXED`]; else all are [`SMALL`].
    is_mixed: bool,
}

const fn kind(share: f64, reads: f64, is_random: bool, is_mixed: bool) -> Kind {
    Kind { share, reads, is_random, is_mixed }
}

const KINDS: [Kind; 8] = [
    kind(0.035, 0.5, true, false),
    kind(0.281, 0.5, true, false),
    kind(0.070, 1.0, false, true),
    kind(0.210, 0.5, true, false),
    kind(0.018, 0.3, true, false),
    kind(0.070, 0.3, true, false),
    kind(0.035, 1.0, false, true),
    kind(0.281, 0.0, false, true),
];

const SMALL: [(u64, f64); 1] = [(4 << 10, 1.0)];

const MIXED: [(u64, f64); 5] =
    [(4 << 10, 0.40), (8 << 10, 0.24), (16 << 10, 0.20), (32 << 10, 0.08), (64 << 10, 0.08)];

/// The kinds of requests, each with its share of all.
pub(super) fn requests(stream: &Stream) -> Vec<(Request, f64)> {
    let mut all: Vec<(Request, f64)> = Vec::new();
    for kind in &KINDS {
        let sizes: &[(u64, f64)] = if kind.is_mixed { &MIXED } else { &SMALL };
        for (bytes, of_size) in sizes {
            for (op, of_op) in [(Op::Read, kind.reads), (Op::Write, 1.0 - kind.reads)] {
                let share = kind.share * of_size * of_op;
                let request = request(stream, (op, *bytes), kind.is_random);
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

fn request(stream: &Stream, (op, bytes): (Op, u64), is_random: bool) -> Request {
    Request {
        asked: Asked { op, bytes, at: Offsets::new(0, bytes) },
        is_random,
        hit_ppm: stream.modelled.hit.0,
        sharers: Sharers::NONE,
        // All of it is there before the load begins.
        rewrites: true,
        is_first: true,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// The published mix: 39.4 % reads, 8.0 KB a request on average.
    #[test]
    fn the_mix_is_the_published_one() {
        let share = |of: fn(&Kind) -> f64| KINDS.iter().map(of).sum::<f64>();
        assert!((share(|kind| kind.share) - 1.0).abs() < 1e-12);
        assert!((share(|kind| kind.share * kind.reads) - 0.394).abs() < 0.0005);
        let mixed: f64 = MIXED.iter().map(|(bytes, part)| *bytes as f64 * part).sum();
        let mean: f64 = KINDS
            .iter()
            .map(|kind| kind.share * if kind.is_mixed { mixed } else { SMALL[0].0 as f64 })
            .sum();
        assert!((mean / 1024.0 - 8.0).abs() < 0.05);
    }
}
