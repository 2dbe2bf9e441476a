//! A client of QMP, the daemon's language of commands: a line of JSON each way.
//!
//! Format: QEMU's docs/interop/qmp-spec; the answers come in the order of the commands, with events
//! between them, which are skipped. Commands are sent in bunches, small enough that neither side
//! waits for the other to read. Leaves out: commands out of band.

use std::io::{self, BufRead, BufReader, Write};
use std::os::unix::net::UnixStream;
use std::path::Path;
use std::sync::atomic::{AtomicBool, Ordering};
use std::time::Duration;

use rustix::net::sockopt::{Timeout, set_socket_timeout};
use rustix::net::{self, AddressFamily, SocketAddrUnix, SocketFlags, SocketType};
use serde_json::{Value, json};

use crate::manifest::Role;
use crate::trouble::Trouble;

/// Commands on their way at a time: some kilobytes, which fit any socket.
const BUNCH: usize = 16;

/// A command, and what it is about, for errors.
#[derive(Clone, Debug, PartialEq)]
pub(crate) struct Command {
    /// Such as `group p690.planar[0].read`.
    pub(crate) about: String,
    pub(crate) execute: &'static str,
    pub(crate) arguments: Value,
}

/// A conversation with one daemon.
pub(crate) struct Client {
    daemon: Role,
    patience: Duration,
    stream: UnixStream,
    answers: BufReader<UnixStream>,
}

impl Client {
    /// Connects and leaves the mode of negotiation; an error when nobody listens yet. Neither the
    /// connection nor an answer may take longer than `patience`.
    pub(crate) fn connect(daemon: Role, socket: &Path, patience: Duration) -> io::Result<Self> {
        let stream = stream(socket, patience)?;
        let answers = BufReader::new(stream.try_clone()?);
        let mut client = Self { daemon, patience, stream, answers };
        client.line()?;
        client.send("qmp_capabilities", &json!({}))?;
        client.answer()?.map_err(io::Error::other)?;
        Ok(client)
    }

    /// Lets the daemon do `commands`, in order; ends at the first that it refuses.
    pub(crate) fn execute(
        &mut self,
        commands: &[Command],
        interrupted: &AtomicBool,
    ) -> Result<(), Trouble> {
        for bunch in commands.chunks(BUNCH) {
            if interrupted.load(Ordering::Relaxed) {
                return Err(Trouble::Interrupted);
            }
            for command in bunch {
                let sent = self.send(command.execute, &command.arguments);
                sent.map_err(|error| self.silent(&command.about, &error))?;
            }
            for command in bunch {
                let answer = self.answer();
                let answer = answer.map_err(|error| self.silent(&command.about, &error))?;
                answer.map_err(|says| Trouble::Refused {
                    daemon: self.daemon,
                    what: command.about.clone(),
                    says,
                })?;
            }
        }
        Ok(())
    }

    /// Asks the daemon to end, and waits until it has heard so: what it has not read is lost when
    /// the connection is closed. It takes its exports away before it ends.
    pub(crate) fn quit(&mut self) -> io::Result<()> {
        self.send("quit", &json!({}))?;
        self.answer()?.map_err(io::Error::other)
    }

    fn silent(&self, about: &str, error: &io::Error) -> Trouble {
        silent(self.daemon, about, self.patience, error)
    }

    fn send(&mut self, execute: &str, arguments: &Value) -> io::Result<()> {
        let line = format!("{}\n", json!({"execute": execute, "arguments": arguments}));
        self.stream.write_all(line.as_bytes())
    }

    /// The next answer: done, or the daemon's reason why not.
    fn answer(&mut self) -> io::Result<Result<(), String>> {
        loop {
            let line = self.line()?;
            if line.get("return").is_some() {
                return Ok(Ok(()));
            }
            if let Some(error) = line.get("error") {
                let says = error.get("desc").and_then(Value::as_str).unwrap_or("no reason given");
                return Ok(Err(says.to_owned()));
            }
        }
    }

    fn line(&mut self) -> io::Result<Value> {
        let mut line = String::new();
        if self.answers.read_line(&mut line)? == 0 {
            let ended = "it closed the connection";
            return Err(io::Error::new(io::ErrorKind::UnexpectedEof, ended));
        }
        serde_json::from_str(&line).map_err(io::Error::other)
    }
}

/// A connection whose making has a bound too: a daemon that hangs accepts none, and when its queue
/// is full connect(2) waits for as long as a write may (SO_SNDTIMEO in socket(7)).
fn stream(socket: &Path, patience: Duration) -> io::Result<UnixStream> {
    let kind = SocketType::STREAM;
    let end = net::socket_with(AddressFamily::UNIX, kind, SocketFlags::CLOEXEC, None)?;
    set_socket_timeout(&end, Timeout::Send, Some(patience))?;
    set_socket_timeout(&end, Timeout::Recv, Some(patience))?;
    net::connect(&end, &SocketAddrUnix::new(socket)?)?;
    Ok(UnixStream::from(end))
}

/// Whether time was over, and not a connection or a daemon.
pub(crate) fn is_silence(error: &io::Error) -> bool {
    matches!(error.kind(), io::ErrorKind::WouldBlock | io::ErrorKind::TimedOut)
}

/// No answer about something, and why.
pub(crate) fn silent(daemon: Role, about: &str, patience: Duration, error: &io::Error) -> Trouble {
    let why = match is_silence(error) {
        true => format!("no answer for {} s", patience.as_secs()),
        false => error.to_string(),
    };
    Trouble::Silent { daemon, what: about.to_owned(), why }
}

#[cfg(test)]
mod tests {
    use std::os::unix::net::UnixListener;
    use std::thread;

    use super::*;

    fn command(about: &str) -> Command {
        Command { about: about.to_owned(), execute: "object-add", arguments: json!({"id": about}) }
    }

    /// A daemon of this test's own, which answers with these lines and closes.
    fn told(lines: &'static [&'static str], commands: &[Command]) -> Result<(), Trouble> {
        let place = tempfile::tempdir().unwrap();
        let socket = place.path().join("qmp");
        let listener = UnixListener::bind(&socket).unwrap();
        let daemon = thread::spawn(move || {
            let (mut stream, _) = listener.accept().unwrap();
            stream.write_all(b"{\"QMP\": {}}\n{\"return\": {}}\n").unwrap();
            for line in lines {
                stream.write_all(format!("{line}\n").as_bytes()).unwrap();
            }
            stream.shutdown(std::net::Shutdown::Write).unwrap();
            io::copy(&mut stream, &mut io::sink()).unwrap();
        });
        let client = Client::connect(Role::Media, &socket, Duration::from_secs(60));
        let done = client.unwrap().execute(commands, &AtomicBool::new(false));
        daemon.join().unwrap();
        done
    }

    #[test]
    fn events_between_answers_are_skipped() {
        let lines = &["{\"event\": \"SHUTDOWN\"}", "{\"return\": {}}", "{\"return\": {}}"];
        told(lines, &[command("group a"), command("group b")]).unwrap();
    }

    #[test]
    fn a_refusal_names_what_was_refused() {
        let lines = &["{\"return\": {}}", "{\"error\": {\"class\": \"G\", \"desc\": \"too big\"}}"];
        let trouble = told(lines, &[command("group a"), command("group b")]).unwrap_err();
        assert_eq!(trouble.to_string(), "the daemon of the media refuses group b: too big");
    }

    #[test]
    fn a_daemon_that_hangs_up_or_babbles_is_told_of() {
        let trouble = told(&[], &[command("group a")]).unwrap_err();
        let expected =
            "the daemon of the media does not answer about group a: it closed the connection";
        assert_eq!(trouble.to_string(), expected);
        let trouble = told(&["Hello"], &[command("group a")]).unwrap_err();
        assert!(matches!(trouble, Trouble::Silent { .. }), "{trouble}");
    }

    #[test]
    fn a_daemon_that_accepts_nothing_is_not_waited_for_without_end() {
        let place = tempfile::tempdir().unwrap();
        let socket = place.path().join("qmp");
        let listener = UnixListener::bind(&socket).unwrap();
        // A queue of one, which one connection fills.
        net::listen(&listener, 0).unwrap();
        let _first = UnixStream::connect(&socket).unwrap();
        let error = Client::connect(Role::Media, &socket, Duration::from_millis(50)).err();
        assert!(error.as_ref().is_some_and(is_silence), "{error:?}");
    }
}
