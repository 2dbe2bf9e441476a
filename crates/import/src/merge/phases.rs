//! Totals of streams over the phases of their run: evenly, as nobody tells more.

use iopath_record::{EntityId, Phase, PhaseTotals, StreamTotals};
use iopath_units::Action;

use crate::imported::Stream;

/// The streams, each with its phases.
pub(super) fn totals(streams: Vec<(EntityId, Stream)>) -> Vec<StreamTotals> {
    let spans: Vec<(u64, u64)> = streams.iter().map(|(_, one)| (one.from_ns, one.to_ns)).collect();
    let windows = windows(&spans);
    let of = |((entity, stream), window): ((EntityId, Stream), (u64, u64))| StreamTotals {
        action: Action::Transfer,
        entity,
        first_issue_ns: stream.from_ns,
        first_done_ns: stream.from_ns,
        last_done_ns: stream.to_ns,
        phases: phases(&stream, window),
    };
    streams.into_iter().zip(windows).map(of).collect()
}

/// For each span when all that ran beside it were active; empty where there was no such time.
///
/// Those that overlap, and those that overlap these, belong together: in the order of their
/// beginnings each belongs to those before it or to none of them.
fn windows(spans: &[(u64, u64)]) -> Vec<(u64, u64)> {
    let mut order: Vec<usize> = (0..spans.len()).collect();
    order.sort_unstable_by_key(|index| spans[*index]);
    let mut groups: Vec<Group> = Vec::new();
    let mut group_of = vec![0; spans.len()];
    for index in order {
        let (from, to) = spans[index];
        match groups.last_mut() {
            Some(group) if from < group.end && group.begin < to => {
                group.end = group.end.max(to);
                group.last_begin = group.last_begin.max(from);
                group.first_end = group.first_end.min(to);
            }
            _ => groups.push(Group { begin: from, end: to, last_begin: from, first_end: to }),
        }
        group_of[index] = groups.len() - 1;
    }
    let window = |group: &usize| {
        let Group { last_begin, first_end, .. } = groups[*group];
        (last_begin, first_end.max(last_begin))
    };
    group_of.iter().map(window).collect()
}

/// Spans that belong together.
struct Group {
    begin: u64,
    end: u64,
    last_begin: u64,
    first_end: u64,
}

fn phases(stream: &Stream, window: (u64, u64)) -> Vec<PhaseTotals> {
    let (from, to) = (stream.from_ns, stream.to_ns.max(stream.from_ns));
    // Where they never ran all together, the window is empty: it ends where the last one began.
    let edges = [from, window.0.clamp(from, to), window.1.clamp(from, to), to];
    let parts = [Phase::Ramp, Phase::Window, Phase::Tail];
    let mut all: Vec<PhaseTotals> = Vec::new();
    for (phase, pair) in parts.into_iter().zip(edges.windows(2)) {
        if pair[1] > pair[0] {
            all.push(part(stream, phase, (pair[0], pair[1])));
        }
    }
    if all.is_empty() {
        all.push(part(stream, Phase::Window, (from, to)));
    }
    let longest = (0..all.len()).max_by_key(|index| all[*index].to_ns - all[*index].from_ns);
    if let Some(longest) = longest {
        all[longest].latency.clone_from(&stream.latency);
    }
    all
}

/// What falls into a phase: up to its end, less what was up to its beginning, so that parts add up.
fn part(stream: &Stream, phase: Phase, (from_ns, to_ns): (u64, u64)) -> PhaseTotals {
    let length = u128::from(stream.to_ns.saturating_sub(stream.from_ns)).max(1);
    let until = |amount: u64, at: u64| {
        let passed = match at >= stream.to_ns {
            true => length,
            false => u128::from(at.saturating_sub(stream.from_ns)),
        };
        u64::try_from(u128::from(amount) * passed / length).unwrap_or(u64::MAX)
    };
    let share = |amount: u64| until(amount, to_ns) - until(amount, from_ns.min(to_ns));
    let whole = |amount: u64| if from_ns == to_ns { amount } else { share(amount) };
    PhaseTotals {
        phase,
        from_ns,
        to_ns,
        submitted: whole(stream.completed.saturating_add(stream.failed)),
        completed: whole(stream.completed),
        failed: whole(stream.failed),
        operations_ppm: whole(stream.completed.saturating_mul(1_000_000)),
        read_bytes: whole(stream.read_bytes),
        write_bytes: whole(stream.write_bytes),
        in_flight_ns: whole(stream.in_flight_ns),
        user_ns: whole(stream.user_ns),
        system_ns: whole(stream.system_ns),
        ..PhaseTotals::default()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn stream(from: u64, to: u64) -> (EntityId, Stream) {
        let stream = Stream {
            from_ns: from,
            to_ns: to,
            read_bytes: 1000,
            completed: 7,
            ..Stream::default()
        };
        (EntityId(0), stream)
    }

    #[test]
    fn totals_are_divided_evenly_and_add_up() {
        let all = totals(vec![stream(0, 100), stream(10, 90)]);
        let phases: Vec<_> =
            all[0].phases.iter().map(|p| (p.phase, p.read_bytes, p.completed)).collect();
        assert_eq!(phases, [(Phase::Ramp, 100, 0), (Phase::Window, 800, 6), (Phase::Tail, 100, 1)]);
        assert_eq!(all[1].phases.len(), 1);
        assert_eq!(all[1].phases[0].read_bytes, 1000);
    }

    #[test]
    fn streams_that_follow_one_another_have_windows_of_their_own() {
        let all = totals(vec![stream(0, 100), stream(100, 200)]);
        assert!(all.iter().all(|one| one.phases.len() == 1));
        assert_eq!(all[1].phases[0].phase, Phase::Window);
    }

    #[test]
    fn each_group_has_a_window_whatever_the_order_of_its_spans() {
        let spans = [(100, 200), (0, 50), (150, 220), (20, 60), (60, 60), (160, 160)];
        let expected = [(160, 160), (20, 50), (160, 160), (20, 50), (60, 60), (160, 160)];
        assert_eq!(windows(&spans), expected);
        assert_eq!(windows(&[(0, 10), (10, 20)]), [(0, 10), (10, 20)], "one after another");
    }

    #[test]
    fn streams_that_never_ran_all_together_have_no_window() {
        let all = totals(vec![stream(0, 50), stream(40, 100), stream(90, 200)]);
        let windows = all.iter().flat_map(|one| &one.phases).filter(|p| p.phase == Phase::Window);
        assert_eq!(windows.count(), 0);
    }
}
