//! Settings of a study's factors, tried one after the other: their cases, what they came to, and
//! what models say of them beforehand. By simulation in `simulated`, by real I/O in `measured`.

use std::collections::{BTreeMap, BTreeSet};

use iopath_advice::tuning::{Aim, Figures, Knob, Purpose, Rules, Setting, Space, Step, Tuning};
use iopath_analysis::{is_full, predict};
use iopath_analytic::evaluate_rated;
use iopath_path::Network;
use iopath_record::Record;
use iopath_study::experiment::{Belongs, Experiment};
use iopath_study::vary::Factor;
use iopath_study::{Case, Study};

use crate::exit_status::Problem;
use crate::run::parallel;

pub(crate) mod kernel;
pub(crate) mod measured;
pub(crate) mod simulated;

/// Settings whose bounds are known beforehand: of more, none are. Chosen: seconds.
const MOST_BOUNDS: usize = 2048;

/// What is tuned.
pub(crate) struct Tuned<'a> {
    pub study: &'a Study,
    pub experiment: &'a Experiment,
    pub aim: Aim,
    pub space: Space,
    pub rules: Rules,
    /// The cases of settings as they are measured, where they are.
    pub laid: BTreeMap<Setting, Laid>,
}

/// A case with the path that was found for it.
pub(crate) struct Laid {
    pub case: Case,
    /// Where the path is from, where its study describes none.
    pub path_from: Option<String>,
}

/// What a setting came to.
#[derive(Clone, Debug)]
pub(crate) struct Visited {
    pub setting: Setting,
    /// Why it was tried first.
    pub purpose: Purpose,
    /// The figures of its passes.
    pub passes: Vec<Figures>,
}

/// A search with all that was tried.
pub(crate) struct Trials<'a> {
    pub tuned: &'a Tuned<'a>,
    pub search: Tuning<'a>,
    /// In the order in which they were tried first.
    pub visited: Vec<Visited>,
}

/// A setting that is to be tried.
pub(crate) struct Coming {
    pub setting: Setting,
    pub purpose: Purpose,
    pub case: Case,
    /// Passes of it so far.
    pub before: usize,
    /// Its place among those that were tried.
    pub number: usize,
}

impl<'a> Tuned<'a> {
    /// An experiment with its factors as knobs.
    pub(crate) fn new(
        study: &'a Study,
        experiment: &'a Experiment,
        aim: Aim,
        rules: impl FnOnce(&Space) -> Rules,
    ) -> Self {
        let stated = study.stated_levels(experiment);
        let today = stated.into_iter().map(Option::unwrap_or_default).collect();
        let space = Space::new(knobs(experiment), today);
        let rules = rules(&space);
        Self { study, experiment, aim, space, rules, laid: BTreeMap::new() }
    }

    /// The case of a setting.
    pub(crate) fn case(&self, setting: &[usize]) -> Result<Case, String> {
        if let Some(laid) = self.laid.get(setting) {
            return Ok(laid.case.clone());
        }
        self.study.case_at(self.experiment, setting).map_err(|mistakes| mistakes.to_string())
    }

    /// The same with another setting as today's.
    pub(crate) fn begin_at(&mut self, today: Setting) {
        self.space = Space::new(self.space.knobs().to_vec(), today);
    }

    /// Where the path of a setting's case is from, where its study describes none.
    fn path_from(&self, setting: &[usize]) -> Option<String> {
        self.laid.get(setting)?.path_from.clone()
    }

    /// What bounds promise of the settings that can be had, as scores; nothing where there are too
    /// many, or bounds say nothing of some.
    pub(crate) fn bounds(&self) -> BTreeMap<Setting, f64> {
        if self.space.combinations() > MOST_BOUNDS {
            return BTreeMap::new();
        }
        let possible = |setting: Setting| Some((self.case(&setting).ok()?, setting));
        let cases: Vec<(Case, Setting)> =
            self.space.all().into_iter().filter_map(possible).collect();
        let bound = |(case, _): &(Case, Setting)| {
            let network = Network::build(case, &BTreeSet::new()).ok()?;
            self.aim.bound(&predict(&evaluate_rated(case, &network)))
        };
        let bounds = parallel::in_order(parallel::threads(None), &cases, bound, &mut |_| ());
        // Of some alone they would say that the others are bad.
        let all: Option<Vec<f64>> = bounds.into_iter().collect();
        let settings = cases.into_iter().map(|(_, setting)| setting);
        all.map(|all| settings.zip(all).collect()).unwrap_or_default()
    }

    /// Whether simulations say anything: some component is rated.
    pub(crate) fn is_rated(&self) -> bool {
        let case = self.case(self.space.today()).ok();
        let network = case.and_then(|case| {
            let network = Network::build(&case, &BTreeSet::new()).ok()?;
            Some((case, network))
        });
        network.is_some_and(|(case, network)| {
            !predict(&evaluate_rated(&case, &network)).bounds.is_empty()
        })
    }
}

/// What is expected of a setting beforehand; 0 where nothing is.
pub(crate) fn looked_up(scores: &BTreeMap<Setting, f64>) -> impl Fn(&[usize]) -> f64 + '_ {
    |setting| scores.get(setting).copied().unwrap_or_default()
}

impl<'a> Trials<'a> {
    /// A search that has tried nothing yet.
    pub(crate) fn new(tuned: &'a Tuned<'a>, prior: &'a dyn Fn(&[usize]) -> f64) -> Self {
        let search = Tuning::new(&tuned.space, prior, tuned.rules);
        Self { tuned, search, visited: Vec::new() }
    }

    /// What to try next; what cannot be had is left out.
    pub(crate) fn coming(&mut self) -> Option<Coming> {
        while let Step::Try { setting, purpose } = self.search.next() {
            match self.tuned.case(&setting) {
                Ok(case) => {
                    let at = self.visited.iter().position(|one| one.setting == setting);
                    let before = at.map_or(0, |at| self.visited[at].passes.len());
                    let number = at.unwrap_or(self.visited.len());
                    return Some(Coming { setting, purpose, case, before, number });
                }
                Err(_) => self.search.exclude(&setting),
            }
        }
        None
    }

    /// Takes what a visit came to.
    pub(crate) fn observe(&mut self, of: &Coming, passes: &[Record]) -> Result<(), Problem> {
        let aim = &self.tuned.aim;
        // A pass that was cut short says less than it looks.
        let full = passes.iter().filter(|pass| is_full(pass));
        let figures = full.map(|pass| aim.figures(pass));
        let figures: Vec<Figures> =
            figures.collect::<Result<_, _>>().map_err(Problem::unexpected)?;
        let samples = figures.iter().map(|one| aim.sample(one)).collect();
        self.search.observe(&of.setting, of.purpose, samples);
        if figures.is_empty() {
            return Ok(());
        }
        match self.visited.get_mut(of.number) {
            Some(visited) => visited.passes.extend(figures),
            None => self.visited.push(Visited {
                setting: of.setting.clone(),
                purpose: of.purpose,
                passes: figures,
            }),
        }
        Ok(())
    }
}

/// The factors of an experiment, with what it takes to change them: an application is set again at
/// once, a volume must be made anew, components must be bought or moved.
fn knobs(experiment: &Experiment) -> Vec<Knob> {
    let effort = |factor: &Factor| match experiment.changed_by(factor) {
        None | Some(Belongs::Load | Belongs::FileSystem) => 0,
        Some(Belongs::Volume) => 1,
        Some(Belongs::Path) => 2,
    };
    experiment.factors.iter().map(|factor| Knob::of(factor, effort(factor))).collect()
}
