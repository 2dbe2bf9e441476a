//! How far check figures move with parameters that no source states.

use iopath_analysis::agreement::{Move, Sensitivity};
use iopath_analysis::thresholds::validation::SIMULATED_MOVE_PERCENT;

use crate::document::{Block, Document, Section, Table};
use crate::words::validation::technique;

/// The moves of every study.
#[must_use]
pub fn document(studies: &[Sensitivity]) -> Document {
    let section = |study: &Sensitivity| Section {
        id: "sensitivity",
        title: String::new(),
        blocks: blocks(study),
    };
    let title = "Sensitivity to assumed and inferred parameters".to_owned();
    let sections = studies.iter().map(section).collect();
    Document { title, sections, ..Document::default() }
}

fn blocks(study: &Sensitivity) -> Vec<Block> {
    let mut blocks = vec![Block::Verdict(study.study.clone())];
    let mut lines = Vec::new();
    match study.moves.is_empty() {
        true => lines.push(unmoved(study)),
        false => blocks.push(Block::Table(table(&study.moves))),
    }
    if study.moves.iter().any(|one| one.is_simulated) {
        lines.push(format!(
            "simulated moves below {SIMULATED_MOVE_PERCENT} % are left out: they may be chance"
        ));
    }
    lines.extend(left(study.left));
    let refused = || format!("not moved, as it must fit others: {}", study.refused.join(", "));
    lines.extend((!study.refused.is_empty()).then(refused));
    blocks.extend(Block::lines(lines));
    blocks
}

fn unmoved(Sensitivity { checks, parameters, .. }: &Sensitivity) -> String {
    match (checks, parameters) {
        (0, _) => "no check figure has a number that could move".to_owned(),
        (_, 0) => "no parameter is assumed or inferred".to_owned(),
        _ => format!(
            "none of {checks} check figures moves when one of {parameters} assumed or inferred \
             parameters moves by 20 %"
        ),
    }
}

fn table(moves: &[Move]) -> Table {
    let is_simulated = moves.iter().any(|one| one.is_simulated);
    Table::of(moves)
        .column("figure", |one| format!("{} / {}", one.experiment, one.figure))
        .column("parameter", |one| one.parameter.clone())
        .column("-20 %", |one| format!("{:+.2} %", one.lower_percent))
        .column("+20 %", |one| format!("{:+.2} %", one.higher_percent))
        .column_if(is_simulated, "by", |one| technique(one).to_owned())
        .done()
}

/// Figures that only a simulation moves.
fn left(count: usize) -> Option<String> {
    let plural = match count {
        0 => return None,
        1 => "figure needs simulation and is",
        _ => "figures need simulation and are",
    };
    Some(format!("{count} check {plural} not moved here (--simulated moves them)"))
}
