//! `iopath validate [STUDY…]`: published figures against what the techniques say.

use std::num::NonZeroU32;

use iopath_analysis::agreement::{Origins, StudyAgreement, referred};
use iopath_report::{Detail, compose, validation_json};
use iopath_simulation::Settings;
use iopath_study::{Source, Study};

use crate::arguments::{StoreOption, Validate};
use crate::exit_status::{ExitStatus, Problem};
use crate::inputs::studies;
use crate::results::outputs::Outputs;
use crate::results::page::Left;
use crate::run::crew::Crew;
use crate::run::progress::Wanted;
use crate::run::ranks::Leader;
use crate::run::session;
use crate::run::signals::{self, Pending};
use crate::{bundled_studies, output};

mod asked;
mod emulated;
mod field;
mod sensitivity;

use asked::{Asked, Simulating, asked};

pub(crate) fn run(arguments: &Validate, leader: Option<&Leader>) -> Result<ExitStatus, Problem> {
    let crew = Crew::new(arguments.threads.threads, leader);
    let studies = opened(arguments)?;
    let store = StoreOption::default();
    let outputs = Outputs::of(&arguments.destroy.allow_destroy, &store);
    let left = Left::plan(&arguments.report, &store, outputs)?;
    if arguments.sensitivity {
        return sensitivity::run(arguments, crew, &studies);
    }
    if arguments.field {
        return field::run(arguments, &studies, &left);
    }
    let mut asked = asked(studies.iter().map(|opened| &opened.study), crew.threads())?;
    if arguments.emulate {
        emulated::understood(arguments, &asked)?;
    }
    if !arguments.without_simulation {
        let seeds = arguments.seeds.map(NonZeroU32::get);
        let which = &referred;
        let (progress, settings) = (progress(arguments), Settings::default());
        let simulating = Simulating { seeds, progress, settings, which };
        let interrupted = signals::watch(Pending::Results)?;
        let cut = |asked: &[Asked<'_>], done| cut(arguments, asked, done, &left);
        simulating.simulate_until(crew, &mut asked, &interrupted, &cut);
    }
    let status = match arguments.emulate {
        true => emulated::measure(arguments, &mut asked)?,
        false => ExitStatus::Done,
    };
    show(arguments, &asked.iter().map(agreement).collect::<Vec<_>>(), &left)?;
    Ok(status)
}

/// Shows what was answered when a signal came.
fn cut(
    arguments: &Validate,
    asked: &[Asked<'_>],
    [done, all]: [usize; 2],
    left: &Left<'_>,
) -> ExitStatus {
    let shown = show(arguments, &asked.iter().map(agreement).collect::<Vec<_>>(), left);
    output::tell(&format!(
        "interrupted: {done} of {all} simulations completed; results are based on these only"
    ));
    shown.map_or_else(|problem| output::tell_problem(&problem), |()| ExitStatus::Interrupted)
}

fn progress(arguments: &Validate) -> Wanted {
    Wanted::unless(arguments.no_progress)
}

fn agreement(asked: &Asked<'_>) -> StudyAgreement {
    StudyAgreement {
        study: asked.study.title.clone(),
        rows: asked.rows(),
        origins: Origins::of(asked.study),
    }
}

fn show(arguments: &Validate, all: &[StudyAgreement], left: &Left<'_>) -> Result<(), Problem> {
    let system = arguments.show.system();
    let about = format!("`{}` · iopath {}", session::command_line(), env!("CARGO_PKG_VERSION"));
    let document = compose::validation(all, about, system);
    match arguments.show.json {
        true => output::print_json(&validation_json(all))?,
        false => output::print_document(&document, Detail::Brief, system)?,
    }
    let name = match all {
        [one] => format!("validate-{}", one.study),
        _ => "validate".to_owned(),
    };
    left.write(&name, || document)
}

/// A study and the text that it is read from, again for each change of a parameter.
struct Opened {
    source: Source,
    study: Study,
}

fn opened(arguments: &Validate) -> Result<Vec<Opened>, Problem> {
    let sources: Vec<Source> = match (arguments.studies.is_empty(), arguments.emulate) {
        (true, false) if arguments.field => bundled_studies::field().collect(),
        (true, true) => bundled_studies::of_throughput().collect(),
        (true, false) => bundled_studies::all().collect(),
        (false, _) => {
            arguments.studies.iter().map(|path| studies::source(path)).collect::<Result<_, _>>()?
        }
    };
    let open = |source: Source| {
        let study = studies::understand(&source, &arguments.set)?;
        Ok(Opened { source, study })
    };
    sources.into_iter().map(open).collect()
}
