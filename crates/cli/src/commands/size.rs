//! `iopath size STUDY`: the cheapest builds of a template that carry what is needed; touches
//! nothing.

mod shown;
mod wanted;

use iopath_advice::{Bill, Choice, Count, Failing, Growth, Measure, Needs, Search, cheapest};
use iopath_path::Capacity;
use iopath_report::{Detail, compose, sizing_json};
use iopath_study::experiment::Experiment;
use iopath_study::vary::{Factor, Level};
use iopath_study::{Case, Study};
use iopath_units::{Bytes, Ratio, UnitError};

use crate::arguments::Size;
use crate::exit_status::{ExitStatus, Problem};
use crate::inputs::{experiment, studies};
use crate::output;
use crate::results::outputs::{self, Outputs, Replaces};
use crate::run::crew::Crew;
use crate::run::ranks::Leader;
use crate::run::sizing::{Asked, Builds, Loss, Technique, Typical};
use wanted::Wanted;

pub(crate) fn run(arguments: &Size, leader: Option<&Leader>) -> Result<ExitStatus, Problem> {
    outputs::assure_one_on_stdout(arguments.show.json, arguments.output.as_deref())?;
    let outputs = Outputs::of(&arguments.destroy.allow_destroy, &arguments.store);
    let outputs = outputs.with_new(arguments.output.as_deref())?;
    let mut wanted = Wanted::of(arguments)?;
    let study = study(arguments, &mut wanted)?;
    let experiment = experiment::with_factors(&study, &arguments.cases, HINT)?;
    let asked = asked(arguments, &wanted, &study, &experiment)?;
    let template = Template::of(&asked, arguments)?;
    let mut builds = Builds::new(&asked, Crew::new(None, leader).of(&study));
    let found = cheapest(&template.search(arguments), &mut builds);
    let mut sizing = shown::sizing(arguments, &asked, &template, &mut builds, &found);
    sizing.recorded = wanted.recorded;
    if let (Some(file), Some(best)) = (&arguments.output, sizing.builds.first()) {
        outputs.write(file, &best.case.case.text, Replaces::Nothing)?;
    }
    let found_any = if found.builds.is_empty() { ExitStatus::Obstacle } else { ExitStatus::Done };
    // A study on stdout stands there alone.
    let is_written = arguments.output.as_deref().is_some_and(outputs::is_stdout);
    if is_written && !sizing.builds.is_empty() {
        return Ok(found_any);
    }
    if arguments.show.json {
        output::print_json(&sizing_json(&sizing))?;
    } else {
        let system = arguments.show.system();
        output::print_document(&compose::sizing(&sizing, system), Detail::Brief, system)?;
    }
    Ok(found_any)
}

/// What to write where there is nothing to choose.
const HINT: &str = "factor \"drives\" of=\"server.nvme.count\" \"1 .. 16\"";

/// The template; where a run is needed, with its mix and mean size where that can be.
fn study(arguments: &Size, wanted: &mut Wanted) -> Result<Study, Problem> {
    let template = |sets: &[String]| studies::template(&arguments.study, sets, &arguments.cases);
    let study = template(&arguments.set)?;
    if wanted.recorded.is_none() {
        return Ok(study);
    }
    let experiment = experiment::with_factors(&study, &arguments.cases, HINT)?;
    let is_stated = |path: &str| {
        let levels = experiment.factors.iter().flat_map(|factor| &factor.levels);
        let varied = levels.flat_map(Level::assigned).any(|assigned| assigned == path);
        varied || arguments.set.iter().any(|set| set.split('=').next() == Some(path))
    };
    let sets = wanted.sets(samples(&study, &experiment).first(), &is_stated);
    let (Some(recorded), false) = (&mut wanted.recorded, sets.is_empty()) else { return Ok(study) };
    // A pattern may take whole blocks of some size only, or streams do something else than I/O.
    let Ok(with_load) = template(&[&arguments.set[..], &sets].concat()) else { return Ok(study) };
    recorded.set = sets;
    Ok(with_load)
}

fn asked<'a>(
    arguments: &Size,
    wanted: &Wanted,
    study: &'a Study,
    experiment: &'a Experiment,
) -> Result<Asked<'a>, Problem> {
    let wrong = |text: String| Problem::mistake(text);
    let headroom = headroom(&arguments.headroom)?;
    let losses: Result<Vec<Loss>, String> =
        arguments.survive.iter().map(|one| one.parse()).collect();
    let losses = losses.map_err(wrong)?;
    let samples = samples(study, experiment);
    for loss in &losses {
        if !samples.is_empty() && samples.iter().all(|case| loss.is_absent(&case.system)) {
            let hint = loss.hint(&samples[0].system);
            return Err(wrong(format!("--survive \"{loss}\": there is none{hint}")));
        }
    }
    let needs = wanted.needs(samples.first())?;
    if !losses.is_empty() && needs.of_load() == Needs::default() {
        let text = "--survive asks what a failure leaves of a load: add one to --need, such as \
                    iops=10k";
        return Err(Problem::mistake(text));
    }
    check_open(arguments, needs, samples.first())?;
    check_percentile(arguments, needs)?;
    check_capacity(needs, &samples)?;
    Ok(Asked {
        study,
        experiment,
        needs: needs.with_headroom(headroom),
        headroom,
        needs_after_loss: needs.of_load(),
        growth: growth(arguments, needs)?,
        typical: typical(experiment, &losses, &samples),
        losses,
        technique: match arguments.by_simulation {
            true => Technique::Simulate,
            false => Technique::Predict,
        },
        simulates: !arguments.without_simulation && !arguments.by_simulation,
    })
}

/// A share; a number of at least 1 is a percentage that lacks its sign.
fn headroom(text: &str) -> Result<Ratio, Problem> {
    let wrong = |why: String| Problem::mistake(format!("--headroom: {why}"));
    let share: Ratio = text.parse().map_err(|error: UnitError| wrong(error.to_string()))?;
    match share.as_f64() >= 1.0 && !text.trim_end().ends_with('%') {
        true => {
            Err(wrong(format!("{text} is {:.0} % more; write {text}%", 100.0 * share.as_f64())))
        }
        false => Ok(share),
    }
}

/// The last case of the template and its first, as far as they can be built.
fn samples(study: &Study, experiment: &Experiment) -> Vec<Case> {
    let last: Vec<usize> =
        experiment.factors.iter().map(|factor| factor.levels.len() - 1).collect();
    let ends = [last.clone(), vec![0; last.len()]];
    ends.iter().filter_map(|build| study.case_at(experiment, build).ok()).collect()
}

/// Of each loss, one whose effect on the counts is known for any build.
fn typical(experiment: &Experiment, losses: &[Loss], samples: &[Case]) -> Vec<Typical> {
    let Some(sample) = samples.first().filter(|_| !losses.is_empty()) else { return Vec::new() };
    let items = experiment.inventory(&vec![0; experiment.factors.len()]);
    losses.iter().filter_map(|loss| Typical::of(loss, &sample.system, &items)).collect()
}

/// What is stored is known of volumes, LUNs and drives that state their size.
fn check_capacity(needs: Needs, samples: &[Case]) -> Result<(), Problem> {
    let holds = |case: &Case| Capacity::of(&case.system).usable_bytes.is_some();
    if needs.capacity().is_none() || samples.is_empty() || samples.iter().any(holds) {
        return Ok(());
    }
    let text = "--need capacity: no drive, LUN or volume of the study states its size: add size=";
    Err(Problem::mistake(text))
}

fn growth(arguments: &Size, needs: Needs) -> Result<Option<Growth>, Problem> {
    let Some(text) = &arguments.growth else { return Ok(None) };
    let wrong = |why: String| Problem::mistake(format!("--growth: {why}"));
    let monthly: Bytes = text.parse().map_err(|error: UnitError| wrong(error.to_string()))?;
    if monthly == Bytes(0) {
        return Err(wrong("what is added each month must be above zero".to_owned()));
    }
    let today = needs
        .capacity()
        .ok_or_else(|| wrong("say what is stored today with --need capacity=100TB".to_owned()))?;
    Ok(Some(Growth { today, monthly }))
}

/// Requests a second are judged in a simulation at that rate, which not every stream can have.
fn check_open(arguments: &Size, needs: Needs, sample: Option<&Case>) -> Result<(), Problem> {
    if arguments.without_simulation || needs.iops().is_none() {
        return Ok(());
    }
    sample.map_or(Ok(()), Case::check_open).map_err(|why| {
        Problem::mistake(format!("iops need an open loop: {why}; or use --without-simulation"))
    })
}

/// No bound knows a percentile.
fn check_percentile(arguments: &Size, needs: Needs) -> Result<(), Problem> {
    let Some(metric) = needs.percentile() else { return Ok(()) };
    let name = metric.name();
    if arguments.without_simulation {
        let text = format!(
            "--need: only a simulation knows the {name} response: leave out --without-simulation, \
             or limit the mean, as in iops=150k@30ms"
        );
        return Err(Problem::mistake(text));
    }
    if !arguments.survive.is_empty() && !arguments.by_simulation {
        let text = format!(
            "--survive: losses are judged by bounds, which do not know the {name} response: add \
             --by-simulation, or limit the mean, as in iops=150k@30ms"
        );
        return Err(Problem::mistake(text));
    }
    Ok(())
}

/// What can be chosen, and what it costs.
pub(crate) struct Template {
    choices: Vec<Choice>,
    least: Measure,
    bills: Vec<(Measure, Bill)>,
    counts: Vec<Count>,
}

/// In the order in which what is stated decides.
const MEASURES: [Measure; 4] = [Measure::Price, Measure::RackUnits, Measure::Watts, Measure::Parts];

impl Template {
    fn of(asked: &Asked<'_>, arguments: &Size) -> Result<Self, Problem> {
        let experiment = asked.experiment;
        check_prices(experiment)?;
        let choices = choices(experiment);
        let inventory = |build: &[usize]| experiment.inventory(build);
        let bills = Bill::of_each(&choices, MEASURES, &inventory);
        let bills: Vec<(Measure, Bill)> = MEASURES.into_iter().zip(bills).collect();
        let stated = bills.iter().find(|(_, bill)| !bill.is_nothing());
        let default = stated.map_or(Measure::Parts, |(measure, _)| *measure);
        let least = arguments.least.map_or(default, crate::arguments::Least::measure);
        let failing: Vec<Failing> = asked.typical.iter().map(|one| one.failing).collect();
        let counts = Count::of_each(&choices, &failing, &inventory);
        let template = Self { choices, least, bills, counts };
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
            counts: &self.counts,
            wanted: arguments.builds.get(),
            most_asked: arguments.most.get(),
        }
    }

    fn combinations(&self) -> u64 {
        let levels = self.choices.iter().map(|choice| choice.levels as u64);
        levels.fold(1, u64::saturating_mul)
    }
}

/// What can be chosen. More members of a RAID 1 are more copies, which carry less.
fn choices(experiment: &Experiment) -> Vec<Choice> {
    let choice = |factor: &Factor| {
        let choice = Choice::of(factor);
        let last = factor.levels.len() - 1;
        let is_copied = factor.of.as_ref().is_some_and(|of| experiment.has_copies_of(of));
        Choice { is_more: choice.is_more && last > 0 && !is_copied, ..choice }
    };
    experiment.factors.iter().map(choice).collect()
}

/// Prices come from declarations, so those of single instances cannot differ.
fn check_prices(experiment: &Experiment) -> Result<(), Problem> {
    let levels = experiment.factors.iter().flat_map(|factor| &factor.levels);
    let is_indexed = |path: &String| {
        let properties = [".price", ".rack-units", ".watts"];
        path.contains('[') && properties.iter().any(|property| path.ends_with(property))
    };
    match levels.flat_map(Level::assigned).find(is_indexed) {
        Some(path) => Err(Problem::mistake(format!("{path}: a template states it without index"))),
        None => Ok(()),
    }
}
