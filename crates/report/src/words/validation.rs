//! Published statements, and what techniques say of them, as words.

use iopath_analysis::agreement::{
    Agreement, Move, Need, Note, OpenLevel, Predicted, Published, Unit,
};
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
pub(crate) fn said(said: &Predicted, unit: Unit, system: System) -> String {
    match said {
        Predicted::Nothing => "-".to_owned(),
        Predicted::NeedsSimulation => "needs simulation".to_owned(),
        Predicted::Number(number) => quantity(*number, unit, system),
        Predicted::Components(_)
        | Predicted::OfBest { .. }
        | Predicted::Falls { .. }
        | Predicted::Flat { .. }
        | Predicted::Rises { .. } => shape(said).unwrap_or_default(),
    }
}

/// What a technique says of a place or a trend; none of numbers.
pub(crate) fn shape(said: &Predicted) -> Option<String> {
    match said {
        Predicted::Components(names) if names.is_empty() => {
            Some("no described component".to_owned())
        }
        Predicted::Components(names) => Some(names.join(", ")),
        Predicted::OfBest { share, level } => {
            Some(format!("{:.1} % of the best, {level}", share * 100.0))
        }
        Predicted::Falls { at } => Some(format!("falls at {at}")),
        Predicted::Flat { levels } => Some(format!("is flat over {levels} levels")),
        Predicted::Rises { levels } => Some(format!("never falls over {levels} levels")),
        Predicted::Nothing | Predicted::NeedsSimulation | Predicted::Number(_) => None,
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
        Note::BoundAbove(percent) => format!("the bound is {percent:.1} % above"),
        Note::BoundBelow(percent) => {
            format!("the bound is {percent:.1} % below, so the model is wrong")
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
        Need::NoBound(metric) => format!("bounds have no {metric}"),
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
            (Predicted::Components(Vec::new()), "no described component"),
            (Predicted::Components(vec!["a".to_owned(), "b".to_owned()]), "a, b"),
            (Predicted::OfBest { share: 0.9876, level: level() }, "98.8 % of the best, 4"),
            (Predicted::Falls { at: level() }, "falls at 4"),
            (Predicted::Flat { levels: 3 }, "is flat over 3 levels"),
            (Predicted::Rises { levels: 3 }, "never falls over 3 levels"),
        ] {
            assert_eq!(shape(&said).as_deref(), Some(words));
        }
        for (one, words) in [
            (Note::AboveEdge(20.0), "20.0 % above the edge"),
            (Note::BelowEdge(20.0), "20.0 % below the edge"),
            (Note::Inside(1.25), "inside, 1.2 % from the nearer edge"),
            (Note::BoundBelow(9.09), "the bound is 9.1 % below, so the model is wrong"),
        ] {
            assert_eq!(note(&one), words);
        }
    }

    #[test]
    fn numbers_are_in_the_units_that_were_asked_for() {
        let cell = |number, unit| {
            [System::Decimal, System::Binary]
                .map(|system| said(&Predicted::Number(number), unit, system))
        };
        assert_eq!(cell(131_072_000.0, Unit::BytesPerSec), ["131.1 MB/s", "125.0 MiB/s"]);
        assert_eq!(cell(1_048_576.0, Unit::Bytes), ["1.049 MB", "1.000 MiB"]);
        assert_eq!(cell(0.5, Unit::One), ["0.500", "0.500"]);
    }
}
