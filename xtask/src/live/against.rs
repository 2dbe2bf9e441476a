//! `fio`: real load on a live system against the simulation of the same study.

use std::path::Path;

use anyhow::{Context, Result, bail};

use super::catalogue::{ALL, Case, Text};
use super::figures::{Figures, simulated};
use super::fio::{self, Time};
use super::lateness::Lateness;
use super::stage::Stage;
use super::stream::stream;
use super::system::{Study, System};
use super::{Tally, verdict};

/// Percent by which fio's figures may be off: throughput and mean, and the 99th percentile.
const OFF: f64 = 5.0;
const OFF_P99: f64 = 15.0;
/// Of a run, in seconds (chosen: a thousand requests of a disk arm).
const COUNTED: u64 = 8;
/// Percent of answers in time, below which a miss is this machine's.
const IN_TIME: f64 = 99.0;

const HEAD: &str = "\
| case | simulated | fio | throughput | mean response | p99 | in time | met |
|---|---|---|---|---|---|---|---|";

/// A case on both.
struct Compared {
    simulated: Figures,
    fio: Figures,
    lateness: Lateness,
}

pub(crate) fn play(stage: &Stage) -> Result<Tally> {
    let mut tally = Tally::default();
    println!("{HEAD}");
    for case in ALL.iter().filter(|case| stage.options.wants(case.name)) {
        let compared = compare(stage, case);
        stage.go_on()?;
        match compared {
            Err(error) => {
                println!("| {} | | | | | | | no: {error:#} |", case.name);
                tally.add(false);
            }
            Ok(compared) => {
                let missed = compared.missed();
                println!("{}", compared.row(case, &missed));
                tally.add(missed.is_empty());
            }
        }
    }
    if tally.of == 0 {
        bail!("no such case; there are {}", ALL.map(|case| case.name).join("; "));
    }
    Ok(tally)
}

fn compare(stage: &Stage, case: &Case) -> Result<Compared> {
    let folder = tempfile::tempdir()?;
    let study = study(stage, case, folder.path())?;
    let simulation = simulated(stage, &study)?;
    let stream = stream(&simulation.text)?;
    let system = System::up(stage, &study, &[])?;
    system.restart()?;
    let time = Time { warm_up: case.warm_up, counted: COUNTED };
    let fio = fio::run(stage, &system, &stream, time, &file_name(case.name))?;
    let lateness = system.report()?.lateness;
    Ok(Compared { simulated: simulation.figures, fio, lateness })
}

/// The study of a case, kept where that is wanted.
fn study(stage: &Stage, case: &Case, folder: &Path) -> Result<Study> {
    match case.study {
        Text::Own { .. } => {
            let text = case.study.own(case.name).unwrap_or_default();
            stage.keep(&format!("{}.kdl", file_name(case.name)), text.as_bytes())?;
            let file = folder.join("case.kdl");
            std::fs::write(&file, text)?;
            Ok(Study::of(&file))
        }
        Text::Shipped { file, words } => {
            let file = crate::workspace::Workspace::read()?.root.join("studies").join(file);
            let file = file.canonicalize().with_context(|| file.display().to_string())?;
            let words = words.iter().map(|word| (*word).to_owned()).collect();
            Ok(Study { file, words })
        }
    }
}

fn file_name(case: &str) -> String {
    case.replace(|letter: char| !letter.is_ascii_alphanumeric(), "-")
}

/// Percent.
fn off(fio: f64, simulated: f64) -> f64 {
    100.0 * (fio / simulated - 1.0)
}

impl Compared {
    fn throughput(&self) -> f64 {
        off(self.fio.bytes_per_sec, self.simulated.bytes_per_sec)
    }

    fn mean(&self) -> f64 {
        off(self.fio.mean_ns, self.simulated.mean_ns)
    }

    fn p99(&self) -> f64 {
        off(self.fio.p99_ns, self.simulated.p99_ns)
    }

    fn missed(&self) -> Vec<String> {
        let goals = [
            ("throughput", self.throughput(), OFF),
            ("mean response", self.mean(), OFF),
            ("p99", self.p99(), OFF_P99),
        ];
        let missed = goals.iter().filter(|(_, off, most)| off.abs() > *most);
        let mut missed: Vec<String> = missed.map(|(name, ..)| (*name).to_owned()).collect();
        if !missed.is_empty() && self.lateness.in_time_percent() < IN_TIME {
            let (p50, p99) = (self.lateness.micros(0.5), self.lateness.micros(0.99));
            missed.push(format!("answers were late by {p50:.0} µs at the median, {p99:.0} at p99"));
        }
        missed
    }

    fn row(&self, case: &Case, missed: &[String]) -> String {
        let shown = |figures: Figures| {
            let Figures { bytes_per_sec, mean_ns, p99_ns } = figures;
            let (mean, p99) = (mean_ns / 1e6, p99_ns / 1e6);
            format!("{:.2} MB/s, {mean:.2} ms, p99 {p99:.2} ms", bytes_per_sec / 1e6)
        };
        format!(
            "| {} | {} | {} | {:+.1} % | {:+.1} % | {:+.1} % | {:.1} % | {} |",
            case.name,
            shown(self.simulated),
            shown(self.fio),
            self.throughput(),
            self.mean(),
            self.p99(),
            self.lateness.in_time_percent(),
            verdict(missed)
        )
    }
}
