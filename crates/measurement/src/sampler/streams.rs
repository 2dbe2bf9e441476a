//! What every stream did: bytes and requests by operation, what is in flight, and the latencies of
//! all.
//!
//! The workers publish these counts for the totals anyway, so sampling adds nothing to a request;
//! requests are counted by the histograms, which are read for the latencies over time.
//! A stream that only reads has no columns of writes.

use iopath_record::{Counter, EntityId, Histogram};

use iopath_units::Action;

use super::{Columns, OfWorker};
use crate::counters::Counters;

/// Streams up to which each has all of its counters, above that only its bytes: chosen. A number
/// takes some ten bytes of a record's text, so 256 streams with five of them fill the 256 MiB that
/// a record may have in some six hours of samples a second apart.
const DETAILED: usize = 256;

/// What the workers of one stream counted.
#[derive(Default)]
struct Counts {
    action: Action,
    /// By operation; none where the stream has no such.
    bytes: [Option<u64>; 2],
    requests: [Option<u64>; 2],
    in_flight: u64,
}

/// Takes a sample of every stream; the latencies of all of them so far.
pub(super) fn sample(
    streams: &[EntityId],
    workers: &[OfWorker<'_>],
    columns: &mut Columns,
) -> Histogram {
    let mut heat = Histogram::default();
    let mut counts: Vec<Counts> = streams.iter().map(|_| Counts::default()).collect();
    for worker in workers {
        if let Some(counts) = counts.get_mut(worker.stream) {
            counts.add(worker.counters, &mut heat);
        }
    }
    for (entity, counts) in streams.iter().zip(&counts) {
        counts.put(*entity, streams.len() <= DETAILED, columns);
    }
    heat
}

impl Counts {
    fn add(&mut self, counters: &Counters, heat: &mut Histogram) {
        self.action = counters.action;
        let bytes = counters.moved_bytes();
        for (at, of_op) in counters.heat().into_iter().enumerate() {
            let Some(of_op) = of_op else { continue };
            heat.merge(&of_op);
            *self.bytes[at].get_or_insert(0) += bytes[at];
            *self.requests[at].get_or_insert(0) += of_op.count();
        }
        self.in_flight += counters.in_flight();
    }

    fn put(&self, entity: EntityId, is_detailed: bool, columns: &mut Columns) {
        let (of_bytes, of_requests) = match self.action {
            Action::Transfer => (
                [Some(Counter::ReadBytes), Some(Counter::WriteBytes)],
                [Some(Counter::ReadOperations), Some(Counter::WriteOperations)],
            ),
            Action::Trim => {
                ([None, Some(Counter::DiscardBytes)], [None, Some(Counter::DiscardOperations)])
            }
            Action::Create | Action::Stat | Action::Open | Action::Unlink => {
                ([None; 2], [Some(Counter::Completed); 2])
            }
        };
        let mut put = |counters: [Option<Counter>; 2], values: [Option<u64>; 2]| {
            for (counter, value) in counters.into_iter().zip(values) {
                if let (Some(counter), Some(value)) = (counter, value) {
                    columns.put(entity, counter, value);
                }
            }
        };
        put(of_bytes, self.bytes);
        if is_detailed {
            put(of_requests, self.requests);
            columns.put(entity, Counter::InFlight, self.in_flight);
        }
    }
}
