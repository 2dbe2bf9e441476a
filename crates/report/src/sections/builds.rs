//! Builds next to one another: what each carries and costs, what binds, what one failure costs,
//! what to raise next.

use iopath_record::Fact;
use iopath_units::System;

use super::prediction::bounds;
use crate::document::{Block, Document, Section, Table};
use crate::numbers::UNKNOWN;
use crate::view::builds::{ComparedBuild, OneLost};
use crate::words::prediction::{figure, list, percent, short};
use crate::words::sizing::{bottlenecks, capacity, number};

/// A row for each build, then losses and next upgrades of each.
#[must_use]
pub fn document(builds: &[ComparedBuild], system: System) -> Document {
    let table = Block::Table(table(builds, system));
    let each = |of: fn(&ComparedBuild, System) -> Vec<String>| {
        let lines = builds.iter().flat_map(|build| {
            let name = name(build);
            of(build, system).into_iter().map(move |line| format!("- {name}: {line}"))
        });
        Block::lines(lines.collect()).into_iter().collect()
    };
    let sections = [
        Section::of("verdict", "verdict", vec![table]),
        Section::of("losses", "what one failure costs", each(losses)),
        Section::of("upgrades", "next upgrade", each(upgrade)),
    ];
    let sections = sections.into_iter().flatten().collect();
    Document { title: "builds".to_owned(), sections, ..Document::default() }
}

/// A build in one line's head: its file and its case.
fn name(build: &ComparedBuild) -> String {
    format!("{}, {}", build.file, build.case.label())
}

fn table(builds: &[ComparedBuild], system: System) -> Table {
    let fact = |build: &ComparedBuild, fact: Fact<'_>| {
        fact.of(&build.case.prediction.facts).map(str::to_owned)
    };
    let decimal = |text: Option<String>| {
        let value = text.and_then(|text| text.parse::<f64>().ok());
        value.map_or(UNKNOWN.to_owned(), number)
    };
    let has = |of: Fact<'_>| builds.iter().any(|b| of.of(&b.case.prediction.facts).is_some());
    let carries = |b: &ComparedBuild| {
        let all = &b.case.prediction;
        figure(all.throughput_bytes_per_sec, all.operations_per_sec, system)
    };
    Table::of(builds)
        .column("build", |b| b.file.clone())
        .column("case", |b| b.case.label())
        .column("carries", carries)
        .column_if(has(Fact::Price), "price", |b| decimal(fact(b, Fact::Price)))
        .column_if(has(Fact::RackUnits), "rack units", |b| decimal(fact(b, Fact::RackUnits)))
        .column_if(has(Fact::UsableBytes), "usable", |b| capacity(&b.case.prediction, system))
        .column("bottleneck", |b| bottlenecks(&b.case.prediction))
        .column("worst loss", worst)
        .done()
}

/// The worst loss that takes something and not everything.
fn worst(build: &ComparedBuild) -> String {
    let left = build.losses.iter().find(|loss| loss.share_left > 0.0 && is_less(loss));
    left.map_or(UNKNOWN.to_owned(), |loss| {
        format!("{}: {} left", short(&loss.name), percent(loss.share_left))
    })
}

/// What stops everything, and what takes something.
fn losses(build: &ComparedBuild, _: System) -> Vec<String> {
    let stops: Vec<String> = build
        .losses
        .iter()
        .filter(|loss| loss.share_left <= 0.0)
        .map(|loss| loss.name.clone())
        .collect();
    let takes = build.losses.iter().filter(|loss| loss.share_left > 0.0 && is_less(loss));
    let takes: Vec<String> =
        takes.map(|loss| format!("{} {}", loss.without, percent(loss.share_left))).collect();
    let stops = (!stops.is_empty()).then(|| format!("nothing is left without {}", list(&stops)));
    let takes = (!takes.is_empty()).then(|| format!("left without {}", takes.join(", ")));
    stops.into_iter().chain(takes).collect()
}

fn is_less(loss: &OneLost) -> bool {
    loss.share_left < 1.0 && percent(loss.share_left) != percent(1.0)
}

fn upgrade(build: &ComparedBuild, system: System) -> Vec<String> {
    bounds::upgrade_lines(&build.case.prediction, system).into_iter().take(1).collect()
}
