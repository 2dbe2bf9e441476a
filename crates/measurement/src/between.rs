//! What happens between streams and those that begin after them (`after=`): what will be read is
//! filled where this run has made it and no stream wrote it, written data is flushed, or dropped
//! from the page cache, as the study wants; then the pause.

use std::cell::RefCell;
use std::sync::atomic::{AtomicBool, Ordering::Relaxed};
use std::time::Duration;

use iopath_ranks::Communicator;
use iopath_record::Progress;
use iopath_study::Case;
use iopath_study::case::Prepare;
use iopath_units::Nanos;

use crate::failure::Failure;
use crate::target::{OpenTarget, Targets, drop_pages, sync};

/// How often a pause is looked at for Ctrl-C.
const LOOK: Duration = Duration::from_millis(20);

/// What is between the epochs of a pass.
pub(crate) struct Between<'a> {
    pub case: &'a Case,
    pub targets: &'a mut Targets,
    pub open: &'a [OpenTarget],
    pub interrupted: &'a AtomicBool,
    pub ranks: Option<&'a RefCell<Communicator>>,
}

impl Between<'_> {
    /// The other ranks are not to take this one for hung.
    fn goes_on(&self) -> bool {
        look_after(self.ranks);
        !self.interrupted.load(Relaxed)
    }

    /// Prepares an epoch that is not the first; `moved` has what each stream has moved until now.
    /// Ctrl-C ends it early, without a failure.
    pub(crate) fn before(
        &mut self,
        epoch: usize,
        moved: &[u64],
        tell: &mut dyn FnMut(Progress),
    ) -> Result<(), Failure> {
        announce(self.ranks);
        let epochs = self.case.epochs();
        let (before, streams) = (&epochs[epoch - 1], &epochs[epoch]);
        self.targets.note_written(self.case, before, moved);
        let failed = |target: &OpenTarget| {
            let target = target.label.clone();
            |source| Failure::Prepare { target, source }
        };
        for (index, target) in self.open.iter().enumerate() {
            if self.interrupted.load(Relaxed) {
                return Ok(());
            }
            let mut go_on = going_on(self.interrupted, tell);
            match self.targets.make_ready((self.case, index), streams, target, &mut go_on) {
                Err(error) if error.kind() == std::io::ErrorKind::Interrupted => return Ok(()),
                filled => filled.map_err(failed(target))?,
            }
            let prepared = match self.case.preparation(index, streams) {
                Prepare::None => Ok(()),
                Prepare::Sync => sync(target),
                Prepare::Drop => drop_pages(target),
            };
            prepared.map_err(failed(target))?;
        }
        pause(self.case.start_delay(streams), &mut || self.goes_on());
        Ok(())
    }
}

/// Tells of progress, and whether to go on.
pub(crate) fn going_on<'t>(
    interrupted: &'t AtomicBool,
    tell: &'t mut (dyn FnMut(Progress) + 't),
) -> impl FnMut(Progress) -> bool + 't {
    move |progress| {
        tell(progress);
        !interrupted.load(Relaxed)
    }
}

/// In the middle of something that takes long: the other ranks are not to take this one for hung.
pub(crate) fn look_after(ranks: Option<&RefCell<Communicator>>) {
    if let Some(ranks) = ranks {
        // Who is lost now is missed when streams begin.
        drop(ranks.borrow_mut().look_after());
    }
}

/// Tells the other ranks that something begins which may take long and say nothing.
pub(crate) fn announce(ranks: Option<&RefCell<Communicator>>) {
    if let Some(ranks) = ranks {
        drop(ranks.borrow_mut().prepare());
    }
}

/// Waits, but not for longer than it is to go on.
pub(crate) fn pause(span: Nanos, goes_on: &mut dyn FnMut() -> bool) {
    let mut left = Duration::from(span);
    while !left.is_zero() && goes_on() {
        let step = left.min(LOOK);
        std::thread::sleep(step);
        left -= step;
    }
}
