//! The builds that were found, as they are shown: with what they cost, and why each count is what
//! it is.

use iopath_advice::{Builds as Found, Choice, Compared, Measure, Model, usable};
use iopath_analysis::Prediction;
use iopath_report::{Because, Build, More, Nearest, PartCount, Sizing, Totals, Why, Within};
use iopath_study::experiment::Experiment;
use iopath_study::{Class, Item};
use iopath_units::Ratio;

use super::Template;
use crate::arguments::Size;
use crate::inputs::again::quoted;
use crate::results::levels::chosen;
use crate::run::sizing::{Asked, Builds, Known};

/// Everything that is shown.
pub(super) fn sizing(
    arguments: &Size,
    asked: &Asked<'_>,
    template: &Template,
    builds: &mut Builds<'_>,
    found: &Found,
) -> Sizing {
    let experiment = asked.experiment;
    let one = |build: &Vec<usize>| shown(asked, template, builds, build);
    let mut shown: Vec<Build> = found.builds.iter().filter_map(one).collect();
    let (asked_for, simulated) = (builds.predictions() as u64, builds.simulations() as u64);
    if let (Some(best), Some(build)) = (shown.first_mut(), found.builds.first()) {
        best.why = why(experiment, &template.choices, builds, build);
        best.more = more(asked, template, builds, build, &best.offers);
    }
    let nearest = builds.nearest().filter(|_| shown.is_empty());
    let nearest = nearest.map(|(build, lacking)| Nearest {
        chosen: chosen(experiment, build),
        case: lacking.case.clone(),
        short: lacking.short.clone(),
        without: lacking.without.clone(),
        is_simulated: builds.is_refused(build),
    });
    Sizing {
        study: asked.study.title.clone(),
        experiment: experiment.title.clone(),
        needs: asked.needs.to_string(),
        recorded: None,
        headroom: (asked.headroom > Ratio(0)).then(|| arguments.headroom.clone()),
        survives: asked.losses.iter().map(ToString::to_string).collect(),
        least: template.least,
        combinations: template.combinations(),
        asked: asked_for,
        simulated,
        rest_costs_at_least: found.rest_costs_at_least,
        has_unjudged: builds.has_unjudged(),
        by_utilisation: found.by_busy,
        within: within(experiment, &template.choices, &found.builds),
        builds: shown,
        nearest,
        left_out: builds.left_out(),
        written: arguments.output.as_ref().map(|file| quoted(&file.display().to_string())),
    }
}

/// A build that carries what is needed.
fn shown(
    asked: &Asked<'_>,
    template: &Template,
    builds: &mut Builds<'_>,
    build: &[usize],
) -> Option<Build> {
    let Known::Carries(carrying) = builds.known(build) else { return None };
    let simulated = builds.simulated(build);
    let limited = simulated.and_then(|simulated| simulated.limited);
    let response = limited.and_then(|response| asked.needs.responding(response.ns));
    let share = response.as_ref().map_or(f64::INFINITY, |response| response.share);
    Some(Build {
        chosen: chosen(asked.experiment, build),
        totals: totals(template, build),
        parts: parts(&asked.experiment.inventory(build)),
        case: carrying.case.clone(),
        offers: carrying.offers.iter().cloned().chain(response).collect(),
        share_of_need: carrying.share.min(share),
        full_after_months: full_after_months(asked, &carrying.case.prediction),
        simulated,
        survived: carrying.survived.clone(),
        why: Vec::new(),
        more: Vec::new(),
    })
}

fn full_after_months(asked: &Asked<'_>, prediction: &Prediction) -> Option<f64> {
    Some(asked.growth?.months_until_full(usable(prediction)?))
}

fn totals(template: &Template, build: &[usize]) -> Totals {
    Totals {
        price: template.total(Measure::Price, build),
        rack_units: template.total(Measure::RackUnits, build),
        watts: template.total(Measure::Watts, build),
        parts: template.total(Measure::Parts, build).unwrap_or_default(),
    }
}

/// How many there are of each item in all.
fn in_all(items: &[Item]) -> Vec<u64> {
    let mut counts: Vec<u64> = Vec::new();
    for item in items {
        let within = item.parent.map_or(1, |parent| counts[parent]);
        counts.push(within.saturating_mul(u64::from(item.count)));
    }
    counts
}

/// How many of each component that requests cross or end at there are.
fn parts(items: &[Item]) -> Vec<PartCount> {
    let is_part = |item: &Item| Class::of(item.kind).is_component();
    let items = items.iter().zip(in_all(items)).filter(|(item, _)| is_part(item));
    let part = |(item, count): (&Item, u64)| {
        let all = |one: Option<Ratio>| Some(one?.as_f64() * count as f64);
        PartCount {
            name: item.name.clone(),
            kind: item.kind,
            count,
            price: all(item.price),
            rack_units: all(item.rack_units),
            watts: all(item.watts),
        }
    };
    items.map(part).collect()
}

/// What there is with less of each count.
fn why(
    experiment: &Experiment,
    choices: &[Choice],
    builds: &mut Builds<'_>,
    build: &[usize],
) -> Vec<Why> {
    let counts = choices.iter().enumerate().filter(|(_, choice)| choice.is_more);
    let why = counts.map(|(at, _)| {
        let title = |place: usize| experiment.factors[at].levels[place].title().to_owned();
        let lower = build[at].checked_sub(1);
        Why {
            factor: experiment.factors[at].name.clone(),
            level: title(build[at]),
            lower: lower.map(title),
            because: lower.map_or(Because::Lowest, |lower| {
                let mut less = build.to_vec();
                less[at] = lower;
                because(builds, &less)
            }),
        }
    });
    why.collect()
}

/// What bounds say of one more of each count; where a simulation decides they do not.
fn more(
    asked: &Asked<'_>,
    template: &Template,
    builds: &mut Builds<'_>,
    build: &[usize],
    offers: &[Compared],
) -> Vec<More> {
    let choices = template.choices.iter().enumerate();
    let counts = choices.filter(|(at, choice)| choice.is_more && build[*at] + 1 < choice.levels);
    let more = counts.filter_map(|(at, _)| {
        let mut raised = build.to_vec();
        raised[at] += 1;
        let then = builds.offers(&raised)?;
        let gains = then.iter().filter_map(|one| {
            let before = offers.iter().find(|before| before.of == one.of)?;
            Some(one.share / before.share - 1.0)
        });
        let cost = |build: &[usize]| template.total(template.least, build).unwrap_or_default();
        Some(More {
            factor: asked.experiment.factors[at].name.clone(),
            level: asked.experiment.factors[at].levels[raised[at]].title().to_owned(),
            gain: gains.reduce(f64::max).unwrap_or_default(),
            offers: then,
            // To a millionth, as prices are stated.
            adds: ((cost(&raised) - cost(build)) * 1e6).round() / 1e6,
        })
    });
    more.collect()
}

/// Counts that some build has several times, once for each of something else.
fn within(experiment: &Experiment, choices: &[Choice], builds: &[Vec<usize>]) -> Vec<Within> {
    let inventories: Vec<Vec<Item>> =
        builds.iter().map(|build| experiment.inventory(build)).collect();
    let counts = experiment.factors.iter().zip(choices).filter(|(_, choice)| choice.is_more);
    let each = counts.filter_map(|(factor, _)| {
        let (each, _) = factor.of.as_ref()?.strip_suffix(".count")?.rsplit_once('.')?;
        let is_several = |items: &Vec<Item>| {
            items.iter().zip(in_all(items)).any(|(item, all)| item.name == each && all > 1)
        };
        let is_several = inventories.iter().any(is_several);
        is_several.then(|| Within { factor: factor.name.clone(), each: each.to_owned() })
    });
    each.collect()
}

fn because(builds: &mut Builds<'_>, less: &[usize]) -> Because {
    match builds.known(less) {
        Known::Short(lacking) => Because::Short {
            short: lacking.short.clone(),
            without: lacking.without.clone(),
            prediction: Box::new(lacking.case.prediction.clone()),
        },
        Known::TooMuch(texts) | Known::Impossible(texts) => Because::NotBuilt(texts.join("; ")),
        Known::Unjudged(text) => Because::NotBuilt(text),
        Known::Carries(_) => {
            builds.confirms(less);
            let refused = builds.simulated(less).filter(|_| builds.is_refused(less));
            refused.map_or(Because::Does, Because::Simulated)
        }
    }
}
