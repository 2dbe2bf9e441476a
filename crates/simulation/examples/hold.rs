//! The hold model, by which queues of events are compared (Jones: An empirical comparison of
//! priority-queue and event-set implementations, CACM 29, 1986): the earliest event is taken and
//! comes again after an exponential time, so that as many stay pending.
//!
//! `time cargo run --release -p iopath-simulation --example hold PENDING EVENTS`; it reads no
//! clock itself.

use std::error::Error;
use std::hint::black_box;

use iopath_simulation::core::{EventQueue, Ps, Service};
use iopath_workload::{Purpose, Source};

/// Between two events of one id.
const MEAN: Ps = Ps(1_000_000_000);

#[expect(clippy::disallowed_methods, reason = "an example is a program")]
fn main() -> Result<(), Box<dyn Error>> {
    let words: Vec<String> = std::env::args().skip(1).collect();
    let [pending, events] = words.as_slice() else {
        return Err("say how many events are pending, and how many come".into());
    };
    black_box(hold(pending.parse()?, events.parse()?));
    Ok(())
}

/// The hash of the order, so that nothing can be left out.
fn hold(pending: u32, events: u64) -> u64 {
    let mut source = Source::of(1, "hold", Purpose::Service);
    let increments = Service::gamma(1.0);
    let mut queue = EventQueue::default();
    for id in 0..pending {
        queue.push(increments.draw(MEAN, &mut source), id);
    }
    for _ in 0..events {
        let Some((now, id)) = queue.pop() else { break };
        queue.push(now + increments.draw(MEAN, &mut source), id);
    }
    queue.order_hash()
}
