//! What rank 0 and the others say to each other, besides what `iopath_ranks` does by itself.

use std::collections::BTreeMap;
use std::num::NonZeroUsize;
use std::path::PathBuf;

use iopath_ranks::{Communicator, LastPass, Lost};
use iopath_record::{BadBlocks, Record};
use iopath_units::Bytes;
use serde::de::DeserializeOwned;
use serde::{Deserialize, Serialize};

use super::order::Order;
use super::sent::{CaseSent, StudySent};
use crate::exit_status::ExitStatus;
use crate::output::Printed;

/// Rank 0 to another.
#[derive(Clone, Debug, Serialize, Deserialize)]
pub(super) enum ToRank {
    /// The cases of the run, each as its own study; answered by [`ToRoot::Found`].
    Cases { texts: Vec<String>, ranks: Vec<HostFacts> },
    /// What every rank found, and what may be destroyed; answered by [`ToRoot::Examined`].
    Examine { found: Vec<Found>, named: Vec<String> },
    /// Measure a case; answered by [`ToRoot::Pass`] for each pass, and [`ToRoot::Ended`].
    Trial(TrialSent),
    /// Whether more passes are wanted than the study asks for at least.
    Next { more: bool },
    /// Simulations follow, for so many threads; of the cases of this study, where it is known.
    Crew { threads: NonZeroUsize, study: Option<Box<StudySent>> },
    /// Answered by [`ToRoot::Simulated`].
    Simulate { id: u64, order: Order },
    /// Run the command as if this host were the only one; answered by [`ToRoot::Printed`] as it
    /// prints, and [`ToRoot::Ran`].
    Run,
    /// The run has ended.
    Leave,
}

/// A case to be measured.
#[derive(Clone, Debug, Serialize, Deserialize)]
pub(super) struct TrialSent {
    pub index: u32,
    pub case: CaseSent,
    /// Whether each host discovers its own path.
    pub discovers: bool,
}

/// Another to rank 0.
#[derive(Clone, Debug, Serialize, Deserialize)]
pub(super) enum ToRoot {
    Host(HostFacts),
    Found(Found),
    Examined(Examined),
    Pass(Box<PassOfRank>),
    Ended(Ended),
    Printed(Vec<Printed>),
    Ran(ExitStatus),
    /// Without a record where it could not be done there.
    Simulated {
        id: u64,
        record: Option<Box<Record>>,
    },
}

/// Where a rank runs.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub(super) struct HostFacts {
    /// Its name on the network.
    pub name: String,
    /// Its kernel's identity: namespaces of one machine have the same.
    pub kernel: String,
    /// The version of the program.
    pub version: String,
    /// Processors that the host has, and that the rank may use.
    pub processors: usize,
    pub allowed: usize,
}

impl HostFacts {
    /// Whether another rank runs on this host.
    pub(super) fn is_host_of(&self, other: &Self) -> bool {
        (&self.name, &self.kernel) == (&other.name, &other.kernel)
    }
}

/// What a rank found at each path that it uses: one name for one file or device, on all hosts.
pub(super) type Found = BTreeMap<String, String>;

/// What stands in the way of a rank, and what it takes.
#[derive(Clone, Debug, Default, Serialize, Deserialize)]
pub(super) struct Examined {
    pub hindrances: Vec<Hindrance>,
    pub taken: Vec<Taken>,
}

/// What a rank will take of a file system.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub(super) struct Taken {
    /// One name for one file system, on all hosts.
    pub file_system: String,
    pub place: PathBuf,
    pub wanted: Bytes,
    pub free: Bytes,
}

/// An obstacle in words.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub(super) struct Hindrance {
    pub text: String,
    /// Whether writing would destroy something.
    pub is_refusal: bool,
}

/// What a rank left of a pass.
#[derive(Clone, Debug, Serialize, Deserialize)]
pub(super) struct PassOfRank {
    pub record: Record,
    /// Who its entities are to all hosts.
    pub identities: BTreeMap<String, String>,
    pub kept: LastPass,
    /// What its clock shows when the pass has ended.
    pub ended_ns: u64,
}

/// How a trial ended for a rank.
#[derive(Clone, Debug, Serialize, Deserialize)]
pub(super) struct Ended {
    pub how: How,
    pub remarks: Vec<String>,
    /// Named files and devices that it wrote.
    pub written: Vec<String>,
}

#[derive(Clone, Debug, Serialize, Deserialize)]
pub(super) enum How {
    Finished,
    Interrupted,
    Failed(String),
    /// Verification found wrong data; what reading back found belongs to the last pass.
    WrongData {
        text: String,
        read_back: Box<BadBlocks>,
    },
    /// Nothing was read or written, as a target was refused, or could not be opened.
    NotBegun {
        text: String,
        is_refusal: bool,
    },
}

pub(super) fn send<T: Serialize>(
    ranks: &mut Communicator,
    to: u32,
    message: &T,
) -> Result<(), Lost> {
    let text = serde_json::to_vec(message).map_err(|error| Lost::Carrier(error.to_string()))?;
    ranks.send(to, &text)
}

pub(super) fn read<T: DeserializeOwned>(from: u32, message: &[u8]) -> Result<T, Lost> {
    serde_json::from_slice(message).map_err(|error| {
        Lost::Carrier(format!("rank {from} runs another build of iopath: {error}"))
    })
}
