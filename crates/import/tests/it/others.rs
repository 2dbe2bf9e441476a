//! `vxstat`, `vxbench`, `portperfshow`, `nmon`, `iozone`.

use iopath_import::{Asked, First, Tool, recognise};
use iopath_record::{Counter, Kind, Layer};
use iopath_units::{Bytes, Nanos, Op};

use crate::fixtures::{
    IOZONE, NMON, PORTS, RAW_PORTS, RAW_VXBENCH, RAW_VXSTAT, VXSTAT, grown, kept, record, records,
    stream, sum, told,
};

const GIB: f64 = 1_073_741_824.0;

#[test]
fn each_text_is_known_for_what_it_is() {
    for (text, tool) in [
        (VXSTAT, Tool::Vxstat),
        (RAW_VXSTAT, Tool::Vxstat),
        (RAW_VXBENCH, Tool::Vxbench),
        (PORTS, Tool::Portperfshow),
        (RAW_PORTS, Tool::Portperfshow),
        (NMON, Tool::Nmon),
        (IOZONE, Tool::Iozone),
    ] {
        assert_eq!(recognise(text), Some(tool));
        assert_eq!(tool.name().parse(), Ok(tool));
    }
}

#[test]
fn vxstat_counts_in_blocks() {
    let volumes = record(VXSTAT, &kept());
    assert_eq!(grown(&volumes, "home", Counter::ReadBytes), Some(6504 * 512));
    assert_eq!(grown(&volumes, "home", Counter::WriteNs), Some(5287 * 221_100_000));
    assert!(volumes.entities.iter().all(|one| one.layer == Layer::Volume));
    let mut hp = kept();
    hp.units.insert(Tool::Vxstat, "1 KiB".to_owned());
    assert_eq!(grown(&record(VXSTAT, &hp), "home", Counter::ReadBytes), Some(6504 * 1024));
    // Two reports: the first is of the whole time before.
    let raw = record(RAW_VXSTAT, &Asked::default());
    assert_eq!(raw.instants_ns, [0, 300_000_000_000]);
    let bytes = grown(&raw, "vol1", Counter::ReadBytes).unwrap() as f64;
    assert!((bytes / 300.0 / GIB - 1.504).abs() < 0.001, "{bytes}");
}

#[test]
fn vxbench_users_are_streams() {
    let wrong = records(RAW_VXBENCH, &Asked::default()).unwrap_err();
    assert!(wrong.hint.contains("--unit vxbench=MiB"), "{wrong}");
    let mut asked = Asked::default();
    asked.units.insert(Tool::Vxbench, "KiB".to_owned());
    let all = record(RAW_VXBENCH, &asked);
    assert_eq!(all.streams.len(), 64);
    let first = stream(&all, "user 1");
    let bytes = 24_407 * 1024 * 300;
    assert_eq!(sum(first, |phase| phase.read_bytes), bytes);
    assert_eq!(sum(first, |phase| phase.completed), bytes >> 20, "iosize=1024k");
    let total: u64 = all.streams.iter().map(|one| sum(one, |phase| phase.read_bytes)).sum();
    assert!((total as f64 / 300.02 / GIB - 1.504).abs() < 0.001, "{total}");
    let without: String = RAW_VXBENCH.lines().skip(1).map(|line| format!("{line}\n")).collect();
    assert!(records(&without, &asked).unwrap_err().hint.contains("--op read"));
    let told = Asked { op: Some(Op::Write), ..asked.clone() };
    let written = record(&without, &told);
    assert_eq!(sum(stream(&written, "user 1"), |phase| phase.write_bytes), bytes);
    assert_eq!(sum(stream(&written, "user 1"), |phase| phase.completed), 0, "not told");
    assert!(written.warnings.iter().any(|one| one.text.contains("--block")));
    let sized = Asked { block: Some(Bytes(1 << 20)), ..told };
    assert_eq!(sum(stream(&record(&without, &sized), "user 1"), |p| p.completed), bytes >> 20);
    let fewer = RAW_VXBENCH.replacen("300.040 sec  1577058", "300.040 sec  1877058", 1);
    assert!(record(&fewer, &asked).warnings.iter().any(|one| one.text.contains("add up to")));
}

#[test]
fn ports_are_counted_both_ways_in_the_unit_that_is_said() {
    let wrong = records(PORTS, &Asked::default()).unwrap_err();
    assert!(wrong.hint.contains("--unit portperfshow=MiB"), "{wrong}");
    let decimal = record(PORTS, &told());
    assert_eq!(decimal.entities.len(), 24);
    assert_eq!(grown(&decimal, "port 1", Counter::MovedBytes), Some(1_700_000));
    assert_eq!(grown(&decimal, "port 23", Counter::MovedBytes), Some(0));
    let mut asked = told();
    asked.units.insert(Tool::Portperfshow, "MiB".to_owned());
    assert_eq!(grown(&record(PORTS, &asked), "port 1", Counter::MovedBytes), Some(1_782_579));
    asked.interval = None;
    assert!(records(PORTS, &asked).unwrap_err().hint.contains("--interval"));
    asked.units.insert(Tool::Portperfshow, "furlong".to_owned());
    assert!(records(PORTS, &asked).unwrap_err().what.contains("furlong"));
    let six = record(RAW_PORTS, &told());
    assert_eq!(six.instants_ns.len(), 7);
    let slots = "     0      1  Total\n==========\nslot  1:   100 2.5k   2.6k\n";
    let slots = record(slots, &told());
    assert_eq!(grown(&slots, "slot 1 port 1", Counter::MovedBytes), Some(2500));
}

#[test]
fn nmon_tells_its_interval_and_times() {
    let record = record(NMON, &Asked::default());
    assert_eq!(record.instants_ns.len(), 7);
    let column = NMON.lines().find(|line| line.starts_with("DISKREAD,Disk")).unwrap();
    let at = column.split(',').position(|name| name == "vda").unwrap();
    let rows = NMON.lines().filter(|line| line.starts_with("DISKREAD,T"));
    let sum: f64 = rows.map(|row| row.split(',').nth(at).unwrap().parse::<f64>().unwrap()).sum();
    let found = grown(&record, "vda", Counter::ReadBytes).unwrap() as f64;
    assert!((found - sum * 1024.0).abs() <= 1.0, "{found}");
    assert!(grown(&record, "vda", Counter::Completed).unwrap() > 50_000);
    assert_eq!(record.environment["host.name"], "host");
    let cpu = record.entities.iter().find(|entity| entity.kind == Kind::Cpu).unwrap();
    assert_eq!(cpu.count, 2);
}

#[test]
fn figures_of_iozone_are_trials() {
    let all = records(IOZONE, &Asked::default()).unwrap();
    assert_eq!(all.len(), 8, "the Excel form says the same again");
    let read = all.iter().find(|one| {
        (one.case.levels["test"].as_str(), one.case.levels["record"].as_str()) == ("read", "8 KiB")
    });
    let stream = &read.unwrap().streams[0];
    assert_eq!(sum(stream, |phase| phase.read_bytes), 4 << 20);
    assert_eq!(sum(stream, |phase| phase.completed), 512);
    let rate = (4u64 << 20) as f64 / (stream.last_done_ns as f64 / 1e9);
    assert!((rate / (4_012_345.0 * 1024.0) - 1.0).abs() < 1e-4, "{rate}");
    let excel = &IOZONE[IOZONE.find("\"Writer").unwrap()..];
    assert_eq!(records(excel, &Asked::default()).unwrap().len(), 8);
    let gap = IOZONE.replace("  3412093  4274062", "                      3412093  4274062");
    let table = &gap[..gap.find("iozone test").unwrap()];
    assert!(records(table, &Asked::default()).unwrap_err().hint.contains("-R"));
}

#[test]
fn a_first_report_that_is_not_of_the_time_before_is_kept() {
    let asked = Asked { first: First::Kept, interval: Some(Nanos(1)), ..Asked::default() };
    assert_eq!(record(VXSTAT, &asked).instants_ns, [0, 1]);
    assert!(records(VXSTAT, &told()).unwrap_err().hint.contains("--keep-first"));
}
