//! From the columns of a row to rates of counters.

use iopath_record::Counter;

/// Columns that say a rate of a counter, and how much of the counter one of them is.
const RATES: [(&str, Counter, f64); 29] = [
    ("r/s", Counter::ReadOperations, 1.0),
    ("w/s", Counter::WriteOperations, 1.0),
    ("tps", Counter::Completed, 1.0),
    ("rsec/s", Counter::ReadBytes, 512.0),
    ("wsec/s", Counter::WriteBytes, 512.0),
    ("rkB/s", Counter::ReadBytes, 1024.0),
    ("wkB/s", Counter::WriteBytes, 1024.0),
    ("rMB/s", Counter::ReadBytes, 1_048_576.0),
    ("wMB/s", Counter::WriteBytes, 1_048_576.0),
    ("Blk_read/s", Counter::ReadBytes, 512.0),
    ("Blk_wrtn/s", Counter::WriteBytes, 512.0),
    ("kB_read/s", Counter::ReadBytes, 1024.0),
    ("kB_wrtn/s", Counter::WriteBytes, 1024.0),
    ("MB_read/s", Counter::ReadBytes, 1_048_576.0),
    ("MB_wrtn/s", Counter::WriteBytes, 1_048_576.0),
    ("kB/s", Counter::MovedBytes, 1024.0),
    ("MB/s", Counter::MovedBytes, 1_048_576.0),
    ("sec/s", Counter::MovedBytes, 512.0),
    ("d/s", Counter::DiscardOperations, 1.0),
    ("dkB/s", Counter::DiscardBytes, 1024.0),
    ("dMB/s", Counter::DiscardBytes, 1_048_576.0),
    ("f/s", Counter::FlushOperations, 1.0),
    ("rrqm/s", Counter::Merged, 1.0),
    ("wrqm/s", Counter::Merged, 1.0),
    ("rqm/s", Counter::Merged, 1.0),
    ("avgqu-sz", Counter::InFlightNs, 1e9),
    ("aqu-sz", Counter::InFlightNs, 1e9),
    ("%util", Counter::BusyNs, 1e7),
    ("util", Counter::BusyNs, 1e7),
];

/// What each counter grows by in a second.
pub(super) fn rates(values: &[(String, f64)]) -> Vec<(Counter, f64)> {
    let value = |wanted: &str| values.iter().find(|(name, _)| name == wanted).map(|(_, v)| *v);
    let known = RATES
        .iter()
        .filter_map(|(name, counter, times)| value(name).map(|value| (*counter, value * times)));
    let mut all: Vec<(Counter, f64)> = known.collect();
    // One mean time of both kinds tells that of one kind where the other did nothing.
    let (read, written) = (value("r/s"), value("w/s"));
    let common = value("await");
    let alone = |other: Option<f64>| common.filter(|_| other == Some(0.0));
    let times = [
        (Counter::ReadNs, read, value("r_await").or_else(|| alone(written))),
        (Counter::WriteNs, written, value("w_await").or_else(|| alone(read))),
        (Counter::DiscardNs, value("d/s"), value("d_await")),
        (Counter::FlushNs, value("f/s"), value("f_await")),
    ];
    for (counter, per_sec, milliseconds) in times {
        let milliseconds = milliseconds.or_else(|| per_sec.filter(|rate| *rate == 0.0));
        all.extend(per_sec.zip(milliseconds).map(|(rate, time)| (counter, rate * time * 1e6)));
    }
    all
}

#[cfg(test)]
mod tests {
    use super::*;

    fn of(values: &[(&str, f64)]) -> Vec<(Counter, f64)> {
        let values: Vec<_> = values.iter().map(|(name, v)| ((*name).to_owned(), *v)).collect();
        rates(&values)
    }

    #[test]
    fn flushes_and_discards_are_counted_with_their_times() {
        let all = of(&[("f/s", 800.0), ("f_await", 1.25), ("d/s", 2.0), ("dkB/s", 8.0)]);
        assert!(all.contains(&(Counter::FlushOperations, 800.0)));
        assert!(all.contains(&(Counter::FlushNs, 1e9)));
        assert!(all.contains(&(Counter::DiscardBytes, 8192.0)));
        assert!(!all.iter().any(|(counter, _)| *counter == Counter::DiscardNs), "{all:?}");
    }

    #[test]
    fn a_common_time_is_that_of_the_only_kind_that_did_something() {
        let all = of(&[("r/s", 500.0), ("w/s", 0.0), ("await", 2.0)]);
        assert!(all.contains(&(Counter::ReadNs, 1e9)) && all.contains(&(Counter::WriteNs, 0.0)));
        let both = of(&[("r/s", 500.0), ("w/s", 1.0), ("await", 2.0)]);
        assert!(!both.iter().any(|(counter, _)| *counter == Counter::ReadNs), "{both:?}");
    }
}
