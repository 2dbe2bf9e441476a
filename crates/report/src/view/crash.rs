//! What targets hold after a crash.

use iopath_record::AfterCrash;

/// The targets of a run that was cut off.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct CrashReport {
    /// Its name in the store.
    pub run: String,
    /// Whether the machine has run on since, so that its journals lack nothing.
    pub is_current: bool,
    /// Each target that could be checked.
    pub targets: Vec<AfterCrash>,
    /// Why the others could not.
    pub problems: Vec<String>,
}

impl CrashReport {
    /// A run of which nothing is checked yet.
    #[must_use]
    pub fn of(run: String) -> Self {
        Self { run, is_current: true, targets: Vec::new(), problems: Vec::new() }
    }

    /// Whether all that was flushed is there; none where some of it, or nothing, could be checked.
    #[must_use]
    pub fn is_intact(&self) -> Option<bool> {
        let checked: u64 = self.targets.iter().map(AfterCrash::units).sum();
        match self.is_damaged() {
            true => Some(false),
            false => (checked > 0 && self.problems.is_empty()).then_some(true),
        }
    }

    pub(crate) fn is_damaged(&self) -> bool {
        self.targets.iter().any(|target| !target.bad_blocks.is_empty())
    }
}
