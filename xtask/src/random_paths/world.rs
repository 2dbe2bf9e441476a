//! What a random path is made of: trees of parts, from the host down to LUNs, and a load.
//!
//! A part stands for one thing, except LUNs, which come in groups of equal ones. It knows nothing
//! of how requests find their way: the study language does for the program, and `truth`, by other
//! arithmetic, for its judge.

/// One part, with what it holds.
#[derive(Clone, Debug, PartialEq)]
pub(crate) struct Part {
    pub kind: &'static str,
    pub name: String,
    /// How many equal ones; only of LUNs more than one.
    pub count: u64,
    /// Bytes a second, in both directions together; none does not limit.
    pub rate: Option<u64>,
    pub holds: Vec<Part>,
}

/// A controller's or adapter's port in the fabric of this number.
#[derive(Clone, Debug, PartialEq)]
pub(crate) struct Wire {
    pub from: String,
    pub fabric: usize,
}

/// How streams see the LUNs.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Layout {
    /// One volume over all of them.
    Stripe { unit: u64 },
    /// The same over pairs.
    Mirrors { unit: u64 },
    /// A stream of each node on each LUN.
    Each,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Load {
    pub layout: Layout,
    /// Percent of requests that read.
    pub reads: u64,
    pub is_random: bool,
    pub block: u64,
    pub depth: u64,
}

/// A path and its load.
#[derive(Clone, Debug, PartialEq)]
pub(crate) struct World {
    pub layers: usize,
    pub nodes: u64,
    /// What limits each node itself.
    pub node_rate: Option<u64>,
    /// What each node holds: adapters, or everything where there is no fabric.
    pub host: Vec<Part>,
    pub fabrics: Vec<Part>,
    pub array: Vec<Part>,
    pub wires: Vec<Wire>,
    pub policy: &'static str,
    /// Of every LUN.
    pub latency_ms: u64,
    pub load: Load,
}

/// A group of equal LUNs, and where it is.
#[derive(Clone, Debug)]
pub(crate) struct Group {
    /// Selector of the group.
    pub name: String,
    pub count: u64,
    pub rate: u64,
}

impl Part {
    pub(crate) fn luns(&self) -> u64 {
        match self.holds.is_empty() && self.kind == LUN {
            true => self.count,
            false => self.holds.iter().map(Part::luns).sum(),
        }
    }
}

/// The kind of a LUN: anything that has limits only.
pub(crate) const LUN: &str = "part";

impl World {
    pub(crate) fn luns(&self) -> u64 {
        self.host.iter().chain(&self.array).map(Part::luns).sum()
    }

    /// In the order of the study file, which is that of a volume's members.
    pub(crate) fn groups(&self) -> Vec<Group> {
        let mut found = Vec::new();
        self.host.iter().for_each(|part| collect(part, "node", &mut found));
        self.array.iter().for_each(|part| collect(part, "box", &mut found));
        found
    }

    /// Requests in flight of all streams together.
    pub(crate) fn in_flight(&self) -> u64 {
        let streams = match self.load.layout {
            Layout::Each => self.luns() * self.nodes,
            Layout::Stripe { .. } | Layout::Mirrors { .. } => self.nodes,
        };
        streams * self.load.depth
    }
}

fn collect(part: &Part, above: &str, found: &mut Vec<Group>) {
    let name = format!("{above}.{}", part.name);
    if part.kind == LUN {
        let rate = part.rate.unwrap_or(u64::MAX);
        found.push(Group { name, count: part.count, rate });
        return;
    }
    part.holds.iter().for_each(|held| collect(held, &name, found));
}

impl Group {
    /// Selector of one of them; one alone has no number.
    pub(crate) fn one(&self, at: u64) -> String {
        match self.count {
            1 => self.name.clone(),
            _ => format!("{}[{at}]", self.name),
        }
    }

    pub(crate) fn each(&self) -> impl Iterator<Item = String> {
        (0..self.count).map(|at| self.one(at))
    }
}
