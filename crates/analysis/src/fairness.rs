//! How streams share: groups of one declaration, and both over time.
//!
//! Jain's index (Jain, Chiu, Hawe, DEC-TR-301, 1984) is 1 where all get the same and 1/n where one
//! of n has everything. Over time it is that of the streams at work in an interval.
//! It leaves out what each was meant to get: streams with rates of their own are unequal by intent.

use iopath_study::unindexed;
use serde::Serialize;

use crate::findings::Findings;
use crate::statistics::jain;
use crate::timeline::TimelineSeries;

/// The streams of one declaration.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct GroupFindings {
    /// Their common name.
    pub name: String,
    /// Positions among the streams of the findings.
    pub streams: Vec<usize>,
    /// What all of them moved in the window, over its length.
    pub throughput_bytes_per_sec: f64,
    /// The slowest of them.
    pub min_bytes_per_sec: f64,
    /// Their mean.
    pub mean_bytes_per_sec: f64,
    /// The fastest.
    pub max_bytes_per_sec: f64,
    /// Jain's index among them; none where nobody got anything.
    pub jain: Option<f64>,
}

/// The groups of streams with a rate, in the order in which they first come.
#[must_use]
pub fn groups(findings: &Findings) -> Vec<GroupFindings> {
    let mut groups: Vec<(String, Vec<(usize, f64)>)> = Vec::new();
    for (at, stream) in findings.streams.iter().enumerate() {
        let Some(rate) = stream.throughput_bytes_per_sec else { continue };
        let name = unindexed(&stream.name);
        match groups.iter_mut().find(|(known, _)| *known == name) {
            Some((_, members)) => members.push((at, rate)),
            None => groups.push((name, vec![(at, rate)])),
        }
    }
    groups.into_iter().map(|(name, members)| of_group(name, &members)).collect()
}

fn of_group(name: String, members: &[(usize, f64)]) -> GroupFindings {
    let rates: Vec<f64> = members.iter().map(|(_, rate)| *rate).collect();
    let sum: f64 = rates.iter().sum();
    GroupFindings {
        name,
        streams: members.iter().map(|(at, _)| *at).collect(),
        throughput_bytes_per_sec: sum,
        min_bytes_per_sec: rates.iter().copied().fold(f64::INFINITY, f64::min),
        mean_bytes_per_sec: sum / rates.len() as f64,
        max_bytes_per_sec: rates.iter().copied().fold(0.0, f64::max),
        jain: jain(&rates),
    }
}

/// Jain's index of the streams at work in every interval; none where fewer than two are, or nobody
/// got anything.
#[must_use]
pub fn jain_over_time(streams: &[TimelineSeries]) -> Vec<Option<f64>> {
    let at = |at: usize| {
        let rates: Vec<f64> =
            streams.iter().filter_map(|line| *line.bytes_per_sec.get(at)?).collect();
        if rates.len() < 2 { None } else { jain(&rates) }
    };
    (0..intervals(streams)).map(at).collect()
}

/// What part of all bytes each group got in every interval; none where nobody got anything.
#[must_use]
pub fn shares_over_time(streams: &[TimelineSeries]) -> Vec<(String, Vec<Option<f64>>)> {
    let count = intervals(streams);
    let mut groups: Vec<(String, Vec<f64>)> = Vec::new();
    let mut all = vec![0.0; count];
    for line in streams {
        let name = unindexed(&line.name);
        let at = groups.iter().position(|(known, _)| *known == name).unwrap_or_else(|| {
            groups.push((name, vec![0.0; count]));
            groups.len() - 1
        });
        let sums = groups[at].1.iter_mut().zip(&mut all);
        for ((own, all), rate) in sums.zip(&line.bytes_per_sec) {
            *own += rate.unwrap_or_default();
            *all += rate.unwrap_or_default();
        }
    }
    let share = |(own, all): (f64, &f64)| (*all > 0.0).then(|| own / all);
    let shares = |own: Vec<f64>| own.into_iter().zip(&all).map(share).collect();
    groups.into_iter().map(|(name, own)| (name, shares(own))).collect()
}

fn intervals(streams: &[TimelineSeries]) -> usize {
    streams.first().map_or(0, |line| line.bytes_per_sec.len())
}

#[cfg(test)]
mod tests {
    use super::*;

    fn line(name: &str, rates: &[Option<f64>]) -> TimelineSeries {
        TimelineSeries { name: name.to_owned(), bytes_per_sec: rates.to_vec() }
    }

    #[test]
    fn groups_are_declarations() {
        let record = crate::sample::Sample { streams: 3, ..crate::sample::Sample::new() }.record();
        let findings = crate::findings::analyse::analyse(&[record]).unwrap();
        let [only] = groups(&findings).try_into().unwrap();
        assert_eq!((only.name.as_str(), only.streams), ("reader", vec![0, 1, 2]));
        assert_eq!(only.jain, Some(1.0));
        assert!((only.throughput_bytes_per_sec / only.mean_bytes_per_sec - 3.0).abs() < 1e-9);
    }

    #[test]
    fn only_streams_at_work_share() {
        let streams = [
            line("a[0]", &[Some(1.0), Some(1.0), None]),
            line("a[1]", &[Some(1.0), Some(0.0), Some(2.0)]),
        ];
        assert_eq!(jain_over_time(&streams), [Some(1.0), Some(0.5), None]);
    }

    #[test]
    fn shares_of_groups_add_up_to_everything() {
        let all = [
            line("a[0]", &[Some(1.0), Some(0.0)]),
            line("b", &[Some(2.0), Some(0.0)]),
            line("a[1]", &[Some(1.0), None]),
        ];
        let shares = shares_over_time(&all);
        assert_eq!(shares.len(), 2);
        assert_eq!(shares[0], ("a".to_owned(), vec![Some(0.5), None]));
        assert_eq!(shares[1], ("b".to_owned(), vec![Some(0.5), None]));
    }
}
