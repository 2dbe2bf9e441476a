//! The journal in lockstep with an obvious model: a list of all writes of each unit.

use iopath_workload::journal::{Durable, Epochs, Journal, Lacking, Ticket, Unit, Verdict, judge};
use iopath_workload::stamp::Stamp;
use proptest::prelude::*;

const UNITS: usize = 4;
/// The largest generation that the table of generations gives.
const LAST: u32 = (1 << 20) - 2;

#[derive(Clone, Debug)]
enum Step {
    /// A write whose generation is so much newer; at the end of the numbers it begins again.
    Issue {
        unit: usize,
        by: u32,
    },
    Complete {
        unit: usize,
        durable: Durable,
    },
    Fail {
        unit: usize,
    },
    BeginFlush,
    EndFlush {
        which: usize,
        is_acknowledged: bool,
    },
}

fn steps() -> impl Strategy<Value = Vec<Step>> {
    let durable = prop_oneof![6 => Just(Durable::WhenFlushed), 1 => Just(Durable::AtOnce)];
    // Sums of these come to the end of the numbers within a few writes.
    let by = prop_oneof![6 => 1..4_u32, 1 => Just(LAST / 2)];
    let unit = || 0..UNITS;
    let step = prop_oneof![
        4 => (unit(), by).prop_map(|(unit, by)| Step::Issue { unit, by }),
        4 => (unit(), durable).prop_map(|(unit, durable)| Step::Complete { unit, durable }),
        1 => unit().prop_map(|unit| Step::Fail { unit }),
        2 => Just(Step::BeginFlush),
        2 => (any::<usize>(), prop::bool::weighted(0.95)).prop_map(|(which, is_acknowledged)| {
            Step::EndFlush { which, is_acknowledged }
        }),
    ];
    prop::collection::vec(step, 0..200)
}

#[derive(Clone, Default)]
struct History {
    /// Generations in the order of their writes.
    writes: Vec<u32>,
    /// Position of the newest that completed, and of the newest that is durable.
    completed: Option<usize>,
    durable: Option<usize>,
    is_in_flight: bool,
}

#[derive(Default)]
struct Model {
    units: [History; UNITS],
    /// Flushes that are out, with what had completed before each.
    flushes: Vec<(Ticket, [Option<usize>; UNITS])>,
    has_failed: bool,
}

impl Model {
    fn step(&mut self, journal: &Journal<'_>, step: &Step) {
        match *step {
            Step::Issue { unit, by } => {
                let history = &mut self.units[unit];
                if history.is_in_flight {
                    return;
                }
                let next = history.writes.last().map_or(0, |newest| newest + by);
                let generation = if next > LAST { next % 5 } else { next };
                journal.issue(unit, 1, generation);
                history.writes.push(generation);
                history.is_in_flight = true;
            }
            Step::Complete { unit, durable } => {
                let history = &mut self.units[unit];
                if !std::mem::take(&mut history.is_in_flight) {
                    return;
                }
                journal.complete(unit, 1, durable);
                history.completed = Some(history.writes.len() - 1);
                // The journal has room for one completed write: that a flush which is out covers
                // the one before is forgotten.
                self.flushes.iter_mut().for_each(|(_, covered)| covered[unit] = None);
                if durable == Durable::AtOnce {
                    history.durable = history.completed;
                }
            }
            Step::Fail { unit } => self.units[unit].is_in_flight = false,
            Step::BeginFlush => {
                let completed = self.units.each_ref().map(|unit| unit.completed);
                self.flushes.push((journal.epochs.begin_flush(), completed));
            }
            Step::EndFlush { which, is_acknowledged } if !self.flushes.is_empty() => {
                let (ticket, covered) = self.flushes.swap_remove(which % self.flushes.len());
                if !is_acknowledged {
                    journal.epochs.fail();
                    self.has_failed = true;
                    return;
                }
                journal.epochs.acknowledge(ticket);
                if !self.has_failed {
                    for (unit, covered) in self.units.iter_mut().zip(covered) {
                        unit.durable = unit.durable.max(covered);
                    }
                }
            }
            Step::EndFlush { .. } => {}
        }
    }
}

/// What the journal says of each write that a unit ever had, against its history.
fn compare(journal: &Journal<'_>, unit: usize, history: &History) -> Result<(), TestCaseError> {
    let Some(past) = journal.past(unit) else {
        prop_assert_eq!(history.completed, None);
        return Ok(());
    };
    let since = history.durable.unwrap_or(0);
    let begins_again = |writes: &[u32]| writes.windows(2).any(|pair| pair[1] <= pair[0]);
    let is_exact = !begins_again(&history.writes[since..]);
    for generation in history.writes.iter().copied() {
        let newest = history.writes.iter().rposition(|write| *write == generation);
        let place = Stamp { offset: 0, generation, seed: 1 };
        let verdict = judge(&past, Lacking::Nothing, place, Ok(place));
        if newest < Some(since) {
            // Numbers that were skipped since may be those of writes before the last turn.
            let is_skipped = (history.writes[since]..=past.issued).contains(&generation);
            let is_known = !is_exact || is_skipped || verdict == Verdict::Damaged;
            prop_assert!(is_known, "{} {:?}", generation, past);
        } else if newest >= history.completed {
            prop_assert!(verdict == Verdict::Intact || !is_exact && verdict != Verdict::Damaged);
        } else {
            let lost = verdict == Verdict::Lost(Some(generation));
            prop_assert!(lost, "{} {:?} {:?}", generation, past, verdict);
        }
    }
    Ok(())
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(1000))]

    #[test]
    fn no_write_that_may_be_there_is_called_damage_and_every_other_is(steps in steps()) {
        let units: [Unit; UNITS] = Default::default();
        let epochs = Epochs::default();
        let journal = Journal { epochs: &epochs, units: &units };
        let mut model = Model::default();
        for step in &steps {
            model.step(&journal, step);
            for (unit, history) in model.units.iter().enumerate() {
                compare(&journal, unit, history)?;
            }
        }
    }
}

#[test]
fn a_write_that_completes_during_a_flush_is_not_covered_by_it() {
    let units: [Unit; 2] = Default::default();
    let epochs = Epochs::default();
    let journal = Journal { epochs: &epochs, units: &units };
    journal.issue(0, 2, 0);
    journal.complete(0, 1, Durable::WhenFlushed);
    let flush = epochs.begin_flush();
    journal.complete(1, 1, Durable::WhenFlushed);
    epochs.acknowledge(flush);
    let durable = |unit| journal.past(unit).unwrap().durable;
    assert_eq!((durable(0), durable(1)), (Some(0), None));
    epochs.acknowledge(epochs.begin_flush());
    assert_eq!((durable(0), durable(1)), (Some(0), Some(0)));
}

/// fsync(2) tells of lost writes once; the next one succeeds without them.
#[test]
fn nothing_is_covered_after_a_flush_that_failed() {
    let units: [Unit; 1] = Default::default();
    let epochs = Epochs::default();
    let journal = Journal { epochs: &epochs, units: &units };
    journal.issue(0, 1, 0);
    journal.complete(0, 1, Durable::WhenFlushed);
    epochs.begin_flush();
    epochs.fail();
    epochs.acknowledge(epochs.begin_flush());
    assert_eq!(journal.past(0).unwrap().durable, None);
}
