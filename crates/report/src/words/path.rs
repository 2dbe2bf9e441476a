//! What is said of the boxes of a path, in its picture and in its table.

use iopath_analysis::picture::{BoxName, MeanRange, Member, PathBox, Picture, Tier};
use iopath_analysis::prediction::{LimitFinding, LimitUse};
use iopath_analysis::thresholds::limits::FULL_SHARE;
use iopath_record::Layer;
use iopath_units::System;

use crate::numbers::{UNKNOWN, maybe_time, operations, rate, time};
use crate::words::prediction as limits;

/// Words with the prefixes of one system.
#[derive(Clone, Copy)]
pub(crate) struct Words {
    pub system: System,
}

/// What stands side by side: kinds, or where there are many their layer.
pub(crate) fn tier_title(picture: &Picture, tier: &Tier) -> String {
    if tier.is_beside {
        return "alongside".to_owned();
    }
    let boxes = || tier.boxes.iter().map(|at| &picture.boxes[*at]);
    let mut kinds: Vec<&str> = boxes().map(|one| one.kind.as_str()).collect();
    kinds.sort_unstable();
    kinds.dedup();
    match (kinds.as_slice(), boxes().next()) {
        ([one], _) => (*one).to_owned(),
        ([one, other], _) => format!("{one}, {other}"),
        (_, Some(first)) => layer(first.layer).to_owned(),
        (_, None) => String::new(),
    }
}

fn layer(layer: Layer) -> &'static str {
    match layer {
        Layer::Application => "application",
        Layer::FileSystem => "file system",
        Layer::Volume => "volume",
        Layer::Lun => "logical unit",
        Layer::Device => "device",
        Layer::Port => "port",
        Layer::Switch => "switch",
        Layer::Adapter => "adapter",
        Layer::Bus => "bus",
        Layer::Memory => "memory",
        Layer::Processor => "processor",
        Layer::Generator => "generator",
    }
}

/// What a box is called.
pub(crate) fn name(one: &PathBox) -> String {
    match &one.name {
        BoxName::Named(name) => name.clone(),
        BoxName::Between { first, last } => format!("{first} … {last}"),
        BoxName::From(first) => format!("{first} …"),
        BoxName::Others => format!("{} others", one.count),
    }
}

/// "×6", and before it the kind where the tier does not say it.
pub(crate) fn short_kind(one: &PathBox, tier: &str) -> String {
    match one.count {
        1 if one.kind == tier => String::new(),
        count if one.kind == tier => format!("×{count}"),
        _ => kind(one),
    }
}

/// "hba ×6".
pub(crate) fn kind(one: &PathBox) -> String {
    match one.count {
        1 => one.kind.clone(),
        count => format!("{} ×{count}", one.kind),
    }
}

/// "97.0 %", "40 to 60 %", "full 99.1 %", "busy 12.0 %"; empty where nobody counted.
pub(crate) fn share(one: &PathBox) -> String {
    let Some(MeanRange { least, most, .. }) = one.utilisation else { return String::new() };
    let percent = |share: f64| format!("{:.*}", usize::from(share < 0.9995), share * 100.0);
    let text = match (percent(least), percent(most)) {
        (least, most) if least == most => format!("{most} %"),
        (least, most) => format!("{least}–{most} %"),
    };
    match (one.is_of_time, most >= FULL_SHARE) {
        (true, _) => format!("busy {text}"),
        (false, true) => format!("full {text}"),
        (false, false) => text,
    }
}

/// What is said of ports that count each byte twice.
const COUNTED: &str = "each byte in and out; half of it passes";

impl Words {
    pub(crate) fn rate(self, bytes_per_sec: f64) -> String {
        rate(bytes_per_sec, self.system)
    }

    /// What all of a tier carry, and how many did nothing.
    pub(crate) fn tier_notes(self, picture: &Picture, tier: &Tier) -> Vec<String> {
        let known = tier.boxes.iter().filter_map(|at| picture.boxes[*at].bytes_per_sec);
        let total = known.reduce(|sum, one| sum + one).filter(|_| !tier.is_beside);
        let total = total.map(|total| self.rate(total));
        let idle = (tier.idle > 0 && !tier.is_beside).then(|| format!("{} idle", tier.idle));
        total.into_iter().chain(idle).collect()
    }

    /// What all of a box carry together.
    pub(crate) fn carried(self, one: &PathBox) -> String {
        match (one.bytes_per_sec, one.operations_per_sec) {
            (Some(bytes), _) => self.rate(bytes),
            (None, Some(requests)) => operations(requests, self.system),
            (None, None) => String::new(),
        }
    }

    /// What stands where no share is known: requests in flight and how long each takes.
    pub(crate) fn waiting(self, one: &PathBox) -> String {
        let held = one.in_flight_mean.map(|mean| format!("{} in flight", in_flight(mean)));
        let time = one.time_ns.map(|range| time(range.mean, self.system));
        held.into_iter().chain(time).collect::<Vec<_>>().join(", ")
    }

    /// Everything known of a box.
    pub(crate) fn details(self, one: &PathBox) -> Vec<(&'static str, String)> {
        let mut all = vec![("what", kind(one))];
        let mut say = |name, text: Option<String>| all.extend(text.map(|text| (name, text)));
        say("limit", one.is_limit.then(|| "this held the trial back".to_owned()));
        say("utilisation", Some(share(one)).filter(|text| !text.is_empty()));
        let used: Vec<String> = one.limits.iter().map(|limit| self.used(limit)).collect();
        say("used", Some(used.join("; ")).filter(|text| !text.is_empty()));
        say("each can do", Some(self.rated(one)).filter(|text| !text.is_empty()));
        let together = if one.count > 1 { "together" } else { "carries" };
        say(together, self.ways(one));
        say("counted", one.counts_twice.then(|| COUNTED.to_owned()));
        say("requests", one.operations_per_sec.map(|rate| operations(rate, self.system)));
        say("in flight", one.in_flight_mean.map(in_flight));
        say("mean time", one.time_ns.map(|time| self.times(time)));
        all
    }

    fn ways(self, one: &PathBox) -> Option<String> {
        let bytes = one.bytes_per_sec?;
        if one.counts_twice {
            return Some(self.rate(bytes));
        }
        let ways = [("read", one.read_bytes_per_sec), ("written", one.write_bytes_per_sec)];
        let ways = ways.into_iter().filter_map(|(word, rate)| Some((word, rate?)));
        let ways: Vec<_> = ways.filter(|(_, rate)| *rate > 0.0).collect();
        Some(match ways.as_slice() {
            [(word, _)] => format!("{} {word}", self.rate(bytes)),
            [] => self.rate(bytes),
            ways => {
                let each = ways.iter().map(|(word, rate)| format!("{} {word}", self.rate(*rate)));
                each.collect::<Vec<_>>().join(", ")
            }
        })
    }

    fn used(self, used: &LimitUse) -> String {
        let LimitUse { limit, used_per_sec, utilisation } = used;
        format!(
            "{} of {}: {}",
            limits::amount(limit, *used_per_sec, self.system),
            limits::allowed(limit, limit.per_sec, self.system),
            limits::percent(*utilisation)
        )
    }

    fn rated(self, one: &PathBox) -> String {
        let rated: Vec<&LimitFinding> = one.rated.iter().collect();
        if rated.is_empty() { String::new() } else { limits::rated(&rated, self.system) }
    }

    fn times(self, range: MeanRange) -> String {
        let (least, most) = (time(range.least, self.system), time(range.most, self.system));
        if least == most { most } else { format!("{least} to {most}") }
    }

    /// The cells of a member.
    pub(crate) fn member(self, one: &Member) -> [String; 7] {
        let unknown = || UNKNOWN.to_owned();
        [
            one.name.clone(),
            one.count.to_string(),
            one.utilisation.map_or_else(unknown, limits::percent),
            one.bytes_per_sec.map_or_else(unknown, |bytes| self.rate(bytes)),
            one.operations_per_sec.map_or_else(unknown, |rate| operations(rate, self.system)),
            one.in_flight_mean.map_or_else(unknown, in_flight),
            maybe_time(one.time_ns, self.system),
        ]
    }
}

fn in_flight(mean: f64) -> String {
    format!("{mean:.*}", usize::from(mean < 99.95))
}
