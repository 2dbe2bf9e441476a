//! Data goes to stdout, talk to stderr. A reader that closes the pipe early is no error. Where a
//! page goes to stdout it has stdout to itself, and everything else goes to stderr.

use std::io::{self, IsTerminal, Write};
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::{Mutex, MutexGuard, PoisonError};

use iopath_report::document::Document;
use iopath_report::{Color, Detail, Look, text};
use iopath_units::System;
use serde::{Deserialize, Serialize};
use serde_json::Value;

use crate::exit_status::{ExitStatus, Problem};

/// Whether stdout is for a page alone.
static IS_OF_PAGE: AtomicBool = AtomicBool::new(false);

/// Leaves stdout to a page.
pub(crate) fn leave_to_page() {
    IS_OF_PAGE.store(true, Ordering::Relaxed);
}

/// Where something is written.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub(crate) enum Stream {
    Stdout,
    Stderr,
}

/// What was written at once.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub(crate) struct Printed {
    pub to: Stream,
    pub text: String,
}

/// What is written instead of being printed, where somebody else prints it.
static CAPTURED: Mutex<Option<Vec<Printed>>> = Mutex::new(None);

/// From now on what is written is kept for [`take_captured`].
pub(crate) fn capture() {
    captured().get_or_insert_default();
}

/// What was written since this was asked last.
pub(crate) fn take_captured() -> Vec<Printed> {
    captured().as_mut().map(std::mem::take).unwrap_or_default()
}

/// The same, and from now on it is printed again.
pub(crate) fn end_capture() -> Vec<Printed> {
    captured().take().unwrap_or_default()
}

/// Whether nobody at a terminal sees it as it is written.
pub(crate) fn is_captured() -> bool {
    captured().is_some()
}

fn captured() -> MutexGuard<'static, Option<Vec<Printed>>> {
    CAPTURED.lock().unwrap_or_else(PoisonError::into_inner)
}

fn put(to: Stream, text: &str) -> io::Result<()> {
    let text = text.trim_end();
    if let Some(captured) = captured().as_mut() {
        captured.push(Printed { to, text: text.to_owned() });
        return Ok(());
    }
    write(to, text)
}

/// Prints what was captured, here or on another host. Without a reader there is nobody to tell.
pub(crate) fn pass_on(to: Stream, text: &str) {
    let _ = write(to, text);
}

fn write(to: Stream, text: &str) -> io::Result<()> {
    match to {
        Stream::Stdout => write_line(io::stdout().lock(), text),
        Stream::Stderr => write_line(io::stderr().lock(), text),
    }
}

/// Writes a result to stdout, or to stderr where stdout is for a page.
pub(crate) fn print(text: &str) -> Result<(), Problem> {
    let is_of_page = IS_OF_PAGE.load(Ordering::Relaxed);
    printed(put(if is_of_page { Stream::Stderr } else { Stream::Stdout }, text))
}

/// Writes to stdout what was asked for as a file there.
pub(crate) fn print_file(text: &str) -> Result<(), Problem> {
    printed(put(Stream::Stdout, text))
}

fn printed(written: io::Result<()>) -> Result<(), Problem> {
    match written {
        Err(error) if error.kind() == io::ErrorKind::BrokenPipe => Ok(()),
        other => other.map_err(|error| Problem::unexpected(format!("cannot print: {error}"))),
    }
}

fn write_line(mut to: impl Write, text: &str) -> io::Result<()> {
    writeln!(to, "{text}").and_then(|()| to.flush())
}

/// Whether anybody still reads what is written.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Reader {
    There,
    Gone,
}

/// Writes one of many results to stdout: without a reader the next need not be made.
pub(crate) fn print_next(text: &str) -> Result<Reader, Problem> {
    match put(Stream::Stdout, text) {
        Ok(()) => Ok(Reader::There),
        Err(error) if error.kind() == io::ErrorKind::BrokenPipe => Ok(Reader::Gone),
        Err(error) => Err(Problem::unexpected(format!("cannot print: {error}"))),
    }
}

/// Writes a document as text.
pub(crate) fn print_document(
    document: &Document,
    detail: Detail,
    system: System,
) -> Result<(), Problem> {
    print(&text::render(document, detail, &look(system)))
}

/// Writes a result as JSON.
pub(crate) fn print_json(value: &Value) -> Result<(), Problem> {
    print(&format!("{value:#}"))
}

/// Says something to the person in front of the terminal.
pub(crate) fn tell(text: &str) {
    // Without a stderr there is nobody to tell.
    let _ = put(Stream::Stderr, text);
}

/// Prints a problem; the program ends with its code.
pub(crate) fn tell_problem(problem: &Problem) -> ExitStatus {
    tell(&problem.to_string());
    problem.status()
}

/// A number with its noun: "1 trial", "2 trials", "3 passes", "4 directories".
pub(crate) fn count(number: usize, noun: &str) -> String {
    match noun.strip_suffix('y') {
        _ if number == 1 => format!("1 {noun}"),
        Some(stem) => format!("{number} {stem}ies"),
        None if noun.ends_with('s') => format!("{number} {noun}es"),
        None => format!("{number} {noun}s"),
    }
}

/// How text on stdout shall look.
pub(crate) fn look(system: System) -> Look {
    let colorless = std::env::var_os("NO_COLOR").is_some_and(|value| !value.is_empty());
    let terminal = io::stdout().is_terminal() && !is_captured();
    let color = if terminal && !colorless { Color::Always } else { Color::Never };
    Look { width: width(), system, color }
}

/// Columns of the terminal; nothing is cut in a pipe.
fn width() -> u16 {
    let size = rustix::termios::tcgetwinsize(io::stdout());
    size.ok().map(|size| size.ws_col).filter(|columns| *columns > 0).unwrap_or(Look::UNLIMITED)
}
