//! What requests demand of a build's components, and what follows for what is needed: how many
//! components it keeps busy, and whether streams that compete could carry it between them.
//!
//! Left out: streams that demand the same in all, of different instances, count as one kind.

use iopath_advice::{Busy, Needs, Requests};
use iopath_analytic::{Limit, occupancies};
use iopath_path::Network;
use iopath_study::{Case, Item};

/// Of one build.
pub(super) struct Demands {
    limits: Vec<Limit>,
    /// How many components there are, by limit.
    there: Vec<f64>,
    /// By kind of requests.
    requests: Vec<Requests>,
}

/// Requests that differ by less are of one kind: sums over components in binary fractions.
const EQUAL: f64 = 1e-9;

impl Demands {
    pub(super) fn of(case: &Case, network: &Network) -> Self {
        let all = occupancies(case, network);
        let mut requests: Vec<Requests> = Vec::new();
        for one in all.classes {
            let own = Requests { bytes: one.bytes, busy: one.busy, most: one.most };
            match requests.iter_mut().find(|known| is_one_kind(known, &own)) {
                Some(known) => known.most += own.most,
                None => requests.push(own),
            }
        }
        Self { limits: all.limits, there: all.there, requests }
    }

    /// How many of which items are busy with what is needed at least. Limits are numbered in
    /// `known`, which other builds use, too.
    pub(super) fn busy(&self, needs: &Needs, items: &[Item], known: &mut Vec<Limit>) -> Vec<Busy> {
        let all = self.limits.iter().zip(needs.busy(&self.requests)).enumerate();
        let of = |(at, (limit, least)): (usize, (&Limit, f64))| {
            let component = items.iter().position(|item| item.name == limit.of)?;
            let numbered = known.iter().position(|known| known == limit);
            let limit = numbered.unwrap_or_else(|| {
                known.push(limit.clone());
                known.len() - 1
            });
            let demands =
                self.requests.iter().flat_map(|one| [one.busy[at], one.bytes[0], one.bytes[1]]);
            Some(Busy { component, limit, least, demands: demands.collect() })
        };
        all.filter_map(of).collect()
    }

    /// Whether streams of several kinds compete, and could carry what is needed if they shared
    /// otherwise. With less of something, they may.
    pub(super) fn could_share(&self, needs: &Needs) -> bool {
        self.requests.len() > 1 && needs.could_be_carried(&self.requests, &self.there)
    }
}

fn is_one_kind(one: &Requests, other: &Requests) -> bool {
    let equal =
        |(one, other): (&f64, &f64)| (one - other).abs() <= EQUAL * one.abs().max(other.abs());
    one.bytes.iter().chain(&one.busy).zip(other.bytes.iter().chain(&other.busy)).all(equal)
}
