//! What the path carries and what limits it, by plain arithmetic: the judge of the program.
//!
//! Each byte of a LUN crosses its parents whole, and each of its routes by an equal share. Of a
//! volume each LUN carries the same, so the total is the least ratio of a capacity to its demand;
//! streams of their own get more alike until something on their way is full. It shares no code
//! with the program, and leaves out queues: a limit of requests in flight is that of delays alone.

use super::world::{LUN, Layout, Part, World};

/// Two constraints so close are one: either may be named.
const CLOSE: f64 = 0.9;

/// Something with a capacity.
#[derive(Clone, Debug)]
pub(crate) struct Row {
    /// As the program names it, with an index for equal ones.
    pub name: String,
    pub rate: f64,
    /// The share of each LUN's bytes that crosses it, in the order of the study.
    pub uses: Vec<f64>,
}

/// What limits a path.
#[derive(Clone, Debug)]
pub(crate) struct Truth {
    /// Bytes a second of all streams, where no request waits for another.
    pub throughput: f64,
    /// Who may be named.
    pub limits: Vec<String>,
    /// Whether requests in flight are what limits, or nearly.
    pub is_closed: bool,
    /// Whether a component is.
    pub is_open: bool,
}

impl World {
    /// Everything with a capacity.
    pub(crate) fn rows(&self) -> Vec<Row> {
        let mut rows = Vec::new();
        let (mut at, all) = (0, self.luns() as usize);
        for (parts, above) in [(&self.host, "node"), (&self.array, "box")] {
            let mut to = Below { at: &mut at, all, rows: &mut rows };
            parts.iter().for_each(|part| below(part, above, &mut to));
        }
        (0..self.nodes).for_each(|node| self.of_node(node, &mut rows));
        self.of_fabrics(&mut rows);
        self.of_ports(&mut rows);
        rows
    }

    /// A node has its part of everything, and its adapters theirs of their fabrics.
    fn of_node(&self, node: u64, rows: &mut Vec<Row>) {
        let share = 1.0 / self.nodes as f64;
        let name = if self.nodes == 1 { "node".to_owned() } else { format!("node[{node}]") };
        if let Some(rate) = self.node_rate {
            let uses = vec![share; self.luns() as usize];
            rows.push(Row { name: name.clone(), rate: rate as f64, uses });
        }
        let adapters = if self.fabrics.is_empty() { &[][..] } else { &self.host };
        for (fabric, adapter) in adapters.iter().enumerate() {
            let Some(rate) = adapter.rate else { continue };
            let uses = self.over(fabric).into_iter().map(|use_| use_ * share).collect();
            rows.push(Row { name: format!("{name}.{}", adapter.name), rate: rate as f64, uses });
        }
    }

    fn of_fabrics(&self, rows: &mut Vec<Row>) {
        for (number, fabric) in self.fabrics.iter().enumerate() {
            let Some(rate) = fabric.rate else { continue };
            let uses = self.over(number);
            rows.push(Row { name: fabric.name.clone(), rate: rate as f64, uses });
        }
    }

    fn of_ports(&self, rows: &mut Vec<Row>) {
        for (controller, ports) in self.ports() {
            let share = 1.0 / ports.len() as f64;
            let behind = self.behind(controller);
            for port in ports {
                let Some(rate) = port.rate else { continue };
                let name = format!("box.{}.{}", controller.name, port.name);
                let uses = behind.iter().map(|is| if *is { share } else { 0.0 }).collect();
                rows.push(Row { name, rate: rate as f64, uses });
            }
        }
    }

    /// Ports of each controller.
    fn ports(&self) -> impl Iterator<Item = (&Part, Vec<&Part>)> {
        self.array.iter().map(|controller| {
            (controller, controller.holds.iter().filter(|part| part.kind == "port").collect())
        })
    }

    /// Which LUNs a controller owns.
    fn behind(&self, controller: &Part) -> Vec<bool> {
        let owned = self
            .array
            .iter()
            .flat_map(|one| std::iter::repeat_n(one.name == controller.name, one.luns() as usize));
        owned.collect()
    }

    /// The share of each LUN's bytes in a fabric: routes are used alike.
    fn over(&self, fabric: usize) -> Vec<f64> {
        let mut uses = vec![0.0; self.luns() as usize];
        for (controller, ports) in self.ports() {
            let start = format!("box.{}.", controller.name);
            let wires = self.wires.iter().filter(|wire| wire.fabric == fabric);
            let wired = wires.filter(|wire| wire.from.starts_with(&start)).count();
            let share = wired as f64 / ports.len() as f64;
            let behind = self.behind(controller);
            uses.iter_mut().zip(behind).filter(|(_, is)| *is).for_each(|(use_, _)| *use_ += share);
        }
        uses
    }

    /// Bytes on media for a byte of a stream.
    fn copies(&self) -> f64 {
        let writes = 1.0 - self.load.reads as f64 / 100.0;
        match self.load.layout {
            Layout::Mirrors { .. } => 1.0 + writes,
            Layout::Stripe { .. } | Layout::Each => 1.0,
        }
    }

    pub(crate) fn truth(&self) -> Truth {
        let rows = self.rows();
        let (throughput, limits) = match self.load.layout {
            Layout::Each => {
                let rates = fill(&rows, &vec![true; self.luns() as usize]);
                let full = rows.iter().filter(|row| row.carries(&rates) >= row.rate * CLOSE);
                (rates.iter().sum(), full.map(|row| row.name.clone()).collect())
            }
            Layout::Stripe { .. } | Layout::Mirrors { .. } => self.evenly(&rows),
        };
        let closed = self.closed();
        Truth {
            throughput: throughput.min(closed),
            limits,
            is_closed: closed * CLOSE < throughput,
            is_open: throughput * CLOSE < closed,
        }
    }

    /// The load spread over all LUNs alike: who has the highest demand for its capacity.
    fn evenly(&self, rows: &[Row]) -> (f64, Vec<String>) {
        let part = self.copies() / self.luns() as f64;
        let most = |row: &Row| row.rate / (row.uses.iter().sum::<f64>() * part);
        let least = rows.iter().map(most).fold(f64::INFINITY, f64::min);
        let close = rows.iter().filter(|row| most(row) * CLOSE <= least);
        (least, close.map(|row| row.name.clone()).collect())
    }

    /// What requests in flight allow when each takes no more than the delay; without one anything.
    fn closed(&self) -> f64 {
        match self.latency_ms {
            0 => f64::INFINITY,
            ms => (self.in_flight() * self.load.block) as f64 / (ms as f64 * 1e-3),
        }
    }
}

impl Row {
    /// What crosses it at these rates of the LUNs.
    pub(crate) fn carries(&self, rates: &[f64]) -> f64 {
        self.uses.iter().zip(rates).map(|(use_, rate)| use_ * rate).sum()
    }
}

/// Rates of LUNs that are asked alike, until something on their way is full.
pub(crate) fn fill(rows: &[Row], asked: &[bool]) -> Vec<f64> {
    let mut rates = vec![0.0; asked.len()];
    let mut growing = asked.to_vec();
    while growing.contains(&true) {
        let wanted = |row: &Row| {
            let uses = row.uses.iter().zip(&growing).filter(|(_, grows)| **grows);
            uses.map(|(use_, _)| use_).sum::<f64>()
        };
        let steps = rows.iter().filter(|row| wanted(row) > 0.0);
        let room = |row: &Row| (row.rate - row.carries(&rates)) / wanted(row);
        let step = steps.map(room).fold(f64::INFINITY, f64::min);
        if step.is_infinite() {
            // Nothing limits these.
            rates
                .iter_mut()
                .zip(&growing)
                .filter(|(_, grows)| **grows)
                .for_each(|(rate, _)| *rate = step);
            break;
        }
        rates
            .iter_mut()
            .zip(&growing)
            .filter(|(_, grows)| **grows)
            .for_each(|(rate, _)| *rate += step);
        let full = rows.iter().filter(|row| row.carries(&rates) >= row.rate * (1.0 - 1e-9));
        for row in full {
            growing.iter_mut().zip(&row.uses).for_each(|(grows, use_)| *grows &= *use_ == 0.0);
        }
    }
    rates
}

/// Where the rows of a tree go.
struct Below<'a> {
    /// LUNs so far.
    at: &'a mut usize,
    all: usize,
    rows: &'a mut Vec<Row>,
}

/// Rows of what LUNs cross whole: adapters of a fabric and ports of controllers are not among it.
fn below(part: &Part, above: &str, to: &mut Below<'_>) {
    let name = format!("{above}.{}", part.name);
    let begin = *to.at;
    if part.kind == LUN {
        for number in 0..part.count as usize {
            let mut uses = vec![0.0; to.all];
            uses[begin + number] = 1.0;
            let name = if part.count == 1 { name.clone() } else { format!("{name}[{number}]") };
            to.rows.extend(part.rate.map(|rate| Row { name, rate: rate as f64, uses }));
        }
        *to.at += part.count as usize;
        return;
    }
    part.holds.iter().for_each(|held| below(held, &name, to));
    let within = begin..*to.at;
    if let (Some(rate), false) = (part.rate, within.is_empty()) {
        let uses = (0..to.all).map(|lun| if within.contains(&lun) { 1.0 } else { 0.0 });
        to.rows.push(Row { name, rate: rate as f64, uses: uses.collect() });
    }
}

#[cfg(test)]
mod tests {
    use super::super::generate;
    use super::*;

    #[test]
    fn who_asks_alike_gets_alike_until_something_is_full() {
        let row = |rate, uses: &[f64]| Row { name: String::new(), rate, uses: uses.to_vec() };
        let rows = [row(10.0, &[1.0, 0.0, 0.0]), row(60.0, &[1.0, 1.0, 1.0])];
        assert_eq!(fill(&rows, &[true; 3]), [10.0, 25.0, 25.0]);
        assert_eq!(fill(&rows, &[true, false, false]), [10.0, 0.0, 0.0]);
    }

    #[test]
    fn each_byte_crosses_all_of_one_layer() {
        for number in 1..=200 {
            let world = generate::world(1, number);
            let rows = world.rows();
            for layer in ["f", "c", "lun"] {
                let is_in = |row: &&Row| {
                    let last = row.name.rsplit('.').next().unwrap_or_default();
                    last.trim_end_matches(|c: char| !c.is_alphabetic()) == layer
                };
                let of: Vec<&Row> = rows.iter().filter(is_in).collect();
                let uses = |lun: usize| of.iter().map(|row| row.uses[lun]).sum::<f64>();
                let is_whole = |lun| of.is_empty() || (uses(lun) - 1.0).abs() < 1e-9;
                assert!((0..world.luns() as usize).all(is_whole), "{number}: {layer}");
            }
        }
    }
}
