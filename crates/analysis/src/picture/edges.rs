//! Who hands on to whom: boxes that relations or containment join, between tiers.
//!
//! What stands on the way of the data without a relation (models tell of ends, not of ways) is
//! joined to the tiers beside it: all that nobody knows better of, together. A relation that leaps
//! over tiers is only drawn where one of its ends has no other way.

use std::collections::{BTreeMap, BTreeSet};

use iopath_record::EntityId;

use super::fold::Folded;
use super::{Edge, PathBox, Tier};
use crate::usage::pass::Pass;

/// From a box to one in a tier further down.
type Link = (usize, usize);

pub(super) fn all(
    pass: &Pass<'_>,
    tiers: &[Tier],
    folded: &[Folded<'_>],
    boxes: &[PathBox],
) -> Vec<Edge> {
    let mut tier_of = vec![None; boxes.len()];
    for (at, tier) in tiers.iter().enumerate().filter(|(_, tier)| !tier.is_beside) {
        tier.boxes.iter().for_each(|one| tier_of[*one] = Some(at));
    }
    let is_on_path =
        |at: &usize| boxes[*at].bytes_per_sec.or(boxes[*at].operations_per_sec).is_some();
    let known = Known::of(pass, folded);
    let leap = |(upper, lower): &Link| Some(tier_of[*lower]? - tier_of[*upper]?);
    let links = known.links(&tier_of);
    let mut drawn: BTreeSet<Link> =
        links.iter().copied().filter(|link| leap(link) == Some(1)).collect();
    let on_way: Vec<Vec<usize>> = tiers
        .iter()
        .filter(|tier| !tier.is_beside)
        .map(|tier| tier.boxes.iter().copied().filter(is_on_path).collect())
        .collect();
    for pair in on_way.windows(2) {
        drawn.extend(unknown(&drawn, &known, (&pair[0], &pair[1])));
    }
    let mut leaps: Vec<Link> =
        links.into_iter().filter(|link| leap(link).is_some_and(|tiers| tiers > 1)).collect();
    leaps.sort_by_key(|link| (leap(link), *link));
    for link in leaps {
        let is_alone = !drawn.iter().any(|other| other.0 == link.0)
            || !drawn.iter().any(|other| other.1 == link.1);
        if is_alone && is_on_path(&link.0) && is_on_path(&link.1) {
            drawn.insert(link);
        }
    }
    joined(&drawn, &tier_of, boxes)
}

/// Between two tiers all that nobody knows better of, where some of it is on the way without a
/// relation.
fn unknown(drawn: &BTreeSet<Link>, known: &Known, pair: (&[usize], &[usize])) -> Vec<Link> {
    let without_lower = |at: &&usize| !drawn.iter().any(|link| link.0 == **at);
    let without_upper = |at: &&usize| !drawn.iter().any(|link| link.1 == **at);
    let uppers: Vec<&usize> = pair.0.iter().filter(without_lower).collect();
    let lowers: Vec<&usize> = pair.1.iter().filter(without_upper).collect();
    let mut ends = uppers.iter().chain(&lowers);
    match ends.any(|at| !known.is_related[**at]) {
        true => uppers.iter().flat_map(|u| lowers.iter().map(|l| (**u, **l))).collect(),
        false => Vec::new(),
    }
}

/// What a record tells of the ways between boxes.
struct Known {
    links: BTreeSet<Link>,
    /// Whether a box is an end of a relation, and not only a carrier of devices.
    is_related: Vec<bool>,
}

impl Known {
    fn of(pass: &Pass<'_>, folded: &[Folded<'_>]) -> Self {
        let entities = &pass.record.entities;
        let mut box_of: BTreeMap<EntityId, usize> = BTreeMap::new();
        for (at, one) in folded.iter().enumerate() {
            box_of.extend(one.members.iter().map(|(id, _)| (*id, at)));
        }
        let mut known = Self { links: BTreeSet::new(), is_related: vec![false; folded.len()] };
        let mut below: BTreeMap<EntityId, Vec<EntityId>> = BTreeMap::new();
        for relation in &pass.record.relations {
            below.entry(relation.upper).or_default().extend(&relation.lower);
        }
        let ways = Ways { pass, box_of: &box_of, below };
        for relation in &pass.record.relations {
            let is_carrier = pass.counters.carriers.contains(&relation.upper);
            let Some(upper) = ways.own(relation.upper) else { continue };
            known.is_related[upper] |= !is_carrier;
            for lower in relation.lower.iter().flat_map(|lower| ways.shown(*lower)) {
                known.is_related[lower] = true;
                known.links.insert((upper, lower));
            }
        }
        for (id, at) in &box_of {
            let parent = entities[id.0 as usize].parent;
            known.links.extend(parent.and_then(|id| Some((*box_of.get(&id)?, *at))));
        }
        known
    }

    /// All links from the upper tier to the lower.
    fn links(&self, tier_of: &[Option<usize>]) -> BTreeSet<Link> {
        let directed = |(one, other): &Link| match (tier_of[*one]?, tier_of[*other]?) {
            (a, b) if a < b => Some((*one, *other)),
            (a, b) if a > b => Some((*other, *one)),
            _ => None,
        };
        self.links.iter().filter_map(directed).collect()
    }
}

/// From entities to what is drawn of them.
struct Ways<'a> {
    pass: &'a Pass<'a>,
    box_of: &'a BTreeMap<EntityId, usize>,
    /// Where the traffic of each entity goes.
    below: BTreeMap<EntityId, Vec<EntityId>>,
}

impl Ways<'_> {
    /// The box of an entity; what is not drawn is told of by what contains it, a partition by its
    /// disk.
    fn own(&self, id: EntityId) -> Option<usize> {
        let above = || self.pass.record.entities.get(id.0 as usize)?.parent;
        self.box_of.get(&id).or_else(|| self.box_of.get(&above()?)).copied()
    }

    /// The boxes of an entity; of what is not drawn those that its traffic goes to.
    fn shown(&self, id: EntityId) -> BTreeSet<usize> {
        let mut found = BTreeSet::new();
        let mut open = BTreeSet::from([id]);
        for _ in 0..HIDDEN {
            found.extend(open.iter().filter_map(|id| self.own(*id)));
            let hidden = open.iter().filter(|id| self.own(**id).is_none());
            let next = hidden.filter_map(|id| self.below.get(id)).flatten().copied();
            open = next.collect();
        }
        found
    }
}

/// Longest way through what is not drawn: chosen, no path is as deep.
const HIDDEN: usize = 8;

/// Boxes above and below that are one joint, between two tiers.
struct EdgeEnds {
    tiers: [Option<usize>; 2],
    uppers: BTreeSet<usize>,
    lowers: BTreeSet<usize>,
}

/// Edges between the same two tiers that share an end are one joint.
fn joined(drawn: &BTreeSet<Link>, tier_of: &[Option<usize>], boxes: &[PathBox]) -> Vec<Edge> {
    let mut all: Vec<EdgeEnds> = Vec::new();
    for (upper, lower) in drawn {
        let tiers = [tier_of[*upper], tier_of[*lower]];
        let mut ends =
            EdgeEnds { tiers, uppers: BTreeSet::from([*upper]), lowers: BTreeSet::from([*lower]) };
        all.retain(|one| {
            let shares = one.uppers.contains(upper) || one.lowers.contains(lower);
            let meets = one.tiers == tiers && shares;
            if meets {
                ends.uppers.extend(&one.uppers);
                ends.lowers.extend(&one.lowers);
            }
            !meets
        });
        all.push(ends);
    }
    all.sort_by_key(|one| (one.tiers, one.uppers.first().copied()));
    let total = |ends: &BTreeSet<usize>| {
        let each = ends.iter().map(|at| boxes[*at].bytes_per_sec);
        each.fold(None, crate::usage::sum)
    };
    let edge = |EdgeEnds { uppers, lowers, .. }: EdgeEnds| Edge {
        upper_bytes_per_sec: total(&uppers),
        lower_bytes_per_sec: total(&lowers),
        uppers: uppers.into_iter().collect(),
        lowers: lowers.into_iter().collect(),
    };
    all.into_iter().map(edge).collect()
}
