//! The program on a terminal of its own.

use std::io::{Read, Write};
use std::process::{Child, ChildStdin, Stdio};
use std::sync::mpsc::{Receiver, RecvTimeoutError, channel};
use std::time::{Duration, Instant};

use crate::program::Program;

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
        let begin = Instant::now();
        while !self.seen.contains(wanted) {
            assert!(begin.elapsed() < Duration::from_secs(60), "no {wanted:?} in {:?}", self.seen);
            match self.output.recv_timeout(Duration::from_millis(100)) {
                Ok(piece) => self.seen.push_str(&String::from_utf8_lossy(&piece)),
                Err(RecvTimeoutError::Timeout) => {}
                Err(RecvTimeoutError::Disconnected) => {
                    panic!("it ended without {wanted:?}: {:?}", self.seen)
                }
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
