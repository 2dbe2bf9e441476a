//! What each host discovers below its own targets, where ranks run on several: what carries the
//! devices there is then in the record of each rank, with its limits.
//!
//! It is not in the case, which is one for all hosts, so nothing is predicted from it.

use std::cell::{OnceCell, RefCell};
use std::collections::{BTreeMap, BTreeSet};
use std::path::PathBuf;

use iopath_machine::Root;
use iopath_record::{Fact, Record};
use iopath_study::Case;

use super::share::Deal;
use crate::arguments::{Command, StoreOption};
use crate::inputs::locate::place;
use crate::inputs::path_source::{below, undiscovered, wants_path_of_each_host};
use crate::results::machine_profile::MachineProfile;

/// The paths that a rank has discovered so far.
pub(crate) struct OwnPaths {
    /// Where the profile of its host is.
    store: StoreOption,
    profile: OnceCell<MachineProfile>,
    /// By what the targets are, or lie in.
    found: RefCell<BTreeMap<Vec<PathBuf>, Option<Case>>>,
    said: RefCell<BTreeSet<String>>,
}

/// What a rank measures over.
#[derive(Default)]
pub(crate) struct OwnPath {
    /// None where it is not wanted, or could not be discovered.
    pub path: Option<Case>,
    /// What is to be said of it, once in a run.
    pub remarks: Vec<String>,
}

impl OwnPaths {
    pub(crate) fn new(store: StoreOption) -> Self {
        let (profile, found, said) = Default::default();
        Self { store, profile, found, said }
    }

    /// Of a command that measures: what follows rank 0 has the same arguments.
    pub(super) fn of_command(command: &Command) -> Option<Self> {
        match command {
            Command::Measure(measure) => Some(Self::new(measure.store.clone())),
            Command::Tune(tune) => Some(Self::new(tune.store.clone())),
            _ => None,
        }
    }

    /// What lies below the targets that ranks of this host use of a case that describes no path
    /// itself. Parts are called by what was found with them, so all ranks of a host look at the
    /// same.
    pub(super) fn below(&self, root: &Root, case: &Case, deal: &Deal) -> OwnPath {
        if !wants_path_of_each_host(case) {
            return OwnPath::default();
        }
        let places: BTreeSet<PathBuf> = deal.host_targets(case).into_iter().map(place).collect();
        let mut remarks = Vec::new();
        let mut found = self.found.borrow_mut();
        let path = found.entry(places.into_iter().collect()).or_insert_with_key(|places| {
            let profile = self.profile.get_or_init(|| MachineProfile::read(&self.store));
            let path = below(root, places, &mut |found| {
                let (found, remark) = profile.given_to(found);
                remarks.extend(remark);
                found
            });
            path.map_err(|why| remarks.push(undiscovered(&why))).ok()
        });
        let path = path.clone();
        remarks.retain(|remark| self.said.borrow_mut().insert(remark.clone()));
        OwnPath { path, remarks }
    }
}

impl OwnPath {
    /// A record that says where its path is from.
    pub(crate) fn noted(&self, mut record: Record) -> Record {
        record.environment.extend(self.path.iter().map(|_| Fact::PathFrom.is("discovered")));
        record
    }
}
