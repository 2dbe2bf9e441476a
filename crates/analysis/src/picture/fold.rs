//! Things that are alike as one box, and at most as many boxes as a picture holds.
//!
//! Alike are things of one tier and kind that are called alike, can do the same, and do the same
//! within what counts as even elsewhere: rates within [`EVEN_RATIO`], times of a request
//! within [`SLOW_RATIO`].

use std::collections::BTreeMap;

use iopath_record::{EntityId, Kind};

use super::used::Used;
use super::{BoxName, MeanRange, Member, PathBox, Tier, entity};
use crate::groups::groups;
use crate::judges::balance::stem;
use crate::prediction::{LimitFinding, Names};
use crate::thresholds::groups::{EVEN_RATIO, SLOW_RATIO};
use crate::usage::pass::Pass;
use crate::usage::place::{Place, Rank, counts_twice};
use crate::usage::sum;

/// Boxes that a picture holds: chosen, what a page shows without scrolling.
const MOST: usize = 40;

/// Boxes of a tier, the first that fits being taken: chosen.
const WIDEST: [usize; 3] = [5, 4, 3];

/// Things up to which each has its own box where their names have no index in brackets: chosen,
/// the kernel's disks are known by their names.
const FEW: usize = 4;

/// Groups of a family that a thing is compared with, the latest ones: chosen, so that thousands of
/// things that all differ are folded in time.
const COMPARED: usize = 8;

/// What a box stands for.
pub(super) struct Folded<'a> {
    place: Place,
    pub members: Vec<(EntityId, &'a Used)>,
    is_limit: bool,
    is_rest: bool,
}

/// What makes things a family: tier, kind, name, limits, whether they are the limit.
type Family = (Place, Kind, String, Vec<LimitFinding>, bool);

/// Tiers, and the boxes that stand in them.
pub(super) fn fold<'a>(
    pass: &Pass<'_>,
    names: &Names<'_>,
    (used, placed): (&'a [Used], &[Option<Place>]),
    limit: Option<&str>,
) -> (Vec<Tier>, Vec<Folded<'a>>) {
    let mut idle: BTreeMap<Place, u64> = BTreeMap::new();
    let mut families: BTreeMap<Family, Vec<(EntityId, &Used)>> = BTreeMap::new();
    let is_limit = |id| limit.is_some_and(|limit| names.covers(limit, id));
    let mut working = (0u32..).map(EntityId).zip(used).filter(|(_, one)| one.is_any());
    let none_works = !working.any(|(id, _)| is_limit(id));
    for (at, place) in placed.iter().enumerate() {
        let (Some(place), id) = (*place, EntityId(at as u32)) else { continue };
        let one = entity(pass, id);
        let is_limit = is_limit(id);
        // What did nothing held nothing back, though its name be that of those that did.
        let is_shown = used[at].is_any() || (is_limit && none_works);
        if !is_shown {
            *idle.entry(place).or_default() += u64::from(one.count);
            continue;
        }
        let rated = one.limits.iter().map(LimitFinding::of).collect();
        let family = (place, one.kind.clone(), family(names, id, &one.name), rated, is_limit);
        families.entry(family).or_default().push((id, &used[at]));
    }
    let mut boxes: Vec<Folded<'a>> = Vec::new();
    for ((place, _, _, _, is_limit), members) in families {
        for members in alike(members).into_iter().flat_map(|group| few(pass, names, group)) {
            boxes.push(Folded { place, members, is_limit, is_rest: false });
        }
    }
    boxes.sort_by_key(|one| (one.place, one.members.iter().map(|(id, _)| *id).min()));
    let boxes = capped(boxes);
    (tiers(&boxes, &idle), boxes)
}

/// What members of a family are called: without indices, of the kernel's names without letters and
/// numbers that count.
fn family(names: &Names<'_>, id: EntityId, name: &str) -> String {
    let (pattern, _) = names.pattern(id);
    if pattern.contains("[]") { pattern.to_owned() } else { stem(name).to_owned() }
}

/// A family cut into those that do the same; the busiest stand first.
fn alike(mut all: Vec<(EntityId, &Used)>) -> Vec<Vec<(EntityId, &Used)>> {
    let order = |used: &Used| (share(used), used.bytes().unwrap_or_default());
    all.sort_by(|(a, one), (b, other)| {
        let ((mine, my_bytes), (theirs, their_bytes)) = (order(one), order(other));
        theirs.total_cmp(&mine).then(their_bytes.total_cmp(&my_bytes)).then(a.cmp(b))
    });
    groups(all, COMPARED, |(_, first), (_, used)| is_like(first, used))
}

fn share(used: &Used) -> f64 {
    used.utilisation.unwrap_or_default()
}

fn is_like(one: &Used, other: &Used) -> bool {
    let within = |a: Option<f64>, b: Option<f64>, ratio: f64| {
        let (a, b) = (a.unwrap_or_default(), b.unwrap_or_default());
        a.max(b) <= a.min(b) * ratio
    };
    let time = |used: &Used| used.usage.transfers.ns_mean;
    within(one.utilisation, other.utilisation, EVEN_RATIO)
        && within(one.bytes(), other.bytes(), EVEN_RATIO)
        && within(time(one), time(other), SLOW_RATIO)
}

/// A few things that are known by their own names stay apart.
fn few<'a>(
    pass: &Pass<'_>,
    names: &Names<'_>,
    group: Vec<(EntityId, &'a Used)>,
) -> Vec<Vec<(EntityId, &'a Used)>> {
    let pattern = names.pattern(group[0].0).0;
    let is_one_name = group.iter().all(|(id, _)| names.pattern(*id).0 == pattern);
    let has_classes = group.iter().any(|(id, _)| entity(pass, *id).count > 1);
    if is_one_name || has_classes || group.len() > FEW {
        return vec![group];
    }
    group.into_iter().map(|one| vec![one]).collect()
}

/// At most as many boxes as there is room for: the rest of each tier is one.
fn capped(boxes: Vec<Folded<'_>>) -> Vec<Folded<'_>> {
    let mut sizes: BTreeMap<Place, usize> = BTreeMap::new();
    for one in &boxes {
        *sizes.entry(one.place).or_default() += 1;
    }
    let total = |widest: usize| sizes.values().map(|size| (*size).min(widest)).sum::<usize>();
    let widest = WIDEST.into_iter().find(|widest| total(*widest) <= MOST);
    let widest = widest.unwrap_or(WIDEST[WIDEST.len() - 1]);
    let mut tiers: BTreeMap<Place, Vec<Folded<'_>>> = BTreeMap::new();
    for one in boxes {
        tiers.entry(one.place).or_default().push(one);
    }
    tiers.into_values().flat_map(|tier| narrowed(tier, widest)).collect()
}

/// The limit, what takes longest and the busiest of a tier; all others are its last box.
fn narrowed(tier: Vec<Folded<'_>>, widest: usize) -> Vec<Folded<'_>> {
    if tier.len() <= widest {
        return tier;
    }
    let slowness = |one: &Folded<'_>| {
        one.range(|used| used.usage.transfers.ns_mean).map_or(0.0, |time| time.most)
    };
    let slowest =
        (0..tier.len()).max_by(|a, b| slowness(&tier[*a]).total_cmp(&slowness(&tier[*b])));
    let mut order: Vec<usize> = (0..tier.len()).collect();
    let rank = |at: usize| (!tier[at].is_limit, Some(at) != slowest);
    let use_of = |at: usize| {
        let one = &tier[at];
        let most = one.range(|used| used.utilisation).map_or(0.0, |range| range.most);
        (most, one.total(Used::bytes).unwrap_or_default())
    };
    order.sort_by(|a, b| {
        let ((most, bytes), (other, others)) = (use_of(*a), use_of(*b));
        let busier = other.total_cmp(&most).then(others.total_cmp(&bytes));
        rank(*a).cmp(&rank(*b)).then(busier).then(a.cmp(b))
    });
    let kept: Vec<usize> = order[..widest - 1].to_vec();
    let place = tier[0].place;
    let mut rest = Folded { place, members: Vec::new(), is_limit: false, is_rest: true };
    let mut all = Vec::with_capacity(widest);
    for (at, one) in tier.into_iter().enumerate() {
        if kept.contains(&at) {
            all.push(one);
        } else {
            rest.is_limit |= one.is_limit;
            rest.members.extend(one.members);
        }
    }
    all.push(rest);
    all
}

fn tiers(boxes: &[Folded<'_>], idle: &BTreeMap<Place, u64>) -> Vec<Tier> {
    let mut tiers: BTreeMap<Place, Tier> = BTreeMap::new();
    for (at, one) in boxes.iter().enumerate() {
        let tier = tiers.entry(one.place).or_insert_with(|| Tier {
            boxes: Vec::new(),
            is_beside: one.place.rank == Rank::Beside,
            idle: idle.get(&one.place).copied().unwrap_or_default(),
        });
        tier.boxes.push(at);
    }
    tiers.into_values().collect()
}

impl Folded<'_> {
    /// The sum over all; none where nobody counted.
    fn total(&self, of: impl Fn(&Used) -> Option<f64>) -> Option<f64> {
        self.members.iter().map(|(_, used)| of(used)).fold(None, sum)
    }

    fn range(&self, of: impl Fn(&Used) -> Option<f64>) -> Option<MeanRange> {
        let known: Vec<f64> = self.members.iter().filter_map(|(_, used)| of(used)).collect();
        let least = known.iter().copied().reduce(f64::min)?;
        let most = known.iter().copied().reduce(f64::max)?;
        Some(MeanRange { least, mean: known.iter().sum::<f64>() / known.len() as f64, most })
    }

    /// As it is drawn.
    pub(super) fn boxed(&self, pass: &Pass<'_>, names: &Names<'_>) -> PathBox {
        let fuller =
            |a: &&(EntityId, &Used), b: &&(EntityId, &Used)| share(a.1).total_cmp(&share(b.1));
        let (fullest, used) = self.members.iter().rev().max_by(fuller).expect("no box is empty");
        let one = entity(pass, *fullest);
        let count = self.members.iter().map(|(id, _)| u64::from(entity(pass, *id).count)).sum();
        let counts_twice = counts_twice(self.place);
        let once = |of: fn(&Used) -> Option<f64>| {
            self.total(of).map(|bytes| bytes / super::times_counted(counts_twice))
        };
        let kinds_differ = self.members.iter().any(|(id, _)| entity(pass, *id).kind != one.kind);
        PathBox {
            name: self.name(pass, names),
            kind: if kinds_differ { "several".to_owned() } else { one.kind.to_string() },
            layer: one.layer,
            count,
            utilisation: self.range(|used| used.utilisation),
            is_of_time: used.is_of_time,
            read_bytes_per_sec: once(|used| used.usage.read.bytes_per_sec),
            write_bytes_per_sec: once(|used| used.usage.write.bytes_per_sec),
            bytes_per_sec: once(Used::bytes),
            counts_twice,
            operations_per_sec: self.total(|used| used.usage.transfers.operations_per_sec),
            in_flight_mean: self.total(|used| used.usage.in_flight_mean),
            time_ns: self.range(|used| used.usage.transfers.ns_mean),
            limits: used.limits.clone(),
            rated: one.limits.iter().map(LimitFinding::of).collect(),
            is_limit: self.is_limit,
            members: self.members.iter().map(|(id, used)| member(pass, *id, used)).collect(),
        }
    }

    fn name(&self, pass: &Pass<'_>, names: &Names<'_>) -> BoxName {
        if self.is_rest {
            return BoxName::Others;
        }
        let ids: Vec<EntityId> = self.members.iter().map(|(id, _)| *id).collect();
        let pattern = names.pattern(ids[0]);
        if ids.iter().all(|id| names.pattern(*id) == pattern) {
            return BoxName::Named(names.label(&ids).name);
        }
        let mut all: Vec<&str> = ids.iter().map(|id| entity(pass, *id).name.as_str()).collect();
        all.sort_by_key(|name| (name.len(), *name));
        let [first, last] = [all[0], all[all.len() - 1]].map(str::to_owned);
        BoxName::Between { first, last }
    }
}

fn member(pass: &Pass<'_>, id: EntityId, used: &Used) -> Member {
    let one = entity(pass, id);
    Member {
        entity: id,
        name: one.name.clone(),
        count: one.count,
        utilisation: used.utilisation,
        bytes_per_sec: used.bytes(),
        operations_per_sec: used.usage.transfers.operations_per_sec,
        in_flight_mean: used.usage.in_flight_mean,
        time_ns: used.usage.transfers.ns_mean,
    }
}
