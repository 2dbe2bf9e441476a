//! What to change, from what holds a measured run back and how its devices are set up.
//!
//! Every advice is a command that can be typed, with what it gains, what it risks, what must be
//! started again and how it is undone. A gain is a number only where a law gives one: the rest says
//! what would have to be measured. Rules are a table; each looks at the limit first, because a
//! setting that holds nothing back is not worth a word. It leaves out what needs another machine or
//! another path: `iopath predict` tells which part to raise next.

mod load;
mod queue;
mod throttle;

use serde::Serialize;

use crate::judges::evidence::Limiting;
use crate::judges::observed::Observed;
use crate::usage::pass::Pass;

/// One change that is worth trying.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct Advice {
    /// Which rule gives it; told in `docs/findings.md`.
    pub rule: &'static str,
    /// What to do, in a sentence.
    pub what: String,
    /// The commands that do it, for a shell.
    pub commands: Vec<String>,
    /// What keeps the change over a restart of the machine; none where there is nothing to keep.
    pub persistent: Option<String>,
    /// What it gives.
    pub gain: String,
    /// What may be lost by it.
    pub risk: String,
    /// What must be started again for it to take effect.
    pub restart: String,
    /// The commands that take it back.
    pub undo: Vec<String>,
}

/// What rules look at.
pub(crate) struct Scene<'a> {
    pub pass: &'a Pass<'a>,
    pub observed: &'a Observed,
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
    if scene.observed.is_model {
        return Vec::new();
    }
    RULES.iter().filter_map(|rule| rule(scene)).collect()
}

impl Scene<'_> {
    /// A setting of a device below the targets, as text.
    fn setting(&self, device: &str, name: &str) -> Option<&str> {
        self.pass.fact(&format!("device.{device}.{name}"))
    }

    /// The kernel's file of a device's queue in which that setting stands.
    fn queue_file(&self, device: &str, name: &str) -> Option<String> {
        Some(format!("{}/{name}", self.setting(device, "queue")?))
    }

    /// Kernel names of the devices below the targets.
    fn devices(&self) -> impl Iterator<Item = &str> {
        let facts = self.pass.record.environment.iter();
        let below =
            facts.filter(|(key, _)| key.starts_with("target.") && key.ends_with(".devices"));
        let mut names: Vec<&str> = below.flat_map(|(_, text)| text.split_whitespace()).collect();
        names.sort_unstable();
        names.dedup();
        names.into_iter()
    }

    /// Size of a request, where all streams have the same.
    fn block(&self) -> Option<u64> {
        self.pass.fact("workload.block").and_then(bytes)
    }
}

/// Bytes of a size as facts have it, such as `64 KiB`.
fn bytes(text: &str) -> Option<u64> {
    text.parse::<iopath_units::Bytes>().ok().map(|bytes| bytes.0)
}

/// A command that writes a text into a file of the kernel.
fn write(text: &str, file: &str) -> String {
    format!("echo {text} | sudo tee {file}")
}

#[cfg(test)]
mod tests;
