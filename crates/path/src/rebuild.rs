//! How long a rebuild takes at least.
//!
//! A rebuild reads of each row what it takes to make out a lost member, computes it and writes it
//! to a spare or replacement, which is taken to be like the lost one and reached like it. All that
//! these requests use of media, arms, links, processors (`cost parity`) and memory bounds its rate;
//! the size of the smallest member over that rate is its least time. Reads are spread over all that
//! are left, and neighbouring requests are joined to 1 MiB, so that limits of requests hardly
//! count.
//!
//! A volume that states `rebuild` (an array's priority, md's `sync_speed_max`) takes no more.
//!
//! Left out: the load that goes on meanwhile, and rebuilds that copy only what is used.

use std::collections::{BTreeMap, BTreeSet};

use iopath_study::{Case, Class, PartId, unindexed};
use iopath_units::{ByteRate, Bytes, Op};

use crate::legs::{Departure, End, Hops};
use crate::members::{members, with_spares};
use crate::network::{Charge, ComponentId, Loss, Mechanism, Network, RowId};
use crate::routes::{Place, Routes};
use crate::running::starts;
use crate::volume::{Geometry, Volume};

/// Bytes of a request: neighbours are joined (chosen; what Linux usually sends at most).
const REQUEST: Bytes = Bytes(1 << 20);

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
    /// What allows no more; the volume's own `rebuild` where there is none.
    pub limit: Option<RowId>,
    /// Whether a spare is left for it.
    pub has_spare: bool,
}

/// What a volume that has lost a member is made whole from.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Reconstruction {
    pub volume: ComponentId,
    /// Where the volume is split.
    pub place: Place,
    /// The first member that it has lost.
    pub member: ComponentId,
    /// Members that are left, of which `reads` are read for each part of the lost one.
    pub sources: Vec<ComponentId>,
    pub reads: usize,
    /// Bytes to write: the smallest member, where all state their size.
    pub bytes: Option<Bytes>,
    /// Bytes of one request.
    pub request: u64,
    /// Where it is written, if a spare is left.
    pub spare: Option<ComponentId>,
    /// Bytes per second that are written, as the volume says.
    pub rate: Option<ByteRate>,
}

/// The rebuilds of all volumes that go on without members in `rest`, on the `whole` network.
/// Volumes whose lost member is a volume itself have none, nor have those that nothing limits.
#[must_use]
pub fn rebuilds(case: &Case, whole: &Network, rest: &Network) -> Vec<Rebuild> {
    let mut network = whole.clone();
    let mut routes = Routes::new(&case.system, whole);
    let mut hops = Hops::new(case, &mut network, &mut routes);
    let lost = reconstructions(case, rest);
    lost.iter().filter_map(|lost| rebuild(&mut hops, lost)).collect()
}

/// What all volumes that go on without members are made whole from, but those whose lost member is
/// a volume itself.
#[must_use]
pub fn reconstructions(case: &Case, rest: &Network) -> Vec<Reconstruction> {
    let degraded = rest.losses.iter().filter_map(|loss| match loss {
        Loss::Degraded { volume, .. } => Some(*volume),
        Loss::Moved { .. }
        | Loss::Reserve { .. }
        | Loss::Spare { .. }
        | Loss::Gone { .. }
        | Loss::Stopped { .. } => None,
    });
    let volumes: BTreeSet<ComponentId> = degraded.collect();
    volumes.into_iter().filter_map(|volume| reconstruction(case, rest, volume)).collect()
}

/// The load of rebuilds, which bounds leave out.
pub(crate) fn mechanisms(case: &Case, rest: &Network) -> Vec<Mechanism> {
    let mechanism = |one: Reconstruction| {
        let (rate, _) = one.rate.zip(one.spare)?;
        let name = unindexed(&rest.component(one.volume).name);
        let text = format!("{name} is rebuilt at {rate}, which its members carry besides");
        Some(Mechanism { kind: "rebuild", text, decides: true })
    };
    let all: BTreeSet<_> = reconstructions(case, rest).into_iter().filter_map(mechanism).collect();
    all.into_iter().collect()
}

fn reconstruction(case: &Case, rest: &Network, volume: ComponentId) -> Option<Reconstruction> {
    let component = rest.component(volume);
    let parts = members(&case.system, volume.into());
    let layout = Volume::read(&case.system, volume.into(), &parts).ok()?;
    let first = *component.missing.first()?;
    let is_medium = |id: &PartId| case.system.class(*id) == Class::Medium;
    let member = parts.get(first as usize).copied().filter(is_medium)?;
    let there = |at: &u32| !component.missing.contains(at);
    let (sources, reads) = sources(&layout, first, there)?;
    let sizes = parts.iter().map(|part| case.system.size(*part, "size"));
    let host = || starts(case).0.first().and_then(|running| running.place.component());
    let spares = with_spares(&case.system, volume.into()).into_iter().skip(parts.len());
    let is_left = |spare: &ComponentId| !rest.component(*spare).removed;
    Some(Reconstruction {
        volume,
        place: Place::start(component.place.or_else(host)),
        member: member.into(),
        sources: sources.into_iter().map(|at| parts[at as usize].into()).collect(),
        reads,
        bytes: sizes.collect::<Option<Vec<_>>>().and_then(|sizes| sizes.into_iter().min()),
        request: case.system.scale.size(REQUEST).0,
        spare: spares.map(ComponentId::from).find(is_left),
        rate: case.system.byte_rate(volume.into(), "rebuild"),
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

fn rebuild(hops: &mut Hops<'_>, lost: &Reconstruction) -> Option<Rebuild> {
    let mut used: BTreeMap<RowId, f64> = BTreeMap::new();
    let mut add = |charges: Vec<Charge>, share: f64| {
        charges.into_iter().for_each(|one| *used.entry(one.row).or_default() += one.amount * share);
    };
    for source in &lost.sources {
        let share = lost.reads as f64 / lost.sources.len() as f64;
        add(charges(hops, lost, *source, Op::Read)?, share);
    }
    add(charges(hops, lost, lost.member, Op::Write)?, 1.0);
    add(hops.parity(lost.volume, lost.place, lost.request * lost.reads as u64), 1.0);
    let network = hops.network();
    let allowed = used.iter().map(|(row, amount)| (network.row(*row).capacity / amount, *row));
    let least = allowed.min_by(|one, other| one.0.total_cmp(&other.0));
    let least = least.map(|(times, limit)| (times * lost.request as f64, Some(limit)));
    let stated = lost.rate.map(|rate| (rate.0 as f64, None));
    let each = least.into_iter().chain(stated);
    let (bytes_per_sec, limit) = each.min_by(|one, other| one.0.total_cmp(&other.0))?;
    Some(Rebuild {
        volume: lost.volume,
        member: lost.member,
        reads: lost.reads as u32,
        bytes: lost.bytes,
        bytes_per_sec,
        limit,
        has_spare: lost.spare.is_some(),
    })
}

/// What one request of a rebuild uses; nothing where no route leads there.
fn charges(
    hops: &mut Hops<'_>,
    lost: &Reconstruction,
    to: ComponentId,
    op: Op,
) -> Option<Vec<Charge>> {
    let from = lost.place;
    let bytes = lost.request;
    let departure = Departure { from, to, op, bytes, behind: None, leaves_memory: false, run: 0 };
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
