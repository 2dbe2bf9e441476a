//! What a tuning came to, as it is shown.

use iopath_advice::tuning::{Aim, Answer, Change, Figures, Reached, Setting, Shown};
use iopath_analysis::statistics::Difference;
use iopath_report::{
    Assigned, Gain, LevelFigure, SettingChange, TriedSetting, Tuned, TunedFactor, Way,
};
use iopath_study::experiment::{Belongs, Experiment};
use iopath_study::vary::Level;

use super::{Done, Job};
use crate::arguments::TuneTechnique;
use crate::inputs::again::quoted;
use crate::results::levels::chosen;
use crate::run::tuning::{Trials, Tuned as OfStudy, Visited, kernel};

/// The answer, and the setting that it is.
pub(super) struct ShownTuning {
    pub tuned: Tuned,
    pub best: Setting,
}

/// Everything that is shown; none where nothing was tried.
pub(super) fn tuned(job: &Job<'_>, trials: &Trials<'_>, done: &Done<'_>) -> Option<ShownTuning> {
    let answer = trials.search.answer()?;
    let of = trials.tuned;
    let tried: Vec<TriedSetting> =
        trials.visited.iter().map(|one| tried(of.experiment, trials, one)).collect();
    let at = |setting: &Setting| trials.visited.iter().position(|one| one.setting == *setting);
    let best = tried[at(&answer.best)?].clone();
    let tuned = Tuned {
        study: of.study.title.clone(),
        experiment: of.experiment.title.clone(),
        technique: match job.tunable.technique {
            TuneTechnique::Simulate => "simulation",
            TuneTechnique::Measure => "measurement",
            TuneTechnique::Emulate => "measurement on emulated devices",
        },
        aim: of.aim,
        margin: of.rules.margin.exp_m1(),
        combinations: of.space.combinations() as u64,
        trials: tried.len() as u64,
        passes: tried.iter().map(|one| one.passes).sum(),
        screened: done.screened,
        run: done.run.map(|run| run.to_string()),
        keeps_limits: answer.keeps_limits,
        today: at(of.space.today()).map(|at| tried[at].clone()),
        best,
        gain: answer.gain.map(|gain| shown_gain(&of.aim, gain)),
        is_proven: answer.is_proven,
        changes: answer.changes.iter().map(|one| change(of, &answer.best, one)).collect(),
        factors: factors(trials, &answer),
        tried,
        written: job.arguments.output.as_ref().map(|file| quoted(&file.display().to_string())),
    };
    Some(ShownTuning { tuned, best: answer.best })
}

fn tried(experiment: &Experiment, trials: &Trials<'_>, visited: &Visited) -> TriedSetting {
    TriedSetting {
        levels: chosen(experiment, &visited.setting),
        why: visited.purpose,
        figures: Figures::mean(&visited.passes),
        passes: visited.passes.len() as u64,
        keeps_limits: trials.search.keeps(&visited.setting),
    }
}

fn change(of: &OfStudy<'_>, best: &Setting, change: &Change) -> SettingChange {
    let Change { knob, from, to, gain, is_tried } = *change;
    let factor = &of.experiment.factors[knob];
    let title = |place: usize| factor.levels[place].title().to_owned();
    let settings = kernel::changes(of, best, knob);
    let is_kernel = !settings.is_empty();
    SettingChange {
        factor: factor.name.clone(),
        from: title(from),
        to: title(to),
        gain: of.aim.change_of(gain),
        is_tried,
        way: if is_kernel { Way::Kernel(settings) } else { way(of.experiment, change) },
    }
}

/// The change of the value, lower where it shall be low.
fn shown_gain(aim: &Aim, gain: Difference) -> Gain {
    let [mean, one, other] = [gain.mean, gain.low, gain.high].map(|gain| aim.change_of(gain));
    Gain { mean, low: one.min(other), high: one.max(other) }
}

/// What must be changed: the hardest of what the levels of the factor belong to.
fn way(experiment: &Experiment, change: &Change) -> Way {
    let factor = &experiment.factors[change.knob];
    let [from, to] = [change.from, change.to].map(|place| &factor.levels[place]);
    let paths = if to.assigned().next().is_some() { to.assigned() } else { from.assigned() };
    // Of a level of several properties their values are not told apart here.
    let value = |level: &Level| factor.of.is_some().then(|| level.title().to_owned());
    let all = paths.map(|path| Assigned { path, before: value(from), after: value(to) });
    let all: Vec<Assigned> = all.collect();
    match experiment.changed_by(factor) {
        Some(Belongs::Load) => Way::Load(all),
        Some(Belongs::Volume) => Way::Volume(all),
        Some(Belongs::FileSystem) => Way::FileSystem(all),
        Some(Belongs::Path) | None => Way::Path(all),
    }
}

fn factors(trials: &Trials<'_>, answer: &Answer) -> Vec<TunedFactor> {
    let experiment = trials.tuned.experiment;
    let factors = experiment.factors.iter().zip(&answer.levels).enumerate();
    let factors = factors.map(|(knob, (factor, shown))| TunedFactor {
        name: factor.name.clone(),
        levels: shown
            .iter()
            .enumerate()
            .map(|(place, shown)| LevelFigure {
                level: factor.levels[place].title().to_owned(),
                is_today: trials.tuned.space.today()[knob] == place,
                is_best: answer.best[knob] == place,
                ..level(trials, shown)
            })
            .collect(),
    });
    factors.collect()
}

/// What is known of a level, without its name.
fn level(trials: &Trials<'_>, shown: &Shown) -> LevelFigure {
    let value = |score: f64| trials.tuned.aim.value_of(score);
    let (low, high, chance_to_keep) = match shown.how {
        Reached::Tried { keeps_limits } => (None, None, f64::from(u8::from(keeps_limits))),
        Reached::Expected { deviation, chance_to_keep } => {
            let ends = [value(shown.score - deviation), value(shown.score + deviation)];
            (Some(ends[0].min(ends[1])), Some(ends[0].max(ends[1])), chance_to_keep)
        }
    };
    LevelFigure {
        level: String::new(),
        is_today: false,
        is_best: false,
        value: value(shown.score),
        low,
        high,
        chance_to_keep,
    }
}
