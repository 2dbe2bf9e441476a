//! Builds of a template, asked one by one: what a model says of each, with everything in place and
//! after each loss that it must survive, and what a simulation says of those that do in bounds.

mod demands;
mod left_out;
mod losses;
mod made;
mod model;
mod sharing;
mod simulated;
mod soon;

use std::cell::{Cell, RefCell};
use std::collections::{BTreeMap, BTreeSet};
use std::rc::Rc;

use iopath_advice::{Busy, Compared, Count, Growth, Judged, Needs, Offered};
use iopath_analytic::{Limit, evaluate_rated};
use iopath_path::{Network, exceeded};
use iopath_record::Record;
use iopath_report::{Carried, PredictedCase, Simulated, Survived};
use iopath_study::experiment::Experiment;
use iopath_study::{Case, PartId, Study};
use iopath_units::Ratio;

use crate::run::crew::{Crew, Simulator};
use crate::run::facts;
use crate::run::models::{self, stopped};

use demands::Demands;
use left_out::{leads_nowhere, not_made, without_counts};
use losses::MOST_LOSSES;
pub(crate) use losses::{Loss, Typical};
use made::Made;
use sharing::might_with_less;
use simulated::Build;

/// What is asked of every build.
pub(crate) struct Asked<'a> {
    pub study: &'a Study,
    pub experiment: &'a Experiment,
    /// With headroom.
    pub needs: Needs,
    /// What of it is headroom.
    pub headroom: Ratio,
    /// Without it, and what must be carried only: after a loss.
    pub needs_after_loss: Needs,
    /// Of what is stored.
    pub growth: Option<Growth>,
    pub losses: Vec<Loss>,
    /// Those that are known to leave less of some components, for each.
    pub typical: Vec<Typical>,
    /// Whose figures decide.
    pub technique: Technique,
    /// Whether builds that carry it in bounds are simulated, too.
    pub simulates: bool,
}

/// Whose figures decide whether a build carries what is needed.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Technique {
    Predict,
    Simulate,
}

/// What is known of a build.
#[derive(Clone, Debug)]
pub(crate) enum Known {
    Carries(Rc<Carrying>),
    Short(Rc<Lacking>),
    /// It has more than fits.
    TooMuch(Vec<String>),
    Impossible(Vec<String>),
    /// There are too many ways to lose what may fail.
    Unjudged(String),
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
#[derive(Clone, Debug)]
pub(crate) struct Lacking {
    pub case: PredictedCase,
    pub short: Vec<Compared>,
    /// What has failed then.
    pub without: Vec<String>,
    pub share: f64,
    /// Whether it might do if its load spread or its streams shared better: less of something might
    /// carry more.
    pub might_with_less: bool,
}

/// The builds of a template that were asked for.
pub(crate) struct Builds<'a> {
    asked: &'a Asked<'a>,
    crew: Crew<'a>,
    known: BTreeMap<Vec<usize>, Known>,
    /// Of which it is only known that they were not short with everything in place, and after the
    /// losses that are tried first.
    not_short: BTreeSet<Vec<usize>>,
    /// How many of which items of the inventory are busy with what is needed.
    busy: BTreeMap<Vec<usize>, Vec<Busy>>,
    /// All limits that were seen, by their numbers there.
    limits: Vec<Limit>,
    simulated: BTreeMap<Vec<usize>, Simulated>,
    /// Those that do in bounds and not in a simulation.
    refused: BTreeMap<Vec<usize>, Rc<Lacking>>,
    /// How many simulations there were.
    simulations: Cell<usize>,
    /// Of each loss, the parts without which too little was left last: tried first, as they decide.
    worst: RefCell<BTreeMap<usize, Vec<String>>>,
}

impl<'a> Builds<'a> {
    pub(crate) fn new(asked: &'a Asked<'a>, crew: Crew<'a>) -> Self {
        let (known, not_short, busy, limits) = Default::default();
        let (simulated, refused, simulations, worst) = Default::default();
        Self { asked, crew, known, not_short, busy, limits, simulated, refused, simulations, worst }
    }

    /// What bounds say of a build.
    pub(crate) fn known(&mut self, build: &[usize]) -> Known {
        if let Some(known) = self.known.get(build) {
            return known.clone();
        }
        let known = match self.made(build) {
            Ok(mut made) => {
                let demands = self.learn_busy(build, &mut made);
                let whole = self.whole(&made, demands.as_ref());
                whole.map_or_else(|known| known, |whole| self.after_losses(whole))
            }
            Err(known) => known,
        };
        self.known.insert(build.to_vec(), known.clone());
        known
    }

    /// Notes what a build keeps busy, and what it does with less after a loss: cheap next to its
    /// bounds, and wanted of most builds that are asked for.
    fn learn_busy(&mut self, build: &[usize], made: &mut Made) -> Option<Demands> {
        let demands = self.asked.demands(&made.case, &made.network)?;
        if self.busy.contains_key(build) {
            return Some(demands);
        }
        let items = self.asked.experiment.inventory(build);
        let mut busy = demands.busy(&self.asked.needs, &items, &mut self.limits);
        for (at, typical) in self.asked.typical.iter().enumerate() {
            let Some(left) = made.keep_after(typical, &items) else { continue };
            let Some(demands) = left.demands(self.asked, &made.case) else { continue };
            let after = demands.busy(&self.asked.needs_after_loss, &items, &mut self.limits);
            busy.extend(after.into_iter().map(|one| {
                let component = Count::after(at, one.component, items.len());
                Busy { component, ..one }
            }));
        }
        self.busy.insert(build.to_vec(), busy);
        Some(demands)
    }

    /// What a build offers by bounds with everything in place, or what of it is short; nothing
    /// where it cannot be made, or bounds do not decide.
    pub(crate) fn offers(&self, build: &[usize]) -> Option<Vec<Compared>> {
        if self.asked.technique == Technique::Simulate {
            return None;
        }
        if let Some(Known::Carries(carrying)) = self.known.get(build) {
            return Some(carrying.offers.clone());
        }
        let made = self.made(build).ok()?;
        match self.whole(&made, None) {
            Ok(whole) => Some(whole.offers),
            Err(Known::Short(lacking)) => Some(lacking.short.clone()),
            Err(_) => None,
        }
    }

    /// How many builds were predicted.
    pub(crate) fn predictions(&self) -> usize {
        self.known.len()
            + self.not_short.iter().filter(|one| !self.known.contains_key(*one)).count()
    }

    pub(crate) fn simulations(&self) -> usize {
        self.simulations.get()
    }

    pub(crate) fn simulated(&self, build: &[usize]) -> Option<Simulated> {
        self.simulated.get(build).copied()
    }

    /// Of those that are short, in bounds or in a simulation, the one with the greatest share of
    /// what is needed: of those that a simulation refused, else of those that are only short
    /// after a loss, else of all.
    pub(crate) fn nearest(&self) -> Option<(&[usize], Rc<Lacking>)> {
        // Bounds do not know a percentile, so what is short in them may be further from it.
        let has_all = self.asked.needs.percentile().is_none() || self.refused.is_empty();
        let short = self.known.iter().filter_map(|(build, known)| match known {
            Known::Short(lacking) if has_all => Some((build, lacking)),
            _ => None,
        });
        let all = short.chain(&self.refused);
        let passes = |build: &Vec<usize>, lacking: &Lacking| {
            (self.is_refused(build), !lacking.without.is_empty())
        };
        let nearest = all.max_by(|(a, one), (b, other)| {
            passes(a, one).cmp(&passes(b, other)).then(one.share.total_cmp(&other.share))
        });
        nearest.map(|(build, lacking)| (build.as_slice(), lacking.clone()))
    }

    /// Whether it does in bounds and not in a simulation.
    pub(crate) fn is_refused(&self, build: &[usize]) -> bool {
        self.refused.contains_key(build)
    }

    /// Why builds were left out, each limit and other reason once, with the counts of one of them.
    pub(crate) fn left_out(&self) -> Vec<String> {
        let mut seen = BTreeSet::new();
        let reasons = self.known.values().flat_map(|known| match known {
            Known::TooMuch(texts) | Known::Impossible(texts) => texts.as_slice(),
            Known::Unjudged(text) => std::slice::from_ref(text),
            Known::Carries(_) | Known::Short(_) => &[],
        });
        reasons.filter(|text| seen.insert(without_counts(text))).cloned().collect()
    }

    fn made(&self, build: &[usize]) -> Result<Made, Known> {
        let case = self.asked.study.case_at(self.asked.experiment, build);
        let case = case.map_err(|mistakes| not_made(&mistakes))?;
        let network = Network::build(&case, &BTreeSet::new()).map_err(leads_nowhere)?;
        let beyond: Vec<String> =
            exceeded(&case, &network).into_iter().map(|finding| finding.text).collect();
        match beyond.is_empty() {
            true => Ok(Made::new(case, network)),
            false => Err(Known::TooMuch(beyond)),
        }
    }

    /// What a build carries with everything in place; what is known of it where it is too little.
    fn whole<'c>(&self, made: &'c Made, demands: Option<&Demands>) -> Result<Whole<'c>, Known> {
        let Made { case, network, .. } = made;
        let mut record = evaluate_rated(case, network);
        facts::add(case, network, &mut record.environment);
        let predicted = PredictedCase::of(&record, None);
        if predicted.prediction.bounds.is_empty() && self.asked.technique == Technique::Predict {
            let why = "the path has no rated component, so there is no bound";
            return Err(Known::Impossible(vec![why.to_owned()]));
        }
        let build = Build { case, network, gone: &BTreeSet::new(), bounds: &predicted.prediction };
        self.count_simulation();
        let judged = self.asked.judge(&Simulator::Here, &build, &self.asked.needs);
        if judged.short.is_empty() {
            let Judged { offers, share, .. } = judged;
            let whole = Whole { made, record, predicted, offers, share };
            return self.cannot_lose(case).map_or(Ok(whole), Err);
        }
        let might_with_less = might_with_less(&judged, build.bounds, demands, &self.asked.needs);
        let (Judged { short, share, .. }, without) = (judged, Vec::new());
        let lacking = Lacking { case: predicted, short, without, share, might_with_less };
        Err(Known::Short(Rc::new(lacking)))
    }

    /// What is known of a build that carries what is needed with everything in place.
    fn after_losses(&self, whole: Whole<'_>) -> Known {
        match self.survived(&whole) {
            Ok(survived) => {
                let Whole { predicted: case, offers, share, .. } = whole;
                Known::Carries(Rc::new(Carrying { case, offers, share, survived }))
            }
            Err(lacking) => Known::Short(Rc::from(lacking)),
        }
    }

    /// Why nothing can be said of a build after a loss.
    fn cannot_lose(&self, case: &Case) -> Option<Known> {
        let many = self.asked.losses.iter().find(|loss| loss.is_too_many(&case.system))?;
        Some(Known::Unjudged(format!(
            "enough with everything in place, but not judged after a loss: more than {MOST_LOSSES} \
             ways to lose {many}"
        )))
    }

    /// Whether builds were left out because there are too many ways to lose something.
    pub(crate) fn has_unjudged(&self) -> bool {
        self.known.values().any(|known| matches!(known, Known::Unjudged(_)))
    }

    /// Counts a simulation that has judged, where those judge.
    fn count_simulation(&self) {
        if self.asked.technique == Technique::Simulate {
            self.simulations.set(self.simulations.get() + 1);
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
        let case = &whole.made.case;
        let names = |gone: &BTreeSet<PartId>| named(case, gone);
        let all = self.worst_first(case, at, loss);
        let mut worst: Option<Survived> = None;
        for (gone, left) in all.iter().zip(self.lefts(whole, &all)) {
            // Those that were made and not needed are nobody's business.
            self.count_simulation();
            let Left { share, offers, carried } = left.inspect_err(|_| {
                self.worst.borrow_mut().insert(at, names(gone));
            })?;
            if worst.as_ref().is_none_or(|worst| share < worst.share_of_need) {
                worst = Some(Survived {
                    loss: loss.to_string(),
                    of: all.len() as u64,
                    without: names(gone),
                    offers,
                    carried,
                    share_of_need: share,
                });
            }
        }
        Ok(worst)
    }

    /// All ways to lose something, first the one that left others too little last.
    fn worst_first(&self, case: &Case, at: usize, loss: &Loss) -> Vec<BTreeSet<PartId>> {
        let last = self.worst.borrow().get(&at).cloned();
        let mut all = loss.of(&case.system);
        if let Some(worst) = all.iter().position(|gone| Some(named(case, gone)) == last) {
            all[..=worst].rotate_right(1);
        }
        all
    }

    /// Of each loss the one that decided last.
    fn first_losses(&self, case: &Case) -> Vec<BTreeSet<PartId>> {
        let losses = self.asked.losses.iter().enumerate();
        let losses = losses.filter(|(_, loss)| !loss.is_too_many(&case.system));
        losses
            .filter_map(|(at, loss)| self.worst_first(case, at, loss).into_iter().next())
            .collect()
    }

    /// What is left of each loss, made as far as it is asked for: the first, which usually decides,
    /// alone, then as many at once as there are threads.
    fn lefts<'l>(
        &'l self,
        whole: &'l Whole<'_>,
        all: &'l [BTreeSet<PartId>],
    ) -> impl Iterator<Item = Result<Left, Box<Lacking>>> + 'l {
        let (first, rest) = all.split_at(all.len().min(1));
        let chunks = std::iter::once(first).chain(rest.chunks(self.crew.simultaneous().get()));
        chunks.flat_map(|chunk| {
            let asked = self.asked;
            let left =
                |simulator: &Simulator, gone: &BTreeSet<PartId>| asked.left(simulator, whole, gone);
            match asked.technique {
                Technique::Simulate => self.crew.in_order(chunk, left, &mut |_| ()),
                Technique::Predict => {
                    chunk.iter().map(|gone| left(&Simulator::Here, gone)).collect()
                }
            }
        })
    }
}

impl Asked<'_> {
    /// What a build offers, by the technique that is asked for.
    fn judge(&self, simulator: &Simulator, build: &Build<'_>, needs: &Needs) -> Judged {
        match self.technique {
            Technique::Predict => needs.judge(&Offered::of(build.bounds)),
            Technique::Simulate => simulated::judged(simulator, build, needs).judged,
        }
    }

    /// What requests demand of a build; none where a simulation decides, which knows caches: these
    /// take load off what is behind them.
    fn demands(&self, case: &Case, network: &Network) -> Option<Demands> {
        (self.technique == Technique::Predict).then(|| Demands::of(case, network))
    }

    /// What is left with parts gone; what is short, where that is too little.
    fn left(
        &self,
        simulator: &Simulator,
        whole: &Whole<'_>,
        gone: &BTreeSet<PartId>,
    ) -> Result<Left, Box<Lacking>> {
        let (case, needs) = (&whole.made.case, &self.needs_after_loss);
        let left = whole.made.without(gone);
        let network = left.network.as_ref();
        let record = match network {
            Ok(network) => evaluate_rated(case, network),
            Err(wrong) => stopped(&whole.record, &models::why(wrong.clone())),
        };
        let predicted = PredictedCase::of(&record, None);
        let prediction = &predicted.prediction;
        let build =
            network.as_ref().map(|network| Build { case, network, gone, bounds: prediction });
        let judged = match &build {
            Ok(build) => self.judge(simulator, build, needs),
            Err(_) => needs.judge(&Offered::of(prediction)),
        };
        if judged.short.is_empty() {
            let Judged { offers, share, .. } = judged;
            return Ok(Left { share, offers, carried: Carried::predicted(prediction) });
        }
        let demands = left.demands(self, case);
        let might_with_less = build.is_ok() && might_with_less(&judged, prediction, demands, needs);
        let Judged { short, share, .. } = judged;
        let without = named(case, gone);
        Err(Box::new(Lacking { case: predicted, short, without, share, might_with_less }))
    }
}

/// A case with everything in place, what is predicted of it, and what it offers of what is needed.
struct Whole<'a> {
    made: &'a Made,
    record: Record,
    predicted: PredictedCase,
    offers: Vec<Compared>,
    share: f64,
}

/// What is left after a loss.
struct Left {
    share: f64,
    offers: Vec<Compared>,
    carried: Carried,
}

fn named(case: &Case, parts: &BTreeSet<PartId>) -> Vec<String> {
    parts.iter().map(|id| case.system.part(*id).name.clone()).collect()
}
