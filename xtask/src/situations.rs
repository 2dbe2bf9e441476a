//! `cargo xtask situations`: is the verdict right where fio and iostat can be asked as well?
//!
//! Makes ten situations with devices and file systems of this kernel's, one after the other, runs
//! the same load with iopath and with fio in turns, with iostat next to each, and judges iopath's
//! figure, the limit that it names and its bytes at each layer by theirs. All is in memory and is
//! removed again, also after Ctrl-C. Needs root, loop devices, FUSE and sysstat; it leaves out what
//! this machine has not, with the reason.

mod catalogue;
mod iostat;
mod judge;
mod load;
mod options;
mod said;
mod slow;
mod stand;

use std::path::PathBuf;
use std::process::Command;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};

use anyhow::{Context, Result, bail};
use signal_hook::consts::{SIGHUP, SIGINT, SIGTERM};

use catalogue::{ALL, Situation, Truth};
use iostat::{Seen, Watch};
use judge::{Judged, Pair, judge, named, premise, shown};
use load::{Load, On};
use options::Options;
use stand::{Place, Stand, read_ahead};

const HEAD: &str = "\
| situation | iopath | fio | difference | verdict | iostat | right |
|---|---|---|---|---|---|---|";

/// Times as many pairs where whatever else runs has a part of what decides.
const SHARED: u64 = 3;

/// Who runs the situations, and how.
struct Stage {
    iopath: PathBuf,
    options: Options,
    interrupted: Arc<AtomicBool>,
}

/// What came of a situation.
struct Played {
    pairs: Vec<Pair>,
    /// Pairs that were repeated: iostat did not show the situation.
    void: usize,
    judged: Judged,
}

pub(crate) fn run(words: &[&str]) -> Result<()> {
    let options = Options::parse(words)?;
    let iopath = crate::bench::program(options.program.clone())?;
    if let Some(keep) = &options.keep {
        std::fs::create_dir_all(keep).with_context(|| keep.display().to_string())?;
    }
    let interrupted = Arc::new(AtomicBool::new(false));
    for signal in [SIGINT, SIGTERM, SIGHUP] {
        signal_hook::flag::register(signal, Arc::clone(&interrupted))
            .context("signals cannot be watched")?;
    }
    Stage { iopath, options, interrupted }.play_all()
}

impl Stage {
    fn play_all(&self) -> Result<()> {
        let only = self.options.only.as_deref();
        let wanted = ALL.iter().filter(|one| only.is_none_or(|only| one.name == only));
        let (mut played, mut right) = (0, 0);
        println!("{HEAD}");
        for situation in wanted {
            let mut stand = Stand::new()?;
            let place = (situation.set_up)(&mut stand);
            if self.is_interrupted() {
                bail!("interrupted");
            }
            match place {
                Err(error) => println!("| {} | | | | | | not made: {error:#} |", situation.name),
                Ok(place) => {
                    stand.begin();
                    played += 1;
                    right += usize::from(self.is_right(situation, &stand, &place)?);
                }
            }
        }
        println!("\n{right} of {played} verdicts right");
        if right < played || played == 0 {
            bail!("{} verdicts are wrong", played - right);
        }
        Ok(())
    }

    /// Prints the row of a situation that is made.
    fn is_right(&self, situation: &Situation, stand: &Stand, place: &Place) -> Result<bool> {
        let situation = &Situation { load: situation.load.on_this_machine(), ..*situation };
        match self.play(situation, stand, place) {
            Err(error) if self.is_interrupted() => Err(error),
            Err(error) => {
                println!("| {} | | | | | | no: {error:#} |", situation.name);
                Ok(false)
            }
            Ok(one) => {
                println!("{}", line(situation, &one));
                Ok(one.judged.wrong.is_empty())
            }
        }
    }

    fn play(&self, situation: &Situation, stand: &Stand, place: &Place) -> Result<Played> {
        let times = if situation.truth.is_shared() { SHARED } else { 1 };
        let wanted = (times * self.options.pairs) as usize;
        let (mut pairs, mut void) = (Vec::new(), 0);
        while pairs.len() < wanted {
            let name = format!("{}-{}", situation.name, pairs.len() + void);
            let (pair, is_shown) = self.pair(situation, place, &name, stand)?;
            if is_shown || void == wanted {
                pairs.push(pair);
            } else {
                void += 1;
            }
        }
        let wider = self.wider(situation, place, &pairs)?;
        let judged = judge(situation, &pairs, wider);
        Ok(Played { pairs, void, judged })
    }

    /// Both programs, and whether iostat shows in both the situation that was meant.
    fn pair(
        &self,
        situation: &Situation,
        place: &Place,
        name: &str,
        stand: &Stand,
    ) -> Result<(Pair, bool)> {
        let Situation { load, truth, .. } = situation;
        let words = load.iopath(self.on(place), &stand.rig.path(name));
        let words = [vec![self.iopath.display().to_string()], words].concat();
        let (text, seen) = self.watched(&words, place, name)?;
        let (fio, meanwhile) = self.fio(load, place, name)?;
        let is_shown = [&seen, &meanwhile].iter().all(|s| premise(*truth, s).is_none());
        Ok((Pair { said: said::read(&text)?, seen, fio }, is_shown))
    }

    fn on<'p>(&self, place: &'p Place) -> On<'p> {
        On { target: &place.target, bytes: place.bytes, seconds: self.options.seconds }
    }

    /// Bytes a second that fio gets, and what iostat saw meanwhile.
    fn fio(&self, load: &Load, place: &Place, name: &str) -> Result<(f64, Seen)> {
        let (text, seen) =
            self.watched(&load.fio(self.on(place)), place, &format!("{name}-fio"))?;
        Ok((crate::bench::fio::read(&text)?.bytes_per_sec, seen))
    }

    /// How many times as fast fio is where more is read ahead.
    fn wider(&self, situation: &Situation, place: &Place, pairs: &[Pair]) -> Result<Option<f64>> {
        let Situation { load, truth: Truth::Window { wider_kib, .. }, .. } = situation else {
            return Ok(None);
        };
        let before = pairs.iter().map(|pair| pair.fio).fold(0.0, f64::max);
        place.nodes.iter().try_for_each(|node| read_ahead(node, *wider_kib))?;
        Ok(Some(self.fio(load, place, "wider")?.0 / before))
    }

    /// What a program prints, and what iostat saw meanwhile.
    fn watched(&self, words: &[String], place: &Place, name: &str) -> Result<(Vec<u8>, Seen)> {
        let watch = Watch::begin()?;
        let output = command(words, place).output();
        let seen = watch.end(&place.names(), self.options.seconds);
        if self.is_interrupted() {
            bail!("interrupted");
        }
        let output = output.with_context(|| format!("{} does not start", words[0]))?;
        if !output.status.success() {
            let error = String::from_utf8_lossy(&output.stderr);
            bail!("{}: {}", words.join(" "), error.trim());
        }
        let seen = seen?;
        if let Some(keep) = &self.options.keep {
            std::fs::write(keep.join(format!("{name}.json")), &output.stdout)?;
            std::fs::write(keep.join(format!("{name}.iostat")), format!("{seen:#?}\n"))?;
        }
        Ok((output.stdout, seen))
    }

    fn is_interrupted(&self) -> bool {
        self.interrupted.load(Ordering::Relaxed)
    }
}

/// A program in the place's control group.
fn command(words: &[String], place: &Place) -> Command {
    let mut command = match &place.group {
        Some(group) => {
            let mut command = Command::new("sh");
            let script = format!("echo $$ > {}/tasks && exec \"$@\"", group.display());
            command.args(["-c", &script, "sh"]).arg(&words[0]);
            command
        }
        None => Command::new(&words[0]),
    };
    command.args(&words[1..]);
    command
}

/// A row of the table: medians, and verdict and iostat of the first pair.
fn line(situation: &Situation, Played { pairs, void, judged }: &Played) -> String {
    let Judged { iopath, fio, off, wrong } = judged;
    let said = pairs.first().map(|pair| named(&pair.said)).unwrap_or_default();
    let seen = pairs.first().map(|pair| shown(situation.truth, &pair.seen)).unwrap_or_default();
    let again = if *void == 0 { String::new() } else { format!(" ({void} pairs repeated)") };
    let right = match wrong.is_empty() {
        true => format!("yes{again}"),
        false => format!("no{again}: {}", wrong.join("; ")),
    };
    format!(
        "| {}: {} | {:.1} MB/s | {:.1} MB/s | {off:+.1} % | {said} | {seen} | {right} |",
        situation.name,
        situation.about,
        iopath / 1e6,
        fio / 1e6
    )
}
