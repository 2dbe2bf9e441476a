//! Whether members that share a load do so evenly: judged on rate, time of a request and what is in
//! flight together.
//!
//! Equal rates alone are no balance: a policy that goes round gives slow members as much as fast
//! ones, requests then wait there, and the mean hides it. By Little's law what is in flight is rate
//! × time, so of three figures two tell.
//!
//! Members are those below one step of relations; without relations equal kinds with names of one
//! stem (`sdb`, `sdc`), of which only what needs no common load is said; so it is of parts that
//! lie one behind the other.
//! While things are watched [`mod@crate::judges::shares`] applies the same rules to each interval.
//! It leaves out streams, whose shares are told by Jain's index.

use std::collections::BTreeMap;

use iopath_record::{Entity, EntityId, Kind, Layer, Record};
use serde::Serialize;

use crate::judges::evidence::Evidence;
use crate::usage::Usage;
use crate::usage::flow::Flow;
use crate::usage::related::steps;

pub(crate) mod assess;

/// Members of one load.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct Balance {
    /// Whose load they share: names of what is above them, or the kind and stem of their names.
    pub of: String,
    /// Where they are.
    pub layer: Layer,
    /// Whether it is known that they share one load.
    pub is_related: bool,
    /// What was found.
    pub verdict: BalanceVerdict,
    /// Those that did something, in their order.
    pub members: Vec<Member>,
    /// Those that did nothing.
    pub idle: Vec<String>,
    /// Members whose requests take longer, where there are such.
    pub slow: Vec<String>,
    /// Greatest rate over least.
    pub rate_ratio: f64,
    /// Mean time of the slow members' requests over that of the others; the best division where
    /// none is slow. None where times are not known.
    pub service_ratio: Option<f64>,
    /// Why.
    #[serde(skip)]
    pub evidence: Vec<Evidence>,
}

/// One member.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct Member {
    /// Its name.
    pub name: String,
    /// Requests per second; none where they are not counted.
    pub operations_per_sec: Option<f64>,
    /// Bytes per second, both ways.
    pub bytes_per_sec: Option<f64>,
    /// Mean bytes of a request.
    pub request_bytes_mean: Option<f64>,
    /// Mean time of a request.
    pub service_ns_mean: Option<f64>,
    /// Requests in flight on average.
    pub in_flight_mean: Option<f64>,
    /// Share of time with something in flight.
    pub utilisation: Option<f64>,
}

/// How even members are.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize)]
#[serde(rename_all = "kebab-case")]
pub enum BalanceVerdict {
    /// Equal rates, and requests take as long everywhere, or their times are not known.
    Balanced,
    /// Equal rates, but requests of some take much longer: the policy feeds slow members.
    SlowMembers,
    /// Unequal rates, and slow members get less.
    UnevenAndSlow,
    /// Unequal rates.
    UnevenRate,
    /// Their requests are not alike, so their times cannot be compared.
    Unlike,
}

/// The members of every load; none where nobody counted several.
#[must_use]
pub fn balance(record: &Record) -> Vec<Balance> {
    let flow = Flow::of(record);
    let mut all: Vec<Balance> =
        groups(record).iter().filter_map(|group| judge(&flow, group)).collect();
    // Of members whose common load is not known only equal rates mean something.
    all.retain(|one| {
        one.is_related
            || matches!(one.verdict, BalanceVerdict::Balanced | BalanceVerdict::SlowMembers)
    });
    all
}

/// Members that may share a load.
struct Group {
    of: String,
    layer: Layer,
    members: Vec<EntityId>,
    is_related: bool,
}

fn groups(record: &Record) -> Vec<Group> {
    let name = |id: &EntityId| record.entities[id.0 as usize].name.as_str();
    let mut groups: Vec<Group> = Vec::new();
    let mut related: Vec<EntityId> = Vec::new();
    for step in steps(record) {
        let above = step.uppers.first().map(name).unwrap_or_default();
        let more = step.uppers.len().saturating_sub(1);
        let of = if more == 0 { above.to_owned() } else { format!("{above} and {more} more") };
        related.extend(&step.lowers);
        // Parts of the kernel's that lie one behind the other carry what lies there.
        let is_related = !step.uppers.iter().any(|id| is_concat(&record.entities[id.0 as usize]));
        let mut by_kind: BTreeMap<(Layer, &Kind), Vec<EntityId>> = BTreeMap::new();
        for id in step.lowers {
            let entity = &record.entities[id.0 as usize];
            by_kind.entry((entity.layer, &entity.kind)).or_default().push(id);
        }
        groups.extend(by_kind.into_iter().map(|((layer, _), members)| Group {
            of: of.clone(),
            layer,
            members,
            is_related,
        }));
    }
    let mut alone: BTreeMap<(Layer, &str, &str), Vec<EntityId>> = BTreeMap::new();
    for (id, entity) in (0u32..).map(EntityId).zip(&record.entities) {
        let is_path = matches!(entity.layer, Layer::Lun | Layer::Device | Layer::Port);
        if is_path && entity.parent.is_none() && !related.contains(&id) {
            let key = (entity.layer, entity.kind.as_str(), stem(&entity.name));
            alone.entry(key).or_default().push(id);
        }
    }
    groups.extend(alone.into_iter().map(|((layer, kind, stem), members)| Group {
        of: format!("{kind} {stem}*"),
        layer,
        members,
        is_related: false,
    }));
    groups.retain(|group| group.members.len() > 1);
    groups
}

fn is_concat(entity: &Entity) -> bool {
    entity.kind == Kind::Concat
        && entity.binding.as_deref().is_some_and(|at| at.starts_with("/dev/"))
}

/// What names of one family have in common: `sd` of `sdab`, `nvme` of `nvme3n1`.
pub(crate) fn stem(name: &str) -> &str {
    let letters = name.find(|letter: char| letter.is_ascii_digit()).unwrap_or(name.len());
    let is_scsi = |prefix: &&&str| name.starts_with(**prefix) && letters == name.len();
    ["sd", "vd", "xvd", "hd"].iter().find(is_scsi).map_or(&name[..letters], |prefix| prefix)
}

fn judge(flow: &Flow<'_>, group: &Group) -> Option<Balance> {
    let span = flow.common(&group.members)?;
    let all: Vec<(String, Usage)> =
        group.members.iter().map(|id| (name(flow, *id), flow.over(*id, span))).collect();
    let (active, idle) = assess::divided(all);
    let members: Vec<Member> = active.iter().map(member).collect();
    let found = assess::assess(&active, &idle, span.length_ns())?;
    Some(Balance {
        of: group.of.clone(),
        layer: group.layer,
        is_related: group.is_related,
        verdict: found.verdict,
        members,
        idle,
        rate_ratio: found.rate_ratio,
        service_ratio: found.service_ratio,
        evidence: found.evidence(&group.of),
        slow: found.slow,
    })
}

fn name(flow: &Flow<'_>, id: EntityId) -> String {
    flow.pass.record.entities[id.0 as usize].name.clone()
}

fn member((name, usage): &(String, Usage)) -> Member {
    Member {
        name: name.clone(),
        operations_per_sec: usage.transfers.operations_per_sec,
        bytes_per_sec: usage.transfers.bytes_per_sec,
        request_bytes_mean: usage.transfers.bytes_mean(),
        service_ns_mean: usage.transfers.ns_mean,
        in_flight_mean: usage.in_flight_mean,
        utilisation: usage.utilisation,
    }
}

#[cfg(test)]
mod tests;
