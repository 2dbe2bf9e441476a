//! The best placement as it is shown: beside today's, with the moves to it by name.

use std::path::Path;

use iopath_advice::placement::{Best, Form, Moved, Seats, Site, Standing, Starts, Step, Unit};
use iopath_report::{Effect, Move, MovedThing, Placeable, PlacedCount, Placing, PredictedCase};

use crate::exit_status::Problem;
use crate::inputs::again::quoted;
use crate::run::placing::{Placements, judged};

/// A gain below this share is none (chosen, above the solver's tolerance).
const NOTHING: f64 = 1e-6;

/// What a search found.
#[derive(Clone, Copy)]
pub(super) struct Found<'a> {
    pub starts: Starts,
    pub best: &'a Best,
    pub moves: &'a [Moved],
}

/// Everything that is shown; `written` is the file that has the best placement as a study.
pub(super) fn placing(
    placements: &mut Placements<'_>,
    found: Found<'_>,
    written: Option<&Path>,
) -> Result<Placing, Problem> {
    let Found { starts, best: found, moves: moved } = found;
    let units = placements.today().to_vec();
    let predictions = placements.predictions() as u64;
    let begin = placements.standing();
    let end = moved.last().map_or(&begin, |last| &last.after);
    let today = placements.predicted(&begin)?;
    let best = placements.predicted(end)?;
    let placeable = units.iter().zip(&found.assignments);
    Ok(Placing {
        study: today.case.study.clone(),
        placeable: placeable.map(|(unit, best)| placeable_of(unit, best)).collect(),
        starts: starts.number as u64,
        seed: starts.seed,
        reached: found.reached as u64,
        predictions,
        moves: moves(placements, &today, moved)?,
        today,
        best,
        written: written.map(|file| quoted(&file.display().to_string())),
    })
}

fn placeable_of(unit: &Unit, best: &[usize]) -> Placeable {
    let kind = unit.kind;
    match &unit.form {
        Form::Counts(counts) => {
            let holders = counts.holders.iter().zip(best);
            let counted = holders.map(|(holder, best)| PlacedCount {
                name: holder.name.clone(),
                today: holder.count as u64,
                best: *best as u64,
            });
            let counted: Vec<PlacedCount> = counted.collect();
            Placeable {
                kind,
                things: counted.iter().map(|count| count.today).sum(),
                places: counted.len() as u64,
                copies: u64::from(counts.copies),
                counts: counted,
            }
        }
        Form::Seats(seats) => Placeable {
            kind,
            things: seats.occupants.len() as u64,
            places: seats.groups.len() as u64,
            copies: seats.copies as u64,
            counts: Vec::new(),
        },
    }
}

fn moves(
    placements: &mut Placements<'_>,
    today: &PredictedCase,
    moved: &[Moved],
) -> Result<Vec<Move>, Problem> {
    let mut moves = Vec::new();
    let mut before = judged(&today.prediction);
    for one in moved {
        let after = placements.predicted(&one.after)?;
        let unit = &placements.units(&one.before.assignments)[one.unit];
        let carried = judged(&after.prediction);
        let gain_share = if before > 0.0 { carried / before - 1.0 } else { 0.0 };
        moves.push(Move {
            kind: unit.kind,
            moved: things(unit, one),
            copies: copies(unit),
            throughput_bytes_per_sec: after.prediction.throughput_bytes_per_sec,
            operations_per_sec: after.prediction.operations_per_sec,
            gain_share,
            effect: if gain_share > NOTHING { Effect::Gains } else { Effect::Together },
            after,
        });
        before = carried;
    }
    // What gains nothing after the last gain is needed for none.
    let last = moves.iter().rposition(|one| one.effect == Effect::Gains);
    moves.iter_mut().skip(last.map_or(0, |last| last + 1)).for_each(|one| {
        one.effect = Effect::Closer;
    });
    Ok(moves)
}

fn copies(unit: &Unit) -> u64 {
    match &unit.form {
        Form::Counts(counts) => u64::from(counts.copies),
        Form::Seats(seats) => seats.copies as u64,
    }
}

/// What goes where, in the first of the copies.
fn things(unit: &Unit, moved: &Moved) -> Vec<MovedThing> {
    match (&unit.form, moved.step) {
        (Form::Counts(counts), Step::Shift { from, to }) => {
            let parent = |at: usize| {
                let name = &counts.holders[at].name;
                name.rsplit_once('.').map_or(name.clone(), |(parent, _)| parent.to_owned())
            };
            let name = &counts.holders[from].name;
            let what = name.rsplit('.').next().unwrap_or(name).to_owned();
            vec![MovedThing { what, from: parent(from), to: parent(to) }]
        }
        (Form::Seats(seats), Step::Move { occupant, .. }) => vec![seated(seats, moved, occupant)],
        (Form::Seats(seats), Step::Swap { one, other }) => {
            vec![seated(seats, moved, one), seated(seats, moved, other)]
        }
        (Form::Counts(_), _) | (Form::Seats(_), Step::Shift { .. }) => Vec::new(),
    }
}

fn seated(seats: &Seats, moved: &Moved, occupant: usize) -> MovedThing {
    let seat = |at: &Standing| {
        let group = &seats.groups[at.assignments[moved.unit][occupant]];
        group.seats[at.seats[moved.unit][occupant]].names.first().cloned().unwrap_or_default()
    };
    let what = seats.occupants[occupant].places.first().map(|place| place.name.clone());
    MovedThing { what: what.unwrap_or_default(), from: seat(&moved.before), to: seat(&moved.after) }
}
