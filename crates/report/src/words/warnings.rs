//! Warnings as sentences. What each kind means and what to do is in `docs/warnings.md`.

use iopath_analysis::intensity::Intensity;
use iopath_analysis::statistics::Confidence;
use iopath_analysis::thresholds::trials::{INTENSITY_DIFFERENCE, INTENSITY_VARIATION};
use iopath_analysis::{UnfairStreams, Warning};
use iopath_record::BadBlocks;
use iopath_units::System;

use super::evidence;
use crate::numbers::{operations, rate, time};

/// The sentence of a warning.
pub(crate) fn text(warning: &Warning, system: System) -> String {
    match warning {
        Warning::Recorded(own) => own.text.clone(),
        Warning::BadBlocks(found) => bad_blocks(found),
        Warning::EmptyWindow { empty, passes } => format!(
            "in {empty} of {passes} passes the streams were never all active at the same time: no \
             de-skewed figures"
        ),
        Warning::ShortWindow { length_ns } => short_window(*length_ns, system),
        Warning::Skew { front_ns, back_ns, share } => skew([*front_ns, *back_ns], *share),
        Warning::ClockBound { bound_ns, share } => format!(
            "the clocks of the hosts may be {} apart, {:.1} % of the shortest window: figures \
             over all hosts may be off by as much",
            time(*bound_ns as f64, system),
            share * 100.0
        ),
        Warning::FailedRequests(failed) => {
            format!("{failed} requests failed: their latencies and bytes are not counted")
        }
        Warning::LongStall { max_ns, window_ns } => stall(*max_ns, *window_ns, system),
        Warning::Backlog { before, after, completed_per_sec } => format!(
            "requests in flight grew from {before} to {after} in the window, and count by the \
             share of their time in it: {} completed, less than the throughput says",
            operations(*completed_per_sec, system)
        ),
        Warning::CpuSteal(share) => format!(
            "the hypervisor gave {:.1} % of the processor time to other guests (steal): \
             latencies include it",
            share * 100.0
        ),
        Warning::OtherLoad(share) => format!(
            "other processes and interrupts used {:.0} % of the processor time: results may be \
             better on an idle machine",
            share * 100.0
        ),
        Warning::OtherTraffic { devices, ratio } => format!(
            "{} moved {ratio:.2} times what this measurement requested: readahead or other \
             processes",
            devices.join(", ")
        ),
        Warning::SharedRegion { streams, at_devices } => shared_region(*streams, *at_devices),
        Warning::Unfair(groups) => {
            let each: Vec<String> = groups.iter().map(|one| unfair(one, system)).collect();
            each.join("; ")
        }
        Warning::RateMissed(reached) => {
            let reached = evidence::sentence(reached, system);
            format!("{reached}; latency from the intended start grows")
        }
        Warning::IntensityMissed { missed, sub_streams } => intensities(missed, *sub_streams),
        Warning::DirectRefused(targets) => format!(
            "{}: the file system refuses direct I/O, so requests went through the page cache",
            targets.join(", ")
        ),
        Warning::HolesOrCache(share) => format!(
            "the devices saw {:.1} % of the bytes read: holes, compression, deduplication or a \
             cache below",
            100.0 * share
        ),
        Warning::NotPrecise { wanted_percent, reached } => not_precise(*wanted_percent, *reached),
    }
}

fn bad_blocks(found: &BadBlocks) -> String {
    match found.are_unwritten() {
        true => format!("verification found {found}, which cannot be verified"),
        false => format!(
            "verification found {found}: the storage does not return the data that \
                          was written"
        ),
    }
}

fn short_window(length_ns: u64, system: System) -> String {
    let length = time(length_ns as f64, system);
    format!(
        "all streams were active together for only {length}: the figures mostly show start-up \
             and tail"
    )
}

fn skew(front_and_back_ns: [u64; 2], share: f64) -> String {
    let [front, back] = front_and_back_ns.map(|ns| ns as f64 / 1e6);
    format!(
        "streams began up to {front:.0} ms and ended up to {back:.0} ms apart, {:.0} % of the \
         window: use the de-skewed figures",
        share * 100.0
    )
}

fn stall(max_ns: u64, window_ns: u64, system: System) -> String {
    let [max, window] = [max_ns, window_ns].map(|ns| time(ns as f64, system));
    format!(
        "the slowest request took {max} of a window of {window}: a single stall; another pass may \
         differ considerably"
    )
}

fn shared_region(streams: usize, at_devices: Option<f64>) -> String {
    let seen = at_devices.map(|share| {
        format!("; the devices saw {:.0} % of the bytes read", (100.0 * share).min(100.0))
    });
    format!(
        "{streams} streams, one region: the first to read a block fetches it, the others may find \
         it in a cache on the way{}",
        seen.unwrap_or_default()
    )
}

fn unfair(group: &UnfairStreams, system: System) -> String {
    let UnfairStreams { name, streams, slow, jain, .. } = group;
    let of_slow = rate(group.slow_bytes_per_sec, system);
    let of_others = rate(group.other_bytes_per_sec, system);
    format!(
        "{slow} of the {streams} streams of {name} got {of_slow} on average, the others \
         {of_others}: Jain's index is {jain:.2}"
    )
}

fn intensities(missed: &[Intensity], sub_streams: usize) -> String {
    let number =
        |value: Option<f64>| value.map_or("unknown".to_owned(), |value| format!("{value:.3}"));
    let each = missed.iter().map(|one| {
        let (ratio, variation) = (number(one.ratio), number(one.coefficient_of_variation));
        format!("{} ({ratio} of it, variation {variation})", one.stream)
    });
    let each: Vec<String> = each.collect();
    format!(
        "{} of {sub_streams} sub-streams did not keep their share within {:.0} % and with a \
         variation of {INTENSITY_VARIATION} at most: {}",
        each.len(),
        INTENSITY_DIFFERENCE * 100.0,
        each.join(", ")
    )
}

fn not_precise(wanted_percent: f64, reached: Option<Confidence>) -> String {
    let reached = reached.map_or_else(
        || "is not known".to_owned(),
        |found| format!("is {:.1} % after {} passes", found.half_width_percent, found.passes),
    );
    format!(
        "the 95 % confidence half-width should be at most {wanted_percent} % of the mean; it \
         {reached}"
    )
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn rates_are_in_the_units_that_were_asked_for() {
        let unfair = Warning::Unfair(vec![UnfairStreams {
            name: "reader".to_owned(),
            streams: 8,
            slow: 6,
            slow_bytes_per_sec: 13_107_200.0,
            other_bytes_per_sec: 131_072_000.0,
            jain: 0.41,
        }]);
        let decimal = "6 of the 8 streams of reader got 13.11 MB/s on average, the others \
                       131.1 MB/s: Jain's index is 0.41";
        assert_eq!(text(&unfair, System::Decimal), decimal);
        let binary = "6 of the 8 streams of reader got 12.50 MiB/s on average, the others \
                      125.0 MiB/s: Jain's index is 0.41";
        assert_eq!(text(&unfair, System::Binary), binary);
    }

    #[test]
    fn a_share_above_all_is_all() {
        let shared =
            |at_devices| text(&Warning::SharedRegion { streams: 64, at_devices }, System::Decimal);
        assert!(shared(Some(0.02)).starts_with("64 streams, one region"));
        assert!(shared(Some(0.02)).ends_with("; the devices saw 2 % of the bytes read"));
        assert!(shared(Some(1.2)).ends_with("saw 100 % of the bytes read"));
        assert!(shared(None).ends_with("on the way"));
    }
}
