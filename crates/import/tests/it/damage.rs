//! Whatever is cut off, deleted or changed: an error or a good record, never a panic.

use iopath_record::{from_json, to_json};
use proptest::prelude::*;

use crate::fixtures::{ALL, kept, record, records, told};

/// Nothing panics, and what is a record can be stored.
fn survive(text: &str) {
    for asked in [told(), kept()] {
        if iopath_import::recognise(text).is_none() {
            return;
        }
        for record in records(text, &asked).into_iter().flatten() {
            assert_eq!(from_json(&to_json(&record)).expect("a record that is read"), record);
        }
    }
}

#[test]
fn any_line_may_be_lost() {
    for text in ALL {
        let lines: Vec<&str> = text.split_inclusive('\n').collect();
        // Long texts repeat themselves: a hundred places of each.
        for at in (0..lines.len()).step_by(lines.len().div_ceil(100)) {
            survive(&[&lines[..at], &lines[at + 1..]].concat().concat());
            survive(&lines[..at].concat());
        }
    }
}

/// Names that differ: four letters each.
fn name(number: usize) -> String {
    let letter = |power: u32| char::from(b'a' + (number / 26usize.pow(power) % 26) as u8);
    (0..4).map(letter).collect()
}

#[test]
fn reports_that_have_no_name_in_common_are_refused_before_they_fill_the_memory() {
    let iostat = |at: usize| format!("Device tps\n{} 1\n", name(at));
    let vxstat = |at: usize| format!("TYP NAME\nvol {} 1 1 1 1 1 1\n", name(at));
    let reports: [&dyn Fn(usize) -> String; 2] = [&iostat, &vxstat];
    for report in reports {
        let text: String = (0..15_000).map(report).collect();
        let wrong = records(&text, &kept()).unwrap_err();
        assert!(wrong.what.contains("15000 names in 15000 reports"), "{wrong}");
        let few: String = (0..500).map(report).collect();
        assert_eq!(records(&few, &kept()).expect("a record")[0].entities.len(), 500);
    }
}

#[test]
fn a_report_may_name_thousands() {
    let rows: String = (0..20_000).map(|at| format!("{} 1\n", name(at))).collect();
    let record = record(&format!("Device tps\n{rows}"), &kept());
    assert_eq!(record.entities.len(), 20_000);
}

#[test]
fn run_times_beyond_reason_are_no_overflow() {
    let job = |group: u64| {
        let waits = r#""job options": {"stonewall": "1"}"#;
        let read = format!(r#""read": {{"io_bytes": 1, "total_ios": 1, "runtime": {}}}"#, u64::MAX);
        format!(r#"{{"jobname": "a", "groupid": {group}, {waits}, {read}}}"#)
    };
    let jobs = [0, 1, 2].map(job).join(", ");
    survive(&format!(r#"{{"fio version": "fio-3.33", "jobs": [{jobs}]}}"#));
}

proptest! {
    #![proptest_config(ProptestConfig { cases: 400, ..ProptestConfig::default() })]

    #[test]
    fn any_end_may_be_missing(which in 0..ALL.len(), at in 0.0..1.0f64) {
        let text = ALL[which];
        let mut at = (text.len() as f64 * at) as usize;
        while !text.is_char_boundary(at) {
            at -= 1;
        }
        survive(&text[..at]);
    }

    #[test]
    fn any_word_may_be_another(
        which in 0..ALL.len(),
        at in 0.0..1.0f64,
        word in "[-0-9a-z%:.,/]{0,20}",
    ) {
        let words: Vec<&str> = ALL[which].split_inclusive(' ').collect();
        let at = (words.len() as f64 * at) as usize;
        let other = format!("{word} ");
        survive(&[&words[..at], &[other.as_str()], &words[at + 1..]].concat().concat());
    }
}
