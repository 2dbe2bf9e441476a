//! Devices of a run under way: rates between one sample of the kernel's counters and the next.
//! Samples have a clock of their own, and several that a run tells may hold the same one.

use std::collections::BTreeMap;

use iopath_record::{DevicesMoved, Live};

use super::{Device, devices_of};

/// Of the samples of one pass, oldest first: the devices of the last one, in its order.
pub(super) fn of(pass: &[&Live]) -> Vec<Device> {
    let mut samples: Vec<&DevicesMoved> = pass.iter().filter_map(|live| devices_of(live)).collect();
    samples.dedup_by_key(|sample| sample.sampled_ns);
    let Some(last) = samples.last() else { return Vec::new() };
    let known: Vec<(u64, BTreeMap<&str, u64>)> = samples.iter().map(|one| by_name(one)).collect();
    let rates = |name: &str| known.windows(2).map(|pair| rate(&pair[0], &pair[1], name)).collect();
    let device = |name: &String| Device { name: name.clone(), rates: rates(name) };
    last.busiest.iter().map(|moved| device(&moved.name)).collect()
}

fn by_name(sample: &DevicesMoved) -> (u64, BTreeMap<&str, u64>) {
    let moved = sample.busiest.iter().map(|moved| (moved.name.as_str(), moved.bytes));
    (sample.sampled_ns, moved.collect())
}

/// None where a device was not among the busiest in both.
fn rate(
    (from_ns, from): &(u64, BTreeMap<&str, u64>),
    (to_ns, to): &(u64, BTreeMap<&str, u64>),
    name: &str,
) -> Option<f64> {
    let seconds = to_ns.checked_sub(*from_ns).filter(|ns| *ns > 0)? as f64 / 1e9;
    Some(to.get(name)?.saturating_sub(*from.get(name)?) as f64 / seconds)
}

#[cfg(test)]
mod tests {
    use iopath_record::{Moved, Progress};

    use super::*;

    fn live(sampled_s: u64, moved: &[(&str, u64)]) -> Live {
        let moved =
            moved.iter().map(|(name, bytes)| Moved { name: (*name).to_owned(), bytes: *bytes });
        let devices = DevicesMoved {
            sampled_ns: sampled_s * 1_000_000_000,
            count: 3,
            busiest: moved.collect(),
        };
        let progress =
            Progress::Running { elapsed_ns: 0, bytes: 0, operations: 0, streams: vec![], devices };
        Live {
            title: String::new(),
            label: String::new(),
            trial: 0,
            trials: 1,
            pass: 0,
            done_ns: 0,
            whole_ns: None,
            progress,
        }
    }

    #[test]
    fn rates_are_between_samples_that_differ() {
        let told = [
            live(1, &[("sda", 1_000), ("sdb", 900)]),
            live(1, &[("sda", 1_000), ("sdb", 900)]),
            live(3, &[("sdb", 2_900), ("sdc", 2_000)]),
            live(4, &[("sdc", 6_000), ("sdb", 2_900)]),
        ];
        let devices = of(&told.iter().collect::<Vec<_>>());
        let device = |name: &str, rates: &[Option<f64>]| Device {
            name: name.to_owned(),
            rates: rates.to_vec(),
        };
        let expected =
            [device("sdc", &[None, Some(4_000.0)]), device("sdb", &[Some(1_000.0), Some(0.0)])];
        assert_eq!(devices, expected);
        assert_eq!(of(&[]), []);
    }
}
