//! How the kernel reads ahead and queues requests: advice for a stream's own open file, and
//! settings of the devices below, which are changed for a trial and restored after it.

use std::collections::BTreeSet;
use std::fs::File;
use std::io;
use std::os::fd::AsRawFd;
use std::path::{Path, PathBuf};

use iopath_machine::settings::{self, Changed, Setting, SettingError, Wanted};
use iopath_machine::{Devices, location};
use iopath_study::Case;
use iopath_study::case::{Advice, EngineKind, KernelSettings};
use iopath_units::Bytes;
use rustix::fs::{Mode, OFlags, fadvise, fcntl_getfl, open};

use super::Targets;
use super::made::files_of;

/// What a trial has changed of the kernel's settings, and what there is to tell about that.
#[derive(Default)]
pub(super) struct Kernel {
    changed: Option<Changed>,
    pub(super) remarks: Vec<String>,
}

impl Targets {
    /// Changes what the case asks for. A held file keeps what was set when it was opened, so
    /// targets are opened, or advised anew, after this.
    pub(crate) fn change_settings(&mut self, case: &Case) -> io::Result<()> {
        self.restore_settings();
        if asked(case).is_empty() {
            return Ok(());
        }
        let devices = Devices::read(&self.root).map_err(io::Error::other)?;
        let wanted = self.wanted(case, &devices).map_err(io::Error::other)?;
        let changed = Changed::set(&self.root, &wanted).map_err(io::Error::other)?;
        self.kernel.changed = Some(changed);
        Ok(())
    }

    /// The kernel's files that a case sets, with what they shall say.
    ///
    /// # Errors
    /// What stands in the way.
    pub fn wanted_settings(&self, case: &Case) -> Result<BTreeSet<Wanted>, SettingError> {
        self.wanted(case, &Devices::read(&self.root)?)
    }

    /// Restores what was changed.
    pub(crate) fn restore_settings(&mut self) {
        let left = self.kernel.changed.take().map(Changed::restore).unwrap_or_default();
        self.kernel.remarks.extend(left.iter().map(ToString::to_string));
    }

    /// What is changed now: the kernel's files, and what they said before.
    pub(crate) fn changed_settings(&self) -> Vec<(PathBuf, String)> {
        let before = self.kernel.changed.iter().flat_map(Changed::before);
        before.map(|(file, before)| (file.to_owned(), before.to_owned())).collect()
    }

    /// What could not be restored, or must not be, since this was asked last: for people.
    pub fn take_remarks(&mut self) -> Vec<String> {
        std::mem::take(&mut self.kernel.remarks)
    }

    /// What stands in the way of changing what a case asks for.
    pub(super) fn unchangeable(&self, case: &Case, devices: &Devices) -> Option<String> {
        if asked(case).is_empty() {
            return None;
        }
        let wanted = self.wanted(case, devices);
        let may = wanted.and_then(|wanted| settings::may_set(&self.root, &wanted));
        may.err().map(|error| error.to_string())
    }

    fn wanted(&self, case: &Case, devices: &Devices) -> Result<BTreeSet<Wanted>, SettingError> {
        // A file that is not there yet will lie where its directory lies.
        let nearest = |place: PathBuf| {
            let there = place.ancestors().find(|path| path.exists()).map(Path::to_owned);
            there.filter(|path| !path.as_os_str().is_empty()).unwrap_or_else(|| ".".into())
        };
        let files = case.targets.iter().flat_map(|target| files_of(case, target));
        let places: Vec<PathBuf> = files.map(|file| nearest(self.place(&file))).collect();
        let mut all = BTreeSet::new();
        for (setting, value) in asked(case) {
            all.append(&mut settings::wanted(&self.root, devices, &places, setting, &value)?);
        }
        Ok(all)
    }
}

/// What a case asks for.
fn asked(case: &Case) -> Vec<(Setting, String)> {
    if case.workload.engine == EngineKind::Null {
        return Vec::new();
    }
    let KernelSettings { readahead, scheduler, max_request, requests } = case.workload.kernel;
    let kib = |bytes: Bytes| (bytes.0 / 1024).to_string();
    let scheduler = scheduler.map(|one| <&str>::from(one).to_owned());
    let all = [
        (Setting::Scheduler, scheduler),
        (Setting::MaxRequest, max_request.map(kib)),
        (Setting::Requests, requests.map(|count| count.to_string())),
        (Setting::Readahead, readahead.map(kib)),
    ];
    all.into_iter().filter_map(|(setting, value)| Some((setting, value?))).collect()
}

/// The file once more, opened for one stream and advised as that wants: advice belongs to an open
/// file, which streams share otherwise. None where there is nothing to advise.
pub(crate) fn advised(file: &File, advice: Advice) -> io::Result<Option<File>> {
    let advice = match advice {
        Advice::Normal => return Ok(None),
        Advice::Sequential => rustix::fs::Advice::Sequential,
        Advice::Random => rustix::fs::Advice::Random,
    };
    let kept = OFlags::RWMODE | OFlags::NOATIME | OFlags::DIRECT;
    let flags = (fcntl_getfl(file)? & kept) | OFlags::CLOEXEC;
    let own = open(location::path_of_open(file.as_raw_fd()), flags, Mode::empty())?;
    fadvise(&own, 0, None, advice)?;
    Ok(Some(own.into()))
}

/// Forgets advice, and takes over what the devices below are set to now.
pub(super) fn advise_normally(file: &File) {
    // Files that have no such thing refuse, and need none.
    let _ = fadvise(file, 0, None, rustix::fs::Advice::Normal);
}
