//! What the bytes of a target are made of: the way down ([`super::reach`]).

use std::collections::BTreeSet;
use std::ops::Range;

use super::Survey;
use super::loops::{behind, start_of};
use super::reach::inside;
use crate::devices::{Device, DeviceKind};
use crate::location::Object;
use crate::mapper::Relation;

/// Some bytes of a device that the target's bytes are among.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) struct Below {
    pub(super) name: String,
    pub(super) range: Range<u64>,
    pub(super) stand: Stand,
}

/// Who else may use these bytes.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub(super) enum Stand {
    /// Only the target.
    Alone,
    /// Others too, each in places of its own.
    Among,
}

/// What a target is made of.
#[derive(Default)]
pub(super) struct Foundation {
    /// The target first.
    pub(super) spots: Vec<Below>,
    /// Their names.
    pub(super) own: BTreeSet<String>,
    /// Those of which others have other bytes, each in places of its own.
    pub(super) among: BTreeSet<String>,
    /// Those reached through a loop device, which does not have them open exclusively.
    pub(super) free: BTreeSet<String>,
    /// What could not be read.
    pub(super) unread: BTreeSet<String>,
}

pub(super) fn foundation(survey: &Survey<'_>, target: &str) -> Foundation {
    let bytes = survey.devices.find(target).map_or(0, |device| device.bytes);
    let mut found = Foundation::default();
    let mut open = vec![Below { name: target.to_owned(), range: 0..bytes, stand: Stand::Alone }];
    while let Some(spot) = open.pop() {
        if found.spots.contains(&spot) {
            continue;
        }
        found.own.insert(spot.name.clone());
        if spot.stand == Stand::Among {
            found.among.insert(spot.name.clone());
        }
        if let Some(device) = survey.devices.find(&spot.name) {
            open.extend(found.below(survey, device, &spot));
        }
        found.spots.push(spot);
    }
    found
}

impl Foundation {
    fn below(&mut self, survey: &Survey<'_>, device: &Device, spot: &Below) -> Vec<Below> {
        let moved = |name: &str, start: u64| {
            let at = |at: u64| at.saturating_add(start);
            let range = at(spot.range.start)..at(spot.range.end);
            vec![Below { name: name.to_owned(), range, stand: Stand::Alone }]
        };
        match &device.kind {
            DeviceKind::Partition { whole, start_bytes, .. } => moved(whole, *start_bytes),
            DeviceKind::Mapper { .. } => self.mapped(survey, device, spot),
            DeviceKind::Loop(_) => match behind(survey, device) {
                Some(Object::Block(name)) => {
                    self.free.insert(name.clone());
                    let start = start_of(device);
                    moved(&name, start)
                }
                Some(Object::Inode { .. } | Object::UnknownBlock(_)) | None => Vec::new(),
            },
            DeviceKind::Bcache => whole(&device.slaves, Stand::Among),
            DeviceKind::Array { .. } | DeviceKind::Disk | DeviceKind::Zram => {
                whole(&device.slaves, Stand::Alone)
            }
        }
    }

    fn mapped(&mut self, survey: &Survey<'_>, device: &Device, spot: &Below) -> Vec<Below> {
        let pieces = match survey.table(&device.name) {
            Ok(pieces) => pieces,
            Err(what) => {
                self.unread.insert(what.clone());
                return Vec::new();
            }
        };
        let mut found = Vec::new();
        for piece in pieces {
            let Some(inside) = inside(&spot.range, &piece.upper) else { continue };
            let Some(lower) = survey.devices.by_number(piece.device) else {
                let what = format!("no device {} is listed below it", piece.device);
                self.unread.insert(format!("{}: {what}", device.node().display()));
                continue;
            };
            let (range, stand) = match piece.relation {
                Relation::Linear => {
                    let at = |at: u64| piece.lower.start.saturating_add(at);
                    (at(inside.start)..at(inside.end), Stand::Alone)
                }
                Relation::Scattered => (piece.lower.clone(), Stand::Alone),
                Relation::Pooled => (piece.lower.clone(), Stand::Among),
            };
            found.push(Below { name: lower.name.clone(), range, stand });
        }
        // A table that is loaded but not in use yet.
        let named = |name: &String| found.iter().any(|spot: &Below| spot.name == *name);
        let is_named = |name: &&String| {
            let number = survey.devices.find(name).map(|device| device.number);
            named(name) || pieces.iter().any(|piece| Some(piece.device) == number)
        };
        let unnamed: Vec<String> =
            device.slaves.iter().filter(|name| !is_named(name)).cloned().collect();
        found.extend(whole(&unnamed, Stand::Alone));
        found
    }
}

fn whole(names: &[String], stand: Stand) -> Vec<Below> {
    let spot = |name: &String| Below { name: name.clone(), range: 0..u64::MAX, stand };
    names.iter().map(spot).collect()
}
