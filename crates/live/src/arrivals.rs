//! The requests that a live system answered, in a file, and what another system makes of them.
//!
//! Format: JSON lines. The first names the format and the scale; each other one is a request, with
//! when it came and when its answer was due, in nanoseconds since the system began. Lines are in
//! the order of the answers. Left out: parts that failed on the command line.

use std::collections::HashMap;
use std::fs::File;
use std::io::{self, BufRead, BufReader, BufWriter, Write};
use std::path::Path;

use iopath_path::Network;
use iopath_simulation::{Answer, Arrival, Asks};
use iopath_study::{Case, Scale};
use iopath_units::{Nanos, Op};
use serde::de::DeserializeOwned;
use serde::{Deserialize, Serialize};

use crate::exports::exports;
use crate::lateness::is_in_time;
use crate::trouble::Trouble;

const FORMAT: &str = "iopath-arrivals/1";

#[derive(Debug, Serialize, Deserialize)]
struct Header {
    format: String,
    seed: u64,
    scale: u64,
    stretch: u64,
}

/// What a live system answered.
#[derive(Debug)]
pub struct Arrivals {
    /// The root of what was random in it.
    pub seed: u64,
    /// In the order in which they came.
    all: Vec<Arrived>,
}

/// A request that was answered.
#[derive(Clone, Copy, Debug, Serialize, Deserialize)]
struct Arrived {
    /// How many came before it.
    number: u64,
    at_ns: u64,
    due_ns: u64,
    stream: u32,
    #[serde(flatten)]
    asks: Recorded,
}

/// What it asked for.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "lowercase", tag = "op")]
enum Recorded {
    Read { offset: u64, bytes: u32 },
    Write { offset: u64, bytes: u32, durable: bool },
    Flush,
}

impl From<Asks> for Recorded {
    fn from(asks: Asks) -> Self {
        match asks {
            Asks::Transfer { op: Op::Read, offset, bytes, .. } => Self::Read { offset, bytes },
            Asks::Transfer { op: Op::Write, offset, bytes, is_durable } => {
                Self::Write { offset, bytes, durable: is_durable }
            }
            Asks::Flush => Self::Flush,
        }
    }
}

impl From<Recorded> for Asks {
    fn from(recorded: Recorded) -> Self {
        match recorded {
            Recorded::Read { offset, bytes } => {
                Self::Transfer { op: Op::Read, offset, bytes, is_durable: false }
            }
            Recorded::Write { offset, bytes, durable } => {
                Self::Transfer { op: Op::Write, offset, bytes, is_durable: durable }
            }
            Recorded::Flush => Self::Flush,
        }
    }
}

/// Writes requests to a file as they are answered, as far as there is room.
#[derive(Debug)]
pub(crate) struct Recorder {
    file: BufWriter<File>,
    failed: Option<io::Error>,
    /// Those that are not answered, by their tickets.
    open: HashMap<u32, Arrived>,
    count: u64,
}

impl Recorder {
    /// Into a new file.
    pub(crate) fn create(path: &Path, seed: u64, scale: Scale) -> Result<Self, Trouble> {
        let failed = |error| Trouble::file("write", path, error);
        let mut file = BufWriter::new(File::create_new(path).map_err(failed)?);
        let (scale, stretch) = (scale.divisor(), scale.stretch());
        let header = Header { format: FORMAT.to_owned(), seed, scale, stretch };
        write_line(&mut file, &header).and_then(|()| file.flush()).map_err(failed)?;
        Ok(Self { file, failed: None, open: HashMap::new(), count: 0 })
    }

    pub(crate) fn came(&mut self, at_ns: u64, arrival: Arrival) {
        let Arrival { stream, ticket, asks } = arrival;
        let one = Arrived { number: self.count, at_ns, due_ns: 0, stream, asks: asks.into() };
        self.open.insert(ticket, one);
        self.count += 1;
    }

    /// A refused request is left out.
    pub(crate) fn answered(&mut self, answer: Answer) {
        let one = self.open.remove(&answer.ticket).filter(|_| !answer.is_refused);
        if let (Some(one), None) = (one, &self.failed) {
            let line = Arrived { due_ns: answer.due.0, ..one };
            self.failed = write_line(&mut self.file, &line).err();
        }
    }

    /// All is written that was answered; why it is not, where it is not.
    pub(crate) fn written(&mut self) -> Option<String> {
        let flushed = self.file.flush().err();
        self.failed = self.failed.take().or(flushed);
        self.failed.as_ref().map(ToString::to_string)
    }
}

fn write_line(file: &mut impl Write, line: &impl Serialize) -> io::Result<()> {
    serde_json::to_writer(&mut *file, line)?;
    file.write_all(b"\n")
}

impl Arrivals {
    /// Reads such a file.
    ///
    /// # Errors
    ///
    /// It is not there, is no such file, or was recorded at a scale.
    pub fn read(path: &Path) -> Result<Self, Trouble> {
        let wrong = |why: String| Trouble::Arrivals { path: path.to_owned(), why };
        let file = File::open(path).map_err(|error| Trouble::file("read", path, error))?;
        let mut file = BufReader::new(file);
        let mut lines = (1..).map_while(|number| whole_line(&mut file).map(|line| (number, line)));
        let (_, first) = lines.next().ok_or_else(|| wrong("it is empty".to_owned()))?;
        let header: Header = parsed(first).map_err(|why| wrong(format!("line 1: {why}")))?;
        if header.format != FORMAT {
            return Err(wrong(format!("line 1: the format is not {FORMAT}")));
        }
        if (header.scale, header.stretch) != (1, 1) {
            return Err(wrong("recorded at a scale; record with --scale 1:1".to_owned()));
        }
        let line =
            |(number, line)| parsed(line).map_err(|why| wrong(format!("line {number}: {why}")));
        let mut all: Vec<Arrived> = lines.map(line).collect::<Result<_, _>>()?;
        all.sort_unstable_by_key(|one| one.number);
        match all.is_empty() {
            true => Err(wrong("no request in it".to_owned())),
            false => Ok(Self { seed: header.seed, all }),
        }
    }

    /// How they arrive at a described system.
    ///
    /// # Errors
    ///
    /// It has no such stream, or less room.
    pub fn at(&self, case: &Case, network: &Network) -> Result<Vec<(Nanos, Arrival)>, Trouble> {
        let exports = exports(case, network)?;
        let of_stream = |stream: u32| {
            let stream = network.streams.get(stream as usize)?.stream;
            exports.iter().find(|export| export.streams.contains(&stream))
        };
        let at = |(ticket, one): (u32, &Arrived)| {
            let &Arrived { number, stream, .. } = one;
            let export = of_stream(stream).ok_or(Trouble::NoStream { number, stream })?;
            let asks = Asks::from(one.asks);
            if !is_within(asks, export.bytes) {
                return Err(Trouble::NoRoom { number, target: export.name.clone() });
            }
            Ok((Nanos(one.at_ns), Arrival { stream, ticket, asks }))
        };
        (0..).zip(&self.all).map(at).collect()
    }

    /// The share of requests whose answers come as late as recorded, by the measure of lateness.
    #[must_use]
    pub fn share_as_recorded(&self, answers: &[Answer]) -> f64 {
        let is_as_recorded = |answer: &&Answer| {
            let Arrived { at_ns, due_ns, .. } = self.all[answer.ticket as usize];
            is_in_time(due_ns.saturating_sub(at_ns), answer.due.0.abs_diff(due_ns))
        };
        answers.iter().filter(is_as_recorded).count() as f64 / self.all.len() as f64
    }
}

/// A line with its end. What was cut off when there was no room any more is none.
fn whole_line(file: &mut impl BufRead) -> Option<io::Result<String>> {
    let mut line = String::new();
    match file.read_line(&mut line) {
        Ok(_) => line.ends_with('\n').then_some(Ok(line)),
        Err(error) => Some(Err(error)),
    }
}

fn is_within(asks: Asks, room: u64) -> bool {
    match asks {
        Asks::Transfer { bytes: 0, .. } => false,
        Asks::Transfer { offset, bytes, .. } => offset.saturating_add(bytes.into()) <= room,
        Asks::Flush => true,
    }
}

fn parsed<T: DeserializeOwned>(line: io::Result<String>) -> Result<T, String> {
    let line = line.map_err(|error| error.to_string())?;
    serde_json::from_str(&line).map_err(|error| error.to_string())
}
