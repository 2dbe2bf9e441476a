//! The trials of a search by measurement. First each case with as many requests in flight as its
//! depths allow: what it does then is the guess of the load that uses it up, and how streams
//! without a stated rate share. Then load after load. A load of several passes that is not decided
//! by them gets more.

use std::collections::VecDeque;

use iopath_analysis::find_max::{Outcome, Search, Step};
use iopath_analysis::{analyse, predict};
use iopath_measurement::Next;
use iopath_record::Record;
use iopath_study::Case;

use super::{Guess, Searched, distinct, shares};
use crate::arguments::find_max::Sought;
use crate::exit_status::Problem;
use crate::inputs::studies::Planned;
use crate::run::session::{self, Coming, Trials};

/// A load gets so many times its study's passes at most: chosen, the interval is then half as wide.
const MOST_TIMES: usize = 4;

/// The search under way, and the cases after it.
pub(crate) struct Measured {
    sought: Sought,
    cases: VecDeque<OneCase>,
    current: Option<Current>,
    /// How many records there were before the trial under way.
    before: usize,
}

struct OneCase {
    case: Case,
    path_from: Option<String>,
}

struct Current {
    of: OneCase,
    /// None until its closed loop was measured.
    search: Option<(Searched, Search)>,
    tried_per_sec: f64,
}

impl Measured {
    /// The cases of a plan, each once.
    pub(crate) fn of(
        planned: &Planned,
        path_from: impl Fn(usize) -> Option<String>,
        sought: Sought,
    ) -> Result<Self, Problem> {
        let trials: Vec<_> = planned.plan.trials.iter().collect();
        let mut cases = VecDeque::new();
        for trial in distinct(&planned.study, &trials)? {
            if trial.case.workload.until.time.is_none() {
                return Err(Problem::mistake(format!(
                    "--find-max needs a time for each pass: {} has none; add time=\"10 s\" to its \
                     workload",
                    session::name_of(&trial.case)
                )));
            }
            let path_from = path_from(trial.index);
            cases.push_back(OneCase { case: trial.case.clone(), path_from });
        }
        Ok(Self { sought, cases, current: None, before: 0 })
    }

    /// The next case, as a closed loop.
    fn begin(&mut self) -> Result<Option<Coming>, Problem> {
        let Some(of) = self.cases.pop_front() else { return Ok(None) };
        let mut case = of.case.closed_loop().map_err(Problem::mistake)?;
        case.workload.passes = 1;
        case.workload.until_ci = None;
        let path_from = of.path_from.clone();
        self.current = Some(Current { of, search: None, tried_per_sec: 0.0 });
        Ok(Some(Coming { case, path_from, facts: Vec::new() }))
    }
}

impl Current {
    /// Takes what the trial under way came to.
    fn learn(&mut self, passes: &[Record], sought: Sought) -> Result<(), Problem> {
        if let Some((searched, search)) = &mut self.search {
            search.observe(self.tried_per_sec, searched.judged(passes)?);
            return Ok(());
        }
        let findings = analyse(passes).map_err(Problem::unexpected)?;
        let saturated_per_sec = findings.headline.operations_per_sec;
        let done = passes.first().map(|record| shares(&predict(record))).unwrap_or_default();
        let guess = Guess { done, saturated_per_sec };
        let searched = Searched::of(&self.of.case, sought, &guess);
        let search = searched.wanted.search();
        self.search = Some((searched, search));
        Ok(())
    }

    /// The next load; none where the highest is known.
    fn coming(&mut self) -> Result<Option<Coming>, Problem> {
        let Some((searched, search)) = &self.search else { return Ok(None) };
        let Step::Try(per_sec) = search.next() else { return Ok(None) };
        self.tried_per_sec = per_sec;
        let case = searched.at(per_sec)?;
        let facts = searched.wanted.facts().to_vec();
        Ok(Some(Coming { case, path_from: self.of.path_from.clone(), facts }))
    }
}

impl Trials for Measured {
    fn next(&mut self, measured: &[Record]) -> Result<Option<Coming>, Problem> {
        let passes = measured.get(self.before..).unwrap_or_default();
        self.before = measured.len();
        if let Some(current) = &mut self.current {
            current.learn(passes, self.sought)?;
            if let Some(coming) = current.coming()? {
                return Ok(Some(coming));
            }
        }
        self.begin()
    }

    fn next_pass(&self, passes: &[Record]) -> Next {
        let searched = self.current.as_ref().and_then(|one| Some((one, one.search.as_ref()?)));
        let Some((current, (searched, _))) = searched else { return Next::Enough };
        let most = current.of.case.workload.passes as usize * MOST_TIMES;
        let is_undecided = searched.judged(passes).is_ok_and(Outcome::is_undecided);
        if is_undecided && passes.len() < most { Next::Continue } else { Next::Enough }
    }
}
