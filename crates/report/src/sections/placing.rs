//! Where things should be: the best placement beside today's in a sentence, the moves to it, what
//! was looked at, and what to raise next.

use iopath_units::System;

use super::prediction::bounds;
use crate::document::{Block, Document, Section, Table};
use crate::view::placing::{PlacedCount, Placing};
use crate::words::placing as words;

/// Everything about a placement.
#[must_use]
pub fn document(placing: &Placing, system: System) -> Document {
    let answer =
        vec![Block::Verdict(words::sentence(placing, system)), Block::Text(words::search(placing))];
    let sections = [
        Section::of("verdict", "verdict", answer),
        moves(placing, system),
        counts(placing),
        looked_at(placing),
        bounds::upgrades(&placing.best.prediction, system),
        Section::of("more", "", vec![Block::Text(more(placing))]),
    ];
    let sections = sections.into_iter().flatten().collect();
    Document { title: placing.study.clone(), sections, ..Document::default() }
}

fn more(placing: &Placing) -> String {
    match &placing.written {
        Some(file) => format!("details: iopath predict {file}"),
        None => {
            "details: -o FILE writes the best placement as a study for predict, simulate".to_owned()
        }
    }
}

fn moves(placing: &Placing, system: System) -> Option<Section> {
    let lines = placing.moves.iter().enumerate();
    let lines = lines.map(|(at, one)| words::step(one, at + 1, system)).collect();
    Section::of("moves", "moves, in this order", Block::lines(lines).into_iter().collect())
}

/// How many there are of what is counted, where that changes.
fn counts(placing: &Placing) -> Option<Section> {
    let changed = placing.placeable.iter().filter(|unit| {
        let counts = &unit.counts;
        counts.iter().any(|count| count.today != count.best)
    });
    let rows: Vec<&PlacedCount> = changed.flat_map(|unit| &unit.counts).collect();
    let table = Table::of(&rows)
        .column("in each", |count| count.name.clone())
        .column("today", |count| count.today.to_string())
        .column("best", |count| count.best.to_string());
    Section::of("counts", "how many", Block::table(table.done()).into_iter().collect())
}

fn looked_at(placing: &Placing) -> Option<Section> {
    let lines = placing.placeable.iter().map(words::placeable).collect();
    Section::of("placeable", "what can be placed", Block::lines(lines).into_iter().collect())
}
