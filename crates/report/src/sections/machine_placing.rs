//! Where storage is on a machine: findings, the commands, and which processors serve what.

use crate::document::{Block, Document, Section, Table};
use crate::view::machine_placing::MachinePlacing;
use crate::words::machine_placing as words;

/// Everything about the placement of a machine.
#[must_use]
pub fn document(placing: &MachinePlacing) -> Document {
    let sections = [
        Section::of("verdict", "verdict", vec![Block::Verdict(words::sentence(placing))]),
        moves(placing),
        commands("commands", "bind interrupts, until the next boot (as root)", &placing.commands),
        commands("undo", "back to today's affinity", &placing.undo),
        controllers(placing),
        Section::of("unknown", "", Block::lines(words::not_known(placing)).into_iter().collect()),
    ];
    let sections = sections.into_iter().flatten().collect();
    Document { title: placing.host.clone(), sections, ..Document::default() }
}

fn moves(placing: &MachinePlacing) -> Option<Section> {
    let lines = (1..).zip(&placing.moves).map(|(at, one)| words::step(at, one)).collect();
    Section::of("moves", "findings", Block::lines(lines).into_iter().collect())
}

fn commands(key: &'static str, title: &'static str, lines: &[String]) -> Option<Section> {
    let block = (!lines.is_empty()).then(|| Block::Commands(lines.to_vec()));
    Section::of(key, title, block.into_iter().collect())
}

fn controllers(placing: &MachinePlacing) -> Option<Section> {
    let known = |text: Option<String>| text.unwrap_or_else(|| "-".to_owned());
    let table = Table::of(&placing.controllers)
        .column("controller", |one| one.address.clone())
        .expendable(2, "driver", |one| known(one.driver.clone()))
        .column("node", |one| known(one.node.map(|node| node.to_string())))
        .column("behind it", words::behind)
        .expendable(1, "queues", |one| known(one.queues.map(|queues| queues.to_string())))
        .column("interrupts", |one| one.interrupts.to_string())
        .column("served by processor", words::served)
        .expendable(3, "set by", |one| words::set_by(one).to_owned());
    let blocks = Block::table(table.done()).into_iter().collect();
    Section::of("controllers", "storage controllers", blocks)
}
