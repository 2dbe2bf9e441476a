//! What a build must carry, as it is asked for: `read=18GB/s,write=14GB/s`, `iops=150k@30ms`,
//! `streams=64x25MB/s`, and hold: `capacity=100TB`; and what a prediction offers of it.
//!
//! Requests within a response time are those at the load at which the predicted mean response
//! reaches it, on the line between two points of its curve. Left out: percentiles, which no bound
//! knows.

use std::fmt;
use std::str::FromStr;

use iopath_analysis::prediction::{LoadPoint, Prediction};
use iopath_analysis::thresholds::reports::WANTED_RATE_SHARE;
use iopath_record::Fact;
use iopath_units::{ByteRate, Bytes, Human, Nanos, OperationRate, Ratio, System};
use serde::Serialize;

/// What is needed of all streams together, and of each.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Needs {
    read: Option<ByteRate>,
    write: Option<ByteRate>,
    throughput: Option<ByteRate>,
    iops: Option<OperationRate>,
    /// The mean response within which requests count.
    within: Option<Nanos>,
    streams: Option<Streams>,
    /// Bytes that volumes, LUNs and drives hold, copies and parity left out.
    capacity: Option<Bytes>,
}

/// How many streams, and how much each gets at least.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
struct Streams {
    count: u64,
    each: ByteRate,
}

/// What a build offers, as predicted.
#[derive(Clone, Debug, PartialEq)]
pub struct Offered<'a> {
    prediction: &'a Prediction,
    /// What it holds; none where no size is stated.
    usable: Option<Bytes>,
    /// From this share on there is enough.
    enough: f64,
}

/// One thing that is needed, and what a build offers of it.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct Compared {
    /// What: `read`, `iops within 30 ms`.
    pub of: String,
    /// How much of it is needed.
    pub needed: String,
    /// How much there is.
    pub offered: String,
    /// The offered as a share of what is needed; of a response time the other way round.
    pub share: f64,
}

/// How a build does.
#[derive(Clone, Debug, PartialEq)]
pub struct Judged {
    /// Everything that is needed.
    pub offers: Vec<Compared>,
    /// What there is too little of; empty where the build does.
    pub short: Vec<Compared>,
    /// The least share: 1.2 is a fifth more than needed.
    pub share: f64,
}

/// A share above this is enough: bounds are whole bytes and thousandths of requests per second.
const ENOUGH: f64 = 1.0 - 1e-6;

/// What is held, not carried.
const CAPACITY: &str = "capacity";

/// No more than this is left to chance, however few requests arrived (chosen).
const MOST_CHANCE: f64 = 0.05;

impl Needs {
    /// What streams with a rate of their own ask for.
    #[must_use]
    pub fn of_rates(iops: Option<f64>, throughput: Option<f64>) -> Option<Self> {
        let iops = iops.map(|rate| OperationRate((rate * 1e3).round() as u64));
        let throughput = throughput.map(|rate| ByteRate(rate.round() as u64));
        let needs = Self { iops, throughput, ..Self::default() };
        (needs != Self::default()).then_some(needs)
    }

    /// So much more of everything.
    #[must_use]
    pub fn with_headroom(self, headroom: Ratio) -> Self {
        let more = |number: u64| {
            let all = u128::from(number) * (1_000_000 + u128::from(headroom.0));
            u64::try_from(all.div_ceil(1_000_000)).unwrap_or(u64::MAX)
        };
        let bytes = |rate: Option<ByteRate>| rate.map(|rate| ByteRate(more(rate.0)));
        let each = |streams: Streams| Streams { each: ByteRate(more(streams.each.0)), ..streams };
        Self {
            read: bytes(self.read),
            write: bytes(self.write),
            throughput: bytes(self.throughput),
            iops: self.iops.map(|rate| OperationRate(more(rate.0))),
            within: self.within,
            streams: self.streams.map(each),
            capacity: self.capacity.map(|bytes| Bytes(more(bytes.0))),
        }
    }

    /// Everything that is needed with what is offered of it.
    #[must_use]
    pub fn judge(&self, offered: &Offered<'_>) -> Judged {
        let items = self.items(offered);
        let is_short = |item: &&Item| item.compared.share < item.enough;
        let short = items.iter().filter(is_short).map(|item| item.compared.clone()).collect();
        let offers: Vec<Compared> = items.into_iter().map(|item| item.compared).collect();
        let share = offers.iter().map(|one| one.share).fold(f64::INFINITY, f64::min);
        Judged { offers, short, share }
    }

    /// Requests a second, with their response time and the capacity, which no load changes; none
    /// where they are not needed.
    #[must_use]
    pub fn requests_alone(self) -> Option<Self> {
        self.iops?;
        let Self { iops, within, capacity, .. } = self;
        Some(Self { iops, within, capacity, ..Self::default() })
    }

    /// What [`Self::requests_alone`] leaves; none where nothing else is needed.
    #[must_use]
    pub fn all_but_requests(self) -> Option<Self> {
        let capacity = self.capacity.filter(|_| self.iops.is_none());
        let rest = Self { iops: None, within: None, capacity, ..self };
        (rest != Self::default()).then_some(rest)
    }

    /// All that a load asks for: what is left after a failure holds as much as before.
    #[must_use]
    pub fn of_load(self) -> Self {
        Self { capacity: None, ..self }
    }

    /// Bytes to hold.
    #[must_use]
    pub fn capacity(self) -> Option<Bytes> {
        self.capacity
    }

    /// Bytes that all streams together move at least, where each of several must get so much.
    #[must_use]
    pub fn of_all_streams(self) -> Option<f64> {
        self.streams.map(|Streams { count, each }| count as f64 * each.0 as f64)
    }

    /// Requests a second.
    #[must_use]
    pub fn iops(self) -> Option<OperationRate> {
        self.iops
    }

    fn items(&self, offered: &Offered<'_>) -> Vec<Item> {
        let all = offered.prediction;
        let bytes = |name: &str, needed: Option<ByteRate>, there: f64| {
            let compared = Compared::of(name, needed?.0 as f64, there, show_bytes);
            Some(Item { compared, enough: offered.enough })
        };
        let mut items: Vec<Item> = Vec::new();
        items.extend(bytes("read", self.read, all.read_bytes_per_sec));
        items.extend(bytes("write", self.write, all.write_bytes_per_sec));
        items.extend(bytes("throughput", self.throughput, all.throughput_bytes_per_sec));
        if let Some(needed) = self.iops {
            items.extend(offered.requests(needed.per_sec(), self.within));
        }
        if let Some(Streams { count, each }) = self.streams {
            let (count, there) = (count as f64, offered.streams() as f64);
            let compared = Compared::of("streams", count, there, |count| format!("{count:.0}"));
            items.push(Item { compared, enough: ENOUGH });
            items.extend(bytes("each stream", Some(each), offered.slowest_stream()));
        }
        if let Some(needed) = self.capacity {
            let there = offered.usable.map_or(0.0, |usable| usable.0 as f64);
            let compared = Compared::of(CAPACITY, needed.0 as f64, there, show_capacity);
            items.push(Item { compared, enough: ENOUGH });
        }
        items
    }
}

/// One thing that is needed, and from which share on there is enough of it.
struct Item {
    compared: Compared,
    enough: f64,
}

impl Compared {
    /// Whether a load asks for it, so that something may be its bottleneck.
    #[must_use]
    pub fn is_of_load(&self) -> bool {
        self.of != CAPACITY
    }

    fn of(of: &str, needed: f64, offered: f64, show: fn(f64) -> String) -> Self {
        let share = offered / needed;
        Self { of: of.to_owned(), needed: show(needed), offered: show(offered), share }
    }
}

impl<'a> Offered<'a> {
    /// What is predicted.
    #[must_use]
    pub fn of(prediction: &'a Prediction) -> Self {
        Self { prediction, usable: usable(prediction), enough: ENOUGH }
    }

    /// What came of requests at random times at the rate that is needed: as many as are within
    /// three standard deviations of their number, or within what counts as a rate that is reached.
    #[must_use]
    pub fn at_random(prediction: &'a Prediction, requests: f64) -> Self {
        let chance = (3.0 / requests.max(1.0).sqrt()).min(MOST_CHANCE);
        let enough = 1.0 - chance.max(1.0 - WANTED_RATE_SHARE);
        Self { enough, ..Self::of(prediction) }
    }

    /// The same holding what bounds say: a simulation does not know.
    #[must_use]
    pub fn holding(self, bounds: &Prediction) -> Self {
        Self { usable: usable(bounds), ..self }
    }

    /// Requests a second, where a limit is given within this mean response. Without a curve the
    /// response is that of the load that there was, and is compared by itself.
    fn requests(&self, needed: f64, limit: Option<Nanos>) -> Vec<Item> {
        let all = self.prediction.operations_per_sec;
        let rate = |of: &str, there: f64| Item {
            compared: Compared::of(of, needed, there, show_operations),
            enough: self.enough,
        };
        let Some(limit) = limit else { return vec![rate("iops", all)] };
        if let Some(within) = within(&self.prediction.curve, limit) {
            return vec![rate(&format!("iops within {limit}"), within)];
        }
        let response = self.prediction.response_ns.unwrap_or_default();
        let compared = Compared {
            of: "mean response".to_owned(),
            needed: limit.to_string(),
            offered: Nanos(response.round() as u64).human(System::Decimal),
            share: if response > 0.0 { limit.0 as f64 / response } else { 1.0 },
        };
        vec![rate("iops", all), Item { compared, enough: ENOUGH }]
    }

    fn streams(&self) -> u64 {
        self.prediction.shares.iter().map(|group| group.streams).sum()
    }

    fn slowest_stream(&self) -> f64 {
        let least = self.prediction.shares.iter().map(|group| group.of_stream_bytes_per_sec.min);
        least.reduce(f64::min).unwrap_or_default()
    }
}

/// The requests per second at which the response reaches a limit; none without a curve.
fn within(curve: &[LoadPoint], limit: Nanos) -> Option<f64> {
    let limit = limit.0 as f64;
    let last = curve.last()?;
    let Some(beyond) = curve.iter().position(|point| point.response_ns > limit) else {
        return Some(last.operations_per_sec);
    };
    let Some(before) = beyond.checked_sub(1).map(|at| curve[at]) else { return Some(0.0) };
    let rise = curve[beyond].response_ns - before.response_ns;
    let more = curve[beyond].operations_per_sec - before.operations_per_sec;
    Some(before.operations_per_sec + more * (limit - before.response_ns) / rise)
}

/// What the volumes, LUNs and drives of a predicted case hold.
#[must_use]
pub fn usable(prediction: &Prediction) -> Option<Bytes> {
    Fact::UsableBytes.of(&prediction.facts)?.parse().ok().map(Bytes)
}

fn show_capacity(bytes: f64) -> String {
    Bytes(bytes.round() as u64).human(System::Decimal)
}

fn show_bytes(rate: f64) -> String {
    ByteRate(rate.round() as u64).human(System::Decimal)
}

fn show_operations(rate: f64) -> String {
    OperationRate((rate * 1e3).round() as u64).human(System::Decimal)
}

impl fmt::Display for Needs {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let bytes = |name: &str, rate: Option<ByteRate>| {
            rate.map(|rate| format!("{name} {}", show_bytes(rate.0 as f64)))
        };
        let within = self.within.map_or(String::new(), |limit| format!(" within {limit}"));
        let iops = self.iops.map(|rate| format!("{}{within}", show_operations(rate.per_sec())));
        let streams = self.streams.map(|Streams { count, each }| {
            format!("{count} streams of {}", show_bytes(each.0 as f64))
        });
        let capacity =
            self.capacity.map(|bytes| format!("capacity {}", show_capacity(bytes.0 as f64)));
        let all = [
            bytes("read", self.read),
            bytes("write", self.write),
            bytes("throughput", self.throughput),
            iops,
            streams,
            capacity,
        ];
        f.write_str(&all.into_iter().flatten().collect::<Vec<_>>().join(", "))
    }
}

impl FromStr for Needs {
    type Err = String;

    fn from_str(text: &str) -> Result<Self, String> {
        let mut needs = Self::default();
        for part in text.split(',') {
            let (name, value) = part
                .split_once('=')
                .ok_or_else(|| format!("\"{part}\" has no =; write {EXAMPLES}"))?;
            needs.set(name.trim(), value.trim())?;
        }
        Ok(needs)
    }
}

/// A run is taken by who has the runs.
const EXAMPLES: &str = "read=18GB/s, write=14GB/s, throughput=2GB/s, iops=150k, iops=150k@30ms, \
                        streams=64x25MB/s, capacity=100TB or run=12";

impl Needs {
    fn set(&mut self, name: &str, value: &str) -> Result<(), String> {
        let is_twice = match name {
            "read" => self.read.replace(bytes(value)?).is_some(),
            "write" => self.write.replace(bytes(value)?).is_some(),
            "throughput" => self.throughput.replace(bytes(value)?).is_some(),
            "iops" => {
                let (rate, within) = match value.split_once('@') {
                    Some((rate, within)) => (rate, Some(time(within)?)),
                    None => (value, None),
                };
                self.within = within;
                self.iops.replace(operations(rate)?).is_some()
            }
            "streams" => self.streams.replace(streams(value)?).is_some(),
            "capacity" => self.capacity.replace(capacity(value)?).is_some(),
            _ => return Err(format!("\"{name}\" is nothing that can be needed; write {EXAMPLES}")),
        };
        if is_twice { Err(format!("\"{name}\" is given twice")) } else { Ok(()) }
    }
}

fn bytes(text: &str) -> Result<ByteRate, String> {
    let rate: ByteRate = text.parse().map_err(|error| format!("{error}"))?;
    positive(rate.0, text).map(|()| rate)
}

fn capacity(text: &str) -> Result<Bytes, String> {
    let bytes: Bytes = text.parse().map_err(|error| format!("{error}"))?;
    positive(bytes.0, text).map(|()| bytes)
}

fn time(text: &str) -> Result<Nanos, String> {
    let time: Nanos = text.parse().map_err(|error| format!("{error}"))?;
    positive(time.0, text).map(|()| time)
}

/// `150k`, `150000`, `150 k/s`.
fn operations(text: &str) -> Result<OperationRate, String> {
    let text = text.trim();
    let is_bare = text.ends_with(|last: char| last.is_ascii_digit() || "kM".contains(last));
    let whole = if is_bare { format!("{text}/s") } else { text.to_owned() };
    let rate: OperationRate = whole.parse().map_err(|error| format!("{error}"))?;
    positive(rate.0, text).map(|()| rate)
}

/// `64x25MB/s`.
fn streams(text: &str) -> Result<Streams, String> {
    let wrong = || format!("\"{text}\" is no number of streams and their rate, such as 64x25MB/s");
    let (count, each) = text.split_once('x').ok_or_else(wrong)?;
    let count: u64 = count.trim().parse().map_err(|_| wrong())?;
    positive(count, text)?;
    Ok(Streams { count, each: bytes(each)? })
}

fn positive(number: u64, text: &str) -> Result<(), String> {
    match number {
        0 => Err(format!("\"{text}\" must be above zero, as in {EXAMPLES}")),
        _ => Ok(()),
    }
}

#[cfg(test)]
mod tests;
