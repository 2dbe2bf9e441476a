//! The loop: requests in, answers out when they are due.

use std::os::fd::AsFd;
use std::os::unix::net::UnixListener;
use std::sync::atomic::{AtomicBool, Ordering};
use std::time::{SystemTime, UNIX_EPOCH};

use iopath_record::codec::to_json;
use iopath_simulation::{Answer, Arrival, Asks as Wants, Live, Settings, live};
use iopath_units::{Nanos, Op};
use rustix::io::Errno;

use crate::abi::{
    self, DIRECT_IO, KEEP_SIZE, NO_FLUSH, PARALLEL_DIRECT_WRITES, PUNCH_HOLE, ZERO_RANGE,
};
use crate::connection::{Connection, Received, room};
use crate::control::{self, Question, Report};
use crate::exports::exports;
use crate::files::Files;
use crate::lateness::Count;
use crate::media::Medium;
use crate::opens::{Opens, stream_of};
use crate::reply;
use crate::request::{Asks, Request};
use crate::setup::Setup;
use crate::trouble::Trouble;
use crate::wait::Clock;

/// Samples of the inside that are kept: more than an hour of seconds.
const SAMPLES: usize = 4096;

/// Serves a system until it is told to stop, or its directory is unmounted.
///
/// # Errors
///
/// It cannot begin, or the kernel refuses to go on.
pub fn serve(setup: &Setup, stop: &AtomicBool) -> Result<(), Trouble> {
    let (case, network) = setup.case()?;
    let exports = exports(&case)?;
    if exports.len() != setup.files.len() {
        return Err(Trouble::Setup(format!(
            "{} files for {} targets",
            setup.files.len(),
            exports.len()
        )));
    }
    let sizes = setup.files.iter().zip(&exports).map(|(file, one)| (file.name.clone(), one.bytes));
    let files = Files::new(sizes.collect());
    let media = setup.files.iter().map(|file| Medium::open(file.medium.as_deref()));
    let media: Vec<Medium> = media.collect::<Result<_, _>>()?;
    let control = control::listen(&setup.control)?;
    let settings = Settings { seed: setup.seed, samples: SAMPLES, ..Settings::default() };
    live(&case, &network, &settings, |system| {
        let streams: Vec<usize> = system.streams().collect();
        let opens = Opens::new(&case, &exports, &streams);
        let connection = Connection::open(&setup.mount)?;
        let mut server = Server {
            connection,
            control,
            clock: Clock::start(),
            began_unix_ns: unix_ns(),
            files,
            media,
            opens,
            waiting: Waiting::default(),
            late: Count::default(),
            is_to_fail: false,
            data: room(),
        };
        if !setup.fails_when_asked {
            system.let_fail();
        }
        server.run(system, stop)
    })
}

fn unix_ns() -> u64 {
    let now = SystemTime::now().duration_since(UNIX_EPOCH).unwrap_or_default();
    u64::try_from(now.as_nanos()).unwrap_or(u64::MAX)
}

struct Server {
    connection: Connection,
    control: UnixListener,
    clock: Clock,
    began_unix_ns: u64,
    files: Files,
    media: Vec<Medium>,
    opens: Opens,
    waiting: Waiting,
    late: Count,
    /// Whether what fails does so at its time from the next request on.
    is_to_fail: bool,
    /// Room for the data of an answer.
    data: Vec<u8>,
}

/// A request whose answer is not due yet.
#[derive(Clone, Copy, Debug)]
struct Pending {
    unique: u64,
    arrived: u64,
    then: Then,
}

/// What its answer has.
#[derive(Clone, Copy, Debug)]
enum Then {
    Read { file: usize, offset: u64, bytes: usize },
    Written { bytes: u32 },
    Done,
}

/// Pending requests by their tickets.
#[derive(Debug, Default)]
struct Waiting {
    all: Vec<Option<Pending>>,
    free: Vec<u32>,
}

impl Waiting {
    fn add(&mut self, pending: Pending) -> u32 {
        match self.free.pop() {
            Some(ticket) => {
                self.all[ticket as usize] = Some(pending);
                ticket
            }
            None => {
                self.all.push(Some(pending));
                self.all.len() as u32 - 1
            }
        }
    }

    fn take(&mut self, ticket: u32) -> Option<Pending> {
        let pending = self.all.get_mut(ticket as usize)?.take();
        self.free.extend(pending.map(|_| ticket));
        pending
    }

    fn is_empty(&self) -> bool {
        self.free.len() == self.all.len()
    }
}

impl Server {
    fn run(&mut self, system: &mut Live<'_>, stop: &AtomicBool) -> Result<(), Trouble> {
        let (mut room, mut answers) = (room(), Vec::new());
        while !stop.load(Ordering::Relaxed) {
            system.advance(Nanos(self.clock.now()), &mut answers);
            answers.drain(..).for_each(|answer| self.answer(answer));
            match self.connection.receive(&mut room)? {
                Received::Asked(request) => self.take(system, &request)?,
                Received::Odd => {}
                Received::Gone => break,
                Received::Nothing => self.rest(system),
            }
        }
        Ok(())
    }

    /// Nothing is to be done now.
    fn rest(&mut self, system: &mut Live<'_>) {
        if let Some((question, stream)) = control::next(&self.control) {
            let mut record = system.record();
            record.clock.started_unix_ns = self.began_unix_ns;
            let report = Report { lateness: self.late.lateness(), record: to_json(&record) };
            control::answer(stream, &report);
            if question == Question::Restart {
                self.late = Count::default();
                self.is_to_fail = true;
            }
        }
        let fds = [self.connection.fd(), self.control.as_fd()];
        let next = system.next_at().map(|at| at.0);
        self.clock.sleep(fds, next, !self.waiting.is_empty());
    }

    /// A request came.
    fn take(&mut self, system: &mut Live<'_>, request: &Request<'_>) -> Result<(), Trouble> {
        let &Request { unique, node, asks } = request;
        let connection = &self.connection;
        match asks {
            Asks::Init { .. } => connection.begin(unique, asks)?,
            Asks::Read { handle, offset, bytes } => {
                self.read(system, (unique, node), handle, (offset, bytes));
            }
            Asks::Write { .. } => self.write(system, (unique, node), asks),
            Asks::Fsync { handle } => {
                self.enter(system, unique, handle, (Wants::Flush, Then::Done));
            }
            Asks::Open { flags } => self.open(unique, node, flags),
            Asks::Release { handle } => {
                self.opens.close(handle);
                connection.answer(unique, &[]);
            }
            Asks::Allocate { offset, bytes, mode } => {
                self.allocate((unique, node), (offset, bytes), mode);
            }
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

    fn read(
        &mut self,
        system: &mut Live<'_>,
        (unique, node): (u64, u64),
        handle: u64,
        (offset, bytes): (u64, u32),
    ) {
        let Some(file) = self.files.position(node) else {
            return self.connection.fail(unique, Errno::ISDIR);
        };
        let left = self.files.bytes(file).saturating_sub(offset);
        let bytes = u32::try_from(left.min(bytes.into())).unwrap_or(bytes).min(abi::MAX_WRITE);
        if bytes == 0 {
            return self.connection.answer(unique, &[]);
        }
        let wants = Wants::Transfer { op: Op::Read, offset, bytes, is_durable: false };
        let then = Then::Read { file, offset, bytes: bytes as usize };
        self.enter(system, unique, handle, (wants, then));
    }

    /// The data is there at once, and answered for when the system has it.
    fn write(&mut self, system: &mut Live<'_>, (unique, node): (u64, u64), asks: Asks<'_>) {
        let Asks::Write { handle, offset, data, is_durable } = asks else { return };
        let Some(file) = self.files.position(node) else {
            return self.connection.fail(unique, Errno::ISDIR);
        };
        let bytes = data.len() as u32;
        if bytes == 0 {
            return self.connection.answer_body(unique, &reply::written(0));
        }
        let ends_within =
            offset.checked_add(bytes.into()).is_some_and(|end| end <= self.files.bytes(file));
        if !ends_within {
            return self.connection.fail(unique, Errno::NOSPC);
        }
        if let Err(error) = self.media[file].write(offset, data) {
            let error = Errno::from_io_error(&error).unwrap_or(Errno::IO);
            return self.connection.fail(unique, error);
        }
        let wants = Wants::Transfer { op: Op::Write, offset, bytes, is_durable };
        self.enter(system, unique, handle, (wants, Then::Written { bytes }));
    }

    /// A request enters the world at this moment.
    #[inline]
    fn enter(
        &mut self,
        system: &mut Live<'_>,
        unique: u64,
        handle: u64,
        (asks, then): (Wants, Then),
    ) {
        let arrived = self.clock.now();
        let ticket = self.waiting.add(Pending { unique, arrived, then });
        let mut answers = Vec::new();
        system.advance(Nanos(arrived), &mut answers);
        if std::mem::take(&mut self.is_to_fail) {
            system.let_fail();
        }
        system.arrive(Arrival { stream: stream_of(handle), ticket, asks });
        answers.into_iter().for_each(|answer| self.answer(answer));
    }

    /// An answer is due.
    fn answer(&mut self, answer: Answer) {
        let Some(Pending { unique, arrived, then }) = self.waiting.take(answer.ticket) else {
            return;
        };
        if answer.is_refused {
            return self.connection.fail(unique, Errno::IO);
        }
        match then {
            Then::Read { file, offset, bytes } => {
                match self.media[file].read((offset, bytes), &mut self.data) {
                    Ok(data) => self.connection.answer(unique, data),
                    Err(_) => self.connection.fail(unique, Errno::IO),
                }
            }
            Then::Written { bytes } => {
                self.connection.answer_body(unique, &reply::written(bytes));
            }
            Then::Done => self.connection.answer(unique, &[]),
        }
        self.late.record(arrived, answer.due.0, self.clock.now());
    }

    /// Room is there; what is to be zeros becomes so at once, as when a device forgets a range.
    fn allocate(&self, (unique, node): (u64, u64), (offset, bytes): (u64, u64), mode: u32) {
        let file = self.files.position(node);
        let end = offset.checked_add(bytes);
        let known = KEEP_SIZE | PUNCH_HOLE | ZERO_RANGE;
        let done = match (file, end) {
            _ if mode & !known != 0 => Err(Errno::OPNOTSUPP),
            (Some(file), Some(end)) if end <= self.files.bytes(file) => {
                match mode & (PUNCH_HOLE | ZERO_RANGE) {
                    0 => Ok(()),
                    _ => self.media[file]
                        .zero(offset, bytes)
                        .map_err(|error| Errno::from_io_error(&error).unwrap_or(Errno::IO)),
                }
            }
            (Some(_), _) => Err(Errno::NOSPC),
            (None, _) => Err(Errno::ISDIR),
        };
        match done {
            Ok(()) => self.connection.answer(unique, &[]),
            Err(error) => self.connection.fail(unique, error),
        }
    }
}
