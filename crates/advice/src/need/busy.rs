//! How many components what is needed keeps busy, and whether those that there are could carry it.

use iopath_units::OperationRate;

use super::{ENOUGH, Needs};

/// Requests of streams that demand the same.
#[derive(Clone, Debug, PartialEq)]
pub struct Requests {
    /// Bytes that one reads and writes.
    pub bytes: [f64; 2],
    /// Of each limit of components, how many of these one a second keeps busy.
    pub busy: Vec<f64>,
    /// How many a second there are at most.
    pub most: f64,
}

/// One thing that is needed.
struct Amount {
    needed: f64,
    /// What one request brings of it.
    each: f64,
}

impl Needs {
    /// Of each limit, how many components are busy at least with what is needed, whichever of these
    /// requests carry it.
    #[must_use]
    pub fn busy(&self, all: &[Requests]) -> Vec<f64> {
        let of_need = |limit: usize, need: usize| {
            let busy = all.iter().filter_map(|one| {
                let Amount { needed, each } = self.amounts(one.bytes)[need];
                (each > 0.0).then(|| needed / each * one.busy[limit])
            });
            busy.reduce(f64::min).unwrap_or_default()
        };
        let most = |limit| (0..NEEDS).map(|need| of_need(limit, need)).fold(0.0, f64::max);
        (0..all.first().map_or(0, |one| one.busy.len())).map(most).collect()
    }

    /// Whether requests could carry all that is needed, each thing alone, if they shared these
    /// numbers of components as is best for it. No is certain, yes is not.
    #[must_use]
    pub fn could_be_carried(&self, all: &[Requests], there: &[f64]) -> bool {
        (0..NEEDS).all(|need| self.could_alone(need, all, there))
    }

    fn could_alone(&self, need: usize, all: &[Requests], there: &[f64]) -> bool {
        let needed = ENOUGH * self.amounts([0.0; 2])[need].needed;
        if needed == 0.0 {
            return true;
        }
        let kinds = |busy: &dyn Fn(&Requests) -> f64| -> Vec<Kind> {
            let kind = |one: &Requests| {
                let Amount { each, .. } = self.amounts(one.bytes)[need];
                Kind { each, busy: busy(one), most: one.most }
            };
            all.iter().map(kind).filter(|kind| kind.each > 0.0).collect()
        };
        let of_limit = |(limit, there): (usize, &f64)| {
            most_of(kinds(&|one| one.busy[limit]), *there) >= needed
        };
        most_of(kinds(&|_| 0.0), 0.0) >= needed && there.iter().enumerate().all(of_limit)
    }

    /// Everything that a load brings.
    fn amounts(&self, [read, write]: [f64; 2]) -> [Amount; NEEDS] {
        let throughput = self.throughput.map_or(0.0, |rate| rate.0 as f64);
        let all_bytes = throughput.max(self.of_all_streams().unwrap_or_default());
        [
            (self.read.map_or(0.0, |rate| rate.0 as f64), read),
            (self.write.map_or(0.0, |rate| rate.0 as f64), write),
            (all_bytes, read + write),
            (self.iops.map_or(0.0, OperationRate::per_sec), 1.0),
        ]
        .map(|(needed, each)| Amount { needed, each })
    }
}

/// Reads, writes, bytes of both, requests.
const NEEDS: usize = 4;

/// Requests as one limit has them: what each brings of one thing, what it keeps busy, and how many
/// there are at most.
struct Kind {
    each: f64,
    busy: f64,
    most: f64,
}

/// The most that requests bring together where there are so many components. Those that bring most
/// for what they keep busy go first (continuous knapsack; Dantzig, Operations Research 5, 1957).
fn most_of(mut kinds: Vec<Kind>, there: f64) -> f64 {
    let worth = |kind: &Kind| match kind.busy > 0.0 {
        true => kind.each / kind.busy,
        false => f64::INFINITY,
    };
    kinds.sort_by(|one, other| worth(other).total_cmp(&worth(one)));
    let mut left = there;
    let of = |kind: &Kind| {
        if kind.busy == 0.0 {
            return kind.each * kind.most;
        }
        let rate = kind.most.min(left / kind.busy);
        left -= rate * kind.busy;
        kind.each * rate
    };
    kinds.iter().map(of).sum()
}
