//! Short experiments that only read, each chosen by what came out before: which targets of a run
//! share a limit. Stored as a run of their own, trial by trial.
//!
//! What the run did is repeated in small: its size of requests and as many in flight at each
//! target, where all its streams agree; past the page cache.

mod members;

use std::collections::{BTreeMap, BTreeSet};
use std::fmt::Write;
use std::os::unix::fs::FileTypeExt;
use std::path::{Path, PathBuf};

use iopath_analysis::probe::{Members, Step, most_experiments, next};
use iopath_machine::Root;
use iopath_measurement::Targets;
use iopath_record::{Record, Technique};
use iopath_report::{PROBE_TITLE, Probed, RunReport};
use iopath_store::{RunId, Store};
use iopath_study::case::{Pattern, Stream};
use iopath_study::{Case, Source};
use iopath_units::{Bytes, Nanos};

use crate::exit_status::{ExitStatus, Problem};
use crate::inputs::{flags, studies};
use crate::output;
use crate::run::progress::Display;
use crate::run::ranks::Leader;
use crate::run::session::{self, Trial};
use crate::run::signals::{self, Pending};
use members::Member;

/// Time before each experiment that is not counted: longer than the credit of usual token buckets,
/// chosen.
const WARM_UP: Nanos = Nanos(300_000_000);

/// Where streams do not agree.
const BLOCK: Bytes = Bytes(1 << 20);
const DEPTH: u64 = 8;
/// The most requests in flight at one member: chosen.
const DEEPEST: u64 = 256;

/// What is read, and how.
pub(crate) struct Probing {
    members: Vec<Member>,
    load: Load,
    time: Nanos,
    hosts: usize,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
struct Load {
    block: Bytes,
    depth: u64,
    pattern: &'static str,
}

impl Probing {
    /// For the targets of a stored run, read by so many hosts.
    pub(crate) fn of(records: &[Record], time: Nanos, hosts: usize) -> Result<Self, Problem> {
        let cases = cases(records)?;
        Ok(Self { members: members::of(records, &cases, hosts)?, load: load(&cases), time, hosts })
    }

    /// Time of one experiment.
    fn each(&self) -> Nanos {
        Nanos(self.time.0.saturating_add(WARM_UP.0))
    }

    /// What will happen and how long it takes, said before it does.
    pub(crate) fn announce(&self) {
        let count = self.members.len();
        let Load { block, depth, pattern } = self.load;
        let (least, most) = (count + 1, most_experiments(count, count));
        let time = |experiments: usize| Nanos(self.each().0.saturating_mul(experiments as u64));
        output::tell(&format!(
            "probing {count} targets, reading only: {pattern} reads of {block}, {depth} in flight \
             at each; {least} experiments of {}, {} in all, and up to {most}, {}, where limits are \
             shared; more where a decision is close",
            seconds(self.each()),
            seconds(time(least)),
            seconds(time(most))
        ));
    }

    /// Experiment after experiment until it is decided.
    pub(crate) fn run(
        &self,
        store: &Store,
        leader: Option<&Leader>,
        mut display: Display,
    ) -> Result<(Probed, ExitStatus), Problem> {
        let interrupted = signals::watch(Pending::Io)?;
        let root = Root::live();
        let mut targets = Targets::new(root.clone(), PathBuf::from("."));
        let all = self.case(&(0..self.members.len()).collect())?;
        let cases = std::slice::from_ref(&all);
        session::look_for_obstacles(leader, &mut targets, cases, &[], &interrupted)?;
        let run = store.begin_run(&session::begin(&root, &all.text));
        let run = run.map_err(Problem::unexpected)?;
        let mut records: Vec<Record> = Vec::new();
        let ended = loop {
            let probed = told(run, &records)?;
            let so_far = probed.map(|probed| probed.experiments).unwrap_or_default();
            let members = match next(self.members.len(), &so_far) {
                Step::Decided(_) => break Ok(ExitStatus::Done),
                Step::Measure(members) => members,
            };
            let case = self.case(&members)?;
            let done = so_far.len() as u64;
            let each_ms = self.each().0 / 1_000_000;
            let least = (self.members.len() as u64 + 1).max(done + 1);
            display.extend(least.saturating_mul(each_ms));
            display.trial(session::name_of(&case), done.saturating_mul(each_ms));
            let keep = &|record: &Record| store.append(run, record);
            let index = u32::try_from(done).unwrap_or(u32::MAX);
            let amend = &|record: &Record| store.amend(run, record);
            let until_ci = case.workload.until_ci;
            let next_pass = &|passes: &[Record]| session::until_precise(passes, until_ci);
            let (display, finish) = (&mut display, &Ok);
            let mut trial = Trial { index, display, finish, keep, amend, next_pass, leader };
            let doors = (&root, &*interrupted);
            let ended = trial.measure(&case, &mut targets, doors, &mut records);
            if !matches!(ended, Ok(ExitStatus::Done)) {
                break ended;
            }
        };
        display.end();
        let status = session::finish(store, run, ended)?;
        let probed = told(run, &records)?.ok_or_else(|| {
            Problem::new(status, "no experiment completed, so there is no result")
        })?;
        Ok((probed, status))
    }

    /// One experiment: some members read at the same time.
    fn case(&self, members: &Members) -> Result<Case, Problem> {
        let planned = studies::plan("(probe)", self.study(members), &[])?;
        let trial = planned.plan.trials.into_iter().next();
        trial.map(|t| t.case).ok_or_else(|| Problem::unexpected("a study without a case"))
    }

    /// What the study calls a path: by the first member that is there.
    fn place_of(&self, path: &str) -> String {
        let first = self.members.iter().find(|one| one.path == path);
        format!("at-{}", first.map_or("", |one| one.name.as_str()))
    }

    fn study(&self, numbers: &Members) -> String {
        let members: Vec<&Member> = numbers.iter().map(|number| &self.members[*number]).collect();
        let (mut path, mut layout, mut streams) = (String::new(), String::new(), String::new());
        let Load { block, depth, pattern } = self.load;
        if self.hosts > 1 {
            // Writing to a string cannot fail.
            let _ = writeln!(path, "    host \"host\" count={}", self.hosts);
        }
        let places: BTreeMap<&str, String> =
            members.iter().map(|one| (one.path.as_str(), self.place_of(&one.path))).collect();
        for (at, place) in &places {
            let bind = format!("bind from=\"{place}\" to={}\n", flags::quoted(at));
            let _ = match is_device(Path::new(at)) {
                true => write!(path, "    part \"{place}\"\n    {bind}"),
                false => write!(layout, "    file \"{place}\"\n    {bind}"),
            };
        }
        for Member { name, path: at, node } in &members {
            let on = node.map_or(String::new(), |node| format!(" on=\"host[{node}]\""));
            let _ = writeln!(
                streams,
                "        streams {name:?} over=\"{}\" op=\"read\" pattern=\"{pattern}\" \
                 block=\"{block}\" depth={depth}{on}",
                places[at.as_str()]
            );
        }
        let block_of = |kind: &str, lines: &str| match lines {
            "" => String::new(),
            lines => format!("{kind} {{\n{lines}}}\n\n"),
        };
        let names: Vec<&str> = members.iter().map(|member| member.name.as_str()).collect();
        let title = match names.len() {
            1 => format!("{} alone", names[0]),
            all if all == self.members.len() => "all together".to_owned(),
            _ => names.join(", "),
        };
        format!(
            "study {PROBE_TITLE:?}\n\n{}{}experiment {title:?} {{\n    workload passes=1 \
             time=\"{}\" warm-up=\"{WARM_UP}\" {{\n{streams}    }}\n}}\n",
            block_of("path", &path),
            block_of("layout", &layout),
            self.time
        )
    }
}

fn seconds(time: Nanos) -> String {
    format!("{:.1} s", time.0 as f64 / 1e9)
}

/// What the experiments tell so far; none before the first.
fn told(run: RunId, records: &[Record]) -> Result<Option<Probed>, Problem> {
    let report = RunReport::from_records(Some(run.to_string()), records);
    Ok(Probed::of(&report.map_err(Problem::unexpected)?))
}

/// The cases of a measured run.
fn cases(records: &[Record]) -> Result<Vec<Case>, Problem> {
    let is_real = |record: &Record| match &record.technique {
        Technique::Measurement { emulated, .. } => emulated.is_none(),
        Technique::Analytic | Technique::Simulation { .. } | Technique::Observation => false,
    };
    if records.is_empty() || !records.iter().all(is_real) {
        return Err(Problem::mistake(
            "nothing to probe: only targets of `iopath measure` runs can be read again",
        ));
    }
    let texts: BTreeSet<&str> = records.iter().map(|record| record.case.text.as_str()).collect();
    let read = texts.into_iter().filter_map(|text| {
        let source = Source { name: "the record".to_owned(), text: text.to_owned() };
        iopath_study::parse(&source, &[]).ok()?.cases().ok()
    });
    Ok(read.flatten().collect())
}

/// What all streams do, where they agree.
fn load(cases: &[Case]) -> Load {
    let streams = || cases.iter().flat_map(|case| &case.streams);
    let in_flight = cases.iter().flat_map(|case| {
        (0..case.targets.len()).map(|target| {
            let mine = case.streams.iter().filter(|stream| stream.target == target);
            mine.map(|stream| u64::from(stream.depth)).sum::<u64>()
        })
    });
    let agreed = |of: fn(&Stream) -> u64| {
        let all: BTreeSet<u64> = streams().map(of).collect();
        (all.len() == 1).then(|| all.first().copied()).flatten()
    };
    let depths: BTreeSet<u64> = in_flight.filter(|depth| *depth > 0).collect();
    let depth = depths.first().copied().filter(|_| depths.len() == 1).unwrap_or(DEPTH);
    let is_random = streams().all(|stream| stream.pattern == Pattern::Random);
    Load {
        block: agreed(|stream| stream.block.0).map_or(BLOCK, Bytes),
        depth: depth.min(DEEPEST),
        pattern: if is_random { "random" } else { "sequential" },
    }
}

fn is_device(path: &Path) -> bool {
    path.metadata().is_ok_and(|metadata| metadata.file_type().is_block_device())
}
