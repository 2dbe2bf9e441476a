//! Stated limits that components passed more of, equal components in one line.

use iopath_analysis::capacities::Load;
use iopath_units::System;

use super::{of_several, spread};
use crate::document::Block;
use crate::view::profile::{ComponentProfile, Exceeded};
use crate::words::profile as words;

/// A limit of equal components, and what each of them passed.
struct Line<'a> {
    of: &'a ComponentProfile,
    load: Load,
    limit: Exceeded,
    passed: Vec<f64>,
}

pub(super) fn warnings(components: &[ComponentProfile], system: System) -> Vec<Block> {
    let mut lines: Vec<Line<'_>> = Vec::new();
    for of in components {
        for one in &of.carried {
            let passed: Vec<f64> = one.carried.seen().into_iter().collect();
            for limit in one.exceeded.iter().copied() {
                let line = Line { of, load: one.load, limit, passed: passed.clone() };
                match lines.iter_mut().find(|other| other.is_equal(&line)) {
                    Some(other) => other.passed.extend(&passed),
                    None => lines.push(line),
                }
            }
        }
    }
    lines.iter().map(|line| Block::warning(String::new(), line.text(system))).collect()
}

impl Line<'_> {
    fn is_equal(&self, other: &Self) -> bool {
        let key = |one: &Self| (one.of.declared, one.load, one.limit);
        key(self) == key(other)
    }

    /// `server.hba.disk (2): 99 .. 101 MB/s, more than the stated 60 MB/s (read): …`.
    fn text(&self, system: System) -> String {
        let name = of_several(&self.of.name, self.passed.len());
        let amount = |per_sec| words::amount(self.load, per_sec, system);
        let passed = spread(self.passed.iter().copied(), amount);
        let (property, stated) = (self.limit.property, amount(self.limit.per_sec));
        format!(
            "{name}: {passed}, more than the stated {stated} ({property}), which is \
             too low unless a cache or a burst served this; -o writes the measured rate"
        )
    }
}

#[cfg(test)]
mod tests {
    use iopath_analysis::capacities::{Carried, loads};
    use iopath_study::PartId;

    use super::*;
    use crate::view::profile::LoadCarried;

    fn component(name: &str, passed: f64) -> ComponentProfile {
        let carried = LoadCarried {
            load: loads(false, false).next().unwrap(),
            carried: Carried::AtLeast(passed),
            experiment: String::new(),
            limits_all: false,
            passes: [passed, passed],
            alike: Vec::new(),
            exceeded: vec![Exceeded { property: "read", per_sec: 60e6 }],
        };
        ComponentProfile {
            part: PartId(0),
            name: name.to_owned(),
            kind: "disk",
            declared: 0,
            equal: 0,
            devices: Vec::new(),
            carried: vec![carried],
        }
    }

    #[test]
    fn equal_components_are_one_line() {
        let all = [component("h.d[0]", 100e6), component("h.d[1]", 98e6)];
        let expected = "h.d (2): 98.00 .. 100.0 MB/s, more than the stated 60.00 MB/s (read), \
                        which is too low unless a cache or a burst served this; -o writes the \
                        measured rate";
        assert_eq!(warnings(&all, System::Decimal), [Block::warning("", expected)]);
    }
}
