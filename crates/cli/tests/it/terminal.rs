//! The program on a terminal of its own.

use std::io::{Read, Write};
use std::process::{Child, ChildStdin, Stdio};
use std::sync::mpsc::{Receiver, channel};
use std::time::{Duration, Instant};

use crate::program::Program;

/// No test waits longer for anything: chosen, far above what a busy machine needs.
const LONGEST: Duration = Duration::from_secs(60);

/// What some work gives that waits for the program; none where that takes too long.
pub(crate) fn awaited<T: Send + 'static>(work: impl FnOnce() -> T + Send + 'static) -> Option<T> {
    let (send, receive) = channel();
    std::thread::spawn(move || send.send(work()));
    receive.recv_timeout(LONGEST).ok()
}

/// A program on a terminal of its own, made by script(1).
pub(crate) struct Terminal {
    child: Child,
    keys: ChildStdin,
    output: Receiver<Vec<u8>>,
    seen: String,
}

impl Terminal {
    /// Of 80 columns and 24 rows; the shell prints the terminal's name first and the modes last.
    /// Ctrl-C reaches the shell as well, and dash, unlike bash, dies of it: hence the trap.
    pub(crate) fn start(program: &Program, line: &str) -> Self {
        let iopath = env!("CARGO_BIN_EXE_iopath");
        let program_line = format!("sh -c 'echo process $$; exec {iopath} {line}'");
        let shell = format!(
            "trap : INT; tty; stty rows 24 cols 80; stty -g; {program_line}; echo ended $?; \
             stty -g; echo closed"
        );
        let mut child = program
            .command_of(&["script", "--quiet", "--command", &shell, "/dev/null"])
            .env("TERM", "xterm-256color")
            .env("SHELL", "/bin/sh")
            .stdin(Stdio::piped())
            .spawn()
            .unwrap();
        let keys = child.stdin.take().unwrap();
        let mut stdout = child.stdout.take().unwrap();
        let (send, output) = channel();
        std::thread::spawn(move || {
            let mut piece = [0; 4096];
            while let Ok(count @ 1..) = stdout.read(&mut piece) {
                let _ = send.send(piece[..count].to_vec());
            }
        });
        Self { child, keys, output, seen: String::new() }
    }

    /// Waits until this was written since it was last looked; gives what was.
    #[track_caller]
    pub(crate) fn wait_for(&mut self, wanted: &str) -> String {
        let end = Instant::now() + LONGEST;
        while !self.seen.contains(wanted) {
            match self.output.recv_timeout(end.saturating_duration_since(Instant::now())) {
                Ok(piece) => self.seen.push_str(&String::from_utf8_lossy(&piece)),
                Err(error) => panic!("no {wanted:?} ({error}) in {:?}", self.seen),
            }
        }
        std::mem::take(&mut self.seen)
    }

    pub(crate) fn press(&mut self, keys: &str) {
        self.keys.write_all(keys.as_bytes()).unwrap();
        self.keys.flush().unwrap();
    }
}

impl Drop for Terminal {
    fn drop(&mut self) {
        let _ = self.child.kill();
        let _ = self.child.wait();
    }
}
