//! What to change, from what holds a measured run back and how its devices are set up.
//!
//! Every advice is data from which `report` makes a command that can be typed, with what it gains,
//! what it risks, what must be started again and how it is undone. A gain is a number only where a
//! law gives one: the rest says what would have to be measured. Rules are a table; each looks at
//! the limit first, because a setting that holds nothing back is not worth a word. It leaves out
//! what needs another machine or another path: `iopath predict` tells which part to raise next.

mod load;
mod queue;
mod throttle;

use strum::{IntoStaticStr, VariantNames};

use iopath_record::{Fact, TargetFact};

use crate::judges::evidence::Limiting;
use crate::judges::metrics::TrialMetrics;
use crate::usage::pass::Pass;

/// One change that is worth trying. The name of a variant is its rule in
/// `docs/findings.md`.
#[derive(Clone, Debug, PartialEq, IntoStaticStr, VariantNames)]
#[strum(serialize_all = "kebab-case")]
pub enum Advice {
    /// Nothing waits, so more in flight is faster.
    MoreInFlight {
        /// The run with another depth.
        again: Again,
        /// Requests that may be in flight now.
        slots: u64,
        /// The depth that is tried.
        depth: u64,
        /// How many times as much is in flight then.
        times: u64,
    },
    /// Each write waits for a flush of its own.
    ShareFlushes {
        /// The run with another depth.
        again: Again,
        /// The depth that is tried: how many may share a flush.
        writers: u64,
    },
    /// The figure is that of memory: the run with direct I/O.
    PastTheCache(Again),
    /// One thread is full while processors are idle.
    MoreStreams {
        /// The run with more streams.
        again: Again,
        /// How many streams there are.
        streams: usize,
        /// How many times as many are tried.
        times: u64,
        /// Processors that are idle.
        idle: f64,
    },
    /// A control group's limit was reached.
    LiftGroupLimit {
        /// The device that it is on.
        device: String,
        /// The limit.
        limit: GroupLimit,
        /// Which share of the time the device was busy; none where that was not seen.
        busy: Option<f64>,
    },
    /// Requests are split though the device takes more.
    TransferLimit {
        /// KiB of a request, `max_sectors_kb`.
        setting: Setting<u64>,
        /// KiB of the requests that are made.
        block_kib: u64,
    },
    /// More in flight than the queue has requests.
    QueueRequests {
        /// Requests of the queue, `nr_requests`.
        setting: Setting<u64>,
        /// Requests in flight.
        in_flight: f64,
    },
    /// Less is read ahead than a buffered reader needs: KiB, `read_ahead_kb`.
    Readahead(Setting<u64>),
    /// A scheduler sorts small requests for a device without arms.
    Scheduler(Setting<String>),
}

/// The command of the run with one property changed.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Again {
    /// The command.
    pub command: String,
    /// Where the property stands, as `--set` names it.
    pub paths: Vec<String>,
    /// What it is set to.
    pub value: String,
    /// Whether the load writes to its targets.
    pub is_writing: bool,
}

/// A setting of a device's queue.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Setting<T> {
    /// Kernel name of the device.
    pub device: String,
    /// Name of the setting, which is that of the kernel's attribute.
    pub name: &'static str,
    /// The kernel's file in which it stands.
    pub file: String,
    /// What it is.
    pub now: T,
    /// What is tried.
    pub next: T,
}

/// A limit that a control group sets on a device.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct GroupLimit {
    /// The kernel's file in which it stands.
    pub file: String,
    /// The device's numbers, `major:minor`.
    pub number: String,
    /// What `io.max` calls it; none in a file of its own, as version 1 has it.
    pub key: Option<&'static str>,
    /// How much it allows.
    pub per_sec: u64,
    /// Of what: `bytes`, `operations`.
    pub measure: iopath_record::Measure,
}

impl Advice {
    /// Its name in `docs/findings.md`.
    #[must_use]
    pub fn rule(&self) -> &'static str {
        self.into()
    }
}

/// What rules look at.
pub(crate) struct Scene<'a> {
    pub pass: &'a Pass<'a>,
    pub metrics: &'a TrialMetrics,
    pub limit: &'a Limiting,
}

/// A rule: nothing where it does not apply.
type Rule = fn(&Scene<'_>) -> Option<Advice>;

const RULES: [Rule; 9] = [
    load::more_in_flight,
    load::share_flushes,
    load::past_the_cache,
    load::more_streams,
    throttle::lift,
    queue::transfer_limit,
    queue::requests,
    queue::readahead,
    queue::scheduler,
];

/// Everything worth trying, what concerns the limit first. Models have nothing to set.
pub(crate) fn of(scene: &Scene<'_>) -> Vec<Advice> {
    if scene.metrics.is_model {
        return Vec::new();
    }
    RULES.iter().filter_map(|rule| rule(scene)).collect()
}

impl Scene<'_> {
    /// A setting of a device below the targets, as text.
    fn setting(&self, device: &str, name: &str) -> Option<&str> {
        self.pass.fact(Fact::Device(device, name))
    }

    /// Another value for a setting of a device's queue; none where the kernel's file is not known.
    fn change<T>(
        &self,
        device: &str,
        name: &'static str,
        [now, next]: [T; 2],
    ) -> Option<Setting<T>> {
        let file = format!("{}/{name}", self.setting(device, "queue")?);
        Some(Setting { device: device.to_owned(), name, file, now, next })
    }

    /// Kernel names of the devices below the targets.
    fn devices(&self) -> impl Iterator<Item = &str> {
        let below = TargetFact::Devices.of_each(&self.pass.record.environment);
        let mut names: Vec<&str> = below.flat_map(|(_, text)| text.split_whitespace()).collect();
        names.sort_unstable();
        names.dedup();
        names.into_iter()
    }

    /// Size of a request, where all streams have the same.
    fn block(&self) -> Option<u64> {
        self.pass.fact(Fact::Block).and_then(bytes)
    }
}

/// Bytes of a size as facts have it, such as `64 KiB`.
fn bytes(text: &str) -> Option<u64> {
    text.parse::<iopath_units::Bytes>().ok().map(|bytes| bytes.0)
}

#[cfg(test)]
mod tests;
