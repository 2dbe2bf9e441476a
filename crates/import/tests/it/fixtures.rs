//! Texts of real tools; where each is from stands in `tests/fixtures/README.md`.

use iopath_import::{
    Asked, First, Imported, Source, Together, Tool, Wrong, import, merge, recognise,
};
use iopath_record::{Counter, Record, StreamTotals};
use iopath_units::Nanos;

pub(crate) const IOSTAT: &str = include_str!("../fixtures/iostat-12.6.txt");
pub(crate) const IOSTAT_ISO: &str = include_str!("../fixtures/iostat-12.6-iso.txt");
pub(crate) const IOSTAT_JSON: &str = include_str!("../fixtures/iostat-12.6.json");
pub(crate) const IOSTAT_MB: &str = include_str!("../fixtures/iostat-12.6-mb.txt");
pub(crate) const IOSTAT_PLAIN: &str = include_str!("../fixtures/iostat-12.6-plain.txt");
pub(crate) const IOSTAT_SHORT: &str = include_str!("../fixtures/iostat-12.6-short.txt");
pub(crate) const IOSTAT_10: &str = include_str!("../fixtures/iostat-10-mb.txt");
pub(crate) const IOSTAT_SECTORS: &str = include_str!("../fixtures/iostat-10-sectors.txt");
pub(crate) const IOSTAT_COMMA: &str = include_str!("../fixtures/iostat-10-comma.txt");
pub(crate) const FIO_PLUS: &str = include_str!("../fixtures/fio-3.33-plus.json");
pub(crate) const FIO_GROUP: &str = include_str!("../fixtures/fio-3.33-group.json");
pub(crate) const FIO_SYNC: &str = include_str!("../fixtures/fio-3.33-sync.json");
pub(crate) const FIO_2: &str = include_str!("../fixtures/fio-2.2.json");
pub(crate) const VXSTAT: &str = include_str!("../fixtures/vxstat.txt");
pub(crate) const PORTS: &str = include_str!("../fixtures/portperfshow.txt");
pub(crate) const NMON: &str = include_str!("../fixtures/nmon-16n.csv");
pub(crate) const IOZONE: &str = include_str!("../fixtures/iozone-excel.txt");
pub(crate) const RAW_VXBENCH: &str = include_str!("../fixtures/veritas-raw-vxbench.txt");
pub(crate) const RAW_VXSTAT: &str = include_str!("../fixtures/veritas-raw-vxstat.txt");
pub(crate) const RAW_IOSTAT: &str = include_str!("../fixtures/veritas-raw-iostat.txt");
pub(crate) const RAW_PORTS: &str = include_str!("../fixtures/veritas-raw-portperfshow.txt");

/// All of them.
pub(crate) const ALL: [&str; 21] = [
    FIO_SYNC,
    VXSTAT,
    PORTS,
    NMON,
    IOZONE,
    RAW_VXBENCH,
    RAW_VXSTAT,
    RAW_IOSTAT,
    RAW_PORTS,
    IOSTAT,
    IOSTAT_ISO,
    IOSTAT_JSON,
    IOSTAT_MB,
    IOSTAT_PLAIN,
    IOSTAT_SHORT,
    IOSTAT_10,
    IOSTAT_SECTORS,
    IOSTAT_COMMA,
    FIO_PLUS,
    FIO_GROUP,
    FIO_2,
];

/// Everything said that any of them leaves open.
pub(crate) fn told() -> Asked {
    let unit = |tool| (tool, "MB".to_owned());
    Asked {
        interval: Some(Nanos(1_000_000_000)),
        units: [Tool::Portperfshow, Tool::Vxbench].map(unit).into(),
        ..Asked::default()
    }
}

pub(crate) fn kept() -> Asked {
    Asked { first: First::Kept, ..told() }
}

pub(crate) fn text(text: &str, asked: &Asked) -> Result<Imported, Wrong> {
    let tool = recognise(text).expect("a text of a tool that is known");
    import(tool, Source { name: "file", text }, asked)
}

/// All records of one text.
pub(crate) fn records(all: &str, asked: &Asked) -> Result<Vec<Record>, Wrong> {
    merge(&[text(all, asked)?], &Together::default())
}

/// The only record of one text.
pub(crate) fn record(text: &str, asked: &Asked) -> Record {
    let mut records = records(text, asked).expect("a record");
    assert_eq!(records.len(), 1);
    records.remove(0)
}

/// What a counter grew by over the record; none where there is no such.
pub(crate) fn grown(record: &Record, name: &str, counter: Counter) -> Option<u64> {
    let entity = record.entities.iter().position(|entity| entity.name == name)?;
    let of =
        |one: &&iopath_record::Series| (one.entity.0 as usize, one.counter) == (entity, counter);
    let series = record.series.iter().find(of)?;
    Some(series.values().last()? - series.first)
}

/// Totals of a stream by its name.
pub(crate) fn stream<'a>(record: &'a Record, name: &str) -> &'a StreamTotals {
    let is = |stream: &&StreamTotals| record.entities[stream.entity.0 as usize].name == name;
    record.streams.iter().find(is).expect("a stream")
}

pub(crate) fn sum(stream: &StreamTotals, of: fn(&iopath_record::PhaseTotals) -> u64) -> u64 {
    stream.phases.iter().map(of).sum()
}
