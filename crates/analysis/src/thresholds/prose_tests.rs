//! Where the documents explain a judgement, they name the threshold of the code, as a number or in
//! percent. It leaves out thresholds that are only in the table.

use super::audit::*;
use super::groups::*;
use super::limits::*;
use super::trials::*;

const FINDINGS: &str = include_str!("../../../../docs/findings.md");
const WARNINGS: &str = include_str!("../../../../docs/warnings.md");
const PROBING: &str = include_str!("../../../../docs/probing.md");

/// The row of a table or the section that begins a line with `start`.
fn passage<'a>(document: &'a str, start: &str) -> &'a str {
    let text = document.split_once(&format!("\n{start}")).expect(start).1;
    let end = if start.starts_with('#') { "\n#" } else { "\n" };
    text.split_once(end).map_or(text, |(passage, _)| passage)
}

fn numbers(text: &str) -> Vec<f64> {
    let words = text.split(|letter: char| !letter.is_ascii_digit() && letter != '.');
    words.filter_map(|word| word.trim_end_matches('.').parse().ok()).collect()
}

fn check(document: &str, passages: &[(&str, &[f64])]) {
    for (start, thresholds) in passages {
        let numbers = numbers(passage(document, start));
        for threshold in *thresholds {
            let is_same = |number: &f64| (number / threshold - 1.0).abs() < 1e-9;
            let percent = |number: &f64| is_same(&(number / 100.0));
            let is_named = numbers.iter().any(|number| is_same(number) || percent(number));
            assert!(is_named, "{start}: {threshold} is not among {numbers:?}");
        }
    }
}

#[test]
fn laws_of_limits() {
    check(
        FINDINGS,
        &[
            ("| `wanted-rate` |", &[RATE_REACHED_SHARE]),
            ("| `free-slots` |", &[SLOTS_TAKEN_SHARE]),
            ("| `generator-ceiling` |", &[CEILING_SHARE]),
            ("| `thread-time` |", &[THREAD_BUSY_SHARE]),
            ("| `throttled-time` |", &[THROTTLED_SHARE]),
            ("| `group-limit` |", &[GROUP_LIMIT_SHARE]),
            ("| `held-above` |", &[HELD_ABOVE_SHARE, BUSY_SHARE, SLOTS_TAKEN_SHARE]),
            ("| `flushes` |", &[FLUSHING_SHARE]),
            ("| `unqueued` |", &[UNQUEUED_RATIO, SLOTS_TAKEN_SHARE]),
            ("| `plateau` |", &[PLATEAU_BEND, BURST_RATIO]),
            ("| `device-bytes` |", &[READS_AT_DEVICE_SHARE, WRITES_AT_DEVICE_SHARE]),
            ("| `cached-share` |", &[CACHED_SHARE]),
            ("| `dirty-bytes` |", &[1.0 - WRITES_AT_DEVICE_SHARE]),
            ("| `processor-time` |", &[PROCESSORS_BUSY_SHARE]),
            ("| `served-by-processor` |", &[PROCESSORS_BUSY_SHARE, INVOLVED_SHARE]),
            (
                "| `processor-wait` |",
                &[THREAD_BUSY_SHARE, WAIT_LIMITING_SHARE, RESIDENCE_SHARE, BUSY_SHARE],
            ),
            ("| `rating` |", &[RATING_REACHED_SHARE]),
            ("| `utilisation` |", &[FULL_SHARE]),
            ("| `residence` |", &[RESIDENCE_SHARE, INVOLVED_SHARE]),
            ("| `capacity` |", &[FULL_SHARE, NEARLY_FULL_SHARE]),
            ("| `emulated-path` |", &[FULL_SHARE]),
            ("| `join-wait` |", &[JOIN_WAIT_SHARE]),
            ("| `slowest-part` |", &[SLOW_PART_RATIO]),
        ],
    );
}

#[test]
fn causes_depths_and_members() {
    check(
        FINDINGS,
        &[
            ("| `rate` |", &[RATE_REACHED_SHARE, SLOTS_TAKEN_SHARE]),
            ("| `generator` |", &[CEILING_SHARE, THREAD_BUSY_SHARE]),
            ("| `throttle` |", &[THROTTLED_SHARE, GROUP_LIMIT_SHARE, HELD_ABOVE_SHARE]),
            ("| `cpu` |", &[PROCESSORS_BUSY_SHARE, THREAD_BUSY_SHARE]),
            ("| `flush` |", &[FLUSHING_SHARE]),
            (
                "| `latency` |",
                &[UNQUEUED_RATIO, RESIDENCE_SHARE, AHEAD_RATIO, IN_FLIGHT_PER_STREAM],
            ),
            ("| `device` |", &[RATING_REACHED_SHARE, FULL_SHARE, RESIDENCE_SHARE]),
            ("| `synchronisation` |", &[JOIN_WAIT_SHARE]),
            ("## Comparing depths", &[FLAT_DIFFERENCE, IMPOSED_DIFFERENCE, FOLLOWED_SHARE]),
            ("| `saturated` |", &[BUSY_SHARE]),
            ("| `balanced` |", &[EVEN_RATIO]),
            ("| `slow-members` |", &[SLOW_RATIO, QUEUED_RATIO]),
            ("| `uneven-rate` |", &[IDLE_SHARE]),
            ("| `unlike` |", &[SIMILAR_SIZE_RATIO, SLOW_RATIO]),
            ("| `equal` |", &[LAYER_DIFFERENCE]),
            ("| `slip-and-framing` |", &[LOOSE_LAYER_DIFFERENCE]),
            ("| `copies` | 2", &[UNSTATED_COPIES]),
        ],
    );
}

#[test]
fn the_audit() {
    let audit = &FINDINGS[FINDINGS.find("\n## The audit").expect("its section")..];
    check(
        audit,
        &[
            ("| `shares` |", &[ROUNDING_TOLERANCE]),
            ("| `little` |", &[BATCH_TOLERANCE, CLOCK_READING_NS]),
            ("| `capacity` |", &[BATCH_TOLERANCE, WANTED_RATE_TOLERANCE, SAMPLING_TOLERANCE]),
            ("| `capacity` |", &[ARRIVAL_ERRORS, RATING_EXCEEDED_RATIO - 1.0]),
            ("| `layers` |", &[LAYERS_TOLERANCE]),
            ("| `utilisation` |", &[SAMPLING_TOLERANCE, READINGS_NS / 1e6, CLOCK_TICK_NS / 1e6]),
            ("| `in-flight` |", &[SAMPLING_TOLERANCE, CLOCK_TICK_NS / 1e6]),
            ("| `bound` |", &[BOUND_TOLERANCE, BOUND_JUDGED_HALF_WIDTH]),
        ],
    );
}

#[test]
fn warnings_and_probes() {
    check(
        WARNINGS,
        &[
            ("### `short-window`", &[SHORT_WINDOW_NS as f64 / 1e9]),
            ("### `skew`", &[SKEW_SHARE]),
            ("### `clock-bound`", &[CLOCK_BOUND_SHARE]),
            ("### `cpu-steal`", &[STEAL_SHARE]),
            ("### `other-load`", &[OTHER_LOAD_SHARE]),
            ("### `other-traffic`", &[OTHER_TRAFFIC_RATIO]),
            ("### `unfair`", &[UNFAIR_JAIN]),
            ("### `rate-missed`", &[RATE_REACHED_SHARE]),
            ("### `intensity-missed`", &[INTENSITY_DIFFERENCE, INTENSITY_VARIATION]),
        ],
    );
    let loss = "| share of what it gets alone that a target loses for it to count |";
    check(PROBING, &[(loss, &[LOSS, LOSS / 2.0])]);
    let advised = passage(FINDINGS, "| `scheduler` |");
    assert!(advised.contains(&iopath_units::Bytes(SMALL_REQUEST_BYTES).to_string()), "{advised}");
}
