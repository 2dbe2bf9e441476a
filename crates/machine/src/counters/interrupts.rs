//! /proc/interrupts and /proc/softirqs: which device interrupted which processor how often.
//!
//! Format: show_interrupts in kernel/irq/proc.c; a line of titles, one for each online processor,
//! then a line an interrupt with a value a processor and words about its source; the last of them
//! are the names of those that asked for it (`nvme0q1`, `virtio0-req.0`). Some lines have one value
//! only (`ERR`, `MIS`). /proc/softirqs has a value for each possible processor and no words.
//! Leaves out: affinity, which is in /proc/irq.

use crate::error::ReadError;
use crate::line::{Line, lines};
use crate::root::Root;

/// One line of either file.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Interrupt {
    /// A number, or a word such as `NMI` or `BLOCK`.
    pub name: String,
    /// Who asked for it: the words of the line; empty for software interrupts.
    pub source: String,
    /// How often, by the columns of [`Interrupts::processors`]; a single value where the kernel
    /// does not tell processors apart.
    pub counts: Vec<u64>,
}

impl Interrupt {
    /// How often on all processors together.
    pub fn total(&self) -> u64 {
        self.counts.iter().copied().fold(0, u64::wrapping_add)
    }
}

/// The whole of one file.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Interrupts {
    /// The kernel's numbers of the processors.
    pub processors: Vec<u32>,
    /// In the kernel's order.
    pub each: Vec<Interrupt>,
}

/// Reads /proc/interrupts.
pub fn read(root: &Root) -> Result<Interrupts, ReadError> {
    read_file(root, "/proc/interrupts")
}

/// Reads /proc/softirqs: what the kernel put off until an interrupt was over.
pub fn read_soft(root: &Root) -> Result<Interrupts, ReadError> {
    read_file(root, "/proc/softirqs")
}

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

fn read_file(root: &Root, file: &str) -> Result<Interrupts, ReadError> {
    let text = root.read(file)?;
    let mut all = lines(root, file, &text);
    let processors = processors_of(root, file, all.next())?;
    let each = all.map(|line| parse(&line, processors.len())).collect::<Result<_, _>>()?;
    Ok(Interrupts { processors, each })
}

fn parse(line: &Line<'_>, processors: usize) -> Result<Interrupt, ReadError> {
    let (name, rest) = line.text.split_once(':').ok_or_else(|| line.malformed("interrupt"))?;
    let mut counts = Vec::with_capacity(processors);
    let mut words = rest.split_ascii_whitespace().peekable();
    while counts.len() < processors
        && let Some(count) = words.peek().and_then(|word| word.parse().ok())
    {
        counts.push(count);
        words.next();
    }
    // A line has a value for each processor, or exactly one.
    if counts.len() != processors && counts.len() != 1 {
        return Err(line.malformed("counts"));
    }
    let source = words.collect::<Vec<_>>().join(" ");
    Ok(Interrupt { name: name.trim().to_owned(), source, counts })
}
