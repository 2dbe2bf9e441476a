//! `iopath size STUDY`: the cheapest builds of a template that carry what is needed; touches
//! nothing.

mod shown;

use iopath_advice::{Bill, Builds as Found, Choice, Measure, Needs, Search, cheapest};
use iopath_report::{Detail, compose, sizing_json};
use iopath_study::case::{Pacing, Rate};
use iopath_study::experiment::Experiment;
use iopath_study::{Case, Study};
use iopath_units::Ratio;

use crate::arguments::Size;
use crate::exit_status::{ExitStatus, Problem};
use crate::inputs::studies;
use crate::output;
use crate::results::outputs::{self, Outputs, Replaces};
use crate::run::sizing::{Asked, Builds, Loss, Technique};

pub(crate) fn run(arguments: &Size) -> Result<ExitStatus, Problem> {
    outputs::assure_one_on_stdout(arguments.show.json, arguments.output.as_deref())?;
    let outputs = Outputs::of(&arguments.destroy.allow_destroy, &arguments.store);
    if let Some(file) = arguments.output.as_deref().filter(|file| !outputs::is_stdout(file)) {
        outputs.check(file, Replaces::Nothing)?;
    }
    let study = studies::template(&arguments.study, &arguments.set, &arguments.cases)?;
    let experiment = chosen(&study, &arguments.cases)?;
    let asked = asked(arguments, &study, &experiment)?;
    let template = Template::of(&experiment, arguments)?;
    let mut builds = Builds::new(&asked);
    let found = cheapest(&template.search(arguments), &mut builds);
    let sizing = shown::sizing(arguments, &asked, &template, &mut builds, &found);
    if let (Some(file), Some(best)) = (&arguments.output, sizing.builds.first()) {
        outputs.write(file, &best.case.case.text, Replaces::Nothing)?;
    }
    if arguments.show.json {
        output::print_json(&sizing_json(&sizing))?;
    } else {
        let system = arguments.show.system();
        output::print_document(&compose::sizing(&sizing, system), Detail::Brief, system)?;
    }
    Ok(if found.builds.is_empty() { ExitStatus::Obstacle } else { ExitStatus::Done })
}

/// The experiment that is asked for, with the levels that are allowed.
fn chosen(study: &Study, names: &[String]) -> Result<Experiment, Problem> {
    let mut fitting = study.experiments.iter().filter_map(|one| one.with_levels(names));
    let titles = || {
        let titles = study.experiments.iter().map(|one| format!("\"{}\"", one.title));
        titles.collect::<Vec<_>>().join(", ")
    };
    let quoted =
        || names.iter().map(|name| format!("\"{name}\"")).collect::<Vec<_>>().join(" and ");
    let first = fitting.next().ok_or_else(|| {
        Problem::mistake(format!("no experiment has {}; there are {}", quoted(), titles()))
    })?;
    if fitting.next().is_some() {
        let text = format!("choose an experiment with --case: {}", titles());
        return Err(Problem::mistake(text));
    }
    if first.factors.is_empty() {
        let text = "there is nothing to choose: the experiment has no factor. Add vary { factor \
                    \"drives\" of=\"server.nvme.count\" \"1 .. 16\" }";
        return Err(Problem::mistake(text));
    }
    Ok(first)
}

fn asked<'a>(
    arguments: &Size,
    study: &'a Study,
    experiment: &'a Experiment,
) -> Result<Asked<'a>, Problem> {
    let wrong = |text: String| Problem::mistake(text);
    let headroom: Ratio = arguments
        .headroom
        .parse()
        .map_err(|error| Problem::mistake(format!("--headroom: {error}")))?;
    let losses: Result<Vec<Loss>, String> =
        arguments.survive.iter().map(|one| one.parse()).collect();
    let losses = losses.map_err(wrong)?;
    let sample = sample(study, experiment);
    check_losses(&losses, sample.as_ref())?;
    let needs = match &arguments.need {
        Some(text) => text.parse().map_err(|why| Problem::mistake(format!("--need: {why}")))?,
        None => sample.as_ref().and_then(wanted).ok_or_else(|| {
            let text = "say what is needed: --need read=18GB/s, --need iops=150k@30ms, or give \
                        every stream a rate=";
            Problem::mistake(text)
        })?,
    };
    Ok(Asked {
        study,
        experiment,
        needs: needs.with_headroom(headroom),
        needs_after_loss: needs,
        losses,
        technique: match arguments.by_simulation {
            true => Technique::Simulate,
            false => Technique::Predict,
        },
        simulates: !arguments.without_simulation && !arguments.by_simulation,
    })
}

/// A case of the template: its last, or its first where that cannot be built.
fn sample(study: &Study, experiment: &Experiment) -> Option<Case> {
    let last: Vec<usize> =
        experiment.factors.iter().map(|factor| factor.levels.len() - 1).collect();
    let first = vec![0; last.len()];
    study.case_at(experiment, &last).or_else(|_| study.case_at(experiment, &first)).ok()
}

fn check_losses(losses: &[Loss], sample: Option<&Case>) -> Result<(), Problem> {
    let Some(case) = sample else { return Ok(()) };
    for loss in losses {
        if loss.is_absent(&case.system) {
            return Err(Problem::mistake(format!("--survive \"{loss}\": there is none")));
        }
        if loss.is_too_many(&case.system) {
            let text = format!("--survive \"{loss}\": too many ways to lose so many; name fewer");
            return Err(Problem::mistake(text));
        }
    }
    Ok(())
}

/// What the streams ask for, where every one has a rate.
fn wanted(case: &Case) -> Option<Needs> {
    let (mut requests, mut bytes) = (None, None);
    for stream in &case.streams {
        let Pacing::Open { rate, streams, .. } = stream.pacing else { return None };
        let share = f64::from(streams);
        match rate {
            Rate::Operations(rate) => *requests.get_or_insert(0.0) += rate.per_sec() / share,
            Rate::Bytes(rate) => *bytes.get_or_insert(0.0) += rate.0 as f64 / share,
        }
    }
    Needs::of_rates(requests, bytes)
}

/// What can be chosen, and what it costs.
pub(crate) struct Template {
    choices: Vec<Choice>,
    least: Measure,
    bills: Vec<(Measure, Bill)>,
}

/// In the order in which what is stated decides.
const MEASURES: [Measure; 4] = [Measure::Price, Measure::RackUnits, Measure::Watts, Measure::Parts];

impl Template {
    fn of(experiment: &Experiment, arguments: &Size) -> Result<Self, Problem> {
        let choices: Vec<Choice> = experiment.factors.iter().map(Choice::of).collect();
        let inventory = |build: &[usize]| experiment.inventory(build);
        let bill = |measure| (measure, Bill::of(&choices, measure, &inventory));
        let bills: Vec<(Measure, Bill)> = MEASURES.into_iter().map(bill).collect();
        let stated = bills.iter().find(|(_, bill)| !bill.is_nothing());
        let default = stated.map_or(Measure::Parts, |(measure, _)| *measure);
        let least = arguments.least.map_or(default, crate::arguments::Least::measure);
        let template = Self { choices, least, bills };
        if template.bill(least).is_some_and(Bill::is_nothing) {
            let text = "--for: nothing of the path states that; add price=, rack-units= or watts=";
            return Err(Problem::mistake(text));
        }
        Ok(template)
    }

    fn bill(&self, measure: Measure) -> Option<&Bill> {
        self.bills.iter().find(|(of, _)| *of == measure).map(|(_, bill)| bill)
    }

    /// What a build costs; none where nothing of the path states it.
    fn total(&self, measure: Measure, build: &[usize]) -> Option<f64> {
        self.bill(measure).filter(|bill| !bill.is_nothing()).map(|bill| bill.total(build))
    }

    fn search(&self, arguments: &Size) -> Search<'_> {
        let parts = &self.bills[MEASURES.len() - 1].1;
        Search {
            choices: &self.choices,
            cost: self.bill(self.least).unwrap_or(parts),
            then: parts,
            wanted: arguments.builds.get(),
            most_asked: arguments.most.get(),
        }
    }

    fn combinations(&self) -> u64 {
        let levels = self.choices.iter().map(|choice| choice.levels as u64);
        levels.fold(1, u64::saturating_mul)
    }
}

/// What was found of a search.
pub(crate) type Outcome = Found;
