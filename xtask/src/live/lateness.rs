//! How late a system's answers were, as its report says it.
//!
//! Its histogram is log-linear: octaves of 64 buckets, values below 64 ns with one each.

use serde::Deserialize;

#[derive(Clone, Debug, Default, PartialEq, Deserialize)]
pub(crate) struct Lateness {
    histogram: Histogram,
    pub answers: u64,
    in_time: u64,
}

#[derive(Clone, Debug, Default, PartialEq, Deserialize)]
struct Histogram {
    buckets: Vec<Bucket>,
}

/// Its number, and how many values it has.
#[derive(Clone, Copy, Debug, PartialEq, Deserialize)]
struct Bucket(u64, u64);

const OCTAVE_BITS: u64 = 6;

impl Lateness {
    /// Percent of the answers that came in time.
    pub(crate) fn in_time_percent(&self) -> f64 {
        100.0 * self.in_time as f64 / self.answers.max(1) as f64
    }

    /// Microseconds below which this share of the values lies.
    pub(crate) fn micros(&self, share: f64) -> f64 {
        let rank = (share * self.answers as f64).ceil() as u64;
        let mut seen = 0;
        let at = self.histogram.buckets.iter().find(|Bucket(_, count)| {
            seen += count;
            seen >= rank
        });
        at.map_or(f64::NAN, |Bucket(number, _)| middle_ns(*number) / 1e3)
    }
}

fn middle_ns(bucket: u64) -> f64 {
    let octave = (bucket >> OCTAVE_BITS).saturating_sub(1);
    let first = bucket - (octave << OCTAVE_BITS);
    (first as f64 + 0.5) * (1_u64 << octave) as f64
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_share_is_found_in_its_bucket() {
        // 128 has the first bucket of the third octave, whose buckets are two wide.
        let text = r#"{"histogram": {"buckets": [[10, 98], [128, 2]], "sum_ns": 0, "min_ns": 0,
            "max_ns": 0}, "answers": 100, "in_time": 99}"#;
        let lateness: Lateness = serde_json::from_str(text).unwrap();
        assert_eq!((lateness.in_time_percent(), lateness.micros(0.5)), (99.0, 0.0105));
        assert_eq!(lateness.micros(0.99), 0.129);
    }
}
