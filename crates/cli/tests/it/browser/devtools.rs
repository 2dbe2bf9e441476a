//! Chromium and its DevTools protocol, over the two pipes of `--remote-debugging-pipe`: messages of
//! JSON, each ended by a zero byte, to descriptor 3 and from descriptor 4.
//! Protocol: <https://chromedevtools.github.io/devtools-protocol/>.

use std::cell::{Cell, RefCell};
use std::io::{BufRead as _, BufReader, Write as _};
use std::process::{Child, ChildStdin, Command, Stdio};
use std::sync::mpsc::{Receiver, channel};
use std::time::{Duration, Instant};

use serde_json::{Value, json};
use tempfile::TempDir;

/// Where Debian's package puts it.
pub(super) const CHROMIUM: &str = "/usr/bin/chromium";

/// Longest anything on a page may take on a busy machine.
pub(super) const PATIENCE: Duration = Duration::from_secs(60);

/// Without a window, a network or what slows down a page that is not in front.
const ARGUMENTS: [&str; 12] = [
    "--headless",
    "--remote-debugging-pipe",
    "--window-size=1200,900",
    "--hide-scrollbars",
    "--force-color-profile=srgb",
    "--no-first-run",
    "--disable-gpu",
    "--disable-extensions",
    "--disable-background-networking",
    "--disable-background-timer-throttling",
    "--disable-dev-shm-usage",
    "--disable-renderer-backgrounding",
];

/// A browser with one tab.
pub(super) struct Browser {
    process: Child,
    requests: RefCell<ChildStdin>,
    answers: Receiver<Value>,
    last_id: Cell<u64>,
    /// Of the tab; empty before there is one.
    session: String,
    /// All that the browser said unasked.
    events: RefCell<Vec<Value>>,
    _profile: TempDir,
}

impl Browser {
    pub(super) fn start() -> Self {
        let profile = tempfile::tempdir().unwrap();
        let mut command = Command::new("sh");
        command.args(["-c", r#"exec "$@" 3<&0 4>&1 </dev/null >/dev/null 2>&1"#, "sh", CHROMIUM]);
        command.args(ARGUMENTS);
        command.arg(format!("--user-data-dir={}", profile.path().display()));
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
        let mut browser =
            Self { process, requests, answers, last_id, session, events, _profile: profile };
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
            let mut answer = answer.unwrap_or_else(|_| panic!("no answer to {method}"));
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

    /// All that it has said unasked until now.
    pub(super) fn events(&self) -> Vec<Value> {
        // What it said before is there before the answer.
        self.call("Runtime.evaluate", &json!({ "expression": "0" }));
        self.events.borrow().clone()
    }
}

impl Drop for Browser {
    fn drop(&mut self) {
        // One that is killed leaves the processes of its pages behind for a while.
        let _ = self.requests.get_mut().write_all(b"{\"id\":0,\"method\":\"Browser.close\"}\0");
        let until = Instant::now() + Duration::from_secs(5);
        while Instant::now() < until && matches!(self.process.try_wait(), Ok(None)) {
            std::thread::sleep(Duration::from_millis(10));
        }
        let _ = self.process.kill();
        let _ = self.process.wait();
    }
}
