//! A volume that iopath composes over rate-limited targets, beside one target of the same total
//! rate. Both are exports of one storage daemon: no medium, a throttle group each.
//!
//! The daemon is told its groups by command line, has no network, and ends with the benchmark; its
//! folder vanishes after it. After kill -9 the daemon, its mounts and a folder `iopath-bench-…`
//! stay behind.

use std::fs::{self, File};
use std::path::{Path, PathBuf};
use std::process::{Child, Command, Stdio};
use std::time::{Duration, Instant};

use anyhow::{Context, Result, bail};

use super::iopath;
use super::outcome::{Comparison, Goal, Outcome};
use super::place::{Place, Where};
use super::run::{Figure, Run, Sample};
use super::stage::Stage;

/// A stripe over members.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Volume {
    pub members: u64,
    pub unit_kib: u64,
    pub block_kib: u64,
    /// Units in flight on each member.
    pub depth: u64,
    /// Of each member.
    pub bytes_per_sec: u64,
}

/// Of each export; nothing of it is kept.
const EXPORT_BYTES: u64 = 64 << 30;
/// Until the daemon has made its exports.
const PATIENCE: Duration = Duration::from_secs(20);
/// The short run is this long: a throttle group gives 100 ms of credit first.
const SHORT: Duration = Duration::from_secs(1);

pub(crate) fn compare(volume: Volume, stage: &Stage, outcome: &mut Outcome) -> Result<()> {
    let place = Place::empty(&stage.folder(Where::Memory))?;
    let folder = place.file();
    fs::create_dir(&folder)?;
    let daemon = Daemon::start(volume, &folder)?;
    let (mut composed, mut one) = (Vec::new(), Vec::new());
    for pair in 0..stage.pairs {
        let mut take = |what: What| -> Result<()> {
            let sample = sample(volume, what, &daemon, (stage, &place))?;
            match what {
                What::Composed => composed.push(sample),
                What::One => one.push(sample),
            }
            Ok(())
        };
        let order = [What::Composed, What::One];
        let [first, second] = if pair.is_multiple_of(2) { order } else { [order[1], order[0]] };
        take(first)?;
        take(second)?;
    }
    let goals =
        [(Figure::Throughput, Goal::AtLeast(0.97)), (Figure::ProcessorTime, Goal::AtMost(1.15))];
    for (figure, goal) in goals {
        let values = |all: &[Sample]| all.iter().map(|one| one.value(figure)).collect();
        let (rival, ours) = ("one target".to_owned(), values(&composed));
        let found = Comparison::new(rival, figure.name(), ours, values(&one), Some(goal));
        outcome.comparisons.push(found.context("no pair was run")?);
    }
    Ok(())
}

#[derive(Clone, Copy, PartialEq, Eq)]
enum What {
    Composed,
    One,
}

fn sample(
    volume: Volume,
    what: What,
    daemon: &Daemon,
    (stage, place): (&Stage, &Place),
) -> Result<Sample> {
    let run = |length: Duration| -> Result<Run> {
        let file = place.note().with_extension("kdl");
        fs::write(&file, study(volume, what, &daemon.folder, length))?;
        let store = place.note().with_extension("db").display().to_string();
        let (program, file) = (stage.iopath.display().to_string(), file.display().to_string());
        let words = ["measure", &file, "--json", "--no-progress", "--store", &store];
        let words = std::iter::once(program).chain(words.map(str::to_owned));
        let (stdout, cost) = stage.output(&words.collect::<Vec<_>>(), place)?;
        Ok(Run { done: iopath::read(&stdout)?, cost })
    };
    Ok(Sample { short: run(SHORT)?, long: run(stage.length)? })
}

fn study(volume: Volume, what: What, folder: &Path, length: Duration) -> String {
    let Volume { members, unit_kib, block_kib, depth, .. } = volume;
    let last = members - 1;
    let folder = folder.display();
    let (layout, bind) = match what {
        What::Composed => (
            format!("stripe \"v\" unit=\"{unit_kib} KiB\" over=\"d\""),
            format!("bind from=\"d\" to=\"{folder}/m[0-{last}]\""),
        ),
        What::One => ("file \"v\"".to_owned(), format!("bind from=\"v\" to=\"{folder}/one\"")),
    };
    let path = match what {
        What::Composed => format!("path {{ disk \"d\" count={members} }}"),
        What::One => String::new(),
    };
    let in_flight = depth * members * unit_kib / block_kib;
    format!(
        "study \"volume\"\n{path}\nlayout {{ {layout} }}\n{bind}\n\
         workload time=\"{} ms\" warm-up=\"0 s\" engine=\"uring\" {{ streams \"r\" over=\"v\" \
         op=\"read\" pattern=\"sequential\" block=\"{block_kib} KiB\" depth={in_flight} }}\n",
        length.as_millis()
    )
}

/// A storage daemon; ends when dropped.
struct Daemon {
    child: Child,
    folder: PathBuf,
}

impl Daemon {
    fn start(volume: Volume, folder: &Path) -> Result<Self> {
        let mut command = Command::new("qemu-storage-daemon");
        let total = volume.members * volume.bytes_per_sec;
        let members = (0..volume.members).map(|n| (format!("m{n}"), volume.bytes_per_sec));
        for (name, rate) in members.chain([("one".to_owned(), total)]) {
            let file = folder.join(&name);
            File::create_new(&file)?;
            command.args(export(&name, rate, &file));
        }
        command.stdin(Stdio::null()).stdout(Stdio::null());
        let child = command.spawn();
        let child = child.context("qemu-storage-daemon does not start; install qemu-utils")?;
        let mut daemon = Self { child, folder: folder.to_owned() };
        daemon.await_exports(volume)?;
        Ok(daemon)
    }

    fn await_exports(&mut self, volume: Volume) -> Result<()> {
        let began = Instant::now();
        let names = (0..volume.members).map(|n| format!("m{n}")).chain(["one".to_owned()]);
        for file in names.map(|name| self.folder.join(name)) {
            while fs::metadata(&file)?.len() != EXPORT_BYTES {
                if let Some(status) = self.child.try_wait()? {
                    bail!("qemu-storage-daemon ended: {status}");
                }
                if began.elapsed() > PATIENCE {
                    bail!("{} is not exported", file.display());
                }
                std::thread::sleep(Duration::from_millis(20));
            }
        }
        Ok(())
    }
}

fn export(name: &str, rate: u64, file: &Path) -> [String; 8] {
    let file = file.display();
    [
        "--object".to_owned(),
        format!("throttle-group,id=g-{name},x-bps-total={rate}"),
        "--blockdev".to_owned(),
        format!("null-co,node-name=n-{name},size={EXPORT_BYTES},read-zeroes=off"),
        "--blockdev".to_owned(),
        format!("throttle,node-name=t-{name},throttle-group=g-{name},file=n-{name}"),
        "--export".to_owned(),
        format!("fuse,id=e-{name},node-name=t-{name},mountpoint={file},writable=off"),
    ]
}

impl Drop for Daemon {
    /// It takes its mounts away when it is asked to end.
    fn drop(&mut self) {
        let id = rustix::process::Pid::from_child(&self.child);
        let _ = rustix::process::kill_process(id, rustix::process::Signal::TERM);
        let _ = self.child.wait();
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const SMALL: Volume =
        Volume { members: 24, unit_kib: 512, block_kib: 1024, depth: 8, bytes_per_sec: 1 };

    #[test]
    fn both_have_the_same_requests_in_flight() {
        let study = |what| study(SMALL, what, Path::new("/f"), Duration::from_secs(2));
        let composed = study(What::Composed);
        assert!(composed.contains("disk \"d\" count=24") && composed.contains("/f/m[0-23]"));
        for text in [composed, study(What::One)] {
            assert!(text.contains("depth=96") && text.contains("time=\"2000 ms\""), "{text}");
        }
    }
}
