//! The six figures that stand for a distribution of latencies.

use iopath_record::Histogram;
use serde::Serialize;

/// Mean, percentiles and maximum; all none where nothing completed.
#[derive(Clone, Copy, Debug, Default, PartialEq, Serialize)]
pub struct LatencySummary {
    /// Exact mean.
    pub mean: Option<f64>,
    /// Half took no longer; within 0.8 %, like all percentiles.
    pub p50: Option<u64>,
    /// 90 % took no longer.
    pub p90: Option<u64>,
    /// 99 % took no longer.
    pub p99: Option<u64>,
    /// 99.9 % took no longer.
    pub p999: Option<u64>,
    /// Exact maximum.
    pub max: Option<u64>,
}

impl LatencySummary {
    /// Of a histogram.
    #[must_use]
    pub fn of(histogram: &Histogram) -> Self {
        let quantile = |q| histogram.quantile_ns(q);
        Self {
            mean: histogram.mean_ns(),
            p50: quantile(0.5),
            p90: quantile(0.9),
            p99: quantile(0.99),
            p999: quantile(0.999),
            max: (histogram.count() > 0).then_some(histogram.max_ns),
        }
    }
}
