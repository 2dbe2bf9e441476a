//! `iopath explain [RUN]`: what holds a stored run back, and how one knows; with `--probe` which of
//! its targets share a limit, also as seen from several hosts.

use iopath_record::Record;
use iopath_report::{
    Detail, Probed, Profile, RunFacts, RunView, compose, explanation_json, probe_json,
};
use iopath_units::{Nanos, UnitError};

use crate::arguments::Explain;
use crate::commands::profile;
use crate::exit_status::{ExitStatus, Problem};
use crate::output;
use crate::results::{place, view};
use crate::run::probing::Probing;
use crate::run::progress::{Display, Wanted};
use crate::run::ranks::Leader;

pub(crate) fn run(arguments: &Explain, leader: Option<&Leader>) -> Result<ExitStatus, Problem> {
    let store = place::existing_store(&arguments.store)?;
    let id = store.resolve(&arguments.run).map_err(place::problem)?;
    let records = store.records(id).map_err(Problem::unexpected)?;
    if arguments.probe {
        return probe(arguments, &records, leader);
    }
    let mut view = RunView::of(RunFacts::of_id(&id), records).map_err(Problem::unexpected)?;
    if let Some(probed) = Probed::of(&view.report) {
        show(arguments, &probed)?;
        return Ok(ExitStatus::Done);
    }
    if let Some(found) = Profile::of(&view.report) {
        profile::show(&arguments.show, &found)?;
        return Ok(ExitStatus::Done);
    }
    view::describe(&mut view, None);
    if arguments.show.json {
        output::print_json(&explanation_json(&view))?;
    } else {
        let system = arguments.show.system();
        output::print_document(&compose::explanation(&view, system), Detail::Brief, system)?;
    }
    Ok(ExitStatus::Done)
}

/// Short experiments on the targets of a run, kept as a run of their own.
fn probe(
    arguments: &Explain,
    records: &[Record],
    leader: Option<&Leader>,
) -> Result<ExitStatus, Problem> {
    let wrong = |error: UnitError| Problem::mistake(format!("--time: {error}"));
    let time: Nanos = arguments.time.parse().map_err(wrong)?;
    if time < SHORTEST {
        return Err(Problem::mistake(format!("--time: {time} is too short, at least {SHORTEST}")));
    }
    let probing = Probing::of(records, time, leader.map_or(1, Leader::hosts))?;
    // It was opened for reading until now.
    let store = place::store(&arguments.store)?;
    probing.announce();
    let wanted = Wanted::unless(arguments.no_progress);
    let display = Display::lasting(0, wanted, arguments.show.system());
    let (probed, status) = probing.run(&store, leader, display)?;
    if status == ExitStatus::Interrupted {
        let kept = output::count(probed.experiments.len(), "experiment");
        output::tell(&format!("interrupted: {kept} kept in run {}", probed.run));
    }
    show(arguments, &probed)?;
    if !arguments.show.json {
        let explain = place::command(&arguments.store, &format!("explain {}", probed.run));
        output::tell(&format!("stored as run {}: {explain}", probed.run));
    }
    Ok(status)
}

/// The shortest experiment whose rates mean something: chosen.
const SHORTEST: Nanos = Nanos(100_000_000);

fn show(arguments: &Explain, of: &Probed) -> Result<(), Problem> {
    let system = arguments.show.system();
    match arguments.show.json {
        true => output::print_json(&probe_json(of, system)),
        false => output::print_document(&compose::probe(of, system), Detail::Brief, system),
    }
}
