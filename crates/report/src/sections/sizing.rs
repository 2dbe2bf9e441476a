//! What to build: the best build in a sentence, the builds side by side, why each count is what it
//! is, what is left after losses, and what to add next.

use iopath_advice::{Measure, usable};
use iopath_units::System;

use super::prediction::bounds;
use crate::document::{Block, Document, Section, Table};
use crate::numbers::{UNKNOWN, time};
use crate::view::sizing::{Build, PartCount, Response, Sizing};
use crate::words::prediction::percent;
use crate::words::removal::carried;
use crate::words::sizing as words;

/// Everything about the builds that were found.
#[must_use]
pub fn document(sizing: &Sizing, system: System) -> Document {
    let best = sizing.builds.first();
    let recorded = sizing.recorded.iter().flat_map(|one| words::recorded(one, system));
    let mut answer = vec![Block::Verdict(words::sentence(sizing, system))];
    answer.extend(recorded.map(Block::Text));
    answer.push(Block::Text(words::proof(sizing)));
    let sections = [
        Section::of("verdict", "verdict", answer),
        Section::of("builds", builds_title(sizing), side_by_side(sizing, system)),
        best.and_then(|best| why(best, system)),
        left_out(sizing),
        best.and_then(losses),
        best.and_then(parts),
        best.and_then(|best| one_more(best, sizing.least)),
        best.filter(|best| !words::has_gain(best))
            .and_then(|best| bounds::upgrades(&best.case.prediction, system)),
        best.and_then(|_| Section::of("more", "", vec![Block::Text(more(sizing))])),
    ];
    let sections = sections.into_iter().flatten().collect();
    Document { title: sizing.study.clone(), sections, ..Document::default() }
}

fn more(sizing: &Sizing) -> String {
    match &sizing.written {
        Some(file) => format!("details: iopath predict {file}"),
        None => "details: -o FILE writes the best build as a study for predict, simulate, measure"
            .to_owned(),
    }
}

fn builds_title(sizing: &Sizing) -> String {
    let headroom = sizing.headroom.as_ref();
    let headroom =
        headroom.map_or(String::new(), |share| format!(", headroom of {share} included"));
    format!("builds for {}{headroom}", sizing.needs)
}

fn side_by_side(sizing: &Sizing, system: System) -> Vec<Block> {
    let Some(first) = sizing.builds.first() else { return Vec::new() };
    let all = &sizing.builds;
    let mut table = Table::of(all);
    for (at, chosen) in first.chosen.iter().enumerate() {
        table = table.column(&chosen.factor, |build| build.chosen[at].level.clone());
    }
    let number = |value: Option<f64>| value.map_or(UNKNOWN.to_owned(), words::number);
    let has = |of: fn(&Build) -> bool| all.iter().any(of);
    let table = table
        .column_if(has(|b| b.totals.price.is_some()), "price", |b| number(b.totals.price))
        .column_if(has(|b| b.totals.rack_units.is_some()), "rack units", |b| {
            number(b.totals.rack_units)
        })
        .column_if(has(|b| b.totals.watts.is_some()), "watts", |b| number(b.totals.watts))
        .expendable(3, "components", |b| number(Some(b.totals.parts)))
        .column_if(has(|b| usable(&b.case.prediction).is_some()), "usable", |b| {
            words::capacity(&b.case.prediction, system)
        })
        .column_if(has(|b| b.full_after_months.is_some()), "full after", |b| {
            b.full_after_months.map_or(UNKNOWN.to_owned(), words::months)
        })
        .column("offers", words::offers)
        .column("of need", |b| percent(b.share_of_need))
        .column_if(has(|b| b.simulated.is_some()), "simulated", |b| simulated(b, system))
        .expendable(2, "bottleneck", |b| words::bottlenecks(&b.case.prediction));
    let within = words::within(sizing).map(Block::Text);
    std::iter::once(Block::Table(table.done())).chain(within).collect()
}

fn simulated(build: &Build, system: System) -> String {
    let Some(simulated) = &build.simulated else { return UNKNOWN.to_owned() };
    let all = carried(simulated.carried, system);
    if let Some(Response { metric, ns }) = simulated.limited {
        return format!("{all}, {} {}", metric.name(), time(ns, system));
    }
    match simulated.response_ns {
        Some(ns) => format!("{all}, {}", time(ns, system)),
        None => all,
    }
}

fn why(best: &Build, system: System) -> Option<Section> {
    let lines = best.why.iter().map(|why| words::why(why, system)).collect();
    Section::of("why", "why these counts", Block::lines(lines).into_iter().collect())
}

/// What to add next.
fn one_more(best: &Build, least: Measure) -> Option<Section> {
    let lines = Block::lines(words::more(best, least));
    Section::of("one-more", "with one more", lines.into_iter().collect())
}

/// The hard limits that the search met, and what else cannot be built. Where one is why there is no
/// build, the verdict has it.
fn left_out(sizing: &Sizing) -> Option<Section> {
    let is_verdict = sizing.builds.is_empty() && sizing.nearest.is_none();
    if is_verdict && sizing.left_out.len() == 1 {
        return None;
    }
    let lines = sizing.left_out.iter().map(|text| format!("- {text}")).collect();
    Section::of("left-out", "left out", Block::lines(lines).into_iter().collect())
}

/// What to buy.
fn parts(best: &Build) -> Option<Section> {
    let number = |value: Option<f64>| value.map_or_else(String::new, words::number);
    let has = |of: fn(&PartCount) -> Option<f64>| best.parts.iter().any(|part| of(part).is_some());
    let table = Table::of(&best.parts)
        .column("component", |part| part.name.clone())
        .column("count", |part| words::number(part.count as f64))
        .column_if(has(|part| part.price), "price", |part| number(part.price))
        .column_if(has(|part| part.rack_units), "rack units", |part| number(part.rack_units))
        .column_if(has(|part| part.watts), "watts", |part| number(part.watts));
    Section::of("parts", "components", Block::table(table.done()).into_iter().collect())
}

fn losses(best: &Build) -> Option<Section> {
    let lines = Block::lines(words::losses(best));
    Section::of("losses", "after a failure", lines.into_iter().collect())
}
