//! `iopath measure`: what was chosen, on real storage.

use std::rc::Rc;

use iopath_machine::Root;
use iopath_record::Record;
use iopath_report::{Detail, RunView, compose, render_json};
use iopath_store::Store;
use iopath_study::Study;

use crate::arguments::Measure;
use crate::exit_status::{ExitStatus, Problem};
use crate::inputs::chosen::Adjust;
use crate::inputs::path_source::{self, PathSource};
use crate::inputs::studies::Planned;
use crate::inputs::{chosen, measurable};
use crate::output;
use crate::results::machine_profile::MachineProfile;
use crate::results::outputs::Outputs;
use crate::results::page::Left;
use crate::results::{find_max, outputs, page, place, view};
use crate::run::continued::Continued;
use crate::run::journals::Shelf;
use crate::run::progress::{Display, Wanted};
use crate::run::ranks::Leader;
use crate::run::searched::measured::Measured;
use crate::run::session;
use crate::run::session::{Outcome, Session};

pub(crate) fn run(arguments: &Measure, leader: Option<Rc<Leader>>) -> Result<ExitStatus, Problem> {
    if arguments.restore_settings_at_end {
        session::restore_settings_at_end();
        return Ok(ExitStatus::Done);
    }
    // A mistake is told before anything is measured.
    arguments.load_sweep.within()?;
    let sought = arguments.find_max.sought()?;
    let chosen = chosen::choose(&arguments.study, &arguments.case)?;
    let adjust = chosen.adjust();
    let mut planned = chosen.planned;
    measurable::check(&planned)?;
    let targets = outputs::targets(&planned.plan.trials);
    outputs::assure_store_apart(&arguments.store, &targets)?;
    let outputs = Outputs::of(&arguments.allow_destroy, &arguments.store).apart_from(targets);
    let left = Left::plan(&arguments.report, &arguments.store, outputs)?;
    let wish = match &leader {
        Some(leader) => leader.discover_on_each_host(wish(arguments), &arguments.store),
        None => wish(arguments),
    };
    let path_from = path_source::lay(&mut planned, &wish, &Root::live())?;
    if arguments.resume.is_some() {
        place::existing_store(&arguments.store)?;
    }
    let store = place::store(&arguments.store)?;
    let wanted = Wanted::unless(arguments.no_progress);
    let display = Display::new(&planned.plan, wanted, arguments.show.system());
    let allow_destroy = arguments.allow_destroy.clone();
    let study = planned.study.clone();
    let search =
        sought.map(|sought| Measured::of(&planned, |index| path_from.get(&index).cloned(), sought));
    let search = search.transpose()?;
    let unresumable = unresumable(arguments, adjust, leader.as_deref());
    let is_resumable = planned.plan.trials.len() > 1 && unresumable.is_none();
    let before = kept(arguments, unresumable, &store, &planned)?;
    let session = Session { planned, path_from, store, allow_destroy, adjust, before, leader };
    let outcome = match search {
        Some(mut search) => session.run_trials(&mut search, display)?,
        None => session.run(display)?,
    };
    if outcome.journals > 0 {
        let verify = place::command(&arguments.store, &format!("verify {}", outcome.run));
        output::tell(&format!("to verify flushed writes: {verify}"));
    }
    if outcome.status == ExitStatus::Interrupted {
        let passes = output::count(outcome.records.len(), "pass");
        let run = outcome.run;
        let besides = match outcome.journals {
            0 if outcome.remaining > 0 => "except for files that could not be removed".to_owned(),
            0 => "nothing else remains".to_owned(),
            journals => format!("and {} next to the store", output::count(journals, "journal")),
        };
        output::tell(&format!("interrupted: {passes} kept in run {run}, {besides}"));
        if is_resumable && outcome.journals == 0 {
            output::tell(&format!("to measure the rest: the same command with --resume {run}"));
        }
    }
    let (run, status) = (outcome.run, outcome.status);
    let view = view(arguments, left.is_wanted().then_some(&study), outcome)?;
    show(arguments, &view)?;
    if view.records.is_empty() {
        return Ok(status);
    }
    if !arguments.show.json {
        session::tell_where(&arguments.store, run);
    }
    left.write(&page::name(&[run]), || compose::whole(&view, arguments.show.system()))?;
    Ok(status)
}

/// What cannot be resumed of this kind.
fn unresumable(
    arguments: &Measure,
    adjust: Adjust,
    leader: Option<&Leader>,
) -> Option<&'static str> {
    match adjust {
        // Its trials depend on what the first one wrote.
        Adjust::ToWhatWasWritten => Some("the quick study"),
        Adjust::Nothing if leader.is_some() => Some("a run of several ranks"),
        Adjust::Nothing => arguments.find_max.find_max.then_some("a search"),
    }
}

/// What an interrupted run has measured already, where one is resumed.
fn kept(
    arguments: &Measure,
    unresumable: Option<&str>,
    store: &Store,
    planned: &Planned,
) -> Result<Vec<Record>, Problem> {
    let Some(name) = &arguments.resume else { return Ok(Vec::new()) };
    if let Some(what) = unresumable {
        return Err(Problem::mistake(format!("--resume: {what} cannot be resumed")));
    }
    let run = store.resolve(name).map_err(place::problem)?;
    if !Shelf::of(store.path()).of_run(run).is_empty() {
        let verify = place::command(&arguments.store, &format!("verify {run}"));
        let text = format!("run {run} has flushed writes that are not verified: {verify}");
        return Err(Problem::mistake(text));
    }
    let Continued { records, trials, .. } = Continued::of_run(store, run, planned)?;
    let all = output::count(planned.plan.trials.len(), "trial");
    output::tell(&format!("kept from run {run}: {trials} of {all}"));
    Ok(records)
}

fn wish(arguments: &Measure) -> PathSource {
    match (&arguments.path, arguments.no_path) {
        (Some(file), _) => PathSource::File(file.clone()),
        (None, true) => PathSource::Own,
        (None, false) => {
            let known = MachineProfile::read(&arguments.store);
            PathSource::Discovered(Box::new(move |found| known.put_into(found)))
        }
    }
}

/// What was measured, with what the study publishes where it is given.
fn view(arguments: &Measure, study: Option<&Study>, outcome: Outcome) -> Result<RunView, Problem> {
    let (facts, records) = (outcome.facts(), outcome.records);
    let mut view = match study {
        // JSON has nothing of the path that a case describes.
        None if arguments.show.json => RunView::of(facts, records).map_err(Problem::unexpected)?,
        study => view::of(facts, study, records)?,
    };
    view.report.within = arguments.load_sweep.within()?;
    Ok(view)
}

fn show(arguments: &Measure, view: &RunView) -> Result<(), Problem> {
    if arguments.show.json && !arguments.find_max.find_max {
        return output::print_json(&render_json(view));
    }
    if view.records.is_empty() {
        return Ok(());
    }
    if arguments.find_max.find_max {
        return find_max::show(view, &arguments.show);
    }
    let system = arguments.show.system();
    output::print_document(&compose::summary(view, system), Detail::Brief, system)
}
