//! The records that the ranks of one pass left, as one record of the whole case.
//!
//! ```text
//! rank 0, node[0]: Record ─┐  axis    things      series        facts
//! rank 1, node[0]: Record ─┼─▶ maps ─▶ once each ─▶ one list  ─▶ once, or ─▶ Record
//! rank 2, node[1]: Record ─┘                        of instants   by node
//! ```
//!
//! Law: what was counted twice is in the result once, what was counted by parts is added, and
//! totals of streams are those of the ranks, to the byte. Whether two ranks saw one thing is said
//! by its identity and by the kernel that counted it, never by its name alone, except on one host.
//! The order in which parts are given does not matter; ranks have one of their own.
//!
//! It leaves out how clocks are compared, which is for whoever runs the ranks to say: each part
//! brings the map of its axis to the root's, and how far that may be off.

mod axis;
mod edges;
mod facts;
mod heat;
mod instants;
mod names;
mod parts;
mod relations;
mod said;
mod series;
mod things;

use std::collections::BTreeMap;

use serde::{Deserialize, Serialize};
use thiserror::Error;

use crate::validate::{BrokenRule, listed};
use crate::{BadBlocks, CaseText, ClockNote, Record, StreamTotals, Technique};

pub use axis::AxisMap;
use instants::Instants;
use parts::Parts;
use things::Things;

/// What one rank left of a pass.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct OfRank {
    /// Its number; the lowest that has left a record is the root here.
    pub rank: u32,
    /// Where it ran.
    pub host: Host,
    /// What it left, on its own axis.
    pub record: Record,
    /// Who an entity of that record is to all hosts, by its name there: a world-wide name, an
    /// export with its inode. What has no entry is nobody else's.
    pub identities: BTreeMap<String, String>,
    /// From its axis to the root's.
    pub axis: AxisMap,
    /// How far an instant may be off after that.
    pub bound_ns: u64,
}

/// Where a rank ran.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Host {
    /// Its name on the network.
    pub name: String,
    /// What its entities are called by: `node[1]`. Ranks of one host have the same.
    pub node: String,
    /// Identity of its kernel, such as the boot identifier. Hosts that are namespaces of one kernel
    /// have the same, and read the same counters. Empty where unknown: then it is nobody else's.
    pub machine: String,
}

/// Why records are not one.
#[derive(Clone, Debug, PartialEq, Eq, Error)]
pub enum Unmergeable {
    /// There are none.
    #[error("no rank left a record")]
    Nothing,
    /// A rank left two.
    #[error("rank {0} left two records of one pass")]
    Twice(u32),
    /// A stream ran on two ranks.
    #[error("stream {name} is in the records of ranks {ranks:?}: a stream runs on one rank only")]
    StreamTwice {
        /// Which.
        name: String,
        /// Where.
        ranks: [u32; 2],
    },
    /// Not all are measurements, or all watched counters, or emulated at one scale.
    #[error("rank {rank} left a record of another technique ({other}) than rank {root} ({first})")]
    Technique {
        /// Whose differs.
        rank: u32,
        /// What made it.
        other: String,
        /// The lowest rank.
        root: u32,
        /// What made its.
        first: String,
    },
    /// What came out breaks rules of records.
    #[error("the records of all ranks contradict one another: {text}", text = listed(.0))]
    Broken(Vec<BrokenRule>),
}

/// One record of all ranks. That of one rank alone stays as it is, but for the case.
///
/// # Errors
/// [`Unmergeable`]: parts that are not of one pass.
pub fn merge(case: CaseText, parts: Vec<OfRank>) -> Result<Record, Unmergeable> {
    let mut parts = Parts::of(parts)?;
    let technique = technique(&parts)?;
    if let [only] = &mut parts.ranks[..] {
        return Ok(Record { case, ..std::mem::replace(&mut only.record, blank()) });
    }
    edges::agree(&mut parts.ranks);
    let things = Things::of(&parts)?;
    let instants = Instants::of(&parts);
    let root = &parts.ranks[0].record;
    let merged = Record {
        case,
        technique,
        environment: facts::of(&parts, &things),
        relations: relations::of(&parts, &things),
        clock: ClockNote { error_ns: instants.error_ns(&parts), ..root.clock },
        series: series::of(&parts, &things, &instants),
        streams: streams(&parts, &things),
        heat: heat::of(&parts, &instants),
        bad_blocks: bad_blocks(&parts),
        events: said::events(&parts, &things),
        warnings: said::warnings(&parts),
        entities: things.entities,
        instants_ns: instants.all_ns,
        ..blank()
    };
    let broken = merged.validate();
    if broken.is_empty() { Ok(merged) } else { Err(Unmergeable::Broken(broken)) }
}

/// A record of nothing.
fn blank() -> Record {
    Record {
        format: Record::FORMAT,
        case: CaseText::default(),
        technique: Technique::Observation,
        environment: BTreeMap::new(),
        entities: Vec::new(),
        relations: Vec::new(),
        clock: ClockNote::default(),
        instants_ns: Vec::new(),
        series: Vec::new(),
        streams: Vec::new(),
        heat: Vec::new(),
        bounds: Vec::new(),
        curve: Vec::new(),
        bad_blocks: BadBlocks::default(),
        events: Vec::new(),
        warnings: Vec::new(),
    }
}

/// That of all; engines that differ are joined.
fn technique(parts: &Parts) -> Result<Technique, Unmergeable> {
    let root = &parts.ranks[0];
    let (mut engines, first) = (Vec::new(), &root.record.technique);
    for part in &parts.ranks {
        let own = &part.record.technique;
        let fits = own.name() == first.name() && own.emulated() == first.emulated();
        if !fits || own.is_model() && parts.ranks.len() > 1 {
            return Err(Unmergeable::Technique {
                rank: part.rank,
                other: format!("{own:?}"),
                root: root.rank,
                first: format!("{first:?}"),
            });
        }
        if let Technique::Measurement { engine, .. } = own
            && !engines.contains(engine)
        {
            engines.push(engine.clone());
        }
    }
    Ok(match first {
        Technique::Measurement { emulated, .. } => {
            Technique::Measurement { engine: engines.join(", "), emulated: *emulated }
        }
        Technique::Observation | Technique::Analytic | Technique::Simulation { .. } => {
            first.clone()
        }
    })
}

/// Totals as the ranks have them, in the order of ranks.
fn streams(parts: &Parts, things: &Things) -> Vec<StreamTotals> {
    let of = |(at, stream): (usize, &StreamTotals)| StreamTotals {
        entity: things.place(at, stream.entity),
        ..stream.clone()
    };
    parts.each(|record| &record.streams).map(of).collect()
}

/// Those of all; what lies on one host only has that host before it.
fn bad_blocks(parts: &Parts) -> BadBlocks {
    let mut all = BadBlocks::default();
    for part in &parts.ranks {
        let mut own = part.record.bad_blocks.clone();
        if !parts.is_one_host() {
            own.listed.iter_mut().for_each(|block| {
                block.target = format!("{}:{}", part.host.node, block.target);
            });
        }
        all.merge(own);
    }
    all
}
