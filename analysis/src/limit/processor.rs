//! Processor time: all processors busy, or each stream's one thread busy in the kernel.

use super::generator::{NEVER_RESTS, threads};
use super::{Cause, Evidence, Judgement, Weight, percent};
use crate::observed::{DeviceUse, Observed, ProcessorUse};

/// Share of all processor time from which nothing is left: chosen.
const ALL_BUSY: f64 = 0.95;

/// Utilisation from which a device is no bystander: chosen; as for the time of requests in devices.
const SERVED: f64 = 0.8;

/// Share of their time that threads wait for a processor from which it is told: chosen.
const WAITS: f64 = 0.05;

/// Part of the busy time that must be this process's own: chosen. Where others keep the
/// processors busy, threads that need little still get it at once.
const OURS: f64 = 0.5;

pub(super) fn judge(observed: &Observed) -> Judgement {
    let mut judgement = Judgement::open(Cause::Cpu);
    if let Some(processors) = &observed.processors {
        let is_ours = processors.own.is_none_or(|own| own >= OURS * processors.busy);
        let proves = processors.busy >= ALL_BUSY && is_ours;
        judgement.add(machine(processors), Weight::of(proves));
    }
    if let Some(line) = serving(observed) {
        judgement.add(line, Weight::Proves);
    }
    if let Some(line) = waiting(observed) {
        let proves = line.value >= NEVER_RESTS;
        judgement.add(line, Weight::of(proves));
    }
    add_threads(&mut judgement, observed);
    judgement
}

/// The threads alone: where processors of a path are full, its capacities say so.
pub(super) fn judge_threads(observed: &Observed) -> Judgement {
    let mut judgement = Judgement::open(Cause::Cpu);
    add_threads(&mut judgement, observed);
    judgement
}

fn add_threads(judgement: &mut Judgement, observed: &Observed) {
    if let Some(mut line) = threads(observed) {
        let user: f64 = observed.streams.iter().map(|s| s.user - s.system).sum();
        let proves = line.value >= NEVER_RESTS && (user <= 0.0 || observed.engine == "mmap");
        if proves {
            line.text.push_str(SINGLE);
        }
        judgement.add(line, Weight::of(proves));
    }
}

/// A device that is no more than a thread of the kernel, while a processor has no time left: its
/// utilisation is that of the processor.
fn serving(observed: &Observed) -> Option<Evidence> {
    let (processor, value) = observed.processors.as_ref()?.busiest.clone()?;
    let served = observed.devices.iter().filter(|device| device.is_software);
    let by_utilisation = |device: &&DeviceUse| device.utilisation.unwrap_or_default();
    let device = served.max_by(|a, b| by_utilisation(a).total_cmp(&by_utilisation(b)))?;
    let busy = by_utilisation(&device);
    let text = format!(
        "{} is served by processors, of which {processor} was busy {} of the time",
        device.name,
        percent(value)
    );
    let line = Evidence {
        entity: processor,
        law: "served-by-processor",
        value,
        threshold: ALL_BUSY,
        text,
    };
    (value >= ALL_BUSY && busy >= SERVED).then_some(line)
}

/// Share of their time that threads want a processor: on one or waiting for one. Who waits has
/// none, though others may be idle, such as those that the process may not use.
fn waiting(observed: &Observed) -> Option<Evidence> {
    let waiting = observed.processors.as_ref()?.waiting? / observed.threads();
    let on_one = observed.streams.iter().map(|stream| stream.user + stream.system).sum::<f64>();
    let value = on_one / observed.streams.len() as f64 + waiting;
    let text = format!(
        "the streams' threads wanted a processor {} of the time and waited for it {}",
        percent(value.min(1.0)),
        percent(waiting.min(1.0))
    );
    let entity = "cpu".to_owned();
    let line = Evidence { entity, law: "processor-wait", value, threshold: NEVER_RESTS, text };
    (waiting >= WAITS).then_some(line)
}

const SINGLE: &str =
    ": one processor's time is the limit of each stream; more streams may give more";

fn machine(processors: &ProcessorUse) -> Evidence {
    let ProcessorUse { busy, steal, own, count, .. } = processors;
    let stolen = match *steal {
        steal if steal >= 0.005 => format!(", {} taken by the hypervisor", percent(steal)),
        _ => String::new(),
    };
    let own = own.map(|own| format!(" ({} by this process)", percent(own)));
    let own = own.unwrap_or_default();
    Evidence {
        entity: "cpu".to_owned(),
        law: "processor-time",
        value: *busy,
        threshold: ALL_BUSY,
        text: format!(
            "the {count} processors were busy {} of the time{own}{stolen}",
            percent(*busy)
        ),
    }
}
