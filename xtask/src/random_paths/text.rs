//! A random path as a study: all LUNs together, then two of each class alone.

use std::fmt::Write;

use super::world::{Group, LUN, Layout, Load, Part, Wire, World};

/// Title of the experiment with everything at once.
pub(crate) const TOGETHER: &str = "together";

/// Requests in flight on a LUN alone; the kernel lets no more than twelve through to a device.
const ALONE: u64 = 8;

/// What a study shows of the path.
pub(crate) enum Shown<'a> {
    /// With its capacities.
    Rated,
    /// Without them, on these devices.
    Bare(&'a [String]),
}

impl World {
    pub(crate) fn study(&self, title: &str) -> String {
        let mut text = format!("study {title:?}\n{}{}", self.path(&Shown::Rated), self.layout());
        push_experiment(&mut text, TOGETHER, &self.streams());
        for (title, target) in self.alone() {
            let Load { reads, block, .. } = self.load;
            let first = if self.nodes == 1 { "node" } else { "node[0]" };
            let streams = format!(
                "streams \"app\" on={first:?} over={target:?} {} block=\"{block} B\" depth={ALONE}",
                ops(reads)
            );
            push_experiment(&mut text, &title, &streams);
        }
        text
    }

    /// The path alone: what `profile` is given.
    pub(crate) fn bare(&self, title: &str, devices: &[String]) -> String {
        let over: Vec<String> = self.groups().iter().map(|group| group.name.clone()).collect();
        let streams = format!("streams \"app\" over={:?} block=\"64 KiB\"", over.join(", "));
        let path = self.path(&Shown::Bare(devices));
        format!("study {title:?}\n{path}workload {{ {streams} }}\n")
    }

    /// Two LUNs of each class, which are those of one rate, by the titles of their experiments.
    pub(crate) fn alone(&self) -> Vec<(String, String)> {
        let groups = self.groups();
        let mut rates: Vec<u64> = groups.iter().map(|group| group.rate).collect();
        rates.sort_unstable();
        rates.dedup();
        let two = |rate: u64| {
            let of = groups.iter().filter(move |group| group.rate == rate).flat_map(Group::each);
            let of: Vec<String> = of.collect();
            let last = of.last().filter(|_| of.len() > 1).cloned();
            of.first().cloned().into_iter().chain(last)
        };
        rates.into_iter().flat_map(two).map(|name| (format!("alone {name}"), name)).collect()
    }

    fn path(&self, shown: &Shown<'_>) -> String {
        let mut text = String::from("path {\n");
        let rate = rate(self.node_rate, shown);
        let _ = writeln!(text, "    host \"node\"{}{rate} {{", count(self.nodes));
        text.push_str("        cost use=(assumed)\"free\"\n");
        self.host.iter().for_each(|part| self.part(part, 2, shown, &mut text));
        text.push_str("    }\n");
        self.fabrics.iter().for_each(|part| self.part(part, 1, shown, &mut text));
        if !self.array.is_empty() {
            text.push_str("    array \"box\" {\n");
            self.array.iter().for_each(|part| self.part(part, 2, shown, &mut text));
            text.push_str("    }\n");
        }
        for Wire { from, fabric } in &self.wires {
            let to = &self.fabrics[*fabric].name;
            let _ = writeln!(text, "    wire from={from:?} to={to:?}");
        }
        if !self.fabrics.is_empty() {
            let _ = writeln!(text, "    multipath policy={:?}", self.policy);
        }
        if let Shown::Bare(devices) = shown {
            let each: Vec<String> = self.groups().iter().flat_map(Group::each).collect();
            let (from, to) = (each.join(", "), devices.join(", "));
            let _ = writeln!(text, "    bind from={from:?} to={to:?}");
        }
        text.push_str("}\n");
        text
    }

    fn part(&self, part: &Part, depth: usize, shown: &Shown<'_>, text: &mut String) {
        let Part { kind, name, count: number, .. } = part;
        let (indent, count, rate) = ("    ".repeat(depth), count(*number), rate(part.rate, shown));
        let _ = write!(text, "{indent}{kind} {name:?}{count}{rate}");
        if *kind == LUN {
            let delay = match (self.latency_ms, shown) {
                (0, _) | (_, Shown::Bare(_)) => String::new(),
                (ms, Shown::Rated) => format!(" latency=(given)\"{ms} ms\""),
            };
            let _ = writeln!(text, "{delay} size=\"1 GiB\"");
        } else if part.holds.is_empty() {
            text.push('\n');
        } else {
            text.push_str(" {\n");
            part.holds.iter().for_each(|held| self.part(held, depth + 1, shown, text));
            let _ = writeln!(text, "{indent}}}");
        }
    }

    fn layout(&self) -> String {
        let groups = self.groups();
        let each: Vec<String> = groups.iter().flat_map(Group::each).collect();
        let names = |part: &[String]| part.join(", ");
        match self.load.layout {
            Layout::Each => String::new(),
            Layout::Stripe { unit } => format!(
                "layout {{\n    stripe \"vol\" unit=\"{unit} B\" over={:?}\n}}\n",
                names(&each)
            ),
            Layout::Mirrors { unit } => {
                let (one, other) = each.split_at(each.len() / 2);
                let side = |names: String| format!("        side of={names:?}\n");
                let sides = side(names(one)) + &side(names(other));
                format!(
                    "layout {{\n    mirror \"pair\" {{\n{sides}    }}\n    \
                     stripe \"vol\" unit=\"{unit} B\" over=\"pair\"\n}}\n"
                )
            }
        }
    }

    fn streams(&self) -> String {
        let Load { layout, reads, is_random, block, depth } = self.load;
        let over = match layout {
            Layout::Each => {
                let groups = self.groups();
                groups.iter().map(|group| group.name.as_str()).collect::<Vec<_>>().join(", ")
            }
            Layout::Stripe { .. } | Layout::Mirrors { .. } => "vol".to_owned(),
        };
        let pattern = if is_random { "random" } else { "sequential" };
        format!(
            "streams \"app\" on=\"node\" over={over:?} {} pattern={pattern:?} \
             block=\"{block} B\" depth={depth}",
            ops(reads)
        )
    }
}

fn push_experiment(text: &mut String, title: &str, streams: &str) {
    let _ = writeln!(
        text,
        "experiment {title:?} {{\n    workload time=\"4 s\" warm-up=\"1 s\" {{\n        \
         {streams}\n    }}\n}}"
    );
}

fn ops(reads: u64) -> String {
    match reads {
        100 => "op=\"read\"".to_owned(),
        0 => "op=\"write\"".to_owned(),
        share => format!("op=\"mix\" reads=\"{share} %\""),
    }
}

fn count(number: u64) -> String {
    if number == 1 { String::new() } else { format!(" count={number}") }
}

fn rate(rate: Option<u64>, shown: &Shown<'_>) -> String {
    match (rate, shown) {
        (Some(rate), Shown::Rated) => format!(" both=(given)\"{rate} B/s\""),
        _ => String::new(),
    }
}
