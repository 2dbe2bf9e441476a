//! How late answers were: from when each was due to when it was handed to the kernel.

use iopath_record::histogram::{BUCKETS, Summary, bucket_of};
use iopath_record::{Fact, Histogram};
use serde::{Deserialize, Serialize};

/// An answer is in time within this share of its response, or within this time: Griffin et al.
/// (FAST 2002) measure their emulator by the first; the second is what a wake-up takes (chosen).
const IN_TIME: (f64, u64) = (0.02, 100_000);

/// Whether an answer with such a response, in nanoseconds, is in time when it is so late.
#[must_use]
pub fn is_in_time(response: u64, late: u64) -> bool {
    let (share, least) = IN_TIME;
    late <= least.max((response as f64 * share) as u64)
}

/// Answers and how late they were.
#[derive(Debug)]
pub(crate) struct Count {
    counts: Vec<u64>,
    summary: Summary,
    answers: u64,
    in_time: u64,
}

/// How late the answers of a system were until now.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
pub struct Lateness {
    pub histogram: Histogram,
    pub answers: u64,
    /// Answers that were in time.
    pub in_time: u64,
}

impl Lateness {
    /// The share of answers that were in time; none of none.
    #[must_use]
    pub fn share_in_time(&self) -> Option<f64> {
        (self.answers > 0).then(|| self.in_time as f64 / self.answers as f64)
    }

    /// Adds the answers of another time.
    pub fn add(&mut self, other: &Self) {
        self.histogram.merge(&other.histogram);
        self.answers += other.answers;
        self.in_time += other.in_time;
    }

    /// What a record says of it.
    #[must_use]
    pub fn facts(&self) -> Vec<(String, String)> {
        let at = |q: f64| self.histogram.quantile_ns(q).unwrap_or_default().to_string();
        let in_time = self.share_in_time().map_or(0.0, |share| share * 1e6);
        vec![
            Fact::Answers.is(self.answers.to_string()),
            Fact::AnswersInTime.is(format!("{in_time:.0}")),
            Fact::AnswersLate("p50").is(at(0.5)),
            Fact::AnswersLate("p99").is(at(0.99)),
            Fact::AnswersLate("max").is(self.histogram.max_ns.to_string()),
        ]
    }
}

impl Default for Count {
    fn default() -> Self {
        let summary = Summary { sum_ns: 0, min_ns: u64::MAX, max_ns: 0 };
        Self { counts: vec![0; BUCKETS], summary, answers: 0, in_time: 0 }
    }
}

impl Count {
    /// An answer to a request that came at `arrived`, was due at `due` and went out at `sent`.
    #[inline]
    pub(crate) fn record(&mut self, arrived: u64, due: u64, sent: u64) {
        let late = sent.saturating_sub(due);
        self.counts[bucket_of(late)] += 1;
        let Summary { sum_ns, min_ns, max_ns } = self.summary;
        self.summary = Summary {
            sum_ns: sum_ns.saturating_add(late),
            min_ns: min_ns.min(late),
            max_ns: max_ns.max(late),
        };
        self.answers += 1;
        self.in_time += u64::from(is_in_time(due - arrived.min(due), late));
    }

    pub(crate) fn lateness(&self) -> Lateness {
        let histogram = Histogram::from_counts(self.counts.iter().copied(), self.summary);
        Lateness { histogram, answers: self.answers, in_time: self.in_time }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn an_answer_is_in_time_within_a_share_of_its_response_or_a_wake_up() {
        let mut count = Count::default();
        count.record(0, 1_000_000, 1_090_000);
        count.record(0, 1_000_000, 1_110_000);
        count.record(0, 10_000_000, 10_190_000);
        count.record(5_000, 4_000, 5_000);
        let Lateness { histogram, answers, in_time } = count.lateness();
        assert_eq!((answers, in_time, histogram.max_ns), (4, 3, 190_000));
        assert_eq!(Count::default().lateness(), Lateness::default());
    }
}
