//! `iopath validate --field`: bounds of systems that the models were not made for, from ratings
//! alone and calibrated.

use iopath_analysis::agreement::field;
use iopath_report::{Detail, compose, field_json};

use super::Opened;
use super::asked::asked;
use crate::arguments::Validate;
use crate::exit_status::{ExitStatus, Problem};
use crate::output;
use crate::results::page::Left;
use crate::run::{parallel, session};

pub(super) fn run(
    arguments: &Validate,
    studies: &[Opened],
    left: &Left<'_>,
) -> Result<ExitStatus, Problem> {
    let threads = parallel::threads(arguments.threads.threads);
    let asked = asked(studies.iter().map(|opened| &opened.study), threads)?;
    let all: Vec<_> = asked.iter().map(|one| field(one.study, &one.answers())).collect();
    let system = arguments.show.system();
    let document = compose::field(&all, session::command_line(), system);
    match arguments.show.json {
        true => output::print_json(&field_json(&all))?,
        false => output::print_document(&document, Detail::Brief, system)?,
    }
    left.write("validate-field", || document)?;
    Ok(ExitStatus::Done)
}
