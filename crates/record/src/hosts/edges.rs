//! All times of the parts on the root's axis, and edges of phases that were agreed on.
//!
//! Ranks change phases at agreed instants, so edges of two ranks that are within the error of their
//! clocks are one: that of the lower rank. An edge that no lower rank has stays where its map puts
//! it. A nearest edge keeps order, so phases still follow one another.

use std::collections::BTreeSet;

use super::OfRank;

/// Puts all parts, which are in the order of ranks, on the root's axis.
pub(super) fn agree(parts: &mut [OfRank]) {
    let mut edges = Edges::default();
    for part in parts {
        edges.bound_ns = part.bound_ns.saturating_add(ROUNDING_NS);
        on_axis(part, &edges);
        let phases = part.record.streams.iter().flat_map(|stream| &stream.phases);
        edges.known.extend(phases.flat_map(|totals| [totals.from_ns, totals.to_ns]));
    }
}

/// Two instants that are the same may be mapped this far apart.
const ROUNDING_NS: u64 = 1;

/// Edges of lower ranks.
#[derive(Default)]
struct Edges {
    known: BTreeSet<u64>,
    bound_ns: u64,
}

impl Edges {
    /// The known edge that an instant is, if there is one within the bound.
    fn settled(&self, at_ns: u64) -> u64 {
        let before = self.known.range(..=at_ns).next_back();
        let after = self.known.range(at_ns..).next();
        let near = before.into_iter().chain(after).min_by_key(|edge| edge.abs_diff(at_ns));
        near.copied().filter(|edge| edge.abs_diff(at_ns) <= self.bound_ns).unwrap_or(at_ns)
    }
}

fn on_axis(part: &mut OfRank, edges: &Edges) {
    let (axis, record) = (part.axis, &mut part.record);
    record.instants_ns.iter_mut().for_each(|at| *at = axis.map(*at));
    for stream in &mut record.streams {
        for at in [&mut stream.first_issue_ns, &mut stream.first_done_ns, &mut stream.last_done_ns]
        {
            *at = axis.map(*at);
        }
        for totals in &mut stream.phases {
            for at in [&mut totals.from_ns, &mut totals.to_ns] {
                *at = edges.settled(axis.map(*at));
            }
        }
    }
    for event in &mut record.events {
        event.at_ns = edges.settled(axis.map(event.at_ns));
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn an_edge_within_the_bound_is_that_of_the_lower_rank() {
        let edges = Edges { known: BTreeSet::from([100, 200]), bound_ns: 10 };
        for (at, settled) in [(100, 100), (95, 100), (110, 100), (111, 111), (194, 200), (0, 0)] {
            assert_eq!(edges.settled(at), settled, "{at}");
        }
    }
}
