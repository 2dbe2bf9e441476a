//! Locks that streams have revoked from one another.

use iopath_study::case::Case;
use iopath_study::unindexed;
use iopath_units::Op;

use super::groups::Groups;
use crate::legs::{Builder, Request};
use crate::network::{ComponentId, Mechanism};
use crate::rivals::Users;
use crate::running::Running;

/// Who shares files with whom.
pub(super) struct Revokes<'a> {
    case: &'a Case,
    users: Users,
    /// Where only a simulation knows how often.
    pub mechanisms: Vec<Mechanism>,
}

impl<'a> Revokes<'a> {
    pub(super) fn new(case: &'a Case, running: &[Running], groups: &Groups) -> Self {
        let epoch = |one: &Running| (one.stream, groups.epoch(&case.streams[one.stream]));
        let users = Users::new(case, running.iter().map(epoch));
        Self { case, users, mechanisms: Vec::new() }
    }

    /// A request of a stream with what it has revoked.
    pub(super) fn priced(
        &mut self,
        builder: &Builder<'_>,
        running: &Running,
        epoch: u32,
        request: Request,
    ) -> Request {
        let stream = running.stream;
        let file = ComponentId::from(self.case.targets[self.case.streams[stream].target].part);
        let revoke = running.place.component().and_then(|place| builder.revoke(file, place));
        let Some(revoke) = revoke else { return request };
        let rivals = self.users.rivals(self.case, stream, epoch, revoke.unit);
        let locks = rivals.revokes(self.case, stream, request.asked.op, revoke.unit);
        if locks.is_none() {
            self.tell(stream, file, request.asked.op);
        }
        let revokes_ppm = (locks.unwrap_or(0.0) * 1e6).floor() as u64;
        Request { revokes_ppm, ..request }
    }

    fn tell(&mut self, stream: usize, file: ComponentId, op: Op) {
        let group = &self.case.streams[stream].group;
        let file = unindexed(&self.case.system.part(file.into()).name);
        let verb = if op == Op::Read { "reads" } else { "writes" };
        let text = format!(
            "{group} {verb} {file}, whose locks other streams take, too; how often they are \
             revoked is not modelled"
        );
        self.mechanisms.push(Mechanism { kind: "lock-revoke", text, decides: true });
    }
}
