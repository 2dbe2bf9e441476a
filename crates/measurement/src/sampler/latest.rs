//! What devices moved by the latest sample: the sampler notes it, the controller tells it. Both
//! happen some times a second, so they may share a lock; workers know nothing of it.

use std::cmp::Reverse;
use std::sync::Mutex;

use iopath_record::{DevicesMoved, Moved};

/// Devices that are told of, however many there are: chosen, a screen of them.
const TOLD: usize = 16;

/// Bytes that devices moved, by the latest sample.
#[derive(Debug, Default)]
pub(crate) struct Latest {
    names: Vec<String>,
    samples: Mutex<Samples>,
}

/// Bytes read and written of each device since the machine began, as far as they could be read.
#[derive(Debug, Default)]
struct Samples {
    first: Vec<Option<u64>>,
    last: Vec<Option<u64>>,
    last_ns: u64,
}

impl Latest {
    pub(crate) fn of(names: Vec<String>) -> Self {
        Self { names, samples: Mutex::default() }
    }

    /// Notes a sample: bytes of each device, in their order; nothing where none could be read.
    pub(super) fn note(&self, at_ns: u64, bytes: &[Option<u64>]) {
        if bytes.is_empty() {
            return;
        }
        let Ok(mut samples) = self.samples.lock() else { return };
        samples.first.resize(bytes.len(), None);
        samples.last.resize(bytes.len(), None);
        samples.last_ns = at_ns;
        for (at, read) in bytes.iter().enumerate().filter(|(_, read)| read.is_some()) {
            samples.first[at] = samples.first[at].or(*read);
            samples.last[at] = *read;
        }
    }

    /// What those moved that moved most since the first sample.
    pub(crate) fn moved(&self) -> DevicesMoved {
        let Ok(samples) = self.samples.lock() else { return DevicesMoved::default() };
        let since =
            |(first, last): (&Option<u64>, &Option<u64>)| Some((*last)?.saturating_sub((*first)?));
        let bytes = samples.first.iter().zip(&samples.last).map(since);
        let mut moved: Vec<(&String, u64)> =
            self.names.iter().zip(bytes).filter_map(|(name, bytes)| Some((name, bytes?))).collect();
        moved.sort_by_key(|(_, bytes)| Reverse(*bytes));
        let moved = moved.into_iter().take(TOLD);
        DevicesMoved {
            sampled_ns: samples.last_ns,
            count: self.names.len() as u64,
            busiest: moved.map(|(name, bytes)| Moved { name: name.clone(), bytes }).collect(),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_busiest_are_told_by_what_they_moved_since_the_first_sample() {
        let latest = Latest::of((0..20).map(|at| format!("sd{at}")).collect());
        let counts = |grown: u64| -> Vec<Option<u64>> {
            (0..20).map(|at| (at != 3).then_some(1_000 - at + at * grown)).collect()
        };
        latest.note(0, &counts(0));
        latest.note(7, &counts(5));
        let moved = latest.moved();
        assert_eq!((moved.sampled_ns, moved.count, moved.busiest.len()), (7, 20, TOLD));
        assert_eq!(moved.busiest[0], Moved { name: "sd19".to_owned(), bytes: 95 });
        assert!(moved.busiest.iter().all(|moved| moved.name != "sd3"), "it was never read");
        // One that comes late, or cannot be read once, is told by what is known of it.
        let mut late = counts(5);
        (late[3], late[19]) = (Some(50), None);
        latest.note(8, &late);
        late[3] = Some(1_050);
        latest.note(9, &late);
        let busiest = latest.moved().busiest;
        let names: Vec<&str> = busiest.iter().map(|moved| moved.name.as_str()).collect();
        assert_eq!(names[..2], ["sd3", "sd19"]);
    }
}
