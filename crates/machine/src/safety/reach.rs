//! Which devices share bytes with a target.
//!
//! First downwards, to what the target's bytes are made of: the disk of a partition, the pieces of
//! a device-mapper table, the members of an array, the device behind a loop device. Then, from
//! each of these, upwards: partitions, device-mapper devices, arrays and loop devices over any of
//! the same bytes, and sideways: other paths to the same unit, other loop devices on the same
//! file. Ranges of bytes are followed where they are known, so that volumes which lie elsewhere on
//! the same disk do not count.
//! Law: a range holds at least the bytes that are shared. A thin volume's pool gives each volume
//! blocks of its own, so what else stands on the pool does not count; nor what else uses the cache
//! set of a bcache device. Leaves out: ranges within a file.

use std::collections::{BTreeMap, BTreeSet};
use std::ops::Range;

use super::Survey;
use super::down::{Below, Foundation, Stand, foundation};
use super::loops::{Sharing, backing_of, loops_on, sharing, start_of};
use super::units::other_paths;
use crate::devices::{Device, DeviceKind};
use crate::location::Object;
use crate::mapper::Relation;

/// The devices that share bytes with the target.
#[derive(Default)]
pub(super) struct Reach {
    /// All of them, the target included.
    pub(super) all: BTreeSet<String>,
    /// The target, and what its bytes are made of.
    pub(super) own: BTreeSet<String>,
    /// Those on which nothing of the target's own stands that would have them open exclusively.
    pub(super) free: BTreeSet<String>,
    /// By device, what stands on shared bytes of it, apart from what the target is made of.
    pub(super) holders: BTreeMap<String, BTreeSet<String>>,
    /// By device, the other devices that look like the same unit.
    pub(super) units: BTreeMap<String, BTreeSet<String>>,
    /// Loop devices that may be over the same file.
    pub(super) doubtful_loops: BTreeSet<String>,
    /// What could not be read.
    pub(super) unread: BTreeSet<String>,
}

pub(super) fn reach(survey: &Survey<'_>, target: &str) -> Reach {
    let Foundation { spots, own, among, free, unread } = foundation(survey, target);
    let all = own.clone();
    let mut climb = Climb {
        survey,
        among,
        reach: Reach { all, own, free, unread, ..Reach::default() },
        open: Vec::new(),
        seen: BTreeSet::new(),
    };
    for spot in &spots {
        climb.other_names(spot);
        if spot.stand == Stand::Alone {
            climb.above(&spot.name, &spot.range);
        }
    }
    while let Some((name, range)) = climb.open.pop() {
        climb.above(&name, &range);
    }
    climb.reach
}

/// The way up from what the target is made of.
struct Climb<'a> {
    survey: &'a Survey<'a>,
    /// What shares the bytes of these with the target is known from the way down.
    among: BTreeSet<String>,
    reach: Reach,
    open: Vec<(String, Range<u64>)>,
    seen: BTreeSet<(String, u64, u64)>,
}

impl Climb<'_> {
    /// Everything that stands on some bytes of a device.
    fn above(&mut self, name: &str, range: &Range<u64>) {
        let survey = self.survey;
        let Some(device) = survey.devices.find(name) else { return };
        for part in device.partitions.iter().filter_map(|name| survey.devices.find(name)) {
            if let Some(inside) = part.range().and_then(|place| inside(range, &place)) {
                self.go(&part.name, inside);
            }
        }
        for holder in device.holders.iter().filter_map(|name| survey.devices.find(name)) {
            self.holder(device, range, holder);
        }
        for name in loops_on(survey, &Object::Block(device.name.clone())) {
            let Some(upper) = survey.devices.find(&name) else { continue };
            let start = start_of(upper);
            let place = start..start.saturating_add(upper.bytes);
            if let Some(inside) = inside(range, &place) {
                self.go(&name, inside);
            }
        }
    }

    fn holder(&mut self, device: &Device, range: &Range<u64>, holder: &Device) {
        if !matches!(holder.kind, DeviceKind::Mapper { .. }) {
            self.held(device, &holder.name);
            return self.go(&holder.name, 0..u64::MAX);
        }
        let pieces = match self.survey.table(&holder.name) {
            Ok(pieces) => pieces,
            Err(what) => {
                self.reach.unread.insert(what.clone());
                self.held(device, &holder.name);
                return self.go(&holder.name, 0..u64::MAX);
            }
        };
        let here: Vec<_> = pieces.iter().filter(|piece| piece.device == device.number).collect();
        if here.is_empty() {
            // A table that is loaded but not in use yet.
            self.held(device, &holder.name);
        }
        for piece in here {
            let Some(inside) = inside(range, &piece.lower) else { continue };
            self.held(device, &holder.name);
            let is_own = self.reach.own.contains(&holder.name);
            match piece.relation {
                Relation::Linear => {
                    let start = piece.upper.start;
                    let up = |at: u64| start.saturating_add(at).min(piece.upper.end);
                    self.go(&holder.name, up(inside.start)..up(inside.end));
                }
                // How its own bytes come from there is known from the way down.
                Relation::Scattered | Relation::Pooled if is_own => {}
                Relation::Scattered | Relation::Pooled => {
                    self.go(&holder.name, piece.upper.clone());
                }
            }
        }
    }

    fn held(&mut self, device: &Device, holder: &str) {
        if !self.reach.own.contains(holder) {
            let holders = self.reach.holders.entry(device.name.clone()).or_default();
            holders.insert(holder.to_owned());
        }
    }

    /// Other names of the same bytes.
    fn other_names(&mut self, spot: &Below) {
        let survey = self.survey;
        let Some(device) = survey.devices.find(&spot.name) else { return };
        for other in other_paths(survey, device) {
            if !self.reach.own.contains(&other.name) {
                let units = self.reach.units.entry(device.name.clone()).or_default();
                units.insert(other.name.clone());
                self.claimable(other, &spot.range);
            }
            self.go(&other.name, spot.range.clone());
        }
        if backing_of(device).is_none() {
            return;
        }
        for other in survey.devices.iter().filter(|other| other.name != device.name) {
            match sharing(survey, device, other) {
                Sharing::Known => self.go(&other.name, 0..u64::MAX),
                Sharing::Possible => {
                    self.reach.doubtful_loops.insert(other.name.clone());
                }
                Sharing::Excluded => {}
            }
        }
    }

    /// Another path to a unit, or its partitions, may be opened exclusively by somebody: all of
    /// them that lie within the target.
    fn claimable(&mut self, other: &Device, range: &Range<u64>) {
        let survey = self.survey;
        let parts = other.partitions.iter().filter_map(|name| survey.devices.find(name));
        let is_within = |place: Range<u64>| range.start <= place.start && place.end <= range.end;
        let parts = parts.filter(|part| part.range().is_some_and(is_within));
        self.reach.free.extend(parts.map(|part| part.name.clone()));
        if is_within(0..other.bytes) {
            self.reach.free.insert(other.name.clone());
        }
    }

    fn go(&mut self, name: &str, range: Range<u64>) {
        if !self.among.contains(name) && self.seen.insert((name.to_owned(), range.start, range.end))
        {
            self.reach.all.insert(name.to_owned());
            self.open.push((name.to_owned(), range));
        }
    }
}

/// What a place shares with a range, counted from the place's beginning.
pub(super) fn inside(range: &Range<u64>, place: &Range<u64>) -> Option<Range<u64>> {
    let (from, to) = (range.start.max(place.start), range.end.min(place.end));
    (from < to).then(|| from - place.start..to - place.start)
}
