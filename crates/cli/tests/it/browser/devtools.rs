//! Chromium and its DevTools protocol, over the two pipes of `--remote-debugging-pipe`: messages of
//! JSON, each ended by a zero byte, to descriptor 3 and from descriptor 4.
//! Protocol: <https://chromedevtools.github.io/devtools-protocol/>.

use std::cell::{Cell, RefCell};
use std::fs::File;
use std::io::{BufRead as _, BufReader, Write as _};
use std::os::unix::process::CommandExt as _;
use std::process::{Child, ChildStdin, Command, Stdio};
use std::sync::mpsc::{Receiver, channel};
use std::time::{Duration, Instant};

use rustix::process::{Pid, Signal, kill_process_group};
use serde_json::{Value, json};
use tempfile::TempDir;

/// Where Debian's package puts it.
pub(super) const CHROMIUM: &str = "/usr/bin/chromium";

/// Longest anything on a page may take on a busy machine.
pub(super) const PATIENCE: Duration = Duration::from_secs(60);

/// Without a window and whatever works in the background; a page works as fast as one in front.
const ARGUMENTS: [&str; 16] = [
    "--headless",
    "--remote-debugging-pipe",
    "--window-size=1200,900",
    "--hide-scrollbars",
    "--force-color-profile=srgb",
    "--no-first-run",
    "--disable-gpu",
    "--disable-extensions",
    "--disable-sync",
    "--disable-component-update",
    "--disable-background-networking",
    "--disable-background-timer-throttling",
    "--disable-backgrounding-occluded-windows",
    "--disable-renderer-backgrounding",
    "--disable-hang-monitor",
    "--disable-dev-shm-usage",
];

/// The file in the profile that has what it says on stderr.
const SAID: &str = "said";

/// How long the last of its processes may take to end, once they are killed.
const LAST_WRITES: Duration = Duration::from_secs(2);

/// A browser with one tab.
pub(super) struct Browser {
    process: Child,
    requests: RefCell<ChildStdin>,
    answers: Receiver<Value>,
    last_id: Cell<u64>,
    /// Of the tab; empty before there is one.
    session: String,
    events: RefCell<Vec<Value>>,
    /// Also its directory for temporary files and what it says on stderr.
    profile: TempDir,
}

impl Browser {
    pub(super) fn start() -> Self {
        let profile = tempfile::tempdir().unwrap();
        let mut command = Command::new("sh");
        command.args(["-c", r#"exec "$@" 3<&0 4>&1 </dev/null >/dev/null"#, "sh", CHROMIUM]);
        command.args(ARGUMENTS);
        command.arg(format!("--user-data-dir={}", profile.path().display()));
        command.env("TMPDIR", profile.path());
        command.stderr(File::create(profile.path().join(SAID)).unwrap());
        // A browser is many processes, which end together.
        command.process_group(0);
        if rustix::process::geteuid().is_root() {
            // Chromium's sandbox refuses root.
            command.arg("--no-sandbox");
        }
        let mut process = command.stdin(Stdio::piped()).stdout(Stdio::piped()).spawn().unwrap();
        let requests = RefCell::new(process.stdin.take().unwrap());
        let output = BufReader::new(process.stdout.take().unwrap());
        let (sender, answers) = channel();
        std::thread::spawn(move || {
            let messages = output.split(0).map_while(Result::ok);
            // Sending fails once the test has ended.
            messages
                .map(|text| serde_json::from_slice(&text).unwrap())
                .try_for_each(|message| sender.send(message))
        });
        let (last_id, events, session) = (Cell::new(0), RefCell::default(), String::new());
        let mut browser = Self { process, requests, answers, last_id, session, events, profile };
        let tab = browser.call("Target.createTarget", &json!({ "url": "about:blank" }));
        let target = json!({ "targetId": tab["targetId"], "flatten": true });
        let attached = browser.call("Target.attachToTarget", &target);
        browser.session = attached["sessionId"].as_str().unwrap().to_owned();
        browser
    }

    /// What a method gives, which must not fail.
    pub(super) fn call(&self, method: &str, parameters: &Value) -> Value {
        self.try_call(method, parameters).unwrap_or_else(|error| panic!("{method}: {error}"))
    }

    /// What a method gives, or the error that the browser returns.
    pub(super) fn try_call(&self, method: &str, parameters: &Value) -> Result<Value, Value> {
        let id = self.last_id.get() + 1;
        self.last_id.set(id);
        let mut message = json!({ "id": id, "method": method, "params": parameters });
        if !self.session.is_empty() {
            message["sessionId"] = self.session.as_str().into();
        }
        let text = format!("{message}\0");
        self.requests.borrow_mut().write_all(text.as_bytes()).unwrap();
        let until = Instant::now() + PATIENCE;
        loop {
            let left = until.saturating_duration_since(Instant::now());
            let answer = self.answers.recv_timeout(left);
            let mut answer =
                answer.unwrap_or_else(|error| panic!("{method}: {error}; {}", self.said()));
            if answer["id"] != id {
                self.events.borrow_mut().push(answer);
                continue;
            }
            return match answer.get_mut("error") {
                Some(error) => Err(error.take()),
                None => Ok(answer["result"].take()),
            };
        }
    }

    /// All events so far.
    pub(super) fn events(&self) -> Vec<Value> {
        // They are read with the answer that comes after them, also where it is an error.
        let _ = self.try_call("Runtime.evaluate", &json!({ "expression": "0" }));
        self.events.borrow().clone()
    }

    /// What it said on stderr.
    fn said(&self) -> String {
        std::fs::read_to_string(self.profile.path().join(SAID)).unwrap_or_default()
    }
}

impl Drop for Browser {
    fn drop(&mut self) {
        let _ = self.requests.get_mut().write_all(b"{\"id\":0,\"method\":\"Browser.close\"}\0");
        let until = Instant::now() + LAST_WRITES;
        while Instant::now() < until && matches!(self.process.try_wait(), Ok(None)) {
            std::thread::sleep(Duration::from_millis(10));
        }
        // Gone already is as good.
        let _ = kill_process_group(Pid::from_child(&self.process), Signal::KILL);
        let _ = self.process.wait();
        let until = Instant::now() + LAST_WRITES;
        while Instant::now() < until && std::fs::remove_dir_all(self.profile.path()).is_err() {
            std::thread::sleep(Duration::from_millis(10));
        }
    }
}
