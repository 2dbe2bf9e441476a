//! The cases of studies and what the models say of them: bounds of all, simulations of those that
//! a published statement refers to. Cases and seeds are spread over the processors.

use std::collections::BTreeSet;
use std::num::NonZeroUsize;

use iopath_analysis::agreement::{Agreement, Answers, Referred, agree};
use iopath_analytic::evaluate;
use iopath_path::{Network, PathMistake};
use iopath_record::Record;
use iopath_simulation::{Settings, simulate};
use iopath_study::experiment::Experiment;
use iopath_study::{Case, Study};

use crate::ending::Problem;
use crate::progress::{Display, Wanted};
use crate::{parallel, paths};

/// Seeds of a case of which a statement is about how streams share: the project's goal is a median
/// over as many.
const RACES: u32 = 20;

/// A study and the answers to its cases.
pub(super) struct Asked<'a> {
    pub study: &'a Study,
    /// Of each experiment the answers to its cases, and their networks.
    experiments: Vec<(Vec<Answers>, Vec<Network>)>,
}

/// The studies with the bounds of all their cases.
pub(super) fn asked<'a>(
    studies: impl Iterator<Item = &'a Study>,
    threads: NonZeroUsize,
) -> Result<Vec<Asked<'a>>, Problem> {
    studies.map(|study| Asked::of(study, threads)).collect()
}

impl<'a> Asked<'a> {
    pub(super) fn of(study: &'a Study, threads: NonZeroUsize) -> Result<Self, Problem> {
        let cases = study.cases().map_err(Problem::mistake)?;
        let bounded = parallel::in_order(threads, &cases, bounded, &mut |_| ());
        let mut mistakes = paths::Mistakes::default();
        let mut answered = Vec::new();
        for (case, bounded) in cases.into_iter().zip(bounded) {
            match bounded {
                Ok((network, analytic)) => {
                    let (simulated, measured) = (Vec::new(), None);
                    let analytic = Some(analytic);
                    answered.push((Answers { case, analytic, simulated, measured }, network));
                }
                Err(wrong) => mistakes.add(wrong),
            }
        }
        mistakes.into_result(study)?;
        let mut answered = answered.into_iter();
        let counts = study.experiments.iter().map(Experiment::case_count);
        let experiments = counts.map(|count| answered.by_ref().take(count).unzip());
        Ok(Self { study, experiments: experiments.collect() })
    }

    /// The rows of all experiments.
    pub(super) fn rows(&self) -> Vec<Agreement> {
        let each = self.study.experiments.iter().zip(&self.experiments);
        each.flat_map(|(experiment, (answers, _))| agree(experiment, answers)).collect()
    }

    /// The cases of all experiments.
    pub(super) fn cases(&self) -> impl Iterator<Item = &Case> {
        self.experiments.iter().flat_map(|(answers, _)| answers).map(|answers| &answers.case)
    }

    /// Each experiment with the answers to its cases.
    pub(super) fn experiments(
        &mut self,
    ) -> impl Iterator<Item = (&'a Experiment, &mut Vec<Answers>)> {
        let answers = self.experiments.iter_mut().map(|(answers, _)| answers);
        self.study.experiments.iter().zip(answers)
    }
}

type Bounded = Result<(Network, Record), Vec<PathMistake>>;

fn bounded(case: &Case) -> Bounded {
    let network = Network::build(case, &BTreeSet::new())?;
    let record = evaluate(case, &network);
    Ok((network, record))
}

/// How cases are simulated.
#[derive(Clone, Copy)]
pub(super) struct Simulating<'a> {
    pub threads: NonZeroUsize,
    /// As many seeds for each case; none for as many as its statements need.
    pub seeds: Option<u32>,
    pub progress: Wanted,
    /// Which cases of an experiment.
    pub which: &'a dyn Fn(&Experiment, &[Answers]) -> Vec<Referred>,
}

/// A case with one seed, and the place where its answer goes.
struct Job<'a> {
    at: [usize; 3],
    case: &'a Case,
    network: &'a Network,
    pass: u32,
}

impl Simulating<'_> {
    /// Simulates every case that is wanted.
    pub(super) fn simulate(self, studies: &mut [Asked<'_>]) {
        let jobs: Vec<Job<'_>> = self.jobs(studies);
        let mut display = Display::counting(jobs.len(), self.progress);
        let records =
            parallel::in_order(self.threads, &jobs, Job::run, &mut |done| display.done(done));
        display.end();
        let places: Vec<[usize; 3]> = jobs.iter().map(|job| job.at).collect();
        for ([study, experiment, case], record) in places.into_iter().zip(records) {
            studies[study].experiments[experiment].0[case].simulated.push(record);
        }
    }

    fn jobs<'b>(self, studies: &'b [Asked<'_>]) -> Vec<Job<'b>> {
        let mut jobs = Vec::new();
        for (study, asked) in studies.iter().enumerate() {
            let each = asked.study.experiments.iter().zip(&asked.experiments);
            for (experiment, (described, (answers, networks))) in each.enumerate() {
                for Referred { position, is_race } in (self.which)(described, answers) {
                    let usual = if is_race { RACES } else { 1 };
                    let (case, network) = (&answers[position].case, &networks[position]);
                    let at = [study, experiment, position];
                    let passes = 0..self.seeds.unwrap_or(usual);
                    jobs.extend(passes.map(|pass| Job { at, case, network, pass }));
                }
            }
        }
        jobs
    }
}

impl Job<'_> {
    fn run(&self) -> Record {
        let seed = self.case.workload.seed.wrapping_add(u64::from(self.pass));
        simulate(self.case, self.network, &Settings { seed, ..Settings::default() })
    }
}
