//! The experiments of a profile, as a study: each load on each set of devices, with the path of the
//! devices. They are a study like any other, so they can be read, kept and run again.

mod courses;
#[cfg(test)]
mod tests;

use std::fmt::Write;
use std::num::NonZeroUsize;
use std::thread::available_parallelism;

use iopath_analysis::capacities::{Crossed, Figure, Load, REREAD_BYTES, levels, loads, sets};
use iopath_analysis::probe::Members;
use iopath_path::select::select;
use iopath_report::{PROFILE_TITLE, crossed_by, crossed_by_rereads, load_words};
use iopath_study::{Case, PartId, quoted};
use iopath_units::{Bytes, Nanos, Op};

use super::{Device, Profiled};
use crate::exit_status::{ExitStatus, Problem};
use crate::inputs::studies::{self, Planned};

pub(crate) use courses::Course;
use courses::{courses, known};

/// How long, how often, and how much.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(crate) struct Extent {
    pub time_ms: u64,
    pub warm_up_ms: u64,
    pub passes: u32,
    /// Whether steps between one part and all, and points between the loads, are measured.
    pub is_whole: bool,
    /// Whether each set is measured by itself, however long that takes.
    pub is_one_by_one: bool,
}

impl Extent {
    pub(crate) const QUICK: Self =
        Self { time_ms: 1000, warm_up_ms: 300, passes: 2, is_whole: false, is_one_by_one: false };
    pub(crate) const USUAL: Self =
        Self { time_ms: 2000, warm_up_ms: 500, passes: 3, is_whole: true, ..Self::QUICK };
    pub(crate) const THOROUGH: Self =
        Self { time_ms: 5000, warm_up_ms: 1000, passes: 5, is_one_by_one: true, ..Self::USUAL };

    /// The same with passes of another length.
    pub(crate) fn lasting(self, time: Nanos) -> Result<Self, Problem> {
        let time_ms = time.0 / 1_000_000;
        if time_ms < SHORTEST_MS {
            let least = Nanos(SHORTEST_MS * 1_000_000);
            return Err(Problem::mistake(format!("--time: {time} is too short, at least {least}")));
        }
        Ok(Self { time_ms, ..self })
    }

    /// Whether one of equal devices is measured for all of them.
    fn is_of_equals(self, figure: Figure) -> bool {
        match figure {
            Figure::Curve => true,
            Figure::Latency | Figure::Flush => !self.is_whole,
            Figure::Throughput
            | Figure::Operations
            | Figure::Reread
            | Figure::Copy
            | Figure::Copies => false,
        }
    }

    /// One experiment.
    pub(crate) fn each_ms(self) -> u64 {
        (self.warm_up_ms + self.time_ms) * u64::from(self.passes)
    }

    /// Whether so many experiments take longer than anyone waits for.
    fn takes_too_long(self, experiments: usize) -> bool {
        let most = match (self.is_whole, self.is_one_by_one) {
            (_, true) => return false,
            (true, false) => LONG_MS,
            (false, false) => QUICK_MS,
        };
        experiments as u64 * self.each_ms() > most
    }

    /// The same for those that are left of a profile that is to end in time.
    pub(crate) fn for_the_rest(self, begun_ms: u64, left: usize) -> Self {
        match self.is_whole {
            true => self,
            false => self.within(left, QUICK_MS.saturating_sub(begun_ms)),
        }
    }

    /// The same, with passes short enough for so many experiments in so much time.
    fn within(self, experiments: usize, all_ms: u64) -> Self {
        let each = all_ms / (experiments as u64 * u64::from(self.passes)).max(1);
        let time_ms = each.saturating_sub(self.warm_up_ms).clamp(SHORTEST_MS, self.time_ms);
        Self { time_ms, ..self }
    }
}

/// All of a quick profile: what it promises, less what opening and filling take.
const QUICK_MS: u64 = 100_000;
/// One by one no longer than this: chosen.
const LONG_MS: u64 = 900_000;
/// The shortest pass whose rate means something.
const SHORTEST_MS: u64 = 200;

/// What is read again and again from the page cache: chosen, more than most processors' own caches
/// hold.
const CACHED_BYTES: u64 = 64 << 20;

/// One experiment.
struct Experiment {
    load: Load,
    /// Positions in the list of devices.
    devices: Vec<usize>,
}

/// What a profile measures.
pub(crate) struct Experiments {
    /// The experiments that are known beforehand; of sets that are measured at once those on all
    /// devices.
    pub planned: Planned,
    /// How many there are, as far as that is known.
    pub count: usize,
    /// Where one by one takes too long: the courses that find out which sets to measure at once.
    pub courses: Vec<Course>,
    pub extent: Extent,
    /// How many there would be, one by one.
    pub one_by_one: usize,
}

/// All experiments.
pub(crate) fn plan(profiled: &Profiled, extent: Extent) -> Result<Experiments, Problem> {
    large_enough(&profiled.devices)?;
    let all: Vec<usize> = (0..profiled.devices.len()).collect();
    let crossed = crossed(profiled, all)?;
    let all = chosen(profiled, &crossed, extent)?;
    let one_by_one = all.len();
    let courses = match extent.takes_too_long(one_by_one) {
        true => courses(profiled, &crossed, extent, &all)?,
        false => Vec::new(),
    };
    let known = match courses.is_empty() {
        true => all,
        false => known(profiled, &courses, all),
    };
    let of_courses: usize = courses.iter().map(|course| course.expected).sum();
    let count = known.len() - courses.len() + of_courses;
    let extent = match extent.is_whole {
        true => extent,
        false => extent.within(count, QUICK_MS),
    };
    let planned = studies::plan("(profile)", text(profiled, extent, &known)?, &[])?;
    Ok(Experiments { planned, count, courses, extent, one_by_one })
}

impl Experiments {
    /// How long they take, as far as that is known.
    pub(crate) fn expected_ms(&self) -> u64 {
        let known = self.planned.plan.estimated_time().known.0 / 1_000_000;
        let more = self.count - self.planned.plan.trials.len();
        known + more as u64 * self.extent.each_ms()
    }
}

impl Profiled {
    /// Whether two experiments are of one load and of equal devices.
    fn is_equal(&self, one: &Experiment, other: &Experiment) -> bool {
        let declared = |one: &Experiment| self.devices[one.devices[0]].declared;
        one.load == other.load && declared(one) == declared(other)
    }
}

/// Refuses devices that the largest request does not fit into.
fn large_enough(devices: &[Device]) -> Result<(), Problem> {
    let largest = loads(true, true).map(|load| load.block).max().unwrap_or_default();
    let too_small = |device: &Device| {
        let size = Bytes(device.bytes.filter(|bytes| *bytes < largest)?);
        let instead = match device.is_file {
            true => "; name a larger file, or its directory for a scratch file",
            false => "",
        };
        Some(format!(
            "{}: {size} is too small to profile: the largest request is {}{instead}",
            device.selector,
            Bytes(largest)
        ))
    };
    match devices.iter().find_map(too_small) {
        Some(text) => Err(Problem::new(ExitStatus::Obstacle, text)),
        None => Ok(()),
    }
}

/// The case that loads all these devices together.
pub(crate) fn together(
    profiled: &Profiled,
    extent: Extent,
    load: Load,
    devices: Vec<usize>,
) -> Result<Case, Problem> {
    let text = text(profiled, extent, &[Experiment { load, devices }])?;
    let whole = studies::plan("(profile)", text, &[])?;
    let case = whole.plan.trials.into_iter().next().map(|trial| trial.case);
    case.ok_or_else(|| Problem::unexpected("a study without a case"))
}

/// What large reads of all these devices cross.
fn crossed(profiled: &Profiled, devices: Vec<usize>) -> Result<Vec<Crossed>, Problem> {
    let first = loads(false, false).next();
    let case = first.map(|load| together(profiled, Extent::QUICK, load, devices)).transpose()?;
    case.as_ref().and_then(crossed_by).ok_or_else(|| {
        Problem::mistake("the path of these targets cannot be modelled: see `iopath check`")
    })
}

/// The sets that may fill what lies above media, where devices share any of it: of those that have
/// room for what is read again.
fn sets_above(profiled: &Profiled) -> Result<Vec<Members>, Problem> {
    let bytes = |one: &usize| profiled.devices[*one].bytes;
    let large: Vec<usize> = (0..profiled.devices.len())
        .filter(|one| bytes(one).is_none_or(|bytes| bytes >= REREAD_BYTES))
        .collect();
    let reread = loads(false, true).find(|load| load.is_reread());
    let Some(load) = reread.filter(|_| large.len() > 1) else { return Ok(Vec::new()) };
    let crossed = above(profiled, load, &large)?;
    if crossed.is_empty() {
        return Ok(Vec::new());
    }
    let sets = sets(large.len(), &crossed).into_iter();
    Ok(sets.map(|set| set.into_iter().map(|at| large[at]).collect()).collect())
}

/// What re-reads of these devices cross.
fn above(profiled: &Profiled, load: Load, devices: &[usize]) -> Result<Vec<Crossed>, Problem> {
    let case = together(profiled, Extent::QUICK, load, devices.to_vec())?;
    Ok(crossed_by_rereads(&case))
}

/// Selectors of the block devices behind each component that has several of them, but not all.
pub(crate) fn shared(profiled: &Profiled) -> Result<Vec<String>, Problem> {
    let devices: Vec<usize> =
        (0..profiled.devices.len()).filter(|one| !profiled.devices[*one].is_file).collect();
    if devices.len() < 3 {
        return Ok(Vec::new());
    }
    let crossed = crossed(profiled, devices.clone())?;
    let several = sets(devices.len(), &crossed).into_iter();
    let several = several.filter(|set| (2..devices.len()).contains(&set.len()));
    let named = several.map(|set| {
        let parts: Vec<PartId> =
            set.iter().map(|one| profiled.devices[devices[*one]].part).collect();
        select(&profiled.case.system, &parts)
    });
    Ok(named.collect())
}

fn chosen(
    profiled: &Profiled,
    crossed: &[Crossed],
    extent: Extent,
) -> Result<Vec<Experiment>, Problem> {
    let devices = &profiled.devices;
    let mut all = sets(devices.len(), crossed);
    if extent.is_whole {
        all.extend(levels(devices.len(), crossed));
    }
    let above = if extent.is_whole { sets_above(profiled)? } else { Vec::new() };
    let writes = devices.iter().any(|device| device.may_write);
    let cached = devices.iter().position(|device| device.bytes >= Some(CACHED_BYTES));
    let mut chosen = Vec::new();
    for load in loads(writes, extent.is_whole) {
        if load.is_cached() {
            chosen.extend(cached.map(|device| Experiment { load, devices: vec![device] }));
            continue;
        }
        let sets = if load.is_reread() { &above } else { &all };
        let may = |device: &usize| load.op == Op::Read || devices[*device].may_write;
        let of_load = sets.iter().filter(|set| load.is_of_sets() || set.len() == 1);
        for set in of_load.filter(|set| set.iter().all(may)) {
            let one = Experiment { load, devices: set.iter().copied().collect() };
            let is_known = || chosen.iter().any(|other| profiled.is_equal(other, &one));
            if !extent.is_of_equals(load.figure) || !is_known() {
                chosen.push(one);
            }
        }
    }
    Ok(chosen)
}

fn text(
    profiled: &Profiled,
    extent: Extent,
    experiments: &[Experiment],
) -> Result<String, Problem> {
    let mut text = profiled.case.ground(PROFILE_TITLE).map_err(Problem::unexpected)?;
    for Experiment { load, devices } in experiments {
        let parts: Vec<PartId> = devices.iter().map(|one| profiled.devices[*one].part).collect();
        let title = format!("{}: {}", select(&profiled.case.system, &parts), load_words(*load));
        // Writing to a string cannot fail.
        let _ = writeln!(
            text,
            "experiment {} {{\n    workload time=\"{} ms\" warm-up=\"{} ms\" passes={}{} {{",
            quoted(&title),
            extent.time_ms,
            extent.warm_up_ms,
            extent.passes,
            if load.is_cached() { " cache=\"buffered\"" } else { "" }
        );
        for device in devices {
            let line = stream(*load, *device, &profiled.devices[*device]);
            let _ = writeln!(text, "        {line}");
        }
        text.push_str("    }\n}\n");
    }
    Ok(text)
}

fn stream(load: Load, number: usize, device: &Device) -> String {
    let op = load.op;
    let order = match load.figure {
        // Scratch files are read where they were written; what was read before may be cached.
        Figure::Throughput if op == Op::Write => "pattern=\"sequential\"".to_owned(),
        Figure::Throughput => "pattern=\"random-start\"".to_owned(),
        Figure::Reread => resident(REREAD_BYTES),
        Figure::Flush => "pattern=\"random\" sync=\"dsync\"".to_owned(),
        Figure::Operations | Figure::Latency | Figure::Curve => "pattern=\"random\"".to_owned(),
        Figure::Copy => cached(1),
        Figure::Copies => cached(available_parallelism().map_or(1, NonZeroUsize::get)),
    };
    format!(
        "streams \"{}-{op}-{number}\" over={} op=\"{op}\" {order} block=\"{} KiB\" depth={}",
        load.figure.name(),
        quoted(&device.selector),
        load.block >> 10,
        load.depth
    )
}

/// So many streams that read the same bytes.
fn cached(streams: usize) -> String {
    format!("count={streams} region=\"shared\" {}", resident(CACHED_BYTES))
}

/// The same bytes again and again.
fn resident(bytes: u64) -> String {
    format!("pattern=\"resident\" hits=1.0 set=\"{bytes} B\"")
}
