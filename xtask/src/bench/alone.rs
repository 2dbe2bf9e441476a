//! What is measured of iopath alone, against a fixed goal; the worst of some runs counts.

use anyhow::{Context, Result};

use super::outcome::{Goal, Outcome, Value};
use super::place::{Place, Where};
use super::run::Load;
use super::stage::{Stage, Tool};

const DEVICES: u32 = 2_000;

/// Percent of one core at one sample a second.
const SAMPLER_PERCENT: f64 = 1.0;

const PEAK_BYTES: f64 = 100e6;

/// The peak of the whole process, seen from outside.
pub(crate) fn memory(load: &Load, stage: &Stage, outcome: &mut Outcome) -> Result<()> {
    let place = stage.place(Where::Memory)?;
    let mut peaks = Vec::new();
    for _ in 0..stage.runs() {
        let run = stage.run(Tool::Iopath, load, &place, stage.length)?;
        peaks.push(run.cost.peak_bytes);
    }
    let goal = Some(Goal::Below(PEAK_BYTES));
    outcome.values.push(Value::new("peak resident bytes", peaks, goal));
    Ok(())
}

/// The cost of one sample, by the example program of the machine crate.
pub(crate) fn sampler(stage: &Stage, outcome: &mut Outcome) -> Result<()> {
    let program = stage.source.example("sampler_cost")?;
    let place = Place::empty(&stage.folder(Where::Memory))?;
    let words = [program.display().to_string(), DEVICES.to_string()];
    let mut each_us = Vec::new();
    for _ in 0..stage.runs() {
        let (stdout, _) = stage.output(&words, &place)?;
        let text = String::from_utf8_lossy(&stdout);
        each_us.push(read_us(&text).with_context(|| format!("sampler_cost says: {text}"))?);
    }
    let percent = each_us.iter().map(|us| us / 1e6 * 100.0).collect();
    outcome.values.push(Value::new("us per sample", each_us, None));
    let goal = Some(Goal::Below(SAMPLER_PERCENT));
    outcome.values.push(Value::new("% of one core at 1 Hz", percent, goal));
    Ok(())
}

/// Of the line that tells of all the devices that were asked for.
fn read_us(text: &str) -> Option<f64> {
    let line = text.lines().find(|line| line.starts_with(&format!("{DEVICES} devices, ")))?;
    line.split_once(": ")?.1.strip_suffix(" us per sample")?.parse().ok()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_line_of_all_devices_is_read() {
        let text = "2000 devices, 243780 bytes: 171.3 us per sample\n\
                    this machine's own disks: 12.4 us per sample\n";
        assert_eq!(read_us(text), Some(171.3));
        assert_eq!(read_us(&text.replace("2000", "1999")), None);
    }
}
