//! Published figures against what techniques say of them.

use iopath_analysis::agreement::{
    Agreement, Judged, Move, Need, Null, Origins, Outcome, Predicted, Published, Seeds,
    Sensitivity, Status, StudyAgreement, Unit,
};
use iopath_report::{Color, Look, compose};
use iopath_units::System;

use crate::brief;

const WIDE: Look = Look { width: 220, system: System::Decimal, color: Color::Never };

/// A check of 100 MB/s that only a simulation can claim, of seeds that say these rates.
fn simulated(least: f64, most: f64) -> Agreement {
    let by = |outcome| Judged { error_percent: None, outcome };
    Agreement {
        experiment: "reads".to_owned(),
        figure: "rate: throughput".to_owned(),
        status: Status::Check,
        published: Published::Text("100 MB/s".to_owned()),
        unit: Unit::BytesPerSec,
        analytic: Predicted::NeedsSimulation,
        by_analytic: by(Outcome::Open),
        simulated: Predicted::Number(f64::midpoint(least, most)),
        by_simulation: Some(by(Outcome::Met)),
        seeds: Some(Seeds { count: 3, min: least, max: most }),
        measured: Predicted::Nothing,
        measured_of_model_percent: None,
        error_percent: None,
        outcome: Outcome::Met,
        needs: vec![Need::Named("readahead".to_owned())],
        bound: None,
        bound_error_percent: None,
        null: Null { nearest_given_percent: Some(-20.0), capacities_percent: None },
        notes: Vec::new(),
    }
}

fn text(rows: Vec<Agreement>) -> String {
    let origins =
        Origins { parameters: 4, assumed: 1, inferred: 2, given: 1, ..Origins::default() };
    let study = StudyAgreement { study: "Disks".to_owned(), rows, origins };
    brief(&compose::validation(&[study], String::new(), WIDE.system), &WIDE)
}

#[test]
fn seeds_are_told_from_the_least_to_the_most_where_they_differ() {
    for (least, most, expected) in [
        (99e6, 101e6, Some("99.00 .. 101.0 MB/s")),
        (999e6, 1.01e9, Some("999.0 MB/s .. 1.010 GB/s")),
        (100e6, 100e6, None),
    ] {
        let text = text(vec![simulated(least, most)]);
        assert_eq!(text.contains(" .. "), expected.is_some(), "{text}");
        assert!(expected.is_none_or(|expected| text.contains(expected)), "{text}");
    }
}

#[test]
fn what_decides_besides_bounds_is_told_once_with_how_many_figures_it_decides() {
    let text = text(vec![simulated(99e6, 101e6), simulated(98e6, 102e6)]);
    assert!(text.contains("\n  2 figures need simulation: readahead\n"), "{text}");
    assert!(text.contains("\n  of 4 parameters 1 are assumed and 2 inferred"), "{text}");
}

/// A study with one move or none.
fn moved(checks: usize, left: usize, is_simulated: Option<bool>) -> String {
    let one = |is_simulated| Move {
        experiment: "reads".to_owned(),
        figure: "rate: throughput".to_owned(),
        parameter: "host.hba.read".to_owned(),
        is_simulated,
        lower_percent: -12.5,
        higher_percent: 3.0,
    };
    let moves = is_simulated.map(one).into_iter().collect();
    let study = Sensitivity {
        study: "Disks".to_owned(),
        checks,
        left,
        parameters: 2,
        refused: Vec::new(),
        moves,
    };
    brief(&compose::sensitivity(&[study]), &WIDE)
}

#[test]
fn a_move_is_told_in_both_directions_and_by_technique_where_one_is_simulated() {
    let analytic = moved(3, 0, Some(false));
    let row = analytic.lines().last().unwrap().split_whitespace().collect::<Vec<_>>().join(" ");
    assert_eq!(row, "reads / rate: throughput host.hba.read -12.50 % +3.00 %");
    let simulated = moved(3, 0, Some(true));
    assert!(simulated.contains("+3.00 %  simulation\n  simulated moves below "), "{simulated}");
}

#[test]
fn where_nothing_moves_the_reason_is_said() {
    let none = "Disks\n  no check figure has a number that could move\n";
    assert_eq!(moved(0, 0, None), none);
    let none = "Disks\n  none of 3 check figures moves when one of 2 assumed or inferred \
                parameters moves by 20 %\n";
    assert_eq!(moved(3, 0, None), none);
    for (left, text) in [
        (1, "  1 check figure needs simulation and is not moved here (--simulated moves them)\n"),
        (2, "  2 check figures need simulation and are not moved here (--simulated moves them)\n"),
    ] {
        assert_eq!(moved(3, left, None), format!("{none}{text}"));
    }
}
