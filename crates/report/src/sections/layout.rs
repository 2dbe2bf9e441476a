//! A build that was written as a script: its steps, what differs from the study, how to go on.

use iopath_layout::{Build, Step};

use crate::document::{Block, Document, Section, Table};
use crate::view::layout::LayoutView;
use crate::words::layout as words;

/// What was written.
#[must_use]
pub fn document(view: &LayoutView) -> Document {
    let build = &view.build;
    let sections = [
        Section::of("verdict", "verdict", vec![Block::Verdict(words::sentence(build))]),
        Section::of("steps", "steps", vec![Block::Table(steps(&build.steps))]),
        Section::of("remarks", "remarks", remarks(build)),
        Section::of("more", "", Block::lines(words::next(view)).into_iter().collect()),
    ];
    let sections = sections.into_iter().flatten().collect();
    Document { title: build.study.clone(), sections, ..Document::default() }
}

fn steps(steps: &[Step]) -> Table {
    let numbered: Vec<(usize, &Step)> = (1..).zip(steps).collect();
    Table::of(&numbered)
        .column("step", |(number, _)| number.to_string())
        .column("makes", |(_, step)| words::step(step))
        .expendable(1, "source", |(_, step)| step.source.to_owned())
        .done()
}

fn remarks(build: &Build) -> Vec<Block> {
    let lines = build.remarks().into_iter().map(words::remark).collect();
    Block::lines(lines).into_iter().collect()
}
