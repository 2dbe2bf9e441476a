//! What fails while a workload runs, and for how long.

use iopath_units::Nanos;

use super::select::{self, Wanted};
use crate::case::{Failure, Workload};
use crate::declaration::Declaration;
use crate::instances::Instances;
use crate::language::Role;
use crate::mistake::{Collected, MistakeKind};
use crate::scene::Scene;
use crate::system::PartId;
use crate::value::Value;

/// All failures, in the order of the study.
pub(super) fn failures(
    scene: &Scene,
    instances: &Instances<'_>,
    workload: Option<&Workload>,
    collected: &mut Collected,
) -> Vec<Failure> {
    let mut all = Vec::new();
    for row in scene.with_role(Role::Failure) {
        let failure = failure(row, instances, collected);
        let Some((failure, workload)) = failure.zip(workload) else { continue };
        match late(&failure, workload) {
            None => all.push(failure),
            Some(message) => {
                let span = row.values.get("at").map_or(row.span, |at| at.span);
                let hint = "add time= to the workload, longer than at=";
                collected.hinted(MistakeKind::Contradiction, span, message, hint);
            }
        }
    }
    all
}

/// Why a failure is not within the pass, where it is not.
fn late(failure: &Failure, workload: &Workload) -> Option<String> {
    let Some(time) = workload.until.time else {
        return Some("a failure needs to know when the pass ends".to_owned());
    };
    let end = workload.warm_up.0.saturating_add(time.0);
    (failure.at.0 >= end).then(|| format!("the pass ends after {}, before the failure", Nanos(end)))
}

fn failure(
    row: &Declaration,
    instances: &Instances<'_>,
    collected: &mut Collected,
) -> Option<Failure> {
    for needed in ["of", "at"] {
        if !row.values.contains_key(needed) {
            collected.add(MistakeKind::Missing, row.span, format!("fail needs {needed}="));
        }
    }
    let selected = select::all(instances, &row.selector("of")?, Wanted::Component, collected)?;
    let time = |name: &str| row.get(name)?.value.time();
    let lasts = match row.values.get("for").map(|value| &value.value) {
        Some(Value::Failed) => return None,
        value => value.and_then(Value::time),
    };
    Some(Failure {
        parts: selected.into_iter().map(PartId).collect(),
        at: time("at")?,
        lasts,
        failover: time("failover")?,
        failback: time("failback")?,
    })
}
