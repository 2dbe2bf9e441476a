//! A build that was written as a script: its steps, what differs from the study, how to go on.

use iopath_layout::Step;

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
        Section::of("remarks", "remarks", remarks(&build.steps)),
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

/// What holds for several steps is told once.
fn remarks(steps: &[Step]) -> Vec<Block> {
    let mut lines: Vec<String> = Vec::new();
    for remark in steps.iter().flat_map(|step| &step.remarks).map(words::remark) {
        if !lines.contains(&remark) {
            lines.push(remark);
        }
    }
    Block::lines(lines).into_iter().collect()
}
