//! `cargo xtask proof`: are predictions right after a profile, for loads that were no part of it?
//!
//! Profiles a directory, then predicts, simulates and measures thirty cases over the path with its
//! measured capacities: sizes, depths, mixes, several streams, writes that are flushed, direct and
//! through the page cache. The median and the 90th percentile of the errors are printed with each
//! case; the machine decides them, so nothing is asserted. It leaves out whether the limit is named
//! rightly, which `limits` asks.

mod cases;

use std::collections::BTreeMap;
use std::path::PathBuf;
use std::process::Command;

use anyhow::{Context, Result, bail};
use serde_json::Value;

use crate::errors::{self, off};

/// Throughput of each case, by its title.
type Figures = BTreeMap<String, f64>;

pub(crate) fn run(words: &[&str]) -> Result<()> {
    let (mut program, mut directory, mut left) = (None, PathBuf::from("."), words);
    loop {
        left = match left {
            ["--program", file, rest @ ..] => {
                program = Some(PathBuf::from(file));
                rest
            }
            ["--directory", place, rest @ ..] => {
                directory = PathBuf::from(place);
                rest
            }
            [] => break,
            [word, ..] => {
                bail!("no such option: {word}; there are --program FILE and --directory DIR")
            }
        }
    }
    let program = crate::bench::program(program)?;
    let kept = tempfile::tempdir()?;
    let proof = Proof { program, directory, kept: kept.path().to_owned() };
    let found = proof.compared()?;
    print!("{}", table(&found));
    Ok(())
}

struct Proof {
    program: PathBuf,
    directory: PathBuf,
    /// Where the store and the study are.
    kept: PathBuf,
}

/// One case: what was measured, and what models said.
struct Compared {
    case: String,
    measured: f64,
    predicted: f64,
    simulated: f64,
}

impl Proof {
    fn compared(&self) -> Result<Vec<Compared>> {
        self.ask(&["profile", ".", "--no-report", "--no-progress"])?;
        let path = self.ask(&["discover", "."])?;
        let path = path.split("// A workload").next().unwrap_or_default();
        let study = self.kept.join("cases.kdl");
        std::fs::write(&study, format!("{path}\n{}", cases::text()))?;
        let study = study.to_string_lossy();
        let predicted = self.figures(&["predict", &study, "--json"], &["prediction"])?;
        let simulated = self.figures(
            &["simulate", &study, "--json", "--no-report", "--no-progress"],
            &["findings", "headline"],
        )?;
        let measured = self.figures(
            &["measure", &study, "--json", "--no-report", "--no-progress"],
            &["findings", "headline"],
        )?;
        let each = measured.into_iter().map(|(case, measured)| {
            let of = |figures: &Figures| {
                figures.get(&case).copied().with_context(|| format!("{case} was not modelled"))
            };
            let (predicted, simulated) = (of(&predicted)?, of(&simulated)?);
            Ok(Compared { case, measured, predicted, simulated })
        });
        each.collect()
    }

    /// What the program prints.
    fn ask(&self, words: &[&str]) -> Result<String> {
        let mut command = Command::new(&self.program);
        command.args(words).current_dir(&self.directory);
        if !["predict"].contains(&words[0]) {
            command.arg("--store").arg(self.kept.join("runs.db"));
        }
        let output = command.output().with_context(|| self.program.display().to_string())?;
        if !output.status.success() {
            let said = String::from_utf8_lossy(&output.stderr);
            bail!("iopath {}: {}", words.join(" "), said.trim());
        }
        Ok(String::from_utf8(output.stdout)?)
    }

    fn figures(&self, words: &[&str], place: &[&str]) -> Result<Figures> {
        let value: Value = serde_json::from_str(&self.ask(words)?)?;
        let cases = value["cases"].as_array().or(value["trials"].as_array());
        let cases = cases.with_context(|| format!("iopath {} has no cases", words.join(" ")))?;
        let figure = |case: &Value| {
            let found = place.iter().fold(case, |value, key| &value[key]);
            let title = case["case"]["experiment"].as_str()?.to_owned();
            Some((title, found["throughput_bytes_per_sec"].as_f64()?))
        };
        let figures: Option<Figures> = cases.iter().map(figure).collect();
        figures.with_context(|| format!("iopath {} has no throughput", words.join(" ")))
    }
}

/// Every case, then the median and the 90th percentile of both models' errors.
fn table(found: &[Compared]) -> String {
    let mut text = String::from("| case | measured | bound | simulated |\n|---|---|---|---|\n");
    for one in found {
        text.push_str(&format!(
            "| {} | {:.1} MB/s | {:+.1} % | {:+.1} % |\n",
            one.case,
            one.measured / 1e6,
            off(one.predicted, one.measured),
            off(one.simulated, one.measured)
        ));
    }
    let all = |of: fn(&Compared) -> f64| {
        errors::summary(found.iter().map(|one| off(of(one), one.measured)))
    };
    text.push_str(&format!(
        "\nerrors of the bound: {}\nerrors of the simulation: {}\n",
        all(|one| one.predicted),
        all(|one| one.simulated)
    ));
    text
}
