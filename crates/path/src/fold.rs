//! Colour refinement: which nodes of a labelled graph are alike.
//!
//! Nodes of one class have the same initial colour and, for each label and class, equally many
//! edges of that label to that class: the partition is equitable. Of all such partitions this is
//! the coarsest, and there is only one (it is also called 1-dimensional Weisfeiler–Leman). Law and
//! bound, O((n + m) log n): Cardon and Crochemore, Partitioning a graph in O(|A| log |V|),
//! Theoretical Computer Science 19 (1982); that of the parts of a split class the largest need not
//! be looked at again is Hopcroft's rule (1971).
//!
//! Being alike is weaker than being exchangeable: two triangles are alike to a hexagon. Linear
//! programs cannot tell these apart either, so folding them by this is exact (Grohe, Kersting,
//! Mladenov and Selman, Dimension reduction via colour refinement, ESA 2014).

/// A label of a number for [`refine`]: its bits, rounded to 40 binary places of the mantissa.
///
/// That keeps more than 12 significant decimal digits (2^-41 < 5·10^-13), and numbers that should
/// be equal but were summed in another order nearly always become so. Where rounding parts them
/// all the same, classes are finer than they need to be, and never wrong.
#[must_use]
pub fn label(value: f64) -> u64 {
    const CUT: u32 = f64::MANTISSA_DIGITS - 1 - 40;
    if value == 0.0 {
        return 0;
    }
    value.to_bits().saturating_add(1 << (CUT - 1)) >> CUT << CUT
}

/// The class of each node in the coarsest equitable partition; classes are numbered by their first
/// node.
///
/// `initial` has the colour of each node, `edges` two nodes and a label. Both ends see the edge,
/// and each knows which end it is; what has no direction is written down both ways. Edges may be
/// there several times, and each counts.
///
/// # Panics
///
/// When an edge names a node that `initial` does not have, or at 2^31 edges.
#[must_use]
pub fn refine(initial: &[u64], edges: &[(u32, u32, u64)]) -> Vec<u32> {
    assert!(edges.len() < 1 << 31, "labels of both ends are counted in 32 bits");
    let graph = Graph::new(initial.len(), edges);
    let mut partition = Partition::new(initial);
    let mut touches = Vec::new();
    while let Some(class) = partition.next_waiting() {
        graph.touch(&partition, class, &mut touches);
        touches.sort_unstable_by_key(|touch| touch.label);
        for alike in touches.chunk_by(|one, other| one.label == other.label) {
            partition.split(alike);
        }
    }
    partition.by_first_member()
}

/// The edges of each node, with both ends' view of a label as a number of its own.
struct Graph {
    /// Where the edges of a node begin in `seen`; one more at the end.
    first: Vec<u32>,
    /// What each node at the other end sees.
    seen: Vec<Touch>,
}

/// A node that has an edge of a label to the class that is looked at.
#[derive(Clone, Copy, Debug, Default)]
struct Touch {
    label: u32,
    node: u32,
}

impl Graph {
    fn new(nodes: usize, edges: &[(u32, u32, u64)]) -> Self {
        let mut first = vec![0; nodes + 1];
        for &(from, to, _) in edges {
            first[from as usize] += 1;
            first[to as usize] += 1;
        }
        let mut end = 0;
        for place in &mut first {
            end += *place;
            *place = end;
        }
        let labels = distinct(edges.iter().map(|&(.., label)| label));
        let mut seen = vec![Touch::default(); 2 * edges.len()];
        let mut add = |node: u32, touch| {
            first[node as usize] -= 1;
            seen[first[node as usize] as usize] = touch;
        };
        // Edges of one node have often one label.
        let (mut last, mut number) = (0, 0);
        for &(from, to, label) in edges {
            if label != last {
                (last, number) = (label, labels.partition_point(|&other| other < label));
            }
            let label = 2 * number as u32;
            add(from, Touch { label, node: to });
            add(to, Touch { label: label + 1, node: from });
        }
        Self { first, seen }
    }

    /// Collects what touches a class, except for nodes that have a class of their own already.
    fn touch(&self, partition: &Partition, class: u32, touches: &mut Vec<Touch>) {
        touches.clear();
        for &node in partition.members_of(class) {
            let node = node as usize;
            let seen = &self.seen[self.first[node] as usize..self.first[node + 1] as usize];
            touches.extend(seen.iter().filter(|touch| !partition.is_alone(touch.node)));
        }
    }
}

fn distinct(values: impl Iterator<Item = u64>) -> Vec<u64> {
    let mut last = None;
    // Most are as the one before, and need not be sorted.
    let mut values: Vec<u64> =
        values.filter(|value| last.replace(*value) != Some(*value)).collect();
    values.sort_unstable();
    values.dedup();
    values
}

/// Nodes in classes; each class is a run of `members`.
struct Partition {
    members: Vec<u32>,
    /// Of each node in `members`.
    position: Vec<u32>,
    class: Vec<u32>,
    runs: Vec<Run>,
    waiting: Vec<u32>,
    /// How often each node is touched, while a split is found; 0 otherwise.
    count: Vec<u32>,
    /// Room that is used again for each split.
    room: Room,
}

#[derive(Default)]
struct Room {
    touched: Vec<u32>,
    counted: Vec<Counted>,
}

#[derive(Clone, Copy, Default)]
struct Run {
    start: u32,
    end: u32,
    waits: bool,
    /// Nodes that are touched, while a split is found; 0 otherwise.
    touched: u32,
    /// How often the first of these is.
    first_count: u32,
    /// Whether others are touched more often or less.
    is_mixed: bool,
}

impl Run {
    fn len(self) -> u32 {
        self.end - self.start
    }

    /// Whether its nodes are not all touched equally often.
    fn splits(self) -> bool {
        self.is_mixed || self.touched < self.len()
    }
}

/// A node with its class and how many edges it has to the class that is looked at; sorted, what
/// stays together is together.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
struct Counted {
    class: u32,
    count: u32,
    node: u32,
}

impl Partition {
    fn new(initial: &[u64]) -> Self {
        let mut members: Vec<u32> = (0..initial.len() as u32).collect();
        members.sort_by_key(|&node| initial[node as usize]);
        let mut class = vec![0; members.len()];
        let mut position = vec![0; members.len()];
        let mut runs = Vec::new();
        let mut start = 0;
        for alike in members.chunk_by(|&a, &b| initial[a as usize] == initial[b as usize]) {
            for (&node, place) in alike.iter().zip(start..) {
                class[node as usize] = runs.len() as u32;
                position[node as usize] = place;
            }
            let end = start + alike.len() as u32;
            runs.push(Run { start, end, waits: true, ..Run::default() });
            start = end;
        }
        let waiting = (0..runs.len() as u32).collect();
        let count = vec![0; members.len()];
        Self { members, position, class, runs, waiting, count, room: Room::default() }
    }

    fn members_of(&self, class: u32) -> &[u32] {
        let run = self.runs[class as usize];
        &self.members[run.start as usize..run.end as usize]
    }

    fn is_alone(&self, node: u32) -> bool {
        self.runs[self.class[node as usize] as usize].len() == 1
    }

    fn next_waiting(&mut self) -> Option<u32> {
        let class = self.waiting.pop()?;
        self.runs[class as usize].waits = false;
        Some(class)
    }

    fn wait(&mut self, class: u32) {
        let run = &mut self.runs[class as usize];
        if !run.waits {
            run.waits = true;
            self.waiting.push(class);
        }
    }

    /// Splits each class by how often its nodes are in `touches`. Most are not split, so what is
    /// touched is counted first, and sorted only where it must be.
    fn split(&mut self, touches: &[Touch]) {
        let mut room = std::mem::take(&mut self.room);
        self.count(touches, &mut room.touched);
        room.counted.extend(room.touched.iter().filter_map(|&node| {
            let class = self.class[node as usize];
            let count = self.count[node as usize];
            self.runs[class as usize].splits().then_some(Counted { class, count, node })
        }));
        for node in room.touched.drain(..) {
            self.count[node as usize] = 0;
            let run = &mut self.runs[self.class[node as usize] as usize];
            (run.touched, run.is_mixed) = (0, false);
        }
        room.counted.sort_unstable();
        for part in room.counted.chunk_by(|one, other| one.class == other.class) {
            self.split_class(part);
        }
        room.counted.clear();
        self.room = room;
    }

    /// Counts how often each node, and how many nodes of each class, are touched.
    fn count(&mut self, touches: &[Touch], touched: &mut Vec<u32>) {
        for touch in touches {
            let count = &mut self.count[touch.node as usize];
            if *count == 0 {
                touched.push(touch.node);
            }
            *count += 1;
        }
        for &node in &*touched {
            let count = self.count[node as usize];
            let run = &mut self.runs[self.class[node as usize] as usize];
            if run.touched == 0 {
                run.first_count = count;
            }
            run.touched += 1;
            run.is_mixed |= run.first_count != count;
        }
    }

    /// Splits one class by the counts of those of its nodes that are touched; the others, if
    /// there are any, remain in it, else those of the first count.
    fn split_class(&mut self, touched: &[Counted]) {
        let class = touched[0].class;
        let untouched = self.runs[class as usize].len() as usize - touched.len();
        let parts = touched.chunk_by(|one, other| one.count == other.count);
        let first_new = self.runs.len() as u32;
        for part in parts.skip(usize::from(untouched == 0)) {
            self.carve(class, part);
        }
        let new = first_new..self.runs.len() as u32;
        let mut largest = class;
        if !self.runs[class as usize].waits {
            for part in new.clone() {
                if self.runs[part as usize].len() > self.runs[largest as usize].len() {
                    largest = part;
                }
            }
        }
        for part in std::iter::once(class).chain(new).filter(|&part| part != largest) {
            self.wait(part);
        }
    }

    /// Moves nodes from their class to a new one.
    fn carve(&mut self, class: u32, part: &[Counted]) {
        let end = self.runs[class as usize].end;
        let start = end - part.len() as u32;
        for (place, counted) in (start..end).rev().zip(part) {
            let from = self.position[counted.node as usize];
            let other = self.members[place as usize];
            self.members.swap(from as usize, place as usize);
            self.position[other as usize] = from;
            self.position[counted.node as usize] = place;
            self.class[counted.node as usize] = self.runs.len() as u32;
        }
        self.runs[class as usize].end = start;
        self.runs.push(Run { start, end, ..Run::default() });
    }

    fn by_first_member(&self) -> Vec<u32> {
        const UNSEEN: u32 = u32::MAX;
        let mut number = vec![UNSEEN; self.runs.len()];
        let mut next = 0;
        let numbered = self.class.iter().map(|&class| {
            let number = &mut number[class as usize];
            if *number == UNSEEN {
                *number = next;
                next += 1;
            }
            *number
        });
        numbered.collect()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn both_ways(edges: &[(u32, u32)]) -> Vec<(u32, u32, u64)> {
        edges.iter().flat_map(|&(a, b)| [(a, b, 0), (b, a, 0)]).collect()
    }

    #[test]
    fn a_path_folds_at_its_middle() {
        let path = both_ways(&[(0, 1), (1, 2), (2, 3), (3, 4)]);
        assert_eq!(refine(&[0; 5], &path), [0, 1, 2, 1, 0]);
    }

    #[test]
    fn two_triangles_are_alike_to_a_hexagon() {
        let hexagon = [(0, 1), (1, 2), (2, 3), (3, 4), (4, 5), (5, 0)];
        let triangles = [(6, 7), (7, 8), (8, 6), (9, 10), (10, 11), (11, 9)];
        let graph = both_ways(&[hexagon, triangles].concat());
        assert_eq!(refine(&[7; 12], &graph), [0; 12]);
    }

    #[test]
    fn labels_colours_direction_and_number_of_edges_part_nodes() {
        assert_eq!(refine(&[0; 4], &[(0, 1, 5), (2, 3, 5)]), [0, 1, 0, 1]);
        assert_eq!(refine(&[0; 4], &[(0, 1, 5), (2, 3, 6)]), [0, 1, 2, 3]);
        assert_eq!(refine(&[0, 9, 0, 8], &[(0, 1, 5), (2, 3, 5)]), [0, 1, 2, 3]);
        assert_eq!(refine(&[0; 4], &[(0, 1, 5), (2, 3, 5), (2, 3, 5)]), [0, 1, 2, 3]);
        assert_eq!(refine(&[0; 3], &[(0, 0, 1), (1, 2, 1), (2, 1, 1)]), [0, 0, 0]);
        assert_eq!(refine(&[], &[]), [0_u32; 0]);
    }

    #[test]
    fn labels_of_numbers_tell_twelve_digits_apart_and_no_noise() {
        assert_eq!(label(0.1 + 0.2), label(0.3));
        assert_eq!(label(-0.0), label(0.0));
        assert_ne!(label(1.0), label(-1.0));
        assert_ne!(label(1.000_000_000_01), label(1.0));
        assert_ne!(label(9.999_999_999_99e15), label(1e16));
        assert_ne!(label(f64::INFINITY), label(f64::MAX / 2.0));
    }
}
