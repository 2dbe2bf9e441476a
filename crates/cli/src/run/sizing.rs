//! Builds of a template, asked one by one: what bounds predict of each, with everything in place
//! and after each loss that it must survive, and what a simulation says of those that do.

mod losses;

use std::cell::RefCell;
use std::collections::{BTreeMap, BTreeSet};
use std::rc::Rc;

use iopath_advice::{Answer, Compared, Model, Needs, Offered};
use iopath_analysis::{Prediction, predict};
use iopath_analytic::evaluate_rated;
use iopath_path::Network;
use iopath_record::{BoundKind, Record};
use iopath_report::{Carried, PredictedCase, Simulated, Survived};
use iopath_simulation::{Settings, simulate};
use iopath_study::case::Pacing;
use iopath_study::experiment::Experiment;
use iopath_study::{Case, MistakeKind, Mistakes, PartId, Study};

use crate::run::facts;
use crate::run::models::{self, stopped};

pub(crate) use losses::Loss;

/// What is asked of every build.
pub(crate) struct Asked<'a> {
    pub study: &'a Study,
    pub experiment: &'a Experiment,
    /// With headroom.
    pub needs: Needs,
    /// Without it: after a loss.
    pub needs_after_loss: Needs,
    pub losses: Vec<Loss>,
    pub simulates: bool,
}

/// What is known of a build.
#[derive(Clone, Debug)]
pub(crate) enum Known {
    Carries(Rc<Carrying>),
    Short(Rc<Lacking>),
    /// It has more than fits.
    TooMuch(String),
    Impossible(String),
}

/// A build that carries what is needed, in bounds.
#[derive(Debug)]
pub(crate) struct Carrying {
    pub case: PredictedCase,
    pub offers: Vec<Compared>,
    pub share: f64,
    pub survived: Vec<Survived>,
}

/// A build that does not.
#[derive(Debug)]
pub(crate) struct Lacking {
    pub case: PredictedCase,
    pub short: Vec<Compared>,
    /// What has failed then.
    pub without: Vec<String>,
    pub share: f64,
    /// Whether it might do if its load spread better: less of something might carry more.
    pub is_spread: bool,
}

/// The builds of a template that were asked for.
pub(crate) struct Builds<'a> {
    asked: &'a Asked<'a>,
    known: BTreeMap<Vec<usize>, Known>,
    simulated: BTreeMap<Vec<usize>, Simulated>,
    /// Of each loss, the parts of which least was left last: tried first, as they decide.
    worst: RefCell<BTreeMap<usize, Vec<String>>>,
}

impl<'a> Builds<'a> {
    pub(crate) fn new(asked: &'a Asked<'a>) -> Self {
        let (known, simulated, worst) = Default::default();
        Self { asked, known, simulated, worst }
    }

    /// What bounds say of a build.
    pub(crate) fn known(&mut self, build: &[usize]) -> Known {
        if let Some(known) = self.known.get(build) {
            return known.clone();
        }
        let known = match self.made(build) {
            Ok((case, network)) => self.predicted(&case, &network),
            Err(known) => known,
        };
        self.known.insert(build.to_vec(), known.clone());
        known
    }

    /// How many builds were predicted.
    pub(crate) fn predictions(&self) -> usize {
        self.known.len()
    }

    pub(crate) fn simulations(&self) -> usize {
        self.simulated.len()
    }

    pub(crate) fn simulated(&self, build: &[usize]) -> Option<Simulated> {
        self.simulated.get(build).copied()
    }

    /// Of those that are short, the one with the greatest share of what is needed.
    pub(crate) fn nearest(&self) -> Option<(&[usize], Rc<Lacking>)> {
        let short = self.known.iter().filter_map(|(build, known)| match known {
            Known::Short(lacking) => Some((build.as_slice(), lacking.clone())),
            _ => None,
        });
        short.max_by(|(_, one), (_, other)| one.share.total_cmp(&other.share))
    }

    /// Why some build cannot be made.
    pub(crate) fn reason(&self) -> Option<String> {
        self.known.values().find_map(|known| match known {
            Known::TooMuch(text) | Known::Impossible(text) => Some(text.clone()),
            _ => None,
        })
    }

    fn made(&self, build: &[usize]) -> Result<(Case, Network), Known> {
        let case = self.asked.study.case_at(self.asked.experiment, build);
        let case = case.map_err(|mistakes| not_made(&mistakes))?;
        let network = Network::build(&case, &BTreeSet::new())
            .map_err(|wrong| Known::Impossible(models::why(wrong)))?;
        Ok((case, network))
    }

    fn predicted(&self, case: &Case, network: &Network) -> Known {
        let mut record = evaluate_rated(case, network);
        facts::add(case, network, &mut record.environment);
        let predicted = PredictedCase::of(&record, None);
        let offered = Offered::of(&predicted.prediction);
        let share = self.asked.needs.least_share(&offered);
        let short = self.asked.needs.shortfalls(&offered);
        if !short.is_empty() {
            let is_spread = share * spread(&predicted.prediction) >= 1.0;
            let lacking = Lacking { case: predicted, short, without: Vec::new(), share, is_spread };
            return Known::Short(Rc::new(lacking));
        }
        match self.survived(&Whole { case, record: &record }) {
            Ok(survived) => {
                let offers = self.asked.needs.compared(&offered);
                Known::Carries(Rc::new(Carrying { case: predicted, offers, share, survived }))
            }
            Err(lacking) => Known::Short(Rc::from(lacking)),
        }
    }

    /// The worst of each loss; the first that leaves too little.
    fn survived(&self, whole: &Whole<'_>) -> Result<Vec<Survived>, Box<Lacking>> {
        let losses = self.asked.losses.iter().enumerate();
        let worst = losses.map(|(at, loss)| self.worst_of(whole, at, loss));
        Ok(worst.collect::<Result<Vec<_>, _>>()?.into_iter().flatten().collect())
    }

    /// The worst of a loss; none of parts that a build has none of.
    fn worst_of(
        &self,
        whole: &Whole<'_>,
        at: usize,
        loss: &Loss,
    ) -> Result<Option<Survived>, Box<Lacking>> {
        let names = |gone: &BTreeSet<PartId>| named(whole.case, gone);
        let mut all = loss.of(&whole.case.system);
        let last = self.worst.borrow().get(&at).cloned();
        all.sort_by_key(|gone| Some(names(gone)) != last);
        let mut worst: Option<Survived> = None;
        for gone in &all {
            let Left { share, carried } = self.left(whole, gone).inspect_err(|_| {
                self.worst.borrow_mut().insert(at, names(gone));
            })?;
            if worst.as_ref().is_none_or(|worst| share < worst.share_of_need) {
                worst = Some(Survived {
                    loss: loss.to_string(),
                    of: all.len() as u64,
                    without: names(gone),
                    carried,
                    share_of_need: share,
                });
            }
        }
        Ok(worst)
    }

    /// What is left with parts gone; what is short, where that is too little.
    fn left(&self, whole: &Whole<'_>, gone: &BTreeSet<PartId>) -> Result<Left, Box<Lacking>> {
        let case = whole.case;
        let record = match Network::build(case, gone) {
            Ok(network) => evaluate_rated(case, &network),
            Err(wrong) => stopped(whole.record, &models::why(wrong)),
        };
        let predicted = PredictedCase::of(&record, None);
        let offered = Offered::of(&predicted.prediction);
        let share = self.asked.needs_after_loss.least_share(&offered);
        let short = self.asked.needs_after_loss.shortfalls(&offered);
        if short.is_empty() {
            return Ok(Left { share, carried: Carried::predicted(&predicted.prediction) });
        }
        let is_spread = share * spread(&predicted.prediction) >= 1.0;
        let without = named(case, gone);
        Err(Box::new(Lacking { case: predicted, short, without, share, is_spread }))
    }
}

/// A case with everything in place, and what is predicted of it.
struct Whole<'a> {
    case: &'a Case,
    record: &'a Record,
}

/// What is left after a loss.
struct Left {
    share: f64,
    carried: Carried,
}

impl Model for Builds<'_> {
    fn answer(&mut self, build: &[usize]) -> Answer {
        match self.known(build) {
            Known::Carries(_) => Answer::Carries,
            Known::Short(lacking) if lacking.is_spread => Answer::Unfit,
            Known::Short(_) => Answer::Short,
            Known::TooMuch(_) => Answer::TooMuch,
            Known::Impossible(_) => Answer::Unfit,
        }
    }

    /// Simulates it. Within a response time only streams with a rate can be judged: others load
    /// the build as much as it bears.
    fn confirms(&mut self, build: &[usize]) -> bool {
        let Ok((case, network)) = self.made(build) else { return false };
        let is_open = case.streams.iter().all(|stream| stream.pacing != Pacing::Closed);
        if !self.asked.simulates || (self.asked.needs.within().is_some() && !is_open) {
            return true;
        }
        let settings = Settings { seed: case.workload.seed, ..Settings::default() };
        let prediction = predict(&simulate(&case, &network, &settings));
        let seconds = case.workload.until.time.unwrap_or_default().0 as f64 / 1e9;
        let offered = match is_open {
            true => Offered::at_random(&prediction, prediction.operations_per_sec * seconds),
            false => Offered::of(&prediction),
        };
        let found = Simulated {
            carried: Carried::predicted(&prediction),
            response_ns: prediction.response_ns,
            share_of_need: self.asked.needs.least_share(&offered),
        };
        self.simulated.insert(build.to_vec(), found);
        self.asked.needs.shortfalls(&offered).is_empty()
    }
}

/// How many times more there could be at best if requests chose their ways freely, and no stripe
/// waited for its slowest member: what these two bounds take away. Only they may fall where there
/// is more of something.
fn spread(prediction: &Prediction) -> f64 {
    let of = |kind: BoundKind| {
        let bound = prediction.bounds.iter().find(|bound| bound.kind == kind)?;
        let bytes = bound.throughput_bytes_per_sec;
        Some(if bytes > 0.0 { bytes } else { bound.operations_per_sec })
    };
    let loss = |before: BoundKind, after: BoundKind| match (of(before), of(after)) {
        (Some(before), Some(after)) if after > 0.0 => (before / after).max(1.0),
        _ => 1.0,
    };
    loss(BoundKind::FreeSplit, BoundKind::FixedSplit)
        * loss(BoundKind::ClosedLoop, BoundKind::Synchronised)
}

/// Why a case cannot be made: with too many components for the slots, all with more cannot either.
fn not_made(mistakes: &Mistakes) -> Known {
    let texts: Vec<&str> = mistakes.list.iter().map(|mistake| mistake.message.as_str()).collect();
    let text = texts.join("; ");
    match mistakes.list.iter().any(|mistake| mistake.kind == MistakeKind::Limit) {
        true => Known::TooMuch(text),
        false => Known::Impossible(text),
    }
}

fn named(case: &Case, parts: &BTreeSet<PartId>) -> Vec<String> {
    parts.iter().map(|id| case.system.part(*id).name.clone()).collect()
}
