//! Dates and times as tools print them, and the time axis that they make.
//!
//! A date of numbers alone is known where its order is: year first (ISO 8601), with dots day first,
//! with slashes only where one number is above 12. Any date tells when a new day begins. Names of
//! zones are no offsets (`IST` has three) but for UTC and GMT.
//! It leaves out leap seconds and a change of summer time during a run.

use iopath_units::Nanos;
use jiff::civil::{Date, DateTime, Time};

use crate::{Asked, First, Start, Wrong};

mod date;

/// A time of day, with as much of its date as is known.
#[derive(Clone, Debug, PartialEq)]
pub(crate) struct Stamp {
    date: Option<Date>,
    /// The words of the date, to see a new day.
    day: String,
    second: f64,
    /// Ahead of UTC, in seconds.
    offset: Option<i32>,
}

impl Stamp {
    /// Reads a line or field that holds a time; none where it holds none.
    pub(crate) fn read(text: &str) -> Option<Self> {
        let iso = text.trim().replacen('T', " ", usize::from(date::is_iso(text.trim())));
        let (mut second, mut offset, mut half) = (None, None, None);
        let mut rest: Vec<&str> = Vec::new();
        for word in iso.split([' ', '\t', ',']).filter(|word| !word.is_empty()) {
            let (clock, zone) = date::split_zone(word);
            match (date::seconds(clock), word) {
                (Some(found), _) if second.is_none() => {
                    (second, offset) = (Some(found), zone.or(offset));
                }
                (_, "AM" | "am") => half = Some(0.0),
                (_, "PM" | "pm") => half = Some(43_200.0),
                (_, "UTC" | "GMT" | "Z") => offset = Some(0),
                _ => rest.push(word),
            }
        }
        let second: f64 = second?;
        let second = half.map_or(second, |half| second % 43_200.0 + half);
        Some(Self { date: date::date(&rest), day: rest.join(" "), second, offset })
    }

    fn start(&self, before: f64, asked: &Asked) -> Start {
        let Some(date) = self.date else { return Start::Unknown };
        let nanos = (self.second * 1e9).round() as i64;
        let time = Time::midnight().checked_add(jiff::SignedDuration::from_nanos(nanos));
        let at = time.ok().map(|time| DateTime::from_parts(date, time));
        let before = jiff::SignedDuration::from_nanos((before * 1e9).round() as i64);
        let Some(at) = at.and_then(|at| at.checked_sub(before).ok()) else {
            return Start::Unknown;
        };
        match self.offset.or(asked.zone) {
            Some(offset) => unix(at, offset).map_or(Start::Unknown, Start::Unix),
            None => Start::Local(at),
        }
    }
}

/// How far a zone is ahead of UTC, in seconds: `+02:00`, `-0500`, `UTC`.
#[must_use]
pub fn zone(text: &str) -> Option<i32> {
    if text == "UTC" { Some(0) } else { date::offset(text) }
}

/// A local time in ns since 1970.
pub(crate) fn unix(at: DateTime, offset: i32) -> Option<u64> {
    let zone = jiff::tz::Offset::from_seconds(offset).ok()?;
    let stamp = zone.to_timestamp(at).ok()?;
    u64::try_from(stamp.as_nanosecond()).ok()
}

/// When reports end, in seconds after the first.
fn seconds(stamps: &[&Stamp]) -> Vec<f64> {
    let mut day = 0.0;
    let mut last: Option<&Stamp> = None;
    let mut all = Vec::new();
    for stamp in stamps {
        if let Some(last) = last {
            let known = last.date.zip(stamp.date);
            let days = known.and_then(|(from, to)| from.until(to).ok()).map(|span| span.get_days());
            // Without a date a clock that went back passed midnight.
            let new = last.day != stamp.day || stamp.second + 1.0 < last.second;
            day += days.map_or(f64::from(u8::from(new)), f64::from);
        }
        last = Some(stamp);
        all.push(day * 86_400.0 + stamp.second);
    }
    let first = all.first().copied().unwrap_or_default();
    all.iter().map(|second| second - first).collect()
}

/// Edges of intervals, and when they begin.
pub(crate) struct Axis {
    pub edges_ns: Vec<u64>,
    pub start: Start,
}

/// The axis of reports with these stamps. The first is left out or kept as `asked` says; the first
/// edge is its end or its beginning.
///
/// Tools take their intervals in whole seconds and print times in whole seconds, so the mean
/// distance is rounded to the second where rounding of the times explains the difference. Where
/// distances differ by more than a second they are taken as they are printed.
pub(crate) fn axis(file: &str, stamps: &[Option<Stamp>], asked: &Asked) -> Result<Axis, Wrong> {
    let known: Option<Vec<&Stamp>> = stamps.iter().map(Option::as_ref).collect();
    let after = known.as_deref().map(seconds);
    let kept = match asked.first {
        First::LeftOut => stamps.len().saturating_sub(1),
        First::Kept => stamps.len(),
    };
    // What the text tells comes first; the user tells what it does not.
    let told = asked.interval.map(|Nanos(ns)| ns as f64 / 1e9);
    let after =
        after.filter(|after| told.is_none() || after.windows(2).all(|pair| pair[1] > pair[0]));
    let interval = after.as_deref().and_then(even);
    let is_enough = asked.first == First::LeftOut && after.as_deref().is_some_and(|a| a.len() > 1);
    let interval = interval.or_else(|| told.filter(|_| !is_enough));
    let edges = match (interval, after) {
        (Some(interval), _) => (0..=kept).map(|index| index as f64 * interval).collect(),
        (None, Some(after)) if asked.first == First::LeftOut && after.len() > 1 => after,
        (None, after) => {
            let what = match after {
                Some(_) => {
                    "the length of its first report does not follow from the times of the others"
                }
                None => "it has no times, so the length of its reports is not known",
            };
            return Err(Wrong::of(file, what, "say --interval 10s"));
        }
    };
    let edges_ns: Vec<u64> = edges.iter().map(|second| (second * 1e9).round() as u64).collect();
    if edges_ns.windows(2).any(|pair| pair[1] <= pair[0]) {
        let what = "its times do not ascend from each report to the next";
        return Err(Wrong::of(file, what, "use --interval 1s if reports were evenly spaced"));
    }
    let before = match asked.first {
        First::LeftOut => 0.0,
        First::Kept => interval.unwrap_or_default(),
    };
    let first = stamps.first().and_then(Option::as_ref);
    Ok(Axis { edges_ns, start: first.map_or(Start::Unknown, |stamp| stamp.start(before, asked)) })
}

/// The distance of times that are even but for their rounding to whole seconds.
fn even(after: &[f64]) -> Option<f64> {
    let intervals = after.len().checked_sub(1).filter(|intervals| *intervals > 0)? as f64;
    let mean = after.last()? / intervals;
    let is_even = after.windows(2).all(|pair| (pair[1] - pair[0] - mean).abs() <= 1.0);
    let whole = mean.round();
    // Both neighbours may explain the times, where there are few.
    let (off, most) = ((mean - whole).abs(), 1.0 / intervals);
    let rounded = if off <= most && 1.0 - off > most { whole } else { mean };
    (is_even && rounded > 0.0).then_some(rounded)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn start(text: &str, zone: Option<i32>) -> Start {
        let asked = Asked { zone, ..Asked::default() };
        Stamp::read(text).map_or(Start::Unknown, |stamp| stamp.start(0.0, &asked))
    }

    #[test]
    fn times_are_read_as_tools_print_them() {
        let local = "2026-11-22T13:22:47".parse().unwrap();
        for text in [
            "2026-11-22T13:22:47",
            "2026-11-22 13:22:47",
            "11/22/26 13:22:47",
            "11/22/2026 01:22:47 PM",
            "22/11/2026 13:22:47",
            "22.11.2026 13:22:47",
            "13:22:47,22-NOV-2026",
            "Sun Nov 22 13:22:47 2026",
            "Sun 22 Nov 2026 01:22:47 PM PST",
        ] {
            assert_eq!(start(text, None), Start::Local(local), "{text}");
        }
        let unix = Start::Unix(1_795_353_767_000_000_000);
        assert_eq!(start("2026-11-22T13:22:47+0000", None), unix);
        assert_eq!(start("Sun Nov 22 13:22:47 UTC 2026", None), unix);
        assert_eq!(start("2026-11-22T14:22:47+01:00", None), unix);
        assert_eq!(start("22.11.2026 14:22:47", Some(3600)), unix);
        assert_eq!(start("11/12/26 13:22:47", None), Start::Unknown, "November or December");
        assert_eq!(Stamp::read("avg-cpu:  %user"), None);
    }

    fn edges(times: &[&str], asked: &Asked) -> Result<Vec<u64>, Wrong> {
        let stamps: Vec<_> = times.iter().map(|text| Stamp::read(text)).collect();
        let axis = axis("x", &stamps, asked)?;
        Ok(axis.edges_ns.iter().map(|ns| ns / 1_000_000_000).collect())
    }

    #[test]
    fn an_axis_follows_the_times_over_midnight() {
        let asked = Asked::default();
        let night = ["11/12/26 23:59:50", "11/13/26 00:00:00", "11/13/26 00:00:10"];
        assert_eq!(edges(&night, &asked), Ok(vec![0, 10, 20]));
        let times = ["Time: 11:59:55 PM", "Time: 12:00:00 AM", "Time: 12:00:06 AM"];
        assert_eq!(edges(&times, &asked), Ok(vec![0, 5, 11]), "5 s or 6 s: in between");
        let kept = Asked { first: First::Kept, ..Asked::default() };
        assert_eq!(edges(&times, &kept), Ok(vec![0, 5, 11, 16]));
        let gap = ["10:00:00", "10:00:10", "10:01:00"];
        assert_eq!(edges(&gap, &asked), Ok(vec![0, 10, 60]));
        assert!(edges(&gap, &kept).unwrap_err().hint.contains("--interval"));
        assert!(edges(&["10:00:00", "x"], &asked).unwrap_err().hint.contains("--interval"));
        let told = Asked { interval: Some(Nanos(2_000_000_000)), ..Asked::default() };
        assert_eq!(edges(&gap, &told), Ok(vec![0, 10, 60]), "the text knows better");
        assert_eq!(edges(&["10:00:00", "10:00:00"], &told), Ok(vec![0, 2]));
        assert_eq!(edges(&["", "", ""], &told), Ok(vec![0, 2, 4]));
        assert!(edges(&["10:00:00", "10:00:00"], &asked).is_err());
    }
}
