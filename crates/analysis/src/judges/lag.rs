//! How far streams that read behind others were behind: the mean and the greatest of the samples
//! that lie in the window, by declaration of streams.
//!
//! The lag is a gauge, so what happened between two samples is not in it.

use std::collections::BTreeMap;

use iopath_record::Counter;
use iopath_study::unindexed;
use serde::Serialize;

use crate::usage::pass::Pass;

/// The lag of all streams of one declaration.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct LagFindings {
    /// Name of the declaration.
    pub name: String,
    /// Mean over samples and streams.
    pub lag_bytes_mean: f64,
    /// The greatest of all samples of all streams.
    pub lag_bytes_max: u64,
}

/// Sum, number and maximum of samples.
#[derive(Default)]
struct Samples {
    sum: u128,
    count: u64,
    most: u64,
}

/// One for each declaration whose streams follow others, by name.
pub(crate) fn lags(passes: &[Pass<'_>]) -> Vec<LagFindings> {
    let mut groups: BTreeMap<String, Samples> = BTreeMap::new();
    for pass in passes {
        let Some(window) = &pass.window else { continue };
        let record = pass.record;
        let lags = record.series.iter().filter(|series| series.counter == Counter::LagBytes);
        for series in lags {
            let Some(entity) = record.entities.get(series.entity.0 as usize) else { continue };
            let samples = groups.entry(unindexed(&entity.name)).or_default();
            let known = (0..)
                .zip(&record.instants_ns)
                .zip(series.values())
                .filter(|((at, _), _)| series.missing.binary_search(at).is_err());
            for ((_, at_ns), lag) in known {
                if window.contains(*at_ns) {
                    samples.sum += u128::from(lag);
                    samples.count += 1;
                    samples.most = samples.most.max(lag);
                }
            }
        }
    }
    let found = groups.into_iter().filter(|(_, samples)| samples.count > 0);
    let findings = found.map(|(name, Samples { sum, count, most })| LagFindings {
        name,
        lag_bytes_mean: sum as f64 / count as f64,
        lag_bytes_max: most,
    });
    findings.collect()
}

#[cfg(test)]
mod tests {
    use iopath_record::Series;

    use super::*;
    use crate::sample::Sample;

    #[test]
    fn only_samples_of_the_window_count() {
        let mut record = Sample::new().record();
        assert_eq!(lags(&[Pass::of(&record)]), []);
        // The window lasts from 2 to 12 s; samples are a second apart, and one after the drain.
        let values: Vec<u64> =
            (0..record.instants_ns.len() as u64).rev().map(|at| 100 * at).collect();
        for stream in 0..2 {
            let entity = record.streams[stream].entity;
            let mut series = Series::from_values(entity, Counter::LagBytes, &values);
            // What could not be read is no sample.
            series.missing = vec![12];
            record.series.push(series);
        }
        assert!(crate::judges::audit::audit(&record).iter().all(|law| law.holds), "a lag may fall");
        let found = lags(&[Pass::of(&record)]);
        let [lag] = &found[..] else { panic!("both are of one declaration: {found:?}") };
        assert_eq!((lag.lag_bytes_mean, lag.lag_bytes_max), (650.0, 1_100));
    }
}
