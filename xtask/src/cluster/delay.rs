//! `Delay`: how long a packet between two hosts is on its way, and the process that sees to it.
//!
//! The kernels that this runs on have no `netem`. Netfilter gives each forwarded packet to a queue
//! (`iptables -j NFQUEUE`), whose reader lets it go on when it is due. Packets of one direction
//! keep their order, as on one cable. Times of this process's own scheduling come on top.

mod netlink;
mod queue;

use std::time::Duration;

use anyhow::{Context, Result, ensure};

pub(crate) use queue::begin;

/// A time, and how much more or less it may be, each value as likely as another.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Delay {
    pub mean: Duration,
    pub spread: Duration,
}

impl Delay {
    /// From `1ms` or `1ms±0.5ms`.
    pub(crate) fn parse(text: &str) -> Result<Self> {
        let (mean, spread) = text.split_once('±').unwrap_or((text, "0ms"));
        let delay = Self { mean: time(mean)?, spread: time(spread)? };
        ensure!(delay.spread <= delay.mean, "--delay {text}: less than nothing");
        Ok(delay)
    }

    /// At a place from 0 to 1 among all its values.
    pub(crate) fn at(self, share: f64) -> Duration {
        self.mean - self.spread + self.spread.mul_f64(2.0 * share)
    }
}

impl std::fmt::Display for Delay {
    fn fmt(&self, formatter: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        write!(formatter, "{:?} ± {:?}", self.mean, self.spread)
    }
}

fn time(text: &str) -> Result<Duration> {
    let units = [("ms", 1e-3), ("us", 1e-6), ("µs", 1e-6), ("s", 1.0)];
    let found = units.iter().find_map(|(unit, s)| Some((text.strip_suffix(unit)?, s)));
    let (number, s) = found.with_context(|| format!("{text}: a time as 1ms or 500us"))?;
    let number: f64 = number.trim().parse().with_context(|| format!("{text}: no number"))?;
    Duration::try_from_secs_f64(number * s).with_context(|| format!("{text}: no time"))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_delay_is_a_time_and_its_spread() {
        let delay = Delay::parse("1ms±0.5ms").unwrap();
        assert_eq!(delay.at(0.0), Duration::from_micros(500));
        assert_eq!(delay.at(0.5), Duration::from_millis(1));
        assert_eq!(delay.at(1.0), Duration::from_micros(1500));
        assert_eq!(Delay::parse("200us").unwrap().spread, Duration::ZERO);
    }

    #[test]
    fn no_packet_arrives_before_it_is_sent() {
        assert!(Delay::parse("1ms±2ms").is_err());
        assert!(Delay::parse("1").is_err());
        assert!(Delay::parse("-1ms").is_err());
    }
}
