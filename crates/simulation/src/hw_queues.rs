//! Hardware queues of block devices: each has one flush under way, and those that come meanwhile
//! share the next (Linux, `block/blk-flush.c`).
//!
//! Each host has its own. A queue belongs to processors, and a stream is a thread that stays on
//! one: streams get the queues of a device in turn.
//!
//! Left out: flushes that may be sent as one (see `legs/flushed.rs` of the path), which do not wait
//! for others here.

use std::collections::BTreeMap;

use iopath_path::{ComponentId, FlushEnd, Place};

use crate::core::Ps;
use crate::task::{Doing, Owner};
use crate::world::World;

/// Those that flushes have come to.
#[derive(Debug, Default)]
pub(crate) struct HwQueues {
    devices: BTreeMap<(Place, ComponentId), Device>,
    all: Vec<HwQueue>,
}

/// A device, as seen from one place.
#[derive(Debug, Default)]
struct Device {
    /// Numbers of its queues, as far as one was needed.
    queues: Vec<u32>,
    of_stream: BTreeMap<u32, u32>,
}

#[derive(Debug, Default)]
struct HwQueue {
    /// The flushes that are under way as one; none where it is idle.
    under_way: Vec<u32>,
    /// Those that came meanwhile.
    next: Vec<u32>,
    /// What the device takes for them.
    takes: Ps,
}

/// Who sends a flush to a device with so many queues.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Sender {
    place: Place,
    device: ComponentId,
    queues: u32,
    stream: u32,
}

impl HwQueues {
    /// The queue of a sender.
    fn of(&mut self, sender: Sender) -> u32 {
        let device = self.devices.entry((sender.place, sender.device)).or_default();
        let turn = device.of_stream.len() as u32 % sender.queues;
        *device.of_stream.entry(sender.stream).or_insert_with(|| {
            if device.queues.len() as u32 == turn {
                device.queues.push(self.all.len() as u32);
                self.all.push(HwQueue::default());
            }
            device.queues[turn as usize]
        })
    }
}

impl World<'_> {
    /// The stream behind a flush that goes through a queue; none where the device states no queues,
    /// or the flush may be sent as one with others.
    pub(crate) fn sender(&self, id: u32, place: Place, end: &FlushEnd) -> Option<Sender> {
        let queues = end.queues?;
        let stream = match self.tasks[id].owner {
            Owner::Flush(stream) if self.streams.all[stream as usize].is_queued => stream,
            // Which thread asks is not known, nor for what.
            Owner::Asked(stream) if queues == 1 => stream,
            _ => return None,
        };
        Some(Sender { place, device: end.of, queues, stream })
    }

    /// A flush that takes so long comes to a queue.
    pub(crate) fn queue_flush(&mut self, id: u32, sender: Sender, takes: Ps) {
        let number = self.hw_queues.of(sender);
        let queue = &mut self.hw_queues.all[number as usize];
        queue.takes = takes;
        queue.next.push(id);
        if queue.under_way.is_empty() {
            self.send_flush(number);
        }
    }

    /// What has waited for a queue is sent.
    fn send_flush(&mut self, number: u32) {
        let queue = &mut self.hw_queues.all[number as usize];
        queue.under_way = std::mem::take(&mut queue.next);
        if !queue.under_way.is_empty() {
            let done = self.now + queue.takes;
            self.set_doing(done, Doing::FlushingQueue(number));
        }
    }

    /// The flush of a queue is done.
    pub(crate) fn end_queue_flush(&mut self, number: u32) {
        let done = std::mem::take(&mut self.hw_queues.all[number as usize].under_way);
        for id in done {
            self.flush_part_done(id);
        }
        self.send_flush(number);
    }
}
