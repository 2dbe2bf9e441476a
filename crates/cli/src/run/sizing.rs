//! Builds of a template, asked one by one: what a model says of each, with everything in place and
//! after each loss that it must survive, and what a simulation says of those that do in bounds.

mod demands;
mod losses;
mod simulated;

use std::cell::{Cell, RefCell};
use std::collections::{BTreeMap, BTreeSet};
use std::rc::Rc;

use iopath_advice::{Answer, Busy, Compared, Growth, Judged, Model, Needs, Offered};
use iopath_analysis::Prediction;
use iopath_analytic::{Limit, evaluate_rated};
use iopath_path::{Network, PathMistake, PathMistakeKind, exceeded};
use iopath_record::{BoundKind, Record};
use iopath_report::{Carried, PredictedCase, Simulated, Survived};
use iopath_study::experiment::Experiment;
use iopath_study::{Case, MistakeKind, Mistakes, PartId, Study};
use iopath_units::Ratio;

use crate::run::crew::{Crew, Simulator};
use crate::run::facts;
use crate::run::models::{self, stopped};

use demands::Demands;
pub(crate) use losses::Loss;
use simulated::{Build, Verdict};

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
    /// How many of which items of the inventory are busy with what is needed.
    busy: BTreeMap<Vec<usize>, Vec<Busy>>,
    /// All limits that were seen, by their numbers there.
    limits: Vec<Limit>,
    simulated: BTreeMap<Vec<usize>, Simulated>,
    /// Those that do in bounds and not in a simulation.
    refused: BTreeMap<Vec<usize>, Rc<Lacking>>,
    /// How many simulations there were.
    simulations: Cell<usize>,
    /// Of each loss, the parts of which least was left last: tried first, as they decide.
    worst: RefCell<BTreeMap<usize, Vec<String>>>,
}

impl<'a> Builds<'a> {
    pub(crate) fn new(asked: &'a Asked<'a>, crew: Crew<'a>) -> Self {
        let (known, busy, limits) = Default::default();
        let (simulated, refused, simulations, worst) = Default::default();
        Self { asked, crew, known, busy, limits, simulated, refused, simulations, worst }
    }

    /// What bounds say of a build.
    pub(crate) fn known(&mut self, build: &[usize]) -> Known {
        if let Some(known) = self.known.get(build) {
            return known.clone();
        }
        let known = match self.made(build) {
            Ok((case, network)) => {
                let demands = self.asked.demands(&case, &network);
                self.learn_busy(build, demands.as_ref());
                self.judged(&case, &network, demands.as_ref())
            }
            Err(known) => known,
        };
        self.known.insert(build.to_vec(), known.clone());
        known
    }

    /// Notes what a build keeps busy: cheap next to its bounds, and wanted of most builds that are
    /// asked for.
    fn learn_busy(&mut self, build: &[usize], demands: Option<&Demands>) {
        let Some(demands) = demands else { return };
        let items = self.asked.experiment.inventory(build);
        let busy = demands.busy(&self.asked.needs, &items, &mut self.limits);
        self.busy.insert(build.to_vec(), busy);
    }

    /// How many builds were predicted.
    pub(crate) fn predictions(&self) -> usize {
        self.known.len()
    }

    pub(crate) fn simulations(&self) -> usize {
        self.simulations.get()
    }

    pub(crate) fn simulated(&self, build: &[usize]) -> Option<Simulated> {
        self.simulated.get(build).copied()
    }

    /// Of those that are short, in bounds or in a simulation, the one with the greatest share of
    /// what is needed.
    pub(crate) fn nearest(&self) -> Option<(&[usize], Rc<Lacking>)> {
        // Bounds do not know a percentile, so what is short in them may be further from it.
        let has_all = self.asked.needs.percentile().is_none() || self.refused.is_empty();
        let short = self.known.iter().filter_map(|(build, known)| match known {
            Known::Short(lacking) if has_all => Some((build, lacking)),
            _ => None,
        });
        let all = short.chain(&self.refused);
        let nearest = all.max_by(|(_, one), (_, other)| one.share.total_cmp(&other.share));
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
            Known::Carries(_) | Known::Short(_) => &[],
        });
        reasons.filter(|text| seen.insert(without_counts(text))).cloned().collect()
    }

    fn made(&self, build: &[usize]) -> Result<(Case, Network), Known> {
        let case = self.asked.study.case_at(self.asked.experiment, build);
        let case = case.map_err(|mistakes| not_made(&mistakes))?;
        let network = Network::build(&case, &BTreeSet::new()).map_err(leads_nowhere)?;
        let beyond: Vec<String> =
            exceeded(&case, &network).into_iter().map(|finding| finding.text).collect();
        match beyond.is_empty() {
            true => Ok((case, network)),
            false => Err(Known::TooMuch(beyond)),
        }
    }

    fn judged(&self, case: &Case, network: &Network, demands: Option<&Demands>) -> Known {
        let mut record = evaluate_rated(case, network);
        facts::add(case, network, &mut record.environment);
        let predicted = PredictedCase::of(&record, None);
        if let Some(why) = self.cannot_judge(case, &predicted.prediction) {
            return Known::Impossible(vec![why]);
        }
        let whole = Whole { case, record: &record };
        let build = Build { case, network, gone: &BTreeSet::new(), bounds: &predicted.prediction };
        self.count_simulation();
        let judged = self.asked.judge(&Simulator::Here, &build, &self.asked.needs);
        if !judged.short.is_empty() {
            let might_with_less =
                might_with_less(&judged, build.bounds, demands, &self.asked.needs);
            let (Judged { short, share, .. }, without) = (judged, Vec::new());
            let lacking = Lacking { case: predicted, short, without, share, might_with_less };
            return Known::Short(Rc::new(lacking));
        }
        let Judged { offers, share, .. } = judged;
        match self.survived(&whole) {
            Ok(survived) => {
                Known::Carries(Rc::new(Carrying { case: predicted, offers, share, survived }))
            }
            Err(lacking) => Known::Short(Rc::from(lacking)),
        }
    }

    /// Why nothing can be said of a build.
    fn cannot_judge(&self, case: &Case, prediction: &Prediction) -> Option<String> {
        if prediction.bounds.is_empty() && self.asked.technique == Technique::Predict {
            return Some("the path has no rated component, so there is no bound".to_owned());
        }
        let many = self.asked.losses.iter().find(|loss| loss.is_too_many(&case.system))?;
        Some(format!("there are too many ways to lose {many}"))
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
        let names = |gone: &BTreeSet<PartId>| named(whole.case, gone);
        let mut all = loss.of(&whole.case.system);
        let last = self.worst.borrow().get(&at).cloned();
        all.sort_by_key(|gone| Some(names(gone)) != last);
        let mut worst: Option<Survived> = None;
        for (gone, left) in all.iter().zip(self.lefts(whole, &all)) {
            // Those that were made and not needed are nobody's business.
            self.count_simulation();
            let Left { share, carried } = left.inspect_err(|_| {
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
        let (case, needs) = (whole.case, &self.needs_after_loss);
        let network = Network::build(case, gone);
        let record = match &network {
            Ok(network) => evaluate_rated(case, network),
            Err(wrong) => stopped(whole.record, &models::why(wrong.clone())),
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
            let (share, carried) = (judged.share, Carried::predicted(prediction));
            return Ok(Left { share, carried });
        }
        let might_with_less = build.is_ok_and(|build| {
            let demands = self.demands(case, build.network);
            might_with_less(&judged, prediction, demands.as_ref(), needs)
        });
        let Judged { short, share, .. } = judged;
        let without = named(case, gone);
        Err(Box::new(Lacking { case: predicted, short, without, share, might_with_less }))
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
            Known::Short(lacking) if lacking.might_with_less => Answer::Unfit,
            Known::Short(_) => Answer::Short,
            Known::TooMuch(_) => Answer::TooMuch,
            Known::Impossible(_) => Answer::Unfit,
        }
    }

    fn busy(&mut self, build: &[usize]) -> Option<Vec<Busy>> {
        // Where a simulation decides, building it would tell nothing.
        let is_new = !self.busy.contains_key(build) && !self.known.contains_key(build);
        if is_new && self.asked.technique == Technique::Predict {
            let (case, network) = self.made(build).ok()?;
            let demands = self.asked.demands(&case, &network);
            self.learn_busy(build, demands.as_ref());
        }
        self.busy.get(build).cloned()
    }

    fn confirms(&mut self, build: &[usize]) -> bool {
        if !self.asked.simulates {
            return true;
        }
        let Known::Carries(carrying) = self.known(build) else { return false };
        let Ok((case, network)) = self.made(build) else { return false };
        let bounds = &carrying.case.prediction;
        let whole = Build { case: &case, network: &network, gone: &BTreeSet::new(), bounds };
        self.simulations.set(self.simulations.get() + 1);
        let Verdict { judged, found } =
            simulated::judged(&Simulator::Here, &whole, &self.asked.needs);
        let Judged { short, share, .. } = judged;
        self.simulated.insert(build.to_vec(), found);
        let does = short.is_empty();
        if !does {
            let case = carrying.case.clone();
            let without = Vec::new();
            let lacking = Lacking { case, short, without, share, might_with_less: true };
            self.refused.insert(build.to_vec(), Rc::new(lacking));
        }
        does
    }
}

/// Whether a build that is short by bounds might do with a better spread of its load, with fewer
/// streams, of which each gets more, or where these share better.
fn might_with_less(
    judged: &Judged,
    bounds: &Prediction,
    demands: Option<&Demands>,
    needs: &Needs,
) -> bool {
    let (Judged { short, share, .. }, Some(demands)) = (judged, demands) else { return false };
    let spread = spread(bounds);
    let all = bounds.throughput_bytes_per_sec * spread;
    let by_streams = needs.of_all_streams().is_some_and(|needed| all >= needed);
    let is_held = short.iter().any(Compared::is_held);
    share * spread >= 1.0 || by_streams || (!is_held && demands.could_share(needs))
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
    let texts = mistakes.list.iter().map(|mistake| mistake.message.clone()).collect();
    match mistakes.list.iter().any(|mistake| mistake.kind == MistakeKind::Limit) {
        true => Known::TooMuch(texts),
        false => Known::Impossible(texts),
    }
}

/// Why a path cannot be followed. Streams that do not say on which of several hosts they run do not
/// either where there are more hosts.
fn leads_nowhere(wrong: Vec<PathMistake>) -> Known {
    let is_of_hosts = wrong.iter().any(|one| one.kind == PathMistakeKind::ManyHosts);
    let hints: BTreeSet<String> =
        wrong.iter().filter(|_| is_of_hosts).filter_map(|one| one.hint.clone()).collect();
    let texts = std::iter::once(models::why(wrong)).chain(hints).collect::<Vec<_>>();
    let why = vec![texts.join("; ")];
    if is_of_hosts { Known::TooMuch(why) } else { Known::Impossible(why) }
}

/// A reason without what a larger build changes in it: numbers but a stated limit, and indices of
/// names.
fn without_counts(reason: &str) -> String {
    let all: Vec<&str> = reason.split(' ').collect();
    let is_number = |word: &str| word.bytes().all(|byte| byte.is_ascii_digit());
    let is_limit = |at: usize| {
        let is_of_slots = all.get(at + 1).is_some_and(|next| matches!(*next, "slot" | "slots"));
        is_of_slots || all[..at].ends_with(&["of", "at", "most"])
    };
    let kept = (0..all.len()).filter(|at| !is_number(all[*at]) || is_limit(*at));
    let words = kept.map(|at| all[at]).collect::<Vec<_>>().join(" ");
    words.split('[').map(|part| part.split_once(']').map_or(part, |(_, rest)| rest)).collect()
}

fn named(case: &Case, parts: &BTreeSet<PartId>) -> Vec<String> {
    parts.iter().map(|id| case.system.part(*id).name.clone()).collect()
}

#[cfg(test)]
mod tests {
    use super::without_counts;

    #[test]
    fn one_limit_of_larger_builds_is_one_reason() {
        let one = "h.link1.phb3 has 3 slots for 4 components";
        for (other, is_same) in [
            ("h.link1.phb3 has 3 slots for 6 components", true),
            ("h[0].link1.phb3 has 3 slots for 4 components", true),
            ("h.link1.phb2 has 3 slots for 4 components", false),
            ("h.link1.phb3 has 2 slots for 4 components", false),
        ] {
            assert_eq!(without_counts(one) == without_counts(other), is_same, "{other}");
        }
        let same = |one: &str, other: &str| without_counts(one) == without_counts(other);
        assert!(same("wires 17 ends (b[0].isl)", "wires 9 ends (b[12].isl)"));
        let one = "h[0]: uses 9 LUNs, of at most 8";
        assert!(same(one, "h[1]: uses 12 LUNs, of at most 8"));
        assert!(!same(one, "h[1]: uses 9 LUNs, of at most 4"));
    }
}
