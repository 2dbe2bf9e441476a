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

const FILE: &str = "/proc/interrupts";

/// Reads it and sums what came to each processor.
pub fn of_devices(root: &Root) -> Result<OfDevices, ReadError> {
    let text = root.read(FILE)?;
    let mut sums = Vec::new();
    let processors = for_each(root, &text, &mut |_, counts| {
        sums.resize(counts.len(), 0);
        sums.iter_mut().zip(counts).for_each(|(sum, count)| *sum = u64::wrapping_add(*sum, *count));
    })?;
    sums.resize(processors.len(), 0);
    Ok(OfDevices { each: processors.into_iter().zip(sums).collect(), text_bytes: text.len() })
}

/// Reads it and sums how often each interrupt came; the kernel counts 32 bits for each processor.
pub fn read(root: &Root) -> Result<BTreeMap<u32, u64>, ReadError> {
    let text = root.read(FILE)?;
    let mut all = BTreeMap::new();
    for_each(root, &text, &mut |number, counts| {
        all.insert(number, counts.iter().copied().fold(0, u64::wrapping_add));
    })?;
    Ok(all)
}

/// Calls with the number of each interrupt and how often it came to each processor; the processors
/// in that order.
fn for_each(
    root: &Root,
    text: &str,
    take: &mut dyn FnMut(u32, &[u64]),
) -> Result<Vec<u32>, ReadError> {
    let mut all = lines(root, FILE, text);
    let processors = processors_of(root, all.next())?;
    let mut counts = vec![0; processors.len()];
    for line in all {
        let (name, rest) = line.text.split_once(':').ok_or_else(|| line.malformed("interrupt"))?;
        let Ok(number) = name.trim().parse() else { continue };
        let mut words = rest.split_ascii_whitespace();
        for count in &mut counts {
            *count = line.parse("count", words.next())?;
        }
        take(number, &counts);
    }
    Ok(processors)
}

/// The kernel's numbers of the processors, from the line of titles.
fn processors_of(root: &Root, titles: Option<Line<'_>>) -> Result<Vec<u32>, ReadError> {
    let titles = titles.ok_or_else(|| crate::line::absent(root.path(FILE), "processors"))?;
    let number = |title: &str| titles.parse("processor", title.strip_prefix("CPU"));
    titles.text.split_ascii_whitespace().map(number).collect()
}
