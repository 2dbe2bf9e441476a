//! The table of generations: in lockstep with an obvious model, and under many threads.

use std::sync::atomic::{AtomicU32, AtomicU64, Ordering};

use iopath_workload::generations::{Generations, Known, Outcome};
use proptest::prelude::*;

const UNITS: usize = 8;

/// The obvious version: every unit's state in plain words.
#[derive(Clone, Copy)]
struct Unit {
    known: Known,
    /// How many writes the newest is; its generation is one less.
    newest: u32,
    readers: u32,
    writing: bool,
}

#[derive(Clone, Debug)]
enum Step {
    BeginWrite {
        first: usize,
        count: usize,
    },
    BeginRead {
        first: usize,
        count: usize,
    },
    /// Ends one of the requests in flight, wherever it stands in the list.
    End {
        which: usize,
        outcome: Outcome,
    },
}

enum InFlight {
    Write { first: usize, count: usize, generation: u32 },
    Read { first: usize, count: usize },
}

fn steps() -> impl Strategy<Value = Vec<Step>> {
    let part = || (0..UNITS).prop_flat_map(|first| (Just(first), 1..=UNITS - first));
    let outcome = prop_oneof![4 => Just(Outcome::Written), 1 => Just(Outcome::Failed)];
    let step = prop_oneof![
        part().prop_map(|(first, count)| Step::BeginWrite { first, count }),
        part().prop_map(|(first, count)| Step::BeginRead { first, count }),
        (any::<usize>(), outcome).prop_map(|(which, outcome)| Step::End { which, outcome }),
    ];
    prop::collection::vec(step, 0..200)
}

struct Model {
    units: [Unit; UNITS],
    in_flight: Vec<InFlight>,
}

impl Model {
    fn begin_write(&mut self, first: usize, count: usize) -> Option<u32> {
        let units = &mut self.units[first..first + count];
        if units.iter().any(|unit| unit.writing || unit.readers != 0) {
            return None;
        }
        let generation = units.iter().map(|unit| unit.newest).max()?;
        units.iter_mut().for_each(|unit| unit.writing = true);
        self.in_flight.push(InFlight::Write { first, count, generation });
        Some(generation)
    }

    fn begin_read(&mut self, first: usize, count: usize) -> bool {
        let units = &mut self.units[first..first + count];
        let free = units.iter().all(|unit| !unit.writing);
        if free {
            units.iter_mut().for_each(|unit| unit.readers += 1);
            self.in_flight.push(InFlight::Read { first, count });
        }
        free
    }

    fn end(&mut self, request: &InFlight, outcome: Outcome) {
        match *request {
            InFlight::Read { first, count } => {
                self.units[first..first + count].iter_mut().for_each(|unit| unit.readers -= 1);
            }
            InFlight::Write { first, count, generation } => {
                let known = match outcome {
                    Outcome::Written => Known::Generation(generation),
                    Outcome::Failed => Known::Unknown,
                };
                let newest = generation + 1;
                let unit = Unit { known, newest, readers: 0, writing: false };
                self.units[first..first + count].fill(unit);
            }
        }
    }
}

fn run(table: &Generations, model: &mut Model, step: &Step) {
    match *step {
        Step::BeginWrite { first, count } => {
            assert_eq!(table.begin_write(first, count), model.begin_write(first, count));
        }
        Step::BeginRead { first, count } => {
            assert_eq!(table.begin_read(first, count), model.begin_read(first, count));
        }
        Step::End { which, outcome } if !model.in_flight.is_empty() => {
            let request = model.in_flight.swap_remove(which % model.in_flight.len());
            match request {
                InFlight::Write { first, count, generation } => {
                    table.end_write(first, count, generation, outcome);
                }
                InFlight::Read { first, count } => table.end_read(first, count),
            }
            model.end(&request, outcome);
        }
        Step::End { .. } => {}
    }
}

proptest! {
    #[test]
    fn the_table_knows_what_the_obvious_model_knows(steps in steps()) {
        let table = Generations::new(UNITS);
        let unit = Unit { known: Known::Never, newest: 0, readers: 0, writing: false };
        let mut model = Model { units: [unit; UNITS], in_flight: Vec::new() };
        for step in &steps {
            run(&table, &mut model, step);
            let known = model.units.map(|unit| {
                if unit.writing { Known::Unknown } else { unit.known }
            });
            prop_assert_eq!(std::array::from_fn(|unit| table.expected(unit)), known);
            let written: Vec<usize> = (0..UNITS)
                .filter(|unit| matches!(known[*unit], Known::Generation(_)))
                .collect();
            prop_assert_eq!(table.written_units().collect::<Vec<_>>(), written);
        }
    }
}

/// A target in memory: one word a unit that holds its generation and one.
struct Target {
    table: Generations,
    content: [AtomicU32; UNITS],
    checked: AtomicU64,
}

impl Target {
    /// Writes the units one by one, relaxed: only the table orders writes and reads.
    fn write(&self, first: usize, count: usize) -> bool {
        let Some(generation) = self.table.begin_write(first, count) else { return false };
        for unit in &self.content[first..first + count] {
            let before = unit.swap(generation + 1, Ordering::Relaxed);
            assert!(before <= generation, "a write found a newer one in its place");
        }
        self.table.end_write(first, count, generation, Outcome::Written);
        true
    }

    fn read(&self, first: usize, count: usize) -> bool {
        if !self.table.begin_read(first, count) {
            return false;
        }
        for unit in first..first + count {
            let wanted = match self.table.expected(unit) {
                Known::Never => 0,
                Known::Generation(generation) => generation + 1,
                Known::Unknown => panic!("unit {unit} is written while it is read"),
            };
            assert_eq!(self.content[unit].load(Ordering::Relaxed), wanted, "false alarm");
        }
        self.table.end_read(first, count);
        self.checked.fetch_add(1, Ordering::Relaxed);
        true
    }
}

#[test]
#[expect(clippy::disallowed_methods, reason = "the table is shared by the threads of its users")]
fn threads_see_no_false_alarm_and_all_get_through() {
    const REQUESTS: usize = 50_000;
    let target = Target {
        table: Generations::new(UNITS),
        content: std::array::from_fn(|_| AtomicU32::new(0)),
        checked: AtomicU64::new(0),
    };
    std::thread::scope(|scope| {
        for thread in 0..4usize {
            let target = &target;
            scope.spawn(move || {
                for request in 0..REQUESTS {
                    let first = (request * 5 + thread * 3) % UNITS;
                    let count = 1 + (request + thread) % (UNITS - first);
                    let done = || match (request / 3 + thread) % 2 {
                        0 => target.write(first, count),
                        _ => target.read(first, count),
                    };
                    // A thread that fails keeps its units: the others give up some day.
                    let turns = (0..10_000_000).find(|_| {
                        std::thread::yield_now();
                        done()
                    });
                    assert!(turns.is_some(), "thread {thread} never gets through");
                }
            });
        }
    });
    assert_eq!(target.table.written_units().count(), UNITS);
    assert_eq!(target.checked.load(Ordering::Relaxed), 2 * REQUESTS as u64);
}
