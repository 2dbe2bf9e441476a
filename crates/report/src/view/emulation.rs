//! Emulated cases, and what could not be emulated.

use serde::{Serialize, Serializer};

/// One case on an emulated path; figures are multiplied back.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct EmulatedCase {
    /// Experiment and levels.
    #[serde(rename = "case")]
    pub name: String,
    /// Rates and sizes were divided by this.
    pub scale: u64,
    /// Rates were divided by this besides, and times multiplied.
    pub stretch: u64,
    /// How many devices stand for the path.
    pub devices: usize,
    /// How many rates they share.
    pub groups: usize,
    /// What the analytic model says of all streams together, in bytes per second.
    #[serde(rename = "predicted_bytes_per_sec")]
    pub predicted: f64,
    /// What was measured; none where nothing was.
    #[serde(rename = "measured_bytes_per_sec")]
    pub measured: Option<f64>,
    /// Streams that ran one after the other, in their order; empty where all ran together.
    #[serde(serialize_with = "epochs")]
    pub epochs: Vec<EmulatedEpoch>,
    /// Jain's index of the shares of its streams, where there are several.
    pub jain: Option<f64>,
    /// How long its devices took to come up; none where they stood already.
    pub bring_up_ns: Option<u64>,
    /// How late a live system's answers were; none of others.
    pub lateness: Option<Lateness>,
    /// What each device carried alone, where that was tried.
    pub alone: Option<Alone>,
    /// What of the path could not be emulated.
    pub not_emulated: Vec<String>,
}

/// How late the answers of a live system were.
#[derive(Clone, Copy, Debug, PartialEq, Serialize)]
pub struct Lateness {
    pub answers: u64,
    /// The share of them that came within 2 % of their response time, or 100 µs, of when they were
    /// due.
    pub in_time_share: f64,
    pub late_ns_p50: u64,
    pub late_ns_p99: u64,
    pub late_ns_max: u64,
}

/// Streams that ran together on an emulated path, while others ran before or after them.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct EmulatedEpoch {
    /// Their declarations.
    pub streams: Vec<String>,
    /// What the analytic model says of them, in bytes per second.
    #[serde(rename = "predicted_bytes_per_sec")]
    pub predicted: f64,
    /// What was measured; none where nothing was.
    #[serde(rename = "measured_bytes_per_sec")]
    pub measured: Option<f64>,
}

/// Devices measured one after the other, each without the others.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct Alone {
    /// How many were tried.
    pub devices: usize,
    /// The least share of its own rate that one carried.
    #[serde(rename = "least_share")]
    pub least: f64,
    /// The greatest share.
    #[serde(rename = "most_share")]
    pub most: f64,
    /// Which carried the least.
    pub least_device: String,
}

impl EmulatedCase {
    /// How far the measurement lies from the model, in percent of it; signed.
    #[must_use]
    pub fn off_percent(&self) -> Option<f64> {
        off_percent(self.predicted, self.measured)
    }
}

impl EmulatedEpoch {
    /// How far the measurement lies from the model, in percent of it; signed.
    #[must_use]
    pub fn off_percent(&self) -> Option<f64> {
        off_percent(self.predicted, self.measured)
    }
}

pub(crate) fn off_percent(predicted: f64, measured: Option<f64>) -> Option<f64> {
    let measured = measured.filter(|_| predicted > 0.0)?;
    Some((measured - predicted) / predicted * 100.0)
}

/// A measurement and how far off the model it is.
#[derive(Serialize)]
pub(crate) struct OffModel<'a, T> {
    #[serde(flatten)]
    of: &'a T,
    off_percent: Option<f64>,
}

impl<'a> OffModel<'a, EmulatedCase> {
    pub(crate) fn of_case(of: &'a EmulatedCase) -> Self {
        Self { of, off_percent: of.off_percent() }
    }
}

fn epochs<S: Serializer>(all: &[EmulatedEpoch], to: S) -> Result<S::Ok, S::Error> {
    to.collect_seq(all.iter().map(|of| OffModel { of, off_percent: of.off_percent() }))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_case_without_a_measurement_is_off_by_nothing_known() {
        let case = EmulatedCase {
            name: "one".to_owned(),
            scale: 32,
            stretch: 1,
            devices: 3,
            groups: 4,
            predicted: 200e6,
            measured: None,
            epochs: Vec::new(),
            jain: None,
            bring_up_ns: None,
            lateness: None,
            alone: None,
            not_emulated: Vec::new(),
        };
        assert_eq!(case.off_percent(), None);
        let measured = EmulatedCase { measured: Some(190e6), ..case };
        assert_eq!(measured.off_percent(), Some(-5.0));
    }
}
