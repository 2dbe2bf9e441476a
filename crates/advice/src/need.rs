//! What a build must carry, as it is asked for: `read=18GB/s,write=14GB/s`, `iops=150k@30ms`,
//! `streams=64x25MB/s`, and hold: `capacity=100TB`; and what a prediction offers of it.
//!
//! Requests within a mean response time are those at the load at which the predicted one reaches
//! it, on the line between two points of its curve. No bound knows percentiles: bounds say whether
//! the requests can be carried at all, and a simulation how long they take.

mod busy;
mod text;

use iopath_analysis::find_max::{LatencyLimit, Metric};
use iopath_analysis::prediction::{LoadPoint, Prediction};
use iopath_analysis::thresholds::reports::WANTED_RATE_SHARE;
use iopath_record::Fact;
use iopath_units::{ByteRate, Bytes, Human, Nanos, OperationRate, Ratio, System};
use serde::Serialize;

pub use busy::Requests;

/// What is needed of all streams together, and of each.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Needs {
    read: Option<ByteRate>,
    write: Option<ByteRate>,
    throughput: Option<ByteRate>,
    iops: Option<OperationRate>,
    /// The response within which requests count.
    within: Option<LatencyLimit>,
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
    /// The percentile of the response that is limited, in ns; none where only bounds are known.
    percentile_ns: Option<f64>,
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
    /// Unit of both numbers.
    pub unit: Unit,
    /// What is needed as a number.
    pub needed_number: f64,
    /// What there is as a number.
    pub offered_number: f64,
    /// The offered as a share of what is needed; of a response time the other way round.
    pub share: f64,
    /// Whether a component limits it: not what is held, nor how long a request takes.
    #[serde(skip)]
    pub has_bottleneck: bool,
}

/// Unit of a need.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize)]
pub enum Unit {
    /// Bytes per second.
    #[serde(rename = "B/s")]
    BytesPerSec,
    /// Requests per second.
    #[serde(rename = "/s")]
    PerSec,
    /// Streams.
    #[serde(rename = "streams")]
    Streams,
    /// Bytes that are held.
    #[serde(rename = "B")]
    Bytes,
    /// A response time.
    #[serde(rename = "ns")]
    Nanos,
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

    /// The figure of the response that only a simulation knows, where one is limited.
    #[must_use]
    pub fn percentile(self) -> Option<Metric> {
        self.within.map(|limit| limit.metric).filter(|metric| *metric != Metric::Mean)
    }

    /// A response by the figure that only a simulation knows.
    #[must_use]
    pub fn responding(self, percentile_ns: f64) -> Option<Compared> {
        self.percentile()?;
        self.within.map(|limit| Compared::to(limit, percentile_ns))
    }

    /// Requests a second.
    #[must_use]
    pub fn iops(self) -> Option<OperationRate> {
        self.iops
    }

    fn items(&self, offered: &Offered<'_>) -> Vec<Item> {
        let all = offered.prediction;
        let bytes = |name: &str, needed: Option<ByteRate>, there: f64| {
            let compared = Compared::of(name, needed?.0 as f64, there, Unit::BytesPerSec);
            Some(Item { compared, enough: offered.enough })
        };
        let mut items: Vec<Item> = Vec::new();
        items.extend(bytes("read", self.read, all.read_bytes_per_sec));
        items.extend(bytes("write", self.write, all.write_bytes_per_sec));
        items.extend(bytes("throughput", self.throughput, all.throughput_bytes_per_sec));
        if let Some(needed) = self.iops {
            items.extend(offered.requests(needed.per_sec(), *self));
        }
        if let Some(Streams { count, each }) = self.streams {
            let (count, there) = (count as f64, offered.streams() as f64);
            let compared = Compared::of("streams", count, there, Unit::Streams);
            items.push(Item { compared, enough: ENOUGH });
            items.extend(bytes("each stream", Some(each), offered.slowest_stream()));
        }
        if let Some(needed) = self.capacity {
            let there = offered.usable.map_or(0.0, |usable| usable.0 as f64);
            let compared = Compared::of(CAPACITY, needed.0 as f64, there, Unit::Bytes);
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
    fn of(of: &str, needed: f64, offered: f64, unit: Unit) -> Self {
        Self {
            of: of.to_owned(),
            needed: unit.show(needed),
            offered: unit.show(offered),
            unit,
            needed_number: needed,
            offered_number: offered,
            share: offered / needed,
            has_bottleneck: unit != Unit::Bytes,
        }
    }

    /// Whether it is what volumes hold: no load changes that.
    #[must_use]
    pub fn is_held(&self) -> bool {
        self.unit == Unit::Bytes
    }

    /// A response and its limit.
    fn to(limit: LatencyLimit, response_ns: f64) -> Self {
        let within_ns = limit.within_ns as f64;
        Self {
            needed: Nanos(limit.within_ns).to_string(),
            share: if response_ns > 0.0 { within_ns / response_ns } else { 1.0 },
            has_bottleneck: false,
            ..Self::of(
                &format!("{} response", limit.metric.name()),
                within_ns,
                response_ns,
                Unit::Nanos,
            )
        }
    }
}

impl Unit {
    fn show(self, number: f64) -> String {
        let whole = number.round() as u64;
        match self {
            Self::BytesPerSec => ByteRate(whole).human(System::Decimal),
            Self::PerSec => OperationRate((number * 1e3).round() as u64).human(System::Decimal),
            Self::Streams => whole.to_string(),
            Self::Bytes => Bytes(whole).human(System::Decimal),
            Self::Nanos => Nanos(whole).human(System::Decimal),
        }
    }
}

impl<'a> Offered<'a> {
    /// What is predicted.
    #[must_use]
    pub fn of(prediction: &'a Prediction) -> Self {
        Self { prediction, usable: usable(prediction), enough: ENOUGH, percentile_ns: None }
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

    /// The same with the percentile that [`Needs::percentile`] asks for.
    #[must_use]
    pub fn responding(self, percentile_ns: Option<f64>) -> Self {
        Self { percentile_ns, ..self }
    }

    /// Requests a second, where a limit is given within this response. Without a curve the response
    /// is that of the load that there was, and is compared by itself; so is that of the lightest
    /// load where even this is beyond the limit.
    fn requests(&self, needed: f64, needs: Needs) -> Vec<Item> {
        let all = self.prediction.operations_per_sec;
        let rate = |of: &str, there: f64| Item {
            compared: Compared::of(of, needed, there, Unit::PerSec),
            enough: self.enough,
        };
        let Some(limit) = needs.within else { return vec![rate("iops", all)] };
        let is_mean = limit.metric == Metric::Mean;
        let curve = &self.prediction.curve;
        if let Some(within) = within(curve, limit).filter(|_| is_mean) {
            let of = format!("iops within {}", Nanos(limit.within_ns));
            return vec![rate(&of, within)];
        }
        let response = match (is_mean, curve.first()) {
            // Where the lightest load is beyond the limit, more of anything may not help.
            (true, Some(lightest)) => {
                let of = format!("mean response at {:.0} % of the load", lightest.load * 100.0);
                Some(Compared { of, ..Compared::to(limit, lightest.response_ns) })
            }
            (true, None) => {
                Some(Compared::to(limit, self.prediction.response_ns.unwrap_or_default()))
            }
            (false, _) => self.percentile_ns.and_then(|ns| needs.responding(ns)),
        };
        let response = response.map(|compared| Item { compared, enough: ENOUGH });
        std::iter::once(rate("iops", all)).chain(response).collect()
    }

    fn streams(&self) -> u64 {
        self.prediction.shares.iter().map(|group| group.streams).sum()
    }

    fn slowest_stream(&self) -> f64 {
        let least = self.prediction.shares.iter().map(|group| group.of_stream_bytes_per_sec.min);
        least.reduce(f64::min).unwrap_or_default()
    }
}

/// The requests per second at which the response reaches a limit; none where it is beyond it from
/// the first point of the curve on.
fn within(curve: &[LoadPoint], limit: LatencyLimit) -> Option<f64> {
    let limit = limit.within_ns as f64;
    let Some(beyond) = curve.iter().position(|point| point.response_ns > limit) else {
        return curve.last().map(|last| last.operations_per_sec);
    };
    let before = curve[beyond.checked_sub(1)?];
    let rise = curve[beyond].response_ns - before.response_ns;
    let more = curve[beyond].operations_per_sec - before.operations_per_sec;
    Some(before.operations_per_sec + more * (limit - before.response_ns) / rise)
}

/// What the volumes, LUNs and drives of a predicted case hold.
#[must_use]
pub fn usable(prediction: &Prediction) -> Option<Bytes> {
    Fact::UsableBytes.of(&prediction.facts)?.parse().ok().map(Bytes)
}

#[cfg(test)]
mod tests;
