//! How much more a component carries with each of its parts: rates over the number of parts that
//! are measured at once, each with all its devices.

use super::apart::Results;
use super::classes::Class;
use super::plan::parts;
use super::{Crossed, Evidence, Together, sets};
use crate::probe::Members;
use crate::thresholds::groups::SCALES_WELL;

/// One component's devices and what they carried, part by part.
#[derive(Clone, Debug, PartialEq)]
pub struct Scaling {
    /// All devices behind it.
    pub devices: Members,
    /// From one part to all of them.
    pub steps: Vec<Step>,
}

/// So many parts at once.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Step {
    pub parts: usize,
    /// Bytes or operations per second; of one part the mean over all that were measured alone.
    pub rate: f64,
    /// Share of as many times what one part carries.
    pub efficiency: f64,
}

impl Scaling {
    /// The most parts that still scale.
    #[must_use]
    pub fn knee(&self) -> usize {
        let good = self.steps.iter().take_while(|step| step.efficiency >= SCALES_WELL);
        good.last().map_or(1, |step| step.parts)
    }
}

/// Every level with several parts, innermost first.
#[must_use]
pub fn scaling(devices: usize, components: &[Crossed], experiments: &[Together]) -> Vec<Scaling> {
    let known = sets(devices, components);
    let classes = Class::all(components);
    let measured = Results::of(&Evidence::of(&classes, experiments));
    let levels = known.iter().filter(|set| set.len() > 1);
    levels.filter_map(|whole| level(whole, &parts(whole, &known), &measured)).collect()
}

fn level(whole: &Members, parts: &[&Members], measured: &Results<'_>) -> Option<Scaling> {
    let total = |set: &Members| {
        let apart = || measured.next_to_others(set).map(|one| one.together.total());
        measured.own(set).map(Together::total).or_else(apart)
    };
    let alone: Vec<f64> = parts.iter().filter_map(|part| total(part)).collect();
    let one = alone.iter().sum::<f64>() / alone.len().max(1) as f64;
    let together = |count: usize| {
        let set: Members = parts[..count].iter().copied().flatten().copied().collect();
        total(&set).map(|rate| (count, rate))
    };
    let more = (2..=parts.len()).filter_map(together);
    let steps = std::iter::once((1, one)).chain(more).map(|(parts, rate)| Step {
        parts,
        rate,
        efficiency: rate / (one * parts as f64),
    });
    let steps: Vec<Step> = steps.collect();
    (one > 0.0 && steps.len() > 1).then(|| Scaling { devices: whole.clone(), steps })
}
