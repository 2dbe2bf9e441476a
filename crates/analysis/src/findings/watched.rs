//! Counters that were watched without a stream of our own: what counts the load
//! ([`crate::usage::loaded`]) stands for what the application did.
//!
//! Each counts once, over the part under load. It leaves out what caches above the devices gave,
//! and percentiles.

use crate::findings::{Findings, OpFindings, PassFindings};
use crate::judges::metrics::Moved;
use crate::usage::pass::Pass;
use crate::usage::{Requests, Usage};

/// Of all that counts the load; percentiles are not known.
fn together(passes: &[Pass<'_>], kind: fn(&Usage) -> Requests) -> OpFindings {
    let moved = Moved::of(passes, kind);
    OpFindings {
        throughput_bytes_per_sec: moved.bytes / moved.seconds,
        operations_per_sec: moved.operations_per_sec(),
        requests: moved.operations.round() as u64,
        bytes: moved.bytes.round() as u64,
        latency_ns_mean: moved.ns_mean,
        latency_ns_p50: None,
        latency_ns_p90: None,
        latency_ns_p99: None,
        latency_ns_p999: None,
        latency_ns_max: None,
    }
}

/// Puts what the devices moved where the streams' figures would stand. Passes of an observation
/// follow one another and are no repetitions, so no confidence comes from them.
pub(crate) fn fill(findings: Findings, passes: &[Pass<'_>]) -> Findings {
    let all = together(passes, |usage| usage.transfers);
    let (read, write) =
        (together(passes, |usage| usage.read), together(passes, |usage| usage.write));
    let is_mixed = read.bytes > 0 && write.bytes > 0;
    Findings {
        throughput_bytes_per_sec: all.throughput_bytes_per_sec,
        operations_per_sec: all.operations_per_sec,
        requests: all.requests,
        bytes: all.bytes,
        latency_ns_mean: all.latency_ns_mean,
        read: is_mixed.then_some(read),
        write: is_mixed.then_some(write),
        passes: passes.iter().map(pass_findings).collect(),
        confidence: None,
        ..findings
    }
}

fn pass_findings(pass: &Pass<'_>) -> PassFindings {
    let all = together(std::slice::from_ref(pass), |usage| usage.transfers);
    PassFindings {
        pass: pass.record.case.pass,
        throughput_bytes_per_sec: all.throughput_bytes_per_sec,
        deskewed_throughput_bytes_per_sec: None,
        operations_per_sec: all.operations_per_sec,
    }
}

#[cfg(test)]
mod tests {
    use iopath_record::{Counter, Entity, EntityId, Kind, Record, Series, Technique};

    use crate::findings::analyse::analyse;
    use crate::judges::audit::audit;
    use crate::judges::limit::{Cause, EvidenceLaw, Fact, Nothing};
    use crate::sample::Sample;

    const SECOND: u64 = 1_000_000_000;

    /// A device that moves 100 MB in each of `seconds`, busy and with so many in flight as said,
    /// beside one that idles; two seconds of rest before and behind.
    fn watched(seconds: usize, busy: f64, in_flight: f64) -> Record {
        let mut record = Sample::new().record();
        record.technique = Technique::Observation;
        (record.streams, record.heat, record.relations) = (Vec::new(), Vec::new(), Vec::new());
        let disk = record.entities.iter().find(|one| one.kind == Kind::Disk).unwrap().clone();
        let idle = Entity { name: "idle".to_owned(), ..disk.clone() };
        record.entities = vec![disk, idle];
        record.instants_ns = (0..seconds as u64 + 5).map(|n| n * SECOND).collect();
        let count = record.instants_ns.len();
        let series = |entity, counter, each: u64| {
            let loaded = |at: usize| at.saturating_sub(2).min(seconds) as u64;
            let values: Vec<u64> = (0..count).map(|at| loaded(at) * each).collect();
            Series::from_values(EntityId(entity), counter, &values)
        };
        record.series = vec![
            series(0, Counter::ReadBytes, 100_000_000),
            series(0, Counter::WriteBytes, 0),
            series(0, Counter::ReadOperations, 1_000),
            series(0, Counter::ReadNs, (in_flight * 1e9) as u64),
            series(0, Counter::BusyNs, (busy * 1e9) as u64),
            series(0, Counter::InFlightNs, (in_flight * 1e9) as u64),
            series(1, Counter::ReadBytes, 0),
            series(1, Counter::WriteBytes, 0),
            series(1, Counter::BusyNs, 0),
            series(1, Counter::InFlightNs, 0),
        ];
        record
    }

    #[test]
    fn the_load_of_others_is_told_without_the_rest_around_it() {
        let findings = analyse(&[watched(10, 0.4, 2.0)]).unwrap();
        assert_eq!((findings.duration_ns, findings.bytes), (10 * SECOND, 1_000_000_000));
        assert_eq!((findings.requests, findings.throughput_bytes_per_sec), (10_000, 1e8));
        assert_eq!((findings.latency_ns_mean, findings.latency_ns_p99), (Some(2e6), None));
        assert!(findings.read.is_none(), "nothing was written");
        assert_eq!(findings.limit.cause, Cause::Unknown);
        assert!(findings.limit.evidence.iter().any(|line| line.law() == EvidenceLaw::Utilisation));
        assert!(findings.warnings.is_empty(), "{:?}", findings.warnings);
        assert!(audit(&watched(10, 0.4, 2.0)).iter().all(|law| law.holds));
    }

    #[test]
    fn what_was_moved_and_completed_in_all_counts_where_no_direction_is_told() {
        let mut record = watched(10, 0.4, 2.0);
        record.series.retain(|one| one.entity == EntityId(0));
        for series in &mut record.series {
            series.counter = match series.counter {
                Counter::ReadBytes => Counter::MovedBytes,
                Counter::ReadOperations => Counter::Completed,
                other => other,
            };
        }
        record.series.retain(|one| !matches!(one.counter, Counter::ReadNs | Counter::WriteBytes));
        let findings = analyse(&[record]).unwrap();
        assert_eq!((findings.duration_ns, findings.bytes), (10 * SECOND, 1_000_000_000));
        assert_eq!((findings.requests, findings.latency_ns_mean), (10_000, Some(2e6)));
    }

    #[test]
    fn a_device_that_never_idles_under_the_load_is_its_limit() {
        let findings = analyse(&[watched(10, 1.0, 8.0)]).unwrap();
        assert_eq!(findings.limit.cause, Cause::Device);
        assert_eq!(findings.limit.entity.as_deref(), Some("vda"));
    }

    #[test]
    fn passes_of_one_observation_are_summed_and_no_repetitions() {
        let first = watched(10, 0.4, 2.0);
        let mut second = watched(5, 0.4, 2.0);
        second.case.pass = 1;
        let findings = analyse(&[first, second]).unwrap();
        assert_eq!((findings.bytes, findings.duration_ns), (1_500_000_000, 15 * SECOND));
        assert_eq!((findings.passes.len(), findings.confidence), (2, None));
    }

    #[test]
    fn where_nothing_moved_nothing_is_concluded() {
        let findings = analyse(&[watched(0, 0.0, 0.0)]).unwrap();
        assert_eq!((findings.bytes, findings.limit.cause), (0, Cause::Unknown));
        assert_eq!(findings.limit.evidence[0].fact, Fact::Completions(Nothing::Moved));
    }
}
