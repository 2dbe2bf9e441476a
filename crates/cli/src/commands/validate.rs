//! `iopath validate [STUDY…]`: published figures against what the techniques say.

use std::num::NonZeroU32;

use iopath_analysis::agreement::{StudyAgreement, referred};
use iopath_report::{Detail, compose, validation_json};
use iopath_study::{Source, Study};

use crate::arguments::{StoreOption, Validate};
use crate::ending::{Ending, Problem};
use crate::inputs::studies;
use crate::results::outputs::Outputs;
use crate::results::page::Left;
use crate::run::progress::Wanted;
use crate::run::{parallel, session};
use crate::{output, shipped};

mod asked;
mod emulated;
mod sensitivity;

use asked::{Asked, Simulating, asked};

pub(crate) fn run(arguments: &Validate) -> Result<Ending, Problem> {
    let studies = opened(arguments)?;
    let store = StoreOption::default();
    let outputs = Outputs::of(&arguments.destroy.allow_destroy, &store);
    let left = Left::plan(&arguments.report, &store, outputs)?;
    if arguments.sensitivity {
        return sensitivity::run(arguments, &studies);
    }
    let threads = parallel::threads(arguments.threads.threads);
    let mut asked = asked(studies.iter().map(|opened| &opened.study), threads)?;
    if arguments.emulate {
        emulated::understood(arguments, &asked)?;
    }
    if !arguments.without_simulation {
        let seeds = arguments.seeds.map(NonZeroU32::get);
        let which = &referred;
        let simulating = Simulating { threads, seeds, progress: progress(arguments), which };
        let interrupted = session::watch_signals()?;
        let cut = |asked: &[Asked<'_>], done| cut(arguments, asked, done, &left);
        simulating.simulate_until(&mut asked, &interrupted, &cut);
    }
    let ending = match arguments.emulate {
        true => emulated::measure(arguments, &mut asked)?,
        false => Ending::Done,
    };
    show(arguments, &asked.iter().map(agreement).collect::<Vec<_>>(), &left)?;
    Ok(ending)
}

/// Shows what was answered when a signal came.
fn cut(
    arguments: &Validate,
    asked: &[Asked<'_>],
    [done, all]: [usize; 2],
    left: &Left<'_>,
) -> Ending {
    let shown = show(arguments, &asked.iter().map(agreement).collect::<Vec<_>>(), left);
    output::tell(&format!(
        "interrupted: {done} of {all} simulations were finished, and what is shown rests on these"
    ));
    shown.map_or_else(|problem| output::tell_problem(&problem), |()| Ending::Interrupted)
}

fn progress(arguments: &Validate) -> Wanted {
    if arguments.no_progress { Wanted::No } else { Wanted::Yes }
}

fn agreement(asked: &Asked<'_>) -> StudyAgreement {
    let parameters = asked.study.parameters();
    StudyAgreement {
        study: asked.study.title.clone(),
        rows: asked.rows(),
        assumed: parameters.iter().filter(|parameter| parameter.is_assumed()).count(),
        parameters: parameters.len(),
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
        (true, true) => shipped::of_throughput().collect(),
        (true, false) => shipped::all().collect(),
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
