//! What is wrong with a path: found when names are looked up already, so it speaks of parts.

use std::fmt;

use iopath_study::PartId;
use iopath_study::source::Span;

/// Sorts of mistakes of a path.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub enum PathMistakeKind {
    /// A stream does not say where it runs, and there are several hosts.
    ManyHosts,
    /// No route leads to what a stream needs.
    Unreachable,
    /// No stream of a group crosses what its `via` names.
    Via,
    /// What streams need was removed.
    Gone,
    /// Members make up no volume of their level.
    Geometry,
    /// A cache should serve requests, and none is on the way.
    Cache,
    /// No stream moves data, and models know of nothing else.
    Unmodelled,
}

/// One mistake of a path.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct PathMistake {
    /// Its sort.
    pub kind: PathMistakeKind,
    /// What is wrong.
    pub text: String,
    /// What to do about it.
    pub hint: Option<String>,
    /// The part that it is about.
    pub part: Option<PartId>,
    /// Where that is declared.
    pub span: Option<Span>,
}

impl std::error::Error for PathMistake {}

impl fmt::Display for PathMistake {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.text)?;
        match &self.hint {
            Some(hint) => write!(f, "\n hint: {hint}"),
            None => Ok(()),
        }
    }
}
