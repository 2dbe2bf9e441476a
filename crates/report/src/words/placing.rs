//! Placements in words: the best beside today's, how it was found, and each move.

use iopath_advice::placement::Kind;
use iopath_units::System;

use super::prediction::{self as words, figure, percent};
use crate::view::placing::{Effect, Move, MovedThing, Placeable, Placing};
use crate::view::prediction::PredictedCase;

/// The answer.
pub(crate) fn sentence(placing: &Placing, system: System) -> String {
    let Placing { today, best, moves, .. } = placing;
    let bottleneck = |case: &PredictedCase| words::bottleneck(&case.prediction, system);
    if moves.is_empty() {
        let (carried, bottleneck) = (carried(today, system), bottleneck(today));
        return format!(
            "no other placement was found that carries more: {carried}, bottleneck {bottleneck}"
        );
    }
    let number = match moves.len() {
        1 => "1 move".to_owned(),
        number => format!("{number} moves{}", idle(moves)),
    };
    format!(
        "{number} from {} to {}: bottleneck {} today, {} then",
        carried(today, system),
        carried(best, system),
        bottleneck(today),
        bottleneck(best),
    )
}

/// How many of them gain nothing.
fn idle(moves: &[Move]) -> String {
    match moves.iter().filter(|one| one.effect == Effect::Closer).count() {
        0 => String::new(),
        1 => ", the last without a gain,".to_owned(),
        idle => format!(", the last {idle} without a gain,"),
    }
}

fn carried(case: &PredictedCase, system: System) -> String {
    let prediction = &case.prediction;
    figure(prediction.throughput_bytes_per_sec, prediction.operations_per_sec, system)
}

/// How it was found.
pub(crate) fn search(placing: &Placing) -> String {
    let Placing { starts, reached, predictions, .. } = placing;
    match starts {
        0 => format!("searched from today's placement only; {predictions} predictions"),
        _ => format!("{reached} of {starts} random starts reached it; {predictions} predictions"),
    }
}

/// What can be placed.
pub(crate) fn placeable(one: &Placeable) -> String {
    let Placeable { kind, things, places, copies, counts } = one;
    let times = match copies {
        1 => String::new(),
        copies => format!(", {copies} times the same"),
    };
    let counted: Vec<String> = counts.iter().map(|count| count.name.clone()).collect();
    let of = if counted.is_empty() { String::new() } else { format!(": {}", counted.join(", ")) };
    let (things_named, places_named) = nouns(*kind);
    format!("- {things_named}: {things} in {places} {places_named}{times}{of}")
}

/// What is placed and where, in the plural.
fn nouns(kind: Kind) -> (&'static str, &'static str) {
    match kind {
        Kind::Slots => ("components", "parents with slots"),
        Kind::Cables => ("cables", "groups of ports"),
        Kind::Owners => ("volumes", "controllers"),
        Kind::Halves => ("sides of mirrors", "controllers"),
        Kind::Streams => ("lists of streams", "places"),
        Kind::Nodes => ("volumes", "places"),
    }
}

/// One move with what it gains.
pub(crate) fn step(one: &Move, number: usize, system: System) -> String {
    let moved = match one.moved.as_slice() {
        [first, second] if one.kind == Kind::Cables => {
            let (from, to) = (&first.from, &first.to);
            format!("swap the cables of {} in {from} and {} in {to}", first.what, second.what)
        }
        all => all.iter().map(|thing| moved(one.kind, thing)).collect::<Vec<_>>().join("; "),
    };
    let times = match one.copies {
        1 => String::new(),
        copies => format!(", so in all {copies}"),
    };
    let gain = match one.effect {
        Effect::Gains => format!("+{}", percent(one.gain_share)),
        Effect::Together if one.gain_share < -0.0005 => {
            format!("-{} alone, needed for what follows", percent(-one.gain_share))
        }
        Effect::Together => "nothing alone, needed for what follows".to_owned(),
        Effect::Closer => {
            "nothing more, but fewer conversations leave their ASIC or switch".to_owned()
        }
    };
    let carried = carried(&one.after, system);
    format!("{number}. {moved}{times}: {carried}, {gain}")
}

fn moved(kind: Kind, MovedThing { what, from, to }: &MovedThing) -> String {
    match kind {
        Kind::Slots => format!("move one {what} from {from} to {to}"),
        Kind::Owners => format!("give one {what} of {from} to {to}"),
        Kind::Cables => format!("plug {what} into {to} instead of {from}"),
        Kind::Halves => format!("put a side of {what} on {to} instead of {from}"),
        Kind::Streams => format!("run {what} on {to} instead of {from}"),
        Kind::Nodes => format!("let {to} instead of {from} split {what}"),
    }
}
