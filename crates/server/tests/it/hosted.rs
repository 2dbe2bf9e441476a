//! A store that is served, and a client of a few lines.

use std::io::{Read, Write};
use std::net::TcpStream;
use std::path::PathBuf;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};
use std::thread::JoinHandle;
use std::time::Duration;

use iopath_record::{Record, from_json};
use iopath_report::{RunFacts, RunView};
use iopath_server::{Server, Site};
use iopath_store::{NewRun, RunId, RunState, Store};
use iopath_units::System;
use tempfile::TempDir;

const TWO_STREAMS: &str = include_str!("../../../record/tests/fixtures/v1/two-streams.json");

/// Longest that an answer may take before the test fails.
const PATIENCE: Duration = Duration::from_secs(60);

/// A store in a directory of its own, served until it is dropped.
pub(crate) struct Hosted {
    folder: TempDir,
    url: String,
    stop: Arc<AtomicBool>,
    thread: Option<JoinHandle<()>>,
}

/// What was answered.
pub(crate) struct Answered {
    pub status: u16,
    /// In small letters.
    pub head: String,
    pub body: String,
}

impl Hosted {
    /// Serves a store with nothing in it.
    pub(crate) fn new() -> Self {
        Self::with(|_| {})
    }

    /// Serves a store that was filled before.
    pub(crate) fn with(fill: impl FnOnce(&PathBuf)) -> Self {
        let folder = tempfile::tempdir().unwrap();
        let store = folder.path().join("runs.db");
        drop(Store::open(&store).unwrap());
        fill(&store);
        let site = Site { store, system: System::Decimal, read };
        let server = Server::open(None, site).unwrap();
        let url = server.url();
        let stop = Arc::new(AtomicBool::new(false));
        let flag = Arc::clone(&stop);
        let thread = std::thread::spawn(move || server.run(&flag).unwrap());
        Self { folder, url, stop, thread: Some(thread) }
    }

    /// The store, to be written to.
    pub(crate) fn store(&self) -> Store {
        Store::open(&self.file()).unwrap()
    }

    /// Its file.
    pub(crate) fn file(&self) -> PathBuf {
        self.folder.path().join("runs.db")
    }

    /// `127.0.0.1:PORT`.
    pub(crate) fn host(&self) -> &str {
        self.url.trim_start_matches("http://").split('/').next().unwrap()
    }

    /// The path of a page: what stands behind the token.
    pub(crate) fn path(&self, page: &str) -> String {
        let token = self.url.trim_end_matches('/').rsplit('/').next().unwrap();
        format!("/{token}/{page}")
    }

    pub(crate) fn get(&self, page: &str) -> Answered {
        self.ask("GET", &self.path(page), &[("Host", self.host())])
    }

    /// A page that must be there.
    #[track_caller]
    pub(crate) fn page(&self, page: &str) -> String {
        let answered = self.get(page);
        assert_eq!(answered.status, 200, "{page}: {}", answered.body);
        answered.body
    }

    /// A value that must be there.
    #[track_caller]
    pub(crate) fn json(&self, page: &str) -> serde_json::Value {
        serde_json::from_str(&self.page(page)).unwrap()
    }

    /// One request over a connection of its own.
    pub(crate) fn ask(&self, method: &str, path: &str, headers: &[(&str, &str)]) -> Answered {
        let mut socket = TcpStream::connect(self.host()).unwrap();
        socket.set_read_timeout(Some(PATIENCE)).unwrap();
        let mut text = format!("{method} {path} HTTP/1.1\r\nConnection: close\r\n");
        headers.iter().for_each(|(name, value)| text.push_str(&format!("{name}: {value}\r\n")));
        text.push_str("\r\n");
        socket.write_all(text.as_bytes()).unwrap();
        let mut bytes = Vec::new();
        socket.read_to_end(&mut bytes).unwrap();
        let text = String::from_utf8(bytes).unwrap();
        let (head, body) = text.split_once("\r\n\r\n").unwrap();
        let status = head.split(' ').nth(1).unwrap().parse().unwrap();
        Answered { status, head: head.to_lowercase(), body: body.to_owned() }
    }
}

impl Drop for Hosted {
    fn drop(&mut self) {
        self.stop.store(true, Ordering::Relaxed);
        let ended = self.thread.take().map(JoinHandle::join);
        assert!(ended.is_some_and(|ended| ended.is_ok()) || std::thread::panicking());
    }
}

pub(crate) fn new_run(command: &str) -> NewRun {
    NewRun {
        command: command.to_owned(),
        study: "study \"s\"\n".to_owned(),
        version: "0.1.0".to_owned(),
        started_unix_ns: 1_790_000_000_000_000_000,
        host: "server1".to_owned(),
    }
}

/// A record with a study's title of its own.
pub(crate) fn record(title: &str, pass: u32) -> Record {
    let mut record = from_json(TWO_STREAMS).unwrap();
    record.case.study = title.to_owned();
    (record.case.trial, record.case.pass) = (0, pass);
    record
}

/// A finished run of one pass.
pub(crate) fn finished(store: &Store, title: &str) -> RunId {
    let run = store.begin_run(&new_run("iopath measure")).unwrap();
    store.append(run, &record(title, 0)).unwrap();
    store.end_run(run, &RunState::Finished, 1_790_000_060_000_000_000).unwrap();
    run
}

fn read(store: &Store, id: RunId) -> Result<RunView, String> {
    let records = store.records(id).map_err(|error| error.to_string())?;
    let facts = RunFacts::of_id(&id);
    RunView::of(facts, records).map_err(|error| error.to_string())
}
