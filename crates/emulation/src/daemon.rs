//! The processes: started so that they end with their owner, or so that they outlive it.
//!
//! A daemon that is not kept gets SIGTERM when the thread that started it ends (prctl(2),
//! PR_SET_PDEATHSIG, set by setpriv(1)); one that is kept has a session of its own (setsid(1)).
//! Neither is in the terminal's group, whose Ctrl-C would end it in the middle of a request.

use std::ffi::OsString;
use std::fs::{self, File, OpenOptions};
use std::os::unix::process::{CommandExt, ExitStatusExt};
use std::path::{Path, PathBuf};
use std::process::{Child, Command, ExitStatus, Stdio};
use std::sync::atomic::{AtomicBool, Ordering};
use std::time::Duration;

use rustix::process::{Pid, Resource, Rlimit, prlimit};

use crate::manifest::{Life, Role};
use crate::options::Options;
use crate::places::Places;
use crate::poll::until;
use crate::programs::Program;
use crate::qmp::{Client, is_silence, silent};
use crate::trouble::Trouble;

/// Until a daemon listens: milliseconds, if the machine has time for it.
const START: Duration = Duration::from_secs(60);
/// Until it answers a command: milliseconds, but a disk that others write to can keep it
/// waiting for tens of seconds.
const ANSWER: Duration = Duration::from_secs(60);

/// A daemon that this process started.
#[derive(Debug)]
pub(crate) struct Daemon {
    pub(crate) role: Role,
    log: PathBuf,
    child: Child,
}

impl Daemon {
    /// Starts one; `open_files` is how many files it may have open.
    pub(crate) fn start(
        role: Role,
        places: &Places,
        words: &[OsString],
        options: &Options,
        open_files: u64,
    ) -> Result<Self, Trouble> {
        let log = places.log(role);
        let file = OpenOptions::new().create(true).append(true).open(&log);
        let file = file.map_err(|error| Trouble::file("write", &log, error))?;
        let mut command = command(words, options.kept)?;
        let child = with_output(&mut command, &file)
            .and_then(|command| command.stdin(Stdio::null()).spawn())
            .map_err(|error| Trouble::file("start", Path::new(command.get_program()), error))?;
        allow(&child, open_files);
        Ok(Self { role, log, child })
    }

    pub(crate) fn life(&self) -> Option<Life> {
        Life::of(self.child.id())
    }

    /// A connection to it, as soon as it listens.
    pub(crate) fn connect(
        &mut self,
        socket: &Path,
        interrupted: &AtomicBool,
    ) -> Result<Client, Trouble> {
        self.connect_within(socket, ANSWER, interrupted)
    }

    fn connect_within(
        &mut self,
        socket: &Path,
        answer: Duration,
        interrupted: &AtomicBool,
    ) -> Result<Client, Trouble> {
        let mut last = None;
        let found = until(START, || {
            if interrupted.load(Ordering::Relaxed) {
                return Some(Err(Trouble::Interrupted));
            }
            if let Some(trouble) = self.failed() {
                return Some(Err(trouble));
            }
            match Client::connect(self.role, socket, answer) {
                Ok(client) => Some(Ok(client)),
                // It listens and says nothing: each further look would wait as long again.
                Err(error) if is_silence(&error) => {
                    Some(Err(silent(self.role, "its start", answer, &error)))
                }
                Err(error) => {
                    last = Some(error);
                    None
                }
            }
        });
        found.unwrap_or_else(|| {
            let why = last.map_or_else(String::new, |error| error.to_string());
            Err(Trouble::Silent { daemon: self.role, what: "its start".to_owned(), why })
        })
    }

    /// How it ended, when it did.
    pub(crate) fn failed(&mut self) -> Option<Trouble> {
        let status = self.child.try_wait().ok()??;
        let log = fs::read_to_string(&self.log).unwrap_or_default();
        let says = log.lines().rev().find(|line| !line.trim().is_empty()).unwrap_or("").to_owned();
        Some(Trouble::Ended { daemon: self.role, how: how(status), says })
    }
}

fn command(words: &[OsString], kept: bool) -> Result<Command, Trouble> {
    let mut command = if kept {
        Command::new(Program::Setsid.find()?)
    } else {
        let mut command = Command::new(Program::Setpriv.find()?);
        command.args(["--pdeathsig", "TERM", "--"]).process_group(0);
        command
    };
    command.args(words).current_dir("/");
    Ok(command)
}

/// The command of a storage daemon.
pub(crate) fn storage(role: Role, places: &Places) -> Result<Vec<OsString>, Trouble> {
    // A comma in a value is written twice (qemu's manual, options).
    let socket = places.commands_socket(role).display().to_string().replace(',', ",,");
    let monitor = format!("socket,id=c,path={socket},server=on,wait=off");
    let daemon = Program::StorageDaemon.find()?.into_os_string();
    let words = ["--chardev", &monitor, "--monitor", "chardev=c", "--pidfile"].map(OsString::from);
    let pid_file = places.pid_file(role).into_os_string();
    Ok([daemon].into_iter().chain(words).chain([pid_file]).collect())
}

fn with_output<'a>(command: &'a mut Command, log: &File) -> std::io::Result<&'a mut Command> {
    Ok(command.stdout(log.try_clone()?).stderr(log.try_clone()?))
}

/// Whether it may have so many was checked before; a child's limit leaves ours as it is.
fn allow(child: &Child, open_files: u64) {
    let pid = i32::try_from(child.id()).ok().and_then(Pid::from_raw);
    let limit = Rlimit { current: Some(open_files), maximum: Some(open_files) };
    // When it has ended already, that is told by `failed`.
    let _ = pid.map(|pid| prlimit(Some(pid), Resource::Nofile, limit));
}

fn how(status: ExitStatus) -> String {
    match (status.code(), status.signal()) {
        (Some(code), _) => format!("ended with code {code}"),
        (None, Some(signal)) => format!("was killed by signal {signal}"),
        (None, None) => "ended".to_owned(),
    }
}

#[cfg(test)]
mod tests {
    use std::os::unix::net::UnixListener;

    use super::*;

    /// A process that does nothing, in the place of a daemon.
    struct Idle(Daemon);

    impl Idle {
        fn start(place: &Path) -> Self {
            let child = Command::new("sleep").arg("600").spawn().unwrap();
            Self(Daemon { role: Role::Media, log: place.join("log"), child })
        }
    }

    impl Drop for Idle {
        fn drop(&mut self) {
            self.0.child.kill().unwrap();
            self.0.child.wait().unwrap();
        }
    }

    #[test]
    fn a_daemon_that_listens_and_says_nothing_is_asked_once() {
        let place = tempfile::tempdir().unwrap();
        let socket = place.path().join("qmp");
        let listener = UnixListener::bind(&socket).unwrap();
        let mut daemon = Idle::start(place.path());
        let never = AtomicBool::new(false);
        let client = daemon.0.connect_within(&socket, Duration::from_millis(50), &never);
        let trouble = client.err().unwrap().to_string();
        let expected = "the daemon of the media does not answer about its start: no answer for 0 s";
        assert_eq!(trouble, expected);
        listener.set_nonblocking(true).unwrap();
        assert!(listener.accept().is_ok());
        assert!(listener.accept().is_err(), "it was asked again");
    }

    #[test]
    fn a_start_is_not_waited_for_after_an_interrupt() {
        let place = tempfile::tempdir().unwrap();
        let mut daemon = Idle::start(place.path());
        let client = daemon.0.connect(&place.path().join("qmp"), &AtomicBool::new(true));
        assert!(matches!(client.err(), Some(Trouble::Interrupted)));
    }
}
