//! Settings of this machine's kernel among the levels of factors: what is set today, what a level
//! would set, and leaving it so.

use std::collections::BTreeSet;
use std::path::PathBuf;

use iopath_advice::tuning::Setting;
use iopath_machine::Root;
use iopath_machine::settings::{self, Changed, Wanted};
use iopath_measurement::Targets;
use iopath_report::KernelSetting;

use super::Tuned;
use crate::exit_status::Problem;

/// How a property of the kernel begins, as `--set` names it.
const PROPERTY: &str = "workload.kernel-";

/// The factors that set nothing but the kernel.
fn factors(tuned: &Tuned<'_>) -> Vec<usize> {
    let factors = tuned.experiment.factors.iter().enumerate();
    let of_kernel = factors.filter(|(_, factor)| {
        let mut paths =
            factor.levels.iter().flat_map(iopath_study::vary::Level::assigned).peekable();
        paths.peek().is_some() && paths.all(|path| path.starts_with(PROPERTY))
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

/// Today's setting with those levels of the kernel's factors that it is set to now.
pub(crate) fn today(tuned: &Tuned<'_>) -> Setting {
    let mut today = tuned.space.today().clone();
    for knob in factors(tuned) {
        let is_now = |place: &usize| {
            let mut setting = today.clone();
            setting[knob] = *place;
            let wanted = wanted(tuned, &setting);
            !wanted.is_empty() && other(&wanted).next().is_none()
        };
        let now = (0..tuned.experiment.factors[knob].levels.len()).find(is_now);
        today[knob] = now.unwrap_or(today[knob]);
    }
    today
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

/// Sets the kernel as a setting wants, and leaves it so; how many files were changed.
pub(crate) fn apply(tuned: &Tuned<'_>, setting: &[usize]) -> Result<usize, Problem> {
    let wanted = wanted(tuned, setting);
    let count = other(&wanted).count();
    let changed = Changed::set(&Root::live(), &wanted);
    changed.map_err(|error| Problem::unexpected(format!("--apply: {error}")))?.leave();
    Ok(count)
}
