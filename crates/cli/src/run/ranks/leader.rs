//! Rank 0: it deals the cases, has all ranks measure, and makes one record of theirs.

mod crew;
mod each_host;
mod merged;
mod orders;
mod waiting;

pub(crate) use each_host::EachHost;
pub(crate) use orders::Asked;

use std::cell::{Cell, OnceCell, RefCell};
use std::collections::{BTreeMap, BTreeSet};
use std::sync::atomic::{AtomicBool, Ordering::Relaxed};

use iopath_machine::Root;
use iopath_measurement::{Next, Targets};
use iopath_ranks::{Communicator, Lost, ROOT};
use iopath_record::{BadBlocks, Fact, Record};
use iopath_study::Case;
use iopath_study::case::{KernelSettings, Verify};
use iopath_study::deal::Share;

use super::carrier;
use super::examined::{crowded, examined, found, host};
use super::messages::{Ended, Found, Hindrance, HostFacts, How, ToRank, ToRoot, TrialSent, send};
use super::own_path::{OwnPath, OwnPaths};
use super::sent::CaseSent;
use super::share::Deal;
use crate::arguments::StoreOption;
use crate::exit_status::{ExitStatus, Problem};
use crate::inputs::path_source::PathSource;
use crate::output;

/// Rank 0's side of a run.
pub(crate) struct Leader {
    ranks: RefCell<Communicator>,
    deal: RefCell<Deal>,
    /// Ranks that run streams in the trial under way.
    working: RefCell<BTreeSet<u32>>,
    /// How the trial under way has ended for ranks that are done with it.
    ended: RefCell<Vec<(u32, Ended)>>,
    /// Where each host discovers its own path.
    paths: OnceCell<OwnPaths>,
    /// Whether the others have been asked to simulate.
    has_crew: Cell<bool>,
}

/// What this rank does of a trial that all have begun.
pub(crate) struct Begun {
    pub share: Share,
    pub own: OwnPath,
}

/// How a trial ended for the other ranks.
#[derive(Default)]
pub(crate) struct Elsewhere {
    /// What the first of them failed of.
    pub problem: Option<Problem>,
    /// What reading back found.
    pub read_back: BadBlocks,
    /// Named files and devices that they wrote.
    pub written: Vec<String>,
}

impl Leader {
    /// Learns who the others are, and how their clocks go.
    pub(super) fn meet(ranks: Communicator) -> Result<Self, Problem> {
        let (deal, working, ended, paths, has_crew) = Default::default();
        let leader = Self { ranks: RefCell::new(ranks), deal, working, ended, paths, has_crew };
        match leader.learn() {
            Ok(deal) => {
                *leader.deal.borrow_mut() = deal;
                Ok(leader)
            }
            Err(problem) => {
                leader.leave(problem.status());
                Err(problem)
            }
        }
    }

    fn learn(&self) -> Result<Deal, Problem> {
        self.ranks.borrow_mut().synchronise().map_err(Problem::unexpected)?;
        let own = host(&Root::live());
        let pick = |message| match message {
            ToRoot::Host(facts) => Some(facts),
            _ => None,
        };
        let mut hosts = self.collect(&AtomicBool::new(false), &pick)?;
        hosts.insert(ROOT, own.clone());
        if let Some((rank, other)) = hosts.iter().find(|(_, one)| one.version != own.version) {
            return Err(Problem::new(
                ExitStatus::Obstacle,
                format!(
                    "rank {rank} on {} is iopath {}, rank 0 is {}: use one build on all hosts",
                    other.name, other.version, own.version
                ),
            ));
        }
        bound(&hosts).into_iter().for_each(|remark| output::tell(&remark));
        Ok(Deal::over(hosts.into_values().collect(), ROOT))
    }

    /// How many hosts the ranks run on.
    pub(crate) fn hosts(&self) -> usize {
        self.deal.borrow().hosts()
    }

    /// Which path cases take: what rank 0 discovers is not what lies below the targets of other
    /// hosts, so from now on each of several discovers its own.
    pub(crate) fn discover_on_each_host(
        &self,
        wish: PathSource,
        store: &StoreOption,
    ) -> PathSource {
        match wish {
            PathSource::Discovered(_) if self.hosts() > 1 => {
                self.paths.get_or_init(|| OwnPaths::new(store.clone()));
                PathSource::Own
            }
            wish => wish,
        }
    }

    /// What a trial needs of the other ranks.
    pub(crate) fn communicator(&self) -> &RefCell<Communicator> {
        &self.ranks
    }

    /// Everything that stands in the way on any rank; permissions to write are remembered there.
    pub(crate) fn look_for_obstacles(
        &self,
        targets: &mut Targets,
        cases: &[Case],
        named: &[String],
        interrupted: &AtomicBool,
    ) -> Result<(), Problem> {
        self.deal.borrow_mut().with_cases(cases);
        for case in cases {
            self.deal.borrow().dealt(case).map_err(Problem::mistake)?;
        }
        let all = self.find(cases, interrupted)?;
        self.tell_all(&ToRank::Examine { found: all, named: named.to_vec() })?;
        let deal = self.deal.borrow();
        let own = examined(targets, &deal, cases, named, interrupted);
        let pick = |message| match message {
            ToRoot::Examined(found) => Some(found),
            _ => None,
        };
        let mut examined = self.collect(interrupted, &pick)?;
        examined.insert(ROOT, own);
        let crowded = crowded(&examined);
        let mut said = BTreeSet::new();
        let mut all: Vec<Hindrance> = Vec::new();
        for (rank, found) in examined {
            let by = &deal.ranks()[rank as usize].name;
            let named = found.hindrances.into_iter().map(|one| Hindrance {
                text: if deal.is_one_host() { one.text } else { format!("{by}: {}", one.text) },
                ..one
            });
            all.extend(named.filter(|one| said.insert(one.text.clone())));
        }
        all.extend(crowded);
        all.extend(unverifiable(&deal, cases));
        all.extend(unsettable(&deal, cases));
        refuse(&all)
    }

    /// What each rank finds at its paths.
    fn find(&self, cases: &[Case], interrupted: &AtomicBool) -> Result<Vec<Found>, Problem> {
        let ranks = self.deal.borrow().ranks().to_vec();
        let texts = cases.iter().map(|case| case.text.clone()).collect();
        self.tell_all(&ToRank::Cases { texts, ranks })?;
        let own = found(&Root::live(), cases, &self.deal.borrow());
        let pick = |message| match message {
            ToRoot::Found(found) => Some(found),
            _ => None,
        };
        let mut all = self.collect(interrupted, &pick)?;
        all.insert(ROOT, own);
        let all: Vec<Found> = all.into_values().collect();
        self.deal.borrow_mut().with_found(&all);
        if let Some(unlike) = self.deal.borrow().unlike(&all) {
            let [one, other] = unlike.map(|(rank, path)| format!("{path} on rank {rank}"));
            let text = format!(
                "{one} and {other} are the same file or device: bind it by one path on all hosts, \
                 such as /dev/disk/by-id/…"
            );
            return Err(Problem::new(ExitStatus::Obstacle, text));
        }
        Ok(all)
    }

    /// Has the others begin a trial; gives this rank's part.
    pub(crate) fn begin(
        &self,
        index: u32,
        case: &Case,
        targets: &mut Targets,
    ) -> Result<Begun, Problem> {
        let share = self.deal.borrow().share(case).map_err(Problem::mistake)?;
        self.deal.borrow().lend(targets);
        let working = self.deal.borrow().working(case).map_err(Problem::mistake)?;
        *self.working.borrow_mut() = working;
        self.ended.borrow_mut().clear();
        self.ranks.borrow_mut().begin_trial();
        self.ranks.borrow_mut().synchronise().map_err(Problem::unexpected)?;
        let discovers = self.paths.get().is_some();
        self.tell_all(&ToRank::Trial(TrialSent { index, case: CaseSent::of(case), discovers }))?;
        let deal = self.deal.borrow();
        let below = |paths: &OwnPaths| paths.below(&Root::live(), case, &deal);
        let own = self.paths.get().map(below).unwrap_or_default();
        let by = deal.name(ROOT);
        own.remarks.iter().for_each(|remark| output::tell(&format!("{by}: {remark}")));
        Ok(Begun { share, own })
    }

    /// In the middle of something that takes long: the others are not to take this rank for hung.
    pub(crate) fn look_after_others(&self) {
        // What cannot be heard now is heard of when it is waited for.
        if let Ok(mut ranks) = self.ranks.try_borrow_mut() {
            drop(ranks.look_after());
        }
    }

    /// The record of a pass of all ranks.
    pub(crate) fn gathered(&self, own: Record, interrupted: &AtomicBool) -> Result<Record, String> {
        let passes = self.passes(interrupted).map_err(|problem| problem.to_string())?;
        let mut ranks = self.ranks.borrow_mut();
        let is_ending = interrupted.load(Relaxed) || !ranks.silent().is_empty();
        // Clocks after the pass, to know how they went meanwhile. Where that cannot be, the bound
        // is wider.
        let compared = if is_ending { Ok(()) } else { ranks.synchronise() };
        let left: BTreeSet<u32> = passes.keys().copied().chain([ROOT]).collect();
        let missing: Vec<u32> = self.working.borrow().difference(&left).copied().collect();
        merged::of(&ranks, &self.deal.borrow(), own, passes).map(|mut record| {
            record.warnings.extend(merged::incomplete(&missing));
            let failed = compared.err().map(|error| error.to_string());
            let set = ranks.contradiction().map(|contradiction| contradiction.to_string());
            record.environment.extend(failed.or(set).map(|why| Fact::Clocks.is(why)));
            record
        })
    }

    /// Says whether more passes are wanted than the study asks for at least.
    pub(crate) fn tell_next(&self, next: Next) -> Result<(), String> {
        let more = next == Next::Continue;
        self.tell_all(&ToRank::Next { more }).map_err(|problem| problem.to_string())
    }

    /// How the trial ended for the others. Where it has not ended well here, they need not wait.
    pub(crate) fn end_trial(&self, is_well: bool, interrupted: &AtomicBool) -> Elsewhere {
        if !is_well {
            drop(self.ranks.borrow_mut().give_up());
        }
        let waited = self.await_ends(interrupted);
        let mut elsewhere = Elsewhere { problem: waited.err(), ..Elsewhere::default() };
        let deal = self.deal.borrow();
        for silent in self.ranks.borrow().silent() {
            let by = &deal.ranks()[silent.rank as usize].name;
            let text = format!("{by}: {silent}");
            elsewhere.note(Problem::new(ExitStatus::Failed, text));
        }
        for (rank, ended) in self.ended.borrow_mut().drain(..) {
            let by = deal.name(rank);
            ended.remarks.iter().for_each(|remark| output::tell(&format!("{by}: {remark}")));
            elsewhere.written.extend(ended.written);
            match ended.how {
                How::Finished | How::Interrupted => {}
                How::Failed(text) => {
                    elsewhere.note(Problem::new(ExitStatus::Failed, format!("{by}: {text}")));
                }
                How::WrongData { text, read_back } => {
                    elsewhere.read_back.merge(*read_back);
                    elsewhere.note(Problem::wrong_data(format!("{by}: {text}")));
                }
                How::NotBegun { text, is_refusal } => {
                    let status =
                        if is_refusal { ExitStatus::Refused } else { ExitStatus::Obstacle };
                    elsewhere.note(Problem::new(status, format!("{by}: {text}")));
                }
            }
        }
        elsewhere
    }

    /// Lets the others go, whatever the run ended of. Where one hangs, all are ended, with this
    /// status.
    pub(crate) fn leave(&self, status: ExitStatus) {
        drop(self.tell_all(&ToRank::Leave));
        self.ranks.borrow_mut().leave(status as i32);
        if !self.ranks.borrow().silent().is_empty() {
            carrier::abandon(status);
        }
    }

    fn tell_all(&self, message: &ToRank) -> Result<(), Problem> {
        let mut ranks = self.ranks.borrow_mut();
        let others: Vec<u32> = (1..ranks.size()).filter(|rank| ranks.is_here(*rank)).collect();
        let told: Result<Vec<()>, Lost> =
            others.into_iter().map(|rank| send(&mut ranks, rank, message)).collect();
        told.map(drop).map_err(Problem::unexpected)
    }
}

impl Elsewhere {
    fn note(&mut self, problem: Problem) {
        self.problem.get_or_insert(problem);
    }
}

/// What to say of ranks that may not use all processors of their hosts.
fn bound(hosts: &BTreeMap<u32, HostFacts>) -> Option<String> {
    let mut bound = hosts.iter().filter(|(_, facts)| facts.allowed < facts.processors);
    let (rank, facts) = bound.next()?;
    let others = match bound.count() {
        0 => String::new(),
        more => format!(" (and {more} more ranks)"),
    };
    Some(format!(
        "rank {rank} on {} may use {} of {} processors{others}: `mpirun --bind-to none` lets ranks \
         use all of them",
        facts.name, facts.allowed, facts.processors
    ))
}

/// What another rank has written, and which write came last of two, no rank knows.
fn unverifiable(deal: &Deal, cases: &[Case]) -> Option<Hindrance> {
    let verified = cases.iter().filter(|case| case.workload.verify == Verify::Stamps);
    let shared = verified.filter_map(|case| deal.shared(case)).next()?;
    let text = format!(
        "{shared} is used by several ranks, so its data cannot be verified: verify=#false, or a \
         target for each rank"
    );
    Some(Hindrance { text, is_refusal: false })
}

/// Two ranks that set one device would each take the other's setting for what was there before.
fn unsettable(deal: &Deal, cases: &[Case]) -> Option<Hindrance> {
    let is_set = |case: &Case| case.workload.kernel != KernelSettings::default();
    let text = "kernel settings (kernel-readahead, …) need one rank a host: start one on each, or \
        leave them out";
    let is_refusal = false;
    (deal.shares_a_host() && cases.iter().any(is_set))
        .then(|| Hindrance { text: text.to_owned(), is_refusal })
}

fn refuse(all: &[Hindrance]) -> Result<(), Problem> {
    if all.is_empty() {
        return Ok(());
    }
    let is_refused = all.iter().any(|one| one.is_refusal);
    let status = if is_refused { ExitStatus::Refused } else { ExitStatus::Obstacle };
    let texts: Vec<&str> = all.iter().map(|one| one.text.as_str()).collect();
    Err(Problem::new(status, texts.join("\n")))
}
