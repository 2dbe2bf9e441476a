//! Leave to write a target: asked once a run, remembered for every case.
//!
//! What another rank keeps on this kernel that rank has examined. On another kernel both look: what
//! is mounted or held here only this one can see.

use std::path::Path;

use iopath_machine::safety::{self, Permission, Refusal};

use super::{Look, Obstacle};
use crate::target::Lender;

impl Look<'_> {
    pub(super) fn permission(&mut self, place: &Path) {
        let lender = self.targets.borrowed.get(place).copied();
        let (kept, lent) = (&self.targets.permissions, &self.targets.permissions_to_borrow);
        let is_known = kept.contains_key(place) || lent.contains_key(place);
        if is_known || lender == Some(Lender::Here) {
            return;
        }
        match self.may_write(place) {
            Ok(permission) => {
                let permissions = match lender {
                    Some(_) => &mut self.targets.permissions_to_borrow,
                    None => &mut self.targets.permissions,
                };
                permissions.insert(place.to_owned(), permission);
                if let Err(source) = self.targets.claim(place) {
                    self.not_permitted(place, "writing by this run alone", &source);
                }
            }
            Err(refusal) => self.found.push(Obstacle::Unsafe(refusal)),
        }
    }

    /// What a target of the caller's own holds is nobody's: there is nothing to give up, and of a
    /// file nothing is read, since a device that was made to be slow would take its time. A device
    /// that is in use is refused all the same.
    fn may_write(&self, place: &Path) -> Result<Permission, Refusal> {
        let root = &self.targets.root;
        if self.targets.own.contains(place) && place.is_file() {
            return Ok(Permission::for_own_file(root, place));
        }
        let refused = match safety::may_write(self.survey, place, self.named) {
            Err(refused) if self.targets.own.contains(place) => refused,
            other => return other,
        };
        let Some(token) = &refused.override_token else { return Err(refused) };
        let mut permission = safety::may_write(self.survey, place, &[token])?;
        permission.overridden.clear();
        Ok(permission)
    }
}
