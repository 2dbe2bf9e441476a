//! `cargo xtask limits`: does the program name what holds a run back, where that is known?
//!
//! Sixty cases have a limit that was made, with the seed in their name; what holds the run back
//! must be named in 95 % of them, and its capacity be within 5 % of what fio gets there. In sixty
//! others processors or the generator decide, and in none may a device be named. Needs root, loop
//! devices, control groups of version 1, btrfs and `qemu-storage-daemon`. It leaves out limits that
//! one run cannot show, such as one that devices share and no study describes.
//!
//! `cargo xtask ci limits` plays those of them that hold on a machine which builds something else
//! at the same time, and is judged by its share.

mod draw;
mod families;
mod play;
pub(crate) mod rig;

use std::path::PathBuf;
use std::time::{Duration, Instant};

use anyhow::{Result, bail};

pub(crate) use draw::Draw;
use families::{Family, KNOWN, NO_DEVICE, Played};
use play::Program;

/// Share of the known limits that must be named.
const NAMED: f64 = 0.95;

/// How far an estimate of a capacity may be off.
const OFF: f64 = 0.05;

/// How often a case is repeated whose limit was not reached.
const AGAIN: usize = 2;

/// How often a case may be tried in `ci`, where one run decides whether a change lands: a machine
/// that others keep busy for a while misses for that while, a wrong rule each time.
const CHANCES: usize = 4;

/// How long a case waits before it is tried again: a neighbour who took a fifth of the processors
/// outlived a try at once.
const PAUSE: Duration = Duration::from_secs(5);

/// What is asked of one set of families.
struct Tally {
    cases: usize,
    right: usize,
    estimated: usize,
    close: usize,
    /// Cases that could not be made.
    broken: usize,
}

/// Runs all cases, or those of the families that are named, with the program as users build it or
/// the one of `--program FILE`. With `--keep STORE` the runs stay there, to be explained.
pub(crate) fn run(words: &[&str]) -> Result<()> {
    let (mut names, mut given, mut kept) = (words, None, None);
    while let [option @ ("--program" | "--keep"), value, rest @ ..] = names {
        let path = Some(PathBuf::from(value));
        *(if *option == "--program" { &mut given } else { &mut kept }) = path;
        names = rest;
    }
    let all = || KNOWN.iter().chain(&NO_DEVICE);
    if let Some(unknown) = names.iter().find(|name| all().all(|family| family.name != **name)) {
        let known: Vec<&str> = all().map(|family| family.name).collect();
        bail!("no such family: {unknown}; the families are {}", known.join(", "));
    }
    let program = Program { iopath: given.map_or_else(crate::bench::iopath, Ok)?, kept };
    let wanted = |family: &Family| match names.is_empty() || names.contains(&family.name) {
        true => family.cases,
        false => 0,
    };
    let [known, no_device] = play_all(&program, &wanted, 1);
    let is_named = is_met(known.right, known.cases) && is_met(known.close, known.estimated);
    verdict(is_named, &known, &no_device)
}

/// The step of `ci`: some cases of some families. Who is not root makes no limits.
pub(crate) fn check() -> Result<()> {
    if !crate::ci::must_run() {
        println!("not run: limits are made as root, where CI is not false");
        return Ok(());
    }
    let program = Program { iopath: crate::bench::iopath()?, kept: None };
    let [known, no_device] = play_all(&program, &|family| family.checked, CHANCES);
    // With so few of each, one miss in twenty is asked of all together.
    let (met, asked) = (known.right + known.close, known.cases + known.estimated);
    verdict(is_met(met, asked), &known, &no_device)
}

fn is_met(part: usize, all: usize) -> bool {
    part as f64 >= NAMED * all as f64
}

/// So many cases of each family: of those with a known limit, and of the others.
fn play_all(program: &Program, cases: &dyn Fn(&Family) -> u64, chances: usize) -> [Tally; 2] {
    let begin = Instant::now();
    let of = |families: &[Family]| play(families, cases, (program, chances));
    let tallies = [of(&KNOWN), of(&NO_DEVICE)];
    let [known, no_device] = &tallies;
    println!(
        "\n{} of {} known limits named, {} of {} capacities within 5 % of the reference; \
         a device named in {} of {} runs that no device limits; {:.0} s",
        known.right,
        known.cases,
        known.close,
        known.estimated,
        no_device.cases - no_device.right - no_device.broken,
        no_device.cases,
        begin.elapsed().as_secs_f64()
    );
    tallies
}

fn verdict(is_named: bool, known: &Tally, no_device: &Tally) -> Result<()> {
    let broken = known.broken + no_device.broken;
    if no_device.right + no_device.broken < no_device.cases {
        bail!("a device was named that is no limit");
    }
    if broken > 0 {
        bail!("{broken} cases could not be made");
    }
    if !is_named {
        bail!(
            "fewer than {:.0} % of the limits were named, or of the capacities met",
            NAMED * 100.0
        );
    }
    Ok(())
}

fn play(
    families: &[Family],
    cases: &dyn Fn(&Family) -> u64,
    (program, chances): (&Program, usize),
) -> Tally {
    let mut tally = Tally { cases: 0, right: 0, estimated: 0, close: 0, broken: 0 };
    for family in families {
        for seed in 1..=cases(family) {
            tally.cases += 1;
            match play_well(family, seed, (program, chances)) {
                Ok(played) => tally.add(&format!("{}-{seed}", family.name), &played),
                Err(error) => {
                    tally.broken += 1;
                    println!("{}-{seed}: could not run: {error:#}", family.name);
                }
            }
        }
    }
    tally
}

/// A case, again where it misses and has another chance: what always misses does so again.
fn play_well(family: &Family, seed: u64, (program, chances): (&Program, usize)) -> Result<Played> {
    let mut played = play_one(family, seed, program)?;
    for _ in 1..chances {
        if played.wanted.is_met(&played.limit) && off(&played).is_none_or(is_close) {
            break;
        }
        println!("{}-{seed}: a miss, once more", family.name);
        std::thread::sleep(PAUSE);
        played = play_one(family, seed, program)?;
    }
    Ok(played)
}

/// How far the capacity lies from the reference; none where one of them is not known.
fn off(played: &Played) -> Option<f64> {
    let carried = played.limit.capacity.and_then(|capacity| capacity.bytes_per_sec);
    carried.zip(played.reference).map(|(carried, reference)| carried / reference - 1.0)
}

fn is_close(off: f64) -> bool {
    off.abs() <= OFF
}

/// A case, again where the machine was too busy for the limit to be one.
fn play_one(family: &Family, seed: u64, program: &Program) -> Result<Played> {
    let once = || (family.play)(program, &mut Draw::of(family.name, seed));
    let mut played = once()?;
    for _ in 0..AGAIN {
        if !played.is_void() {
            break;
        }
        println!("{}-{seed}: the limit was not reached, once more", family.name);
        played = once()?;
    }
    Ok(played)
}

impl Tally {
    fn add(&mut self, name: &str, played: &Played) {
        let Played { limit, wanted, reference, .. } = played;
        let is_right = wanted.is_met(limit);
        self.right += usize::from(is_right);
        let off = off(played);
        self.estimated += usize::from(reference.is_some());
        self.close += usize::from(off.is_some_and(is_close));
        let entity = limit.entity.as_deref().unwrap_or("-");
        let off = off.map(|off| format!(", capacity {:+.1} %", off * 100.0)).unwrap_or_default();
        let mark = if is_right { "" } else { "  NOT NAMED" };
        println!("{name:<22} {} {entity}{off}{mark} (run {})", limit.cause, limit.run);
        if !is_right {
            for line in &limit.evidence {
                println!("    {} {}: {}", line.law, line.entity, line.text);
            }
        }
    }
}
