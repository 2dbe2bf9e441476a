//! A profile: what everything carries, then each component, each device alone, how levels scale,
//! and what a request costs.

mod exceeded;

use std::collections::{BTreeMap, BTreeSet};

use iopath_analysis::capacities::{Carried, Figure as Measured, Load, REREAD_BYTES};
use iopath_study::unindexed;
use iopath_units::{Bytes, Op, System};

use super::path::{Caption, drawn};
use crate::document::{Axis, Block, Chart, Column, Document, Figure, Mark, Section, Table, Trace};
use crate::numbers::{between, operations, rate, size, time};
use crate::view::profile::{
    AloneProfile, ComponentProfile, LevelProfile, LoadCarried, PROFILE_TITLE, Profile,
};
use crate::view::run::Drawn;
use crate::words::evidence::cause_alone;
use crate::words::prediction::list;
use crate::words::{profile as words, warnings};

/// The whole profile.
#[must_use]
pub fn document(profile: &Profile, system: System) -> Document {
    let mut answer = vec![Block::Verdict(words::sentence(profile, system))];
    let next = [Op::Read, Op::Write].map(|op| words::next(&profile.stages(op), system));
    answer.extend(Block::lines(next.into_iter().flatten().collect()));
    let sections = [
        Section::of("verdict", "verdict", answer),
        Section::of("components", "components", components(profile, system)),
        Section::of("devices", "each device alone", alone(&profile.alone, system)),
        Section::of("levels", "scaling", levels(profile, system)),
        Section::of("costs", "cost of a request", costs(profile, system)),
        Section::of("doubt", "warnings", doubt(profile, system)),
    ];
    Document {
        title: PROFILE_TITLE.to_owned(),
        sections: sections.into_iter().flatten().collect(),
        ..Document::default()
    }
}

/// The path with what was measured of it, under large reads.
pub(crate) fn path(of: &Drawn, profile: &Profile, system: System) -> Option<Section> {
    let devices = words::devices(profile.widest(Op::Read)?);
    let caption = Caption {
        id: "path".to_owned(),
        title: format!("The path at its measured capacities, under large reads of {devices}"),
        more: " Bounds, not measured rates.".to_owned(),
        table: format!("path, predicted, large reads of {devices}"),
    };
    let diagram = Block::Diagram(Box::new(drawn(of, caption, system)));
    Section::of("path", "path", vec![diagram])
}

fn levels(profile: &Profile, system: System) -> Vec<Block> {
    let mut rows: Vec<Vec<&LevelProfile>> = Vec::new();
    let of = |level: &LevelProfile| -> (Load, Vec<String>) {
        (level.load, level.names.iter().map(|name| unindexed(name)).collect())
    };
    for level in &profile.levels {
        match rows.iter_mut().find(|row| of(row[0]) == of(level)) {
            Some(row) => row.push(level),
            None => rows.push(vec![level]),
        }
    }
    let line = |row: &Vec<&LevelProfile>| match row.len() {
        1 => words::level(row[0], system),
        all => format!("{} (the first of {all})", words::level(row[0], system)),
    };
    let curves = rows.iter().map(|row| row[0]).filter(|level| level.scaling.steps.len() > 2);
    let figures = curves.enumerate().map(|(at, level)| Block::Figure(figure(at, level, system)));
    let lines = Block::lines(rows.iter().map(line).collect());
    lines.into_iter().chain(figures).collect()
}

/// Rate over the number of parts, with the line of perfect scaling.
fn figure(at: usize, level: &LevelProfile, system: System) -> Figure {
    let steps = &level.scaling.steps;
    let unit = words::unit(level.load);
    let one = steps.first().map_or(0.0, |step| step.rate);
    let columns = vec![
        Column::numbers("parts", steps.iter().map(|step| step.parts as f64).collect()),
        Column::numbers(format!("together_{unit}"), steps.iter().map(|step| step.rate).collect()),
        Column::numbers(
            format!("alone_times_parts_{unit}"),
            steps.iter().map(|step| one * step.parts as f64).collect(),
        ),
    ];
    let y = match level.load.figure {
        Measured::Operations => Axis::operations_per_sec("requests", &columns[1..]),
        _ => Axis::bytes_per_sec("throughput", &columns[1..], system),
    };
    let x = Axis::plain("parts at once", "")
        .labelled(steps.iter().map(|step| (step.parts as f64, step.parts.to_string())).collect());
    let traces = vec![
        Trace::plain("together", Mark::LineDots, 0, 1),
        Trace::plain("one alone × parts", Mark::Guide, 0, 2),
    ];
    Figure {
        id: format!("scaling-{at}"),
        title: format!("Scaling of {}", words::level_name(level)),
        guide: SCALING.to_owned(),
        columns,
        chart: Chart { x, y, traces, shades: Vec::new() },
    }
}

const SCALING: &str = "Throughput over the number of parts that are measured at once, each with \
    all its devices. On the guide every part carries as much as alone; where the line leaves it, \
    something that the parts share is full. A part is what the component contains next: an adapter \
    of a machine, a drive of an adapter.";

/// Instances of one declaration whose loads ended alike are one row.
struct Row<'a> {
    members: Vec<&'a ComponentProfile>,
}

fn components(profile: &Profile, system: System) -> Vec<Block> {
    let mut rows: Vec<Row<'_>> = Vec::new();
    for component in &profile.components {
        let is_same = |row: &&mut Row<'_>| {
            let first = row.members[0];
            first.declared == component.declared && states(first) == states(component)
        };
        match rows.iter_mut().find(is_same) {
            Some(row) => row.members.push(component),
            None => rows.push(Row { members: vec![component] }),
        }
    }
    let loads: BTreeMap<Load, ()> = profile
        .components
        .iter()
        .flat_map(|one| one.carried.iter().map(|carried| (carried.load, ())))
        .collect();
    let table = Table::of(&rows).column("component", Row::name);
    let table = loads.into_keys().fold(table, |table, load| {
        table.column(&words::column(load), |row| row.carried(load, system))
    });
    let table = table.expendable(1, "devices", |row| row.members[0].devices.len().to_string());
    let mut blocks = vec![Block::Table(table.done())];
    blocks.extend(legend(profile));
    blocks.extend(Block::lines(alike(&profile.components)));
    blocks
}

/// What the signs that occur in the table mean.
fn legend(profile: &Profile) -> Option<Block> {
    let all = || profile.components.iter().flat_map(|one| &one.carried);
    let has_more = all().any(|one| matches!(one.carried, Carried::AtLeast(_)));
    let is_unsure = all().any(|one| matches!(one.carried, Carried::Perhaps(_)));
    let is_reread = all().any(|one| one.load.is_reread());
    let again = format!("re-read: the same {}, which a cache below may serve", Bytes(REREAD_BYTES));
    let signs = [
        is_reread.then_some(again.as_str()),
        has_more.then_some("≥: it carried this much and was not full"),
        is_unsure.then_some("?: it or another one was full"),
    ];
    let signs: Vec<&str> = signs.into_iter().flatten().collect();
    (!signs.is_empty()).then(|| Block::Text(signs.join("; ")))
}

impl<'a> Row<'a> {
    fn name(&self) -> String {
        of_several(&self.members[0].name, self.members.len())
    }

    fn carried(&self, load: Load, system: System) -> String {
        let of_load =
            |one: &&'a ComponentProfile| one.carried.iter().find(|carried| carried.load == load);
        let all: Vec<&LoadCarried> = self.members.iter().filter_map(of_load).collect();
        let seen = all.iter().filter_map(|one| one.carried.seen());
        let Some(first) = all.first() else { return "-".to_owned() };
        words::carried(first.carried, &spread(seen, |rate| words::amount(load, rate, system)))
    }
}

/// The least and the most of some figures, or the only one.
fn spread(figures: impl Iterator<Item = f64>, written: impl Fn(f64) -> String) -> String {
    let mut figures: Vec<f64> = figures.collect();
    figures.sort_by(f64::total_cmp);
    match (figures.first(), figures.last()) {
        (Some(least), Some(most)) => match between(&written(*least), &written(*most)) {
            equal if equal.is_empty() => written(*most),
            range => range,
        },
        _ => "-".to_owned(),
    }
}

/// What became of each load.
fn states(component: &ComponentProfile) -> Vec<(Load, u8)> {
    let state = |carried: &LoadCarried| match carried.carried {
        Carried::Full(_) => 0,
        Carried::Perhaps(_) => 1,
        Carried::AtLeast(_) => 2,
        Carried::Nothing => 3,
    };
    component.carried.iter().map(|carried| (carried.load, state(carried))).collect()
}

/// Components that were full and that no experiment separates from others, each set once; of sets
/// of the same declarations the first.
fn alike(all: &[ComponentProfile]) -> Vec<String> {
    let mut said: BTreeSet<BTreeSet<&String>> = BTreeSet::new();
    let mut sets: Vec<(Vec<String>, usize)> = Vec::new();
    for component in all {
        let full = component.carried.iter().filter(|one| one.carried.capacity().is_some());
        for others in full.map(|one| &one.alike).filter(|others| !others.is_empty()) {
            let names: Vec<&String> = [&component.name].into_iter().chain(others).collect();
            if !said.insert(names.iter().copied().collect()) {
                continue;
            }
            let names: Vec<String> = names.into_iter().cloned().collect();
            match sets.iter_mut().find(|(first, _)| declared(first) == declared(&names)) {
                Some((_, count)) => *count += 1,
                None => sets.push((names, 1)),
            }
        }
    }
    sets.iter().map(|(names, count)| one_of(names, *count)).collect()
}

/// Names without what tells equal components apart.
fn declared(names: &[String]) -> Vec<String> {
    let mut names: Vec<String> = names.iter().map(|name| unindexed(name)).collect();
    names.sort_unstable();
    names
}

fn one_of(names: &[String], sets: usize) -> String {
    let names = list(names);
    match sets {
        1 => format!("{names}: the same devices use them, so one of them was full"),
        all => format!(
            "{names}, and {} more such sets: the same devices use them, so one of each was full",
            all - 1
        ),
    }
}

/// Devices of one declaration under one load are one row.
fn alone(alone: &[AloneProfile], system: System) -> Vec<Block> {
    let mut rows: Vec<Vec<&AloneProfile>> = Vec::new();
    for one in alone {
        let of = |row: &Vec<&AloneProfile>| (unindexed(&row[0].device), row[0].load);
        match rows.iter_mut().find(|row| of(row) == (unindexed(&one.device), one.load)) {
            Some(row) => row.push(one),
            None => rows.push(vec![one]),
        }
    }
    if rows.is_empty() {
        return Vec::new();
    }
    let of = |row: &[&AloneProfile], figure: Reading, text: &Text| {
        spread(row.iter().filter_map(|one| figure(one)), text)
    };
    let table = Table::of(&rows)
        .column("device", |row| named(row))
        .column("load", |row| words::load(row[0].load))
        .column("rate", |row| of(row, |one| Some(one.bytes_per_sec), &|r| rate(r, system)))
        .column("IOPS", |row| {
            of(row, |one| Some(one.operations_per_sec), &|r| operations(r, system))
        })
        .column("p50", |row| {
            of(row, |one| one.latency_ns_p50.map(|ns| ns as f64), &|t| time(t, system))
        })
        .expendable(2, "p99", |row| {
            of(row, |one| one.latency_ns_p99.map(|ns| ns as f64), &|t| time(t, system))
        })
        .expendable(1, "CPU/request", |row| of(row, |one| one.cpu_ns, &|t| time(t, system)))
        .expendable(3, "limit", |row| limits(row));
    vec![Block::Table(table.done())]
}

type Text<'a> = dyn Fn(f64) -> String + 'a;
type Reading = fn(&AloneProfile) -> Option<f64>;

fn named(row: &[&AloneProfile]) -> String {
    of_several(&row[0].device, row.len())
}

/// The name of so many equal ones by that of the first: `server.disk (24)`.
fn of_several(first: &str, count: usize) -> String {
    match count {
        1 => first.to_owned(),
        all => format!("{} ({all})", unindexed(first)),
    }
}

/// What limited devices alone, each cause once.
fn limits(row: &[&AloneProfile]) -> String {
    let mut causes: Vec<&str> = row.iter().map(|one| cause_alone(one.limit)).collect();
    causes.sort_unstable();
    causes.dedup();
    causes.join(", ")
}

fn costs(profile: &Profile, system: System) -> Vec<Block> {
    let Some(costs) = profile.costs else { return Vec::new() };
    let request = time(costs.request_s * 1e9, system);
    let text = match costs.byte_s > 0.0 {
        true => format!(
            "a read takes {request} of processor time, and one second for each {} of data",
            size((1.0 / costs.byte_s) as u64, system)
        ),
        false => format!("a read takes {request} of processor time, whatever its size"),
    };
    let mut blocks = vec![Block::Text(text)];
    blocks.extend(words::copies(profile, costs, system).map(Block::Text));
    let mut one_at_a_time: Vec<&AloneProfile> =
        profile.alone.iter().filter(|one| one.load.figure == Measured::Latency).collect();
    one_at_a_time.sort_by_key(|one| (one.load, one.latency_ns_p50));
    one_at_a_time.dedup_by_key(|one| one.load);
    let layers = one_at_a_time.into_iter().filter_map(|one| words::layers(one, system));
    let flushed = profile.alone.iter().find(|one| one.load.is_flushed());
    let flush = flushed.and_then(|one| words::flush(profile, &one.device, system));
    blocks.extend(Block::lines(layers.chain(flush).collect()));
    blocks
}

fn doubt(profile: &Profile, system: System) -> Vec<Block> {
    let exceeded = exceeded::warnings(&profile.components, system).into_iter();
    let each = profile.unexplained.iter().map(|title| {
        let text = format!(
            "{title}: devices got less than alone, and no component explains it: rates changed \
             between experiments, or they share a limit that the path does not have"
        );
        Block::warning(String::new(), text)
    });
    let short = all_of(
        &profile.too_short,
        "half of the requests took longer than a quarter of a pass, so its rate is uncertain: use \
         a longer --time",
    );
    let not_served = all_of(
        &profile.not_served,
        "the devices saw less than half of the bytes that were read: holes of a sparse file, a \
         cache or memory supplied the rest, so this says nothing of the path",
    );
    let disturbed = profile.disturbed.iter().map(|one| {
        let (of, all) = (one.experiments, profile.experiments);
        let text = warnings::text(&one.worst, system);
        Block::warning(String::new(), format!("{of} of {all} experiments, at worst: {text}"))
    });
    exceeded.chain(each).chain(short).chain(not_served).chain(disturbed).collect()
}

/// A warning about experiments, of which the first is named.
fn all_of(titles: &[String], text: &str) -> Option<Block> {
    let (first, rest) = titles.split_first()?;
    let more = match rest.len() {
        0 => String::new(),
        more => format!(" and {more} more"),
    };
    Some(Block::warning(String::new(), format!("{first}{more}: {text}")))
}

#[cfg(test)]
mod tests {
    use iopath_analysis::capacities::loads;
    use iopath_analysis::findings::Warning;
    use iopath_study::PartId;

    use super::*;
    use crate::view::profile::Disturbed;

    fn component(name: &str, alike: &[&str]) -> ComponentProfile {
        let carried = LoadCarried {
            load: loads(false, false).next().unwrap(),
            carried: Carried::Full(1e8),
            experiment: String::new(),
            limits_all: false,
            passes: [1e8, 1e8],
            alike: alike.iter().map(|name| (*name).to_owned()).collect(),
            exceeded: Vec::new(),
        };
        ComponentProfile {
            part: PartId(0),
            name: name.to_owned(),
            kind: "hba",
            declared: 0,
            equal: 0,
            devices: Vec::new(),
            carried: vec![carried],
        }
    }

    #[test]
    fn what_no_experiment_tells_apart_is_said_once() {
        let all = [
            component("hba", &["port", "a"]),
            component("port", &["hba", "a"]),
            component("a", &["hba", "port"]),
        ];
        let expected = ["hba, port and a: the same devices use them, so one of them was full"];
        assert_eq!(alike(&all), expected);
    }

    #[test]
    fn what_others_did_meanwhile_is_one_warning() {
        let worst = Warning::OtherLoad(0.96);
        let disturbed = vec![Disturbed { experiments: 13, worst: worst.clone() }];
        let profile = Profile { experiments: 15, disturbed, ..Profile::default() };
        let text = warnings::text(&worst, System::Decimal);
        let expected = format!("13 of 15 experiments, at worst: {text}");
        assert_eq!(doubt(&profile, System::Decimal), [Block::warning(String::new(), expected)]);
        let json = crate::profile_json(&profile);
        let expected =
            serde_json::json!([{"kind": "other-load", "experiments": 13, "worst": text}]);
        assert_eq!(json["disturbed"], expected);
    }

    #[test]
    fn sets_of_the_same_declarations_are_one_line() {
        let all = [
            component("h.hba[0]", &["a.port[0]"]),
            component("a.port[0]", &["h.hba[0]"]),
            component("h.hba[1]", &["a.port[1]"]),
            component("h.hba[2]", &["a.port[2]"]),
            component("h.link", &["h.bus"]),
        ];
        let expected = [
            "h.hba[0] and a.port[0], and 2 more such sets: the same devices use them, so one of \
             each was full",
            "h.link and h.bus: the same devices use them, so one of them was full",
        ];
        assert_eq!(alike(&all), expected);
    }
}
