//! `fio`: totals, distributions, devices.

use iopath_import::{Asked, Tool, recognise};
use iopath_record::{Counter, Kind, Latency};
use iopath_units::Op;
use serde_json::Value;

use crate::fixtures::{FIO_2, FIO_GROUP, FIO_PLUS, FIO_SYNC, grown, record, records, stream, sum};

#[test]
fn jobs_are_streams_with_their_totals() {
    let record = record(FIO_PLUS, &Asked::default());
    let json: Value = serde_json::from_str(FIO_PLUS).unwrap();
    for (index, name) in [(0, "readers[0]"), (1, "readers[1]"), (2, "writer")] {
        let (job, stream) = (&json["jobs"][index], stream(&record, name));
        let of = |op: &str, field: &str| job[op][field].as_u64().unwrap();
        assert_eq!(sum(stream, |p| p.read_bytes), of("read", "io_bytes"), "{name}");
        assert_eq!(sum(stream, |p| p.write_bytes), of("write", "io_bytes"), "{name}");
        let requests = of("read", "total_ios") + of("write", "total_ios");
        assert_eq!(sum(stream, |p| p.completed), requests, "{name}");
        let mean = sum(stream, |p| p.in_flight_ns) as f64 / requests as f64;
        let weighed =
            |op: &str| job[op]["lat_ns"]["mean"].as_f64().unwrap() * of(op, "total_ios") as f64;
        let expected = (weighed("read") + weighed("write")) / requests as f64;
        assert!((mean / expected - 1.0).abs() < 1e-6, "{name}: {mean} not {expected}");
    }
    assert_eq!(record.environment["workload.depth"], "4");
    let disk = grown(&record, "vda", Counter::ReadOperations);
    assert_eq!(disk, json["disk_util"][0]["read_ios"].as_u64());
    assert_eq!(record.relations.len(), 3, "each stream on the only disk");
}

#[test]
fn distributions_of_json_plus_are_kept_whole() {
    let record = record(FIO_PLUS, &Asked::default());
    let json: Value = serde_json::from_str(FIO_PLUS).unwrap();
    let clat = &json["jobs"][0]["read"]["clat_ns"];
    let all = stream(&record, "readers[0]").phases.iter().flat_map(|phase| &phase.latency);
    let kept: Vec<_> =
        all.filter(|one| (one.what, one.op) == (Latency::Complete, Op::Read)).collect();
    let [kept] = kept[..] else { panic!("{kept:?}") };
    assert_eq!(kept.histogram.count(), clat["N"].as_u64().unwrap());
    assert_eq!(kept.histogram.min_ns, clat["min"].as_u64().unwrap());
    assert_eq!(kept.histogram.max_ns, clat["max"].as_u64().unwrap());
    for (point, q) in [("50.000000", 0.5), ("99.000000", 0.99), ("99.900000", 0.999)] {
        let said = clat["percentile"][point].as_u64().unwrap() as f64;
        let found = kept.histogram.quantile_ns(q).unwrap() as f64;
        assert!((found / said - 1.0).abs() < 0.01, "{point}: {found} not {said}");
    }
}

#[test]
fn what_stands_for_several_jobs_has_no_depth() {
    let record = record(FIO_GROUP, &Asked::default());
    let grouped = record.entities.iter().find(|entity| entity.kind == Kind::Stream).unwrap();
    assert!(grouped.limits.is_empty(), "{grouped:?}");
    assert!(record.warnings.iter().any(|warning| warning.text.contains("group_reporting")));
}

#[test]
fn flushes_and_options_without_a_place_are_facts_and_flushes_are_said() {
    let record = record(FIO_SYNC, &Asked::default());
    let json: Value = serde_json::from_str(FIO_SYNC).unwrap();
    let sync = &json["jobs"][0]["sync"]["lat_ns"];
    let fact = |name: &str| record.environment.get(name).map(String::as_str);
    assert_eq!(fact("import.fio.wal.sync.requests"), Some(sync["N"].to_string().as_str()));
    let mean: f64 = fact("import.fio.wal.sync.lat_ns_mean").unwrap().parse().unwrap();
    assert!((mean - sync["mean"].as_f64().unwrap()).abs() <= 0.5);
    let p99 = sync["percentile"]["99.000000"].to_string();
    assert_eq!(fact("import.fio.wal.sync.lat_ns_p99"), Some(p99.as_str()));
    assert_eq!(fact("import.fio.scan.sync.requests"), None, "it never flushed");
    // What all jobs have stands once, the rest with its job.
    assert_eq!(fact("import.fio.ioengine"), Some("psync"));
    assert_eq!((fact("import.fio.wal.fdatasync"), fact("import.fio.fdatasync")), (Some("1"), None));
    assert_eq!(fact("import.fio.scan.thinktime"), Some("200"));
    let all = json["jobs"].as_array().unwrap().iter().map(|job| &job["job options"]);
    let all = all.chain([&json["global options"]]).flat_map(|one| one.as_object().unwrap());
    for (option, value) in all {
        let is_kept = |(key, kept): (&String, &String)| {
            key.ends_with(&format!(".{option}")) && Some(kept.as_str()) == value.as_str()
        };
        assert!(record.environment.iter().any(is_kept), "{option} is dropped");
    }
    let told: Vec<&str> = record.warnings.iter().map(|one| one.text.as_str()).collect();
    assert!(told.iter().any(|text| text.contains("\"wal\" flushed")), "{told:?}");
}

#[test]
fn fio_2_counts_in_kib() {
    let record = record(FIO_2, &Asked::default());
    let stream = stream(&record, "random-read");
    assert_eq!(sum(stream, |p| p.read_bytes), 1779 * 4096);
    assert_eq!(stream.last_done_ns, 25_788_000_000);
}

#[test]
fn messages_before_the_json_are_left_out() {
    let text = format!("fio: this is only a test\nnote: both\n{FIO_2}");
    assert_eq!(recognise(&text), Some(Tool::Fio));
    let record = record(&text, &Asked::default());
    assert_eq!(record.warnings.len(), 1);
    let cut = &text[..text.len() / 2];
    let wrong = records(cut, &Asked::default()).unwrap_err();
    assert!(wrong.line > Some(10) && wrong.hint.contains("truncated"), "{wrong}");
}
