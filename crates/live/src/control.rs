//! What a running system can be asked: how late it is, and what happened inside it.
//!
//! One line by a socket in the run directory, `report` or `restart`; the answer is a [`Report`] in
//! JSON until the end of the stream. A restart counts lateness anew, and lets what fails begin
//! with the next request.

use std::io::{BufRead, BufReader, Read, Write};
use std::os::unix::net::{UnixListener, UnixStream};
use std::path::Path;
use std::time::Duration;

use serde::{Deserialize, Serialize};

use crate::lateness::Lateness;
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
    /// Everything inside it, as the JSON of a record.
    pub record: String,
}

/// What it is asked for.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Question {
    Report,
    Restart,
}

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
    BufReader::new((&stream).take(64)).read_line(&mut line).ok()?;
    match line.trim() {
        "report" => Some((Question::Report, stream)),
        "restart" => Some((Question::Restart, stream)),
        _ => None,
    }
}

/// Answers; who went away misses nothing.
pub(crate) fn answer(mut stream: UnixStream, report: &Report) {
    if let Ok(text) = serde_json::to_string(report) {
        let _ = stream.write_all(text.as_bytes());
    }
}

/// Asks the system behind a socket, which counts lateness anew from then on where that is wanted.
///
/// # Errors
///
/// It is not there, or hangs.
pub fn ask(path: &Path, restarts: bool) -> Result<Report, Trouble> {
    let asked = UnixStream::connect(path).and_then(|mut stream| {
        stream.set_read_timeout(Some(ANSWER))?;
        stream.write_all(if restarts { b"restart\n" } else { b"report\n" })?;
        let mut text = String::new();
        stream.read_to_string(&mut text)?;
        Ok(text)
    });
    let text = asked.map_err(|error| Trouble::Silent(error.to_string()))?;
    serde_json::from_str(&text).map_err(|error| Trouble::Silent(error.to_string()))
}
