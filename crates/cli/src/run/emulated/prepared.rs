//! A case made ready to be emulated: predicted, scaled, planned. Nothing is touched here but for
//! the calibration of the machine, which is asked for once.

mod choice;
mod live;

use std::collections::{BTreeMap, BTreeSet};
use std::path::PathBuf;
use std::sync::atomic::AtomicBool;

use iopath_analysis::predict;
use iopath_analysis::prediction::{Binding, LimitClass, Prediction};
use iopath_analytic::evaluate;
use iopath_emulation::{Options, Plan, plan};
use iopath_live::{Export, bind};
use iopath_path::Network;
use iopath_record::{Direction, Measure, Origin};
use iopath_report::EmulatedEpoch;
use iopath_study::{Case, Scale, Study};
use iopath_units::{ByteRate, Human, System};

use self::choice::Asked;
pub(crate) use self::choice::Wanted;
use super::ceiling::Ceiling;
use super::load::Load;
use crate::exit_status::{ExitStatus, Problem};
use crate::inputs::paths;
use crate::run::session;

/// A case, ready.
pub(crate) struct Prepared {
    pub name: String,
    /// What the model says of the case as the study has it, in bytes per second.
    pub predicted: f64,
    /// The same of streams that run one after the other.
    pub epochs: Vec<EmulatedEpoch>,
    /// What is full then.
    pub full: Option<Full>,
    pub scale: Scale,
    pub scaled: Case,
    pub made: Made,
}

/// What a case is made of.
pub(crate) enum Made {
    /// Devices behind groups of tokens.
    Rates(Plan),
    /// Files behind a simulation of the case as the study has it.
    System { case: Box<Case>, exports: Vec<Export> },
}

/// What of the path binds where it carries all that it can.
pub(crate) struct Full {
    pub name: String,
    /// Its limit in words.
    pub limit: String,
}

impl Full {
    /// The dearest of what is used up; none where no rate of the path is, but what the streams
    /// want, or their requests in flight.
    fn of(prediction: &Prediction) -> Option<Self> {
        let is_path = |one: &&Binding| {
            let limit = &one.limits.limit;
            limit.tokens.is_none() && limit.origin != Origin::Study && !one.shortens
        };
        let Binding { limits, .. } = prediction.bottlenecks.iter().find(is_path)?;
        let LimitClass { name, limit, .. } = limits;
        let rate = match limit.measure {
            Measure::Bytes => ByteRate(limit.per_sec).human(System::Decimal),
            Measure::Operations => format!("{} operations/s", limit.per_sec),
            Measure::BusyNs | Measure::FlushNs | Measure::Requests => "all of its time".to_owned(),
        };
        let direction = match limit.direction {
            Direction::Both => String::new(),
            direction => format!(" {direction}"),
        };
        let limit = format!("{rate}{direction}, {}", limit.origin);
        Some(Self { name: name.clone(), limit })
    }
}

/// This machine, calibrated when somebody first asks.
pub(crate) struct Machine<'a> {
    pub options: &'a Options,
    pub interrupted: &'a AtomicBool,
    /// Whether cases are answered by their simulation.
    pub is_live: bool,
    ceiling: Option<Ceiling>,
}

impl<'a> Machine<'a> {
    pub(crate) fn new(options: &'a Options, interrupted: &'a AtomicBool) -> Self {
        Self { options, interrupted, is_live: false, ceiling: None }
    }

    /// The same whose cases are answered by their simulation.
    pub(crate) fn live(options: &'a Options, interrupted: &'a AtomicBool) -> Self {
        Self { is_live: true, ..Self::new(options, interrupted) }
    }

    fn ceiling(&mut self) -> Result<Ceiling, Problem> {
        if let Some(ceiling) = self.ceiling {
            return Ok(ceiling);
        }
        let found = match self.is_live {
            true => Ceiling::of_live(self.options, self.interrupted)?,
            false => Ceiling::measure(self.options, self.interrupted)?,
        };
        Ok(*self.ceiling.insert(found))
    }
}

impl Prepared {
    pub(crate) fn of(
        study: &Study,
        case: &Case,
        wanted: Wanted,
        machine: &mut Machine<'_>,
    ) -> Result<Self, Problem> {
        let name = session::name_of(case);
        let refused = |text: String| Problem::new(ExitStatus::Obstacle, format!("{name}: {text}"));
        let network = network(study, case)?;
        if machine.is_live {
            return live::of(case, &network, wanted, machine);
        }
        let prediction = predict(&evaluate(case, &without_flushes(&network)));
        if prediction.throughput_bytes_per_sec <= 0.0 || prediction.bounds.is_empty() {
            let text = "its path has no rate limit, so there is nothing to emulate";
            return Err(refused(text.to_owned()));
        }
        let whole = plan(case, &network).map_err(|error| refused(error.to_string()))?;
        let anywhere: Vec<_> = whole.rig.devices.iter().map(|_| "/".into()).collect();
        let bound = whole.bind(case, &anywhere);
        let load = Load::of(&bound, prediction.operations_per_sec);
        let ceiling = machine.ceiling()?;
        let share = |scale: &Scale| share(load, *scale, ceiling);
        let why = |scale| too_much(load, scale, ceiling);
        let asked = Asked { share: &share, is_true: &|_| true, why: &why };
        let scale = wanted.scale(case, &asked).map_err(refused)?;
        let scaled = case.scaled(scale).map_err(|error| refused(error.to_string()))?;
        let plan = match scale == Scale::ONE {
            true => whole,
            false => plan(&scaled, &self::network(study, &scaled)?)
                .map_err(|error| refused(error.to_string()))?,
        };
        let in_flight = load.ahead / plan.rig.devices.len().max(1) as f64;
        let plan = plan.with_doors_for(in_flight);
        let predicted = prediction.throughput_bytes_per_sec;
        let full = Full::of(&prediction);
        let (epochs, made) = (epochs(&prediction), Made::Rates(plan));
        Ok(Self { name, predicted, epochs, full, scale, scaled, made })
    }
}

impl Prepared {
    /// Names of its devices, or files, in their order.
    pub(crate) fn devices(&self) -> Vec<&str> {
        match &self.made {
            Made::Rates(plan) => plan.rig.devices.iter().map(|one| one.name.as_str()).collect(),
            Made::System { exports, .. } => exports.iter().map(|one| one.name.as_str()).collect(),
        }
    }

    /// How many rates its devices share.
    pub(crate) fn groups(&self) -> usize {
        match &self.made {
            Made::Rates(plan) => plan.rig.groups.len(),
            Made::System { .. } => 0,
        }
    }

    /// What is not as in the study.
    pub(crate) fn notes(&self) -> Vec<String> {
        match &self.made {
            Made::Rates(plan) => plan.notes.iter().map(|note| note.text.clone()).collect(),
            Made::System { .. } => Vec::new(),
        }
    }

    /// The case that measures on its devices, which are at `paths`.
    pub(crate) fn bind(&self, paths: &[PathBuf]) -> Case {
        match &self.made {
            Made::Rates(plan) => plan.bind(&self.scaled, paths),
            Made::System { exports, .. } => bind(&self.scaled, exports, paths),
        }
    }

    /// How many times streams run one after the other.
    pub(crate) fn turns(&self) -> u64 {
        self.epochs.len().max(1) as u64
    }
}

/// What each turn of streams can move; none where all run together.
fn epochs(prediction: &Prediction) -> Vec<EmulatedEpoch> {
    let mut turns: BTreeMap<u32, EmulatedEpoch> = BTreeMap::new();
    for share in &prediction.shares {
        let empty = || EmulatedEpoch { streams: Vec::new(), predicted: 0.0, measured: None };
        let turn = turns.entry(share.turn).or_insert_with(empty);
        turn.streams.push(share.name.clone());
        turn.predicted += share.throughput_bytes_per_sec;
    }
    if turns.len() < 2 { Vec::new() } else { turns.into_values().collect() }
}

/// The network as it stands here, where nothing is volatile.
fn without_flushes(network: &Network) -> Network {
    let mut network = network.clone();
    network.streams.iter_mut().for_each(|load| load.flushing = None);
    network
}

fn network(study: &Study, case: &Case) -> Result<Network, Problem> {
    Network::build(case, &BTreeSet::new()).map_err(|wrong| {
        let mut mistakes = paths::Mistakes::default();
        mistakes.add(wrong);
        let told = mistakes.into_result(study);
        told.err().unwrap_or_else(|| Problem::unexpected("a path without a network"))
    })
}

/// Share of the ceiling that a load takes.
fn share(load: Load, scale: Scale, ceiling: Ceiling) -> f64 {
    let load = load.scaled(scale.divisor(), scale.stretch());
    load.per_sec / ceiling.per_sec(load.bytes)
}

/// What the devices would have to serve, and what they do.
fn too_much(load: Load, scale: Scale, ceiling: Ceiling) -> String {
    let asked = load.scaled(scale.divisor(), scale.stretch());
    format!(
        "its devices would have to serve {:.0} requests/s of {:.0} bytes, and this machine serves \
         {:.0}",
        asked.per_sec,
        asked.bytes,
        ceiling.per_sec(asked.bytes)
    )
}

#[cfg(test)]
mod tests {
    use iopath_study::Source;

    use super::*;

    /// What is full of a disk of 20 MB/s and 20 ms, under so many requests in flight.
    fn full(depth: u64) -> Option<String> {
        let text = format!(
            "study \"a disk\"\n\
             path {{ host \"h\" {{ disk read=\"20 MB/s\" latency=\"20 ms\" }} }}\n\
             workload {{ streams \"s\" over=\"h.disk\" block=\"16 KiB\" depth={depth} }}"
        );
        let study = iopath_study::parse(&Source { name: "a.kdl".to_owned(), text }, &[]).unwrap();
        let cases = study.cases().unwrap();
        let prediction = predict(&evaluate(&cases[0], &network(&study, &cases[0]).unwrap()));
        Full::of(&prediction).map(|full| full.name)
    }

    #[test]
    fn a_path_that_too_few_requests_hold_back_is_not_full() {
        assert_eq!(full(2), None);
        assert_eq!(full(256).as_deref(), Some("h.disk"));
    }
}
