//! The loop: requests in, answers out when they are due.

mod requests;

use std::os::fd::AsFd;
use std::os::unix::net::UnixListener;
use std::sync::atomic::{AtomicBool, Ordering};
use std::time::{SystemTime, UNIX_EPOCH};

use iopath_record::Record;
use iopath_record::codec::to_json;
use iopath_simulation::{Answer, Fate, Live, Settings, live};
use iopath_study::{Case, Scale};
use iopath_units::Nanos;
use rustix::io::Errno;

use crate::arrivals::Recorder;
use crate::connection::{Connection, Received, room};
use crate::control::{self, Question, Report};
use crate::exports::exports;
use crate::files::Files;
use crate::lateness::Count;
use crate::media::Medium;
use crate::opens::Opens;
use crate::reply;
use crate::setup::Setup;
use crate::trouble::Trouble;
use crate::volatile::Volatile;
use crate::wait::Clock;

/// Samples of the inside that are kept (chosen: of thousands of components some 100 MB); of a
/// longer time they are further apart.
const SAMPLES: usize = 512;

/// Serves a system until it is to stop, or its directory is unmounted.
///
/// # Errors
///
/// It cannot begin, or the kernel refuses to go on.
pub fn serve(setup: &Setup, stop: &AtomicBool) -> Result<(), Trouble> {
    let (case, network) = setup.case()?;
    let exports = exports(&case, &network)?;
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
    let scale = setup.scale()?;
    let record = |path| Recorder::create(path, setup.seed, scale);
    let recorder = setup.arrivals.as_deref().map(record).transpose()?;
    let settings = Settings { seed: setup.seed, samples: SAMPLES, ..Settings::default() };
    live(&case, &network, &settings, |system| {
        let streams: Vec<usize> = system.streams().collect();
        let opens = Opens::new(&case, &exports, &streams);
        let connection = Connection::mount(&setup.mount)?;
        let keeps_data = setup.files.iter().any(|file| file.medium.is_some());
        let parts = exports.iter().map(|export| case.targets[export.target].part);
        let mut server = Server {
            case: &case,
            scale,
            volatile: keeps_data.then(|| Volatile::new(&case, parts.collect())),
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
            recorder,
            is_to_fail: false,
            data: room(),
        };
        if server.volatile.is_some() {
            system.keep_fates();
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

/// The error that the kernel gets for one of ours.
fn errno(error: &std::io::Error) -> Errno {
    Errno::from_io_error(error).unwrap_or(Errno::IO)
}

struct Server<'c> {
    /// At its scale.
    case: &'c Case,
    scale: Scale,
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
    recorder: Option<Recorder>,
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
            let now = self.clock.now();
            self.advance(system, now, &mut answers)?;
            self.clock.breathe(now);
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
            match question {
                Question::Report => control::answer(stream, &self.report(system.record())),
                Question::Moment => control::answer(stream, &self.said(system.moment())),
                Question::Restart => {
                    control::answer(stream, &self.report(system.record()));
                    self.late = Count::default();
                    self.is_to_fail = true;
                }
                Question::Fail(part) => {
                    let failure = part.in_case(self.case);
                    control::answer(stream, &failure.map(|failure| system.fail(failure)));
                }
            }
        }
        let fds = [self.connection.fd(), self.control.as_fd()];
        let next = system.next_at().map(|at| at.0);
        self.clock.sleep(fds, next, !self.waiting.is_empty());
    }

    fn report(&mut self, record: Record) -> Report {
        let unrecorded = self.recorder.as_mut().and_then(Recorder::written);
        Report { unrecorded, ..self.said(record) }
    }

    fn said(&self, mut record: Record) -> Report {
        record.clock.started_unix_ns = self.began_unix_ns;
        Report {
            lateness: self.late.lateness(),
            lost_bytes: self.volatile.as_ref().map_or(0, Volatile::lost_bytes),
            unrecorded: None,
            record: to_json(&record),
            scale: self.scale.divisor(),
            stretch: self.scale.stretch(),
        }
    }

    /// An answer is due.
    fn answer(&mut self, answer: Answer) {
        let Some(Pending { unique, arrived, then }) = self.waiting.take(answer.ticket) else {
            return;
        };
        self.recorder.iter_mut().for_each(|recorder| recorder.answered(answer));
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
                match self.media[file].read(offset, bytes, &mut self.data) {
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
}
