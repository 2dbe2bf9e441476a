//! The record of a case: what streams do in a window under the tightest bound, what that puts on
//! every component, and the bounds themselves.
//!
//! Facts that only the program knows (parts counted, usable capacity) are added to the record's
//! `environment` by whoever knows them.

mod bounds;
mod counters;
mod entities;
mod free;
mod totals;

use std::collections::BTreeMap;

use iopath_entities::case_text;
use iopath_path::StreamLoad;
use iopath_record::{Bound, BoundKind, ClockNote, Fact, Record, Technique};

use crate::Detail;
use crate::curve::Curve;
use crate::leaves_out::with_deciding;
use crate::model::Model;
use crate::solution::Solution;
use crate::traffic::Traffic;
use crate::window::{SECOND, length_s};

pub(crate) use totals::shares_of_bytes;

/// The record of a model and its solutions.
pub(crate) fn record(model: &Model<'_>, solutions: &[Solution], detail: Detail) -> Record {
    let carried = solutions.iter().rev().find(|solution| solution.is_finite(model));
    let rates = carried
        .map_or_else(|| vec![0.0; model.network.streams.len()], |solution| solution.rates(model));
    let traffic = Traffic::of(model.network, &rates);
    let table = entities::table(model, &traffic);
    let seconds = length_s(totals::most_per_sec(model, &rates));
    let finite = solutions.iter().filter(|solution| solution.is_finite(model));
    let others: Vec<Bound> =
        finite.map(|solution| bounds::bound(model, &table, solution)).collect();
    let least = others.first().map_or(0, |bound| bound.bytes_per_sec);
    let (free, mut warnings) = match detail {
        Detail::Full => free::bound(model, &table, least),
        Detail::Rates => (None, Vec::new()),
    };
    let bounds = free.into_iter().chain(others).collect();
    warnings.extend(bounds::warnings(carried.is_none()));
    let fixed = solutions.iter().find(|solution| solution.is_finite(model));
    let fixed = fixed.filter(|_| model.demand.epochs == 1);
    let curve = fixed.and_then(|fixed| Curve::of(model, &fixed.rates(model)));
    let responses = curve.as_ref().and_then(Curve::wanted_responses);
    let waits = carried.map(|solution| solution.waits_for_flushes(model)).unwrap_or_default();
    let streams = totals::streams(model, &table, (&rates, responses, &waits), seconds);
    let relations = entities::relations(model, &table, &traffic);
    let series = counters::series(model, &table, &by_epoch(model, &rates, traffic), seconds);
    Record {
        format: Record::FORMAT,
        case: case_text(model.case, model.case.workload.seed),
        technique: Technique::Analytic,
        environment: environment(model, carried.map(|solution| solution.kind)),
        entities: table.entities,
        relations,
        clock: ClockNote::default(),
        instants_ns: (0..=model.demand.epochs).map(|at| u64::from(at) * seconds * SECOND).collect(),
        series,
        streams,
        heat: Vec::new(),
        bounds,
        bad_blocks: Default::default(),
        curve: curve.map_or_else(Vec::new, |curve| curve.points()),
        events: Vec::new(),
        warnings: with_deciding(model, warnings),
    }
}

/// The traffic of each epoch, of all of them together.
fn by_epoch(model: &Model<'_>, rates: &[f64], all: Traffic) -> Vec<Traffic> {
    if model.demand.epochs == 1 {
        return vec![all];
    }
    let of = |epoch: u32| {
        let streams = rates.iter().zip(&model.network.streams);
        let runs =
            |(rate, load): (&f64, &StreamLoad)| if load.epoch == epoch { *rate } else { 0.0 };
        let rates: Vec<f64> = streams.map(runs).collect();
        Traffic::of(model.network, &rates)
    };
    (0..model.demand.epochs).map(of).collect()
}

fn environment(model: &Model<'_>, carried: Option<BoundKind>) -> BTreeMap<String, String> {
    let bound = carried.map_or("none", |kind| match kind {
        BoundKind::FreeSplit => "free-split",
        BoundKind::FixedSplit => "fixed-split",
        BoundKind::ClosedLoop => "closed-loop",
        BoundKind::Synchronised => "synchronised",
    });
    [Fact::ModelBound.is(bound), Fact::ModelVariability.is(variability(model))].into()
}

/// Whether the response curve rests on stated variabilities.
fn variability(model: &Model<'_>) -> &'static str {
    let components = model.network.components.iter();
    let stated = components.filter(|component| !component.rows.is_empty());
    let stated: Vec<bool> = stated.map(|component| component.variability.is_some()).collect();
    match (stated.contains(&true), stated.contains(&false)) {
        (true, false) => "stated",
        (true, true) => "stated for some; 1 (exponential) for the others",
        (false, _) => "not stated: 1 (exponential)",
    }
}
