//! What a profile is of: a path, and the devices at its ends that experiments read and write.
//!
//! The path is that of a study, or what is discovered below the targets. Its devices are what the
//! study's streams go to; of a volume that is composed of real devices, these. Writing needs a
//! scratch file, or a target that the user gives up.

pub(crate) mod experiments;
pub(crate) mod given_up;

use std::collections::BTreeSet;
use std::fs::File;
use std::path::PathBuf;

use iopath_discovery::{Discovered, Facts, discover};
use iopath_machine::Root;
use iopath_measurement::target::laid;
use iopath_study::case::{Target, TargetKind};
use iopath_study::{Case, PartId};
use iopath_units::Bytes;

use crate::arguments::Profile;
use crate::exit_status::{ExitStatus, Problem};
use crate::inputs::named::{self, Named};
use crate::inputs::{measurable, studies};
use crate::output;

use given_up::GivenUp;

/// A path and the devices at its ends.
pub(crate) struct Profiled {
    pub case: Case,
    pub devices: Vec<Device>,
    /// Names that were given up and are no target's.
    pub unmatched: Vec<String>,
    /// The study that describes the path.
    pub text: String,
    /// The machine's own path, where it was discovered.
    pub found: Option<Discovered>,
    /// Where it is from, for records.
    pub from: String,
}

/// A device, a file, or a scratch file.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct Device {
    pub part: PartId,
    /// Its full name, a selector of the study.
    pub selector: String,
    /// The number of its declaration: instances of one are equal.
    pub declared: usize,
    pub may_write: bool,
    /// Whether it is a file, and no block device.
    pub is_file: bool,
    /// Its size, where the path states it or it is an empty file.
    pub bytes: Option<u64>,
}

/// Reads the study, or discovers the path.
pub(crate) fn choose(arguments: &Profile) -> Result<Profiled, Problem> {
    let Profile { targets, set, allow_destroy, .. } = arguments;
    let as_found = |found| found;
    match targets.is_empty() {
        true => of(&usual()?, set, allow_destroy, &as_found),
        false => of(targets, set, allow_destroy, &as_found),
    }
}

/// The path of a study or of targets, with what is known of it besides; without any target that of
/// all drives.
pub(crate) fn of(
    targets: &[PathBuf],
    sets: &[String],
    allow_destroy: &[String],
    known: &dyn Fn(Discovered) -> Discovered,
) -> Result<Profiled, Problem> {
    let (planned, found, from) = match Named::by(targets)? {
        Named::Study(study) => (studies::read(study, sets)?, None, study.display().to_string()),
        Named::Targets(targets) => {
            let found = known(discovered(targets)?);
            let planned = studies::plan("(discovered)", found.study(), sets)?;
            (planned, Some(found), "discovered".to_owned())
        }
    };
    measurable::check(&planned)?;
    let text = planned.text;
    let case = planned.plan.trials.into_iter().next().map(|trial| trial.case);
    let case = case.ok_or_else(|| Problem::mistake("the study has no case"))?;
    let given_up = GivenUp::of(&case, allow_destroy);
    let devices = devices(&case, &given_up);
    let unmatched = given_up.unmatched();
    Ok(Profiled { case, devices, unmatched, text, found, from })
}

/// All drives, for which an empty list stands, where they can be read; else a scratch file here.
fn usual() -> Result<Vec<PathBuf>, Problem> {
    if !drives()?.is_empty() {
        return Ok(Vec::new());
    }
    output::tell("the drives of this machine cannot be read: a scratch file is used here");
    Ok(vec![PathBuf::from(".")])
}

/// All drives of this machine, where they can be read; else none.
pub(crate) fn drives() -> Result<Vec<PathBuf>, Problem> {
    let planned = studies::plan("(discovered)", discovered(&[])?.study(), &[])?;
    let cases = planned.plan.trials.iter().map(|trial| &trial.case);
    let nodes: BTreeSet<&String> =
        cases.flat_map(|case| case.targets.iter().filter_map(|one| one.binding.as_ref())).collect();
    let can_be_read = nodes.iter().all(|node| File::open(node).is_ok());
    Ok(nodes.into_iter().filter(|_| can_be_read).map(PathBuf::from).collect())
}

fn discovered(targets: &[PathBuf]) -> Result<Discovered, Problem> {
    named::assure_there(targets)?;
    let obstacle = |error| Problem::new(ExitStatus::Obstacle, error);
    let targets = targets.iter().map(|target| target.canonicalize());
    let mut targets = targets.collect::<Result<Vec<_>, _>>().map_err(obstacle)?;
    let mut seen = BTreeSet::new();
    targets.retain(|target| seen.insert(target.clone()));
    let facts = Facts::read(&Root::live(), &targets)
        .map_err(|error| Problem::new(ExitStatus::Obstacle, error))?;
    Ok(discover(&facts))
}

impl Profiled {
    /// How much of scratch files is written before they are read.
    pub(crate) fn scratch(&self) -> Bytes {
        let is_scratch = |one: &&Target| one.kind == TargetKind::File && one.binding.is_none();
        let sizes = self.case.targets.iter().filter(is_scratch).filter_map(|one| one.size);
        Bytes(sizes.map(|size| size.0).sum())
    }
}

/// What streams go to; of what is composed, the real parts below.
fn devices(case: &Case, given_up: &GivenUp) -> Vec<Device> {
    let mut found: Vec<Device> = Vec::new();
    for target in &case.targets {
        let parts = match laid(case, target) {
            Ok(Some(laid)) => laid.real(),
            Ok(None) | Err(_) => vec![target.part],
        };
        for part in parts {
            let selector = case.system.part(part).name.clone();
            if found.iter().all(|device| device.part != part) {
                let declared = case.system.part(part).declared;
                let may_write = may_write(target, part, given_up);
                let is_file = part == target.part && target.kind == TargetKind::File;
                let stated = case.system.size(part, "size").map(|size| size.0);
                let bytes = stated.or_else(|| nothing(target).filter(|_| is_file));
                found.push(Device { part, selector, declared, may_write, is_file, bytes });
            }
        }
    }
    found
}

/// None where the file that a target is bound to is empty: a path then states no size.
fn nothing(target: &Target) -> Option<u64> {
    let found = std::fs::metadata(target.binding.as_ref()?).ok()?;
    (found.is_file() && found.len() == 0).then_some(0)
}

/// A scratch file vanishes anyway; anything else has to be given up by its user.
fn may_write(target: &Target, part: PartId, given_up: &GivenUp) -> bool {
    let below = target.below.get(&part).into_iter().flat_map(|bind| &bind.paths);
    let own: Vec<&String> = target.binding.iter().chain(below).collect();
    match own.is_empty() {
        true => target.kind == TargetKind::File,
        false => own.iter().any(|path| given_up.has(path)),
    }
}
