//! How the program ends: one table of exit codes, and the problems that lead to them.

use std::fmt;
use std::process::ExitCode;

use clap::error::ErrorKind;
use serde::{Deserialize, Serialize};

/// How a command ended. The codes are documented in `docs/exit-codes.md`.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub(crate) enum ExitStatus {
    /// Everything was done.
    Done = 0,
    /// Something that should not happen, such as a store that cannot be written.
    Unexpected = 1,
    /// The study or the arguments are wrong.
    Mistake = 3,
    /// Something stands in the way; nothing was read or written yet.
    Obstacle = 4,
    /// Writing was refused because it would destroy something.
    Refused = 5,
    /// I/O failed or data was damaged; what was measured before is in the store.
    Failed = 6,
    /// The user interrupted; what was measured before is in the store.
    Interrupted = 130,
}

/// What to tell the user, and the code to end with.
#[derive(Debug)]
pub(crate) struct Problem {
    status: ExitStatus,
    text: String,
    is_wrong_data: bool,
}

impl ExitStatus {
    pub(crate) fn exit(self) -> ExitCode {
        ExitCode::from(self as u8)
    }
}

impl Problem {
    pub(crate) fn new(status: ExitStatus, text: impl fmt::Display) -> Self {
        Self { status, text: text.to_string(), is_wrong_data: false }
    }

    /// Verification found that the storage does not keep what it is given.
    pub(crate) fn wrong_data(text: impl fmt::Display) -> Self {
        Self { is_wrong_data: true, ..Self::new(ExitStatus::Failed, text) }
    }

    pub(crate) fn status(&self) -> ExitStatus {
        self.status
    }

    pub(crate) fn is_wrong_data(&self) -> bool {
        self.is_wrong_data
    }

    pub(crate) fn mistake(text: impl fmt::Display) -> Self {
        Self::new(ExitStatus::Mistake, text)
    }

    pub(crate) fn unexpected(text: impl fmt::Display) -> Self {
        Self::new(ExitStatus::Unexpected, text)
    }
}

impl fmt::Display for Problem {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.text)
    }
}

/// Help and version are no mistakes; everything else that clap finds is.
pub(crate) fn of_usage(error: &clap::Error) -> ExitStatus {
    // Where even this cannot be printed, the code still says it.
    let _ = error.print();
    match error.kind() {
        ErrorKind::DisplayHelp | ErrorKind::DisplayVersion => ExitStatus::Done,
        _ => ExitStatus::Mistake,
    }
}
