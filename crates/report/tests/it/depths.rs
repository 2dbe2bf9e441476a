//! Trials that differ in depth, as text and in an explanation.

use iopath_record::Record;
use iopath_report::{Color, Look, compose, explanation_json};
use iopath_units::System;

use crate::load::Load;
use crate::{brief, view};

const WIDE: Look = Look { system: System::Decimal, color: Color::Never, width: 200 };

/// The same rate at depths of 16 and 8, with a device that is busy for this share of the time.
pub(crate) fn trials(device_busy: f64) -> Vec<Record> {
    let trial = |(trial, depth): (u32, u64)| {
        let mut record = Load { trial, depth, device_busy, ..Load::new() }.record();
        record.case.levels.insert("depth".to_owned(), depth.to_string());
        record.case.text = format!("workload {{ streams \"a\" depth={depth} }}\n");
        record
    };
    [(0, 16), (1, 8)].map(trial).to_vec()
}

fn summary(device_busy: f64) -> String {
    brief(&compose::summary(&view(&trials(device_busy)), WIDE.system), &WIDE)
}

#[test]
fn a_rate_that_stays_with_depth_is_told_with_its_reason() {
    let throttled = summary(0.4);
    let sentence = "throughput is flat from depth 8 on, at 1.049 GB/s or 1000 /s, with mostly idle \
                    devices: throttled above them";
    assert!(throttled.contains(sentence), "{throttled}");
    assert!(throttled.contains("[depth-rate]") && throttled.contains("[depth-busy]"));
    let full = summary(0.99);
    assert!(full.contains("with a busy device: it or what is behind it is saturated"), "{full}");
}

#[test]
fn an_explanation_has_what_depths_say() {
    let text = brief(&compose::explanation(&view(&trials(0.4)), WIDE.system), &WIDE);
    assert!(text.contains("throttled above them"), "{text}");
    let value = explanation_json(&view(&trials(0.99)));
    assert_eq!(value["depths"][0]["verdict"], "saturated");
}
