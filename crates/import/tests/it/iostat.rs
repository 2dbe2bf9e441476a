//! `iostat`: columns of several versions, times, locales, and what is left out.

use iopath_import::{Asked, First, Tool, recognise};
use iopath_record::{Counter, Kind, Layer};
use iopath_units::Nanos;

use crate::fixtures::{
    IOSTAT, IOSTAT_10, IOSTAT_COMMA, IOSTAT_ISO, IOSTAT_JSON, IOSTAT_MB, IOSTAT_PLAIN,
    IOSTAT_SECTORS, IOSTAT_SHORT, grown, kept, record, records, told,
};

/// Sums of a column of one device over all reports but the first, with no help of the crate.
fn column(text: &str, device: &str, name: &str) -> f64 {
    let mut columns: Vec<&str> = Vec::new();
    let mut values = Vec::new();
    for line in text.lines() {
        let words: Vec<&str> = line.split_whitespace().collect();
        match words.first() {
            Some(&"Device" | &"Device:") => columns = words,
            Some(first) if *first == device => {
                let at = columns.iter().position(|column| *column == name).unwrap();
                values.push(words[at].replace(',', ".").parse::<f64>().unwrap());
            }
            _ => {}
        }
    }
    values[1..].iter().sum()
}

#[test]
fn counters_are_rates_times_intervals() {
    let record = record(IOSTAT, &Asked::default());
    assert_eq!(record.instants_ns, [0, 1, 2, 3, 4, 5].map(|second| second * 1_000_000_000));
    for (counter, name, times) in [
        (Counter::ReadOperations, "r/s", 1.0),
        (Counter::WriteOperations, "w/s", 1.0),
        (Counter::ReadBytes, "rkB/s", 1024.0),
        (Counter::WriteBytes, "wkB/s", 1024.0),
        (Counter::BusyNs, "%util", 1e7),
        (Counter::InFlightNs, "aqu-sz", 1e9),
    ] {
        let expected = column(IOSTAT, "vda", name) * times;
        let found = grown(&record, "vda", counter).unwrap() as f64;
        assert!((found - expected).abs() <= 1.0, "{counter:?}: {found} not {expected}");
    }
    let vda = record.entities.iter().find(|entity| entity.name == "vda").unwrap();
    assert_eq!((vda.layer, &vda.kind), (Layer::Device, &Kind::Disk));
    let cpu = record.entities.iter().find(|entity| entity.name == "cpu").unwrap();
    assert_eq!(cpu.count, 2);
    let all: u64 = [Counter::UserNs, Counter::SystemNs, Counter::IdleNs, Counter::IoWaitNs]
        .iter()
        .map(|counter| grown(&record, "cpu", *counter).unwrap())
        .sum();
    assert!((9_950_000_000..=10_050_000_000).contains(&all), "two processors for 5 s: {all}");
    let told: Vec<&str> = record.warnings.iter().map(|warning| warning.text.as_str()).collect();
    assert!(told[0].starts_with("file:3: the first report covers the time since boot"), "{told:?}");
}

#[test]
fn the_same_run_is_the_same_in_every_form() {
    let of = |text| {
        let record = record(text, &told());
        grown(&record, "vda", Counter::ReadBytes).unwrap() as f64
            / (record.instants_ns.len() - 1) as f64
    };
    let expected = of(IOSTAT);
    // They were taken side by side, for 2 to 5 of the same seconds.
    for text in [IOSTAT_ISO, IOSTAT_JSON, IOSTAT_MB, IOSTAT_PLAIN] {
        assert!((of(text) / expected - 1.0).abs() < 0.5, "{} not {expected}", of(text));
    }
}

#[test]
fn iso_times_begin_the_axis() {
    let record = record(IOSTAT_ISO, &Asked::default());
    assert_eq!(record.clock.started_unix_ns, 1_795_306_966_000_000_000);
    assert_eq!(record.instants_ns.len(), 5);
}

#[test]
fn without_times_an_interval_is_asked_for() {
    let wrong = records(IOSTAT_10, &Asked::default()).unwrap_err();
    assert_eq!(wrong.hint, "say --interval 10s");
    let asked = Asked { interval: Some(Nanos(10_000_000_000)), ..Asked::default() };
    let record = record(IOSTAT_10, &asked);
    assert_eq!(grown(&record, "sda", Counter::WriteOperations), Some(14_560));
    let expected = (28.11 * 1_048_576.0 * 10.0_f64).round() as u64;
    assert_eq!(grown(&record, "sda", Counter::WriteBytes), Some(expected));
    assert_eq!(grown(&record, "sda", Counter::WriteNs), Some((14_560.0 * 0.56e6) as u64));
}

#[test]
fn the_only_report_is_kept_where_the_user_says_so() {
    let wrong = records(IOSTAT_SECTORS, &told()).unwrap_err();
    assert!(wrong.hint.contains("--keep-first"), "{wrong}");
    let record = record(IOSTAT_SECTORS, &kept());
    assert_eq!(grown(&record, "vda", Counter::WriteBytes), Some(72_080 * 512));
    assert_eq!(grown(&record, "vda", Counter::InFlightNs), Some(159_520_000_000));
}

#[test]
fn decimal_commas_are_read_and_absent_devices_are_missing() {
    let record = record(IOSTAT_COMMA, &told());
    let expected = (0.21_f64 * 1_048_576.0).round() as u64;
    assert_eq!(grown(&record, "sda", Counter::ReadBytes), Some(expected));
    let series = record.series.iter().find(|one| one.counter == Counter::ReadBytes).unwrap();
    assert_eq!(series.missing, [2], "the last report names no device");
    assert!(record.warnings.iter().any(|one| one.text.contains("1 reports do not name sda")));
}

#[test]
fn figures_of_both_ways_stay_together() {
    let record = record(IOSTAT_SHORT, &Asked::default());
    assert!(grown(&record, "vda", Counter::MovedBytes).unwrap() > 400_000 * 1024);
    assert_eq!(grown(&record, "vda", Counter::ReadBytes), None);
    assert!(grown(&record, "vda", Counter::Completed).unwrap() > 7_000);
}

#[test]
fn mistakes_are_told_with_their_line() {
    let cut = IOSTAT.replacen(" 36.80\n", "\n", 1);
    let wrong = records(&cut, &Asked::default()).unwrap_err();
    assert_eq!((wrong.line, wrong.what.as_str()), (Some(18), "21 figures under 22 columns"));
    let word = IOSTAT.replacen(" 36.80\n", " 36k\n", 1);
    let wrong = records(&word, &Asked::default()).unwrap_err();
    assert_eq!((wrong.line, wrong.what.contains("\"36k\" under \"%util\"")), (Some(18), true));
}

#[test]
fn line_ends_of_other_systems_change_nothing() {
    let crlf = IOSTAT.replace('\n', "\r\n");
    assert_eq!(record(&crlf, &Asked::default()), record(IOSTAT, &Asked::default()));
    let kept = Asked { first: First::Kept, ..Asked::default() };
    assert_eq!(record(IOSTAT, &kept).instants_ns.len(), 7);
    assert_eq!(recognise(&crlf), Some(Tool::Iostat));
}
