//! How much there is: bytes that can be used, raw bytes, parts by kind, prices and rack units.
//!
//! Usable is what redundancy leaves: parity, copies and spares hold none, and a stripe takes from
//! each member what the smallest has. Bytes under several volumes count once, by the volume that
//! takes the least of the media for what it holds. Left out: what a file system keeps for itself.

use std::collections::{BTreeMap, BTreeSet};

use iopath_study::{Class, PartId, System};
use iopath_units::Ratio;

use crate::volume::{Geometry, Volume};

/// How much there is of everything in a system.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Capacity {
    /// Bytes of all media whose size is stated.
    pub raw_bytes: u64,
    /// Bytes that can hold data; none where no medium states its size.
    pub usable_bytes: Option<u64>,
    /// Media that do not state their size.
    pub media_without_size: u64,
    /// How many parts of each kind.
    pub parts: BTreeMap<&'static str, u64>,
    /// Sum of the prices that are stated, in the currency of the study.
    pub price: Option<Ratio>,
    /// Sum of the rack units that are stated.
    pub rack_units: Option<Ratio>,
}

/// The bytes of every part of a system.
#[derive(Clone, Debug)]
pub struct Room {
    /// What the members of each give, whatever it states itself.
    computed: Vec<Option<u64>>,
    /// What can be laid on each.
    usable: Vec<Option<u64>>,
}

impl Capacity {
    /// Counts a system.
    #[must_use]
    pub fn of(system: &System) -> Self {
        let mut capacity = Self::default();
        for id in system.ids() {
            let kind = system.kind(id);
            let class = Class::of(kind);
            if class.is_crossed() || matches!(class, Class::Medium | Class::Volume) {
                *capacity.parts.entry(kind).or_default() += 1;
            }
            if class == Class::Medium {
                match system.size(id, "size") {
                    Some(size) => {
                        capacity.raw_bytes = capacity.raw_bytes.saturating_add(size.0);
                    }
                    None => capacity.media_without_size += 1,
                }
            }
            add(&mut capacity.price, system.ratio(id, "price"));
            add(&mut capacity.rack_units, system.ratio(id, "rack-units"));
        }
        capacity.usable_bytes = usable(system);
        capacity
    }

    /// The same as facts for a record: names with their unit, values as text.
    #[must_use]
    pub fn facts(&self) -> BTreeMap<String, String> {
        let mut facts = BTreeMap::new();
        let mut fact = |name: &str, value: String| facts.insert(name.to_owned(), value);
        if self.raw_bytes > 0 {
            fact("capacity.raw-bytes", self.raw_bytes.to_string());
        }
        if let Some(usable) = self.usable_bytes {
            fact("capacity.usable-bytes", usable.to_string());
        }
        if self.media_without_size > 0 {
            fact("capacity.media-without-size", self.media_without_size.to_string());
        }
        for (kind, count) in &self.parts {
            fact(&format!("parts.{kind}"), count.to_string());
        }
        if let Some(price) = self.price {
            fact("parts.price", decimal(price));
        }
        if let Some(units) = self.rack_units {
            fact("parts.rack-units", decimal(units));
        }
        facts
    }
}

fn add(sum: &mut Option<Ratio>, value: Option<Ratio>) {
    if let Some(value) = value {
        *sum = Some(Ratio(sum.unwrap_or_default().0.saturating_add(value.0)));
    }
}

/// Millionths as a decimal number.
fn decimal(number: Ratio) -> String {
    let (whole, rest) = (number.0 / 1_000_000, number.0 % 1_000_000);
    match rest {
        0 => whole.to_string(),
        _ => format!("{whole}.{}", format!("{rest:06}").trim_end_matches('0')),
    }
}

impl Room {
    /// Works out every part, members before what lies on them.
    #[must_use]
    pub fn new(system: &System) -> Self {
        let none = vec![None; system.parts.len()];
        let mut room = Self { computed: none.clone(), usable: none };
        let mut known = BTreeSet::new();
        for id in system.ids() {
            room.find(system, id, &mut known);
        }
        room
    }

    /// Bytes that what a volume lies on gives it.
    #[must_use]
    pub fn computed(&self, id: PartId) -> Option<u64> {
        self.computed[id.0]
    }

    /// Bytes that can be laid on a part: those that it states, else those that it is given.
    #[must_use]
    pub fn usable(&self, id: PartId) -> Option<u64> {
        self.usable[id.0]
    }

    fn find(&mut self, system: &System, id: PartId, known: &mut BTreeSet<PartId>) {
        if !known.insert(id) {
            return;
        }
        let members = active(system, id);
        for member in &members {
            self.find(system, *member, known);
        }
        let stated = system.size(id, "size").map(|size| size.0);
        let class = system.class(id);
        if matches!(class, Class::Volume | Class::File) && !members.is_empty() {
            self.computed[id.0] = self.laid(system, id, &members);
        }
        if matches!(class, Class::Volume | Class::File | Class::Medium) {
            self.usable[id.0] = stated.or(self.computed[id.0]);
        }
    }

    fn laid(&self, system: &System, id: PartId, members: &[PartId]) -> Option<u64> {
        let sizes: Option<Vec<u64>> = members.iter().map(|member| self.usable[member.0]).collect();
        let sizes = sizes?;
        let least = *sizes.iter().min()?;
        let all = || sizes.iter().fold(0_u64, |sum, size| sum.saturating_add(*size));
        if system.class(id) == Class::File {
            return Some(all());
        }
        let shares = |count: u32| least.saturating_mul(u64::from(count));
        let volume = Volume::read(system, id, members).ok()?;
        Some(match volume.geometry {
            Geometry::Whole | Geometry::Mirror => least,
            Geometry::Stripe { .. } => shares(volume.members),
            Geometry::StripedMirrors { .. } => shares(volume.members / 2),
            Geometry::Parity(parity) => shares(parity.groups * parity.data(volume.members)),
            Geometry::Concat { .. } | Geometry::Scattered { .. } => all(),
        })
    }
}

/// What a volume lies on, without spares, which stand last.
pub(crate) fn active(system: &System, id: PartId) -> Vec<PartId> {
    let named = &system.part(id).members;
    let mut members: Vec<PartId> = match system.class(id) {
        Class::Volume if named.is_empty() => system.children(id).collect(),
        _ => named.to_vec(),
    };
    let spares = usize::try_from(system.count(id, "spares").unwrap_or(0)).unwrap_or(usize::MAX);
    members.truncate(members.len().saturating_sub(spares));
    members
}

/// The bytes of a system that can hold data, each once.
fn usable(system: &System) -> Option<u64> {
    let room = Room::new(system);
    let mut used = BTreeSet::new();
    let mut above = BTreeSet::new();
    let mut with_volumes = BTreeSet::new();
    for id in system.ids() {
        let class = system.class(id);
        if class == Class::Volume {
            with_volumes.extend(system.ancestors(id));
            let members = active(system, id);
            let spares: Vec<PartId> = system.children(id).collect();
            used.extend(members.into_iter().chain(spares));
        }
    }
    // Where volumes stand, a medium that none of them has waits for a failure.
    let is_reserve = |id: PartId| {
        system.class(id) == Class::Medium
            && system
                .ancestors(id)
                .any(|up| system.class(up) == Class::Adapter && with_volumes.contains(&up))
    };
    let mut shares: BTreeMap<PartId, u64> = BTreeMap::new();
    for id in system.ids() {
        let class = system.class(id);
        let lowest = matches!(class, Class::Volume | Class::Medium);
        if lowest && !used.contains(&id) && !is_reserve(id) && above.insert(id) {
            give(system, &room, id, u64::MAX, &mut shares);
        }
    }
    let total = shares.values().fold(0_u64, |sum, share| sum.saturating_add(*share));
    let most = most(system, &room, &above).filter(|most| *most < total);
    (!shares.is_empty()).then_some(most.unwrap_or(total))
}

/// What the media under some volumes can hold at most, each medium as part of the volume that makes
/// the most of its media; none where a size is not known.
fn most(system: &System, room: &Room, volumes: &BTreeSet<PartId>) -> Option<u64> {
    let size = |medium: &PartId| room.usable(*medium).map(u128::from);
    let mut best: BTreeMap<PartId, Holding> = BTreeMap::new();
    for volume in volumes.iter().copied() {
        let holds = u128::from(room.computed(volume).or(room.usable(volume))?);
        let media = media(system, volume);
        let of: u128 = media.iter().map(size).sum::<Option<u128>>()?.max(1);
        let holding = Holding { volume, holds, of };
        for medium in media {
            let known = best.entry(medium).or_insert(holding);
            if holding.share() > known.share() {
                *known = holding;
            }
        }
    }
    // Summed before it is divided, so that a volume by itself holds exactly what it does.
    let mut sizes: BTreeMap<Holding, u128> = BTreeMap::new();
    for (medium, holding) in best {
        *sizes.entry(holding).or_default() += size(&medium)?;
    }
    let each = sizes.into_iter().map(|(Holding { holds, of, .. }, sum)| sum * holds / of);
    u64::try_from(each.sum::<u128>()).ok()
}

/// What a volume holds, of so many bytes of its media.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
struct Holding {
    volume: PartId,
    holds: u128,
    of: u128,
}

impl Holding {
    fn share(self) -> f64 {
        self.holds as f64 / self.of as f64
    }
}

/// The media or files that hold the data of a volume; itself, where it lies on nothing.
fn media(system: &System, id: PartId) -> BTreeSet<PartId> {
    let mut media = BTreeSet::new();
    let mut seen = BTreeSet::new();
    let mut open = vec![id];
    while let Some(id) = open.pop() {
        if !seen.insert(id) {
            continue;
        }
        let below = active(system, id);
        if below.is_empty() {
            media.insert(id);
        }
        open.extend(below);
    }
    media
}

/// Hands the bytes of a volume down to what they lie on: at most `most` of it.
fn give(system: &System, room: &Room, id: PartId, most: u64, shares: &mut BTreeMap<PartId, u64>) {
    let Some(there) = room.computed(id).or(room.usable(id)) else { return };
    let there = there.min(most);
    let members = active(system, id);
    // Others may lie on the same members, so the bytes are counted there.
    let named = !system.part(id).members.is_empty();
    let geometry = Volume::read(system, id, &members).map(|volume| volume.geometry);
    match geometry {
        Ok(Geometry::Stripe { .. }) if named => {
            let each = there / members.len() as u64;
            for member in members {
                give(system, room, member, each, shares);
            }
        }
        Ok(Geometry::Concat { .. }) if named => {
            for member in members {
                give(system, room, member, u64::MAX, shares);
            }
        }
        Ok(Geometry::Mirror) if named => give(system, room, members[0], there, shares),
        _ => {
            let share = shares.entry(id).or_default();
            *share = there.max(*share);
        }
    }
}
