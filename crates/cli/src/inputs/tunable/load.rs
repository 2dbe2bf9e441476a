//! The load on targets that are tuned: what the options fix of it, and what is chosen.
//!
//! Block size is chosen where streams go through the target in order: elsewhere the application
//! fixes it, as a database does its pages. Depth and streams are not chosen for response times,
//! which are shortest with one request in flight whatever the storage is, nor where a rate says
//! what arrives. Through the page cache a stream waits for each read, and the kernel reads ahead
//! for it: readahead is chosen in place of depth (`kernel`). Levels for which a target has no room
//! are left out: each stream needs a part with at least one block.

use iopath_units::Bytes;

use crate::arguments::{CaseOptions, TuneGoal};
use crate::exit_status::Problem;
use crate::inputs::flags::{self, Factor, Varies};

/// A load as options, and what is chosen of it.
pub(super) struct Load {
    pub options: CaseOptions,
    pub factors: Vec<Factor>,
}

/// Levels, chosen by powers of four with what `measure` takes without options among them: so few
/// that a tuning takes minutes.
const BLOCKS: [&str; 4] = ["64 KiB", "256 KiB", "1 MiB", "4 MiB"];
const SEQUENTIAL_DEPTHS: &[u64] = &[2, 8, 32];
const RANDOM_DEPTHS: &[u64] = &[2, 8, 32, 128];
const STREAMS: &[u64] = &[1, 4, 16];

/// Rings, or files in memory by calls, as `measure` has them; and calls everywhere.
const ENGINES: [&str; 2] = ["auto", "calls"];

/// The block of requests for which their number or time matters: a page of most databases and of
/// memory, as fio's default.
const SMALL_BLOCK: &str = "4 KiB";

/// How long a pass is: chosen, so that thirty settings take a minute and a half.
const TIME: &str = "2 s";
const WARM_UP: &str = "500 ms";

impl Load {
    /// What the options and the goal make of it, where the smallest target is so large.
    pub(super) fn of(
        options: CaseOptions,
        goal: TuneGoal,
        smallest: Bytes,
    ) -> Result<Self, Problem> {
        if options.op.as_deref() == Some("trim") {
            return Err(Problem::mistake(
                "--op: a trim discards a range once, so no other setting could be tried; use read, \
                 write or mix=70",
            ));
        }
        if options.engine.as_deref() == Some("null") {
            return Err(Problem::mistake(
                "--engine: null does no I/O, so targets make no difference; use another",
            ));
        }
        let mut load = Self { options, factors: Vec::new() };
        load.set_pass();
        load.set_small(goal);
        load.choose_depth_and_streams(goal, smallest);
        load.choose_block(smallest);
        load.choose_engine(goal);
        Ok(load)
    }

    fn set_pass(&mut self) {
        let options = &mut self.options;
        options.time.get_or_insert_with(|| TIME.to_owned());
        options.warm_up.get_or_insert_with(|| WARM_UP.to_owned());
        // The search repeats what it must tell apart.
        options.passes = Some("1".to_owned());
    }

    /// Where the number of requests matters, or their time.
    fn set_small(&mut self, goal: TuneGoal) {
        if goal != TuneGoal::Throughput {
            self.options.pattern.get_or_insert_with(|| "random".to_owned());
            self.options.block.get_or_insert_with(|| SMALL_BLOCK.to_owned());
        }
    }

    fn choose_block(&mut self, smallest: Bytes) {
        if self.options.block.is_some() || !flags::has_sequential_pattern(&self.options) {
            return;
        }
        let streams = self.most(&Varies::Streams).or_else(|| self.streams_on_a_target());
        let part = smallest.0 / streams.unwrap_or(1).max(1);
        let fitting = BLOCKS.into_iter().filter(|block| bytes(block) <= part);
        match fitting.collect::<Vec<_>>()[..] {
            [] => {}
            [only] => self.options.block = Some(only.to_owned()),
            ref several => self.factors.insert(0, Factor::of_texts(Varies::Block, several)),
        }
    }

    /// As `--streams` says, which is of all targets.
    fn streams_on_a_target(&self) -> Option<u64> {
        let all: u64 = self.options.streams.as_deref()?.parse().ok()?;
        Some(all.div_ceil(self.options.target.len().max(1) as u64))
    }

    /// The smallest block that is tried.
    fn least_block(&self) -> u64 {
        let given = self.options.block.as_deref();
        let least = match flags::has_sequential_pattern(&self.options) {
            true => BLOCKS[0],
            false => SMALL_BLOCK,
        };
        bytes(given.unwrap_or(least)).max(1)
    }

    fn choose_depth_and_streams(&mut self, goal: TuneGoal, smallest: Bytes) {
        let is_cached = self.is_cached();
        let most_streams = smallest.0 / self.least_block();
        let options = &mut self.options;
        let (is_open, is_latency) = (options.rate.is_some(), goal == TuneGoal::Latency);
        if !is_open && (is_cached || is_latency) {
            options.depth.get_or_insert_with(|| "1".to_owned());
        }
        if is_open || is_latency {
            return;
        }
        let depths = match flags::has_sequential_pattern(options) {
            true => SEQUENTIAL_DEPTHS,
            false => RANDOM_DEPTHS,
        };
        if options.depth.is_none() {
            self.factors.push(Factor::of_counts(Varies::Depth, depths));
        }
        let fitting = STREAMS.iter().copied().filter(|streams| *streams <= most_streams);
        let fitting: Vec<u64> = fitting.collect();
        if options.streams.is_none() && fitting.len() > 1 {
            self.factors.push(Factor::of_counts(Varies::Streams, &fitting));
        }
    }

    /// Of single requests the way into the kernel may matter.
    fn choose_engine(&mut self, goal: TuneGoal) {
        let is_single = self.options.depth.as_deref() == Some("1");
        if goal == TuneGoal::Latency && is_single && self.options.engine.is_none() {
            self.factors.push(Factor::of_texts(Varies::Engine, &ENGINES));
        }
    }

    /// Whether requests go through the page cache.
    pub(super) fn is_cached(&self) -> bool {
        let is_mapped = self.options.engine.as_deref() == Some("mmap");
        is_mapped || matches!(self.options.cache.as_deref(), Some("buffered" | "drop"))
    }

    pub(super) fn reads(&self) -> bool {
        self.options.op.as_deref() != Some("write")
    }

    /// Whether requests of the drives may be larger than this.
    pub(super) fn has_larger_requests(&self, bytes: u64) -> bool {
        let block = self.options.block.as_deref().and_then(|text| text.parse().ok());
        // The kernel reads ahead and writes back in requests of its own.
        self.is_cached() || block.is_none_or(|block: Bytes| block.0 > bytes)
    }

    /// Whether more requests may be in flight at a target than these.
    pub(super) fn has_more_in_flight(&self, requests: u64) -> bool {
        let given = self.options.depth.as_deref().and_then(|depth| depth.parse().ok());
        let depth = self.most(&Varies::Depth).or(given);
        let streams = self.most(&Varies::Streams).or_else(|| self.streams_on_a_target());
        let all = depth.map(|depth| depth.saturating_mul(streams.unwrap_or(1)));
        self.is_cached() || all.is_none_or(|all| all > requests)
    }

    /// The largest level of a factor of counts, where it is one.
    fn most(&self, varies: &Varies) -> Option<u64> {
        let factor = self.factors.iter().find(|factor| factor.varies == *varies)?;
        factor.levels.iter().filter_map(|level| level.parse().ok()).max()
    }
}

/// What is no size is refused later, with all other mistakes.
fn bytes(text: &str) -> u64 {
    text.parse::<Bytes>().map_or(0, |size| size.0)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn chosen(goal: TuneGoal, set: impl FnOnce(&mut CaseOptions)) -> Vec<Varies> {
        let mut options = CaseOptions::default();
        set(&mut options);
        let load = Load::of(options, goal, Bytes(1 << 30)).expect("it makes sense");
        load.factors.into_iter().map(|factor| factor.varies).collect()
    }

    #[test]
    fn what_is_chosen_depends_on_the_goal_and_on_what_options_fix() {
        use Varies::{Block, Depth, Engine, Streams};
        let given = |text: &str| Some(text.to_owned());
        let nothing = |_: &mut CaseOptions| ();
        assert_eq!(chosen(TuneGoal::Throughput, nothing), [Block, Depth, Streams]);
        assert_eq!(chosen(TuneGoal::Iops, nothing), [Depth, Streams], "4 KiB is the load's own");
        assert_eq!(chosen(TuneGoal::Latency, nothing), [Engine], "one request in flight");
        let random = chosen(TuneGoal::Throughput, |options| options.pattern = given("random"));
        assert_eq!(random, [Depth, Streams]);
        let cached = chosen(TuneGoal::Throughput, |options| options.cache = given("drop"));
        assert_eq!(cached, [Block, Streams]);
        let open = chosen(TuneGoal::Throughput, |options| options.rate = given("100/s"));
        assert_eq!(open, [Block]);
        let deep = chosen(TuneGoal::Latency, |options| options.depth = given("4"));
        assert_eq!(deep, [], "calls are one after the other");
    }

    #[test]
    fn kernel_settings_matter_where_requests_are_large_or_many() {
        let of = |goal, set: &dyn Fn(&mut CaseOptions)| {
            let mut options = CaseOptions::default();
            set(&mut options);
            let load = Load::of(options, goal, Bytes(1 << 30)).expect("it makes sense");
            (load.has_larger_requests(64 << 10), load.has_more_in_flight(32))
        };
        let given = |text: &str| Some(text.to_owned());
        assert_eq!(of(TuneGoal::Throughput, &|_| ()), (true, true));
        assert_eq!(of(TuneGoal::Iops, &|_| ()), (false, true));
        assert_eq!(of(TuneGoal::Latency, &|_| ()), (false, false));
        let cached = of(TuneGoal::Latency, &|options| options.cache = given("buffered"));
        assert_eq!(cached, (true, true), "the kernel makes requests of its own");
    }
    #[test]
    fn levels_for_which_a_target_has_no_room_are_left_out() {
        let levels = |smallest: u64| {
            let options = CaseOptions::default();
            let load = Load::of(options, TuneGoal::Throughput, Bytes(smallest)).expect("it fits");
            let of = |varies| load.factors.iter().find(|factor| factor.varies == varies);
            let levels = |factor: &Factor| factor.levels.join(" ");
            [of(Varies::Block).map(levels), of(Varies::Streams).map(levels), load.options.block]
        };
        let some = |text: &str| Some(text.to_owned());
        let blocks = some("\"64 KiB\" \"256 KiB\" \"1 MiB\"");
        assert_eq!(levels(16 << 20), [blocks, some("1 4 16"), None]);
        assert_eq!(levels(1 << 20), [None, some("1 4 16"), some("64 KiB")]);
        assert_eq!(levels(128 << 10), [None, None, some("64 KiB")]);
    }
}
