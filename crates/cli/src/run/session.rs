//! A run: trial after trial, each record into the store as soon as it exists.

mod ends;

use std::collections::{BTreeMap, BTreeSet};
use std::path::PathBuf;
use std::rc::Rc;
use std::sync::atomic::{AtomicBool, Ordering};
use std::time::{SystemTime, UNIX_EPOCH};
use std::vec::IntoIter;

use iopath_analysis::analyse;
use iopath_machine::settings::{leftovers, restore_left};
use iopath_machine::{Root, environment};
use iopath_measurement::target::preflight::{self, Obstacle};
use iopath_measurement::{Ending as TrialEnding, Failure, Host, Next, Part, Targets, measure};
use iopath_record::{BadBlocks, Fact, Record};
use iopath_report::RunFacts;
use iopath_store::{NewRun, RunId, RunState, Store, StoreError};
use iopath_study::Case;
use iopath_units::{Bytes, Ratio};

use crate::arguments::StoreOption;
use crate::exit_status::{ExitStatus, Problem};
use crate::inputs::chosen::Adjust;
use crate::inputs::studies::Planned;
use crate::inputs::{again, quick};
use crate::output;
use crate::results::{place, view};
use crate::run::guard::{self, Guard};
use crate::run::journals::Shelf;
use crate::run::live_status::StatusPublisher;
use crate::run::progress::Display;
use crate::run::ranks::{Begun, Elsewhere, Leader};
use crate::run::signals::{self, Pending};
use ends::{ended, not_begun, not_stored, with_damage};

/// What a run needs.
pub(crate) struct Session {
    pub planned: Planned,
    /// Where the path of a trial is from, by its index, where its study describes none.
    pub path_from: BTreeMap<usize, String>,
    pub store: Store,
    pub allow_destroy: Vec<String>,
    pub adjust: Adjust,
    /// What a stopped run of the same trials has measured already.
    pub before: Vec<Record>,
    /// Of a run over several ranks.
    pub leader: Option<Rc<Leader>>,
}

/// What a run left.
pub(crate) struct Outcome {
    pub run: RunId,
    pub records: Vec<Record>,
    pub status: ExitStatus,
    /// Journals of what it wrote, which stay until it is verified.
    pub journals: usize,
    /// Directories of metadata loads that could not be removed.
    pub remaining: usize,
}

impl Outcome {
    /// What is known of the run besides its records.
    pub(crate) fn facts(&self) -> RunFacts {
        let started_unix_ns = self.records.first().map_or(0, |record| record.clock.started_unix_ns);
        let begin = NewRun { started_unix_ns, ..begin(&Root::live(), "") };
        let state = (self.status != ExitStatus::Done).then(|| "ended early".to_owned());
        view::facts(&begin, Some(self.run), state)
    }
}

/// A trial to come.
pub(crate) struct Coming {
    pub case: Case,
    /// Where its path is from, where its study describes none.
    pub path_from: Option<String>,
    /// What its records say besides.
    pub facts: Vec<(String, String)>,
}

impl Coming {
    /// A record of it with all that it says, and what all records of the run say.
    fn finished(&self, mut record: Record, of_run: &[(String, String)]) -> Record {
        record.environment.extend(self.path_from.as_deref().map(|from| Fact::PathFrom.is(from)));
        record.environment.extend(self.facts.iter().cloned());
        record.environment.extend(of_run.iter().cloned());
        record
    }
}

/// Where the trials of a run come from, one after the other.
pub(crate) trait Trials {
    /// The next, after all that is measured; none where it is enough.
    fn next(&mut self, measured: &[Record]) -> Result<Option<Coming>, Problem>;

    /// How many there are, as far as that is known, of so many planned.
    fn count(&self, planned: usize) -> usize {
        planned
    }

    /// Whether the trial under way needs a pass more than its study says, after these.
    fn next_pass(&self, passes: &[Record]) -> Next;
}

/// Those of a plan, in its order.
struct OfPlan {
    coming: IntoIter<Coming>,
    until_ci: Option<Ratio>,
}

impl OfPlan {
    fn of(planned: &Planned, path_from: &BTreeMap<usize, String>) -> Self {
        let coming = |trial: &iopath_study::Trial| Coming {
            case: trial.case.clone(),
            path_from: path_from.get(&trial.index).cloned(),
            facts: Vec::new(),
        };
        let coming: Vec<Coming> = planned.plan.trials.iter().map(coming).collect();
        Self { coming: coming.into_iter(), until_ci: None }
    }
}

impl Trials for OfPlan {
    fn next(&mut self, _: &[Record]) -> Result<Option<Coming>, Problem> {
        let next = self.coming.next();
        self.until_ci = next.as_ref().and_then(|coming| coming.case.workload.until_ci);
        Ok(next)
    }

    fn next_pass(&self, passes: &[Record]) -> Next {
        until_precise(passes, self.until_ci)
    }
}

impl Session {
    /// Everything in its order. Nothing is touched before every obstacle was looked for.
    pub(crate) fn run(self, display: Display) -> Result<Outcome, Problem> {
        let mut trials = OfPlan::of(&self.planned, &self.path_from);
        self.run_trials(&mut trials, display)
    }

    /// The same with trials that depend on those before, of the cases of the plan.
    pub(crate) fn run_trials(
        self,
        trials: &mut dyn Trials,
        mut display: Display,
    ) -> Result<Outcome, Problem> {
        let interrupted = signals::watch(Pending::Io)?;
        let root = Root::live();
        let mut targets = Targets::new(root.clone(), PathBuf::from("."));
        let cases = self.planned.cases();
        tell_leftovers(&root);
        let leader = self.leader.as_deref();
        look_for_obstacles(leader, &mut targets, &cases, &self.allow_destroy, &interrupted)?;
        let _guard = Guard::of_settings(&cases);
        let began = begin(&root, &self.planned.text);
        let run = self.store.begin_run(&began).map_err(Problem::unexpected)?;
        let shelf = Shelf::of(self.store.path());
        shelf.give_up(&cases, &root);
        targets.keep_journals(shelf.journals(run, began.started_unix_ns));
        let about = (self.planned.study.title.as_str(), trials.count(cases.len()));
        display.tell_others(StatusPublisher::start(self.store.path(), run, about));
        let again = again::facts(words(), &self.planned.study);
        let mut records = self.before.clone();
        for record in &records {
            self.store.append(run, record).map_err(Problem::unexpected)?;
        }
        let done: BTreeSet<u32> = records.iter().map(|record| record.case.trial).collect();
        let mut ended = Ok(ExitStatus::Done);
        let mut damaged: Vec<String> = Vec::new();
        let mut before_ms = 0;
        for index in 0u32.. {
            let coming = trials.next(&records).unwrap_or_else(|problem| {
                ended = Err(problem);
                None
            });
            let Some(coming) = coming else { break };
            let case = &coming.case;
            display.trial(name_of(case), before_ms);
            before_ms += case.estimated_time().map_or(0, |time| time.0 / 1_000_000);
            display.extend(before_ms);
            if done.contains(&index) {
                continue;
            }
            let keep = &|record: &Record| self.store.append(run, record);
            let finish = &|record| Ok(coming.finished(record, &again));
            let amend = &|record: &Record| self.store.amend(run, record);
            let next_pass = &|passes: &[Record]| trials.next_pass(passes);
            let display = &mut display;
            let mut trial = Trial { index, display, finish, keep, amend, next_pass, leader };
            let case = self.adjusted(case.clone(), &targets);
            ended = trial.measure(&case, &mut targets, (&root, &interrupted), &mut records);
            match ended {
                Ok(ExitStatus::Done) => {}
                // Wrong data says nothing against the next case, which may find more of it.
                Err(problem) if problem.is_wrong_data() => {
                    damaged.push(problem.to_string());
                    ended = Ok(ExitStatus::Done);
                }
                Ok(_) | Err(_) => break,
            }
        }
        display.end();
        if matches!(ended, Ok(ExitStatus::Done)) && damaged.is_empty() {
            targets.discard_journals();
            shelf.tidy();
        }
        let journals = shelf.of_run(run).len();
        let status = finish(&self.store, run, with_damage(ended, damaged))?;
        let remaining = targets.remaining();
        Ok(Outcome { run, records, status, journals, remaining })
    }

    fn adjusted(&self, mut case: Case, targets: &Targets) -> Case {
        let writes = |case: &Case| case.streams.iter().any(|stream| stream.reads != Ratio::ONE);
        if self.adjust == Adjust::ToWhatWasWritten && !writes(&case) {
            for target in &mut case.targets {
                // Sixteen readers need some blocks each; the rest up to there is filled.
                let useful = Bytes(targets.filled_bytes(target).max(quick::LEAST));
                target.size = target.size.map(|size| size.min(useful));
            }
        }
        case
    }
}

/// The guard's own part.
pub(crate) fn restore_settings_at_end() {
    if guard::is_owner_killed() {
        // What cannot be restored keeps its note, and the next run reports it.
        restore_left(&Root::live());
    }
}

/// Writes down how a run ended, and tells what it failed of.
pub(crate) fn finish(
    store: &Store,
    run: RunId,
    ended: Result<ExitStatus, Problem>,
) -> Result<ExitStatus, Problem> {
    let (state, status) = match ended {
        Ok(ExitStatus::Done) => (RunState::Finished, ExitStatus::Done),
        Ok(status) => (RunState::Interrupted, status),
        Err(problem) => {
            let state = RunState::Failed(problem.to_string());
            (state, output::tell_problem(&problem))
        }
    };
    match (store.end_run(run, &state, unix_ns()), status) {
        (Ok(()), status) => Ok(status),
        // It was reported already, and its code stays.
        (Err(error), ExitStatus::Failed) => Err(Problem::new(ExitStatus::Failed, error)),
        (Err(error), _) => Err(Problem::unexpected(error)),
    }
}

/// Puts a record where it stays.
pub(crate) type Keep<'a> = &'a dyn Fn(&Record) -> Result<(), StoreError>;

/// One trial of a run.
pub(crate) struct Trial<'a> {
    pub index: u32,
    pub display: &'a mut Display,
    /// What is done with each record before it is kept; one that cannot be finished is not.
    pub finish: &'a dyn Fn(Record) -> Result<Record, String>,
    /// Puts a record where it stays.
    pub keep: Keep<'a>,
    /// Puts it there again, in its own place, with what reading back found.
    pub amend: Keep<'a>,
    /// Whether it needs a pass more than its study says.
    pub next_pass: &'a dyn Fn(&[Record]) -> Next,
    /// Of a run over several ranks.
    pub leader: Option<&'a Leader>,
}

impl Trial<'_> {
    pub(crate) fn measure(
        &mut self,
        case: &Case,
        targets: &mut Targets,
        (root, interrupted): (&Root, &AtomicBool),
        records: &mut Vec<Record>,
    ) -> Result<ExitStatus, Problem> {
        let mut unstored: Option<String> = None;
        let first = records.len();
        let (store, finish, next_pass) = (self.keep, self.finish, self.next_pass);
        let leader = self.leader;
        let mut before: Vec<String> = targets.written().map(str::to_owned).collect();
        let begun = leader.map(|leader| leader.begin(self.index, case, targets)).transpose()?;
        let part = begun.as_ref().map_or(Part::whole(case), part_of);
        let status = measure(
            part,
            self.index,
            targets,
            Host {
                root,
                interrupted,
                tell: &mut |progress| {
                    self.display.show(&progress);
                    leader.into_iter().for_each(Leader::look_after_others);
                },
                keep: &mut |record| {
                    let record = begun.iter().fold(record, |record, begun| begun.own.noted(record));
                    match gathered(leader, record, interrupted).and_then(finish) {
                        Ok(record) => {
                            let stored = store(&record).map_err(|error| error.to_string());
                            unstored = unstored.take().or(stored.err());
                            records.push(record);
                        }
                        Err(why) => unstored = Some(why),
                    }
                    let next = match unstored {
                        // What cannot be kept is not worth another pass.
                        Some(_) => Next::Enough,
                        None => next_pass(&records[first..]),
                    };
                    let told = leader.map(|leader| leader.tell_next(next));
                    unstored = unstored.take().or(told.and_then(Result::err));
                    next
                },
                ranks: leader.map(Leader::communicator),
            },
        );
        let is_well = matches!(status, Ok(TrialEnding::Finished));
        let elsewhere = leader.map(|leader| leader.end_trial(is_well, interrupted));
        let Elsewhere { problem, read_back, written } = elsewhere.unwrap_or_default();
        before.extend(written);
        targets.take_remarks().iter().for_each(|remark| output::tell(remark));
        let mut found = read_back;
        if let Ok(TrialEnding::Failed(Failure::Damaged { read_back, .. })) = &status {
            found.merge((**read_back).clone());
        }
        if unstored.is_none() {
            unstored = self.amend(&found, records.last_mut()).err();
        }
        if let Some(error) = unstored {
            return Err(not_stored(&error, status));
        }
        match status {
            Err(error) => Err(not_begun(&error, &before)),
            Ok(ending) => ended(ending, problem),
        }
    }
}

/// What this rank does of a case.
fn part_of(begun: &Begun) -> Part<'_> {
    let Begun { share, own } = begun;
    Part { runs: &share.runs, holds: &share.holds, path: own.path.as_ref() }
}

/// The record of a pass; of all ranks where there are several.
fn gathered(
    leader: Option<&Leader>,
    own: Record,
    interrupted: &AtomicBool,
) -> Result<Record, String> {
    match leader {
        Some(leader) => leader.gathered(own, interrupted),
        None => Ok(own),
    }
}

impl Trial<'_> {
    /// Adds what reading back found to the last pass.
    fn amend(&self, found: &BadBlocks, last: Option<&mut Record>) -> Result<(), String> {
        let Some(record) = last.filter(|_| !found.is_empty()) else { return Ok(()) };
        record.bad_blocks.merge(found.clone());
        (self.amend)(record).map_err(|error| error.to_string())
    }
}

/// Whether a trial that is repeated until it is precise needs another pass: by the very figure
/// that the report will show.
pub(crate) fn until_precise(passes: &[Record], wanted: Option<Ratio>) -> Next {
    let Some(wanted) = wanted else { return Next::Enough };
    let confidence = analyse(passes).ok().and_then(|findings| findings.confidence);
    match confidence {
        Some(found) if found.half_width_percent <= 100.0 * wanted.as_f64() => Next::Enough,
        _ => Next::Continue,
    }
}

/// So many obstacles are listed: of hundreds of targets they are mostly the same.
const MOST_OBSTACLES: usize = 20;

/// Settings that a killed run left, and what became of them.
pub(crate) fn tell_leftovers(root: &Root) {
    leftovers(root).iter().for_each(|left| output::tell(&left.to_string()));
}

/// On every rank, where there are several.
/// What stands in the way of cases on this machine, without a run.
pub(crate) fn look_here(
    cases: &[Case],
    named: &[String],
    interrupted: &AtomicBool,
) -> Result<(), Problem> {
    let mut targets = Targets::new(Root::live(), PathBuf::from("."));
    look_for_obstacles(None, &mut targets, cases, named, interrupted)
}

pub(crate) fn look_for_obstacles(
    leader: Option<&Leader>,
    targets: &mut Targets,
    cases: &[Case],
    named: &[String],
    interrupted: &AtomicBool,
) -> Result<(), Problem> {
    if let Some(leader) = leader {
        return leader.look_for_obstacles(targets, cases, named, interrupted);
    }
    let mut obstacles = preflight::lacking(&Root::live(), cases, cases);
    obstacles.extend(targets.obstacles(cases, named, interrupted));
    if interrupted.load(Ordering::Relaxed) {
        let what = "interrupted: no target was read or written yet, and no run is stored";
        return Err(Problem::new(ExitStatus::Interrupted, what));
    }
    if obstacles.is_empty() {
        return Ok(());
    }
    let is_refusal = |obstacle: &Obstacle| matches!(obstacle, Obstacle::Unsafe(_));
    let status =
        if obstacles.iter().any(is_refusal) { ExitStatus::Refused } else { ExitStatus::Obstacle };
    let more = obstacles.len().saturating_sub(MOST_OBSTACLES);
    obstacles.truncate(MOST_OBSTACLES);
    let texts = obstacles.iter().map(ToString::to_string);
    let more = (more > 0).then(|| format!("and {more} more"));
    Err(Problem::new(status, texts.chain(more).collect::<Vec<_>>().join("\n")))
}

pub(crate) fn name_of(case: &Case) -> String {
    let levels = case.levels.iter().map(|chosen| format!(" {}={}", chosen.factor, chosen.level));
    format!("{}{}", case.experiment, levels.collect::<String>())
}

/// What is known of a run when it begins.
pub(crate) fn begin(root: &Root, study: &str) -> NewRun {
    let facts = environment::read(root).facts;
    NewRun {
        command: command_line(),
        study: study.to_owned(),
        version: env!("CARGO_PKG_VERSION").to_owned(),
        started_unix_ns: unix_ns(),
        host: Fact::HostName.of(&facts).unwrap_or_default().to_owned(),
    }
}

/// The command as it was typed; what is not UTF-8 is shown with replacements.
pub(crate) fn command_line() -> String {
    words().collect::<Vec<_>>().join(" ")
}

fn words() -> impl Iterator<Item = String> {
    std::env::args_os().map(|word| word.to_string_lossy().into_owned())
}

/// Wall clock, in ns since 1970.
pub(crate) fn unix_ns() -> u64 {
    let now = SystemTime::now().duration_since(UNIX_EPOCH).unwrap_or_default();
    u64::try_from(now.as_nanos()).unwrap_or(u64::MAX)
}

/// Tells where the run is kept.
pub(crate) fn tell_where(store: &StoreOption, run: RunId) {
    let show = place::command(store, &format!("show {run}"));
    output::tell(&format!("stored as run {run}: {show}"));
}
