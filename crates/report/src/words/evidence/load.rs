//! Evidence of the generator, the processors and the time of requests, where no amount has a unit
//! of bytes.

use iopath_analysis::limit::{Evidence, Flushed, LatencyUse};

use super::super::{ms, percent};

const ONE_AT_A_TIME: &str =
    "queue depth 1 measures latency, not peak throughput; try a higher depth";

pub(super) fn ceiling(line: &Evidence, achieved: f64, ceiling: f64) -> String {
    format!(
        "{achieved:.0} requests a second are {} of what the load generator reaches without storage \
         ({ceiling:.0})",
        percent(line.value)
    )
}

pub(super) fn threads(line: &Evidence, user: f64, kernel: f64, is_limit: bool) -> String {
    let limit = match is_limit {
        true => ": each stream is limited by one processor; more streams may yield more",
        false => "",
    };
    format!(
        "each stream's thread was on a processor at least {} of the time ({} user, {} \
         kernel){limit}",
        percent(line.value),
        percent(user),
        percent(kernel)
    )
}

pub(super) fn above(line: &Evidence, slots: u64, busiest: f64, spread: f64) -> String {
    format!(
        "the queue was full ({slots}), but only {} of latency is device time (busiest device {} \
         busy) and throughput is flat within {}: throttled above the device",
        percent(line.value),
        percent(busiest),
        percent(spread)
    )
}

pub(super) fn processors(line: &Evidence, count: u32, own: Option<f64>, steal: f64) -> String {
    let own = own.map(|own| format!(" ({} by this process)", percent(own)));
    let stolen = match steal {
        steal if steal >= 0.005 => format!(", {} taken by the hypervisor", percent(steal)),
        _ => String::new(),
    };
    format!(
        "the {count} processors were busy {} of the time{}{stolen}",
        percent(line.value),
        own.unwrap_or_default()
    )
}

pub(super) fn serving(line: &Evidence, device: &str, kernel: f64) -> String {
    format!(
        "{device} is served by processors, of which {} was busy {} of the time ({} kernel)",
        line.entity,
        percent(line.value),
        percent(kernel)
    )
}

pub(super) fn wait(line: &Evidence, waiting: f64, is_held_back: bool) -> String {
    let held_back = match is_held_back {
        true => ": other threads compete for it, which delays requests",
        false => "",
    };
    format!(
        "the streams' threads were runnable {} of the time and waited for a processor \
         {}{held_back}",
        percent(line.value.min(1.0)),
        percent(waiting.min(1.0))
    )
}

pub(super) fn flushes(line: &Evidence, flushed: Flushed) -> String {
    let share = percent(line.value.min(1.0));
    match flushed {
        Flushed::AtEnd { mean_ns } => format!("one flush at the end took {:.3} ms", ms(mean_ns)),
        Flushed::Streams { per_sec, mean_ns, writes } => {
            let each = match writes {
                ..1.05 => ", after each write".to_owned(),
                _ => format!(", {writes:.1} writes each"),
            };
            format!(
                "a flush was outstanding {share} of the time: {per_sec:.0} a second, {:.3} ms \
                 each{each}",
                ms(mean_ns)
            )
        }
        Flushed::EachWrite => format!(
            "each write is flushed, and {} had a flush outstanding {share} of the time that \
             writes took",
            line.entity
        ),
        Flushed::Device { per_sec, mean_ns } => format!(
            "{} carried out {per_sec:.0} flushes a second, {:.3} ms each",
            line.entity,
            ms(mean_ns)
        ),
    }
}

pub(super) fn slots(line: &Evidence, slots: u64, mean_ns: f64, least_ns: f64) -> String {
    let [mean, least] = [mean_ns, least_ns].map(ms);
    let times = format!("{mean:.3} ms on average, {least:.3} ms at least");
    match slots {
        1 => format!("one request at a time, each {times}: {ONE_AT_A_TIME}"),
        _ if line.value <= line.threshold => format!(
            "the queue was full ({slots}) and requests did not wait for each other ({times}): a \
             higher depth would yield more"
        ),
        _ => format!("the queue was full ({slots}), and requests took {times}"),
    }
}

pub(super) fn busy(line: &Evidence, is_watched: bool, in_flight: Option<f64>) -> String {
    if !is_watched {
        return "no device below the target could be monitored, so its utilisation is unknown"
            .to_owned();
    }
    let queue = in_flight.map(|n| format!(" with {n:.1} requests in flight on average"));
    let share = percent(line.value);
    format!("{} was busy {share} of the time{}", line.entity, queue.unwrap_or_default())
}

pub(super) fn depth(line: &Evidence) -> String {
    match (line.value, line.threshold) {
        (_, ..=1.0) => ONE_AT_A_TIME.to_owned(),
        (in_flight, slots) => format!(
            "{in_flight:.1} of {slots:.0} slots were in use: a single depth does not show whether \
             a higher one yields more"
        ),
    }
}

pub(super) fn siblings(line: &Evidence) -> String {
    format!(
        "finished parts of requests to {} waited for the other parts {} of the time",
        line.entity,
        percent(line.value)
    )
}

pub(super) fn slowest(line: &Evidence, volume: &str) -> String {
    format!(
        "parts on {} took {:.2} times as long as those on the median member of {volume}",
        line.entity, line.value
    )
}

pub(super) fn way(of: &LatencyUse) -> String {
    let LatencyUse { in_flight, streams, mean_ns, fullest } = of;
    let fullest = match fullest {
        Some((name, used)) => {
            format!("the most used component on their path, {name}, is at {}", percent(*used))
        }
        None => "no component on their path is saturated".to_owned(),
    };
    format!(
        "{in_flight:.1} requests of {streams} streams were in flight, each took {:.3} ms, and \
         {fullest}: more requests in flight would yield more",
        ms(*mean_ns)
    )
}
