//! What holds for all streams, and what of it cannot hold together.

use crate::case::{KernelSettings, Until, Verify, Workload};
use crate::declaration::Declaration;
use crate::mistake::{Collected, MistakeKind};
use crate::source::Span;
use crate::value::Value;

/// Passes of a workload with `until-ci` where nothing is said: a confidence interval of two
/// values is wider than anything useful (t = 12.7), one of three is the least (t = 4.3).
pub(crate) const PASSES_UNTIL_CI: u32 = 3;

/// `None` where a value failed.
pub(super) fn workload(row: &Declaration, collected: &mut Collected) -> Option<Workload> {
    contradictions(row, collected);
    let optional = |name: &str| match row.values.get(name).map(|value| &value.value) {
        Some(Value::Failed) => None,
        value => Some(value.cloned()),
    };
    let time = |name: &str| row.get(name)?.value.time();
    let until_ci = optional("until-ci")?;
    let passes = match (row.values.get("passes"), &until_ci) {
        (None, Some(_)) => PASSES_UNTIL_CI,
        _ => u32::try_from(row.get("passes")?.value.count()?).ok()?,
    };
    Some(Workload {
        until: Until {
            time: optional("time")?.and_then(|value| value.time()),
            amount: optional("amount")?.and_then(|value| value.size()),
        },
        warm_up: time("warm-up")?,
        passes,
        pass_delay: time("pass-delay")?,
        until_ci: until_ci.and_then(|value| value.share()),
        engine: row.get("engine")?.value.choice()?,
        buffers: row.get("buffers")?.value.choice()?,
        cache: row.get("cache")?.value.choice()?,
        kernel: KernelSettings {
            readahead: optional("kernel-readahead")?.and_then(|value| value.size()),
            scheduler: optional("kernel-scheduler")?.and_then(|value| value.choice()),
            max_request: optional("kernel-max-request")?.and_then(|value| value.size()),
            requests: match optional("kernel-requests")? {
                Some(value) => Some(u32::try_from(value.count()?).ok()?),
                None => None,
            },
        },
        verify: match row.get("verify")?.value {
            Value::Flag(true) => Verify::Stamps,
            _ => Verify::Off,
        },
        seed: row.get("seed")?.value.count()?,
        sample_interval: time("sample-interval")?,
    })
}

/// The least distance of two samples, in ns: chosen; a sample of some devices takes about 1 ms.
const LEAST_INTERVAL_NS: u64 = 10_000_000;

fn contradictions(row: &Declaration, collected: &mut Collected) {
    let word = |name: &str| row.get(name).and_then(|value| value.value.word());
    let span = |name: &str| row.values.get(name).map_or(row.span, |value| value.span);
    let mut wrong = |span: Span, message: &str, hint: &str| {
        collected.hinted(MistakeKind::Contradiction, span, message, hint);
    };
    if word("engine") == Some("mmap") && word("cache") == Some("direct") {
        let message = "the engine mmap goes through the page cache; cache=\"direct\" cannot hold";
        let hint = "add cache=\"buffered\" or cache=\"drop\"";
        let at = if row.values.contains_key("cache") { "cache" } else { "engine" };
        wrong(span(at), message, hint);
    }
    let verifies = row.get("verify").is_some_and(|value| value.value == Value::Flag(true));
    if word("engine") == Some("null") && verifies {
        let message = "the engine null moves no data, so there is nothing to verify";
        wrong(span("verify"), message, "remove verify, or use another engine");
    }
    kernel(row, &mut wrong);
    let share = row.values.get("until-ci").and_then(|value| value.value.share());
    if share.is_some_and(|share| share.0 == 0) {
        wrong(span("until-ci"), "until-ci cannot be zero", "write until-ci=\"2 %\"");
    }
    let interval = row.values.get("sample-interval").and_then(|value| value.value.time());
    if interval.is_some_and(|interval| interval.0 < LEAST_INTERVAL_NS) {
        let message = "intervals below 10 ms cost more than they show";
        wrong(span("sample-interval"), message, "write sample-interval=\"1 s\"");
    }
    let passes = row.values.get("passes").and_then(|value| value.value.count());
    if share.is_some() && passes == Some(1) {
        let message = "until-ci needs at least two passes";
        wrong(span("passes"), message, "remove passes, or write passes=3");
    }
}

/// The kernel counts in whole pages; it reads ahead only through its page cache.
fn kernel(row: &Declaration, wrong: &mut impl FnMut(Span, &str, &str)) {
    const PAGE: u64 = 4096;
    for name in ["kernel-readahead", "kernel-max-request"] {
        let Some(stated) = row.values.get(name) else { continue };
        if stated.value.size().is_some_and(|size| !size.0.is_multiple_of(PAGE)) {
            let message = format!("{name} must be a multiple of 4 KiB, the page size");
            wrong(stated.span, &message, &format!("write {name}=\"128 KiB\""));
        }
    }
    let Some(stated) = row.values.get("kernel-readahead") else { return };
    if row.get("cache").and_then(|value| value.value.word()) == Some("direct") {
        let message = "the kernel reads ahead in the page cache only; cache=\"direct\" bypasses it";
        wrong(stated.span, message, "remove kernel-readahead, or use cache=\"buffered\"");
    }
}
