//! The study of a runbook: a procedure with the path and the targets that are here, and with a
//! reason for each step that cannot be run. A study that has a path and steps is one as it stands.

use std::collections::{BTreeMap, BTreeSet};
use std::path::PathBuf;

use iopath_discovery::Discovered;
use iopath_study::case::{Target, TargetKind};
use iopath_study::procedure::{self, Filling};
use iopath_study::{PartId, Source, Step, System};
use iopath_units::Bytes;

use super::named;
use super::profiled::{self, Profiled, experiments};
use super::studies::{self, Planned};
use crate::arguments::Runbook;
use crate::bundled_studies;
use crate::exit_status::{ExitStatus, Problem};

/// The procedure without a name.
const GENERAL: &str = "general";

/// A procedure and what it is done with.
pub(crate) struct Chosen {
    procedure: Source,
    filling: Filling,
    sets: Vec<String>,
    /// Where the path is from, for records; none where the study has its own.
    pub from: Option<String>,
}

/// Reads the procedure, and finds the path of its targets.
pub(crate) fn choose(
    arguments: &Runbook,
    known: &dyn Fn(Discovered) -> Discovered,
) -> Result<Chosen, Problem> {
    let (procedure, targets) = procedure(&arguments.words)?;
    let sets = arguments.set.clone();
    if !procedure::is_procedure(&procedure.text) {
        if let Some(target) = targets.first() {
            let text = "has its own path, and takes no targets";
            let text = format!("{} {text}: remove {}", procedure.name, target.display());
            return Err(Problem::mistake(text));
        }
        return Ok(Chosen { procedure, filling: Filling::default(), sets, from: None });
    }
    let targets = if targets.is_empty() { usual()? } else { targets.to_vec() };
    let profiled = profiled::of(&targets, &[], &arguments.allow_destroy, known)?;
    let filling = filling(&profiled)?;
    Ok(Chosen { procedure, filling, sets, from: Some(profiled.from) })
}

/// The procedure that the first word names, and the other words.
fn procedure(words: &[PathBuf]) -> Result<(Source, &[PathBuf]), Problem> {
    let general = || bundled_studies::runbook(GENERAL);
    let usual = |words| general().map(|general| (general, words));
    let none = || Problem::unexpected("the general runbook is missing");
    let Some((first, rest)) = words.split_first() else { return usual(words).ok_or_else(none) };
    if let Some(named) = first.to_str().and_then(bundled_studies::runbook) {
        return Ok((named, rest));
    }
    if named::is_study(first) {
        let source = studies::source(first)?;
        // The study of a path is a target of the general one.
        if procedure::is_procedure(&source.text) || has_steps(&source) {
            return Ok((source, rest));
        }
    }
    if !first.exists() {
        let names: Vec<&str> = bundled_studies::runbooks().collect();
        let text = format!(
            "{}: no such runbook, file or device; runbooks are {}",
            first.display(),
            names.join(", ")
        );
        return Err(Problem::new(ExitStatus::Obstacle, text));
    }
    usual(words).ok_or_else(none)
}

fn has_steps(source: &Source) -> bool {
    studies::understand(source, &[]).is_ok_and(|study| !study.steps.is_empty())
}

/// Drives that can be read, and a scratch file here.
fn usual() -> Result<Vec<PathBuf>, Problem> {
    let mut targets = profiled::drives()?;
    targets.push(PathBuf::from("."));
    Ok(targets)
}

fn filling(profiled: &Profiled) -> Result<Filling, Problem> {
    let selectors = |is_file: bool| -> Vec<String> {
        let own = profiled.devices.iter().filter(|one| one.is_file == is_file);
        own.map(|one| one.selector.clone()).collect()
    };
    let ground = profiled.case.ground("").map_err(Problem::unexpected)?;
    // The procedure has a title of its own.
    let ground = ground.split_once('\n').map_or("", |(_, rest)| rest).to_owned();
    let files = profiled.case.targets.iter().filter(|one| one.kind == TargetKind::File);
    let size = |file: &Target| file.size.map_or_else(|| length(file), |size| size.0);
    let devices = profiled.devices.iter().filter(|device| !device.is_file);
    let devices: Vec<PartId> = devices.map(|device| device.part).collect();
    Ok(Filling {
        ground,
        files_size: Bytes(files.clone().map(size).sum()),
        files_on_devices: files.clone().all(|file| {
            let below = below(&profiled.case.system, file.part);
            devices.iter().all(|device| below.contains(device))
        }),
        devices: selectors(false),
        components: experiments::shared(profiled)?,
        files: selectors(true),
        ..Filling::default()
    })
}

/// All that a part is made of or lies on, itself too.
fn below(system: &System, part: PartId) -> BTreeSet<PartId> {
    let mut found = BTreeSet::new();
    let mut open = vec![part];
    while let Some(part) = open.pop() {
        if found.insert(part) {
            open.extend(system.part(part).members.iter());
        }
    }
    found
}

/// How long a file is that is there already.
fn length(file: &Target) -> u64 {
    let meta = file.binding.as_ref().and_then(|path| std::fs::metadata(path).ok());
    meta.map_or(0, |meta| meta.len())
}

impl Chosen {
    /// The study, with what each blocked experiment needs in its place.
    pub(crate) fn planned(
        &self,
        only: &[String],
        blocked: BTreeMap<String, String>,
    ) -> Result<Planned, Problem> {
        self.with(&self.sets, only, blocked)
    }

    fn with(
        &self,
        sets: &[String],
        only: &[String],
        blocked: BTreeMap<String, String>,
    ) -> Result<Planned, Problem> {
        let only: BTreeSet<String> = only.iter().cloned().collect();
        let filling = Filling { blocked, only, ..self.filling.clone() };
        let filled = procedure::fill(&self.procedure, &filling).map_err(Problem::mistake)?;
        let Some(text) = filled.text else {
            let line = |(title, needs): &(String, String)| format!("\n  {title}: needs {needs}");
            let why: String = filled.needs.iter().map(line).collect();
            let text = format!("no step of this runbook can be run here:{why}");
            return Err(Problem::new(ExitStatus::Obstacle, text));
        };
        let mut planned = studies::plan(&self.procedure.name, text, sets)?;
        // Empty lines kept the numbers of those behind them: no mistake is left to point at them.
        while planned.text.contains("\n\n\n") {
            planned.text = planned.text.replace("\n\n\n", "\n\n");
        }
        let titles: Vec<&str> =
            planned.study.steps.iter().map(|step| step.title.as_str()).collect();
        if titles.is_empty() {
            let text = "it has no steps: write step into its experiments (docs/runbooks.md)";
            return Err(Problem::mistake(format!("{}: {text}", self.procedure.name)));
        }
        Ok(planned)
    }

    /// Experiments of a shipped procedure that do not fit these targets, with the reason: a block
    /// that is larger than the file. Mistakes of others are their writer's to mend, and those of
    /// `--set` the user's.
    pub(crate) fn unfit(&self) -> Result<BTreeMap<String, String>, Problem> {
        let mut unfit = BTreeMap::new();
        let is_shipped = bundled_studies::is_shipped(&self.procedure.name);
        if !is_shipped || self.with(&[], &[], BTreeMap::new()).is_ok() {
            return Ok(unfit);
        }
        for title in procedure::titles(&self.procedure).map_err(Problem::mistake)? {
            let alone = self.with(&[], std::slice::from_ref(&title), BTreeMap::new());
            if let Err(problem) = alone.map(drop)
                && problem.status() == ExitStatus::Mistake
            {
                let text = problem.to_string();
                let reason = text.lines().next().and_then(|line| line.split_once(": "));
                let reason = reason.map_or(text.as_str(), |(_, reason)| reason);
                unfit.insert(title, format!("other targets: {reason}"));
            }
        }
        Ok(unfit)
    }

    /// Refuses titles that no step has.
    pub(crate) fn check(&self, titles: &[String], steps: &[Step]) -> Result<(), Problem> {
        let is_known = |title: &&String| steps.iter().any(|step| step.title == **title);
        let Some(unknown) = titles.iter().find(|title| !is_known(title)) else { return Ok(()) };
        let all: Vec<&str> = steps.iter().map(|step| step.title.as_str()).collect();
        let text = format!("--step: no step is \"{unknown}\"; steps are:\n  {}", all.join("\n  "));
        Err(Problem::mistake(text))
    }
}
