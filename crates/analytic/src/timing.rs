//! The zero-load times of all legs where rows serve with some rates, kept from one question to the
//! next.
//!
//! Prices and upgrades ask for the times again and again with a few rows that serve otherwise. So
//! only the legs that use such a row are looked at again, and upwards from them those whose parts
//! take longer or shorter now ([`Above`]). Every time is found by the same steps from the same
//! numbers as by [`crate::times::spans`], so it is the same to the last bit.
//!
//! It leaves out waiting in queues.

mod above;
mod known;

use iopath_path::visits::{Charges, RequestTime};
use iopath_path::{Network, RowId};

pub(crate) use self::above::Above;
pub(crate) use self::known::Known;

use crate::times::{Rates, Slowdown, Slowest, Span, own, phases};

/// Times, and from what they were found.
#[derive(Clone)]
pub(crate) struct Timing {
    /// What each row serves with.
    rates: Vec<f64>,
    /// By leg: its ways and its end.
    own: Vec<Part>,
    /// By bundle: what is below it.
    below: Vec<Part>,
    /// By leg.
    spans: Vec<Span>,
    /// By leg: the rows that its time depends on.
    depends: Vec<Vec<RowId>>,
    /// By row: how many legs' times depend on it.
    dependents: Vec<u32>,
    marks: Marks,
}

/// A part of the time of a leg.
#[derive(Clone, Default)]
struct Part {
    /// Of ways and end.
    span: Span,
    /// Of what is below.
    time: RequestTime,
    /// The slowest stage below for one of many requests at once.
    each: f64,
    slowest: Slowest,
}

/// What is to be looked at again.
#[derive(Clone)]
struct Marks {
    /// Legs as bits.
    legs: Vec<u64>,
    /// Legs whose own part has changed.
    own: Vec<bool>,
    bundles: Vec<bool>,
}

/// What does not change.
#[derive(Clone, Copy)]
pub(crate) struct Fixed<'a> {
    pub network: &'a Network,
    pub charges: &'a Charges,
    pub above: &'a Above,
    pub slowdown: &'a dyn Slowdown,
}

impl Timing {
    /// The times where rows serve with these rates.
    pub(crate) fn new(fixed: Fixed<'_>, rates: Vec<f64>) -> Self {
        let (legs, bundles) = (fixed.network.legs.len(), fixed.above.bundles.len());
        let mut timing = Self {
            dependents: vec![0; rates.len()],
            rates,
            own: vec![Part::default(); legs],
            below: vec![Part::default(); bundles],
            spans: vec![Span::default(); legs],
            depends: vec![Vec::new(); legs],
            marks: Marks {
                legs: vec![0; legs.div_ceil(64)],
                own: vec![true; legs],
                bundles: vec![true; bundles],
            },
        };
        (0..legs).for_each(|leg| timing.marks.leg(leg as u32));
        timing.look(fixed);
        timing
    }

    /// Lets rows serve with other rates. Tells whether some request holds tokens for another time.
    pub(crate) fn serve(
        &mut self,
        fixed: Fixed<'_>,
        rates: impl Iterator<Item = (u32, f64)>,
    ) -> bool {
        for (row, rate) in rates {
            let known = &mut self.rates[row as usize];
            if known.to_bits() == rate.to_bits() {
                continue;
            }
            *known = rate;
            for leg in fixed.above.users(row) {
                self.marks.leg(*leg);
                self.marks.own[*leg as usize] = true;
            }
            for bundle in fixed.above.over(row) {
                self.marks.bundle(fixed.above, *bundle);
            }
        }
        self.look(fixed)
    }

    /// Of every leg.
    pub(crate) fn spans(&self) -> &[Span] {
        &self.spans
    }

    /// Whether some leg takes less time if a row serves faster.
    pub(crate) fn is_slowest(&self, row: u32) -> bool {
        self.dependents[row as usize] > 0
    }

    /// Looks at what is marked: from the last leg up, as legs stand before those they lead to.
    fn look(&mut self, fixed: Fixed<'_>) -> bool {
        let mut is_held_otherwise = false;
        for word in (0..self.marks.legs.len()).rev() {
            while let Some(leg) = self.marks.take_last(word) {
                if self.find(fixed, leg) {
                    is_held_otherwise |= !fixed.network.legs[leg].holds.is_empty();
                    for bundle in fixed.above.waits_for(leg) {
                        self.marks.bundle(fixed.above, *bundle);
                    }
                }
            }
        }
        is_held_otherwise
    }

    /// Finds the time of one leg; tells whether it is another.
    fn find(&mut self, fixed: Fixed<'_>, index: usize) -> bool {
        let bundle = fixed.above.bundle_of(index);
        if std::mem::take(&mut self.marks.own[index]) {
            self.own[index] = self.alone(fixed, index);
        }
        if std::mem::take(&mut self.marks.bundles[bundle]) {
            self.below[bundle] = self.together(fixed, bundle);
        }
        let (own, below) = (&self.own[index], &self.below[bundle]);
        let span = own.span.before(below.time, below.each);
        let all = own.slowest.0.iter().chain(&below.slowest.0);
        let rows = all.filter(|(_, seconds)| span.depends_on(*seconds)).map(|(row, _)| *row);
        let depends = &mut self.depends[index];
        for row in depends.drain(..) {
            self.dependents[row.0 as usize] -= 1;
        }
        depends.extend(rows);
        for row in depends {
            self.dependents[row.0 as usize] += 1;
        }
        std::mem::replace(&mut self.spans[index], span) != span
    }

    fn alone(&self, fixed: Fixed<'_>, index: usize) -> Part {
        let Fixed { network, charges, .. } = fixed;
        let rates = Rates { network, charges, capacity: &self.rates };
        let mut slowest = Slowest::default();
        let span = own(&rates, index, fixed.above.enters(index), &mut slowest);
        Part { span, slowest, ..Part::default() }
    }

    fn together(&self, fixed: Fixed<'_>, bundle: usize) -> Part {
        let bundle = &fixed.above.bundles[bundle];
        let mut slowest = Slowest::default();
        let each = match bundle.waited[..] {
            [(only, times)] => self.spans[only.0 as usize].each_of(times),
            _ => slowest.of(bundle.uses.iter().copied(), &self.rates),
        };
        let time = phases(fixed.network, bundle.first(), &self.spans, fixed.slowdown);
        Part { time, each, slowest, ..Part::default() }
    }
}

impl Marks {
    fn leg(&mut self, leg: u32) {
        self.legs[leg as usize / 64] |= 1 << (leg % 64);
    }

    /// All legs that lead to the same.
    fn bundle(&mut self, above: &Above, bundle: u32) {
        if !std::mem::replace(&mut self.bundles[bundle as usize], true) {
            above.bundles[bundle as usize].legs.iter().for_each(|leg| self.leg(*leg));
        }
    }

    fn take_last(&mut self, word: usize) -> Option<usize> {
        let bits = &mut self.legs[word];
        let last = 63_u32.checked_sub(bits.leading_zeros())?;
        *bits &= !(1 << last);
        Some(word * 64 + last as usize)
    }
}

#[cfg(test)]
mod tests {
    use iopath_path::{
        Charge, Component, ComponentId, Direction, Issue, Leg, LegId, Measure, Next, Route,
        RouteId, Row, Way,
    };
    use iopath_study::source::Origin;
    use iopath_units::Op;
    use proptest::collection::vec;
    use proptest::prelude::*;

    use super::*;
    use crate::times::{NoSlowdown, Stages, spans};

    /// What a leg leads to: how far on, how often, at once, phase, choice.
    type Parts = Vec<(usize, f64, f64, u8, Option<u16>)>;

    /// A leg: what it crosses and is charged for, what it leads to, whether to the same as the one
    /// before, in turn, in the background.
    type Plan = (Vec<usize>, Vec<(usize, f64)>, Parts, [bool; 3]);

    const PARTS: usize = 12;

    fn plans() -> impl Strategy<Value = Vec<Plan>> {
        let times = || prop_oneof![Just(0.25), Just(1.0), Just(3.0)];
        let next = (0..6_usize, times(), times(), 0..2_u8, proptest::option::of(0..2_u16));
        let charge = (0..PARTS, prop_oneof![Just(0.0), Just(1e6), 1e5..1e7]);
        let flags = [0.5, 0.3, 0.2].map(proptest::bool::weighted);
        vec((vec(0..PARTS, 0..3), vec(charge, 0..3), vec(next, 0..5), flags), 1..24)
    }

    /// Rates that rows serve with from some question on.
    fn questions() -> impl Strategy<Value = Vec<Vec<(u32, f64)>>> {
        let rate = prop_oneof![Just(1e8), Just(f64::INFINITY), 1e7..1e9];
        vec(vec((0..PARTS as u32, rate), 0..4), 1..8)
    }

    fn part(at: usize) -> (Component, Row) {
        let component = Component {
            name: format!("part-{at}"),
            kind: "part",
            parent: None,
            place: None,
            missing: Default::default(),
            rows: vec![RowId(at as u32)],
            latency_s: 1e-3 * at as f64,
            outstanding: None,
            variability: None,
            contention: 0.0,
            empties_on_sync: false,
            removed: false,
        };
        let row = Row {
            component: ComponentId(at as u32),
            property: "both",
            measure: if at % 4 == 3 { Measure::Busy } else { Measure::Bytes },
            direction: Direction::Both,
            crossed: true,
            capacity: 1e8,
            origin: Origin::Given,
            burst: None,
        };
        (component, row)
    }

    fn network(plans: &[Plan]) -> Network {
        let (components, rows) = (0..PARTS).map(part).unzip();
        let mut network = Network { components, rows, ..Network::default() };
        for (at, (crossed, charges, parts, [is_twin, serial, background])) in
            plans.iter().enumerate()
        {
            let ways = crossed.iter().map(|part| {
                let crossed = vec![(ComponentId(*part as u32), false)];
                network.routes.push(Route { crossed, latency_s: 1e-4, optimised: true });
                let route = RouteId(network.routes.len() as u32 - 1);
                Way { route, share: 1.0 / crossed_share(plans, at) }
            });
            let ways = ways.collect();
            let left = plans.len() - at - 1;
            let lead = |&(on, times, at_once, phase, choice): &_| Next {
                leg: LegId((at + 1 + on % left) as u32),
                times,
                at_once,
                phase,
                choice,
                often: 1.0,
            };
            let own = || parts.iter().filter(|_| left > 0).map(lead).collect();
            let before = network.legs.last().filter(|_| *is_twin).map(|leg: &Leg| leg.next.clone());
            let twin = before.filter(|next| next.iter().all(|next| next.leg.0 as usize > at));
            let charge = |&(row, amount): &_| Charge { row: RowId(row as u32), amount };
            network.legs.push(Leg {
                to: ComponentId((at % PARTS) as u32),
                volume: ComponentId((at % PARTS) as u32),
                op: Op::Read,
                bytes: 1_000_000,
                ways,
                charges: charges.iter().map(charge).collect(),
                delay_s: 0.0,
                issue: issued(charges),
                holds: Vec::new(),
                next: twin.unwrap_or_else(own),
                serial: *serial,
                background: *background,
            });
        }
        network
    }

    /// Half of what a leg first spends on a busy row is spent before its parts go out.
    fn issued(charges: &[(usize, f64)]) -> Option<Issue> {
        let (row, amount) = charges.iter().find(|(row, _)| row % 4 == 3)?;
        let prepare_s = amount / 2.0;
        Some(Issue { row: RowId(*row as u32), prepare_s, part_s: 0.0, parts: 1.0 })
    }

    fn crossed_share(plans: &[Plan], at: usize) -> f64 {
        plans[at].0.len() as f64
    }

    /// The slowest of some parts takes half as long again in one phase.
    struct Longer;

    impl Slowdown for Longer {
        fn stretch(&self, _leg: usize, phase: u8) -> f64 {
            1.0 + f64::from(phase) / 2.0
        }
    }

    proptest! {
        #[test]
        fn what_is_looked_at_again_is_as_if_all_were(plans in plans(), asked in questions()) {
            let network = network(&plans);
            let charges = Charges::of(&network);
            let above = Above::of(&network, &charges);
            for slowdown in [&NoSlowdown as &dyn Slowdown, &Longer] {
                let (network, charges, above) = (&network, &charges, &above);
                let fixed = Fixed { network, charges, above, slowdown };
                let mut rates: Vec<f64> = network.rows.iter().map(|row| row.capacity).collect();
                let mut timing = Timing::new(fixed, rates.clone());
                for changed in &asked {
                    timing.serve(fixed, changed.iter().copied());
                    changed.iter().for_each(|(row, rate)| rates[*row as usize] = *rate);
                    let stages = Stages::of(network, charges, &rates);
                    let all = spans(network, &stages, slowdown);
                    prop_assert_eq!(timing.spans(), &all[..]);
                    let slowest: Vec<RowId> = stages.rows_of(&all).collect();
                    for row in 0..PARTS as u32 {
                        prop_assert_eq!(timing.is_slowest(row), slowest.contains(&RowId(row)));
                    }
                }
            }
        }
    }
}
