//! Ends of requests that are no entity, as nothing is counted there: what comes to them reappears
//! where they lead to.
//!
//! What leaves such an end belongs to all that came to it in proportion to their bytes, reads to
//! reads and writes to writes; an operation that nothing came with (the reads that a write needs)
//! belongs to everything.

use std::collections::BTreeMap;

use iopath_path::ComponentId;

use crate::Flow;
use crate::table::Table;

/// Most ends one behind the other that are followed: no path is as deep.
const DEEPEST: u32 = 16;

/// The flows whose upper end is an entity, each to the next entities below.
pub(crate) fn between_entities(table: &Table, flows: &[Flow]) -> Vec<Flow> {
    let is_entity = |component: ComponentId| table.components[component.0 as usize].is_some();
    let mut ends = Ends::default();
    for flow in flows {
        if !is_entity(flow.lower) {
            ends.came.entry(flow.lower).or_default()[flow.op.index()] += flow.bytes;
        }
        if !is_entity(flow.upper) {
            ends.left.entry(flow.upper).or_default().push(*flow);
        }
    }
    let mut found = Vec::new();
    for flow in flows.iter().filter(|flow| is_entity(flow.upper)) {
        if is_entity(flow.lower) {
            found.push(*flow);
            continue;
        }
        let mut open = vec![*flow];
        for _ in 0..DEEPEST {
            let (ended, hidden): (Vec<Flow>, Vec<Flow>) =
                open.into_iter().partition(|flow| is_entity(flow.lower));
            found.extend(ended);
            open = hidden.iter().flat_map(|flow| ends.beyond(flow)).collect();
        }
    }
    found
}

/// What came to ends that are no entities and what left them.
#[derive(Default)]
struct Ends {
    /// Bytes, by operation.
    came: BTreeMap<ComponentId, [f64; 2]>,
    left: BTreeMap<ComponentId, Vec<Flow>>,
}

impl Ends {
    /// What a flow leads to behind its lower end.
    fn beyond(&self, flow: &Flow) -> Vec<Flow> {
        let came = self.came.get(&flow.lower).copied().unwrap_or_default();
        let left = self.left.get(&flow.lower).into_iter().flatten();
        let part = |left: &Flow| {
            let alike = came[left.op.index()];
            let share = match (alike > 0.0, left.op == flow.op) {
                (true, true) => flow.bytes / alike,
                (true, false) => 0.0,
                (false, _) => flow.bytes / came.iter().sum::<f64>(),
            };
            Flow { upper: flow.upper, bytes: left.bytes * share, ..*left }
        };
        left.map(part).filter(|flow| flow.bytes > 0.0).collect()
    }
}

#[cfg(test)]
mod tests {
    use iopath_record::EntityId;
    use iopath_units::Op;

    use super::*;

    /// Components 0 and 1 are files, 2 is nothing that is counted, 3 and 4 are volumes.
    fn found(flows: &[(u32, u32, Op, f64)]) -> Vec<(u32, u32, Op, f64)> {
        let entity = |at: u32| (at != 2).then_some(EntityId(at));
        let table = Table {
            entities: Vec::new(),
            streams: Vec::new(),
            components: (0..5).map(entity).collect(),
            limits: Vec::new(),
            of_class: Vec::new(),
            apart: Vec::new(),
        };
        let flow = |&(upper, lower, op, bytes): &(u32, u32, Op, f64)| Flow {
            upper: ComponentId(upper),
            lower: ComponentId(lower),
            op,
            bytes,
        };
        let flows: Vec<Flow> = flows.iter().map(flow).collect();
        let told = |flow: &Flow| (flow.upper.0, flow.lower.0, flow.op, flow.bytes);
        between_entities(&table, &flows).iter().map(told).collect()
    }

    #[test]
    fn what_is_counted_nowhere_hands_on_in_proportion() {
        let flows = [
            (0, 2, Op::Read, 300.0),
            (1, 2, Op::Read, 100.0),
            (2, 3, Op::Read, 200.0),
            (2, 4, Op::Read, 400.0),
            (3, 4, Op::Read, 7.0),
        ];
        let expected = [
            (0, 3, Op::Read, 150.0),
            (0, 4, Op::Read, 300.0),
            (1, 3, Op::Read, 50.0),
            (1, 4, Op::Read, 100.0),
            (3, 4, Op::Read, 7.0),
        ];
        assert_eq!(found(&flows), expected);
    }

    #[test]
    fn reads_that_only_writes_led_to_belong_to_the_writes() {
        let flows = [
            (0, 2, Op::Write, 300.0),
            (1, 2, Op::Write, 100.0),
            (2, 3, Op::Write, 800.0),
            (2, 3, Op::Read, 40.0),
        ];
        let expected = [
            (0, 3, Op::Write, 600.0),
            (0, 3, Op::Read, 30.0),
            (1, 3, Op::Write, 200.0),
            (1, 3, Op::Read, 10.0),
        ];
        assert_eq!(found(&flows), expected);
    }

    #[test]
    fn a_circle_of_what_is_not_counted_ends() {
        assert_eq!(found(&[(0, 2, Op::Read, 1.0), (2, 2, Op::Read, 1.0)]), []);
    }
}
