//! The path that measured cases take: their own, that of a study file (`--path`), or what is
//! discovered below their targets.
//!
//! A case with another path is read again from its text, so that its record holds the path; it must
//! still measure the same, or it goes without one. What cannot be discovered is said in a line and
//! is in nobody's way; what `--path` asks for and cannot be is a mistake.

use std::collections::{BTreeMap, BTreeSet};
use std::path::{Path, PathBuf};

use iopath_discovery::{Discovered, Facts, discover};
use iopath_machine::{Devices, Root};
use iopath_measurement::target::laid;
use iopath_path::{Network, PathMistakeKind};
use iopath_study::case::{EngineKind, Stream, Target};
use iopath_study::value::Value;
use iopath_study::{Case, Source, parse};

use crate::exit_status::{ExitStatus, Problem};
use crate::inputs::locate::{PathIndex, place};
use crate::inputs::studies;
use crate::inputs::studies::Planned;
use crate::output;

/// What puts the measured values of a machine into its path.
pub(crate) type Known = Box<dyn Fn(Discovered) -> Discovered>;

/// Which path cases take.
pub(crate) enum PathSource {
    /// What is discovered, with what is known of this machine; their own where they have one.
    Discovered(Known),
    /// That of a study file, also instead of their own.
    File(PathBuf),
    /// Their own or none.
    Own,
}

/// Gives each case of a plan its path; tells for each trial that got one where it is from.
pub(crate) fn lay(
    planned: &mut Planned,
    wish: &PathSource,
    root: &Root,
) -> Result<BTreeMap<usize, String>, Problem> {
    match wish {
        PathSource::Own => Ok(BTreeMap::new()),
        PathSource::File(file) => of_file(planned, file, root),
        PathSource::Discovered(known) => Ok(discovered(planned, root, known)),
    }
}

fn of_file(
    planned: &mut Planned,
    file: &Path,
    root: &Root,
) -> Result<BTreeMap<usize, String>, Problem> {
    let name = file.display().to_string();
    let wrong = |why: String| Problem::mistake(format!("--path {name}: {why}"));
    let study = studies::read(file, &[])?;
    let path = study.plan.trials.into_iter().next().map(|trial| trial.case);
    let path = path.filter(describes_path).ok_or_else(|| {
        wrong("it describes no path: `iopath discover -o FILE` writes one".to_owned())
    })?;
    let devices = Devices::read(root).map_err(|error| Problem::new(ExitStatus::Obstacle, error))?;
    let ways = PathIndex::new(&path, &devices, root);
    let mut from = BTreeMap::new();
    for (index, trial) in planned.plan.trials.iter_mut().enumerate() {
        trial.case = over(&trial.case, &ways).map_err(wrong)?;
        from.insert(index, name.clone());
    }
    Ok(from)
}

fn discovered(planned: &mut Planned, root: &Root, known: &Known) -> BTreeMap<usize, String> {
    let mut from = BTreeMap::new();
    // One discovery for cases of the same targets.
    let mut found: BTreeMap<Vec<PathBuf>, Result<Case, String>> = BTreeMap::new();
    let mut told: BTreeSet<String> = BTreeSet::new();
    let devices = Devices::read(root);
    let trials = planned.plan.trials.iter_mut().enumerate();
    for (index, trial) in trials.filter(|(_, trial)| wants_path(&trial.case)) {
        let places: BTreeSet<PathBuf> = trial.case.targets.iter().map(place).collect();
        let places: Vec<PathBuf> = places.into_iter().collect();
        let path = found
            .entry(places)
            .or_insert_with_key(|places| below(root, places, &mut |found| known(found)));
        let case = match (path, &devices) {
            (Err(why), _) => Err(why.clone()),
            (_, Err(error)) => Err(error.to_string()),
            (Ok(path), Ok(devices)) => over(&trial.case, &PathIndex::new(path, devices, root)),
        };
        match case {
            Ok(case) => {
                trial.case = case;
                from.insert(index, "discovered".to_owned());
            }
            Err(why) => {
                told.insert(why);
            }
        }
    }
    for why in told {
        output::tell(&undiscovered(&why));
    }
    from
}

/// What is said where there is no path because of this.
pub(crate) fn undiscovered(why: &str) -> String {
    format!("measured without a path, which could not be discovered: {why}")
}

/// What is below files, directories and devices, as the only case of a study; `known` puts in what
/// is known of the machine.
pub(crate) fn below(
    root: &Root,
    places: &[PathBuf],
    known: &mut dyn FnMut(Discovered) -> Discovered,
) -> Result<Case, String> {
    let facts = Facts::read(root, places).map_err(|error| error.to_string())?;
    let text = known(discover(&facts)).study();
    let source = Source { name: "(discovered)".to_owned(), text };
    let study = parse(&source, &[]).map_err(|error| error.to_string())?;
    let case = study.cases().map_err(|error| error.to_string())?.into_iter().next();
    case.ok_or_else(|| "no case".to_owned())
}

/// A case over another path; it measures what it has measured without.
fn over(case: &Case, ways: &PathIndex<'_>) -> Result<Case, String> {
    let targets = ways.targets(case)?;
    let found = case.over(&targets).map_err(|error| error.to_string())?;
    let is_whole = found.targets.iter().all(|target| matches!(laid(&found, target), Ok(None)));
    if !is_whole || measured(case) != measured(&found) {
        return Err("this would change the measurement".to_owned());
    }
    match Network::build(&found, &BTreeSet::new()) {
        Ok(_) => Ok(found),
        // What is measured need not be what models know of.
        Err(wrong) if wrong.iter().all(|one| one.kind == PathMistakeKind::Unmodelled) => Ok(found),
        Err(wrong) => {
            Err(wrong.into_iter().map(|mistake| mistake.text).collect::<Vec<_>>().join("; "))
        }
    }
}

fn wants_path(case: &Case) -> bool {
    !describes_path(case) && has_requests(case)
}

/// The same of the path of each host, where a case may name hosts for its streams to run on.
pub(crate) fn wants_path_of_each_host(case: &Case) -> bool {
    !describes(case, &["host"]) && has_requests(case)
}

/// Models know nothing of names, so a path would tell nothing of a metadata load.
fn has_requests(case: &Case) -> bool {
    let has_tree = case.targets.iter().any(|target| target.tree.is_some());
    !has_tree && case.workload.engine != EngineKind::Null
}

/// Whether a case says more of what its targets lie on than what they stand for.
fn describes_path(case: &Case) -> bool {
    describes(case, &[])
}

/// The same, but for parts of some kinds that say nothing more than that they are there.
fn describes(case: &Case, besides: &[&str]) -> bool {
    let system = &case.system;
    system.ids().any(|id| {
        let part = system.part(id);
        let is_named_only = case.targets.iter().any(|target| target.part == id)
            || besides.contains(&system.kind(id));
        let values = system.declared(id).values.values();
        let mut rates = values.filter(|value| matches!(value.value, Value::Rate(_)));
        !is_named_only
            || part.parent.is_some()
            || !part.members.is_empty()
            || rates.next().is_some()
    })
}

/// What a measurement does with a case, but for where its targets lie.
fn measured(case: &Case) -> impl PartialEq {
    let target = |target: &Target| {
        let Target { name, kind, binding, size, directory, tree, .. } = target.clone();
        (name, kind, binding, (size, tree), directory.unwrap_or_else(|| ".".to_owned()))
    };
    let stream = |stream: &Stream| {
        let Stream { name, target, reads, pattern, region, block, depth, .. } = stream.clone();
        let Stream { pacing, advice, sync, .. } = *stream;
        ((name, target, reads, pattern), (region, block, depth), (pacing, advice, sync))
    };
    let targets: Vec<_> = case.targets.iter().map(target).collect();
    let streams: Vec<_> = case.streams.iter().map(stream).collect();
    (targets, streams, case.workload.clone(), case.levels.clone())
}
