//! How soon the page of a large run is readable and drawn, by Chromium's own clock.
//!
//! The run is a simulation of a large path, sampled some hundred times. A script is put into its
//! page that tells a listener of ours, in milliseconds since navigation, when the verdict was
//! painted, or when all charts in view were drawn; for the latter the page is opened at its
//! charts over time. Each opening has a browser of its own, whose start is not in the figure.
//! It leaves out what a disk or a network would add: the file is in memory.

use std::fs;
use std::io::{ErrorKind, Read, Write};
use std::net::{TcpListener, TcpStream};
use std::os::unix::process::CommandExt;
use std::path::PathBuf;
use std::process::{Child, Command, Stdio};
use std::time::{Duration, Instant};

use anyhow::{Context, Result, bail};
use rustix::process::{Pid, Signal, kill_process_group};
use serde::Deserialize;
use serde::de::IgnoredAny;

use super::large::{self, Large};
use super::outcome::{Goal, Outcome, Value};
use super::place::{Place, Where};
use super::stage::Stage;
use super::statistics::median;

/// A page with its goals.
pub(crate) struct PageOf {
    pub path: Large,
    pub streams: u32,
    /// Samples over time at least.
    pub samples: u32,
    pub readable_ms: f64,
    pub drawn_ms: f64,
    pub most_bytes: f64,
}

/// Openings of which the median is told.
const OPENINGS: usize = 5;

/// Longest wait for a page: chosen, far beyond any goal.
const PATIENCE: Duration = Duration::from_secs(120);

/// Attempts to remove what a browser wrote.
const ATTEMPTS: u32 = 100;

/// Tells when the first paragraph of the first section was painted.
const READABLE: &str = "new PerformanceObserver((list) => tell(list.getEntries()[0].renderTime))\
    .observe({ type: 'element', buffered: true });";

/// Tells when every chart in view is drawn, and that there was one.
const DRAWN: &str = "const inView = (e) => { const b = e.getBoundingClientRect(); \
    return b.height > 0 && b.top < innerHeight && b.bottom > 0; }; \
    const look = () => { const all = [...document.querySelectorAll('figure:has(> .chart)')]\
    .filter(inView); \
    if (all.length > 0 && all.every((one) => 'drawn' in one.dataset)) tell(performance.now()); \
    else requestAnimationFrame(look); }; addEventListener('DOMContentLoaded', look);";

pub(crate) fn measure(of: &PageOf, stage: &Stage, outcome: &mut Outcome) -> Result<()> {
    let place = Place::empty(&stage.folder(Where::Memory))?;
    let page = simulate(of, stage, &place)?;
    outcome.notes.push(stored(of, stage, &place)?);
    let bytes = vec![page.len() as f64];
    outcome.values.push(Value::new("bytes", bytes, Some(Goal::Below(of.most_bytes))));
    let openings = [
        ("ms until the verdict is painted, median", READABLE, "", of.readable_ms),
        ("ms until charts in view are drawn, median", DRAWN, "#time", of.drawn_ms),
    ];
    for (figure, script, anchor, most) in openings {
        let mut each = Vec::new();
        for _ in 0..OPENINGS {
            each.push(open((&page, script, anchor), stage, &place)?);
        }
        let middle = median(&each).context("no opening")?;
        outcome.values.push(Value::new(figure, vec![middle], Some(Goal::AtMost(most))));
    }
    Ok(())
}

/// The page of a simulated run.
fn simulate(of: &PageOf, stage: &Stage, place: &Place) -> Result<String> {
    let each = of.streams / large::VOLUMES;
    let study = large::study(of.path).replace(
        "workload { streams \"reader\"",
        &format!("workload sample-interval=\"10 ms\" {{ streams \"reader\" count={each}"),
    );
    let (file, page) = (place.file(), place.note().with_extension("html"));
    fs::write(&file, study)?;
    // Up to half of all samples are left out as a run grows.
    let samples = (2 * of.samples).to_string();
    let [file, report] = [&file, &page].map(|path| path.display().to_string());
    let program = stage.iopath.display().to_string();
    let store = store(place);
    let what = [&program, "simulate", &file, "--samples", &samples, "--no-progress"];
    let kept = ["--keep", "--store", &store, "--report", &report];
    let words: Vec<String> = what.into_iter().chain(kept).map(str::to_owned).collect();
    stage.output(&words, place)?;
    fs::read_to_string(&page).with_context(|| format!("{}", page.display()))
}

fn store(place: &Place) -> String {
    place.note().with_extension("db").display().to_string()
}

/// The part of a record that is read here.
#[derive(Deserialize)]
struct Stored {
    entities: Vec<IgnoredAny>,
    streams: Vec<IgnoredAny>,
    instants_ns: Vec<u64>,
}

/// What the page is of, which must be what is asked for.
fn stored(of: &PageOf, stage: &Stage, place: &Place) -> Result<String> {
    let program = stage.iopath.display().to_string();
    let words = [&program, "export", "last", "--store", &store(place)];
    let (stdout, _) = stage.output(&words.map(str::to_owned), place)?;
    let record =
        read(&String::from_utf8_lossy(&stdout)).context("iopath exports another format")?;
    let (streams, samples) = (record.streams.len(), record.instants_ns.len());
    let said = format!(
        "{} things with counters, {streams} streams, {samples} samples",
        record.entities.len()
    );
    if streams != of.streams as usize || samples <= of.samples as usize {
        bail!("the run is not what it should be: {said}");
    }
    Ok(said)
}

/// The record behind the header.
fn read(export: &str) -> Option<Stored> {
    serde_json::from_str(export.lines().nth(1)?).ok()
}

/// Milliseconds that a script tells of one opening.
fn open((page, script, anchor): (&str, &str, &str), stage: &Stage, place: &Place) -> Result<f64> {
    let listener = TcpListener::bind("127.0.0.1:0")?;
    listener.set_nonblocking(true)?;
    let address = listener.local_addr()?;
    let tell = format!(
        "<script>const tell = (ms) => fetch('http://{address}/' + ms, {{ mode: 'no-cors' }}); \
         {script}</script>"
    );
    const VERDICT: &str = "<p class=\"verdict\"";
    if !page.contains(VERDICT) || !page.contains("</head>") {
        bail!("the page has no verdict that could be timed");
    }
    let page = page
        .replacen(VERDICT, "<p elementtiming=\"verdict\" class=\"verdict\"", 1)
        .replacen("</head>", &format!("{tell}</head>"), 1);
    let file = place.note().with_extension("open.html");
    fs::write(&file, page)?;
    let profile = place.note().with_extension("profile");
    let _browser = Browser::start(&format!("file://{}{anchor}", file.display()), profile)?;
    let begin = Instant::now();
    while begin.elapsed() < PATIENCE && !stage.is_interrupted() {
        match listener.accept() {
            Ok((stream, _)) => return told(stream),
            Err(error) if error.kind() == ErrorKind::WouldBlock => {
                std::thread::sleep(Duration::from_millis(10));
            }
            Err(error) => return Err(error.into()),
        }
    }
    bail!("the page reported nothing in {} s", PATIENCE.as_secs())
}

/// `GET /123.4 HTTP/1.1`
fn told(mut stream: TcpStream) -> Result<f64> {
    stream.set_nonblocking(false)?;
    stream.set_read_timeout(Some(Duration::from_secs(5)))?;
    let mut start = [0; 256];
    let read = stream.read(&mut start)?;
    stream.write_all(b"HTTP/1.1 204 No Content\r\nConnection: close\r\n\r\n")?;
    let text = String::from_utf8_lossy(&start[..read]).into_owned();
    milliseconds(&text).with_context(|| format!("the page reported {text}"))
}

fn milliseconds(request: &str) -> Option<f64> {
    request.strip_prefix("GET /")?.split_once(' ')?.0.parse().ok()
}

/// A browser that ends with its value, and leaves nothing.
struct Browser {
    child: Child,
    profile: PathBuf,
}

impl Browser {
    fn start(address: &str, profile: PathBuf) -> Result<Self> {
        fs::create_dir_all(&profile)?;
        let child = Command::new("chromium")
            // What it leaves in its directory for temporary files goes with its profile.
            .env("TMPDIR", &profile)
            .args(["--headless=new", "--disable-gpu", "--no-first-run", "--window-size=1200,900"])
            // Chromium's sandbox refuses root.
            .args(rustix::process::geteuid().is_root().then_some("--no-sandbox"))
            // Told that it is driven from outside, it stays open.
            .arg("--remote-debugging-port=0")
            .arg(format!("--user-data-dir={}", profile.display()))
            .arg(address)
            .stdout(Stdio::null())
            .stderr(Stdio::null())
            // A browser is many processes, which end together.
            .process_group(0)
            .spawn()
            .context("chromium does not start; install the Debian package chromium")?;
        Ok(Self { child, profile })
    }
}

impl Drop for Browser {
    fn drop(&mut self) {
        // Gone already is as good.
        let _ = kill_process_group(Pid::from_child(&self.child), Signal::KILL);
        let _ = self.child.wait();
        // The last of its processes may still write.
        for _ in 0..ATTEMPTS {
            if fs::remove_dir_all(&self.profile).is_ok() || !self.profile.exists() {
                return;
            }
            std::thread::sleep(Duration::from_millis(20));
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_a_page_tells_is_read() {
        assert_eq!(milliseconds("GET /812.5 HTTP/1.1\r\nHost: x\r\n"), Some(812.5));
        assert_eq!(milliseconds("GET /favicon.ico HTTP/1.1\r\n"), None);
    }

    #[test]
    fn the_record_behind_a_header_is_counted() {
        let export = "{\"format\":\"iopath-export/1\"}\n\
            {\"entities\":[{},{}],\"streams\":[{}],\"instants_ns\":[0,1,2],\"events\":[]}\n";
        let record = read(export).unwrap();
        assert_eq!((record.entities.len(), record.streams.len()), (2, 1));
        assert_eq!(record.instants_ns, [0, 1, 2]);
        assert!(read("{}").is_none());
    }
}
