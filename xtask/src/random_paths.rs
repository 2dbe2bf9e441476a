//! `cargo xtask random-paths`: do models and reality agree on paths that are drawn at random?
//!
//! Draws paths (up to six layers, 64 LUNs, stripes, mirrors, several routes, one to three nodes),
//! predicts and simulates each, brings it up as rate-limited devices, measures it there, and asks
//! `explain` for the limit, which is compared with the one that follows from the drawn capacities.
//! The machine decides the figures, so nothing is asserted but that each study is accepted and each
//! command runs. Path K of a seed is the same alone (`--only K`).

mod ask;
mod generate;
mod named;
mod options;
mod profile;
mod table;
mod text;
mod truth;
mod world;

use std::path::{Path, PathBuf};

use anyhow::{Context, Result, bail};

use ask::{Measured, Program};
use options::Options;
use table::Row;
use truth::Truth;
use world::World;

/// Percent that a model may be off before a path is measured again.
const OFF: f64 = 8.0;

pub(crate) fn run(words: &[&str]) -> Result<()> {
    let options = Options::parse(words)?;
    let iopath = crate::bench::program(options.program.clone())?;
    if let Some(keep) = &options.keep {
        std::fs::create_dir_all(keep).with_context(|| keep.display().to_string())?;
    }
    if options.is_profiled {
        return profiles(&options, &iopath);
    }
    println!("{}", table::HEAD);
    let mut rows = Vec::new();
    for number in options.numbers() {
        let row = path(&options, &iopath, number).with_context(|| again(&options, number))?;
        println!("{}", row.line());
        rows.push(row);
    }
    print!("\n{}", table::summary(&rows));
    Ok(())
}

/// What a profile finds of as many paths that allow one, the simplest first.
fn profiles(options: &Options, iopath: &Path) -> Result<()> {
    let numbers = options.only.map_or(1..=u64::MAX, |only| only..=only);
    let worlds = numbers.map(|number| (number, generate::world(options.seed, number)));
    let worlds = worlds.filter(|(_, world)| world.pass().is_some());
    let mut worlds: Vec<(u64, World)> = worlds.take(options.count as usize).collect();
    worlds.sort_by_key(|(_, world)| world.rows().len());
    if worlds.is_empty() {
        bail!("this path is not profiled: it has several routes to a LUN, or needs long passes");
    }
    println!("{}", table::PROFILED);
    for (number, world) in worlds {
        let kept = tempfile::tempdir()?;
        let (program, study) = written(options, iopath, number, kept.path())?;
        let found = profile::profiled(&program, &study, &world);
        if found.as_ref().map_or(true, |found| !found.wrong.is_empty()) {
            keep(options, number, &study)?;
        }
        let found = found.with_context(|| again(options, number))?;
        println!("{}", table::profiled(number, &found));
    }
    Ok(())
}

/// The step of `ci`: four paths. Who is not root may have no FUSE.
pub(crate) fn check() -> Result<()> {
    if !crate::ci::must_run() {
        println!("not run: paths are emulated as root, where CI is not false");
        return Ok(());
    }
    run(&["--count", "4", "--seed", "1"])
}

/// The command that makes a path again.
fn again(options: &Options, number: u64) -> String {
    let profile = if options.is_profiled { " --profile" } else { "" };
    format!("cargo xtask random-paths{profile} --seed {} --only {number}", options.seed)
}

/// The study of a path in this directory, and the program there.
fn written(
    options: &Options,
    iopath: &Path,
    number: u64,
    kept: &Path,
) -> Result<(Program, PathBuf)> {
    let study = kept.join("path.kdl");
    let title = format!("Random path {number} of seed {}", options.seed);
    std::fs::write(&study, generate::world(options.seed, number).study(&title))?;
    Ok((Program { iopath: iopath.to_owned(), kept: kept.to_owned() }, study))
}

/// Keeps the study of a path, where that is asked for.
fn keep(options: &Options, number: u64, study: &Path) -> Result<()> {
    let Some(keep) = &options.keep else { return Ok(()) };
    let file = keep.join(format!("seed-{}-path-{number}.kdl", options.seed));
    std::fs::copy(study, &file).with_context(|| file.display().to_string())?;
    Ok(())
}

fn path(options: &Options, iopath: &Path, number: u64) -> Result<Row> {
    let kept = tempfile::tempdir()?;
    let (program, study) = written(options, iopath, number, kept.path())?;
    let world = generate::world(options.seed, number);
    let row = judged(&program, &study, &world, number);
    let is_wrong = row.as_ref().map_or(true, Row::is_wrong);
    if is_wrong {
        keep(options, number, &study)?;
    }
    let mut row = row?;
    if is_wrong {
        row.remark = format!("{}; {}", row.remark, again(options, number));
    }
    Ok(row)
}

fn judged(program: &Program, study: &Path, world: &World, number: u64) -> Result<Row> {
    program.text(&["check", &study.to_string_lossy()])?;
    let truth = world.truth();
    let (bound, simulated) = (program.predicted(study)?, program.simulated(study)?);
    let first = program.measured(study, &["--time", "4 s", "--warm-up", "1 s"])?;
    let mut row = Row {
        number,
        layers: world.layers,
        luns: world.luns(),
        nodes: world.nodes,
        limit: truth.shown(),
        measured: first.throughput,
        bound,
        simulated,
        alone: first.alone,
        is_named: truth.is(&first.limit),
        remark: remark(&truth, &first),
    };
    // Arithmetic knows no time of a byte, which is little where delays limit.
    let is_other =
        (bound / truth.throughput - 1.0).abs() > if truth.is_closed { 0.1 } else { 0.005 };
    if is_other {
        row.remark += &format!(", arithmetic says {:.1} MB/s", truth.throughput / 1e6);
    }
    if row.is_wrong() {
        // Noise of a busy machine is gone in a longer run; a wrong model or rule is not.
        let more = ["--case", text::TOGETHER, "--time", "10 s", "--warm-up", "2 s"];
        let second = program.measured(study, &more)?;
        let was = format!("{:.1} MB/s first ({})", row.measured / 1e6, row.remark);
        row.measured = second.throughput;
        row.is_named = truth.is(&second.limit);
        row.remark = format!("{was}, again for 10 s: {}", remark(&truth, &second));
    }
    Ok(row)
}

/// What is worth a word of a measurement.
fn remark(truth: &Truth, measured: &Measured) -> String {
    let mut words = Vec::new();
    if measured.smaller > 1 {
        words.push(format!("rates 1:{}", measured.smaller));
    }
    if !truth.is(&measured.limit) {
        let limit = &measured.limit;
        words.push(format!("named {} {}", limit.cause, limit.entity));
    }
    match words.is_empty() {
        true => "-".to_owned(),
        false => words.join(", "),
    }
}

impl Row {
    /// Whether models and measurement disagree, or the limit is not the truth.
    fn is_wrong(&self) -> bool {
        let off = self.bound_off().abs().max(self.simulated_off().abs());
        off > OFF || !self.is_named
    }
}
