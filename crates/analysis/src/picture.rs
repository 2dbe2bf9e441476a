//! The path of a record as a picture: boxes in tiers from the application down to the media, how
//! full each is, what flows from tier to tier, and where the limit is.
//!
//! Things that are called alike, can do the same and do the same are one box, with the spread of
//! their use; who does more or less than its neighbours, or takes longer, stands alone. Utilisation
//! law: utilisation = used / (capacity × time), and where nothing is rated the share of the time
//! with something in flight (Denning and Buzen, ACM Computing Surveys 10, 1978). Little's law gives
//! the mean in flight (Operations Research 9, 1961).
//!
//! It leaves out which of several equal ways a request took: a record does not tell. Between tiers
//! of which only sums are known there is one [`Edge`] of all.

use iopath_record::{EntityId, Layer, Record};
use serde::Serialize;

use crate::judges::evidence::Limiting;
use crate::prediction::{LimitFinding, LimitUse, Names};
use crate::timeline::Timeline;
use crate::usage::pass::Pass;
use crate::usage::place;

mod apart;
mod edges;
mod fold;
mod used;

/// The picture of a path.
#[derive(Clone, Debug, Default, PartialEq, Serialize)]
pub struct Picture {
    /// From the application down to the media, processors and memory last.
    pub tiers: Vec<Tier>,
    /// What is drawn, tier by tier.
    pub boxes: Vec<PathBox>,
    /// Who hands on to whom.
    pub edges: Vec<Edge>,
    /// What held the trial back, where it is known and has a name.
    pub limit: Option<String>,
}

/// Boxes side by side.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct Tier {
    /// Positions of its boxes in the picture.
    pub boxes: Vec<usize>,
    /// Whether it stands beside the way of the data: processors, memory, the generator.
    pub is_beside: bool,
    /// How many things of this tier did nothing; they are not drawn.
    pub idle: u64,
}

/// What a box is called.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
#[serde(rename_all = "kebab-case")]
pub enum BoxName {
    /// The name of one; of several the pattern that all of them fit.
    Named(String),
    /// Several that fit none.
    Between {
        /// The first of them.
        first: String,
        /// The last of them.
        last: String,
    },
    /// The first of several, where the pattern of all fits others beside them too.
    From(String),
    /// All that there was no room for.
    Others,
}

/// One thing, or several that are alike.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct PathBox {
    /// What it is called.
    pub name: BoxName,
    /// What it is.
    pub kind: String,
    /// Where on the path it lies.
    pub layer: Layer,
    /// How many things it stands for.
    pub count: u64,
    /// The share that each uses of what it can do, or of the time; none where nobody counted.
    pub utilisation: Option<MeanRange>,
    /// Whether that share is of the time, as no limit is known.
    pub is_of_time: bool,
    /// Bytes a second that all of them read together; of ports that count a byte as it comes in and
    /// as it goes out half of what they count, here and below.
    pub read_bytes_per_sec: Option<f64>,
    /// Bytes a second that all of them write together.
    pub write_bytes_per_sec: Option<f64>,
    /// Bytes a second that all of them move together, also where nothing tells which way.
    pub bytes_per_sec: Option<f64>,
    /// Whether they are such ports.
    pub counts_twice: bool,
    /// Requests a second of all of them.
    pub operations_per_sec: Option<f64>,
    /// Requests in flight in all of them.
    pub in_flight_mean: Option<f64>,
    /// Mean time of a request in one of them.
    pub time_ns: Option<MeanRange>,
    /// The limits of the one that is fullest, and how much of each it uses: rates before tokens,
    /// the fullest first.
    pub limits: Vec<LimitUse>,
    /// What each can do.
    pub rated: Vec<LimitFinding>,
    /// Whether it is what held the trial back.
    pub is_limit: bool,
    /// What it stands for, one by one.
    pub members: Vec<Member>,
}

/// One of what a box stands for.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct Member {
    /// Its position in the record.
    #[serde(skip)]
    pub entity: EntityId,
    /// Its name.
    pub name: String,
    /// How many equal things the record counts as it.
    pub count: u32,
    /// The share that it uses.
    pub utilisation: Option<f64>,
    /// Bytes a second.
    pub bytes_per_sec: Option<f64>,
    /// Requests a second.
    pub operations_per_sec: Option<f64>,
    /// Requests in flight.
    pub in_flight_mean: Option<f64>,
    /// Mean time of a request.
    pub time_ns: Option<f64>,
}

/// A value over several things.
#[derive(Clone, Copy, Debug, PartialEq, Serialize)]
pub struct MeanRange {
    /// The least.
    pub least: f64,
    /// The mean.
    pub mean: f64,
    /// The most.
    pub most: f64,
}

/// What `uppers` hand on, together, goes to `lowers`, together.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct Edge {
    /// Positions of boxes.
    pub uppers: Vec<usize>,
    /// Positions of boxes further down.
    pub lowers: Vec<usize>,
    /// Bytes a second of those above; none where nobody counted.
    pub upper_bytes_per_sec: Option<f64>,
    /// Bytes a second of those below.
    pub lower_bytes_per_sec: Option<f64>,
}

/// The picture of a record, of which `limit` held it back.
#[must_use]
pub fn picture(record: &Record, limit: &Limiting) -> Picture {
    let pass = Pass::of(record);
    let names = Names::of(record);
    let used = used::all(&pass);
    let placed = place::all(record);
    let (tiers, folded) = fold::fold(&pass, &names, (&used, &placed), limit.entity.as_deref());
    let mut boxes: Vec<PathBox> = folded.iter().map(|one| one.boxed(&pass, &names)).collect();
    apart::name(&tiers, &mut boxes);
    let edges = edges::all(&pass, &tiers, &folded, &boxes);
    Picture { tiers, boxes, edges, limit: limit.entity.clone() }
}

/// How often a byte that passes is counted.
fn times_counted(is_twice: bool) -> f64 {
    if is_twice { 2.0 } else { 1.0 }
}

impl Picture {
    /// How many boxes stand for several things.
    #[must_use]
    pub fn folded(&self) -> usize {
        self.boxes.iter().filter(|one| one.count > 1).count()
    }

    /// Bytes a second of each box in every interval between two samples of the record that it was
    /// made of, counted once as in the box; empty where not all of its members were sampled.
    #[must_use]
    pub fn rates_over_time(&self, record: &Record) -> Vec<Vec<f64>> {
        let timeline = Timeline::of(record).under_load();
        let add = |mut sum: Vec<f64>, other: Vec<f64>| {
            if sum.is_empty() {
                return other;
            }
            sum.iter_mut().zip(other).for_each(|(sum, one)| *sum += one);
            sum
        };
        let of = |one: &PathBox| {
            let each = one.members.iter().map(|member| timeline.bytes_per_sec(member.entity));
            let each = each.collect::<Option<Vec<_>>>();
            let sum = each.map_or_else(Vec::new, |each| each.into_iter().fold(Vec::new(), add));
            sum.into_iter().map(|rate| rate / times_counted(one.counts_twice)).collect()
        };
        self.boxes.iter().map(of).collect()
    }

    /// Whether there is anything to see: something below the streams.
    #[must_use]
    pub fn has_path(&self) -> bool {
        let below = |one: &PathBox| one.layer != Layer::Application;
        let on_path = self.tiers.iter().filter(|tier| !tier.is_beside);
        on_path.flat_map(|tier| &tier.boxes).any(|at| below(&self.boxes[*at]))
    }
}

/// An entity by its position.
fn entity<'a>(pass: &Pass<'a>, id: EntityId) -> &'a iopath_record::Entity {
    &pass.record.entities[id.0 as usize]
}

#[cfg(test)]
mod tests;
