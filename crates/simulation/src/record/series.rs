//! Counters of entities over time: those that a kernel keeps of devices and processors, of
//! everything on the path.
//!
//! What costs processor time in a study is the kernel's work, so all of it is time in the kernel;
//! nothing is known of time in user mode.

use iopath_entities::Table;
use iopath_path::{Direction, Measure, Network, Row, RowId};
use iopath_record::{Counter, EntityId, Series};
use iopath_units::Op;

use crate::core::Ps;
use crate::counters::Sums;
use crate::samples::Sample;

type Of = fn(&Sums) -> u64;

const READ: usize = Op::Read.index();
const WRITE: usize = Op::Write.index();

/// What everything has that requests came to.
const TRAFFIC: [(Counter, Of); 4] = [
    (Counter::ReadBytes, |sums| sums.bytes[READ]),
    (Counter::WriteBytes, |sums| sums.bytes[WRITE]),
    (Counter::ReadOperations, |sums| sums.operations[READ]),
    (Counter::WriteOperations, |sums| sums.operations[WRITE]),
];

/// What is left out where it stays at nothing.
const TIMES: [(Counter, Of); 7] = [
    (Counter::ReadNs, |sums| nanos(sums.spent[READ])),
    (Counter::WriteNs, |sums| nanos(sums.spent[WRITE])),
    (Counter::BusyNs, |sums| nanos(sums.busy)),
    (Counter::InFlightNs, |sums| nanos(sums.spent[READ] + sums.spent[WRITE] + sums.here)),
    (Counter::InFlight, |sums| sums.in_flight),
    (Counter::JoinWaitNs, |sums| nanos(sums.joined)),
    (Counter::PoolWaitNs, |sums| nanos(sums.waited)),
];

/// All series. What several components that are one entity have is nothing, since each that
/// carries something is its own.
pub(super) fn series(network: &Network, table: &Table, samples: &[Sample]) -> Vec<Series> {
    let mut series = Vec::new();
    for (component, entity) in table.components.iter().enumerate() {
        let Some(entity) = entity else { continue };
        let values = |of: Of| -> Vec<u64> {
            let sums = samples.iter().map(|sample| sample.counted.components.get(component));
            sums.map(|sums| sums.map_or(0, of)).collect()
        };
        let has_any =
            samples.last().is_some_and(|last| last.counted.components[component].is_used());
        if has_any {
            let all = TRAFFIC.iter().map(|(counter, of)| (*counter, values(*of)));
            let times = TIMES.iter().map(|(counter, of)| (*counter, values(*of)));
            let kept = all.chain(times.filter(|(_, values)| values.iter().any(|value| *value > 0)));
            series.extend(
                kept.map(|(counter, values)| Series::from_values(*entity, counter, &values)),
            );
        }
    }
    for (entity, rows) in &table.apart {
        series.extend(apart(network, (*entity, rows), samples));
    }
    series
}

/// Processors or memory.
fn apart(
    network: &Network,
    (entity, rows): (EntityId, &[RowId]),
    samples: &[Sample],
) -> Vec<Series> {
    let row = network.row(rows[0]);
    let spans: Vec<Ps> = samples.iter().map(|sample| busy(sample, rows)).collect();
    let busy: Vec<u64> = spans.iter().copied().map(nanos).collect();
    if busy.last().is_none_or(|last| *last == 0) {
        return Vec::new();
    }
    let others = match row.measure {
        Measure::Busy => {
            let servers = row.capacity.round() as u64 * rows.len() as u64;
            let idle =
                samples.iter().zip(&spans).map(|(sample, busy)| idle(sample, servers, *busy));
            let idle = idle.collect();
            // What only serves one direction has a limit of that.
            let own = match row.direction {
                Direction::Read => Some((Counter::ReadNs, busy.clone())),
                Direction::Write => Some((Counter::WriteNs, busy.clone())),
                Direction::Both => None,
            };
            let both = [(Counter::SystemNs, busy.clone()), (Counter::IdleNs, idle)];
            both.into_iter().chain(own).collect()
        }
        Measure::Bytes | Measure::Operations => {
            let [reads, writes] = moved(row, (rows, &busy), samples);
            vec![(Counter::ReadBytes, reads), (Counter::WriteBytes, writes)]
        }
    };
    let all = std::iter::once((Counter::BusyNs, busy)).chain(others);
    all.map(|(counter, values)| Series::from_values(entity, counter, &values)).collect()
}

fn busy(sample: &Sample, rows: &[RowId]) -> Ps {
    let of = |row: &RowId| sample.counted.rows.get(row.0 as usize).copied().unwrap_or_default();
    rows.iter().map(of).sum()
}

/// What servers have rested, in whole ns of the exact time: the difference of two rounded times
/// would fall now and then.
fn idle(sample: &Sample, servers: u64, busy: Ps) -> u64 {
    let all = u128::from(sample.at.0) * u128::from(servers);
    (all.saturating_sub(u128::from(busy.0)) / 1000) as u64
}

/// Bytes through memory, as long as it was busy; divided between reads and writes as requests that
/// were done meanwhile moved them.
fn moved(row: &Row, (rows, busy): (&[RowId], &[u64]), samples: &[Sample]) -> [Vec<u64>; 2] {
    let known = |sample: &Sample, op: usize| -> u64 {
        let of = |row: &RowId| sample.counted.moved.get(row.0 as usize).map_or(0, |both| both[op]);
        rows.iter().map(of).sum()
    };
    let mut sums = [0.0; 2];
    let mut all = [Vec::new(), Vec::new()];
    // The first sample may be taken long after the beginning, when nothing was moved.
    let (mut busy_before, mut known_before) = (0, [0; 2]);
    for (busy, sample) in busy.iter().zip(samples) {
        let bytes = (busy - busy_before) as f64 / 1e9 * row.capacity;
        let now = [READ, WRITE].map(|op| known(sample, op));
        let grown = [READ, WRITE].map(|op| now[op] - known_before[op]);
        (busy_before, known_before) = (*busy, now);
        let share = match grown[READ] + grown[WRITE] {
            0 => 0.5,
            both => grown[READ] as f64 / both as f64,
        };
        sums[READ] += bytes * share;
        sums[WRITE] += bytes * (1.0 - share);
        for op in [READ, WRITE] {
            all[op].push(sums[op] as u64);
        }
    }
    all
}

fn nanos(span: Ps) -> u64 {
    span.as_nanos().0
}
