//! What a running system can be asked: how late it is, what happened inside it, and to let a part
//! fail.
//!
//! One line of JSON by a socket in the run directory; the answer is JSON until the end of the
//! stream: of a report, a [`Report`]. A restart reports too, counts lateness anew, and lets what
//! fails begin with the next request.

use std::io::{BufRead, BufReader, Read, Write};
use std::os::unix::net::{UnixListener, UnixStream};
use std::path::Path;
use std::time::Duration;

use serde::de::DeserializeOwned;
use serde::{Deserialize, Serialize};

use crate::lateness::Lateness;
use crate::setup::Fail;
use crate::trouble::Trouble;

/// For the other side, while requests wait.
const PATIENCE: Duration = Duration::from_millis(500);
/// For a system that is busy.
const ANSWER: Duration = Duration::from_secs(20);

/// What a system says of itself.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct Report {
    pub lateness: Lateness,
    /// Bytes that were written and lost, as the system does not promise to keep them.
    pub lost_bytes: u64,
    /// Why the file of requests ends early.
    pub unrecorded: Option<String>,
    /// Everything inside it, as the JSON of a record, in its own figures.
    pub record: String,
    /// By how much these are smaller and slower than the original's.
    pub scale: u64,
    pub stretch: u64,
}

/// What it is asked for.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
pub(crate) enum Question {
    Report,
    Restart,
    /// A report of this moment alone.
    Moment,
    /// A part fails, at a time from now on.
    Fail(Fail),
}

/// The longest line; a name of a part is shorter (chosen).
const LINE: u64 = 1 << 16;

/// Waits for questions.
pub(crate) fn listen(path: &Path) -> Result<UnixListener, Trouble> {
    let listener = UnixListener::bind(path).and_then(|listener| {
        listener.set_nonblocking(true)?;
        Ok(listener)
    });
    listener.map_err(|error| Trouble::file("listen on", path, error))
}

/// A question that somebody asks, if one does. Who says something else gets no answer.
pub(crate) fn next(listener: &UnixListener) -> Option<(Question, UnixStream)> {
    let (stream, _) = listener.accept().ok()?;
    stream.set_nonblocking(false).ok()?;
    stream.set_read_timeout(Some(PATIENCE)).ok()?;
    stream.set_write_timeout(Some(PATIENCE)).ok()?;
    let mut line = String::new();
    BufReader::new((&stream).take(LINE)).read_line(&mut line).ok()?;
    serde_json::from_str(&line).ok().map(|question| (question, stream))
}

/// Answers; who went away misses nothing.
pub(crate) fn answer(mut stream: UnixStream, answer: &impl Serialize) {
    if let Ok(text) = serde_json::to_string(answer) {
        let _ = stream.write_all(text.as_bytes());
    }
}

/// Asks the system behind a socket, which counts lateness anew from then on where that is wanted.
///
/// # Errors
///
/// It is not there, or hangs.
pub fn ask(path: &Path, restarts: bool) -> Result<Report, Trouble> {
    say(path, &if restarts { Question::Restart } else { Question::Report })
}

/// Asks the system behind a socket for its counters now: the record has one instant.
///
/// # Errors
///
/// It is not there, or hangs.
pub fn moment(path: &Path) -> Result<Report, Trouble> {
    say(path, &Question::Moment)
}

/// Has a part of the system behind a socket fail, at a time from now on.
///
/// # Errors
///
/// It has no such part, is not there, or hangs.
pub fn fail(path: &Path, fail: &Fail) -> Result<(), Trouble> {
    let done: Result<(), String> = say(path, &Question::Fail(fail.clone()))?;
    done.map_err(Trouble::NoPart)
}

fn say<T: DeserializeOwned>(path: &Path, question: &Question) -> Result<T, Trouble> {
    let silent = |error: &dyn std::fmt::Display| Trouble::Silent(error.to_string());
    let line = serde_json::to_string(question).map_err(|error| silent(&error))?;
    let said = UnixStream::connect(path).and_then(|mut stream| {
        stream.set_read_timeout(Some(ANSWER))?;
        stream.write_all(format!("{line}\n").as_bytes())?;
        let mut text = String::new();
        stream.read_to_string(&mut text)?;
        Ok(text)
    });
    let text = said.map_err(|error| silent(&error))?;
    serde_json::from_str(&text).map_err(|error| silent(&error))
}
