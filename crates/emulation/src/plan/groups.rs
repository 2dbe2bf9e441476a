//! Rows as groups of tokens.
//!
//! All devices that use up a row share its group. Where each byte uses up the same, the group has
//! the row's capacity divided by it; where one uses up a whole multiple, it stands behind the group
//! that often; else the mean over the traffic holds for all, which is told. A row of operations or
//! of busy time counts bytes where all its requests have one size, because what a device splits
//! then costs the same. What only one medium uses up at its end is folded into its tightest.

use std::collections::{BTreeMap, BTreeSet};

use iopath_path::{Burst, ComponentId, Direction, Measure, Network, Row, RowId};
use iopath_study::unindexed;
use iopath_units::Op;

use super::direction_of;
use super::notes::Notes;
use super::walk::{Found, Key};
use crate::rig::{Counts, Group};

/// Differences that are those of rounding, relative (chosen).
const SAME: f64 = 0.01;

/// How often a device may stand behind one group (chosen).
const MOST_TIMES: u32 = 8;

/// Groups, and the positions of those that each device stands behind.
pub(super) struct Grouped {
    pub groups: Vec<Group>,
    pub of_devices: Vec<Vec<usize>>,
}

/// What requests of one operation of a device use up of a row.
#[derive(Clone, Copy)]
struct Use {
    device: usize,
    op: Op,
    amount: f64,
    bytes: f64,
    requests: f64,
    sizes: (u64, u64),
}

/// A row with those that use it up.
struct Shared {
    row: RowId,
    group: Group,
    /// Devices, and how often each stands behind it.
    users: Vec<(usize, u32)>,
    /// By which of their operations.
    ops: [bool; 2],
    /// The only medium that uses it up, where that is at its end.
    only: Option<(ComponentId, bool)>,
}

pub(super) fn group(network: &Network, found: &[(&Key, &Found)], notes: &mut Notes) -> Grouped {
    let mut shared = Vec::new();
    for (row, uses) in uses(found) {
        let limit = network.row(row);
        let component = network.component(limit.component);
        if limit.measure == Measure::Busy && component.kind == "host" {
            let text = format!("processors of {} are not emulated", unindexed(&component.name));
            notes.tell("processors", text);
            continue;
        }
        let name = format!("{}.{}", component.name, limit.property);
        let mut told =
            Told { name: format!("{}.{}", unindexed(&component.name), limit.property), notes };
        let (group, users) = share(limit, name, &uses, (found, &mut told));
        let only = only_at_end(row, &users, found);
        let ops = Op::BOTH.map(|op| uses.iter().any(|one| one.op == op));
        shared.push(Shared { row, group, users, ops, only });
    }
    behind(found, folded(shared))
}

/// Where a remark on a row goes.
struct Told<'a> {
    name: String,
    notes: &'a mut Notes,
}

impl Told<'_> {
    fn tell(&mut self, text: &str) {
        self.notes.tell("mean-use", format!("{}: {text}", self.name));
    }
}

/// Who uses up each row.
fn uses(found: &[(&Key, &Found)]) -> BTreeMap<RowId, Vec<Use>> {
    let mut rows: BTreeMap<RowId, Vec<Use>> = BTreeMap::new();
    for (device, (_, found)) in found.iter().enumerate() {
        for op in Op::BOTH {
            let used = &found.by_op[op.index()];
            for (row, amount) in used.amounts.iter().filter(|(_, amount)| **amount > 0.0) {
                let (bytes, requests) = (used.bytes, used.requests);
                let sizes = used.sizes.unwrap_or_default();
                let one = Use { device, op, amount: *amount, bytes, requests, sizes };
                rows.entry(*row).or_default().push(one);
            }
        }
    }
    rows
}

fn share(
    row: &Row,
    name: String,
    uses: &[Use],
    (found, told): (&[(&Key, &Found)], &mut Told<'_>),
) -> (Group, Vec<(usize, u32)>) {
    let counts = counts(row, uses);
    let by_device = per_device(uses, counts, told);
    let least = by_device.iter().map(|(_, per, _)| *per).fold(f64::INFINITY, f64::min);
    let times = |per: f64| {
        let times = (per / least).round();
        let is_whole = (per / least - times).abs() <= SAME && times <= f64::from(MOST_TIMES);
        is_whole.then_some(times as u32)
    };
    let stacked: Option<Vec<(usize, u32)>> =
        by_device.iter().map(|(device, per, _)| Some((*device, times(*per)?))).collect();
    let (unit, users) = match stacked {
        Some(users) => (least, users),
        None => {
            told.tell("devices use different amounts of it; each is charged the mean");
            let weighted: f64 = by_device.iter().map(|(_, per, traffic)| per * traffic).sum();
            let traffic: f64 = by_device.iter().map(|(_, _, traffic)| traffic).sum();
            (weighted / traffic, by_device.iter().map(|(device, ..)| (*device, 1)).collect())
        }
    };
    let burst =
        row.burst.map(|burst| Burst { tokens: burst.tokens / unit, rate: burst.rate / unit });
    let direction = direction(row, uses, (found, told));
    (Group { name, counts, direction, per_sec: row.capacity / unit, burst }, users)
}

/// Bytes where each byte costs the same, else requests.
fn counts(row: &Row, uses: &[Use]) -> Counts {
    let least = uses.iter().map(|one| one.sizes.0).min();
    let most = uses.iter().map(|one| one.sizes.1).max();
    let per_byte = || uses.iter().map(|one| one.amount / one.bytes);
    let lowest = per_byte().fold(f64::INFINITY, f64::min);
    let is_linear = per_byte().all(|per| (per / lowest - 1.0).abs() <= SAME);
    match row.measure {
        Measure::Bytes => Counts::Bytes,
        Measure::Operations | Measure::Busy if least == most => Counts::Bytes,
        Measure::Busy if is_linear => Counts::Bytes,
        Measure::Operations | Measure::Busy => Counts::Operations,
    }
}

/// What each device uses up for one of what is counted, both its operations together, and its
/// traffic.
fn per_device(uses: &[Use], counts: Counts, told: &mut Told<'_>) -> Vec<(usize, f64, f64)> {
    let traffic = |one: &Use| match counts {
        Counts::Bytes => one.bytes,
        Counts::Operations => one.requests,
    };
    let of = |uses: &[Use]| {
        let all: f64 = uses.iter().map(&traffic).sum();
        let amount: f64 = uses.iter().map(|one| one.amount).sum();
        let per = amount / all;
        if uses.iter().any(|one| (one.amount / traffic(one) / per - 1.0).abs() > SAME) {
            told.tell(
                "reads and writes use different amounts of it; their mean is right only for the \
                 mix of the case",
            );
        }
        (uses[0].device, per, all)
    };
    uses.chunk_by(|one, other| one.device == other.device).map(of).collect()
}

/// Which operations of its devices a group counts.
fn direction(
    row: &Row,
    uses: &[Use],
    (found, told): (&[(&Key, &Found)], &mut Told<'_>),
) -> Direction {
    let by = |op: Op| uses.iter().any(|one| one.op == op);
    let ops = Op::BOTH.map(by);
    let devices: BTreeSet<usize> = uses.iter().map(|one| one.device).collect();
    let does_more = |device: &usize| {
        Op::BOTH.into_iter().any(|op| {
            let used = &found[*device].1.by_op[op.index()];
            let is_user = uses.iter().any(|one| one.op == op && one.device == *device);
            used.bytes > 0.0 && !is_user
        })
    };
    let does_more = devices.iter().any(does_more);
    match direction_of(ops) {
        // What else a device does, the row would carry, too.
        Direction::Read | Direction::Write if row.direction == Direction::Both && !does_more => {
            Direction::Both
        }
        Direction::Both if does_more => {
            told.tell("some devices use it for one operation only, but both count");
            Direction::Both
        }
        direction => direction,
    }
}

/// The only medium that uses up a row, where it does so at its end.
fn only_at_end(
    row: RowId,
    users: &[(usize, u32)],
    found: &[(&Key, &Found)],
) -> Option<(ComponentId, bool)> {
    let (first, _) = users.first()?;
    let medium = found[*first].0.medium();
    let is_own = |(device, _): &(usize, u32)| {
        let (key, found) = &found[*device];
        key.medium() == medium && found.at_end.contains(&row)
    };
    users.iter().all(is_own).then_some(medium)
}

/// Keeps of what the same devices use up at their end the tightest.
fn folded(shared: Vec<Shared>) -> Vec<Shared> {
    type SameUse = (Vec<(usize, u32)>, bool, [bool; 2]);
    let same_use = |one: &Shared| -> SameUse {
        (one.users.clone(), one.group.counts == Counts::Bytes, one.ops)
    };
    let may_fold = |one: &Shared| one.only.is_some() && one.group.burst.is_none();
    let mut tightest: BTreeMap<SameUse, f64> = BTreeMap::new();
    for one in shared.iter().filter(|one| may_fold(one)) {
        let least = tightest.entry(same_use(one)).or_insert(f64::INFINITY);
        *least = least.min(one.group.per_sec);
    }
    let mut kept: BTreeSet<SameUse> = BTreeSet::new();
    let mut keep = |one: &Shared| {
        if !may_fold(one) {
            return true;
        }
        let same_use = same_use(one);
        one.group.per_sec <= tightest[&same_use] && kept.insert(same_use)
    };
    shared.into_iter().filter(|one| keep(one)).collect()
}

/// Puts groups behind one another as a request meets them, from the medium to the host.
fn behind(found: &[(&Key, &Found)], shared: Vec<Shared>) -> Grouped {
    let mut of_devices: Vec<Vec<(RowId, usize, u32)>> = vec![Vec::new(); found.len()];
    let mut groups = Vec::with_capacity(shared.len());
    for one in shared {
        for (device, times) in &one.users {
            of_devices[*device].push((one.row, groups.len(), *times));
        }
        groups.push(one.group);
    }
    let in_order = |(device, groups): (usize, Vec<(RowId, usize, u32)>)| {
        let order = &found[device].1.order;
        let place = |row: &RowId| order.iter().position(|one| one == row);
        let mut groups = groups;
        groups.sort_by_key(|(row, ..)| std::cmp::Reverse(place(row)));
        let often = |(_, group, times): (RowId, usize, u32)| (0..times).map(move |_| group);
        groups.into_iter().flat_map(often).collect()
    };
    let of_devices = of_devices.into_iter().enumerate().map(in_order).collect();
    Grouped { groups, of_devices }
}
