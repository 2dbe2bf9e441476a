//! Processor time: all processors busy, each stream's one thread busy in the kernel, a processor
//! that serves a device of software, or threads that wait for one that others use as well.
//!
//! Where all processors are busy, the busiest shows no single thread that needs it: what a device
//! of software lacks then is processor time as such, whatever program takes it.
//!
//! Who waits for a processor has none, though others may be idle, such as those that it may not
//! use. A stream whose threads wait for the share w of their time does up to 1 / (1 − w) as much
//! where they need not wait. It leaves out which processor that is, since threads move.

use super::generator::{is_mostly_user, rests_most, threads};
use super::{Cause, Evidence, Fact, Judgement, Weight};
use crate::judges::metrics::{Busiest, DeviceUse, ProcessorUse, StreamUse, TrialMetrics};
use crate::thresholds::limits::{
    BUSY_SHARE, INVOLVED_SHARE, KERNEL_SHARE, OWN_BUSY_SHARE, PROCESSORS_BUSY_SHARE,
    RESIDENCE_SHARE, THREAD_BUSY_SHARE, WAIT_LIMITING_SHARE, WAIT_REPORTED_SHARE,
};

pub(super) fn judge(metrics: &TrialMetrics) -> Judgement {
    let mut judgement = Judgement::open(Cause::Cpu);
    let serving = serving(metrics);
    let is_full = |all: &ProcessorUse| all.busy >= PROCESSORS_BUSY_SHARE;
    if let Some(processors) = &metrics.processors {
        let is_ours = processors.own.is_none_or(|own| own >= OWN_BUSY_SHARE * processors.busy);
        let proves = is_full(processors) && (is_ours || serving.is_some());
        judgement.add(machine(processors), Weight::of(proves));
    }
    if let Some(line) = serving {
        let is_single = !metrics.processors.as_ref().is_some_and(is_full);
        judgement.add(line, Weight::of(is_single));
    }
    if let Some(line) = waiting(metrics) {
        let proves = line.value >= THREAD_BUSY_SHARE || is_held_back(metrics);
        judgement.add(line, Weight::of(proves));
    }
    add_threads(&mut judgement, metrics);
    judgement
}

/// The threads alone: where processors of a path are full, its capacities say so.
pub(super) fn judge_threads(metrics: &TrialMetrics) -> Judgement {
    let mut judgement = Judgement::open(Cause::Cpu);
    add_threads(&mut judgement, metrics);
    judgement
}

fn add_threads(judgement: &mut Judgement, metrics: &TrialMetrics) {
    let is_processors = !is_mostly_user(metrics) || metrics.engine == "mmap";
    let is_limit = |busy: f64| busy >= THREAD_BUSY_SHARE && is_processors;
    if let Some(line) = threads(metrics, is_limit) {
        let proves = is_limit(line.value);
        judgement.add(line, Weight::of(proves));
    }
}

/// A device that is no more than a thread of the kernel, while a processor has no time left and is
/// in the kernel: its utilisation is that of the processor.
fn serving(metrics: &TrialMetrics) -> Option<Evidence> {
    let Busiest { name, busy: value, kernel } = metrics.processors.as_ref()?.busiest.as_ref()?;
    let served = metrics.bottoms().filter(|device| device.is_software);
    let by_utilisation = |device: &&DeviceUse| device.usage.utilisation.unwrap_or_default();
    let device = served.max_by(|a, b| by_utilisation(a).total_cmp(&by_utilisation(b)))?;
    let busy = by_utilisation(&device);
    let line = Evidence {
        entity: name.clone(),
        fact: Fact::ServedByProcessor { device: device.name.clone(), kernel: *kernel },
        value: *value,
        threshold: PROCESSORS_BUSY_SHARE,
    };
    (*value >= PROCESSORS_BUSY_SHARE && *kernel >= KERNEL_SHARE && busy >= INVOLVED_SHARE)
        .then_some(line)
}

/// Share of its time that a thread waits for a processor.
pub(super) fn waits(metrics: &TrialMetrics) -> Option<f64> {
    Some(metrics.processors.as_ref()?.waiting? / metrics.threads())
}

/// All slots are taken, requests are not in the devices, which rest now and then, and the threads
/// that would take them on wait for a processor.
fn is_held_back(metrics: &TrialMetrics) -> bool {
    let is_much = waits(metrics).is_some_and(|waits| waits >= WAIT_LIMITING_SHARE);
    let in_flight = metrics.in_flight();
    let elsewhere = metrics.in_devices().is_some_and(|below| below < RESIDENCE_SHARE * in_flight);
    let is_rated = metrics.devices.iter().chain(&metrics.members).any(super::device::is_at_rating);
    let rests = |device: &DeviceUse| device.usage.utilisation.is_none_or(|busy| busy < BUSY_SHARE);
    let may_be = elsewhere && !is_rated && metrics.devices.iter().all(rests);
    is_much && may_be && super::taken(metrics).is_some()
}

/// Share of their time that threads want a processor: on one or waiting for one.
fn waiting(metrics: &TrialMetrics) -> Option<Evidence> {
    let waiting = waits(metrics)?;
    let line = Evidence {
        entity: metrics.processors.as_ref()?.name.clone(),
        fact: Fact::ProcessorWait { waiting, is_held_back: is_held_back(metrics) },
        value: rests_most(metrics).map_or(0.0, StreamUse::busy) + waiting,
        threshold: THREAD_BUSY_SHARE,
    };
    (waiting >= WAIT_REPORTED_SHARE).then_some(line)
}

fn machine(processors: &ProcessorUse) -> Evidence {
    let ProcessorUse { busy, steal, own, count, .. } = *processors;
    Evidence {
        entity: processors.name.clone(),
        fact: Fact::ProcessorTime { count, own, steal },
        value: busy,
        threshold: PROCESSORS_BUSY_SHARE,
    }
}

#[cfg(test)]
mod tests {
    use super::super::{Limiting, judge as limit};
    use super::*;
    use crate::sample::Sample;
    use crate::usage::pass::Pass;

    /// Two streams on processors that others use, too: `waiting` is the share that each waits.
    fn shared(sample: &Sample, waiting: f64) -> Limiting {
        let record = sample.record();
        let mut metrics = TrialMetrics::of(&[Pass::of(&record)]);
        let processors = metrics.processors.as_mut().unwrap();
        processors.waiting = Some(2.0 * waiting);
        limit(&metrics)
    }

    #[test]
    fn threads_that_wait_for_a_processor_are_limited_by_it() {
        // 8 requests in flight, of which 4.5 in the device, which is busy 60 % of the time.
        let found = shared(&Sample::new(), 0.4);
        assert_eq!((found.cause, found.entity.as_deref()), (Cause::Cpu, Some("cpu")));
        let waits = |line: &Evidence| match line.fact {
            Fact::ProcessorWait { waiting, is_held_back } => {
                is_held_back && (waiting - 0.4).abs() < 1e-9
            }
            _ => false,
        };
        assert!(found.evidence.iter().any(waits), "{found:?}");
        assert_eq!(shared(&Sample::new(), 0.2).cause, Cause::Unknown, "waits little");
    }

    #[test]
    fn threads_that_wait_are_no_limit_where_requests_are_in_the_device() {
        let busy = Sample { device_busy: 0.99, device_in_flight: 6.5, ..Sample::new() };
        assert_eq!(shared(&busy, 0.4).cause, Cause::Device);
        let filled = Sample { device_busy: 0.79, device_in_flight: 6.5, ..Sample::new() };
        assert_eq!(shared(&filled, 0.4).cause, Cause::Unknown);
        // One slow member of a stripe: no other device has much, and that one hardly rests.
        let member = Sample { device_busy: 0.95, device_in_flight: 4.5, ..Sample::new() };
        assert_eq!(shared(&member, 0.4).cause, Cause::Unknown);
    }

    #[test]
    fn nothing_above_a_resting_device_is_blamed_while_threads_wait_for_a_processor() {
        let rests = Sample { device_busy: 0.3, device_in_flight: 0.4, ..Sample::new() };
        assert_eq!(shared(&rests, 0.05).cause, Cause::Throttle);
        assert_eq!(shared(&rests, 0.4).cause, Cause::Cpu);
    }

    #[test]
    fn a_busy_processor_serves_a_device_of_software_only_in_the_kernel() {
        let found = served(0.4, 0.2);
        assert_eq!((found.cause, found.entity.as_deref()), (Cause::Cpu, Some("cpu1")));
        // Others compute there: the device waits for what lies behind it.
        assert_eq!(served(0.1, 0.2).cause, Cause::Device);
    }

    #[test]
    fn no_single_thread_is_blamed_where_others_keep_all_processors_busy() {
        let found = served(0.4, 0.99);
        assert_eq!((found.cause, found.entity.as_deref()), (Cause::Cpu, Some("cpu")));
        let names: Vec<&str> = found.evidence.iter().map(|line| line.entity.as_str()).collect();
        assert!(names.starts_with(&["cpu", "cpu1"]), "{found:?}");
        // Nothing is in the kernel: the processors are full, and the device needs none of them.
        assert_eq!(served(0.1, 0.99).cause, Cause::Device);
    }

    /// A busy device of software; the busiest processor is in the kernel for the share `kernel` of
    /// its time, and all of them together are busy for the share `all`.
    fn served(kernel: f64, all: f64) -> Limiting {
        let sample =
            Sample { device_busy: 0.99, device_in_flight: 7.5, machine_busy: all, ..Sample::new() };
        let record = sample.record();
        let mut metrics = TrialMetrics::of(&[Pass::of(&record)]);
        let busiest = Busiest { name: "cpu1".to_owned(), busy: 0.99, kernel };
        metrics.processors.as_mut().unwrap().busiest = Some(busiest);
        metrics.devices[0].is_software = true;
        limit(&metrics)
    }
}
