//! The load on targets that are tuned: what the options fix of it, and what is chosen.
//!
//! Block size is chosen where streams go through the target in order: elsewhere the application
//! fixes it, as a database does its pages. Depth and streams are not chosen for response times,
//! which are shortest with one request in flight whatever the storage is, nor where a rate says
//! what arrives. Through the page cache a stream waits for each read, and the kernel reads ahead
//! for it: readahead is chosen in place of depth (`kernel`). Levels for which there is no room are
//! left out: each stream needs a part of its target with at least one block, and all buffers
//! together a quarter of the memory at most. What `measure` takes without options is always among
//! the levels, as today's.

use iopath_units::Bytes;

use crate::arguments::{CaseOptions, TuneGoal};
use crate::exit_status::Problem;
use crate::inputs::flags::{self, Factor, Usual, Varies};

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

/// Of the memory that is available, for the buffers of the largest setting: chosen, so that what
/// else the machine does has the rest.
const MEMORY_SHARE: u64 = 4;

/// What there is for the largest setting.
#[derive(Clone, Copy)]
pub(super) struct Room {
    /// Of the smallest target.
    pub target: Bytes,
    /// That is available.
    pub memory: Bytes,
}

/// How long a pass is: chosen, so that thirty settings take a minute and a half.
const TIME: &str = "2 s";
const WARM_UP: &str = "500 ms";

impl Load {
    /// What the options and the goal make of it, where there is so much room.
    pub(super) fn of(options: CaseOptions, goal: TuneGoal, room: Room) -> Result<Self, Problem> {
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
        load.choose_depth_and_streams(goal, room.target);
        load.choose_block(room.target);
        load.choose_engine(goal);
        load.fit(room.memory);
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
            self.options.block.get_or_insert_with(|| Usual::of(false).block.to_owned());
        }
    }

    fn choose_block(&mut self, smallest: Bytes) {
        if self.options.block.is_some() || !flags::has_sequential_pattern(&self.options) {
            return;
        }
        let part = smallest.0 / self.parts(self.most_streams());
        let fitting = BLOCKS.into_iter().filter(|block| bytes(block) <= part);
        match fitting.collect::<Vec<_>>()[..] {
            [] => {}
            [only] => self.options.block = Some(only.to_owned()),
            ref several => self.factors.insert(0, Factor::of_texts(Varies::Block, several)),
        }
    }

    /// Leaves out the largest levels, today's aside, until the buffers of all streams fit.
    fn fit(&mut self, memory: Bytes) {
        let usual = self.usual();
        let todays = [
            (Varies::Streams, 1),
            (Varies::Depth, u64::from(usual.depth)),
            (Varies::Block, bytes(usual.block)),
        ];
        for (varies, today) in todays {
            while self.buffers() > memory.0 / MEMORY_SHARE
                && self.most(&varies).is_some_and(|most| most > today)
            {
                self.factors.iter_mut().filter(|one| one.varies == varies).for_each(|factor| {
                    factor.levels.pop();
                });
            }
        }
        self.factors.retain(|factor| factor.levels.len() > 1);
    }

    /// Bytes of the buffers of the largest setting.
    fn buffers(&self) -> u64 {
        let targets = self.options.target.len().max(1) as u64;
        let in_flight = self.most_depth().saturating_mul(self.most_streams());
        self.most_block().saturating_mul(in_flight).saturating_mul(targets)
    }

    fn usual(&self) -> Usual {
        Usual::of(flags::has_sequential_pattern(&self.options))
    }

    /// The largest of what is chosen, else what is given, else what is usual.
    fn most_block(&self) -> u64 {
        let given = self.options.block.as_deref().unwrap_or(self.usual().block);
        self.most(&Varies::Block).unwrap_or_else(|| bytes(given))
    }

    fn most_depth(&self) -> u64 {
        let given = self.options.depth.as_deref().and_then(|depth| depth.parse().ok());
        self.most(&Varies::Depth).or(given).unwrap_or(self.usual().depth.into())
    }

    /// On each target.
    fn most_streams(&self) -> u64 {
        self.most(&Varies::Streams).or_else(|| self.streams_on_a_target()).unwrap_or(1).max(1)
    }

    /// In how many parts streams divide a target.
    fn parts(&self, streams: u64) -> u64 {
        if self.options.region.as_deref() == Some("shared") { 1 } else { streams }
    }

    /// As `--streams` says, which is of all targets.
    fn streams_on_a_target(&self) -> Option<u64> {
        let all: u64 = self.options.streams.as_deref()?.parse().ok()?;
        Some(all.div_ceil(self.options.target.len().max(1) as u64))
    }

    fn choose_depth_and_streams(&mut self, goal: TuneGoal, smallest: Bytes) {
        let is_cached = self.is_cached();
        let blocks = smallest.0 / self.most_block().max(1);
        let fitting = STREAMS.iter().copied().filter(|streams| self.parts(*streams) <= blocks);
        let fitting: Vec<u64> = fitting.collect();
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

    /// Whether requests of the drives may be larger than this; the kernel reads ahead and writes
    /// back in requests of its own.
    pub(super) fn has_larger_requests(&self, bytes: u64) -> bool {
        self.is_cached() || self.most_block() > bytes
    }

    /// Whether more requests may be in flight at a target than these.
    pub(super) fn has_more_in_flight(&self, requests: u64) -> bool {
        self.is_cached() || self.most_depth().saturating_mul(self.most_streams()) > requests
    }

    /// The largest level of a factor of numbers, where it is one.
    fn most(&self, varies: &Varies) -> Option<u64> {
        let factor = self.factors.iter().find(|factor| factor.varies == *varies)?;
        let number = |level: &String| match varies {
            Varies::Block => Some(bytes(level.trim_matches('"'))),
            _ => level.parse().ok(),
        };
        factor.levels.iter().filter_map(number).max()
    }
}

/// What is no size is refused later, with all other mistakes.
fn bytes(text: &str) -> u64 {
    text.parse::<Bytes>().map_or(0, |size| size.0)
}

#[cfg(test)]
mod tests {
    use super::*;

    const MUCH: Room = Room { target: Bytes(1 << 30), memory: Bytes(1 << 40) };

    fn chosen(goal: TuneGoal, set: impl FnOnce(&mut CaseOptions)) -> Vec<Varies> {
        let mut options = CaseOptions::default();
        set(&mut options);
        let load = Load::of(options, goal, MUCH).expect("it makes sense");
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
            let load = Load::of(options, goal, MUCH).expect("it makes sense");
            (load.has_larger_requests(64 << 10), load.has_more_in_flight(32))
        };
        let given = |text: &str| Some(text.to_owned());
        assert_eq!(of(TuneGoal::Throughput, &|_| ()), (true, true));
        assert_eq!(of(TuneGoal::Iops, &|_| ()), (false, true));
        assert_eq!(of(TuneGoal::Latency, &|_| ()), (false, false));
        let random = of(TuneGoal::Throughput, &|options| options.pattern = given("random"));
        assert_eq!(random, (false, true), "4 KiB without a word of it");
        let open = of(TuneGoal::Throughput, &|options| options.rate = given("100/s"));
        assert_eq!(open, (true, false), "a stream of depth 8");
        let cached = of(TuneGoal::Latency, &|options| options.cache = given("buffered"));
        assert_eq!(cached, (true, true), "the kernel makes requests of its own");
    }

    fn levels(room: Room) -> [String; 4] {
        let options = CaseOptions::default();
        let load = Load::of(options, TuneGoal::Throughput, room).expect("it makes sense");
        let of = |varies| load.factors.iter().find(|factor| factor.varies == varies);
        let levels = |varies| of(varies).map_or(String::new(), |one| one.levels.join(" "));
        let block = load.options.block.clone().unwrap_or_default();
        [
            levels(Varies::Block).replace('"', ""),
            levels(Varies::Depth),
            levels(Varies::Streams),
            block,
        ]
    }

    #[test]
    fn levels_for_which_a_target_has_no_room_are_left_out() {
        let of = |target| levels(Room { target: Bytes(target), ..MUCH });
        let blocks = "64 KiB 256 KiB 1 MiB";
        assert_eq!(of(16 << 20), [blocks, "2 8 32", "1 4 16", ""]);
        assert_eq!(of(1 << 20), [blocks, "2 8 32", "", ""], "today's block is among them");
        assert_eq!(of(128 << 10), ["", "2 8 32", "", "64 KiB"]);
    }

    /// 4 MiB, 32 deep, 16 streams are 2 GiB.
    #[test]
    fn levels_for_which_there_is_no_memory_are_left_out() {
        let of = |memory| levels(Room { memory: Bytes(memory), ..MUCH });
        let blocks = "64 KiB 256 KiB 1 MiB 4 MiB";
        assert_eq!(of(8 << 30), [blocks, "2 8 32", "1 4 16", ""]);
        assert_eq!(of(2 << 30), [blocks, "2 8 32", "1 4", ""]);
        assert_eq!(of(256 << 20), [blocks, "2 8", "", ""]);
        assert_eq!(of(1 << 20), ["64 KiB 256 KiB 1 MiB", "2 8", "", ""], "today's stay");
    }
}
