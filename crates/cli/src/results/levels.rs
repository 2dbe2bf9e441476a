//! The levels of an experiment's factors, as they are shown.

use iopath_report::Chosen;
use iopath_study::experiment::Experiment;

/// Those at these places, one of each factor.
pub(crate) fn chosen(experiment: &Experiment, build: &[usize]) -> Vec<Chosen> {
    let factors = experiment.factors.iter().zip(build);
    let chosen = factors.map(|(factor, place)| Chosen {
        factor: factor.name.clone(),
        level: factor.levels[*place].title().to_owned(),
    });
    chosen.collect()
}
