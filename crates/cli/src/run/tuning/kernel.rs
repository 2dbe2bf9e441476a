//! Settings of this machine's kernel among the levels of factors: what is set today, what a level
//! would set, and leaving it so.

use std::collections::{BTreeMap, BTreeSet};
use std::path::PathBuf;

use iopath_advice::tuning::Setting;
use iopath_machine::Root;
use iopath_machine::settings::{self, Changed, Setting as Kernel, Wanted};
use iopath_measurement::Targets;
use iopath_report::KernelSetting;
use iopath_study::vary::{Factor, Level};

use super::Tuned;
use crate::exit_status::Problem;

/// How a property of the workload begins, as `--set` names it.
const WORKLOAD: &str = "workload.";

/// The factors that set nothing but the kernel.
pub(crate) fn factors(tuned: &Tuned<'_>) -> Vec<usize> {
    let factors = tuned.experiment.factors.iter().enumerate();
    let of_kernel = factors.filter(|(_, factor)| {
        let mut paths = factor.levels.iter().flat_map(Level::assigned).peekable();
        let is_of_kernel = |path: &str| {
            let property = path.strip_prefix(WORKLOAD);
            property
                .is_some_and(|property| Kernel::ALL.iter().any(|one| one.property() == property))
        };
        paths.peek().is_some() && paths.all(|path| is_of_kernel(&path))
    });
    of_kernel.map(|(at, _)| at).collect()
}

/// What the kernel's files shall say for a setting; nothing where it sets none.
fn wanted(tuned: &Tuned<'_>, setting: &[usize]) -> BTreeSet<Wanted> {
    let Ok(case) = tuned.case(setting) else { return BTreeSet::new() };
    let targets = Targets::new(Root::live(), PathBuf::from("."));
    // Whatever stands in the way was reported before anything was measured.
    targets.wanted_settings(&case).unwrap_or_default()
}

/// What of it the kernel says otherwise now.
fn other(wanted: &BTreeSet<Wanted>) -> impl Iterator<Item = (&Wanted, String)> {
    let root = Root::live();
    wanted.iter().filter_map(move |one| {
        let found = settings::current(&root, &one.file).ok()?;
        (found != one.value).then_some((one, found))
    })
}

/// Today's setting with those levels of the kernel's factors that it is set to now, which must be
/// among them: else nothing could be compared with what there is.
pub(crate) fn today(tuned: &Tuned<'_>) -> Result<Setting, Problem> {
    let mut today = tuned.space.today().clone();
    for knob in factors(tuned) {
        let levels = 0..tuned.experiment.factors[knob].levels.len();
        let of = |place: usize| {
            let mut setting = today.clone();
            setting[knob] = place;
            own(&tuned.experiment.factors[knob], wanted(tuned, &setting))
        };
        // A level that sets nothing is what there is.
        let sets = |place: &usize| {
            tuned.experiment.factors[knob].levels[*place].assigned().next().is_some()
        };
        let is_now = |place: &usize| !sets(place) || other(&of(*place)).next().is_none();
        let now = levels.clone().find(is_now);
        let all = levels.flat_map(of).collect();
        today[knob] = now.ok_or_else(|| unlisted(tuned, knob, &all))?;
    }
    Ok(today)
}

/// The kernel's settings that trials change, each with its value today, by device.
pub(crate) fn touched(tuned: &Tuned<'_>) -> BTreeMap<String, BTreeSet<String>> {
    let mut by_device: BTreeMap<String, BTreeSet<String>> = BTreeMap::new();
    for knob in factors(tuned) {
        for place in 0..tuned.experiment.factors[knob].levels.len() {
            let mut setting = tuned.space.today().clone();
            setting[knob] = place;
            let wanted = wanted(tuned, &setting);
            for KernelSetting { device, name, before, .. } in
                other(&wanted).map(|(one, found)| shown(one, found))
            {
                let name = format!("{name} (now {before})");
                by_device.entry(device).or_default().insert(name);
            }
        }
    }
    by_device
}

/// What a factor sets itself: the others may not be as today yet.
fn own(factor: &Factor, wanted: BTreeSet<Wanted>) -> BTreeSet<Wanted> {
    let assigned: BTreeSet<String> = factor.levels.iter().flat_map(Level::assigned).collect();
    let property = |one: &Wanted| format!("{WORKLOAD}{}", one.setting.property());
    wanted.into_iter().filter(|one| assigned.contains(&property(one))).collect()
}

fn unlisted(tuned: &Tuned<'_>, knob: usize, all: &BTreeSet<Wanted>) -> Problem {
    let now: BTreeSet<String> =
        other(all).map(|(one, found)| format!("{} is {found}", one.file.display())).collect();
    let now = now.into_iter().collect::<Vec<_>>().join(", ");
    Problem::mistake(format!(
        "the factor \"{}\" has no level for what is set now, so nothing can be compared with it: \
         {now}; add it as a level",
        tuned.experiment.factors[knob].name
    ))
}

/// The kernel's files that a setting changes, and to what; all factors of the kernel together.
pub(crate) fn changes(tuned: &Tuned<'_>, setting: &[usize], knob: usize) -> Vec<KernelSetting> {
    if !factors(tuned).contains(&knob) {
        return Vec::new();
    }
    let mut without = setting.to_vec();
    without[knob] = tuned.space.today()[knob];
    let before = wanted(tuned, &without);
    let after = wanted(tuned, setting);
    let new: BTreeSet<Wanted> = after.difference(&before).cloned().collect();
    other(&new).map(|(one, found)| shown(one, found)).collect()
}

fn shown(wanted: &Wanted, before: String) -> KernelSetting {
    let name = wanted.setting.name();
    // `…/vda/queue/scheduler`, `…/bdi/0:45/read_ahead_kb`, `…/btrfs/UUID/bdi/read_ahead_kb`.
    let parts: Vec<String> =
        wanted.file.iter().map(|part| part.to_string_lossy().into_owned()).collect();
    let device =
        parts.iter().rev().skip(1).find(|part| !["queue", "bdi"].contains(&part.as_str())).cloned();
    KernelSetting {
        device: device.unwrap_or_default(),
        name: name.to_owned(),
        file: wanted.file.display().to_string(),
        before,
        after: wanted.value.clone(),
    }
}

/// Changes these settings of the kernel, and leaves them so.
pub(crate) fn apply(changes: &[&KernelSetting]) -> Result<(), Problem> {
    let wanted = changes.iter().filter_map(|change| {
        let setting = Kernel::ALL.into_iter().find(|one| one.name() == change.name)?;
        let (file, value) = (PathBuf::from(&change.file), change.after.clone());
        Some(Wanted { setting, file, value })
    });
    let changed = Changed::set(&Root::live(), &wanted.collect());
    changed.map_err(|error| Problem::unexpected(format!("--apply: {error}")))?.leave();
    Ok(())
}
