//! Intensities of a load's sub-streams as text.

use iopath_analysis::intensity::Intensity;
use iopath_report::{Color, Look, RunView, compose};
use iopath_units::System;

use crate::load::Load;
use crate::{brief, view};

const WIDE: Look = Look { width: 160, system: System::Decimal, color: Color::Never };

/// A run whose sub-streams kept their intensity, did not, or had too few requests to say.
fn run(kept: &[Option<bool>]) -> RunView {
    let mut run = view(&Load::new().passes(1));
    let one = |(at, kept): (usize, &Option<bool>)| Intensity {
        stream: format!("spc/ASU1-{}", at + 1),
        wanted_per_sec: 100.0,
        measured_per_sec: 90.0,
        ratio: Some(0.9),
        coefficient_of_variation: None,
        intervals: 0,
        kept: *kept,
    };
    run.report.trials[0].findings.intensities = kept.iter().enumerate().map(one).collect();
    run
}

#[test]
fn what_was_not_kept_is_said_before_what_cannot_be_said() {
    let (yes, no) = (Some(true), Some(false));
    for (kept, sentence) in [
        (
            &[yes, yes, yes][..],
            "kept by all 3 sub-streams, within 5 % and with a variation of at most 0.2",
        ),
        (&[yes, None, None], "too few requests to say of 2 of 3 sub-streams; run longer"),
        (&[no, None, yes], "not kept by 1 of 3 sub-streams"),
        (&[no, no], "not kept by 2 of 2 sub-streams"),
    ] {
        let text = brief(&compose::summary(&run(kept), WIDE.system), &WIDE);
        let expected = format!("\nintensities\n  sequential read: {sentence}");
        assert!(text.contains(&expected), "{text}");
    }
    assert!(!brief(&compose::summary(&run(&[]), WIDE.system), &WIDE).contains("intensities"));
}

#[test]
fn in_full_each_sub_stream_has_a_row() {
    let text = brief(&compose::whole(&run(&[Some(true), Some(false), None]), WIDE.system), &WIDE);
    let rows = text.lines().filter(|line| line.trim_start().starts_with("spc/"));
    let rows: Vec<String> =
        rows.map(|row| row.split_whitespace().collect::<Vec<_>>().join(" ")).collect();
    assert_eq!(
        rows,
        [
            "spc/ASU1-1 100.0 /s 90.00 /s 0.900 - kept",
            "spc/ASU1-2 100.0 /s 90.00 /s 0.900 - not kept",
            "spc/ASU1-3 100.0 /s 90.00 /s 0.900 - too few requests",
        ]
    );
}
