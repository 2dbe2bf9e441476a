//! The best placement of a case, and the moves to it.

use iopath_advice::placement::Kind;
use serde::Serialize;

use super::prediction::PredictedCase;

/// Today's placement, the best one, and what is between them.
#[derive(Clone, Debug, Serialize)]
pub struct Placing {
    /// Title of the study.
    pub study: String,
    /// What can be placed.
    pub placeable: Vec<Placeable>,
    /// How many searches began at random placements.
    pub starts: u64,
    /// What these were drawn by.
    pub seed: u64,
    /// How many of them found a placement as good as the best.
    pub reached: u64,
    /// How many placements were predicted.
    pub predictions: u64,
    /// Today's placement.
    pub today: PredictedCase,
    /// The best; today's where none carries more.
    pub best: PredictedCase,
    /// What leads from today's to the best, in order.
    pub moves: Vec<Move>,
    /// The file in which the best placement is a study, as a shell takes it.
    pub written: Option<String>,
}

/// One thing that can be placed.
#[derive(Clone, Debug, Serialize)]
pub struct Placeable {
    /// What it is.
    pub kind: Kind,
    /// How many are placed.
    pub things: u64,
    /// In how many places.
    pub places: u64,
    /// How often there is all this: what one does, all of them do.
    pub copies: u64,
    /// The places by name; of counts with how many there are today and in the best placement.
    pub counts: Vec<PlacedCount>,
}

/// How many there are in one place.
#[derive(Clone, Debug, Serialize)]
pub struct PlacedCount {
    /// What is counted, without indexes.
    pub name: String,
    /// How many there are today.
    pub today: u64,
    /// How many in the best placement.
    pub best: u64,
}

/// One move.
#[derive(Clone, Debug, Serialize)]
pub struct Move {
    /// What is placed.
    pub kind: Kind,
    /// What moves: one thing, or two that change places.
    pub moved: Vec<MovedThing>,
    /// How often: in each of so many copies.
    pub copies: u64,
    /// Bytes per second after it.
    pub throughput_bytes_per_sec: f64,
    /// Requests per second after it.
    pub operations_per_sec: f64,
    /// What it adds, as a share of what there was before it; negative where it takes away.
    pub gain_share: f64,
    /// What that is worth.
    pub effect: Effect,
    /// What is predicted after it.
    #[serde(skip)]
    pub after: PredictedCase,
}

/// What a move is worth.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize)]
#[serde(rename_all = "kebab-case")]
pub enum Effect {
    /// It gains by itself.
    Gains,
    /// It gains only with moves after it.
    Together,
    /// It gains nothing in bounds: fewer conversations share a switch.
    Closer,
}

/// What goes where.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
pub struct MovedThing {
    /// What moves.
    pub what: String,
    /// Where it is today.
    pub from: String,
    /// Where it goes.
    pub to: String,
}
