//! What requests from a place find at a volume or medium.
//!
//! Streams that count reach all that they need, or what their volumes can do without is missing to
//! these already, so a route that is missing here is one to a partner's cache.

use std::rc::Rc;

use iopath_study::Class;
use iopath_units::Op;

use super::{Builder, Lying, Request, is_read};
use crate::network::{ComponentId, Way};
use crate::routes::{Arrival, Place, Unreachable};
use crate::volume::{GeometryError, Volume};

/// What requests find at their end.
#[derive(Clone, Debug)]
pub(super) struct Standing {
    /// How they get there.
    pub ways: Vec<Way>,
    /// Where they are then.
    pub place: Place,
    /// What it lies on.
    pub members: Rc<[ComponentId]>,
    /// How it lies on them, by number; nothing of nothing.
    pub shape: Option<usize>,
}

/// Why requests cannot get to what they need.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) enum Why {
    /// No route leads there.
    Unreachable(Unreachable),
    /// Its members make up no volume.
    Geometry(ComponentId, GeometryError),
}

impl Builder<'_> {
    pub(super) fn stand(&mut self, op: Op, from: Place, to: ComponentId) -> Result<Standing, Why> {
        let Arrival { ways, place } =
            self.routes.ways_of(op, from, to).map_err(Why::Unreachable)?;
        let (members, shape) = self.shape(to)?;
        Ok(Standing { ways, place, members, shape })
    }

    /// What a volume lies on, and the number of its layout: those of one number split alike.
    pub(super) fn shape(&mut self, id: ComponentId) -> Result<Lying, Why> {
        if !matches!(self.layout.class(id), Class::Volume | Class::File) {
            return Ok((Rc::default(), None));
        }
        if let Some(known) = &self.volumes[id.0 as usize] {
            return Ok(known.clone());
        }
        let parts = crate::members::members(self.system(), id.into());
        let members: Rc<[ComponentId]> = parts.iter().map(|part| (*part).into()).collect();
        let shape = if parts.is_empty() {
            None
        } else {
            let volume = Volume::read(self.system(), id.into(), &parts);
            let volume = volume.map_err(|error| Why::Geometry(id, error))?;
            let missing = self.network.component(id).missing.clone();
            Some(self.shapes.number(Volume { missing, ..volume }))
        };
        self.volumes[id.0 as usize] = Some((members.clone(), shape));
        Ok((members, shape))
    }

    /// The layout that a request is split by: software RAID gathers rows of what a page cache
    /// writes in order, where a flush comes after a row at least. Left out: RAID controllers, which
    /// have a cache of their own for that, and the rows that flushes cut.
    pub(super) fn shape_for(
        &mut self,
        shape: Option<usize>,
        place: Option<ComponentId>,
        request: &Request,
    ) -> Option<usize> {
        let volume = &self.shapes.volumes[shape?];
        let is_host = place.is_some_and(|place| self.layout.class(place) == Class::Host);
        let is_whole = volume.full_stripe().is_some_and(|full| request.run >= full);
        if !is_whole || !is_host || is_read(request) {
            return shape;
        }
        let volume = Volume { gathers: true, ..Volume::clone(volume) };
        Some(self.shapes.number(volume))
    }
}
