//! `iopath predict --find-max`: the highest load of each case whose mean response is within a
//! limit, by the estimate of response against load that bounds come with. They know no percentile.

use iopath_analysis::find_max::{Metric, Step};
use iopath_analytic::evaluate_rated;
use iopath_machine::Root;
use iopath_record::Record;
use iopath_study::Trial;

use crate::arguments::Predict;
use crate::arguments::find_max::Sought;
use crate::exit_status::{ExitStatus, Problem};
use crate::inputs::studies::Planned;
use crate::results::{find_max, view};
use crate::run::kept::Stored;
use crate::run::models::{self, Without};
use crate::run::searched::{self, Searched};
use crate::run::session;

/// What is searched for, and where it goes.
pub(super) struct Job<'a> {
    pub arguments: &'a Predict,
    pub planned: &'a Planned,
    pub without: Without,
}

impl Job<'_> {
    pub(super) fn run(&self, trials: &[&Trial], sought: Sought) -> Result<ExitStatus, Problem> {
        let Self { arguments, planned, without } = self;
        if sought.limit.metric != Metric::Mean {
            return Err(Problem::mistake(format!(
                "--latency {}: bounds estimate the mean response only; use mean=…, or `iopath \
                 simulate --find-max`",
                sought.limit
            )));
        }
        let mut records = Vec::new();
        for trial in searched::distinct(&planned.study, trials)? {
            let searched = searched::by_bounds(&planned.study, trial, without, sought)?;
            self.search(&searched, &mut records)?;
        }
        let Stored { run, status } = match arguments.keep {
            true => models::keep(&arguments.store, &planned.text, records.iter().cloned())?,
            false => Stored { run: None, status: ExitStatus::Done },
        };
        let begin = session::begin(&Root::live(), &planned.text);
        let view = view::of(view::facts(&begin, run, None), None, records)?;
        find_max::show(&view, &arguments.show)?;
        run.into_iter().for_each(|run| session::tell_where(&arguments.store, run));
        Ok(status)
    }

    fn search(&self, searched: &Searched, records: &mut Vec<Record>) -> Result<(), Problem> {
        let mut search = searched.wanted.search();
        while let Step::Try(per_sec) = search.next() {
            let trial = Trial { index: records.len(), case: searched.at(per_sec)? };
            let built = models::build(&self.planned.study, &[&trial], &self.without)?;
            let record = built.first().and_then(|one| one.left(&self.without, &evaluate_rated));
            let mut record =
                record.ok_or_else(|| Problem::unexpected("every stream has stopped"))?;
            record.environment.extend(searched.wanted.facts());
            search.observe(per_sec, searched.judged(std::slice::from_ref(&record))?);
            records.push(record);
        }
        Ok(())
    }
}
