//! /proc/interrupts: how often devices interrupted each processor.
//!
//! Format: show_interrupts in kernel/irq/proc.c; a line of titles, one for each online processor,
//! then a line an interrupt with a value a processor and words about its source.
//! Leaves out: lines without a number (`LOC`, `RES`, `IPI0`), which are timers, calls between
//! processors and the like; whose an interrupt is and where it may go
//! ([`crate::hardware::Interrupt`]).

use std::collections::BTreeMap;

use crate::error::ReadError;
use crate::line::{Line, lines};
use crate::root::Root;

/// How often devices interrupted each processor.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct OfDevices {
    /// By the kernel's number of the processor: the sum of the lines with a number.
    pub each: Vec<(u32, u64)>,
    /// How long the whole text is: what reading it costs grows with it.
    pub text_bytes: usize,
}

/// How often each interrupt came, by its number.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct Interrupts {
    /// The kernel's numbers of the online processors.
    pub processors: Vec<u32>,
    /// How often it came to all of them.
    pub counts: BTreeMap<u32, u64>,
}

const FILE: &str = "/proc/interrupts";

/// Reads it and sums what came to each processor.
pub fn of_devices(root: &Root) -> Result<OfDevices, ReadError> {
    let text = root.read(FILE)?;
    let mut sums: Vec<u64> = Vec::new();
    let processors = for_each(root, &text, &mut |_, place, count| {
        sums.resize(sums.len().max(place + 1), 0);
        sums[place] = sums[place].wrapping_add(count);
    })?;
    let sum = |place: usize| sums.get(place).copied().unwrap_or(0);
    let each = processors.into_iter().enumerate().map(|(place, cpu)| (cpu, sum(place))).collect();
    Ok(OfDevices { each, text_bytes: text.len() })
}

/// Reads it and sums how often each interrupt came.
pub fn read(root: &Root) -> Result<Interrupts, ReadError> {
    let text = root.read(FILE)?;
    let mut counts: BTreeMap<u32, u64> = BTreeMap::new();
    let processors = for_each(root, &text, &mut |number, _, count| {
        let sum = counts.entry(number).or_default();
        *sum = sum.wrapping_add(count);
    })?;
    Ok(Interrupts { processors, counts })
}

/// Calls with the number of each interrupt, the place of a processor and how often it came there;
/// the processors in their places.
fn for_each(
    root: &Root,
    text: &str,
    take: &mut dyn FnMut(u32, usize, u64),
) -> Result<Vec<u32>, ReadError> {
    let mut all = lines(root, FILE, text);
    let processors = processors_of(root, all.next())?;
    for line in all {
        let (name, rest) = line.text.split_once(':').ok_or_else(|| line.malformed("interrupt"))?;
        let Ok(number) = name.trim().parse() else { continue };
        let mut words = rest.split_ascii_whitespace();
        for place in 0..processors.len() {
            take(number, place, line.parse("count", words.next())?);
        }
    }
    Ok(processors)
}

/// The kernel's numbers of the processors, from the line of titles.
fn processors_of(root: &Root, titles: Option<Line<'_>>) -> Result<Vec<u32>, ReadError> {
    let titles = titles.ok_or_else(|| crate::line::absent(root.path(FILE), "processors"))?;
    let number = |title: &str| titles.parse("processor", title.strip_prefix("CPU"));
    titles.text.split_ascii_whitespace().map(number).collect()
}
