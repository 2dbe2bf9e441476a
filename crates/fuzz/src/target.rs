//! What is fed. A target takes any bytes and says in a few words how it behaved.

mod import;
mod record;
mod simulation;
mod study;

use std::path::PathBuf;

use crate::corpus::folder;
use crate::random::Random;

/// What is fed.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Target {
    /// The parser of study files.
    Study,
    /// The decoder of records: text and compressed.
    Record,
    /// Texts of other tools, on their way into a record.
    Import,
    /// The simulation of small studies.
    Simulation,
}

impl Target {
    #[cfg(test)]
    pub(crate) const ALL: [Self; 4] = [Self::Study, Self::Record, Self::Import, Self::Simulation];

    pub(crate) fn named(name: &str) -> Option<Self> {
        match name {
            "study" => Some(Self::Study),
            "record" => Some(Self::Record),
            "import" => Some(Self::Import),
            "simulation" => Some(Self::Simulation),
            _ => None,
        }
    }

    pub(crate) const fn name(self) -> &'static str {
        match self {
            Self::Study => "study",
            Self::Record => "record",
            Self::Import => "import",
            Self::Simulation => "simulation",
        }
    }

    /// Folders of files to begin with. Texts of tools are those that their readers are tested with.
    pub(crate) fn folders(self) -> Vec<PathBuf> {
        let own = folder("corpus").join(self.name());
        match self {
            Self::Import => vec![folder("../import/tests/fixtures"), own],
            Self::Study | Self::Record | Self::Simulation => vec![own],
        }
    }

    /// The forms in which a kept file can be fed.
    pub(crate) fn forms(self, input: Vec<u8>) -> Vec<Vec<u8>> {
        match self {
            Self::Study => study::forms(input),
            Self::Record => record::forms(input),
            Self::Import => import::forms(input),
            Self::Simulation => simulation::forms(input),
        }
    }

    /// An input made from a seed, where a target has a generator: most should be accepted.
    pub(crate) fn made(self, random: &mut Random) -> Option<Vec<u8>> {
        match self {
            Self::Import => Some(import::made(random)),
            Self::Study | Self::Record | Self::Simulation => None,
        }
    }

    /// Whether a behaviour is that of an input that was accepted.
    pub(crate) fn is_accepted(self, behaviour: &str) -> bool {
        match self {
            Self::Import => import::is_accepted(behaviour),
            Self::Study | Self::Record | Self::Simulation => false,
        }
    }

    /// Feeds an input. What it returns is equal for inputs that were treated alike.
    pub(crate) fn feed(self, input: &[u8]) -> String {
        match self {
            Self::Study => study::feed(input),
            Self::Record => record::feed(input),
            Self::Import => import::feed(input),
            Self::Simulation => simulation::feed(input),
        }
    }
}
