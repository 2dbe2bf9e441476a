//! Network to linear program: what flows over the legs.
//!
//! A column is free: requests per second of a stream, of one way of several, of one alternative of
//! a choice. What follows from one column alone is no column of its own but that column times a
//! factor; where several meet, their sum is a column with a balance.
//!
//! The alternatives of a choice keep the number of requests and their bytes, summed over them: a
//! request may hit another member than the layout says, but it is no smaller for that.

use std::collections::BTreeMap;

use iopath_path::{Charge, Leg, LegId, Network, Next, RowId};
use iopath_units::Op;

use super::program::{Program, Relation};

/// The program of a network, and where to find things in it.
pub(super) struct Flows {
    pub program: Program,
    /// The column of each stream: its requests per second.
    pub streams: Vec<u32>,
    /// The rows of the network that something uses, with their positions in the program.
    pub rows: Vec<(RowId, u32)>,
}

/// So many times a column.
#[derive(Clone, Copy)]
struct Term {
    column: u32,
    factor: f64,
}

impl Term {
    fn times(self, factor: f64) -> Self {
        Self { factor: self.factor * factor, ..self }
    }
}

struct Builder<'a> {
    network: &'a Network,
    program: Program,
    /// The position of each row of the network in the program, once something uses it.
    rows: Vec<Option<u32>>,
    /// What comes in at each leg.
    incoming: Vec<Vec<Term>>,
}

impl Flows {
    pub(super) fn of(network: &Network) -> Self {
        let mut builder = Builder {
            network,
            program: Program::default(),
            rows: vec![None; network.rows.len()],
            incoming: vec![Vec::new(); network.legs.len()],
        };
        let streams = builder.add_streams();
        for (position, leg) in network.legs.iter().enumerate() {
            if let Some(visits) = builder.visits(position) {
                builder.add_leg(leg, visits);
            }
        }
        let rows = builder.rows.iter().zip(0..);
        let rows = rows.filter_map(|(position, row)| Some((RowId(row), (*position)?))).collect();
        Self { program: builder.program.tidied(), streams, rows }
    }
}

impl Builder<'_> {
    fn add_streams(&mut self) -> Vec<u32> {
        let mut columns = Vec::new();
        for stream in &self.network.streams {
            let column = self.program.add_column(stream.bytes);
            // What its thread has time for; without end where it spends none.
            let most = stream.thread_s.recip().min(stream.wants_per_sec.unwrap_or(f64::INFINITY));
            if most.is_finite() {
                let row = self.program.add_row(Relation::AtMost(most));
                self.program.add(row, column, 1.0);
            }
            for &(leg, share) in &stream.roots {
                self.arrive(leg, Term { column, factor: share });
            }
            columns.push(column);
        }
        columns
    }

    fn arrive(&mut self, leg: LegId, term: Term) {
        if term.factor > 0.0 {
            self.incoming[leg.0 as usize].push(term);
        }
    }

    /// How often a leg is taken; nothing where it never is.
    fn visits(&mut self, leg: usize) -> Option<Term> {
        let mut terms = std::mem::take(&mut self.incoming[leg]);
        terms.sort_by_key(|term| term.column);
        terms.dedup_by(|later, first| {
            let same = later.column == first.column;
            if same {
                first.factor += later.factor;
            }
            same
        });
        match terms[..] {
            [] => None,
            [only] => Some(only),
            _ => Some(self.total(&terms)),
        }
    }

    /// A column that is the sum of terms.
    fn total(&mut self, terms: &[Term]) -> Term {
        let total = Term { column: self.program.add_column(0.0), factor: 1.0 };
        self.balance(terms, total);
        total
    }

    /// Makes the sum of terms equal to another.
    fn balance(&mut self, terms: &[Term], total: Term) {
        let row = self.program.add_row(Relation::Balanced);
        for term in terms {
            self.program.add(row, term.column, term.factor);
        }
        self.program.add(row, total.column, -total.factor);
    }

    fn add_leg(&mut self, leg: &Leg, visits: Term) {
        for &charge in &leg.charges {
            self.charge(charge, visits);
        }
        self.add_ways(leg, visits);
        let mut choices: BTreeMap<(u16, u8, Op), Vec<Next>> = BTreeMap::new();
        for &next in &leg.next {
            match next.choice {
                Some(choice) => {
                    let op = self.network.leg(next.leg).op;
                    choices.entry((choice, next.phase, op)).or_default().push(next);
                }
                None => self.arrive(next.leg, visits.times(next.times)),
            }
        }
        for alternatives in choices.values() {
            self.add_choice(alternatives, visits);
        }
    }

    fn add_ways(&mut self, leg: &Leg, visits: Term) {
        let network = self.network;
        let flows = match leg.ways[..] {
            [_] => vec![visits],
            _ => self.shares(leg.ways.len(), visits),
        };
        for (way, &flow) in leg.ways.iter().zip(&flows) {
            for charge in network.crossing(way.route, leg.op, leg.bytes) {
                self.charge(charge, flow);
            }
        }
    }

    /// So many columns whose sum is a given one.
    fn shares(&mut self, count: usize, total: Term) -> Vec<Term> {
        let column = |_| Term { column: self.program.add_column(0.0), factor: 1.0 };
        let shares: Vec<Term> = (0..count).map(column).collect();
        if !shares.is_empty() {
            self.balance(&shares, total);
        }
        shares
    }

    fn add_choice(&mut self, alternatives: &[Next], visits: Term) {
        let times: f64 = alternatives.iter().map(|next| next.times).sum();
        if let [only] = alternatives {
            return self.arrive(only.leg, visits.times(only.times));
        }
        let network = self.network;
        let bytes_of = |next: &Next| network.leg(next.leg).bytes as f64;
        let flows = self.shares(alternatives.len(), visits.times(times));
        let first = bytes_of(&alternatives[0]);
        if alternatives.iter().any(|next| bytes_of(next) != first) {
            let bytes = alternatives.iter().map(|next| next.times * bytes_of(next)).sum();
            let parts = alternatives.iter().zip(&flows);
            let parts: Vec<Term> = parts.map(|(next, flow)| flow.times(bytes_of(next))).collect();
            self.balance(&parts, visits.times(bytes));
        }
        for (next, flow) in alternatives.iter().zip(flows) {
            self.arrive(next.leg, flow);
        }
    }

    fn charge(&mut self, charge: Charge, flow: Term) {
        let capacity = self.network.row(charge.row).capacity;
        if charge.amount == 0.0 || capacity.is_infinite() {
            return;
        }
        let program = &mut self.program;
        let row = *self.rows[charge.row.0 as usize]
            .get_or_insert_with(|| program.add_row(Relation::AtMost(capacity)));
        program.add(row, flow.column, flow.factor * charge.amount);
    }
}
