//! The loop: requests in, answers out when they are due.

use std::os::fd::AsFd;
use std::os::unix::net::UnixListener;
use std::sync::atomic::{AtomicBool, Ordering};
use std::time::{SystemTime, UNIX_EPOCH};

use iopath_record::codec::to_json;
use iopath_simulation::{Answer, Arrival, Asks as Wants, Fate, Live, Settings, live};
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
use crate::volatile::Volatile;
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
        let keeps_data = setup.files.iter().any(|file| file.medium.is_some());
        let may_lose = keeps_data && !case.failures.is_empty();
        let parts = exports.iter().map(|export| case.targets[export.target].part);
        let mut server = Server {
            volatile: may_lose.then(|| Volatile::new(&case, parts.collect())),
            fates: Vec::new(),
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
        if server.volatile.is_some() {
            system.tell_fates();
        }
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

/// What the kernel is told of an error of ours.
fn errno(error: &std::io::Error) -> Errno {
    Errno::from_io_error(error).unwrap_or(Errno::IO)
}

struct Server<'c> {
    /// What only caches have, where a failure may take it.
    volatile: Option<Volatile<'c>>,
    fates: Vec<Fate>,
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
    Written { file: usize, offset: u64, bytes: u32 },
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

impl Server<'_> {
    fn run(&mut self, system: &mut Live<'_>, stop: &AtomicBool) -> Result<(), Trouble> {
        let (mut room, mut answers) = (room(), Vec::new());
        while !stop.load(Ordering::Relaxed) {
            self.advance(system, self.clock.now(), &mut answers)?;
            match self.connection.receive(&mut room)? {
                Received::Asked(request) => self.take(system, &request)?,
                Received::Odd => {}
                Received::Gone => break,
                Received::Nothing => self.rest(system),
            }
        }
        Ok(())
    }

    /// Lets time pass, and gives the answers that are due then.
    #[inline]
    fn advance(
        &mut self,
        system: &mut Live<'_>,
        now: u64,
        answers: &mut Vec<Answer>,
    ) -> Result<(), Trouble> {
        system.advance(Nanos(now), answers);
        if let Some(volatile) = &mut self.volatile {
            system.take_fates(&mut self.fates);
            for fate in self.fates.drain(..) {
                let done = volatile.follow(&fate, &self.media);
                done.map_err(|error| Trouble::Data { source: error })?;
            }
        }
        answers.drain(..).for_each(|answer| self.answer(answer));
        Ok(())
    }

    /// Nothing is to be done now.
    fn rest(&mut self, system: &mut Live<'_>) {
        if let Some((question, stream)) = control::next(&self.control) {
            let mut record = system.record();
            record.clock.started_unix_ns = self.began_unix_ns;
            let report = Report {
                lateness: self.late.lateness(),
                lost_bytes: self.volatile.as_ref().map_or(0, Volatile::lost_bytes),
                record: to_json(&record),
            };
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
                self.read(system, (unique, node), handle, (offset, bytes))?;
            }
            Asks::Write { .. } => self.write(system, (unique, node), asks)?,
            Asks::Fsync { handle } => {
                let asked = (Wants::Flush, Then::Done);
                self.enter(system, (unique, handle), asked, &[])?;
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
    ) -> Result<(), Trouble> {
        let Some(file) = self.files.position(node) else {
            self.connection.fail(unique, Errno::ISDIR);
            return Ok(());
        };
        let left = self.files.bytes(file).saturating_sub(offset);
        let bytes = u32::try_from(left.min(bytes.into())).unwrap_or(bytes).min(abi::MAX_WRITE);
        if bytes == 0 {
            self.connection.answer(unique, &[]);
            return Ok(());
        }
        let wants = Wants::Transfer { op: Op::Read, offset, bytes, is_durable: false };
        let then = Then::Read { file, offset, bytes: bytes as usize };
        self.enter(system, (unique, handle), (wants, then), &[])
    }

    /// The data is in its file at once where nothing can be lost, else when the system has it.
    fn write(
        &mut self,
        system: &mut Live<'_>,
        (unique, node): (u64, u64),
        asks: Asks<'_>,
    ) -> Result<(), Trouble> {
        let Asks::Write { handle, offset, data, is_durable } = asks else { return Ok(()) };
        let bytes = data.len() as u32;
        let file = match self.room_for(node, (offset, bytes)) {
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
        self.enter(system, (unique, handle), (wants, then), data)
    }

    /// The file of a node, where it has such a range.
    fn room_for(&self, node: u64, (offset, bytes): (u64, u32)) -> Result<usize, Errno> {
        let file = self.files.position(node).ok_or(Errno::ISDIR)?;
        let end = offset.checked_add(bytes.into()).ok_or(Errno::NOSPC)?;
        if end <= self.files.bytes(file) { Ok(file) } else { Err(Errno::NOSPC) }
    }

    /// A request enters the world at this moment.
    #[inline]
    fn enter(
        &mut self,
        system: &mut Live<'_>,
        (unique, handle): (u64, u64),
        (asks, then): (Wants, Then),
        data: &[u8],
    ) -> Result<(), Trouble> {
        let arrived = self.clock.now();
        self.advance(system, arrived, &mut Vec::new())?;
        let ticket = self.waiting.add(Pending { unique, arrived, then });
        if let (Some(volatile), Then::Written { file, offset, .. }) = (&mut self.volatile, then) {
            volatile.hold(ticket, (file, offset), data);
        }
        if std::mem::take(&mut self.is_to_fail) {
            system.let_fail();
        }
        system.arrive(Arrival { stream: stream_of(handle), ticket, asks });
        Ok(())
    }

    /// An answer is due.
    fn answer(&mut self, answer: Answer) {
        let Some(Pending { unique, arrived, then }) = self.waiting.take(answer.ticket) else {
            return;
        };
        if let Some(volatile) = &mut self.volatile
            && let Err(error) = volatile.answered(answer.ticket, answer.is_refused, &self.media)
        {
            return self.connection.fail(unique, errno(&error));
        }
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
            Then::Written { bytes, .. } => {
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
