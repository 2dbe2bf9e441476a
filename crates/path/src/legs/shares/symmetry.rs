//! Which members a layout treats alike, for requests at some offsets.

use super::gcd;
use crate::volume::{Geometry, Parity, Rotation, Volume};

/// Bytes of each member that one period of the layout covers.
pub(super) fn on_member(geometry: &Geometry, members: u32) -> u64 {
    match geometry {
        Geometry::Stripe { unit: bytes }
        | Geometry::Scattered { block: bytes }
        | Geometry::StripedMirrors { segment: bytes } => *bytes,
        Geometry::Parity(parity) => match parity.rotation {
            Rotation::LeftSymmetric => u64::from(parity.width(members)) * parity.segment,
            Rotation::Last => parity.segment,
        },
        Geometry::Whole | Geometry::Concat { .. } | Geometry::Mirror => 1,
    }
}

/// Members of one class have the same parts: shifting all offsets by a whole number of steps that
/// is also one of rows (or units) maps the requests onto themselves and members onto members.
pub(super) fn classes(volume: &Volume, step: u64) -> Vec<u32> {
    let members = volume.members;
    let cycle = |bytes: u64, places: u32| {
        // A shift by `places` turns is none.
        let shift = if step == 0 { u64::from(places) } else { step / gcd(step, bytes) };
        gcd(shift, u64::from(places)) as u32
    };
    match &volume.geometry {
        Geometry::Stripe { unit: bytes } | Geometry::Scattered { block: bytes } => {
            let cycle = cycle(*bytes, members);
            (0..members).map(|member| member % cycle).collect()
        }
        Geometry::StripedMirrors { segment } => {
            let cycle = cycle(*segment, members / 2);
            let missing = |pair: u32| volume.missing.range(2 * pair..2 * pair + 2).count() as u32;
            // A loss leaves alike what lacks as much; else each pair is by itself. Sides of a pair
            // always are alike: reads take turns, over more requests than one period has.
            let class = |pair: u32| match (volume.missing.is_empty(), cycle) {
                (true, _) => pair % cycle,
                (false, 1) => missing(pair),
                (false, _) => pair,
            };
            (0..members).map(|member| class(member / 2)).collect()
        }
        Geometry::Parity(parity) => parity_classes(volume, parity, step),
        Geometry::Whole | Geometry::Concat { .. } | Geometry::Mirror => (0..members).collect(),
    }
}

/// Parity that rotates makes members alike where requests begin in all rows; those of groups that
/// lack as many members are taken as alike, which is exact for what they do together.
fn parity_classes(volume: &Volume, parity: &Parity, step: u64) -> Vec<u32> {
    let members = 0..volume.members;
    let stripe = parity.stripe(volume.members);
    let rows = if step == 0 { 0 } else { step / gcd(step, stripe) };
    match parity.rotation {
        Rotation::LeftSymmetric if rows == 1 => {
            let width = parity.width(volume.members);
            let lacks = |group: u32| {
                volume.missing.range(group * width..(group + 1) * width).count() as u32
            };
            members.map(|member| lacks(member / width)).collect()
        }
        Rotation::LeftSymmetric | Rotation::Last => members.collect(),
    }
}
