//! `verify`: faults of a disk against verification. Each kind of fault, engine, size of block, idle
//! and busy blocks, direct and buffered; and runs without a fault, in which nothing may be found.
//!
//! What a reader could see is not guessed: the disk compares what it was given with what it has.
//! Left out: reads that fail through a mapping before they reach the program, since a write to a
//! page reads it first and hides what was wrong.

mod judge;
mod matrix;
mod play;
mod table;

use std::time::Instant;

use anyhow::Result;

use super::Attack;
use crate::limits::Draw;
use matrix::Case;
use table::Table;

/// Runs without a fault, where everything is tried.
const CLEAN: usize = 100;
/// Of those that are drawn, one in so many is without a fault (chosen).
const CLEAN_EVERY: usize = 6;

pub(crate) fn run(attack: &Attack) -> Result<bool> {
    let mut draw = Draw::of("verify", attack.seed);
    let mut table = Table::default();
    let faulty = matrix::shuffled(&mut draw);
    let clean = matrix::clean();
    let mut cases = 0;
    let all = match attack.until {
        None => faulty.iter().chain(clean.iter().cycle().take(CLEAN)).collect::<Vec<_>>(),
        Some(_) => mixed(&faulty, &clean),
    };
    for case in all {
        if attack.until.is_some_and(|until| Instant::now() >= until) {
            break;
        }
        cases += 1;
        let outcome = play::play(case, attack, &mut draw)?;
        if let Some(why) = table.add(case, &outcome) {
            println!("{case}: {why}\n    {}", outcome.command);
        }
    }
    println!("{table}{cases} runs");
    Ok(table.is_kept())
}

/// Faulty cases with clean ones between them.
fn mixed<'c>(faulty: &'c [Case], clean: &'c [Case]) -> Vec<&'c Case> {
    let mut clean = clean.iter().cycle();
    let chunks = faulty.chunks(CLEAN_EVERY - 1);
    chunks.flat_map(|chunk| chunk.iter().chain(clean.next()).collect::<Vec<_>>()).collect()
}
