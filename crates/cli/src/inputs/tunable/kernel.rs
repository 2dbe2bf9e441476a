//! Settings of the kernel that can be chosen for targets: those that this process may change, that
//! the devices below have in common today, and that make a difference to the load. What the machine
//! has today is always among the levels.

use std::collections::BTreeSet;
use std::path::PathBuf;

use iopath_machine::settings::{Range, Setting, Takes, range};
use iopath_machine::{Devices, Root};
use iopath_study::case::Scheduler;
use iopath_units::Bytes;
use strum::VariantNames;

use super::Load;
use crate::exit_status::{ExitStatus, Problem};
use crate::inputs::flags::{Factor, Varies};

/// What can be chosen, and what is said of the rest.
pub(super) struct Choices {
    pub factors: Vec<Factor>,
    pub remarks: Vec<String>,
}

impl Choices {
    /// Nothing, for this reason.
    pub(super) fn none(why: &str) -> Self {
        let remarks = vec![format!("settings of the kernel are left out: {why}")];
        Self { factors: Vec::new(), remarks }
    }
}

/// Levels that are numbers: by powers of four from `least` to `most`, both chosen so that smaller
/// and larger ones make no difference.
struct Numbers {
    least: u64,
    most: u64,
}

/// KiB; the largest as the largest block that is tried.
const REQUESTS_OF_DRIVES: Numbers = Numbers { least: 64, most: 4096 };
/// KiB, around the kernel's default of 128.
const READAHEAD: Numbers = Numbers { least: 32, most: 8192 };
/// Requests in flight; the kernel takes 4 and more.
const QUEUE: Numbers = Numbers { least: 32, most: 2048 };

/// What can be chosen of the kernel's settings below these targets.
pub(super) fn choices(targets: &[PathBuf], load: &Load) -> Result<Choices, Problem> {
    let root = Root::live();
    let obstacle = |error: String| Problem::new(ExitStatus::Obstacle, error);
    let devices = Devices::read(&root).map_err(|error| obstacle(error.to_string()))?;
    let mut factors = Vec::new();
    let (mut forbidden, mut differing, mut remarks) = (Vec::new(), Vec::new(), Vec::new());
    for setting in Setting::ALL.into_iter().filter(|setting| matters(*setting, load)) {
        let found = range(&root, &devices, targets, setting);
        match found.map_err(|error| obstacle(error.to_string()))? {
            Range::Absent => {}
            Range::Differing => differing.push(setting.property()),
            Range::Forbidden => forbidden.push(setting.property()),
            Range::Choosable { today, takes } => match levels(setting, &today, &takes) {
                Ok(levels) if levels.len() > 1 => {
                    factors.push(Factor { varies: Varies::Kernel(setting.property()), levels });
                }
                Ok(_) => {}
                Err(why) => remarks.push(format!("{} is left out: {why}", setting.property())),
            },
        }
    }
    let left = |names: Vec<&str>, why: &str| {
        (!names.is_empty()).then(|| format!("left out, as {why}: {}", names.join(", ")))
    };
    remarks.extend(left(forbidden, "this process may not set them"));
    remarks.extend(left(differing, "the devices below do not have them in common today"));
    Ok(Choices { factors, remarks })
}

/// Whether a load can differ by a setting.
fn matters(setting: Setting, load: &Load) -> bool {
    match setting {
        Setting::Scheduler => true,
        Setting::MaxRequest => load.has_larger_requests(REQUESTS_OF_DRIVES.least << 10),
        Setting::Requests => load.has_more_in_flight(QUEUE.least),
        Setting::Readahead => load.is_cached() && load.reads(),
    }
}

/// The levels of a setting as a study has them, or why today's cannot be among them.
fn levels(setting: Setting, today: &str, takes: &Takes) -> Result<Vec<String>, String> {
    match takes {
        Takes::Words(words) => schedulers(today, words),
        Takes::UpTo(most) => numbers(setting, today, *most),
    }
}

fn numbers(setting: Setting, today: &str, taken: Option<u64>) -> Result<Vec<String>, String> {
    let known = match setting {
        Setting::Scheduler => None,
        Setting::MaxRequest => Some(REQUESTS_OF_DRIVES),
        Setting::Requests => Some(QUEUE),
        Setting::Readahead => Some(READAHEAD),
    };
    let number: Option<u64> = today.parse().ok().filter(|today| *today > 0);
    let (Some(known), Some(number)) = (known, number) else { return Err(unstated(today)) };
    if let Some(most) = taken.filter(|most| number > *most) {
        return Err(format!(
            "today's {today} is more than the drive takes with every scheduler, {most}"
        ));
    }
    let all = known.around(number, taken);
    Ok(match setting {
        Setting::Requests => all.iter().map(u64::to_string).collect(),
        _ => all.iter().map(|kib| format!("\"{}\"", Bytes(kib << 10))).collect(),
    })
}

fn unstated(today: &str) -> String {
    format!("a study cannot state today's {today}")
}

fn schedulers(today: &str, words: &[String]) -> Result<Vec<String>, String> {
    let known = |word: &str| Scheduler::VARIANTS.contains(&word);
    if !known(today) {
        return Err(unstated(today));
    }
    Ok(words.iter().filter(|word| known(word)).map(|word| format!("\"{word}\"")).collect())
}

impl Numbers {
    /// Levels with today's and the device's largest among them.
    fn around(&self, today: u64, taken: Option<u64>) -> BTreeSet<u64> {
        let most = taken.map_or(self.most, |taken| taken.min(self.most));
        let own = std::iter::successors(Some(self.least), |level| level.checked_mul(4));
        let own = own.take_while(|level| *level <= most);
        own.chain([today]).chain(taken.filter(|taken| *taken <= self.most)).collect()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn of(setting: Setting, today: &str, takes: &Takes) -> String {
        levels(setting, today, takes).map_or_else(|why| why, |levels| levels.join(" "))
    }

    #[test]
    fn levels_have_todays_value_and_nothing_that_the_device_does_not_take() {
        let up_to = |most| Takes::UpTo(Some(most));
        let words = ["none", "mq-deadline", "own"].map(str::to_owned).to_vec();
        for (setting, today, takes, expected) in [
            (
                Setting::MaxRequest,
                "1280",
                up_to(1280),
                "\"64 KiB\" \"256 KiB\" \"1 MiB\" \"1280 KiB\"",
            ),
            (
                Setting::MaxRequest,
                "512",
                up_to(1 << 31),
                "\"64 KiB\" \"256 KiB\" \"512 KiB\" \"1 MiB\" \"4 MiB\"",
            ),
            (Setting::Requests, "62", up_to(127), "32 62 127"),
            (
                Setting::Requests,
                "256",
                up_to(64),
                "today's 256 is more than the drive takes with every scheduler, 64",
            ),
            (
                Setting::Readahead,
                "128",
                Takes::UpTo(None),
                "\"32 KiB\" \"128 KiB\" \"512 KiB\" \"2 MiB\" \"8 MiB\"",
            ),
            (Setting::Readahead, "0", Takes::UpTo(None), "a study cannot state today's 0"),
            (Setting::Scheduler, "none", Takes::Words(words.clone()), "\"none\" \"mq-deadline\""),
            (Setting::Scheduler, "own", Takes::Words(words), "a study cannot state today's own"),
        ] {
            assert_eq!(of(setting, today, &takes), expected, "{setting:?}");
        }
    }
}
