//! The queue of events against the heap of the standard library.

use std::cmp::Reverse;
use std::collections::BinaryHeap;

use iopath_simulation::core::{EventQueue, Ps};
use proptest::collection::vec;
use proptest::prelude::*;

/// What is done to both queues.
#[derive(Clone, Copy, Debug)]
enum Step {
    Push { at: u64, id: u32 },
    Pop,
}

/// The slow and obvious queue.
#[derive(Default)]
struct Plain {
    heap: BinaryHeap<Reverse<(u64, u64, u32)>>,
    pushed: u64,
}

impl Plain {
    fn push(&mut self, at: u64, id: u32) {
        self.heap.push(Reverse((at, self.pushed, id)));
        self.pushed += 1;
    }

    fn pop(&mut self) -> Option<(Ps, u32)> {
        self.heap.pop().map(|Reverse((at, _, id))| (Ps(at), id))
    }
}

/// Few times, so that many are equal, and some that use all bits.
fn times() -> impl Strategy<Value = u64> {
    prop_oneof![8 => 0..20u64, 1 => any::<u64>(), 1 => Just(u64::MAX)]
}

fn steps() -> impl Strategy<Value = Vec<Step>> {
    let push = (times(), 0..EventQueue::IDS).prop_map(|(at, id)| Step::Push { at, id });
    vec(prop_oneof![3 => push, 2 => Just(Step::Pop)], 0..600)
}

proptest! {
    #[test]
    fn events_come_by_time_and_then_in_order_of_arrival(steps in steps()) {
        let (mut queue, mut plain) = (EventQueue::default(), Plain::default());
        for step in steps {
            match step {
                Step::Push { at, id } => {
                    queue.push(Ps(at), id);
                    plain.push(at, id);
                }
                Step::Pop => prop_assert_eq!(queue.pop(), plain.pop()),
            }
        }
        while let Some(event) = plain.pop() {
            prop_assert_eq!(queue.pop(), Some(event));
        }
        prop_assert_eq!(queue.pop(), None);
    }

    #[test]
    fn the_hash_tells_orders_apart(
        times in vec(times(), 2..50),
        picked in any::<prop::sample::Index>(),
    ) {
        let hash = |order: &[(usize, u64)]| {
            let mut queue = EventQueue::default();
            order.iter().for_each(|(id, at)| queue.push(Ps(*at), *id as u32));
            while queue.pop().is_some() {}
            queue.order_hash()
        };
        let mut order: Vec<(usize, u64)> = times.into_iter().enumerate().collect();
        let first = hash(&order);
        prop_assert_eq!(first, hash(&order));
        // Another id at one place, and its time elsewhere.
        let picked = picked.index(order.len());
        order[picked].0 += 1000;
        prop_assert_ne!(first, hash(&order));
        order[picked].0 -= 1000;
        order[picked].1 ^= 1 << 40;
        prop_assert_ne!(first, hash(&order));
    }
}
