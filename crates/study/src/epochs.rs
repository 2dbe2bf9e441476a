//! Streams that begin after others have ended (`after=`). Those that run at the same time are an
//! epoch.

use std::collections::{BTreeMap, BTreeSet};

use crate::case::{Case, Prepare, Stream};
use iopath_units::Nanos;

/// Which group of streams each one begins after.
#[derive(Debug)]
pub struct Epochs<'a> {
    before: BTreeMap<&'a str, &'a str>,
}

impl<'a> Epochs<'a> {
    /// Those of a case.
    #[must_use]
    pub fn of(case: &'a Case) -> Self {
        let after = |stream: &'a Stream| {
            let after = stream.after.as_ref()?;
            Some((stream.group.as_str(), after.group.as_str()))
        };
        Self { before: case.streams.iter().filter_map(after).collect() }
    }

    /// The groups that end before one begins, the nearest first. A circle ends where it began.
    pub fn before(&self, group: &str) -> impl Iterator<Item = &'a str> {
        let first = self.before.get(group).copied();
        let chain = std::iter::successors(first, |group| self.before.get(group).copied());
        chain.take(self.before.len())
    }

    /// The epoch of each of these groups, from 0 without gaps.
    pub fn numbers<'g>(&self, groups: impl Iterator<Item = &'g str>) -> BTreeMap<&'g str, u32> {
        let lengths: BTreeMap<&str, usize> =
            groups.map(|group| (group, self.before(group).count())).collect();
        let known: BTreeSet<usize> = lengths.values().copied().collect();
        let number = |length: usize| known.range(..length).count() as u32;
        lengths.into_iter().map(|(group, length)| (group, number(length))).collect()
    }
}

impl Case {
    /// The streams of each epoch, by their positions, in the order in which epochs run.
    #[must_use]
    pub fn epochs(&self) -> Vec<Vec<usize>> {
        let groups = self.streams.iter().map(|stream| stream.group.as_str());
        let numbers = Epochs::of(self).numbers(groups);
        let count = numbers.values().map(|number| number + 1).max().unwrap_or(1);
        let mut epochs = vec![Vec::new(); count as usize];
        for (position, stream) in self.streams.iter().enumerate() {
            epochs[numbers[stream.group.as_str()] as usize].push(position);
        }
        epochs
    }

    /// Pause before these streams begin together: the longest that one of them asks for.
    #[must_use]
    pub fn start_delay(&self, streams: &[usize]) -> Nanos {
        let after = streams.iter().filter_map(|at| self.streams[*at].after.as_ref());
        after.map(|after| after.start_delay).max().unwrap_or(Nanos(0))
    }

    /// What is done to a target before these streams begin together: the most that one of those on
    /// it asks for.
    #[must_use]
    pub fn preparation(&self, target: usize, streams: &[usize]) -> Prepare {
        let on_it = streams.iter().map(|at| &self.streams[*at]).filter(|one| one.target == target);
        let after = on_it.filter_map(|one| one.after.as_ref());
        after.map(|after| after.prepare).max().unwrap_or(Prepare::None)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::{Source, parse};

    fn case(streams: &str) -> Case {
        let text = format!(
            "study \"t\"\nlayout {{ file \"f\" size=\"1 MiB\"; file \"g\" size=\"1 MiB\" }}\n\
             workload time=\"2 s\" warm-up=\"1 s\" passes=2 pass-delay=\"5 s\" cache=\"drop\" \
             block=\"4 KiB\" {{\n{streams}\n}}"
        );
        let source = Source { name: "t.kdl".into(), text };
        let cases = parse(&source, &[]).and_then(|study| study.cases());
        cases.unwrap_or_else(|mistakes| panic!("{mistakes}")).remove(0)
    }

    #[test]
    fn those_that_begin_after_the_same_run_together() {
        let case = case(
            "streams \"c\" over=\"f\" after=\"b\"
             streams \"b\" over=\"f\" after=\"a\" count=2
             streams \"other\" over=\"g\" after=\"a\"
             streams \"a\" over=\"f\" op=\"write\"",
        );
        assert_eq!(case.epochs(), [vec![4], vec![1, 2, 3], vec![0]]);
        let before = |group| Epochs::of(&case).before(group).collect::<Vec<_>>();
        assert_eq!(before("c"), ["b", "a"]);
        assert!(before("a").is_empty());
    }

    #[test]
    fn the_longest_pause_and_the_most_that_is_done_hold_for_all_that_run_together() {
        let case = case(
            "streams \"a\" over=\"f\" op=\"write\"
             streams \"b\" over=\"f\" after=\"a\" start-delay=\"3 s\" prepare=\"none\"
             streams \"c\" over=\"f\" after=\"a\" start-delay=\"1 s\" prepare=\"sync\"
             streams \"d\" over=\"g\" after=\"a\"",
        );
        let [first, second] = &case.epochs()[..] else { panic!("two") };
        assert_eq!(case.start_delay(first), Nanos(0));
        assert_eq!(case.start_delay(second), Nanos(3_000_000_000));
        let done = |target, streams: &[usize]| case.preparation(target, streams);
        assert_eq!((done(0, first), done(0, second)), (Prepare::None, Prepare::Sync));
        // As the workload's cache says.
        assert_eq!(done(1, second), Prepare::Drop);
        // Two passes of two times 3 s and a pause of 3 s, with 5 s between them.
        assert_eq!(case.estimated_time(), Some(Nanos(2 * 9_000_000_000 + 5_000_000_000)));
    }
}
