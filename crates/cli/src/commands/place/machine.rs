//! The placement of this machine: what `discovery` finds, with the commands that bind interrupts.

use std::collections::BTreeMap;
use std::path::PathBuf;

use iopath_discovery::{Bind, Controller, Facts, Finding, discover, placement};
use iopath_machine::hardware::affinity_file;
use iopath_report::{
    Detail, MachineMove, MachinePlacing, PlacedController, ServedShare, compose,
    machine_placing_json,
};

use crate::arguments::Place;
use crate::exit_status::{ExitStatus, Problem};
use crate::inputs::machine::{assure_there, root};
use crate::inputs::named::WANTED;
use crate::output;

pub(super) fn run(targets: &[PathBuf], arguments: &Place) -> Result<ExitStatus, Problem> {
    arguments.search.assure_none()?;
    let root = root(arguments.root.as_deref())?;
    assure_there(&root, targets, WANTED)?;
    let facts =
        Facts::read(&root, targets).map_err(|error| Problem::new(ExitStatus::Obstacle, error))?;
    let found = placement(&facts, discover(&facts).findings);
    let placing = MachinePlacing {
        host: facts.host.unwrap_or_else(|| "this machine".to_owned()),
        controllers: found.controllers.iter().map(controller).collect(),
        moves: found.findings.iter().map(step).collect(),
        commands: found.binds.iter().map(|bind| set(bind, &bind.to.to_string())).collect(),
        undo: found.binds.iter().map(|bind| set(bind, &bind.today)).collect(),
        not_known: facts.unread,
    };
    if arguments.show.json {
        output::print_json(&machine_placing_json(&placing))?;
    } else {
        let document = compose::machine_placing(&placing);
        output::print_document(&document, Detail::Brief, arguments.show.system())?;
    }
    Ok(ExitStatus::Done)
}

/// The line of sh that lets an interrupt go to these processors.
fn set(bind: &Bind, processors: &str) -> String {
    format!("echo {processors} > {}", affinity_file(bind.interrupt))
}

fn controller(of: &Controller) -> PlacedController {
    PlacedController {
        address: of.address.clone(),
        driver: of.driver.clone(),
        node: of.node,
        behind: of.behind.clone(),
        queues: of.queues,
        interrupts: of.count(),
        served_by: served_by(of),
        can_move: of.can_move(),
    }
}

/// Those that serve most first; who serves nothing is left out.
fn served_by(of: &Controller) -> Vec<ServedShare> {
    let mut counts: BTreeMap<&str, u64> = BTreeMap::new();
    for interrupt in of.interrupts.iter().filter(|interrupt| interrupt.count > 0) {
        *counts.entry(&interrupt.served_by).or_default() += interrupt.count;
    }
    let share = |count: u64| count as f64 / of.count() as f64;
    let mut shares: Vec<ServedShare> = counts
        .into_iter()
        .map(|(processors, count)| ServedShare {
            processors: processors.to_owned(),
            share: share(count),
        })
        .collect();
    shares.sort_by(|one, other| other.share.total_cmp(&one.share));
    shares
}

fn step(of: &Finding) -> MachineMove {
    let Finding { rule, weight, parts, text, hint } = of;
    MachineMove {
        rule,
        severity: weight.word(),
        parts: parts.clone(),
        text: text.clone(),
        hint: hint.clone(),
    }
}
