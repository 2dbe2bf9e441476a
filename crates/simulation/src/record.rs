//! The record of a simulation: what a kernel would have counted.

mod events;
mod facts;
mod flows;
mod loads;
mod series;

use iopath_entities::{StreamClass, Table, case_text};
use iopath_path::{ComponentId, Network};
use iopath_record::{ClockNote, EntityId, Histogram, Record, StreamTotals, Technique};
use iopath_study::Case;
use iopath_units::Action;

use crate::counters::Counted;
use crate::run::{Epoch, Run};
use crate::samples::Sample;
use crate::settings::Settings;
use crate::streams::Stream;
use crate::totals::{Edges, PHASES};

/// The record of a run.
pub(crate) fn of(case: &Case, run: &Run<'_>, settings: &Settings) -> Record {
    with(case, run, settings, &run.world.samples.all)
}

/// The same of other samples than it has kept.
pub(crate) fn with(case: &Case, run: &Run<'_>, settings: &Settings, samples: &[Sample]) -> Record {
    let network = run.world.plans.network();
    let nothing = Counted::default();
    let last = samples.last().map_or(&nothing, |sample| &sample.counted);
    let mut table = table(case, network, last);
    let loads = table.add_loads(case, network);
    let heat = samples.iter().skip(1);
    Record {
        format: Record::FORMAT,
        case: case_text(case, settings.seed),
        technique: Technique::Simulation { events: run.events },
        environment: facts::facts(case, run, settings),
        relations: flows::relations(run, network, &table, last),
        clock: ClockNote::default(),
        instants_ns: samples.iter().map(|sample| sample.at.as_nanos().0).collect(),
        series: series::series(network, &table, samples)
            .into_iter()
            .chain(loads::moved(network, &table, samples))
            .chain(loads::series(&loads, samples))
            .chain(loads::lags(network, &table, samples))
            .collect(),
        streams: streams(run, network, &table),
        heat: heat.map(|one| one.heat.histogram().unwrap_or_else(Histogram::default)).collect(),
        bounds: Vec::new(),
        bad_blocks: Default::default(),
        curve: Vec::new(),
        events: events::of(case, &run.world, &table),
        warnings: facts::warnings(run, network, settings),
        entities: table.entities,
    }
}

/// Every component that requests came to is an entity of its own.
fn table(case: &Case, network: &Network, last: &Counted) -> Table {
    let key = |component: ComponentId| {
        let sums = last.components.get(component.0 as usize)?;
        sums.is_used().then(|| vec![u64::from(component.0)])
    };
    Table::new(case, network, &StreamClass::by_group(case, network), &key)
}

fn streams(run: &Run<'_>, network: &Network, table: &Table) -> Vec<StreamTotals> {
    let of = |stream: &Stream| {
        let position = network.streams.iter().position(|load| load.stream == stream.case)?;
        Some(totals(run, table.streams[position], stream))
    };
    run.world.streams.all.iter().filter_map(of).collect()
}

fn totals(run: &Run<'_>, entity: EntityId, stream: &Stream) -> StreamTotals {
    let epoch = run.epochs.iter().find(|epoch| epoch.number == stream.epoch);
    let Some(Epoch { edges: Edges { begin, warm, window, stop }, .. }) = epoch.copied() else {
        return StreamTotals {
            action: Action::Transfer,
            entity,
            first_issue_ns: 0,
            first_done_ns: 0,
            last_done_ns: 0,
            phases: Vec::new(),
        };
    };
    let totals = &stream.totals;
    let end = totals.last_done.max(stop);
    let spans = [(begin, warm), (warm, window), (window, stop), (stop, end)];
    let phases = (0..PHASES.len()).filter_map(|at| totals.phase(at, spans[at]));
    // Of a stream that has done nothing all three are one instant.
    let first_issue = totals.first_issue.unwrap_or(begin);
    let first_done = totals.first_done.unwrap_or(first_issue);
    StreamTotals {
        action: Action::Transfer,
        entity,
        first_issue_ns: first_issue.as_nanos().0,
        first_done_ns: first_done.as_nanos().0,
        last_done_ns: totals.last_done.max(first_done).as_nanos().0,
        phases: phases.collect(),
    }
}
