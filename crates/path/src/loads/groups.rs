//! What streams of one declaration have to do with one another: who shares a region, a rate, a
//! time.

use std::collections::{BTreeMap, BTreeSet};

use iopath_study::case::{Behind, Case, Pattern, Sharing, Stream};
use iopath_study::{Class, Epochs};
use iopath_units::Ratio;

use crate::legs::Sharers;
use crate::network::Mechanism;
use crate::routes::Place;
use crate::running::Running;

/// The declarations of streams of a case.
#[derive(Debug, Default)]
pub(super) struct Groups {
    /// Streams that count.
    counts: BTreeMap<String, usize>,
    /// Those on one target.
    on_target: BTreeMap<(String, usize), u32>,
    /// Those of all declarations on one target.
    users: BTreeMap<usize, u32>,
    /// Those on one target that run at one place.
    at_place: BTreeMap<(String, usize, Place), u32>,
    /// The places where those on one target run.
    places: BTreeMap<(String, usize), u32>,
    /// When each runs: by how many declarations end before it begins, without gaps.
    epochs: BTreeMap<String, u32>,
    /// What was written before one begins.
    written: BTreeMap<String, BTreeSet<usize>>,
    /// Bytes of the targets that state them.
    sizes: BTreeMap<usize, u64>,
    /// Media in all.
    media: u64,
}

impl Groups {
    pub(super) fn new(case: &Case, running: &[Running]) -> Self {
        let mut groups = Self::default();
        let sizes = case.targets.iter().enumerate();
        groups.sizes = sizes.filter_map(|(at, one)| Some((at, one.size?.0))).collect();
        let media =
            case.system.ids().filter(|id| Class::of(case.system.kind(*id)) == Class::Medium);
        groups.media = media.count() as u64;
        for one in running {
            let stream = &case.streams[one.stream];
            let group = || stream.group.clone();
            *groups.counts.entry(group()).or_default() += 1;
            *groups.on_target.entry((group(), stream.target)).or_default() += 1;
            *groups.users.entry(stream.target).or_default() += 1;
            *groups.at_place.entry((group(), stream.target, one.place)).or_default() += 1;
        }
        for (group, target, _) in groups.at_place.keys() {
            *groups.places.entry((group.clone(), *target)).or_default() += 1;
        }
        groups.order(case);
        groups
    }

    /// Follows who ends before whom.
    fn order(&mut self, case: &Case) {
        let mut writes: BTreeMap<&str, BTreeSet<usize>> = BTreeMap::new();
        for stream in case.streams.iter().filter(|stream| stream.reads < Ratio::ONE) {
            writes.entry(&stream.group).or_default().insert(stream.target);
        }
        let epochs = Epochs::of(case);
        for group in self.counts.keys() {
            let written = epochs.before(group).filter_map(|group| writes.get(group)).flatten();
            self.written.insert(group.clone(), written.copied().collect());
        }
        let numbers = epochs.numbers(self.counts.keys().map(String::as_str));
        self.epochs = numbers.into_iter().map(|(group, epoch)| (group.to_owned(), epoch)).collect();
    }

    /// How many streams of its declaration count.
    pub(super) fn count(&self, stream: &Stream) -> usize {
        self.counts.get(&stream.group).copied().unwrap_or(1)
    }

    /// Whether no other stream uses its target, at whatever time.
    pub(super) fn is_alone(&self, stream: &Stream) -> bool {
        self.users.get(&stream.target) == Some(&1)
    }

    /// When it runs: those of one number run together.
    pub(super) fn epoch(&self, stream: &Stream) -> u32 {
        self.epochs.get(&stream.group).copied().unwrap_or(0)
    }

    /// Whether what it writes is there already: an earlier stream wrote it, or it writes anywhere.
    /// One that goes through its region in order, backwards too, finds nothing there.
    pub(super) fn rewrites(&self, stream: &Stream) -> bool {
        let written = self.written.get(&stream.group);
        lands_anywhere(stream) || written.is_some_and(|written| written.contains(&stream.target))
    }

    /// Bytes that a stream writes one behind the other at a place before it flushes them, or begins
    /// its region again; none where it jumps, or reads some of them instead.
    pub(super) fn run(&self, case: &Case, running: &Running) -> u64 {
        let stream = &case.streams[running.stream];
        let is_gapless = match stream.pattern {
            // Its neighbours fill the gaps if they run at the same place.
            Pattern::Interleaved => {
                let (group, target) = (stream.group.clone(), stream.target);
                let here = self.at_place.get(&(group, target, running.place));
                here.is_some_and(|here| *here == stream.region.count.max(1))
            }
            Pattern::Strided { stride } => stride <= stream.block,
            _ => !lands_anywhere(stream),
        };
        let writes = match (is_gapless && stream.reads == Ratio(0), stream.sync.is_durable()) {
            (false, _) => 0,
            (true, true) => stream.sync.every().map_or(1, u64::from),
            (true, false) => u64::MAX,
        };
        writes.saturating_mul(stream.block.0).min(self.region(stream))
    }

    /// Bytes that a stream goes through.
    fn region(&self, stream: &Stream) -> u64 {
        let size = self.sizes.get(&stream.target).copied().unwrap_or(u64::MAX);
        let parts = match stream.region.sharing {
            Sharing::Own => u64::from(stream.region.count.max(1)),
            Sharing::Shared => 1,
        };
        size / parts
    }

    /// Bytes between the requests of a strided stream. None where its region has so few places that
    /// when it comes round, the block next to one may be the next on a disk, or wait with it.
    pub(super) fn apart(&self, stream: &Stream) -> Option<u64> {
        let Pattern::Strided { stride } = stream.pattern else { return None };
        let between = stride.0.checked_sub(stream.block.0)?;
        let places = self.region(stream) / stride.0;
        Some(if places > u64::from(stream.depth) + self.media { between } else { 0 })
    }

    /// Streams that read the same at the same time.
    pub(super) fn sharers(&self, stream: &Stream, place: Place) -> Sharers {
        if !is_in_step(stream) {
            return Sharers::NONE;
        }
        let (group, target) = (stream.group.clone(), stream.target);
        let here = self.at_place.get(&(group.clone(), target, place)).copied().unwrap_or(1);
        let machines = self.places.get(&(group.clone(), target)).copied().unwrap_or(1);
        let all = self.on_target.get(&(group, target)).copied().unwrap_or(1);
        Sharers { here, machines, all }
    }

    /// How many sequential runs a stream adds to its target: those in step are one together.
    pub(super) fn runs(&self, stream: &Stream) -> f64 {
        if !is_in_step(stream) {
            return 1.0;
        }
        let all = self.on_target.get(&(stream.group.clone(), stream.target));
        1.0 / f64::from(all.copied().unwrap_or(1))
    }

    /// What no bound accounts for, by declaration; some of them find no cache on their way.
    pub(super) fn mechanisms(&self, case: &Case, repeated: &BTreeSet<&str>) -> BTreeSet<Mechanism> {
        let mut told = BTreeSet::new();
        let counted = case.streams.iter().filter(|one| self.counts.contains_key(&one.group));
        for stream in counted {
            let all = self.on_target.get(&(stream.group.clone(), stream.target));
            let all = all.copied().unwrap_or(1);
            if is_in_step(stream) && all > 1 {
                let text = region(stream, all, repeated.contains(stream.group.as_str()));
                told.insert(Mechanism { kind: "shared-region", text, decides: false });
            }
            if let Some(behind) = &stream.modelled.behind {
                let text = following(&stream.group, behind);
                let (kind, decides) = ("read-behind-write", behind.lockstep);
                told.insert(Mechanism { kind, text, decides });
            }
        }
        told
    }
}

fn region(stream: &Stream, all: u32, is_repeated: bool) -> String {
    let group = &stream.group;
    if is_repeated {
        format!(
            "{all} streams {group} share one region without a cache on the path: media read it \
             {all} times"
        )
    } else {
        format!("{all} streams {group} share one region: caches serve all but the first of them")
    }
}

fn following(group: &str, behind: &Behind) -> String {
    let other = &behind.group;
    if behind.lockstep {
        format!("{group} follows {other} by one record, so they alternate")
    } else {
        format!("{group} follows {other} up to its position")
    }
}

/// Whether it does not go through its region in order.
fn lands_anywhere(stream: &Stream) -> bool {
    match stream.pattern {
        Pattern::Random
        | Pattern::Zipf { .. }
        | Pattern::Hot { .. }
        | Pattern::Walk { .. }
        | Pattern::Resident { .. }
        | Pattern::Spc1Like => true,
        Pattern::Sequential
        | Pattern::Staggered
        | Pattern::RandomStart
        | Pattern::Interleaved
        | Pattern::Backwards
        | Pattern::Strided { .. } => false,
    }
}

/// Whether all that share its region read the same blocks in the same order.
fn is_in_step(stream: &Stream) -> bool {
    let is_ordered = match stream.pattern {
        Pattern::Sequential | Pattern::Backwards | Pattern::Strided { .. } => true,
        Pattern::Staggered
        | Pattern::RandomStart
        | Pattern::Interleaved
        | Pattern::Random
        | Pattern::Zipf { .. }
        | Pattern::Hot { .. }
        | Pattern::Walk { .. }
        | Pattern::Resident { .. }
        | Pattern::Spc1Like => false,
    };
    stream.region.sharing == Sharing::Shared && is_ordered && stream.reads > Ratio(0)
}
