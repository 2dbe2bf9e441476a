//! Mistakes that show when legs are laid: each is told once for all streams of a declaration.

use std::collections::BTreeSet;

use iopath_study::case::Case;
use iopath_study::source::Span;
use iopath_study::{PartId, System};

use crate::legs::Why;
use crate::mistake::{PathMistake, PathMistakeKind};

/// Why a stream cannot run.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) enum Trouble {
    /// What it needs cannot be laid.
    Legs(Why),
    /// A share of its requests should hit, and there is no cache.
    NoCache,
}

/// The mistakes of a case.
#[derive(Debug, Default)]
pub(super) struct Mistakes {
    list: Vec<PathMistake>,
    told: BTreeSet<(PathMistakeKind, Option<Span>)>,
}

impl Mistakes {
    pub(super) fn add(&mut self, case: &Case, stream: usize, trouble: &Trouble) {
        let mistake = match trouble {
            Trouble::NoCache => no_cache(case, stream),
            Trouble::Legs(Why::Geometry(id, error)) => {
                about(&case.system, (*id).into(), (PathMistakeKind::Geometry, error.to_string()))
            }
            Trouble::Legs(Why::Unreachable(missing)) => {
                let id = PartId::from(missing.to);
                let name = &case.system.part(id).name;
                let text = format!("no route leads to {name}: {}", missing.why);
                about(&case.system, id, (PathMistakeKind::Unreachable, text))
            }
        };
        if self.told.insert((mistake.kind, mistake.span)) {
            self.list.push(mistake);
        }
    }

    /// Nothing, or what is wrong.
    pub(super) fn none_or(self) -> Result<(), Vec<PathMistake>> {
        if self.list.is_empty() { Ok(()) } else { Err(self.list) }
    }
}

fn no_cache(case: &Case, stream: usize) -> PathMistake {
    let stream = &case.streams[stream];
    let target = &case.targets[stream.target];
    PathMistake {
        kind: PathMistakeKind::Cache,
        text: format!(
            "hit= of {} needs a cache on the path to {}, and there is none",
            stream.group, target.name
        ),
        hint: Some("put a cache into the controller, or remove hit=".to_owned()),
        part: Some(target.part),
        span: Some(stream.place.0),
    }
}

fn about(system: &System, id: PartId, (kind, text): (PathMistakeKind, String)) -> PathMistake {
    let span = Some(system.declared(id).span);
    PathMistake { kind, text, hint: None, part: Some(id), span }
}
