//! What `iopath watch` costs: the whole command with its live view on a terminal, watching an
//! imitated machine of 2,000 devices that all move something in every interval.
//!
//! Two runs differ in the number of intervals only, so start and end are in neither figure. The
//! terminal is one of script(1), whose own cost is in it. It leaves out what the kernel needs to
//! write the text of 2,000 devices.

use std::fs::{self, OpenOptions};
use std::io::Write;
use std::path::{Path, PathBuf};
use std::sync::atomic::{AtomicBool, Ordering};
use std::time::Duration;

use anyhow::{Context, Result};

use super::outcome::{Goal, Outcome, Value};
use super::place::{Place, Where};
use super::stage::Stage;

const DEVICES: u64 = 2_000;

/// Percent of one core at one sample a second.
const PERCENT: f64 = 2.0;

/// Intervals of the two runs: chosen, the difference takes some hundred steps of GNU time.
const FEW: u64 = 2;
const MANY: u64 = 102;

/// Between two samples: chosen, the cost of a sample does not depend on it.
const INTERVAL: Duration = Duration::from_millis(100);

/// How a terminal looks that shows many rows.
const TERMINAL: &str = "stty rows 60 cols 160";

pub(crate) fn measure(stage: &Stage, outcome: &mut Outcome) -> Result<()> {
    let place = Place::empty(&stage.folder(Where::Memory))?;
    let machine = Machine::imitate(&place.file().with_extension("machine"))?;
    let mut each_ms = Vec::new();
    for _ in 0..stage.runs() {
        let few = machine.watch(stage, &place, FEW)?;
        let many = machine.watch(stage, &place, MANY)?;
        each_ms.push((many - few) * 1e3 / (MANY - FEW) as f64);
    }
    let percent = each_ms.iter().map(|ms| ms / 1e3 * 100.0).collect();
    outcome.values.push(Value::new("ms per interval", each_ms, None));
    let goal = Some(Goal::Below(PERCENT));
    outcome.values.push(Value::new("% of one core at 1 Hz", percent, goal));
    Ok(())
}

/// A tree that looks like a machine of many devices.
struct Machine {
    root: PathBuf,
}

impl Machine {
    fn imitate(root: &Path) -> Result<Self> {
        let machine = Self { root: root.to_owned() };
        for n in 0..DEVICES {
            let folder = format!("sys/block/loop{n}");
            machine.file(&format!("{folder}/dev"), &format!("7:{n}\n"))?;
            machine.file(&format!("{folder}/size"), "2048\n")?;
            machine.file(&format!("{folder}/ro"), "0\n")?;
        }
        machine.file("proc/self/mountinfo", "")?;
        for name in ["stat", "meminfo", "vmstat", "net/dev"] {
            // Of this machine: what it says does not matter, but that it is as long.
            let text =
                fs::read_to_string(Path::new("/").join("proc").join(name)).unwrap_or_default();
            machine.file(&format!("proc/{name}"), &text)?;
        }
        machine.count(1)?;
        Ok(machine)
    }

    fn file(&self, name: &str, text: &str) -> Result<()> {
        let path = self.root.join(name);
        fs::create_dir_all(path.parent().unwrap_or(&self.root))?;
        fs::write(&path, text).with_context(|| format!("{}", path.display()))
    }

    /// Every device has done `n` times as much; each as much more as its number. Written in place,
    /// since the program holds the file open, and lines keep their length, so that none is torn.
    fn count(&self, n: u64) -> Result<()> {
        let line = |device: u64| {
            let (requests, ms) = (n * (device + 1), n * 40);
            let sectors = requests * 8;
            format!(
                "   7 {device:>7} loop{device:<4} {requests:>9} 0 {sectors:>10} {ms:>9} \
                 {requests:>9} 0 {sectors:>10} {ms:>9} 1 {ms:>9} {ms:>9} 0 0 0 0 0 0\n"
            )
        };
        let text: String = (0..DEVICES).map(line).collect();
        let path = self.root.join("proc/diskstats");
        let mut file = OpenOptions::new().write(true).create(true).truncate(false).open(path)?;
        Ok(file.write_all(text.as_bytes())?)
    }

    /// Seconds of processor time of a run, while the devices go on.
    fn watch(&self, stage: &Stage, place: &Place, intervals: u64) -> Result<f64> {
        let ended = AtomicBool::new(false);
        std::thread::scope(|scope| {
            let moving = scope.spawn(|| {
                let mut n = 2;
                while !ended.load(Ordering::Relaxed) {
                    self.count(n)?;
                    n += 1;
                    std::thread::sleep(INTERVAL);
                }
                Ok(())
            });
            let watched = stage.output(&self.words(stage, intervals), place);
            ended.store(true, Ordering::Relaxed);
            moving.join().unwrap_or(Ok::<(), anyhow::Error>(()))?;
            let (_, cost) = watched?;
            Ok(cost.user_sec + cost.system_sec)
        })
    }

    fn words(&self, stage: &Stage, intervals: u64) -> Vec<String> {
        let command = format!(
            "{TERMINAL}; {} watch --root {} --interval {}ms --count {intervals}",
            stage.iopath.display(),
            self.root.display(),
            INTERVAL.as_millis()
        );
        let words = ["script", "--quiet", "--return", "--command", &command, "/dev/null"];
        words.map(str::to_owned).to_vec()
    }
}

impl Drop for Machine {
    fn drop(&mut self) {
        // The folder around it goes, too.
        let _ = fs::remove_dir_all(&self.root);
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_imitated_machine_has_a_line_for_each_device() {
        let folder = tempfile::tempdir().unwrap();
        let machine = Machine::imitate(&folder.path().join("machine")).unwrap();
        let text = fs::read_to_string(machine.root.join("proc/diskstats")).unwrap();
        assert_eq!(text.lines().count() as u64, DEVICES);
        assert!(text.lines().all(|line| line.split_whitespace().count() == 20));
        assert!(machine.root.join("sys/block/loop1999/size").exists());
    }
}
