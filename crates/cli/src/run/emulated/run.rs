//! One emulated case after the other: brought up, measured, multiplied back, taken away.

use std::cell::RefCell;
use std::path::PathBuf;
use std::sync::atomic::{AtomicBool, Ordering::Relaxed};

use iopath_emulation::{Options, Rig, System, Up, bring_up, bring_up_live};
use iopath_live::{Fail, Lateness};
use iopath_machine::Root;
use iopath_measurement::Targets;
use iopath_record::{Emulated, Fact, Record, Warning, from_json};
use iopath_report::late_words;
use iopath_study::case::{Advice, CacheMode, KernelSettings, Prepare, SyncMode, TargetKind, Until};
use iopath_study::{Case, Scale};
use iopath_units::Nanos;

use super::prepared::{Made, Prepared};
use super::{in_the_way, program};
use crate::exit_status::{ExitStatus, Problem};
use crate::run::progress::Display;
use crate::run::session::{self, Keep, Trial};

/// What is measured, whatever the study says.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Length {
    pub time: Nanos,
    pub warm_up: Nanos,
    pub passes: u32,
}

impl Length {
    /// How long a case takes.
    pub(crate) fn each_ms(self) -> u64 {
        let each = self.time.0.saturating_add(self.warm_up.0) / 1_000_000;
        each.saturating_mul(self.passes.into())
    }
}

/// What all cases of a run share.
pub(crate) struct Stage<'a> {
    pub options: &'a Options,
    pub length: Length,
    pub interrupted: &'a AtomicBool,
    /// Whether what fails waits for a pass to begin.
    pub fails_when_asked: bool,
    /// What fails in a live system besides what its study lets fail.
    pub fails: Vec<Fail>,
    /// The file that a live system records its requests in.
    pub arrivals: Option<PathBuf>,
    lateness: RefCell<Lateness>,
    /// The path that stands, and what it was built from: the next case may have the same.
    standing: Option<(Built, Up)>,
}

/// Fewer answers in time than this, and the figures are those of this machine and not of the system
/// (chosen: what a quiet machine reaches, with room for what a host takes away).
const IN_TIME_SHARE: f64 = 0.95;

/// What devices were built from.
#[derive(Clone, Debug, PartialEq)]
enum Built {
    Rates(Rig),
    /// The text of its case, and the scale.
    System(String, Scale),
}

impl Built {
    fn of(prepared: &Prepared) -> Self {
        match &prepared.made {
            Made::Rates(plan) => Self::Rates(plan.rig.clone()),
            Made::System { case, .. } => Self::System(case.text.clone(), prepared.scale),
        }
    }
}

/// Where the records of a run go.
pub(crate) struct Kept<'a> {
    pub keep: Keep<'a>,
    pub amend: Keep<'a>,
    pub display: &'a mut Display,
}

impl<'a> Stage<'a> {
    pub(crate) fn new(options: &'a Options, length: Length, interrupted: &'a AtomicBool) -> Self {
        Self {
            options,
            length,
            interrupted,
            fails_when_asked: false,
            fails: Vec::new(),
            arrivals: None,
            lateness: RefCell::default(),
            standing: None,
        }
    }

    /// Whether the devices of a case stand already.
    pub(crate) fn stands(&self, prepared: &Prepared) -> bool {
        self.standing.as_ref().is_some_and(|(other, _)| *other == Built::of(prepared))
    }

    /// The devices of a case, which stand already or are brought up now.
    pub(crate) fn devices(&mut self, prepared: &Prepared) -> Result<Vec<PathBuf>, Problem> {
        if !self.stands(prepared) {
            self.end()?;
            let up = self.bring_up(prepared)?;
            self.standing = Some((Built::of(prepared), up));
        }
        Ok(self.standing.as_ref().map(|(_, up)| up.paths().to_vec()).unwrap_or_default())
    }

    fn bring_up(&self, prepared: &Prepared) -> Result<Up, Problem> {
        let up = match &prepared.made {
            Made::Rates(plan) => bring_up(&plan.rig, self.options, self.interrupted),
            Made::System { case, exports } => {
                let program = program()?;
                let system = System {
                    case,
                    scale: prepared.scale,
                    exports,
                    seed: 1,
                    fails: &self.fails,
                    arrivals: self.arrivals.as_deref(),
                    fails_when_asked: self.fails_when_asked,
                    program: &program,
                };
                bring_up_live(&system, self.options, self.interrupted)
            }
        };
        up.map_err(in_the_way)
    }

    /// What of the devices that stand is otherwise than planned.
    pub(crate) fn notes(&self) -> Vec<String> {
        let notes = self.standing.iter().flat_map(|(_, up)| up.notes());
        notes.map(ToString::to_string).collect()
    }

    /// Measures a case on its devices.
    pub(crate) fn measure(
        &mut self,
        (index, prepared): (u32, &Prepared),
        kept: &mut Kept<'_>,
    ) -> Result<(Vec<Record>, ExitStatus), Problem> {
        let paths = self.devices(prepared)?;
        let case = self.timed(prepared, prepared.bind(&paths));
        let root = Root::live();
        let mut targets = Targets::new(root.clone(), PathBuf::from("."));
        targets.own(paths);
        let cases = std::slice::from_ref(&case);
        session::look_for_obstacles(None, &mut targets, cases, &[], self.interrupted)?;
        let notes = self.notes();
        let (live, lateness) = (self.live(prepared), &self.lateness);
        if let Some(up) = live {
            up.report(true).map_err(Problem::unexpected)?;
        }
        let finish = |record: Record| {
            let record = match live {
                Some(up) => with_inside(record, up, lateness)?,
                None => record,
            };
            restored(record, (prepared, &notes))
        };
        let Kept { keep, amend, display } = kept;
        let (keep, amend) = (*keep, *amend);
        let until_ci = case.workload.until_ci;
        let next_pass = &|passes: &[Record]| session::until_precise(passes, until_ci);
        let (finish, leader) = (&finish, None);
        let mut trial = Trial { index, display, finish, keep, amend, next_pass, leader };
        let mut records = Vec::new();
        let ended = trial.measure(&case, &mut targets, (&root, self.interrupted), &mut records);
        let status = ended.map_err(|problem| self.reason(problem))?;
        Ok((records, status))
    }

    /// What stands, where it is a live system.
    fn live(&self, prepared: &Prepared) -> Option<&Up> {
        let is_live = matches!(prepared.made, Made::System { .. });
        self.standing.as_ref().map(|(_, up)| up).filter(|_| is_live)
    }

    /// How late a live system's answers were since this was asked last.
    pub(crate) fn take_lateness(&self) -> Option<iopath_report::Lateness> {
        shown(&self.lateness.take())
    }

    /// A daemon that ended explains an I/O error better than the error does.
    fn reason(&mut self, problem: Problem) -> Problem {
        let trouble = self.standing.as_mut().and_then(|(_, up)| up.failed());
        match trouble {
            Some(trouble) => Problem::new(ExitStatus::Failed, format!("{trouble}\n{problem}")),
            None => problem,
        }
    }

    fn timed(&self, prepared: &Prepared, mut case: Case) -> Case {
        let Length { time, warm_up, passes } = self.length;
        case.workload.until = Until { time: Some(time), amount: None };
        case.workload.warm_up = warm_up;
        case.workload.passes = passes;
        case.workload.until_ci = None;
        // The page cache of this machine is no part of the path.
        case.workload.cache = CacheMode::Direct;
        case.workload.kernel = KernelSettings::default();
        for stream in &mut case.streams {
            stream.advice = Advice::Normal;
            // Behind rates nothing is volatile: the plan's notes say so.
            if let Made::Rates(_) = prepared.made {
                stream.sync = SyncMode::None;
                if let Some(after) = &mut stream.after {
                    after.prepare = Prepare::None;
                }
            }
        }
        // What the study calls a disk is a file here, as long as no loop device is on top.
        let kind = if self.options.loops { TargetKind::Device } else { TargetKind::File };
        for target in case.targets.iter_mut().filter(|target| target.binding.is_some()) {
            target.kind = kind;
        }
        case
    }

    /// Takes away what stands.
    pub(crate) fn end(&mut self) -> Result<(), Problem> {
        match self.standing.take() {
            Some((_, up)) => up.tear_down().map(drop).map_err(Problem::unexpected),
            None => Ok(()),
        }
    }

    /// Tells when a daemon of what stands has ended.
    pub(crate) fn assure(&mut self) -> Result<(), Problem> {
        let trouble = self.standing.as_mut().and_then(|(_, up)| up.failed());
        match trouble {
            Some(trouble) => Err(Problem::new(ExitStatus::Failed, trouble)),
            None => Ok(()),
        }
    }

    pub(crate) fn is_interrupted(&self) -> bool {
        self.interrupted.load(Relaxed)
    }
}

/// The record with what happened inside a live system, and how late that was; a system that was too
/// late to be believed is warned about.
fn with_inside(record: Record, up: &Up, all: &RefCell<Lateness>) -> Result<Record, String> {
    let report = up.report(true).map_err(|trouble| trouble.to_string())?;
    let inside = from_json(&report.record).map_err(|error| error.to_string())?;
    let mut record = record.with_inside(&inside);
    let late = &report.lateness;
    record.environment.extend(late.facts());
    if late.share_in_time().is_some_and(|share| share < IN_TIME_SHARE) {
        let text = shown(late).map_or_else(String::new, |late| late_words(&late));
        record.warnings.push(Warning { kind: "late-answers".to_owned(), text });
    }
    if let Some(why) = report.unrecorded {
        let text = format!("the file of requests ends early: {why}");
        record.warnings.push(Warning { kind: "arrivals-cut".to_owned(), text });
    }
    all.borrow_mut().add(late);
    Ok(record)
}

/// How late answers were, to be shown; nothing of none.
fn shown(late: &Lateness) -> Option<iopath_report::Lateness> {
    let at = |q: f64| late.histogram.quantile_ns(q).unwrap_or_default();
    Some(iopath_report::Lateness {
        answers: late.answers,
        in_time_share: late.share_in_time()?,
        late_ns_p50: at(0.5),
        late_ns_p99: at(0.99),
        late_ns_max: late.histogram.max_ns,
    })
}

/// The record in figures of the original path, with what was not emulated.
fn restored(record: Record, (prepared, notes): (&Prepared, &[String])) -> Result<Record, String> {
    let scale = prepared.scale;
    let emulated = Emulated { scale: scale.divisor(), stretch: scale.stretch() };
    let mut record = record.restored(emulated).map_err(|error| error.to_string())?;
    let facts = [
        Fact::EmulatedDevices.is(prepared.devices().len().to_string()),
        Fact::EmulatedGroups.is(prepared.groups().to_string()),
    ];
    record.environment.extend(facts);
    if let Some(full) = &prepared.full {
        // Counters see no group of tokens: the analysis knows from here what the path fills.
        let facts = [
            Fact::FullName.is(&full.name),
            Fact::FullLimit.is(&full.limit),
            Fact::FullAtBytesPerSec.is(format!("{:.0}", prepared.predicted)),
        ];
        record.environment.extend(facts);
    }
    let warning = |text: String| Warning { kind: "not-emulated".to_owned(), text };
    record.warnings.extend(prepared.notes().into_iter().chain(notes.iter().cloned()).map(warning));
    Ok(record)
}
