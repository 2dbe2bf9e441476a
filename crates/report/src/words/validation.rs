//! Published statements, and what techniques say of them, as words.

use iopath_analysis::agreement::{
    Agreement, Move, Need, Note, OpenLevel, Predicted, Published, Unit,
};
use iopath_units::{ByteRate, Bytes, Human, System};

use crate::numbers::{operations, rate, size, time};

/// A statement as it is published.
pub(crate) fn published(of: &Published) -> String {
    match of {
        Published::Text(text) => text.clone(),
        Published::Along { metric, factor } => format!("{metric} along {factor}"),
    }
}

/// A published statement for a reader; quantities with prefixes of the other system are converted.
pub(crate) fn published_in(of: &Published, system: System) -> String {
    converted(&published(of), system)
}

/// A text with each rate and size that has a prefix of the other system in its own.
fn converted(text: &str, system: System) -> String {
    let mut said: Vec<String> = Vec::new();
    for word in text.split(' ') {
        let is_other = word.contains("iB") != matches!(system, System::Binary);
        let number = said.last().filter(|_| is_other && word.len() > 1);
        let number = number.map(|before| before.trim_start_matches(|c: char| !c.is_ascii_digit()));
        let quantity = number.map(|number| format!("{number} {word}"));
        let of = |text: &str| {
            let bytes = || text.parse::<Bytes>().map(|bytes| bytes.human(system)).ok();
            text.parse::<ByteRate>().map(|rate| rate.human(system)).ok().or_else(bytes)
        };
        match quantity.and_then(|text| of(&text)) {
            Some(quantity) => {
                let before = said.pop().unwrap_or_default();
                let sign = before.trim_end_matches(|c: char| c.is_ascii_digit() || c == '.');
                said.push(format!("{sign}{quantity}"));
            }
            None => said.push(word.to_owned()),
        }
    }
    said.join(" ")
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
    fn published_quantities_are_in_the_units_that_were_asked_for() {
        for (text, binary) in [
            ("450 MB/s .. 500 MB/s", "429.2 MiB/s .. 476.8 MiB/s"),
            (">18 GB/s", ">16.76 GiB/s"),
            ("4.5 GB", "4.191 GiB"),
            ("3.2 ms at 0.95", "3.2 ms at 0.95"),
            ("12 k/s", "12 k/s"),
        ] {
            let text = Published::Text(text.to_owned());
            assert_eq!(published_in(&text, System::Binary), binary);
        }
        let text = Published::Text("1 GiB/s .. 450 MB/s".to_owned());
        assert_eq!(published_in(&text, System::Decimal), "1.074 GB/s .. 450 MB/s");
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
