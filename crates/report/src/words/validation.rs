//! Published statements, and what techniques say of them, as words.

use iopath_analysis::agreement::{Agreement, Move, Need, Note, OpenLevel, Published, Said, Unit};
use iopath_units::System;

use crate::numbers::{operations, rate, size, time};

/// A statement as it is published.
pub(crate) fn published(of: &Published) -> String {
    match of {
        Published::Text(text) => text.clone(),
        Published::Along { metric, factor } => format!("{metric} along {factor}"),
    }
}

/// What a technique says in a cell.
pub(crate) fn said(said: &Said, unit: Unit, system: System) -> String {
    match said {
        Said::Nothing => "-".to_owned(),
        Said::NeedsSimulation => "needs simulation".to_owned(),
        Said::Number(number) => quantity(*number, unit, system),
        Said::Components(_)
        | Said::OfBest { .. }
        | Said::Falls { .. }
        | Said::Flat { .. }
        | Said::Rises { .. } => shape(said).unwrap_or_default(),
    }
}

/// What a technique says of a place or a course; none of numbers.
pub(crate) fn shape(said: &Said) -> Option<String> {
    match said {
        Said::Components(names) if names.is_empty() => Some("nothing that is described".to_owned()),
        Said::Components(names) => Some(names.join(", ")),
        Said::OfBest { share, level } => {
            Some(format!("{:.1} % of the best, {level}", share * 100.0))
        }
        Said::Falls { at } => Some(format!("falls at {at}")),
        Said::Flat { levels } => Some(format!("is flat over {levels} levels")),
        Said::Rises { levels } => Some(format!("never falls over {levels} levels")),
        Said::Nothing | Said::NeedsSimulation | Said::Number(_) => None,
    }
}

/// A number in the unit of its metric.
pub(crate) fn quantity(number: f64, unit: Unit, system: System) -> String {
    match unit {
        Unit::BytesPerSec => rate(number, system),
        Unit::OperationsPerSec => operations(number, system),
        Unit::Seconds => time(number * 1e9, system),
        Unit::Bytes => size(number.round() as u64, system),
        Unit::One | Unit::Words => format!("{number:.3}"),
    }
}

/// What a reader should know of a row.
pub(crate) fn notes(row: &Agreement) -> String {
    row.notes.iter().map(note).collect::<Vec<_>>().join("; ")
}

fn note(note: &Note) -> String {
    match note {
        Note::Levels(open) => open.iter().map(level).collect::<Vec<_>>().join(", "),
        Note::AboveEdge(percent) => format!("{percent:.1} % above the edge"),
        Note::BelowEdge(percent) => format!("{percent:.1} % below the edge"),
        Note::Inside(percent) => format!("inside, {percent:.1} % from the nearer edge"),
        Note::BoundAbove(percent) => format!("the bound lies {percent:.1} % above"),
        Note::BoundBelow(percent) => {
            format!("the bound lies {percent:.1} % below, so the model is wrong")
        }
        Note::NoCase => "no case has these levels".to_owned(),
        Note::NotRun => "not run".to_owned(),
    }
}

fn level(open: &OpenLevel) -> String {
    format!("{} = {}", open.factor, open.level)
}

/// Why only a simulation can claim a row.
pub(crate) fn need(need: &Need) -> String {
    match need {
        Need::Named(what) => what.clone(),
        Need::NoBound(metric) => format!("a bound has no {metric}"),
    }
}

/// The technique that says how far a figure moves.
pub(crate) fn technique(one: &Move) -> &'static str {
    if one.is_simulated { "simulation" } else { "analytic" }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn shapes_and_notes_are_sentences() {
        let level = || "4".to_owned();
        for (said, words) in [
            (Said::Components(Vec::new()), "nothing that is described"),
            (Said::Components(vec!["a".to_owned(), "b".to_owned()]), "a, b"),
            (Said::OfBest { share: 0.9876, level: level() }, "98.8 % of the best, 4"),
            (Said::Falls { at: level() }, "falls at 4"),
            (Said::Flat { levels: 3 }, "is flat over 3 levels"),
            (Said::Rises { levels: 3 }, "never falls over 3 levels"),
        ] {
            assert_eq!(shape(&said).as_deref(), Some(words));
        }
        for (one, words) in [
            (Note::AboveEdge(20.0), "20.0 % above the edge"),
            (Note::BelowEdge(20.0), "20.0 % below the edge"),
            (Note::Inside(1.25), "inside, 1.2 % from the nearer edge"),
            (Note::BoundBelow(9.09), "the bound lies 9.1 % below, so the model is wrong"),
        ] {
            assert_eq!(note(&one), words);
        }
    }

    #[test]
    fn numbers_are_in_the_units_that_were_asked_for() {
        let cell = |number, unit| {
            [System::Decimal, System::Binary]
                .map(|system| said(&Said::Number(number), unit, system))
        };
        assert_eq!(cell(131_072_000.0, Unit::BytesPerSec), ["131.1 MB/s", "125.0 MiB/s"]);
        assert_eq!(cell(1_048_576.0, Unit::Bytes), ["1.049 MB", "1.000 MiB"]);
        assert_eq!(cell(0.5, Unit::One), ["0.500", "0.500"]);
    }
}
