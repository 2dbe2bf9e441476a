//! A page in headless Chromium, driven as a person would: sizes, themes, scrolling, pointing.

use std::path::Path;
use std::time::{Duration, Instant};

use base64::Engine as _;
use base64::prelude::BASE64_STANDARD;
use serde_json::{Value, json};

use super::devtools::{Browser, CHROMIUM, PATIENCE};
use crate::program::not_run;

/// How a page is looked at.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct View {
    pub width: u32,
    pub theme: &'static str,
}

pub(crate) const VIEWS: [View; 4] = [
    View { width: 1200, theme: "light" },
    View { width: 1200, theme: "dark" },
    View { width: 390, theme: "light" },
    View { width: 390, theme: "dark" },
];

/// A tab of a browser of its own.
pub(crate) struct Page {
    browser: Browser,
}

/// A place on a page, in pixels.
#[derive(Clone, Copy)]
struct Point {
    x: f64,
    y: f64,
}

/// An empty tab; none where there is no browser, which is a failure where everything must be there.
pub(crate) fn browser() -> Option<Page> {
    if !Path::new(CHROMIUM).exists() {
        not_run("no chromium, which Debian's package of this name has");
        return None;
    }
    let browser = Browser::start();
    for domain in ["Page.enable", "Log.enable", "Runtime.enable"] {
        browser.call(domain, &json!({}));
    }
    // Keys go to the page whatever window is in front.
    browser.call("Emulation.setFocusEmulationEnabled", &json!({ "enabled": true }));
    Some(Page { browser })
}

/// What an event says of a mistake of the page.
fn error_of(event: &Value) -> Option<String> {
    let parameters = &event["params"];
    let said = |value: &Value| Some(value.as_str()?.to_owned());
    match event["method"].as_str()? {
        "Log.entryAdded" if parameters["entry"]["level"] == "error" => {
            said(&parameters["entry"]["text"])
        }
        "Runtime.exceptionThrown" => said(&parameters["exceptionDetails"]["text"]),
        "Runtime.consoleAPICalled" if parameters["type"] == "error" => {
            Some(parameters["args"].to_string())
        }
        _ => None,
    }
}

impl Page {
    /// Until it is there.
    pub(crate) fn open(&self, address: &str) {
        // The page before may have the same address.
        self.eval("(globalThis.isLeft = true)");
        let left = self.browser.call("Page.navigate", &json!({ "url": address }));
        assert_eq!(left["errorText"], Value::Null, "{address}");
        let is_there = "globalThis.isLeft === undefined && document.readyState === 'complete'";
        self.until(&format!("{is_there} && location.href === {address:?}"));
    }

    pub(crate) fn open_file(&self, path: &Path) {
        self.open(&format!("file://{}", path.display()));
    }

    /// Sets width and theme; what is opened afterwards, and what is open, follows.
    pub(crate) fn look(&self, view: View) {
        let metrics = json!({
            "width": view.width,
            "height": 900,
            "deviceScaleFactor": 1,
            "mobile": view.width < 600,
        });
        self.browser.call("Emulation.setDeviceMetricsOverride", &metrics);
        let theme = json!({ "name": "prefers-color-scheme", "value": view.theme });
        let media = json!({ "media": "", "features": [theme] });
        self.browser.call("Emulation.setEmulatedMedia", &media);
    }

    pub(crate) fn without_scripts(&self) {
        self.browser.call("Emulation.setScriptExecutionDisabled", &json!({ "value": true }));
    }

    /// What an expression of JavaScript gives, by way of JSON.
    pub(crate) fn eval(&self, expression: &str) -> Value {
        self.try_eval(expression).unwrap_or_else(|| panic!("{expression} has no value"))
    }

    /// None also where the page is just being left for another one.
    fn try_eval(&self, expression: &str) -> Option<Value> {
        let text = format!("(async () => JSON.stringify(await ({expression}) ?? null))()");
        let asked = json!({ "expression": text, "awaitPromise": true });
        let answer = self.browser.try_call("Runtime.evaluate", &asked).ok()?;
        serde_json::from_str(answer["result"]["value"].as_str()?).ok()
    }

    /// Waits until an expression is true. The page looks, so that a busy machine has less to do.
    pub(crate) fn wait(&self, expression: &str) {
        self.until(&format!(
            "(async () => {{ const begin = performance.now();
                while (!({expression}) && performance.now() - begin < 1000)
                    await new Promise((done) => setTimeout(done, 20));
                return !!({expression}); }})()"
        ));
    }

    /// Asks until an expression is true, also where a page runs no scripts of its own.
    fn until(&self, expression: &str) {
        self.once(expression, |value| (value == Value::Bool(true)).then_some(()));
    }

    /// Asks until the value of an expression is what it is waited for.
    fn once<T>(&self, expression: &str, wanted: impl Fn(Value) -> Option<T>) -> T {
        let begin = Instant::now();
        loop {
            if let Some(found) = self.try_eval(expression).and_then(&wanted) {
                return found;
            }
            assert!(begin.elapsed() < PATIENCE, "never true: {expression}; {}", self.state());
            std::thread::sleep(Duration::from_millis(20));
        }
    }

    /// Where the page is, for the message of a failed wait.
    fn state(&self) -> String {
        let place = "[location.href, document.readyState, scrollY, document.body.scrollHeight]";
        format!("at {:?}, errors {:?}", self.try_eval(place), self.errors())
    }

    /// Lays the page out for paper of a width.
    pub(crate) fn print_on(&self, width: u32) {
        self.look(View { width, theme: "light" });
        self.browser.call("Emulation.setEmulatedMedia", &json!({ "media": "print" }));
    }

    /// The page as it is printed.
    pub(crate) fn pdf(&self) -> Vec<u8> {
        let printed = self.browser.call("Page.printToPDF", &json!({}));
        BASE64_STANDARD.decode(printed["data"].as_str().unwrap()).unwrap()
    }

    /// The middle of the first element that a selector finds, once it is in view.
    fn middle_of(&self, selector: &str) -> Point {
        let middle = self.eval(&format!(
            "(() => {{ const e = document.querySelector({selector:?}); \
             e.scrollIntoView({{block: 'center'}}); const b = e.getBoundingClientRect(); \
             return [b.x + b.width / 2, b.y + b.height / 2]; }})()"
        ));
        let at = |index: usize| middle[index].as_f64().unwrap();
        Point { x: at(0), y: at(1) }
    }

    fn mouse(&self, what: &str, at: Point, button: &str) {
        let clicks = u8::from(button != "none");
        let event =
            json!({ "type": what, "x": at.x, "y": at.y, "button": button, "clickCount": clicks });
        self.browser.call("Input.dispatchMouseEvent", &event);
    }

    /// Points at the middle of the first element that a selector finds.
    pub(crate) fn point_at(&self, selector: &str) {
        let middle = self.middle_of(selector);
        self.mouse("mouseMoved", Point { x: middle.x - 3.0, ..middle }, "none");
        self.mouse("mouseMoved", middle, "none");
    }

    /// Clicks it with a mouse.
    pub(crate) fn click_at(&self, selector: &str) {
        let middle = self.middle_of(selector);
        self.mouse("mouseMoved", middle, "none");
        self.mouse("mousePressed", middle, "left");
        self.mouse("mouseReleased", middle, "left");
    }

    /// Touches it with a finger.
    pub(crate) fn tap(&self, selector: &str) {
        let Point { x, y } = self.middle_of(selector);
        let finger = json!([{ "x": x, "y": y }]);
        for (what, points) in [("touchStart", finger), ("touchEnd", json!([]))] {
            let touch = json!({ "type": what, "touchPoints": points });
            self.browser.call("Input.dispatchTouchEvent", &touch);
        }
    }

    /// Presses a key, by its name. What has just got the focus has it two frames later: before that
    /// Chromium now and then drops the key.
    pub(crate) fn press(&self, key: &str) {
        self.eval(
            "new Promise((done) =>
                requestAnimationFrame(() => requestAnimationFrame(() => done(true))))",
        );
        let (number, text) = match key {
            "Tab" => (9, ""),
            "Enter" => (13, "\r"),
            "Escape" => (27, ""),
            _ => panic!("no key code of {key}"),
        };
        for what in [if text.is_empty() { "rawKeyDown" } else { "keyDown" }, "keyUp"] {
            let event = json!({
                "type": what,
                "key": key,
                "code": key,
                "text": text,
                "windowsVirtualKeyCode": number,
            });
            self.browser.call("Input.dispatchKeyEvent", &event);
        }
    }

    /// Errors on the console, and exceptions, until now.
    pub(crate) fn errors(&self) -> Vec<String> {
        self.browser.events().iter().filter_map(error_of).collect()
    }

    /// The text of the page as it was loaded, also without scripts; asked for again where the page
    /// is just being left for another one.
    pub(crate) fn content(&self) -> String {
        self.once("document.documentElement.outerHTML", |text| text.as_str().map(str::to_owned))
    }
}
