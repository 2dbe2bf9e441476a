//! What one sample of many devices costs: the text of /proc/diskstats is imitated in a file, so
//! this is the cost of reading and parsing, without the kernel's own cost of writing the text.
//!
//! `cargo run --release -p iopath-machine --example sampler_cost [DEVICES]`

use std::io::Write as _;
use std::time::Instant;

use iopath_machine::Root;
use iopath_machine::counters::disk_sampler::DiskSampler;
use iopath_machine::counters::diskstats::DeviceNumber;

const SAMPLES: u32 = 2_000;

fn main() -> Result<(), Box<dyn std::error::Error>> {
    let devices: u32 = std::env::args().nth(1).map_or(Ok(2_000), |count| count.parse())?;
    let directory = tempfile::tempdir()?;
    std::fs::create_dir(directory.path().join("proc"))?;
    let mut text = String::new();
    for n in 0..devices {
        let (major, minor) = (65 + n / 256, n % 256);
        text.push_str(&format!(
            "{major:4} {minor:7} sd{n} 85896123 15556 6334058123 95993123 11963123 16312 \
             2014184123 6678123 32 11268123 103198123 5262 16 549976 464 1164 62\n"
        ));
    }
    std::fs::write(directory.path().join("proc/diskstats"), &text)?;
    let wanted: Vec<_> =
        (0..devices).map(|n| DeviceNumber { major: 65 + n / 256, minor: n % 256 }).collect();
    let mut sampler = DiskSampler::open(&Root::at(directory.path()), &wanted)?;
    sampler.sample()?;
    let start = Instant::now();
    let mut found = 0;
    for _ in 0..SAMPLES {
        found += sampler.sample()?.iter().flatten().count();
    }
    let us = start.elapsed().as_secs_f64() * 1e6 / f64::from(SAMPLES);
    let each = found / SAMPLES as usize;
    writeln!(std::io::stdout(), "{each} devices, {} bytes: {us:.1} us per sample", text.len())?;
    let live = Root::live();
    let mut sampler = DiskSampler::open(&live, &[])?;
    let start = Instant::now();
    for _ in 0..SAMPLES {
        sampler.sample()?;
    }
    let us = start.elapsed().as_secs_f64() * 1e6 / f64::from(SAMPLES);
    writeln!(std::io::stdout(), "this machine's own /proc/diskstats: {us:.1} us per sample")?;
    Ok(())
}
