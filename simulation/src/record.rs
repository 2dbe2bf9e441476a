//! The record of a simulation: what a kernel would have counted.

use std::collections::BTreeMap;

use iopath_record::{
    CaseText, ClockNote, Entity, EntityId, Layer, Phase, Record, StreamTotals, Technique,
};
use iopath_study::Case;

use crate::run::Run;
use crate::settings::Settings;
use crate::streams::Stream;
use crate::totals::{Edges, PHASES};

/// The record of a run.
pub(crate) fn of(case: &Case, run: &Run<'_>, settings: &Settings) -> Record {
    let streams = &run.world.streams.all;
    let entities = streams.iter().map(|one| Entity {
        name: case.streams[one.case].name.clone(),
        kind: "stream".to_owned(),
        layer: Layer::Application,
        parent: None,
        binding: None,
        count: 1,
        limits: Vec::new(),
    });
    let totals = (0..).zip(streams).map(|(at, one)| totals(run, EntityId(at), one));
    Record {
        format: Record::FORMAT,
        case: CaseText {
            study: case.study.clone(),
            experiment: case.experiment.clone(),
            text: case.text.clone(),
            levels: case.levels.iter().map(|one| (one.factor.clone(), one.level.clone())).collect(),
            trial: 0,
            pass: 0,
            seed: settings.seed,
        },
        technique: Technique::Simulation { events: run.events },
        environment: BTreeMap::new(),
        entities: entities.collect(),
        relations: Vec::new(),
        clock: ClockNote::default(),
        instants_ns: Vec::new(),
        series: Vec::new(),
        streams: totals.collect(),
        heat: Vec::new(),
        bounds: Vec::new(),
        curve: Vec::new(),
        events: Vec::new(),
        warnings: Vec::new(),
    }
}

fn totals(run: &Run<'_>, entity: EntityId, stream: &Stream) -> StreamTotals {
    let edges = run.epochs.iter().find(|(epoch, _)| *epoch == stream.epoch).map(|one| one.1);
    let Some(Edges { begin, window, stop }) = edges else {
        return StreamTotals {
            entity,
            first_issue_ns: 0,
            first_done_ns: 0,
            last_done_ns: 0,
            phases: Vec::new(),
        };
    };
    let totals = &stream.totals;
    let end = totals.last_done.max(stop);
    let spans = [(begin, window), (window, stop), (stop, end)];
    let phases = (0..PHASES.len()).filter_map(|at| totals.phase(at, spans[at]));
    StreamTotals {
        entity,
        first_issue_ns: totals.first_issue.unwrap_or(begin).as_nanos().0,
        first_done_ns: totals.first_done.unwrap_or(begin).as_nanos().0,
        last_done_ns: totals.last_done.as_nanos().0,
        phases: phases.filter(|one| one.phase != Phase::Ramp).collect(),
    }
}
