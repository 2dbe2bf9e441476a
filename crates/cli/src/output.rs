//! Data goes to stdout, talk to stderr. A reader that closes the pipe early is no error. Where a
//! page goes to stdout it has stdout to itself, and everything else goes to stderr.

use std::io::{self, IsTerminal, Write};
use std::sync::atomic::{AtomicBool, Ordering};

use iopath_report::document::Document;
use iopath_report::{Color, Detail, Look, text};
use iopath_units::System;
use serde_json::Value;

use crate::exit_status::{ExitStatus, Problem};

/// Whether stdout is for a page alone.
static IS_OF_PAGE: AtomicBool = AtomicBool::new(false);

/// Leaves stdout to a page.
pub(crate) fn leave_to_page() {
    IS_OF_PAGE.store(true, Ordering::Relaxed);
}

/// Writes a result to stdout, or to stderr where stdout is for a page.
pub(crate) fn print(text: &str) -> Result<(), Problem> {
    printed(match IS_OF_PAGE.load(Ordering::Relaxed) {
        true => write_line(io::stderr().lock(), text.trim_end()),
        false => write_line(io::stdout().lock(), text.trim_end()),
    })
}

/// Writes to stdout what was asked for as a file there.
pub(crate) fn print_file(text: &str) -> Result<(), Problem> {
    printed(write_line(io::stdout().lock(), text.trim_end()))
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
    match write_line(io::stdout().lock(), text) {
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
    let _ = writeln!(io::stderr().lock(), "{}", text.trim_end());
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
    let terminal = io::stdout().is_terminal();
    let color = if terminal && !colorless { Color::Always } else { Color::Never };
    Look { width: width(), system, color }
}

/// Columns of the terminal; nothing is cut in a pipe.
fn width() -> u16 {
    let size = rustix::termios::tcgetwinsize(io::stdout());
    size.ok().map(|size| size.ws_col).filter(|columns| *columns > 0).unwrap_or(Look::UNLIMITED)
}
