//! `capacity`: loads of half, nine tenths and one and a half of what this machine carries, by what
//! its own calibration says: in time, at least flagged, and refused with a scale that works.
//!
//! What it carries is read from the refusal of a load that no machine carries: requests that files
//! without limits serve, and what their simulation takes.

use std::path::{Path, PathBuf};
use std::time::Duration;

use anyhow::{Context, Result, bail};
use serde::Deserialize;

use super::stage::Stage;
use super::system::Study;
use super::{Tally, verdict};

/// Requests a second that no machine carries.
const TOO_MANY: f64 = 2e6;
/// Percent of answers in time, below which the figures are flagged as this machine's.
const IN_TIME: f64 = 95.0;
/// A calibration is as good as this machine is quiet: so often a load is tried.
const TRIALS: usize = 3;
const LONGEST: Duration = Duration::from_secs(60);

const HEAD: &str = "\
| of what it carries | requests/s | outcome | in time | flagged | met |
|---|---|---|---|---|---|";

/// A load, and what must become of it.
#[derive(Clone, Copy, Debug)]
struct Load {
    share: f64,
    wanted: Wanted,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Wanted {
    InTime,
    /// In time, or with a warning.
    Honest,
    Refused,
}

const LOADS: [Load; 3] = [
    Load { share: 0.5, wanted: Wanted::InTime },
    Load { share: 0.9, wanted: Wanted::Honest },
    Load { share: 1.5, wanted: Wanted::Refused },
];

/// What became of a load.
#[derive(Debug)]
enum Outcome {
    Answered {
        in_time_percent: f64,
        is_flagged: bool,
    },
    /// With the words of a scale that works.
    Refused(Vec<String>),
}

pub(crate) fn play(stage: &Stage) -> Result<Tally> {
    let mut tally = Tally::default();
    println!("{HEAD}");
    for load in LOADS.iter().filter(|load| stage.options.wants(&load.share.to_string())) {
        let mut missed = Vec::new();
        for _ in 0..TRIALS {
            let rig = Rig::new(stage)?;
            let per_sec = rig.carried()? * load.share;
            let outcome = rig.load(per_sec, &[])?;
            missed = rig.missed(load, per_sec, &outcome)?;
            println!("{}", row(load, per_sec, &outcome, &missed));
            if missed.is_empty() {
                break;
            }
        }
        tally.add(missed.is_empty());
    }
    Ok(tally)
}

fn row(load: &Load, per_sec: f64, outcome: &Outcome, missed: &[String]) -> String {
    let seen = match outcome {
        Outcome::Answered { in_time_percent, is_flagged } => {
            let flagged = if *is_flagged { "yes" } else { "no" };
            format!("answered | {in_time_percent:.1} % | {flagged}")
        }
        Outcome::Refused(words) => format!("refused, {} | | ", words.join(" ")),
    };
    format!("| {} | {per_sec:.0} | {seen} | {} |", load.share, verdict(missed))
}

/// A folder with a study, a store and a run directory.
struct Rig<'a> {
    stage: &'a Stage,
    folder: tempfile::TempDir,
}

impl<'a> Rig<'a> {
    fn new(stage: &'a Stage) -> Result<Self> {
        stage.go_on()?;
        Ok(Self { stage, folder: tempfile::tempdir()? })
    }

    fn path(&self, name: &str) -> PathBuf {
        self.folder.path().join(name)
    }

    /// Requests a second that this machine answers and simulates with all that it has.
    fn carried(&self) -> Result<f64> {
        let Err(refusal) = self.emulate(TOO_MANY, &[]) else { bail!("it carries {TOO_MANY}") };
        let text = format!("{refusal:#}");
        carried(&text).with_context(|| format!("no refusal: {text}"))
    }

    fn load(&self, per_sec: f64, scale: &[String]) -> Result<Outcome> {
        let text = match self.emulate(per_sec, scale) {
            Ok(text) => text,
            Err(refusal) => {
                self.stage.go_on()?;
                let words = scale_that_works(&format!("{refusal:#}"));
                return words.map(Outcome::Refused).ok_or(refusal);
            }
        };
        let shown: Emulation = serde_json::from_slice(&text).context("what emulate prints")?;
        let lateness = shown.cases.into_iter().find_map(|case| case.lateness);
        let share = lateness.context("no lateness")?.in_time_share;
        Ok(Outcome::Answered { in_time_percent: 100.0 * share, is_flagged: self.is_flagged()? })
    }

    /// Why an outcome is not what it must be.
    fn missed(&self, load: &Load, per_sec: f64, outcome: &Outcome) -> Result<Vec<String>> {
        let why = match (load.wanted, outcome) {
            (Wanted::Refused, Outcome::Refused(words)) => match self.load(per_sec, words)? {
                Outcome::Answered { .. } => None,
                Outcome::Refused(_) => Some("the scale that it names is refused, too"),
            },
            (Wanted::Refused, Outcome::Answered { .. }) => Some("it is not refused"),
            (_, Outcome::Refused(_)) => Some("it is refused"),
            (wanted, Outcome::Answered { in_time_percent, is_flagged }) => {
                let is_honest = *is_flagged && wanted == Wanted::Honest;
                (*in_time_percent < IN_TIME && !is_honest).then_some("answers are late")
            }
        };
        Ok(why.into_iter().map(str::to_owned).collect())
    }

    /// Measures a load on the system that it is described with.
    fn emulate(&self, per_sec: f64, scale: &[String]) -> Result<Vec<u8>> {
        let file = self.path("capacity.kdl");
        std::fs::write(&file, study(per_sec))?;
        let one = ["--scale".to_owned(), "1:1".to_owned()];
        let scale = if scale.is_empty() { &one[..] } else { scale };
        let mut words = Study::of(&file).command(
            "emulate",
            &["--live", "--run", "--json", "--no-progress", "--time", "3s", "--warm-up", "1s"],
        );
        words.extend(scale.iter().cloned());
        words.extend(option("--store", &self.path("store.db")));
        words.extend(option("--directory", &self.path("run")));
        self.stage.iopath(&words, LONGEST)
    }

    /// Whether the record of the last load warns of late answers.
    fn is_flagged(&self) -> Result<bool> {
        let mut words: Vec<String> = ["show", "last", "--json"].map(str::to_owned).into();
        words.extend(option("--store", &self.path("store.db")));
        let text = self.stage.iopath(&words, LONGEST)?;
        let run: Run = serde_json::from_slice(&text).context("what show prints")?;
        let mut warnings = run.trials.iter().flat_map(|trial| &trial.findings.warnings);
        Ok(warnings.any(|warning| warning.kind == "late-answers"))
    }
}

fn option(name: &str, path: &Path) -> [String; 2] {
    [name.to_owned(), path.display().to_string()]
}

/// Each request takes 10 ms, of which 2 % are more than a busy kernel makes late.
fn study(per_sec: f64) -> String {
    format!(
        r#"study "capacity"
path {{ host "h" {{ part "d" size="4 GB" latency="10 ms" }} }}
workload time="3 s" {{
    streams "s" over="h.d" pattern="random" block="4 KiB" depth=4096 rate="{per_sec:.0} /s"
}}
"#
    )
}

/// What is carried, from the words of a refusal.
fn carried(refusal: &str) -> Option<f64> {
    let number = |before: &str| {
        let rest = refusal.split(before).nth(1)?;
        rest.split([' ', ',']).next()?.parse::<f64>().ok()
    };
    let (asked, served) = (number("would have to serve ")?, number("this machine serves ")?);
    let simulating = number("its simulation takes ")? / 100.0;
    Some(1.0 / (1.0 / served + simulating / asked))
}

/// The options of the scale that a refusal names.
fn scale_that_works(refusal: &str) -> Option<Vec<String>> {
    let words = refusal.split("; try ").nth(1)?.trim();
    let (scale, stretch) = words.split_once(", stretched ").unwrap_or((words, ""));
    let mut options = vec!["--scale".to_owned(), scale.to_owned()];
    if let Some(times) = stretch.strip_suffix(" times") {
        options.extend(["--stretch".to_owned(), times.to_owned()]);
    }
    Some(options)
}

/// What is read of `iopath-emulated`.
#[derive(Deserialize)]
struct Emulation {
    cases: Vec<Emulated>,
}

#[derive(Deserialize)]
struct Emulated {
    lateness: Option<InTime>,
}

#[derive(Deserialize)]
struct InTime {
    in_time_share: f64,
}

/// What is read of `iopath-run`.
#[derive(Deserialize)]
struct Run {
    trials: Vec<Trial>,
}

#[derive(Deserialize)]
struct Trial {
    findings: Findings,
}

#[derive(Deserialize)]
struct Findings {
    warnings: Vec<Warning>,
}

#[derive(Deserialize)]
struct Warning {
    kind: String,
}

#[cfg(test)]
mod tests {
    use super::*;

    const REFUSAL: &str = "iopath: exit status: 3: capacity: at 1:1 its devices would have to \
        serve 2000000 requests/s of 4096 bytes, and this machine serves 100000, of which its \
        simulation takes 200 % of a processor; try 1:1, stretched 45 times\n";

    #[test]
    fn a_refusal_says_what_is_carried_and_which_scale_works() {
        let found = carried(REFUSAL).unwrap();
        assert!((found - 90_909.0).abs() < 1.0, "{found}");
        let words = ["--scale", "1:1", "--stretch", "45"].map(str::to_owned);
        assert_eq!(scale_that_works(REFUSAL), Some(words.into()));
        let words = ["--scale", "1:8"].map(str::to_owned);
        assert_eq!(scale_that_works("too much; try 1:8\n"), Some(words.into()));
        assert_eq!((carried("no device"), scale_that_works("no device")), (None, None));
    }
}
