//! What a study says of streams as a whole: where they run, which targets count, what a cache
//! serves, whom they follow, and what they begin after.

use std::collections::BTreeSet;
use std::sync::Arc;

use iopath_units::{Nanos, Ratio};

use super::select::{self, Wanted};
use crate::case::{After, Behind, CacheMode, Modelled, Prepare};
use crate::declaration::Declaration;
use crate::instances::Instances;
use crate::language::Role;
use crate::mistake::{Collected, MistakeKind};
use crate::nearest;
use crate::scene::Scene;
use crate::system::PartId;
use crate::value::Value;
use crate::words::Lag;

/// What holds for all streams of a declaration.
#[derive(Clone, Debug, Default)]
pub(super) struct Orders {
    /// Where they run, one after the other; empty where nothing is said.
    pub on: Vec<PartId>,
    /// What each of them says, but for where it runs.
    pub each: Modelled,
    pub after: Option<After>,
}

impl Orders {
    /// Streams that share a target, with so many from each place.
    pub(super) fn sharers(&self, count: u32) -> u32 {
        u32::try_from(self.on.len().max(1)).unwrap_or(u32::MAX).saturating_mul(count)
    }
}

/// `None` where a value failed or names nothing.
pub(super) fn orders(
    scene: &Scene,
    row: &Declaration,
    instances: &Instances<'_>,
    collected: &mut Collected,
) -> Option<Orders> {
    let mut places = |name: &str, wanted: Wanted| -> Option<Vec<PartId>> {
        if !row.values.contains_key(name) {
            return Some(Vec::new());
        }
        let selector = row.selector(name)?;
        let selected = select::all(instances, &selector, wanted, collected)?;
        Some(selected.into_iter().map(PartId).collect())
    };
    let (on, via) = (places("on", Wanted::Machine), places("via", Wanted::Component));
    let behind = group(scene, row, "behind", collected);
    let after = after(scene, row, collected);
    let share = |name: &str| match row.values.get(name).map(|value| &value.value) {
        None => Some(None),
        Some(Value::Failed) => None,
        Some(value) => Some(value.share()),
    };
    let lockstep = match row.values.get("lag").map(|lag| &lag.value) {
        Some(Value::Failed) => None,
        lag => Some(lag.and_then(Value::choice) != Some(Lag::Follow)),
    };
    let lockstep = lockstep?;
    let each = Modelled {
        on: None,
        via: Arc::from(via?),
        hit: share("hit")?.unwrap_or(Ratio(0)),
        behind: behind?.map(|group| Behind { group, lockstep }),
    };
    Some(Orders { on: on?, each, after: after? })
}

fn after(scene: &Scene, row: &Declaration, collected: &mut Collected) -> Option<Option<After>> {
    let Some(group) = group(scene, row, "after", collected)? else { return Some(None) };
    let stated = |name: &str| match row.values.get(name).map(|value| &value.value) {
        Some(Value::Failed) => None,
        value => Some(value),
    };
    let start_delay = stated("start-delay")?.and_then(Value::time).unwrap_or(Nanos(0));
    let cache = || scene.workload()?.get("cache")?.value.choice();
    let prepare = match stated("prepare")?.and_then(Value::choice) {
        None if cache() == Some(CacheMode::Drop) => Prepare::Drop,
        stated => stated.unwrap_or(Prepare::None),
    };
    Some(Some(After { group, start_delay, prepare }))
}

/// The other group that a property names; reported where there is none, or where groups wait for
/// one another in a circle.
fn group(
    scene: &Scene,
    row: &Declaration,
    property: &str,
    collected: &mut Collected,
) -> Option<Option<String>> {
    let Some(stated) = row.values.get(property) else { return Some(None) };
    let name = stated.value.text()?;
    let find = |name: &str| scene.with_role(Role::Streams).find(|other| other.name == name);
    if find(name).is_none() {
        if !scene.lost.contains(name) {
            let message = format!("{property}: there are no streams \"{name}\"");
            let others = scene.with_role(Role::Streams).filter(|other| other.name != row.name);
            let hint = nearest::hint(name, others.map(|other| other.name.as_str()));
            collected.hinted(MistakeKind::UnknownName, stated.span, message, hint);
        }
        return None;
    }
    let next = |row: &Declaration| {
        let value = row.values.get(property)?;
        find(value.value.text()?)
    };
    let mut seen = BTreeSet::new();
    let mut at = next(row);
    while let Some(other) = at {
        if other.span == row.span {
            // Of a circle only the first declaration is told.
            if seen.iter().all(|span| *span > row.span) {
                let message = format!("{} comes {property} itself", row.name);
                collected.add(MistakeKind::Contradiction, stated.span, message);
            }
            return None;
        }
        if !seen.insert(other.span) {
            break;
        }
        at = next(other);
    }
    Some(Some(name.to_owned()))
}
