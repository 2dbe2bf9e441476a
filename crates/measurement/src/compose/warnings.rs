//! What a reader of the figures must know, as far as only the measurement can know it.

use iopath_record::{Phase, Warning};
use iopath_units::{Bytes, Human, System};

use super::{Composer, PassFacts};
use crate::engine::choice::Way;
use crate::pass::Outcome;
use crate::target::{CacheUsed, OpenFile, OpenTarget, Service};

/// All warnings of a pass.
pub(super) fn of(
    composer: &Composer<'_>,
    outcome: &Outcome,
    facts: &PassFacts<'_>,
) -> Vec<Warning> {
    let targets = composer.targets.iter();
    let mut warnings: Vec<Warning> = targets.clone().filter_map(refused).collect();
    let left = targets.zip(&facts.left_cached);
    warnings.extend(left.filter_map(|(target, left)| left.and_then(|left| stayed(target, left))));
    warnings.extend(no_ring(composer));
    let targets = composer.targets.iter();
    warnings.extend(targets.filter_map(|target| by_workers(composer, target)));
    warnings.extend(refused_to_try(outcome));
    warnings.extend(in_turn(composer));
    warnings.extend(not_registered(outcome));
    warnings.extend(not_huge(composer, outcome));
    warnings.extend(empty_window(outcome));
    warnings.extend(trimmed_again(composer, outcome, &facts.trimmed));
    if let Some(failure) = facts.failed {
        warnings.push(warning("pass-failed", format!("the pass ended early: {failure}")));
    } else if outcome.interrupted {
        warnings.push(warning("interrupted", "the pass was interrupted by the user".to_owned()));
    }
    warnings
}

fn warning(kind: &str, text: String) -> Warning {
    Warning { kind: kind.to_owned(), text }
}

/// The files of a target of which something is true: the first one's system, and what to call them.
fn those(target: &OpenTarget, is: impl Fn(&OpenFile) -> bool) -> Option<(&str, String)> {
    let mut found = target.files.iter().filter(|file| is(file));
    let first = found.next()?;
    let system = first.facts.file_system.as_ref().map_or("it", |system| &system.type_name);
    let label = match found.count() {
        0 => first.label.clone(),
        others => format!("{} and {others} more of {}", first.label, target.label),
    };
    Some((system, label))
}

fn refused(target: &OpenTarget) -> Option<Warning> {
    let (system, label) = those(target, |file| file.cache == CacheUsed::DirectRefused)?;
    let text =
        format!("{label}: {system} refuses direct I/O; requests went through the page cache");
    Some(warning("direct-refused", text))
}

fn stayed(target: &OpenTarget, left: u64) -> Option<Warning> {
    let share = left as f64 / target.bytes.max(1) as f64;
    // Chosen: a few pages always stay, a hundredth of the target is not worth a word.
    (share > 0.01).then(|| {
        let text = format!(
            "{}: {} stayed in the page cache although it should have been dropped",
            target.label,
            Bytes(left).human(System::Decimal)
        );
        warning("drop-incomplete", text)
    })
}

fn no_ring(composer: &Composer<'_>) -> Option<Warning> {
    let refusal = composer.choice.refusal.as_ref()?;
    let text = format!(
        "io_uring is not permitted here ({refusal}); blocking calls were used instead, one \
         thread for each request in flight: check kernel.io_uring_disabled, the container's \
         filter, or \
         `ulimit -l`"
    );
    Some(warning("ring-unavailable", text))
}

fn by_workers(composer: &Composer<'_>, target: &OpenTarget) -> Option<Warning> {
    if composer.choice.engine != Way::Uring {
        return None;
    }
    let (system, label) = those(target, |file| file.service == Service::Workers)?;
    let text = format!(
        "{label}: {system} cannot be read or written without blocking, so kernel workers (io-wq) \
         execute the ring's requests; their processor time is counted"
    );
    Some(warning("kernel-workers", text))
}

fn refused_to_try(outcome: &Outcome) -> Option<Warning> {
    let by_workers = outcome.workers.iter().filter(|worker| worker.by_workers).count();
    (by_workers > 0).then(|| {
        let text = format!(
            "the kernel could not queue requests of {by_workers} of {} streams without blocking \
             (EAGAIN: a limit such as io.max, or a full queue), so kernel workers (io-wq) \
             executed them from then on; their processor time is counted",
            outcome.workers.len()
        );
        warning("kernel-workers", text)
    })
}

fn in_turn(composer: &Composer<'_>) -> Option<Warning> {
    let deep = composer.case.streams.iter().any(|stream| stream.depth > 1);
    (composer.choice.engine == Way::Calls && deep).then(|| {
        let text = "blocking calls serve requests in flight in turn: latency is that of a whole \
            batch; for the latency of one request use a depth of 1";
        warning("in-turn", text.to_owned())
    })
}

fn not_registered(outcome: &Outcome) -> Option<Warning> {
    let rings = outcome.workers.iter().filter_map(|worker| worker.ring);
    let without = rings.filter(|ring| !ring.fixed_buffers).count();
    (without > 0).then(|| {
        let text = format!(
            "the buffers of {without} of {} streams could not be registered with their rings \
             (`ulimit -l`, or more than 1 GiB in one ring): each request pays for mapping its \
             pages",
            outcome.workers.len()
        );
        warning("buffers-not-registered", text)
    })
}

fn not_huge(composer: &Composer<'_>, outcome: &Outcome) -> Option<Warning> {
    use iopath_study::case::BufferKind;
    let asked = composer.case.workload.buffers == BufferKind::Huge;
    let huge: u64 = outcome.workers.iter().map(|worker| worker.huge_bytes).sum();
    let all: u64 = outcome.workers.iter().map(|worker| worker.buffer_bytes).sum();
    (asked && huge < all).then(|| {
        let [huge, all] = [huge, all].map(|bytes| Bytes(bytes).human(System::Decimal));
        let text = format!("{huge} of {all} of the buffers are in huge pages");
        warning("not-huge", text)
    })
}

fn empty_window(outcome: &Outcome) -> Option<Warning> {
    let mut windows = outcome.edges.iter().filter(|(phase, ..)| *phase == Phase::Window);
    windows.any(|(_, from, to)| from >= to).then(|| {
        let text = "there was no time in which all streams were active: no de-skewed figures";
        warning("empty-window", text.to_owned())
    })
}

/// What was trimmed holds nothing until it is written again, so the next trim of it costs less.
fn trimmed_again(composer: &Composer<'_>, outcome: &Outcome, before: &[bool]) -> Option<Warning> {
    if composer.choice.engine == Way::Null {
        return None;
    }
    let of = |target: usize| {
        let counts = composer.case.streams.iter().zip(&outcome.streams);
        let counts = counts.filter(move |(stream, _)| stream.target == target);
        let phases = counts.flat_map(|(_, counts)| &counts.phases);
        phases.map(|phase| [phase.trim_bytes, phase.write_bytes])
    };
    let is_again = |(at, target): &(usize, &OpenTarget)| {
        let [trimmed, written] =
            of(*at).fold([0, 0], |sum, one| [sum[0] + one[0], sum[1] + one[1]]);
        let was_empty = before.get(*at) == Some(&true) && written < trimmed;
        trimmed > 0 && (was_empty || trimmed > target.bytes.max(written))
    };
    let (_, target) = composer.targets.iter().enumerate().find(is_again)?;
    let text = format!(
        "{}: ranges were trimmed more than once with no write in between; trimming an empty range \
         may be faster",
        target.label
    );
    Some(warning("trimmed-again", text))
}
