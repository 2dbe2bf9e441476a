//! One boot: a folder that guest and host share, QEMU, and the wait for the ends of the jobs.
//!
//! QEMU translates (TCG) on every machine, also where it could virtualise: so the same holds
//! everywhere, and where a hypervisor emulates KVM in software an unmodified kernel does not start
//! at all. The guest dies with this program.

use std::fs::{self, File};
use std::path::{Path, PathBuf};
use std::process::{Child, Command, Stdio};
use std::thread;
use std::time::{Duration, Instant};

use anyhow::{Context, Result};

use super::image::Image;
use super::job::Job;
use super::machine::Machine;
use super::outcome::{End, Outcome};

/// Longest that a boot may take. It takes 12 s, or 35 s where others are busy.
const BOOT: Duration = Duration::from_secs(240);

/// Longest that one job may take. Most take 5 to 30 s.
const JOB: Duration = Duration::from_secs(240);

/// How often the shared folder is looked at.
const LOOK: Duration = Duration::from_millis(200);

/// Leaves out what only costs a translated processor time: self-tests, mitigations, the calibration
/// of clocks.
const KERNEL: &str = "console=ttyS0 quiet panic=1 net.ifnames=0 mitigations=off nokaslr nowatchdog \
                      cryptomgr.notests tsc=reliable no_timer_check";

/// Lines of the console that are shown when a guest ends too early.
const CONSOLE_LINES: usize = 20;

/// What all boots of a run have in common.
pub(crate) struct Host {
    pub image: Image,
    /// With `init.sh`, what jobs share, and `jobs`.
    pub scripts: PathBuf,
    /// Where guests have their folders.
    pub cache: PathBuf,
    pub program: PathBuf,
    /// Whether a shell in the guest follows the jobs, on this terminal.
    pub keep: bool,
}

struct Guest {
    child: Child,
    /// Its /lab.
    folder: PathBuf,
}

impl Host {
    /// Boots a machine, runs jobs in it one after another, and reports each as it ends.
    pub(crate) fn run(&self, machine: &Machine, jobs: &[&'static Job]) -> Result<Vec<Outcome>> {
        println!("\n{}: booting", machine.name);
        let start = Instant::now();
        let folder = self.share(machine, jobs)?;
        let mut guest = self.boot(machine, folder)?;
        if guest.wait_for("booted", BOOT)?.is_some() {
            println!("{}: booted in {:.0} s", machine.name, start.elapsed().as_secs_f64());
        }
        let mut outcomes = Vec::new();
        for (number, job) in jobs.iter().enumerate() {
            let outcome = guest.outcome(job, &script_name(number, job))?;
            print!("{}", outcome.text());
            outcomes.push(outcome);
        }
        if self.keep {
            guest.child.wait()?;
        }
        println!("{}: {:.0} s in all", machine.name, start.elapsed().as_secs_f64());
        Ok(outcomes)
    }

    /// The folder that the guest has as /lab; it stays after the run, to be looked at.
    fn share(&self, machine: &Machine, jobs: &[&Job]) -> Result<PathBuf> {
        let folder = self.cache.join("guests").join(machine.name);
        if folder.exists() {
            fs::remove_dir_all(&folder)?;
        }
        fs::create_dir_all(folder.join("jobs"))?;
        let copy = |from: &Path, to: &str| {
            fs::copy(from, folder.join(to)).with_context(|| from.display().to_string())
        };
        copy(&self.program, "iopath")?;
        for name in ["init.sh", "lib.sh", "path.sh", "layout.sh", "multipath.sh"] {
            copy(&self.scripts.join(name), name)?;
        }
        for (number, job) in jobs.iter().enumerate() {
            let from = self.scripts.join("jobs").join(format!("{}.sh", job.name));
            copy(&from, &format!("jobs/{}", script_name(number, job)))?;
        }
        Ok(folder)
    }

    fn boot(&self, machine: &Machine, folder: PathBuf) -> Result<Guest> {
        let drives = machine.make_drives()?;
        let mut command = Command::new("nice");
        command.args(["setpriv", "--pdeathsig", "KILL", "qemu-system-x86_64"]);
        command.args(self.fixed_arguments(&folder)).args(machine.arguments(&drives));
        let log = File::create(folder.join("qemu.log"))?;
        if self.keep {
            command.args(["-serial", "mon:stdio"]);
        } else {
            command.args(["-serial", &format!("file:{}", folder.join("console").display())]);
            command.stdin(Stdio::null()).stdout(log.try_clone()?).stderr(log);
        }
        Ok(Guest { child: command.spawn().context("nice does not start")?, folder })
    }

    /// What does not depend on the machine.
    fn fixed_arguments(&self, folder: &Path) -> Vec<String> {
        let keep = if self.keep { " lab.keep" } else { "" };
        let root = self.image.file("root.squashfs");
        let words = [
            "-machine q35 -accel tcg,thread=multi,tb-size=256 -cpu Nehalem",
            "-nodefaults -no-user-config -no-reboot -display none",
            "-device virtio-blk-pci,drive=root,serial=root",
        ];
        let mut words: Vec<String> =
            words.iter().flat_map(|line| line.split(' ')).map(str::to_owned).collect();
        let pairs = [
            ("-kernel", self.image.file("vmlinux")),
            ("-initrd", self.image.file("initrd")),
            ("-append", format!("{KERNEL} lab.limit={}{keep}", JOB.as_secs())),
            ("-drive", format!("file={root},format=raw,if=none,id=root,readonly=on")),
            (
                "-virtfs",
                format!(
                    "local,path={},mount_tag=lab,security_model=none,multidevs=remap",
                    folder.display()
                ),
            ),
        ];
        words.extend(pairs.into_iter().flat_map(|(option, value)| [option.to_owned(), value]));
        words
    }
}

impl Guest {
    /// Waits for a job's end; the guest itself ends it when it takes too long.
    fn outcome(&mut self, job: &'static Job, script: &str) -> Result<Outcome> {
        let end = self.wait_for(&format!("{script}.end"), JOB + JOB / 4)?;
        let end = end.as_deref().and_then(End::parse);
        let log = fs::read(self.folder.join(format!("{script}.out"))).unwrap_or_default();
        let mut log = String::from_utf8_lossy(&log).into_owned();
        if end.is_none() {
            log += &self.last_words();
        }
        Ok(Outcome { job, log, end })
    }

    /// The text of a file that the guest writes; none where the guest ended, or hangs, without it.
    fn wait_for(&mut self, name: &str, limit: Duration) -> Result<Option<String>> {
        let (path, start) = (self.folder.join(name), Instant::now());
        loop {
            let has_ended = self.child.try_wait()?.is_some();
            if let Ok(text) = fs::read_to_string(&path)
                && !text.is_empty()
            {
                return Ok(Some(text));
            }
            if has_ended {
                return Ok(None);
            }
            if start.elapsed() > limit {
                self.child.kill()?;
            }
            thread::sleep(LOOK);
        }
    }

    /// What QEMU and the kernel said last.
    fn last_words(&self) -> String {
        let read = |name: &str| fs::read(self.folder.join(name)).unwrap_or_default();
        let text = [read("qemu.log"), read("console")].concat();
        let text = String::from_utf8_lossy(&text);
        let lines: Vec<&str> = text.lines().collect();
        let last = &lines[lines.len().saturating_sub(CONSOLE_LINES)..];
        last.iter().map(|line| format!("console: {line}\n")).collect()
    }
}

/// No disk of the guest is worth an orderly end.
impl Drop for Guest {
    fn drop(&mut self) {
        let _ = self.child.kill();
        let _ = self.child.wait();
    }
}

/// The guest runs its jobs in the order of these.
fn script_name(number: usize, job: &Job) -> String {
    format!("{number:02}-{}", job.name)
}
