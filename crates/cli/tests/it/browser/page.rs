//! A page in headless Chromium, driven as a person would: sizes, themes, scrolling, pointing.

use std::ffi::OsStr;
use std::path::Path;
use std::sync::{Arc, Mutex};
use std::time::{Duration, Instant};

use headless_chrome::browser::tab::point::Point;
use headless_chrome::protocol::cdp::Input::{
    DispatchTouchEvent, DispatchTouchEventTypeOption as Touch,
};
use headless_chrome::protocol::cdp::types::Event;
use headless_chrome::protocol::cdp::{Emulation, Log, Runtime};
use headless_chrome::{Browser, LaunchOptions, Tab};
use serde_json::{Value, json};

use crate::program::not_run;

/// Where Debian's package puts it.
const CHROMIUM: &str = "/usr/bin/chromium";

/// Longest anything on a page may take on a busy machine.
const PATIENCE: Duration = Duration::from_secs(60);

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
    tab: Arc<Tab>,
    /// Errors on the console, and exceptions.
    errors: Arc<Mutex<Vec<String>>>,
    _browser: Browser,
}

/// An empty tab; none where there is no browser, which is a failure where everything must be there.
pub(crate) fn browser() -> Option<Page> {
    if !Path::new(CHROMIUM).exists() {
        not_run("no chromium, which Debian's package of this name has");
        return None;
    }
    let options = LaunchOptions::default_builder()
        .path(Some(CHROMIUM.into()))
        // Chromium's sandbox refuses root.
        .sandbox(!rustix::process::geteuid().is_root())
        .window_size(Some((1200, 900)))
        .idle_browser_timeout(PATIENCE)
        .args(vec![OsStr::new("--hide-scrollbars")])
        .build()
        .unwrap();
    let browser = Browser::new(options).unwrap();
    let tab = browser.new_tab().unwrap();
    tab.set_default_timeout(PATIENCE);
    let errors = Arc::new(Mutex::new(Vec::new()));
    let heard = Arc::clone(&errors);
    tab.enable_log().unwrap().enable_runtime().unwrap();
    let listen = move |event: &Event| heard.lock().unwrap().extend(error_of(event));
    tab.add_event_listener(Arc::new(listen)).unwrap();
    Some(Page { tab, errors, _browser: browser })
}

fn error_of(event: &Event) -> Option<String> {
    match event {
        Event::LogEntryAdded(event) if event.params.entry.level == Log::LogEntryLevel::Error => {
            Some(event.params.entry.text.clone())
        }
        Event::RuntimeExceptionThrown(event) => Some(event.params.exception_details.text.clone()),
        Event::RuntimeConsoleAPICalled(event)
            if event.params.Type == Runtime::ConsoleAPICalledEventTypeOption::Error =>
        {
            Some(format!("{:?}", event.params.args))
        }
        _ => None,
    }
}

impl Page {
    /// Until it is there. `wait_until_navigated` would wait for a second more, and ends early by
    /// late events of the page before.
    pub(crate) fn open(&self, address: &str) {
        // The page before may have the same address.
        self.eval("(globalThis.isLeft = true)");
        self.tab.navigate_to(address).unwrap();
        let is_there = "globalThis.isLeft === undefined && document.readyState === 'complete'";
        self.until(&format!("{is_there} && location.href === {address:?}"));
    }

    pub(crate) fn open_file(&self, path: &Path) {
        self.open(&format!("file://{}", path.display()));
    }

    /// Sets width and theme; what is opened afterwards, and what is open, follows.
    pub(crate) fn look(&self, view: View) {
        let metrics = Emulation::SetDeviceMetricsOverride {
            width: view.width,
            height: 900,
            device_scale_factor: 1.0,
            mobile: view.width < 600,
            scale: None,
            screen_width: None,
            screen_height: None,
            position_x: None,
            position_y: None,
            dont_set_visible_size: None,
            screen_orientation: None,
            viewport: None,
            display_feature: None,
            device_posture: None,
        };
        self.tab.call_method(metrics).unwrap();
        let feature = Emulation::MediaFeature {
            name: "prefers-color-scheme".to_owned(),
            value: view.theme.to_owned(),
        };
        let media = Emulation::SetEmulatedMedia {
            media: Some(String::new()),
            features: Some(vec![feature]),
        };
        self.tab.call_method(media).unwrap();
    }

    pub(crate) fn without_scripts(&self) {
        self.tab.call_method(Emulation::SetScriptExecutionDisabled { value: true }).unwrap();
    }

    /// What an expression of JavaScript gives, by way of JSON.
    pub(crate) fn eval(&self, expression: &str) -> Value {
        self.try_eval(expression).unwrap_or_else(|| panic!("{expression} has no value"))
    }

    /// None also where the page is just being left for another one.
    fn try_eval(&self, expression: &str) -> Option<Value> {
        let text = format!("(async () => JSON.stringify(await ({expression}) ?? null))()");
        let value = self.tab.evaluate(&text, true).ok()?.value?;
        serde_json::from_str(value.as_str()?).ok()
    }

    /// Waits until an expression is true. The page looks, as each call of `headless_chrome` takes a
    /// tenth of a second: its reader has the connection for so long.
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
        let begin = Instant::now();
        while self.try_eval(expression) != Some(Value::Bool(true)) {
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
        let media = Emulation::SetEmulatedMedia { media: Some("print".to_owned()), features: None };
        self.tab.call_method(media).unwrap();
    }

    /// The page as it is printed.
    pub(crate) fn pdf(&self) -> Vec<u8> {
        self.tab.print_to_pdf(None).unwrap()
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

    /// Points at the middle of the first element that a selector finds.
    pub(crate) fn point_at(&self, selector: &str) {
        let middle = self.middle_of(selector);
        self.tab.move_mouse_to_point(Point { x: middle.x - 3.0, y: middle.y }).unwrap();
        self.tab.move_mouse_to_point(middle).unwrap();
    }

    /// Clicks it with a mouse.
    pub(crate) fn click_at(&self, selector: &str) {
        self.tab.click_point(self.middle_of(selector)).unwrap();
    }

    /// Touches it with a finger.
    pub(crate) fn tap(&self, selector: &str) {
        let Point { x, y } = self.middle_of(selector);
        let finger = serde_json::from_value(json!({ "x": x, "y": y })).unwrap();
        for (what, touch_points) in
            [(Touch::TouchStart, vec![finger]), (Touch::TouchEnd, Vec::new())]
        {
            let (modifiers, timestamp) = (None, None);
            let touch = DispatchTouchEvent { Type: what, touch_points, modifiers, timestamp };
            self.tab.call_method(touch).unwrap();
        }
    }

    /// Presses a key, by its name.
    pub(crate) fn press(&self, key: &str) {
        self.tab.press_key(key).unwrap();
    }

    pub(crate) fn errors(&self) -> Vec<String> {
        self.errors.lock().unwrap().clone()
    }

    /// The text of the page as it was loaded, also without scripts.
    pub(crate) fn content(&self) -> String {
        self.tab.get_content().unwrap()
    }
}
