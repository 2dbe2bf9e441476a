//! Needs as they are typed, and as they are shown.

use std::fmt;
use std::str::FromStr;

use iopath_analysis::find_max::{LatencyLimit, Metric, NoLatency};
use iopath_units::{ByteRate, Bytes, Nanos, OperationRate};

use super::{Needs, Streams, Unit};

impl fmt::Display for Needs {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let bytes = |name: &str, rate: Option<ByteRate>| {
            rate.map(|rate| format!("{name} {}", Unit::BytesPerSec.show(rate.0 as f64)))
        };
        let within = self.within.map_or(String::new(), shown);
        let iops =
            self.iops.map(|rate| format!("iops {}{within}", Unit::PerSec.show(rate.per_sec())));
        let streams = self.streams.map(|Streams { count, each }| {
            format!("{count} streams of {}", Unit::BytesPerSec.show(each.0 as f64))
        });
        let capacity =
            self.capacity.map(|bytes| format!("capacity {}", Unit::Bytes.show(bytes.0 as f64)));
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
                        iops=150k@p95=30ms, streams=64x25MB/s, capacity=100TB or run=12";

impl Needs {
    fn set(&mut self, name: &str, value: &str) -> Result<(), String> {
        let is_twice = match name {
            "read" => self.read.replace(bytes(value)?).is_some(),
            "write" => self.write.replace(bytes(value)?).is_some(),
            "throughput" => self.throughput.replace(bytes(value)?).is_some(),
            "iops" => {
                let (rate, within) = match value.split_once('@') {
                    Some((rate, within)) => (rate, Some(limit(within)?)),
                    None => (value, None),
                };
                self.within = within;
                self.iops.replace(operations(rate)?).is_some()
            }
            "streams" => self.streams.replace(streams(value)?).is_some(),
            "capacity" => self.capacity.replace(capacity(value)?).is_some(),
            _ => return Err(format!("\"{name}\" is no need that is known; write {EXAMPLES}")),
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

/// A time alone is that of the mean, which bounds know.
fn limit(text: &str) -> Result<LatencyLimit, String> {
    if text.contains('=') {
        return text.parse().map_err(|error: NoLatency| error.to_string());
    }
    let time: Nanos = text
        .parse()
        .map_err(|error| format!("{error}; write 30ms (of the mean response) or p95=30ms"))?;
    positive(time.0, text)?;
    Ok(LatencyLimit { metric: Metric::Mean, within_ns: time.0 })
}

fn shown(limit: LatencyLimit) -> String {
    let within = Nanos(limit.within_ns);
    match limit.metric {
        Metric::Mean => format!(" within {within}"),
        metric => format!(" with {} within {within}", metric.name()),
    }
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
