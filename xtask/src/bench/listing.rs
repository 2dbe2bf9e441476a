//! How long a store of many runs takes to say which there are: `iopath list`, the list in a
//! browser, and a search in it.
//!
//! One run is measured; the example program of the store crate copies it, record by record. A page
//! is asked for as a browser does, over the loopback, and read to its end; what the browser then
//! needs to draw it is left out. The store is in memory: what a cold disk needs is left out too.

use std::io::{BufRead, BufReader, Read, Write};
use std::net::TcpStream;
use std::path::{Path, PathBuf};
use std::process::{Child, Command, Stdio};
use std::time::Instant;

use anyhow::{Context, Result, bail, ensure};

use super::outcome::{Goal, Outcome, Value};
use super::place::{Place, Where};
use super::stage::Stage;

/// A store of so many runs.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Listing {
    pub runs: u64,
    /// Of each answer.
    pub below_sec: f64,
}

/// The run that is copied: three passes of four streams, one trial (chosen: a study has more
/// trials, of which a list opens the first; passes are longer, but hold as much).
const MEASURE: &[&str] = &[
    "--streams=4",
    "--op=mix=70",
    "--pattern=random",
    "--depth=8",
    "--size=64 MiB",
    "--time=2 s",
    "--warm-up=500 ms",
    "--passes=3",
    "--no-report",
    "--no-progress",
    "--json",
];

/// One of the machines that the copies name, and how many runs each has: a hundredth.
const MACHINE: &str = "machine-42";
const MACHINES: u64 = 100;

pub(crate) fn measure(listing: Listing, stage: &Stage, outcome: &mut Outcome) -> Result<()> {
    let runs = if stage.is_smoke_test() { listing.runs / 10 } else { listing.runs };
    let listing = Listing { runs, ..listing };
    let place = Place::empty(&stage.folder(Where::Memory))?;
    let store = fill(listing, stage, &place)?;
    let bytes = store.metadata()?.len();
    outcome.notes.push(format!("{} runs in {:.0} MB", listing.runs, bytes as f64 * 1e-6));
    let goal = Goal::Below(listing.below_sec);
    let mut told = Vec::new();
    for _ in 0..stage.runs() {
        told.push(list(listing, stage, &store)?);
    }
    outcome.values.push(Value::new("s of iopath list --json", told, Some(goal)));
    let all = listing.runs;
    let asked: [(&str, &str, u64); 4] = [
        ("s of the list page, first answer", "", all),
        ("s of the list page, later", "", all),
        ("s of a search, first answer", MACHINE, all / MACHINES),
        ("s of a search, later", MACHINE, all / MACHINES),
    ];
    let mut seconds = asked.map(|_| Vec::new());
    for _ in 0..stage.runs() {
        let server = Server::start(stage, &store)?;
        for ((_, text, count), seconds) in asked.iter().zip(&mut seconds) {
            seconds.push(server.search(text, *count)?);
        }
    }
    let values = asked.iter().zip(seconds);
    let values = values.map(|((figure, ..), seconds)| Value::new(*figure, seconds, Some(goal)));
    outcome.values.extend(values);
    Ok(())
}

/// A run and its copies.
fn fill(listing: Listing, stage: &Stage, place: &Place) -> Result<PathBuf> {
    let store = place.file().with_extension("db");
    let path = store.display().to_string();
    let folder = place.file().parent().unwrap_or(Path::new(".")).display().to_string();
    let program = stage.iopath.display().to_string();
    let mut words = vec![program, "measure".to_owned(), "--target".to_owned(), folder];
    words.extend(MEASURE.iter().map(|word| (*word).to_owned()));
    words.extend(["--store".to_owned(), path.clone()]);
    stage.output(&words, place)?;
    let copy = stage.source.example("many_runs")?;
    stage.output(&[copy.display().to_string(), path, listing.runs.to_string()], place)?;
    Ok(store)
}

/// Seconds of the command.
fn list(listing: Listing, stage: &Stage, store: &Path) -> Result<f64> {
    let mut command = Command::new(&stage.iopath);
    command.args(["list", "--json", "--store"]).arg(store);
    let begun = Instant::now();
    let output = command.output().context("iopath does not start")?;
    let seconds = begun.elapsed().as_secs_f64();
    ensure!(output.status.success(), "iopath list: {}", String::from_utf8_lossy(&output.stderr));
    let value: serde_json::Value = serde_json::from_slice(&output.stdout)?;
    let count = value["count"].as_u64();
    ensure!(count == Some(listing.runs), "iopath list reports {count:?} runs");
    Ok(seconds)
}

/// `iopath serve`; ends when dropped.
struct Server {
    child: Child,
    /// Name and port.
    host: String,
    /// Behind them.
    path: String,
}

impl Server {
    fn start(stage: &Stage, store: &Path) -> Result<Self> {
        let mut command = Command::new(&stage.iopath);
        command.arg("serve").arg("--store").arg(store);
        command.stdin(Stdio::null()).stdout(Stdio::piped()).stderr(Stdio::null());
        let mut child = command.spawn().context("iopath does not start")?;
        let mut line = String::new();
        if let Some(stdout) = child.stdout.take() {
            BufReader::new(stdout).read_line(&mut line)?;
        }
        // From here on it is ended whatever comes.
        let mut server = Self { child, host: String::new(), path: String::new() };
        let (host, path) = address(&line).with_context(|| format!("iopath serves at: {line}"))?;
        (server.host, server.path) = (host.to_owned(), path.to_owned());
        Ok(server)
    }

    /// Seconds of the answer, which must tell of so many runs.
    fn search(&self, text: &str, count: u64) -> Result<f64> {
        let begun = Instant::now();
        let mut socket = TcpStream::connect(&self.host)?;
        let Self { host, path, .. } = self;
        let head = format!("Host: {host}\r\nConnection: close");
        write!(socket, "GET {path}?text={text} HTTP/1.1\r\n{head}\r\n\r\n")?;
        let mut answer = String::new();
        socket.read_to_string(&mut answer)?;
        let seconds = begun.elapsed().as_secs_f64();
        if !answer.starts_with("HTTP/1.1 200 ") || !answer.contains(&format!("{count} runs, ")) {
            bail!("no list of {count} runs: {}", answer.lines().next().unwrap_or_default());
        }
        Ok(seconds)
    }
}

impl Drop for Server {
    fn drop(&mut self) {
        let id = rustix::process::Pid::from_child(&self.child);
        let _ = rustix::process::kill_process(id, rustix::process::Signal::TERM);
        let _ = self.child.wait();
    }
}

/// Name and port, and the path behind them.
fn address(line: &str) -> Option<(&str, &str)> {
    let rest = line.trim().strip_prefix("http://")?;
    Some(rest.split_at(rest.find('/')?))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn an_address_is_cut_into_who_is_asked_and_what_for() {
        let found = address("http://127.0.0.1:8700/0a1b/\n");
        assert_eq!(found, Some(("127.0.0.1:8700", "/0a1b/")));
        assert_eq!(address("error: no store"), None);
    }
}
