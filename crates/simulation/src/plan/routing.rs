//! What is found on the way while the same parts are known to have failed.

use std::collections::BTreeMap;
use std::rc::Rc;

use iopath_path::{ComponentId, Departure, FlushEnd, Hops, Place};

use super::PlanId;

/// One network with what was asked of it so far.
pub(crate) struct Routing<'a> {
    pub hops: Hops<'a>,
    pub(super) known: BTreeMap<Departure, PlanId>,
    /// What flushes from a place end at.
    pub(super) flushed: BTreeMap<(Place, ComponentId), Rc<[FlushEnd]>>,
    /// The turns of the ways from a place to an end.
    pub(super) turns_of: BTreeMap<(Place, ComponentId), u32>,
}

impl<'a> Routing<'a> {
    pub(super) fn on(hops: Hops<'a>) -> Self {
        Self { hops, known: BTreeMap::new(), flushed: BTreeMap::new(), turns_of: BTreeMap::new() }
    }
}
