//! What flushes came to: how many, how long, and how long writes took until they were durable.

use iopath_record::Latency;
use serde::Serialize;

use super::LatencySummary;
use super::trial::Trial;

/// Flushes of the streams of a trial.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct FlushFindings {
    /// Flushes completed in the measured part.
    pub flushes: u64,
    /// Over its length.
    pub flushes_per_sec: f64,
    /// From issue to completion.
    pub latency_ns: LatencySummary,
    /// Writes that a flush covered in the measured part, over its length; none as below.
    pub commits_per_sec: Option<f64>,
    /// Of writes, from the issue of each until the flush that covers it was done; none of a single
    /// flush at the end, for which nobody waits.
    pub commit_latency_ns: Option<LatencySummary>,
    /// The same from the intended start of an open loop.
    pub intended_commit_latency_ns: Option<LatencySummary>,
}

impl FlushFindings {
    /// How long writes took until they were on stable storage: from the intended start of an open
    /// loop, else from issue; none where nobody waits for that.
    #[must_use]
    pub fn commits(&self) -> Option<LatencySummary> {
        self.intended_commit_latency_ns.or(self.commit_latency_ns)
    }

    /// None where no stream flushed.
    pub(crate) fn of(trial: &Trial<'_, '_>) -> Option<Self> {
        let all = trial.counted(Latency::Flush);
        let summary = |what| {
            let merged = trial.merged(what, None);
            (merged.count() > 0).then(|| LatencySummary::of(&merged))
        };
        let commits = trial.counted(Latency::Commit).count();
        (all.count() > 0).then(|| Self {
            flushes: all.count(),
            flushes_per_sec: trial.per_second(all.count()),
            latency_ns: summary(Latency::Flush).unwrap_or_else(|| LatencySummary::of(&all)),
            commits_per_sec: (commits > 0).then(|| trial.per_second(commits)),
            commit_latency_ns: summary(Latency::Commit),
            intended_commit_latency_ns: summary(Latency::IntendedCommit),
        })
    }
}
