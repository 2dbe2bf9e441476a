//! The case that runs on a rig: targets laid on devices, streams that count, nothing left that only
//! a model could choose.

use std::collections::BTreeMap;
use std::path::PathBuf;
use std::sync::Arc;

use iopath_path::{Network, Place};
use iopath_study::case::{Bind, Modelled, Pacing, Stream, Target};
use iopath_study::{Case, PartId};
use iopath_units::Ratio;

use super::walk::Key;
use super::{Leaf, Plan, Planned};

type Laid = BTreeMap<(usize, Place), BTreeMap<PartId, Vec<Key>>>;

/// The targets of the case that runs, and which of them a target of the case is for streams of a
/// place.
pub(super) fn targets(
    case: &Case,
    network: &Network,
    laid: &Laid,
    (positions, copies): (&BTreeMap<&Key, usize>, &BTreeMap<PartId, Key>),
) -> (Vec<Planned>, BTreeMap<(usize, Place), usize>) {
    let leaf = |(part, keys): (&PartId, &Vec<Key>)| {
        let copy = copies.get(part).map(|key| positions[key]);
        (*part, Leaf { ways: keys.iter().map(|key| positions[key]).collect(), copy })
    };
    let mut targets: Vec<Planned> = Vec::new();
    let mut numbers = BTreeMap::new();
    let mut places: Vec<Place> = Vec::new();
    for ((target, place), leaves) in laid {
        let leaves: BTreeMap<PartId, Leaf> = leaves.iter().map(leaf).collect();
        let alike = targets.iter().position(|one| one.target == *target && one.leaves == leaves);
        let number = alike.unwrap_or_else(|| {
            let name = case.targets[*target].name.clone();
            targets.push(Planned { target: *target, name, leaves });
            places.push(*place);
            targets.len() - 1
        });
        numbers.insert((*target, *place), number);
    }
    name_apart(network, &mut targets, &places);
    (targets, numbers)
}

/// Where hosts reach one target by different devices, its name says whose it is.
fn name_apart(network: &Network, targets: &mut [Planned], places: &[Place]) {
    let several: Vec<bool> = targets
        .iter()
        .map(|one| targets.iter().filter(|other| other.target == one.target).count() > 1)
        .collect();
    for ((target, place), several) in targets.iter_mut().zip(places).zip(several) {
        if let Some(host) = place.component().filter(|_| several) {
            target.name = format!("{} from {}", target.name, network.component(host).name);
        }
    }
}

impl Plan {
    /// The case that measures on the rig, whose devices are at `paths`, in their order. It has the
    /// streams that count, in the order of the case that was planned.
    #[must_use]
    pub fn bind(&self, case: &Case, paths: &[PathBuf]) -> Case {
        let path = |device: &usize| paths[*device].to_string_lossy().into_owned();
        let bind = |leaf: &Leaf| Bind {
            paths: leaf.ways.iter().map(path).collect(),
            copy: leaf.copy.as_ref().map(path),
        };
        let target = |planned: &Planned| {
            let target = &case.targets[planned.target];
            let below: BTreeMap<PartId, Bind> =
                planned.leaves.iter().map(|(part, leaf)| (*part, bind(leaf))).collect();
            Target {
                name: planned.name.clone(),
                binding: below.get(&target.part).and_then(|bind| bind.paths.first().cloned()),
                below: Arc::new(below),
                ..target.clone()
            }
        };
        Case {
            targets: self.targets.iter().map(target).collect(),
            streams: self.streams.iter().map(|(at, to)| self.stream(case, *at, *to)).collect(),
            ..case.clone()
        }
    }

    /// A stream on its target, without what the rig stands for already.
    fn stream(&self, case: &Case, at: usize, target: usize) -> Stream {
        let stream = &case.streams[at];
        let pacing = match stream.pacing {
            Pacing::Closed => Pacing::Closed,
            Pacing::Open { rate, arrivals, .. } => {
                // Those that count share the rate.
                let of_group =
                    |(other, _): &&(usize, usize)| case.streams[*other].group == stream.group;
                let count = self.streams.iter().filter(of_group).count();
                let streams = u32::try_from(count).unwrap_or(u32::MAX);
                Pacing::Open { rate, streams, arrivals }
            }
        };
        let modelled =
            Modelled { on: None, via: Arc::from([]), hit: Ratio(0), ..stream.modelled.clone() };
        Stream { target, pacing, modelled, ..stream.clone() }
    }
}
