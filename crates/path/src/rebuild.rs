//! How long a rebuild takes at least.
//!
//! A rebuild reads of each row what it takes to make out a lost member, computes it and writes it
//! to a spare or replacement, which is taken to be like the lost one and reached like it. All that
//! these requests use of media, arms, links, processors (`cost parity`) and memory bounds its rate;
//! the size of the smallest member over that rate is its least time. Reads are spread over all that
//! are left, and neighbouring requests are joined to 1 MiB, so that limits of requests hardly
//! count.
//!
//! Left out: the load that goes on meanwhile, limits that software sets itself (md's
//! `sync_speed_max`), and rebuilds that copy only what is used.

use std::collections::{BTreeMap, BTreeSet};

use iopath_study::{Case, Class, PartId};
use iopath_units::{Bytes, Op};

use crate::legs::{Departure, End, Hops};
use crate::members::{members, with_spares};
use crate::network::{Charge, ComponentId, Loss, Network, RowId};
use crate::routes::{Place, Routes};
use crate::running::starts;
use crate::volume::{Geometry, Volume};

/// Bytes of a request: neighbours are joined (chosen; what Linux usually sends at most).
const REQUEST: u64 = 1 << 20;

/// The rebuild of the first member that a volume has lost; of others as if it were alone.
#[derive(Clone, Debug, PartialEq)]
pub struct Rebuild {
    pub volume: ComponentId,
    /// What is rebuilt.
    pub member: ComponentId,
    /// Members that are read for it.
    pub reads: u32,
    /// Bytes to write: the smallest member, where all state their size.
    pub bytes: Option<Bytes>,
    /// Bytes per second that are written at most.
    pub bytes_per_sec: f64,
    /// What allows no more.
    pub limit: RowId,
    /// Whether a spare is left for it.
    pub has_spare: bool,
}

/// Where a volume is split, what it has lost, and what that is made out of.
struct Lost {
    volume: ComponentId,
    place: Place,
    member: ComponentId,
    sources: Vec<ComponentId>,
    /// How many of them are read for it.
    reads: usize,
    /// The smallest member, where its size is stated.
    bytes: Option<Bytes>,
    has_spare: bool,
}

/// The rebuilds of all volumes that go on without members in `rest`, on the `whole` network.
/// Volumes whose lost member is a volume itself have none, nor have those that nothing limits.
#[must_use]
pub fn rebuilds(case: &Case, whole: &Network, rest: &Network) -> Vec<Rebuild> {
    let mut network = whole.clone();
    let mut routes = Routes::new(&case.system, whole);
    let mut hops = Hops::new(case, &mut network, &mut routes);
    let degraded = rest.losses.iter().filter_map(|loss| match loss {
        Loss::Degraded { volume, .. } => Some(*volume),
        Loss::Moved { .. } | Loss::Reserve { .. } | Loss::Gone { .. } | Loss::Stopped { .. } => {
            None
        }
    });
    let volumes: BTreeSet<ComponentId> = degraded.collect();
    let lost = volumes.into_iter().filter_map(|volume| lost(case, rest, volume));
    lost.filter_map(|lost| rebuild(&mut hops, &lost)).collect()
}

fn lost(case: &Case, rest: &Network, volume: ComponentId) -> Option<Lost> {
    let component = rest.component(volume);
    let parts = members(&case.system, volume.into());
    let layout = Volume::read(&case.system, volume.into(), &parts).ok()?;
    let first = *component.missing.first()?;
    let is_medium = |id: &PartId| Class::of(case.system.kind(*id)) == Class::Medium;
    let member = parts.get(first as usize).copied().filter(is_medium)?;
    let there = |at: &u32| !component.missing.contains(at);
    let (sources, reads) = sources(&layout, first, there)?;
    let sizes = parts.iter().map(|part| case.system.size(*part, "size"));
    let host = || starts(case).0.first().and_then(|running| running.place.component());
    Some(Lost {
        volume,
        place: Place::start(component.place.or_else(host)),
        member: member.into(),
        sources: sources.into_iter().map(|at| parts[at as usize].into()).collect(),
        reads,
        bytes: sizes.collect::<Option<Vec<_>>>().and_then(|sizes| sizes.into_iter().min()),
        has_spare: with_spares(&case.system, volume.into())[parts.len()..]
            .iter()
            .any(|spare| !rest.component((*spare).into()).removed),
    })
}

/// Which members a lost one is made out of, and how many of them at a time.
fn sources(layout: &Volume, lost: u32, there: impl Fn(&u32) -> bool) -> Option<(Vec<u32>, usize)> {
    let (among, count) = match &layout.geometry {
        Geometry::Parity(parity) => {
            let width = parity.width(layout.members);
            let first = lost / width * width;
            (first..first + width, parity.data(layout.members))
        }
        Geometry::Mirror => (0..layout.members, 1),
        Geometry::StripedMirrors { .. } => (lost & !1..(lost & !1) + 2, 1),
        Geometry::Whole
        | Geometry::Stripe { .. }
        | Geometry::Concat { .. }
        | Geometry::Scattered { .. } => return None,
    };
    let sources: Vec<u32> = among.filter(there).collect();
    (sources.len() >= count as usize).then_some((sources, count as usize))
}

fn rebuild(hops: &mut Hops<'_>, lost: &Lost) -> Option<Rebuild> {
    let mut used: BTreeMap<RowId, f64> = BTreeMap::new();
    let mut add = |charges: Vec<Charge>, share: f64| {
        charges.into_iter().for_each(|one| *used.entry(one.row).or_default() += one.amount * share);
    };
    for source in &lost.sources {
        let share = lost.reads as f64 / lost.sources.len() as f64;
        add(charges(hops, lost, *source, Op::Read)?, share);
    }
    add(charges(hops, lost, lost.member, Op::Write)?, 1.0);
    add(hops.parity(lost.volume, lost.place, REQUEST * lost.reads as u64), 1.0);
    let network = hops.network();
    let allowed = used.iter().map(|(row, amount)| (network.row(*row).capacity / amount, *row));
    let (times, limit) = allowed.min_by(|one, other| one.0.total_cmp(&other.0))?;
    Some(Rebuild {
        volume: lost.volume,
        member: lost.member,
        reads: lost.reads as u32,
        bytes: lost.bytes,
        bytes_per_sec: times * REQUEST as f64,
        limit,
        has_spare: lost.has_spare,
    })
}

/// What one request of a rebuild uses; nothing where no route leads there.
fn charges(hops: &mut Hops<'_>, lost: &Lost, to: ComponentId, op: Op) -> Option<Vec<Charge>> {
    let from = lost.place;
    let bytes = REQUEST;
    let departure = Departure { from, to, op, bytes, behind: None, leaves_memory: false };
    let hop = hops.hop(&departure).ok()?;
    let mut charges = hop.leaving;
    charges.extend(hop.charges);
    if let End::Medium(Some(arm)) = hop.end {
        charges.push(Charge { row: arm.row, amount: arm.passing_s });
    }
    for way in &hop.ways {
        let crossed = hops.network().crossing_of(hops.route(way.route), op, bytes);
        charges.extend(crossed.map(|one| Charge { amount: one.amount * way.share, ..one }));
    }
    charges.retain(|charge| charge.amount > 0.0);
    Some(charges)
}
