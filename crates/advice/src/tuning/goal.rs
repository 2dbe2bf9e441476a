//! What shall be best, and the limits: from the record of a pass to its score.
//!
//! Fairness is Jain's index among the streams of one declaration, of the declaration that shares
//! least evenly; where every declaration is one stream there is nothing to share. It leaves out
//! what streams of different declarations get.

use iopath_analysis::fairness::groups;
use iopath_analysis::find_max::{LatencyLimit, Metric, response_ns};
use iopath_analysis::{NoFindings, Prediction, analyse, statistics};
use iopath_record::Record;
use serde::Serialize;

use super::Sample;

/// What shall be best.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize)]
#[serde(rename_all = "kebab-case")]
pub enum Goal {
    /// The highest rate of bytes.
    Throughput,
    /// The highest rate of requests.
    Iops,
    /// The lowest response time.
    Latency,
}

/// What shall be best within which limits.
#[derive(Clone, Copy, Debug, PartialEq, Serialize)]
pub struct Aim {
    /// What shall be best.
    pub goal: Goal,
    /// Which response time is looked at.
    pub metric: Metric,
    /// How high it may be.
    pub latency: Option<LatencyLimit>,
    /// The least fairness.
    pub fairness: Option<f64>,
}

/// Figures of one pass, or means over several.
#[derive(Clone, Copy, Debug, Default, PartialEq, Serialize)]
pub struct Figures {
    /// Bytes a second.
    pub throughput_bytes_per_sec: f64,
    /// Requests a second.
    pub operations_per_sec: f64,
    /// The response time that is looked at; none where nothing completed.
    pub response_ns: Option<f64>,
    /// Jain's index of the declaration that shares least evenly.
    pub fairness: Option<f64>,
}

/// What nothing at all counts as: the logarithm of 0 would hide all other differences.
const LEAST: f64 = 1e-3;
/// The response time where nothing completed: eleven days.
const NEVER_NS: f64 = 1e15;

impl Aim {
    /// The figures of one pass.
    ///
    /// # Errors
    /// Where it has none.
    pub fn figures(&self, pass: &Record) -> Result<Figures, NoFindings> {
        let findings = analyse(std::slice::from_ref(pass))?;
        let shared = groups(&findings).into_iter().filter(|group| group.streams.len() > 1);
        Ok(Figures {
            throughput_bytes_per_sec: findings.headline.throughput_bytes_per_sec,
            operations_per_sec: findings.headline.operations_per_sec,
            response_ns: response_ns(pass, self.metric),
            fairness: shared.map(|group| group.jain.unwrap_or_default()).reduce(f64::min),
        })
    }

    /// The value that shall be best.
    #[must_use]
    pub fn value(&self, figures: &Figures) -> f64 {
        match self.goal {
            Goal::Throughput => figures.throughput_bytes_per_sec,
            Goal::Iops => figures.operations_per_sec,
            Goal::Latency => figures.response_ns.unwrap_or(NEVER_NS),
        }
    }

    /// What the search makes of them.
    #[must_use]
    pub fn sample(&self, figures: &Figures) -> Sample {
        let response = figures.response_ns.unwrap_or(NEVER_NS);
        let score = match self.goal {
            Goal::Throughput | Goal::Iops => self.value(figures).max(LEAST).ln(),
            Goal::Latency => -response.max(LEAST).ln(),
        };
        let fairness = self.fairness.map(|least| figures.fairness.unwrap_or(1.0) - least);
        let latency = self.latency.map(|limit| (limit.within_ns as f64 / response.max(LEAST)).ln());
        Sample { score, slacks: fairness.into_iter().chain(latency).collect() }
    }

    /// The score that bounds promise; none where they say nothing of what shall be best.
    #[must_use]
    pub fn bound(&self, prediction: &Prediction) -> Option<f64> {
        let rate = match self.goal {
            Goal::Throughput => prediction.throughput_bytes_per_sec,
            Goal::Iops => prediction.operations_per_sec,
            Goal::Latency => return None,
        };
        (!prediction.bounds.is_empty() && rate > 0.0).then(|| rate.ln())
    }

    /// The share by which the value changes where the score grows by so much: what shall be low
    /// falls.
    #[must_use]
    pub fn change_of(&self, gain: f64) -> f64 {
        match self.goal {
            Goal::Throughput | Goal::Iops => gain.exp_m1(),
            Goal::Latency => (-gain).exp_m1(),
        }
    }

    /// The value that a score stands for.
    #[must_use]
    pub fn value_of(&self, score: f64) -> f64 {
        match self.goal {
            Goal::Throughput | Goal::Iops => score.exp(),
            Goal::Latency => (-score).exp(),
        }
    }
}

impl Figures {
    /// Means over passes; of nothing, nothing.
    #[must_use]
    pub fn mean(all: &[Self]) -> Self {
        let known = |of: fn(&Self) -> Option<f64>| {
            statistics::mean(&all.iter().filter_map(of).collect::<Vec<_>>())
        };
        let mean = |of: fn(&Self) -> f64| {
            statistics::mean(&all.iter().map(of).collect::<Vec<_>>()).unwrap_or_default()
        };
        Self {
            throughput_bytes_per_sec: mean(|one| one.throughput_bytes_per_sec),
            operations_per_sec: mean(|one| one.operations_per_sec),
            response_ns: known(|one| one.response_ns),
            fairness: known(|one| one.fairness),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn aim(goal: Goal) -> Aim {
        let latency = Some(LatencyLimit { metric: Metric::P99, within_ns: 1000 });
        Aim { goal, metric: Metric::P99, latency, fairness: Some(0.95) }
    }

    #[test]
    fn more_throughput_and_less_time_are_higher_scores() {
        let of = |rate, response| Figures {
            throughput_bytes_per_sec: rate,
            response_ns: Some(response),
            fairness: Some(0.96),
            ..Figures::default()
        };
        let score = |goal, figures: &Figures| aim(goal).sample(figures).score;
        let (slow, fast) = (of(100.0, 2000.0), of(200.0, 500.0));
        assert!(score(Goal::Throughput, &fast) > score(Goal::Throughput, &slow));
        assert!(score(Goal::Latency, &fast) > score(Goal::Latency, &slow));
        let slacks = aim(Goal::Throughput).sample(&slow).slacks;
        assert!((slacks[0] - 0.01).abs() < 1e-9 && (slacks[1] + 2f64.ln()).abs() < 1e-9);
        for goal in [Goal::Throughput, Goal::Latency] {
            let value = aim(goal).value(&fast);
            assert!((aim(goal).value_of(score(goal, &fast)) / value - 1.0).abs() < 1e-9);
        }
    }

    #[test]
    fn nothing_at_all_has_a_score_too() {
        let sample = aim(Goal::Iops).sample(&Figures::default());
        assert!(sample.score.is_finite() && sample.slacks.iter().all(|slack| slack.is_finite()));
    }
}
