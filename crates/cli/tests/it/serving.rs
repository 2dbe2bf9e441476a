//! The store in a browser while it is served: where, what an address answers, the end.

use std::io::{BufRead, BufReader, Read, Write};
use std::net::TcpStream;
use std::process::Child;
use std::time::{Duration, Instant};

use rustix::process::{Pid, Signal, kill_process};
use serde_json::Value;

use crate::program::Program;

/// Longest that an answer, or the end, may take on a busy machine.
pub(crate) const PATIENCE: Duration = Duration::from_secs(60);

/// `iopath serve` under way.
pub(crate) struct Serving {
    child: Child,
    /// What it printed.
    pub url: String,
}

impl Serving {
    pub(crate) fn of(program: &Program) -> Self {
        let mut child = program.command(["serve"]).spawn().unwrap();
        let mut url = String::new();
        BufReader::new(child.stdout.as_mut().unwrap()).read_line(&mut url).unwrap();
        Self { child, url: url.trim_end().to_owned() }
    }

    pub(crate) fn host(&self) -> &str {
        self.url.trim_start_matches("http://").split('/').next().unwrap()
    }

    /// Status and body.
    pub(crate) fn get(&self, page: &str) -> (u16, String) {
        let mut socket = TcpStream::connect(self.host()).unwrap();
        socket.set_read_timeout(Some(PATIENCE)).unwrap();
        let place = self.url.split_once(self.host()).unwrap().1;
        let host = self.host();
        let ask = format!("GET {place}{page} HTTP/1.0\r\nHost: {host}\r\n\r\n");
        socket.write_all(ask.as_bytes()).unwrap();
        let mut text = String::new();
        socket.read_to_string(&mut text).unwrap();
        let (head, body) = text.split_once("\r\n\r\n").unwrap();
        (head.split(' ').nth(1).unwrap().parse().unwrap(), body.to_owned())
    }

    pub(crate) fn json(&self, page: &str) -> Value {
        serde_json::from_str(&self.get(page).1).unwrap()
    }

    /// Ctrl-C, and how it ended.
    pub(crate) fn end(mut self) -> Option<i32> {
        kill_process(Pid::from_child(&self.child), Signal::INT).unwrap();
        let begin = Instant::now();
        loop {
            if let Some(status) = self.child.try_wait().unwrap() {
                return status.code();
            }
            assert!(begin.elapsed() < PATIENCE, "it does not end");
            std::thread::sleep(Duration::from_millis(5));
        }
    }
}

impl Drop for Serving {
    fn drop(&mut self) {
        let _ = self.child.kill();
        let _ = self.child.wait();
    }
}
