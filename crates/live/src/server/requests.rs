//! What is done with each request: answered at once, or handed to the world.

use iopath_simulation::{Arrival, Asks as Wants, Live};
use iopath_units::Op;
use rustix::io::Errno;

use super::{Pending, Server, Then, errno};
use crate::abi::{
    self, DIRECT_IO, KEEP_SIZE, NO_FLUSH, PARALLEL_DIRECT_WRITES, PUNCH_HOLE, ZERO_RANGE,
};
use crate::opens::stream_of;
use crate::reply;
use crate::request::{Asks, Request};
use crate::trouble::Trouble;

/// A request that the world is asked.
#[derive(Clone, Copy)]
struct Asked {
    unique: u64,
    handle: u64,
    wants: Wants,
    then: Then,
}

impl Server<'_> {
    /// A request came.
    pub(super) fn take(
        &mut self,
        system: &mut Live<'_>,
        request: &Request<'_>,
    ) -> Result<(), Trouble> {
        let &Request { unique, node, asks } = request;
        let connection = &self.connection;
        match asks {
            Asks::Init { .. } => connection.begin(unique, asks)?,
            Asks::Read { .. } => self.read(system, request)?,
            Asks::Write { .. } => self.write(system, request)?,
            Asks::Fsync { handle } => {
                let asked = Asked { unique, handle, wants: Wants::Flush, then: Then::Done };
                self.enter(system, asked, &[])?;
            }
            Asks::Open { flags } => self.open(unique, node, flags),
            Asks::Release { handle } => {
                self.opens.close(handle);
                connection.answer(unique, &[]);
            }
            Asks::Allocate { .. } => self.allocate(request),
            Asks::Nothing | Asks::Destroy => connection.answer(unique, &[]),
            Asks::NoAnswer => {}
            Asks::Unknown => connection.fail(unique, Errno::NOSYS),
            Asks::Lookup { .. }
            | Asks::GetAttr
            | Asks::SetAttr
            | Asks::OpenDir
            | Asks::ReadDir { .. }
            | Asks::StatFs => self.look(unique, node, asks),
        }
        Ok(())
    }

    /// Questions about names and attributes.
    fn look(&self, unique: u64, node: u64, asks: Asks<'_>) {
        let body = match asks {
            Asks::Lookup { name } => self.files.named(name).map(|found| reply::entry(&found)),
            Asks::ReadDir { offset, bytes } => Some(self.files.names(offset, bytes)),
            Asks::OpenDir => Some(reply::open(0, 0)),
            Asks::StatFs => Some(self.files.statistics()),
            // Size, mode and times stay what they are, as those of a device.
            _ => self.files.attributes(node).map(|found| reply::attributes(&found)),
        };
        match body {
            Some(body) => self.connection.answer_body(unique, &body),
            None => self.connection.fail(unique, Errno::NOENT),
        }
    }

    fn open(&mut self, unique: u64, node: u64, flags: u32) {
        let handle = self.files.position(node).and_then(|file| self.opens.open(file, flags));
        let how = DIRECT_IO | NO_FLUSH | PARALLEL_DIRECT_WRITES;
        match handle {
            Some(handle) => self.connection.answer_body(unique, &reply::open(handle, how)),
            None => self.connection.fail(unique, Errno::ISDIR),
        }
    }

    fn read(&mut self, system: &mut Live<'_>, request: &Request<'_>) -> Result<(), Trouble> {
        let &Request { unique, node, asks } = request;
        let Asks::Read { handle, offset, bytes } = asks else { return Ok(()) };
        let Some(file) = self.files.position(node) else {
            self.connection.fail(unique, Errno::ISDIR);
            return Ok(());
        };
        let left = self.files.bytes(file).saturating_sub(offset);
        let bytes =
            u32::try_from(left.min(bytes.into())).unwrap_or(bytes).min(abi::LARGEST_REQUEST);
        if bytes == 0 {
            self.connection.answer(unique, &[]);
            return Ok(());
        }
        let wants = Wants::Transfer { op: Op::Read, offset, bytes, is_durable: false };
        let then = Then::Read { file, offset, bytes: bytes as usize };
        self.enter(system, Asked { unique, handle, wants, then }, &[])
    }

    /// The data is in its file at once where nothing can be lost, else when the system has it.
    fn write(&mut self, system: &mut Live<'_>, request: &Request<'_>) -> Result<(), Trouble> {
        let &Request { unique, node, asks } = request;
        let Asks::Write { handle, offset, data, is_durable } = asks else { return Ok(()) };
        let bytes = data.len() as u32;
        let file = match self.room_for(node, offset, bytes.into()) {
            Ok(file) => file,
            Err(error) => {
                self.connection.fail(unique, error);
                return Ok(());
            }
        };
        if bytes == 0 {
            self.connection.answer_body(unique, &reply::written(0));
            return Ok(());
        }
        if self.volatile.is_none()
            && let Err(error) = self.media[file].write(offset, data)
        {
            self.connection.fail(unique, errno(&error));
            return Ok(());
        }
        let wants = Wants::Transfer { op: Op::Write, offset, bytes, is_durable };
        let then = Then::Written { file, offset, bytes };
        self.enter(system, Asked { unique, handle, wants, then }, data)
    }

    /// The file of a node, where it has such a range.
    fn room_for(&self, node: u64, offset: u64, bytes: u64) -> Result<usize, Errno> {
        let file = self.files.position(node).ok_or(Errno::ISDIR)?;
        let end = offset.checked_add(bytes).ok_or(Errno::NOSPC)?;
        if end <= self.files.bytes(file) { Ok(file) } else { Err(Errno::NOSPC) }
    }

    /// A request enters the world at this moment.
    #[inline]
    fn enter(&mut self, system: &mut Live<'_>, asked: Asked, data: &[u8]) -> Result<(), Trouble> {
        let Asked { unique, handle, wants, then } = asked;
        let arrived = self.clock.now();
        self.advance(system, arrived, &mut Vec::new())?;
        let ticket = self.waiting.add(Pending { unique, arrived, then });
        if let (Some(volatile), Then::Written { file, offset, .. }) = (&mut self.volatile, then) {
            volatile.hold(ticket, file, offset, data);
        }
        if std::mem::take(&mut self.is_to_fail) {
            system.let_fail();
        }
        let arrival = Arrival { stream: stream_of(handle), ticket, asks: wants };
        self.recorder.iter_mut().for_each(|recorder| recorder.came(arrived, arrival));
        system.arrive(arrival);
        Ok(())
    }

    /// Room is there; what is to be zeros becomes so at once, as when a device forgets a range.
    fn allocate(&self, request: &Request<'_>) {
        let &Request { unique, node, asks } = request;
        let Asks::Allocate { offset, bytes, mode } = asks else { return };
        let known = KEEP_SIZE | PUNCH_HOLE | ZERO_RANGE;
        let done = match self.room_for(node, offset, bytes) {
            _ if mode & !known != 0 => Err(Errno::OPNOTSUPP),
            Ok(file) if mode & (PUNCH_HOLE | ZERO_RANGE) != 0 => {
                self.media[file].zero(offset, bytes).map_err(|error| errno(&error))
            }
            room => room.map(drop),
        };
        match done {
            Ok(()) => self.connection.answer(unique, &[]),
            Err(error) => self.connection.fail(unique, error),
        }
    }
}
