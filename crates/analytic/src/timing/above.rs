//! From rows to the legs whose time depends on them, found once.
//!
//! Legs that lead to the same in the same way are one bundle, because what is below them takes
//! equally long: sixteen volumes over the same arrays.

use std::collections::BTreeMap;

use iopath_path::visits::{Charges, enters};
use iopath_path::{Leg, LegId, Network, RowId};

use crate::matrix::Lists;
use crate::times::{Joint, waited};

/// What is above what.
pub(crate) struct Above {
    pub bundles: Vec<Bundle>,
    /// By leg.
    bundle_of: Vec<u32>,
    /// By row: legs that cross it or end at it.
    users: Lists<u32>,
    /// By row: bundles of several legs that use it somewhere below.
    over: Lists<u32>,
    /// By leg: bundles that lead to it and wait for it.
    waits_for: Lists<u32>,
    /// By leg: whether its requests come to its end from elsewhere.
    enters: Vec<bool>,
}

/// Legs that lead to the same.
pub(crate) struct Bundle {
    /// Ascending; at least one.
    pub legs: Vec<u32>,
    /// What somebody waits for, and how often for one request.
    pub waited: Vec<(LegId, f64)>,
    /// What is used up below of all rows, if several parts may meet there.
    pub uses: Vec<(RowId, f64)>,
}

impl Bundle {
    /// One of its legs.
    pub(crate) fn first(&self) -> usize {
        self.legs[0] as usize
    }
}

impl Above {
    pub(crate) fn of(network: &Network, charges: &Charges) -> Self {
        let (bundles, bundle_of) = bundles(network, charges);
        let legs = 0..network.legs.len() as u32;
        let used =
            legs.flat_map(|leg| charges.of_leg(LegId(leg)).iter().map(move |at| (at.row, leg)));
        let users = Lists::new(network.rows.len(), used);
        let numbered = || (0..).zip(&bundles);
        let over =
            numbered().flat_map(|(at, bundle)| bundle.uses.iter().map(move |(row, _)| (row.0, at)));
        let over = Lists::new(network.rows.len(), over);
        let waited = numbered()
            .flat_map(|(at, bundle)| bundle.waited.iter().map(move |(leg, _)| (leg.0, at)));
        let waits_for = Lists::new(network.legs.len(), waited);
        Self { users, over, waits_for, enters: enters(network), bundle_of, bundles }
    }

    pub(crate) fn users(&self, row: u32) -> &[u32] {
        self.users.of(row as usize)
    }

    pub(crate) fn over(&self, row: u32) -> &[u32] {
        self.over.of(row as usize)
    }

    pub(crate) fn waits_for(&self, leg: usize) -> &[u32] {
        self.waits_for.of(leg)
    }

    pub(crate) fn enters(&self, leg: usize) -> bool {
        self.enters[leg]
    }

    pub(crate) fn bundle_of(&self, leg: usize) -> usize {
        self.bundle_of[leg] as usize
    }
}

/// All that decides how long what is below a leg takes: whether its parts go out in turn, and each
/// of them with how often, at once, phase and choice.
type Key = (bool, Vec<(u32, [u64; 2], u8, Option<u16>)>);

fn key(leg: &Leg) -> Key {
    let parts = leg.next.iter().map(|next| {
        let numbers = [next.times, next.at_once].map(f64::to_bits);
        (next.leg.0, numbers, next.phase, next.choice)
    });
    (leg.serial, parts.collect())
}

/// All bundles, and that of each leg.
fn bundles(network: &Network, charges: &Charges) -> (Vec<Bundle>, Vec<u32>) {
    let mut joint = Joint::new(network, charges, &[]);
    let mut known: BTreeMap<Key, u32> = BTreeMap::new();
    let mut bundles: Vec<Bundle> = Vec::new();
    let of = |(index, leg): (u32, &Leg)| {
        let bundle = *known.entry(key(leg)).or_insert(bundles.len() as u32);
        if bundle as usize == bundles.len() {
            let waited = waited(network, leg);
            let uses = match waited.len() {
                0 | 1 => Vec::new(),
                _ => joint.below(&waited).collect(),
            };
            bundles.push(Bundle { legs: Vec::new(), waited, uses });
        }
        bundles[bundle as usize].legs.push(index);
        bundle
    };
    let bundle_of = (0..).zip(&network.legs).map(of).collect();
    (bundles, bundle_of)
}
