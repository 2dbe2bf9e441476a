//! /proc/interrupts: how often devices interrupted each processor.
//!
//! Format: show_interrupts in kernel/irq/proc.c; a line of titles, one for each online processor,
//! then a line an interrupt with a value a processor and words about its source.
//! Leaves out: which device it was, /proc/softirqs, and affinity, which is in /proc/irq.

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

/// Reads /proc/interrupts and sums what has a number; words (`LOC`, `RES`, `IPI0`) are timers,
/// calls between processors and the like.
pub fn of_devices(root: &Root) -> Result<OfDevices, ReadError> {
    let file = "/proc/interrupts";
    let text = root.read(file)?;
    let mut all = lines(root, file, &text);
    let mut each: Vec<(u32, u64)> =
        processors_of(root, file, all.next())?.into_iter().map(|number| (number, 0)).collect();
    for line in all {
        let (name, rest) = line.text.split_once(':').ok_or_else(|| line.malformed("interrupt"))?;
        if !name.trim().bytes().all(|byte| byte.is_ascii_digit()) {
            continue;
        }
        let mut words = rest.split_ascii_whitespace();
        for (_, sum) in &mut each {
            *sum = sum.wrapping_add(line.parse("count", words.next())?);
        }
    }
    Ok(OfDevices { each, text_bytes: text.len() })
}

/// The kernel's numbers of the processors, from the line of titles.
fn processors_of(root: &Root, file: &str, titles: Option<Line<'_>>) -> Result<Vec<u32>, ReadError> {
    let titles = titles.ok_or_else(|| crate::line::absent(root.path(file), "processors"))?;
    let number = |title: &str| titles.parse("processor", title.strip_prefix("CPU"));
    titles.text.split_ascii_whitespace().map(number).collect()
}
