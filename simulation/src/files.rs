//! File systems: what they make of what streams ask of their files.
//!
//! * **Direct**: a request costs the processors of its machine, then goes to the file's members.
//! * **Buffered**: it goes through the page cache: what is not there is read, then all of it is
//!   copied by one processor. [`ahead`] brings it there before it is asked for.

mod ahead;
mod costs;

use iopath_study::Case;
use iopath_units::Op;
use iopath_workload::readahead::Settings;

use self::ahead::Reader;
use crate::plan::FileEnd;
use crate::streams::{Stream, Streams};
use crate::task::{Doing, Owner};
use crate::world::{Made, World};

/// What file systems know of streams.
#[derive(Debug)]
pub(crate) struct Files {
    /// For each stream that is read ahead of.
    readers: Vec<Option<Reader>>,
}

impl Files {
    pub(crate) fn new(case: &Case, streams: &Streams) -> Self {
        Self { readers: streams.all.iter().map(|stream| reader(case, stream)).collect() }
    }
}

fn reader(case: &Case, stream: &Stream) -> Option<Reader> {
    let target = stream.to.into();
    let system = &case.system;
    let file_system = match system.kind(target) {
        "filesystem" => target,
        _ => *system.part(target).members.first()?,
    };
    let settings = Settings::of(system, file_system).filter(|settings| settings.streams > 0)?;
    Some(Reader::new(settings, stream.end))
}

impl World<'_> {
    /// A request comes to its file.
    pub(crate) fn meet_file(&mut self, id: u32, end: FileEnd) {
        let task = &self.tasks[id];
        if !end.is_buffered {
            return self.pass_down(id);
        }
        match (task.op, task.owner) {
            _ if task.hit => self.copy(id),
            (Op::Read, Owner::Stream(stream)) => self.read_file(id, stream),
            (Op::Read, _) => self.fetch(id),
            (Op::Write, _) => self.pass_down(id),
        }
    }

    /// A buffered read of a stream.
    fn read_file(&mut self, id: u32, stream: u32) {
        match &self.files.readers[stream as usize] {
            Some(_) => self.read_ahead(id, stream),
            None => self.fetch(id),
        }
    }

    /// Reads what is asked for, and no more, into the page cache.
    fn fetch(&mut self, id: u32) {
        self.hand_down(id, Owner::Reader(id));
    }

    /// Hands a request to the members of its file as it is.
    pub(crate) fn pass_down(&mut self, id: u32) {
        self.hand_down(id, Owner::Task(id));
    }

    fn hand_down(&mut self, id: u32, owner: Owner) {
        let task = &mut self.tasks[id];
        let (plan, op, offset) = (task.plan, task.op, task.offset);
        (task.doing, task.pending) = (Doing::Waiting, 1);
        let bytes = self.plans.plan(plan).bytes;
        let Some(plan) = self.plans.behind(plan, (op, bytes)) else { return self.ended(id) };
        self.make(Made { plan, offset, hit: false, owner });
    }

    /// Copies what is in the page cache now.
    pub(crate) fn copy(&mut self, id: u32) {
        self.pay(id, Doing::Ended);
    }
}
