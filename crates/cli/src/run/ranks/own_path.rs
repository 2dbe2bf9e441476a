//! What each host discovers below its own targets, where ranks run on several: what carries the
//! devices there is then in the record of each rank, with its limits.
//!
//! It is not in the case, which is one for all hosts, so nothing is predicted from it.

use std::cell::RefCell;
use std::collections::{BTreeMap, BTreeSet};
use std::path::PathBuf;

use iopath_machine::Root;
use iopath_record::{Fact, Record};
use iopath_study::Case;

use crate::arguments::{Command, StoreOption};
use crate::inputs::locate::place;
use crate::inputs::path_source::{Known, below, wants_path_of_each_host};
use crate::results::machine_profile::MachineProfile;

/// The paths that a rank has discovered so far.
pub(crate) struct OwnPaths {
    /// Where the profile of its host is.
    store: StoreOption,
    /// By what the targets are, or lie in.
    found: RefCell<BTreeMap<Vec<PathBuf>, Result<Case, String>>>,
}

/// What a rank measures over.
#[derive(Default)]
pub(crate) struct OwnPath {
    /// None where it is not wanted, or could not be discovered.
    pub path: Option<Case>,
    /// Why it could not.
    pub remark: Option<String>,
}

impl OwnPaths {
    pub(crate) fn new(store: StoreOption) -> Self {
        Self { store, found: RefCell::default() }
    }

    /// Of a command that measures: what follows rank 0 has the same arguments.
    pub(super) fn of_command(command: &Command) -> Option<Self> {
        match command {
            Command::Measure(measure) => Some(Self::new(measure.store.clone())),
            Command::Tune(tune) => Some(Self::new(tune.store.clone())),
            _ => None,
        }
    }

    /// What lies below the targets of a rank's streams of a case that describes no path itself.
    pub(crate) fn below(&self, root: &Root, case: &Case, own: &Case) -> OwnPath {
        if own.streams.is_empty() || !wants_path_of_each_host(case) {
            return OwnPath::default();
        }
        let places: BTreeSet<PathBuf> = own.targets.iter().map(place).collect();
        let places: Vec<PathBuf> = places.into_iter().collect();
        let is_new = !self.found.borrow().contains_key(&places);
        let mut found = self.found.borrow_mut();
        let path = found.entry(places).or_insert_with_key(|places| {
            let profile = MachineProfile::read(&self.store);
            let known: Known = Box::new(move |found| profile.put_into(found));
            below(root, places, &known)
        });
        let remark = path.as_ref().err().filter(|_| is_new);
        let remark = remark.map(|why| format!("its path could not be discovered: {why}"));
        OwnPath { path: path.as_ref().ok().cloned(), remark }
    }
}

impl OwnPath {
    /// A record that says where its path is from.
    pub(crate) fn noted(&self, mut record: Record) -> Record {
        record.environment.extend(self.path.iter().map(|_| Fact::PathFrom.is("discovered")));
        record
    }
}
