//! All times of the parts on the root's axis, and edges of phases that were agreed on.
//!
//! Ranks change phases at agreed instants, so edges of two ranks that are within the error of their
//! clocks are one: that of the lower rank, of the same phase where it has that phase. An edge that
//! no lower rank has stays where its map puts it. Phases still follow one another.

use std::collections::{BTreeMap, BTreeSet};

use super::{AxisMap, OfRank};
use crate::{Phase, PhaseTotals, StreamTotals};

/// Puts all parts, which are in the order of ranks, on the root's axis.
pub(super) fn agree(parts: &mut [OfRank]) {
    let mut edges = Edges::default();
    for part in parts {
        edges.bound_ns = part.bound_ns.saturating_add(ROUNDING_NS);
        on_axis(part, &edges);
        edges.learn(&part.record.streams);
    }
}

/// Two instants that are the same may be mapped this far apart.
const ROUNDING_NS: u64 = 1;

/// Which edge of a phase.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
enum Edge {
    Begin,
    End,
}

/// Edges of lower ranks.
#[derive(Default)]
struct Edges {
    all: BTreeSet<u64>,
    of_phases: BTreeMap<(Phase, Edge), BTreeSet<u64>>,
    bound_ns: u64,
}

impl Edges {
    fn learn(&mut self, streams: &[StreamTotals]) {
        for totals in streams.iter().flat_map(|stream| &stream.phases) {
            for (edge, at_ns) in [(Edge::Begin, totals.from_ns), (Edge::End, totals.to_ns)] {
                self.all.insert(at_ns);
                self.of_phases.entry((totals.phase, edge)).or_default().insert(at_ns);
            }
        }
    }

    /// The known edge that an instant is, if there is one within the bound.
    fn settled(&self, at_ns: u64) -> u64 {
        self.nearest(&self.all, at_ns).unwrap_or(at_ns)
    }

    fn settled_of(&self, phase: Phase, edge: Edge, at_ns: u64) -> u64 {
        let own = self.of_phases.get(&(phase, edge));
        let own = own.and_then(|known| self.nearest(known, at_ns));
        own.unwrap_or_else(|| self.settled(at_ns))
    }

    fn nearest(&self, known: &BTreeSet<u64>, at_ns: u64) -> Option<u64> {
        let before = known.range(..=at_ns).next_back();
        let after = known.range(at_ns..).next();
        let near = before.into_iter().chain(after).min_by_key(|edge| edge.abs_diff(at_ns));
        near.copied().filter(|edge| edge.abs_diff(at_ns) <= self.bound_ns)
    }
}

fn on_axis(part: &mut OfRank, edges: &Edges) {
    let (axis, record) = (part.axis, &mut part.record);
    record.instants_ns.iter_mut().for_each(|at| *at = axis.map(*at));
    for stream in &mut record.streams {
        let times =
            [&mut stream.first_issue_ns, &mut stream.first_done_ns, &mut stream.last_done_ns];
        times.into_iter().for_each(|at| *at = axis.map(*at));
        settle(&mut stream.phases, axis, edges);
    }
    for event in &mut record.events {
        event.at_ns = edges.settled(axis.map(event.at_ns));
    }
}

/// Phases that are shorter than the bound may settle on one edge, but not before the one before.
fn settle(phases: &mut [PhaseTotals], axis: AxisMap, edges: &Edges) {
    let mut end = 0;
    for totals in phases {
        let [from, to] = [totals.from_ns, totals.to_ns].map(|at| axis.map(at));
        totals.from_ns = edges.settled_of(totals.phase, Edge::Begin, from).max(end);
        totals.to_ns = edges.settled_of(totals.phase, Edge::End, to).max(totals.from_ns);
        end = totals.to_ns;
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn phase(phase: Phase, from_ns: u64, to_ns: u64) -> PhaseTotals {
        PhaseTotals { phase, from_ns, to_ns, ..PhaseTotals::default() }
    }

    fn settled(mut phases: Vec<PhaseTotals>) -> Vec<[u64; 2]> {
        let mut edges = Edges { bound_ns: 10, ..Edges::default() };
        let root = vec![phase(Phase::Window, 100, 1_000), phase(Phase::Tail, 1_000, 1_003)];
        edges.learn(&[StreamTotals {
            entity: crate::EntityId(0),
            action: iopath_units::Action::Transfer,
            first_issue_ns: 0,
            first_done_ns: 0,
            last_done_ns: 0,
            phases: root,
        }]);
        settle(&mut phases, AxisMap::default(), &edges);
        phases.iter().map(|one| [one.from_ns, one.to_ns]).collect()
    }

    #[test]
    fn an_edge_within_the_bound_is_that_of_the_lower_rank() {
        use Phase::{Drain, Tail, Window};
        let near = vec![phase(Window, 104, 999), phase(Tail, 999, 1_001)];
        assert_eq!(settled(near), [[100, 1_000], [1_000, 1_003]]);
        let far = vec![phase(Window, 111, 980), phase(Tail, 980, 1_020)];
        assert_eq!(settled(far), [[111, 980], [980, 1_020]]);
        let other = vec![phase(Window, 100, 998), phase(Drain, 998, 1_002)];
        assert_eq!(settled(other), [[100, 1_000], [1_000, 1_003]]);
    }
}
