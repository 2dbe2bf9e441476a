//! The cases of studies and what the models say of them: bounds of all, simulations of those that
//! a published statement refers to. Cases and seeds are spread over the processors.

use std::cell::RefCell;
use std::collections::BTreeSet;
use std::num::NonZeroUsize;
use std::sync::Arc;
use std::sync::atomic::AtomicBool;

use iopath_analysis::agreement::{Agreement, Answers, Referred, agree};
use iopath_analytic::evaluate;
use iopath_path::{Network, PathMistake};
use iopath_record::Record;
use iopath_simulation::Settings;
use iopath_study::experiment::Experiment;
use iopath_study::{Case, Study};

use crate::exit_status::{ExitStatus, Problem};
use crate::inputs::paths;
use crate::run::crew::{Crew, Simulator};
use crate::run::parallel;
use crate::run::parallel::Endable;
use crate::run::progress::{Display, Wanted};

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
        let all = &self.study.experiments;
        each.flat_map(|(experiment, (answers, _))| agree(all, experiment, answers)).collect()
    }

    /// The answers to the cases of each experiment.
    pub(super) fn answers(&self) -> Vec<&[Answers]> {
        self.experiments.iter().map(|(answers, _)| answers.as_slice()).collect()
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

/// Who simulates.
#[derive(Clone, Copy)]
pub(super) enum By<'a> {
    All(Crew<'a>),
    One(&'a Simulator),
}

/// How cases are simulated.
#[derive(Clone, Copy)]
pub(super) struct Simulating<'a> {
    /// As many seeds for each case; none for as many as its statements need.
    pub seeds: Option<u32>,
    pub progress: Wanted,
    /// All but the seed.
    pub settings: Settings,
    /// Which cases of an experiment.
    pub which: &'a dyn Fn(&Experiment, &[Answers]) -> Vec<Referred>,
}

/// A case with one seed, and the place where its answer goes. It has a case of its own, as answers
/// are added to the studies while others are still being made.
struct Job {
    at: [usize; 3],
    case: Arc<(Case, Network)>,
    settings: Settings,
}

impl Simulating<'_> {
    /// Simulates every case that is wanted.
    pub(super) fn simulate(self, by: By<'_>, studies: &mut [Asked<'_>]) {
        let jobs = self.jobs(studies);
        let run = |simulator: &Simulator, job: &Job| job.run(simulator);
        let records: Vec<Record> = match by {
            By::All(crew) => crew.in_order(&jobs, run, &mut |_| ()),
            By::One(simulator) => jobs.iter().map(|job| run(simulator, job)).collect(),
        };
        answer(studies, &jobs, records.into_iter().map(Some));
    }

    /// The same, unless a signal comes: then `cut` gets the studies with the answers that are
    /// there, how many these are, and of how many, and the program ends.
    pub(super) fn simulate_until(
        self,
        crew: Crew<'_>,
        studies: &mut [Asked<'_>],
        interrupted: &AtomicBool,
        cut: &dyn Fn(&[Asked<'_>], [usize; 2]) -> ExitStatus,
    ) {
        let jobs = self.jobs(studies);
        let display = RefCell::new(Display::counting(jobs.len(), self.progress));
        let endable = Endable {
            interrupted,
            done: &mut |count, _: &Record| display.borrow_mut().done(count),
            cut: &mut |records| {
                display.borrow_mut().end();
                let done = records.iter().flatten().count();
                answer(studies, &jobs, records.into_iter());
                cut(studies, [done, jobs.len()])
            },
        };
        let records = crew.until(&jobs, |simulator, job: &Job| job.run(simulator), endable);
        display.borrow_mut().end();
        answer(studies, &jobs, records.into_iter().map(Some));
    }

    fn jobs(&self, studies: &[Asked<'_>]) -> Vec<Job> {
        let mut jobs = Vec::new();
        for (study, asked) in studies.iter().enumerate() {
            let each = asked.study.experiments.iter().zip(&asked.experiments);
            for (experiment, (described, (answers, networks))) in each.enumerate() {
                for Referred { position, is_race } in (self.which)(described, answers) {
                    let usual = if is_race { RACES } else { 1 };
                    let case = (answers[position].case.clone(), networks[position].clone());
                    let first = case.0.workload.seed;
                    let (case, at) = (Arc::new(case), [study, experiment, position]);
                    let passes = 0..u64::from(self.seeds.unwrap_or(usual));
                    jobs.extend(passes.map(|pass| {
                        let settings = Settings { seed: first.wrapping_add(pass), ..self.settings };
                        Job { at, case: Arc::clone(&case), settings }
                    }));
                }
            }
        }
        jobs
    }
}

/// Puts the records of jobs to the cases that they answer.
fn answer(studies: &mut [Asked<'_>], jobs: &[Job], records: impl Iterator<Item = Option<Record>>) {
    for (Job { at: [study, experiment, case], .. }, record) in jobs.iter().zip(records) {
        studies[*study].experiments[*experiment].0[*case].simulated.extend(record);
    }
}

impl Job {
    fn run(&self, simulator: &Simulator) -> Record {
        let (case, network) = &*self.case;
        simulator.simulate(case, network, &self.settings)
    }
}
