//! `iopath measure`: what was chosen, on real storage.

use iopath_machine::Root;
use iopath_report::{RunReport, render_json, render_paths, render_text};
use iopath_store::NewRun;
use iopath_study::Study;

use crate::arguments::Measure;
use crate::commands::explain;
use crate::ending::{Ending, Problem};
use crate::outputs::Outputs;
use crate::pathed::{self, Wish};
use crate::progress::{Display, Wanted};
use crate::reported::Left;
use crate::session::{Outcome, Session};
use crate::{chosen, measurable, output, outputs, place, reported, session};

pub(crate) fn run(arguments: &Measure) -> Result<Ending, Problem> {
    // A mistake is told before anything is measured.
    arguments.ladder.within()?;
    let chosen = chosen::choose(&arguments.study, &arguments.case)?;
    let adjust = chosen.adjust();
    let mut planned = chosen.planned;
    measurable::check(&planned)?;
    let targets = outputs::targets(&planned.plan.trials);
    outputs::assure_store_apart(&arguments.store, &targets)?;
    let outputs = Outputs::of(&arguments.allow_destroy, &arguments.store).apart_from(targets);
    let left = Left::plan(&arguments.report, &arguments.store, outputs)?;
    let path_from = pathed::lay(&mut planned, &wish(arguments), &Root::live())?;
    let store = place::store(&arguments.store)?;
    let wanted = if arguments.no_progress { Wanted::No } else { Wanted::Yes };
    let display = Display::new(&planned.plan, wanted, arguments.show.system());
    let allow_destroy = arguments.allow_destroy.clone();
    let study = planned.study.clone();
    let outcome = Session { planned, path_from, store, allow_destroy, adjust }.run(display)?;
    if outcome.journals > 0 {
        let verify = place::command(&arguments.store, &format!("verify {}", outcome.run));
        output::tell(&format!("what was flushed can be checked: {verify}"));
    }
    if outcome.ending == Ending::Interrupted {
        let passes = output::count(outcome.records.len(), "pass");
        let run = outcome.run;
        let besides = match outcome.journals {
            0 if outcome.remaining > 0 => "besides what could not be removed".to_owned(),
            0 => "nothing else remains".to_owned(),
            journals => format!("and {} next to the store", output::count(journals, "journal")),
        };
        output::tell(&format!("interrupted: {passes} kept in run {run}, {besides}"));
    }
    show(arguments, &outcome)?;
    report(arguments, &study, outcome, &left)
}

fn wish(arguments: &Measure) -> Wish {
    match (&arguments.path, arguments.no_path) {
        (Some(file), _) => Wish::File(file.clone()),
        (None, true) => Wish::Own,
        (None, false) => Wish::Discovered,
    }
}

fn show(arguments: &Measure, outcome: &Outcome) -> Result<(), Problem> {
    let run = Some(outcome.run.to_string());
    let mut report = RunReport::from_records(run, &outcome.records).map_err(Problem::unexpected)?;
    report.within = arguments.ladder.within()?;
    if arguments.show.json {
        return output::print_json(&render_json(&report));
    }
    if !outcome.records.is_empty() {
        let look = output::look(arguments.show.system());
        output::print(&render_text(&report, &look))?;
        let trials = report.trials.into_iter();
        let beside = |trial| explain::beside_its_path(trial, &outcome.records);
        let explained: Vec<_> = trials.map(beside).collect();
        let paths = render_paths(&explained, &look);
        if !paths.is_empty() {
            output::print(&format!("\n{paths}"))?;
        }
        session::tell_where(&arguments.store, outcome.run);
    }
    Ok(())
}

/// Leaves the page of what was measured.
fn report(
    arguments: &Measure,
    study: &Study,
    outcome: Outcome,
    left: &Left<'_>,
) -> Result<Ending, Problem> {
    let Outcome { run, records, ending, .. } = outcome;
    if records.is_empty() {
        return Ok(ending);
    }
    let started = records[0].clock.started_unix_ns;
    let begin = NewRun { started_unix_ns: started, ..session::begin(&Root::live(), "") };
    let state = (ending != Ending::Done).then(|| "ended early".to_owned());
    let within = arguments.ladder.within()?;
    let system = arguments.show.system();
    left.write(&reported::name(&[run]), || {
        let mut run = reported::of(&begin, Some(study), (Some(run), state), records)?;
        run.report.within = within;
        Ok(reported::page(&run, system))
    })?;
    Ok(ending)
}
