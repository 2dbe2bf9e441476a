//! A limit of response time: which figure of all requests must not exceed how much.

use std::fmt;
use std::str::FromStr;

use iopath_record::Histogram;
use iopath_units::{Nanos, UnitError};
use serde::{Serialize, Serializer};
use strum::{EnumString, IntoStaticStr, VariantNames};
use thiserror::Error;

/// A figure of a distribution of response times.
#[derive(Clone, Copy, Debug, PartialEq, Eq, EnumString, IntoStaticStr, VariantNames)]
#[strum(serialize_all = "lowercase")]
pub enum Metric {
    /// The mean.
    Mean,
    /// Half of the requests take no longer; percentiles are known within 0.8 %.
    P50,
    /// 90 % of the requests take no longer.
    P90,
    /// 95 % of the requests take no longer.
    P95,
    /// 99 % of the requests take no longer.
    P99,
    /// 99.9 % of the requests take no longer.
    #[strum(serialize = "p99.9")]
    P999,
    /// The slowest request.
    Max,
}

impl Metric {
    /// Its word: "p99.9".
    #[must_use]
    pub fn name(self) -> &'static str {
        self.into()
    }

    /// What it is of a distribution, in ns; none where nothing completed.
    #[must_use]
    pub fn of(self, histogram: &Histogram) -> Option<f64> {
        let quantile = |q| histogram.quantile_ns(q).map(|ns| ns as f64);
        match self {
            Self::Mean => histogram.mean_ns(),
            Self::P50 => quantile(0.5),
            Self::P90 => quantile(0.9),
            Self::P95 => quantile(0.95),
            Self::P99 => quantile(0.99),
            Self::P999 => quantile(0.999),
            Self::Max => (histogram.count() > 0).then_some(histogram.max_ns as f64),
        }
    }
}

impl Serialize for Metric {
    fn serialize<S: Serializer>(&self, to: S) -> Result<S::Ok, S::Error> {
        to.serialize_str(self.name())
    }
}

/// A figure and how much it may be.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize)]
pub struct LatencyLimit {
    /// Which figure.
    pub metric: Metric,
    /// How much it may be.
    pub within_ns: u64,
}

/// The words of all figures.
const WORDS: &[&str] = Metric::VARIANTS;

/// A text that is no such limit.
#[derive(Clone, Debug, PartialEq, Eq, Error)]
pub enum NoLatency {
    /// No such figure.
    #[error("no figure of response time is \"{name}\"; use {}, as in p99=2ms", WORDS.join(", "))]
    Metric {
        /// What was given.
        name: String,
    },
    /// No time.
    #[error("{0}")]
    Time(#[from] UnitError),
    /// No request takes no time.
    #[error("a response time within 0 is never reached")]
    Zero,
}

impl FromStr for LatencyLimit {
    type Err = NoLatency;

    /// `p99=2ms`; a time alone is that of the 99th percentile.
    fn from_str(text: &str) -> Result<Self, NoLatency> {
        let (metric, time) = match text.split_once('=') {
            Some((name, time)) => {
                let name = name.trim();
                (name.parse().map_err(|_| NoLatency::Metric { name: name.to_owned() })?, time)
            }
            None => (Metric::P99, text),
        };
        let within = time.trim().parse::<Nanos>()?;
        if within.0 == 0 {
            return Err(NoLatency::Zero);
        }
        Ok(Self { metric, within_ns: within.0 })
    }
}

impl fmt::Display for LatencyLimit {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}={}", self.metric.name(), Nanos(self.within_ns))
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::sample::equal;

    #[test]
    fn a_limit_is_a_figure_and_a_time() {
        let limit = |metric, within_ns| Ok(LatencyLimit { metric, within_ns });
        for (text, expected) in [
            ("p99=2ms", limit(Metric::P99, 2_000_000)),
            ("mean = 30 ms", limit(Metric::Mean, 30_000_000)),
            ("p99.9=1.5s", limit(Metric::P999, 1_500_000_000)),
            ("max=10us", limit(Metric::Max, 10_000)),
            ("2ms", limit(Metric::P99, 2_000_000)),
            ("p98=2ms", Err(NoLatency::Metric { name: "p98".to_owned() })),
            ("p99=0ms", Err(NoLatency::Zero)),
        ] {
            assert_eq!(text.parse(), expected, "{text}");
        }
        assert!("p99=fast".parse::<LatencyLimit>().is_err());
        let told = "p98=2ms".parse::<LatencyLimit>().unwrap_err().to_string();
        assert!(told.contains("mean, p50, p90, p95, p99, p99.9, max"), "{told}");
    }

    #[test]
    fn a_limit_reads_what_it_prints() {
        for text in ["p99=2 ms", "mean=30 ms", "p99.9=1500 ms", "max=10 us"] {
            let limit: LatencyLimit = text.parse().unwrap();
            assert_eq!(limit.to_string().parse(), Ok(limit), "{text}");
        }
    }

    #[test]
    fn figures_are_those_of_the_distribution() {
        let mut histogram = equal(1_000, 985);
        histogram.merge(&equal(50_000, 15));
        let near = |metric: Metric, expected: f64| {
            let found = metric.of(&histogram).unwrap();
            assert!((found / expected - 1.0).abs() < 0.01, "{metric:?} {found}");
        };
        near(Metric::Mean, 1_735.0);
        [Metric::P50, Metric::P90, Metric::P95].into_iter().for_each(|one| near(one, 1_000.0));
        [Metric::P99, Metric::P999, Metric::Max].into_iter().for_each(|one| near(one, 50_000.0));
        assert_eq!(Metric::Max.of(&Histogram::default()), None);
    }
}
