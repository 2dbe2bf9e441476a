//! Records of several hosts as one: figures add up, and what one host lacks is said of that host.

use std::collections::BTreeMap;

use iopath_record::hosts::{AxisMap, Host, OfRank, merge};
use iopath_record::{CaseText, Counter, Kind, Record};

use super::analyse;
use crate::judges::layers::layers;
use crate::sample::Sample;

/// Each rank on a host of its own, with streams of its own.
fn merged(samples: &[Sample], identities: &[(&str, &str)]) -> Record {
    let part = |(rank, sample): (u32, &Sample)| {
        let mut record = sample.record();
        for entity in record.entities.iter_mut().filter(|entity| entity.kind == Kind::Stream) {
            entity.name = entity.name.replace('[', &format!("[{rank}]["));
        }
        // Without it the file hands on what it gets.
        record.series.retain(|series| series.counter != Counter::CachedBytes);
        let known = identities.iter().map(|(name, who)| ((*name).to_owned(), (*who).to_owned()));
        let (name, node) = (format!("host{rank}"), format!("node[{rank}]"));
        let host = Host { machine: name.clone(), name, node };
        let identities: BTreeMap<String, String> = known.collect();
        OfRank { rank, host, record, identities, axis: AxisMap::default(), bound_ns: 0 }
    };
    merge(CaseText::default(), (0..).zip(samples).map(part).collect()).unwrap()
}

const SHARED: [(&str, &str); 2] = [("scratch", "nfs.server:/x#7"), ("vda", "naa.1")];

#[test]
fn figures_of_hosts_add_up_and_every_law_holds() {
    let one = analyse(&[Sample::new().record()]).unwrap();
    for identities in [&[][..], &SHARED] {
        let record = merged(&[Sample::new(), Sample::new()], identities);
        let both = analyse(std::slice::from_ref(&record)).unwrap();
        let rate = |findings: &crate::Findings| findings.deskewed_throughput_bytes_per_sec.unwrap();
        assert!((rate(&both) / rate(&one) - 2.0).abs() < 1e-9);
        assert_eq!(both.latency_ns_p99, one.latency_ns_p99);
        let broken: Vec<_> = both.audit.iter().filter(|law| !law.holds).collect();
        assert!(broken.is_empty(), "{broken:?}");
        let kinds: Vec<&str> = both.warnings.iter().map(crate::Warning::kind).collect();
        assert!(kinds.is_empty(), "{kinds:?}");
        let steps = layers(&record).steps;
        assert!(!steps.is_empty());
        for step in steps {
            assert!((step.ratio - 1.0).abs() < 0.01, "{step:?}");
        }
    }
}

#[test]
fn processors_are_those_of_the_host_that_has_the_least_left() {
    let busy = Sample { machine_busy: 0.99, thread_system: 0.99, ..Sample::new() };
    let record = merged(&[Sample::new(), busy], &[]);
    let found = analyse(&[record]).unwrap();
    let named = found.limit.evidence.iter().any(|line| line.entity == "node[1].cpu");
    assert!(named, "{:?}", found.limit);
}
