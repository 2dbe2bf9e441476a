//! Whose traffic reappears where, from the kinds of requests that there were.

use iopath_entities::{Flow, Flowed, Table, related};
use iopath_path::{ComponentId, Network};
use iopath_record::Relation;

use crate::counters::Counted;
use crate::plan::{Plan, PlannedEnd};
use crate::run::Run;
use crate::streams::Stream;

/// All relations.
pub(super) fn relations(
    run: &Run<'_>,
    network: &Network,
    table: &Table,
    last: &Counted,
) -> Vec<Relation> {
    let world = &run.world;
    let plan = |plan: crate::plan::PlanId| world.plans.plan(plan);
    let ends = |at: usize| {
        let load = &network.streams[at];
        let stream = world.streams.all.iter().find(|one| one.case == load.stream);
        stream.into_iter().flat_map(Stream::plans).map(|root| end(plan(root))).collect()
    };
    let streams: Vec<Vec<ComponentId>> = (0..network.streams.len()).map(ends).collect();
    let order: Vec<ComponentId> = world.plans.plans.iter().map(end).collect();
    let uppers = world.plans.plans.iter();
    let flows = uppers.flat_map(|upper| {
        upper.below.iter().flatten().map(move |below| Flow {
            upper: end(upper),
            lower: end(plan(below.plan)),
            op: below.op,
            bytes: below.times as f64 * below.bytes as f64,
        })
    });
    let flows: Vec<Flow> = flows.collect();
    let bytes = |component: ComponentId| {
        let sums = last.components.get(component.0 as usize);
        sums.map_or([0.0; 2], |sums| sums.bytes.map(|bytes| bytes as f64))
    };
    related(table, &Flowed { streams: &streams, order: &order, flows: &flows, bytes: &bytes })
}

/// What requests of a plan end at: the cache in front of their volume, or the volume.
fn end(plan: &Plan) -> ComponentId {
    match &plan.end {
        PlannedEnd::Cache(end) => end.cache,
        PlannedEnd::Medium(_) | PlannedEnd::Volume { .. } | PlannedEnd::File(_) => plan.to,
    }
}
