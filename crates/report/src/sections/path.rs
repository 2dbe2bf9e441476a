//! The path as a picture and as a table: what a trial went through, how full each part was, where
//! the limit is.

use iopath_analysis::picture::{BoxName, Edge, Member, PathBox, Picture, Tier};
use iopath_units::System;

use super::Shown;
use super::chosen::{ChosenTrial, each};
use crate::document::{Band, Diagram, DiagramBox, DiagramTier};
use crate::document::{Block, Column, Section, Table};
use crate::spark;
use crate::view::run::Drawn;
use crate::words::path::{self as words, Words};

const GUIDE: &str = "Data flow from the application at the top to the media at the bottom. The \
    bar and figure of a box are the utilisation of its fullest capacity, or, where none is known \
    (\"busy\"), the share of the time with something in flight, at which it may still do more. A \
    box for several things (×) shows the minimum and maximum utilisation, and the traffic of all \
    of them together. Bands are as wide as the bytes that flow; a bar across several boxes says \
    that these together pass traffic to those, without knowing which to which. Ports of \
    switches and of what stands before arrays count a byte in and out: half of their count is \
    shown. Idle things are counted, not drawn.";

/// Cells of a rate over time, and of the drawn share: chosen.
const SPARKLINE: usize = 16;
const BAR: usize = 10;

/// Members of a box that are listed: chosen, the CSV has all.
const LISTED: usize = 40;

pub(crate) fn section(shown: &Shown<'_>) -> Option<Section> {
    let blocks = each(shown, |told| {
        let diagram = diagram(shown, told);
        diagram.map(|diagram| Block::Diagram(Box::new(diagram))).into_iter().collect()
    });
    Section::of("path", "path", blocks)
}

fn diagram(shown: &Shown<'_>, told: &ChosenTrial<'_>) -> Option<Diagram> {
    let caption = Caption {
        id: format!("path-{}", told.number()),
        title: told.title(&format!("From application to media, rates {}", told.trial.part())),
        more: told.of_passes(),
        table: told.title(&format!("path {}", told.trial.part())),
    };
    Some(drawn(told.trial.path.as_ref()?, caption, shown.system))
}

/// What a picture and its table say of themselves.
pub(super) struct Caption {
    pub id: String,
    pub title: String,
    /// What the guide says besides.
    pub more: String,
    /// The title of the table.
    pub table: String,
}

pub(super) fn drawn(of: &Drawn, caption: Caption, system: System) -> Diagram {
    let picture = &of.picture;
    let words = Words { system };
    Diagram {
        id: caption.id,
        title: caption.title,
        guide: format!("{GUIDE}{}", caption.more),
        tiers: picture.tiers.iter().map(|one| tier(picture, one, words)).collect(),
        boxes: boxes(picture, words),
        bands: picture.edges.iter().map(|edge| band(picture, edge)).collect(),
        scale: scale(picture, words),
        columns: columns(picture),
        table: lines(caption.table, of, words),
    }
}

fn tier(picture: &Picture, tier: &Tier, words: Words) -> DiagramTier {
    DiagramTier {
        title: words::tier_title(picture, tier),
        notes: words.tier_notes(picture, tier),
        boxes: tier.boxes.clone(),
    }
}

fn boxes(picture: &Picture, words: Words) -> Vec<DiagramBox> {
    let of_tier = |tier: &Tier| {
        let title = words::tier_title(picture, tier);
        let each = tier.boxes.iter().map(|at| (*at, boxed(&picture.boxes[*at], &title, words)));
        each.collect::<Vec<_>>()
    };
    let mut all: Vec<(usize, DiagramBox)> = picture.tiers.iter().flat_map(of_tier).collect();
    all.sort_by_key(|(at, _)| *at);
    all.into_iter().map(|(_, one)| one).collect()
}

fn boxed(one: &PathBox, tier: &str, words: Words) -> DiagramBox {
    let members = (one.members.len() > 1).then(|| members(&one.members, words));
    let share =
        one.utilisation.map(|share| (share.least.clamp(0.0, 1.0), share.most.clamp(0.0, 1.0)));
    DiagramBox {
        name: words::name(one),
        about: [words::short_kind(one, tier), words.carried(one)],
        share,
        share_text: match share {
            Some(_) => words::share(one),
            None => words.waiting(one),
        },
        is_limit: one.is_limit,
        details: words.details(one),
        members,
    }
}

fn members(members: &[Member], words: Words) -> Table {
    const HEAD: [&str; 7] =
        ["name", "count", "utilisation", "throughput", "requests", "in flight", "mean time"];
    let rows: Vec<[String; 7]> = members.iter().take(LISTED).map(|one| words.member(one)).collect();
    let columns = HEAD.iter().enumerate();
    let table = columns.fold(Table::of(&rows), |table, (at, title)| {
        table.column(title, |row: &[String; 7]| row[at].clone())
    });
    let mut table = table.done();
    if let Some(more) = members.len().checked_sub(LISTED).filter(|more| *more > 0) {
        for (at, column) in table.columns.iter_mut().enumerate() {
            let text =
                if at == 0 { format!("and {more} more: see the CSV") } else { String::new() };
            column.cells.push(text);
        }
    }
    table
}

/// A line of the table: a box in its tier.
struct Line<'a> {
    tier: String,
    one: &'a PathBox,
    rates: String,
}

/// Tier by tier what there is, what it carries, its rate over time and how full it is.
fn lines(title: String, Drawn { picture, rates_over_time }: &Drawn, words: Words) -> Table {
    let mut lines: Vec<Line<'_>> = Vec::new();
    for tier in &picture.tiers {
        let title = words::tier_title(picture, tier);
        let idle = if tier.is_beside { 0 } else { tier.idle };
        let more = if idle > 0 { format!(", {idle} idle") } else { String::new() };
        for (at, one) in tier.boxes.iter().enumerate() {
            let tier = if at == 0 { format!("{title}{more}") } else { String::new() };
            let rates = rates_over_time.get(*one).map_or(&[][..], Vec::as_slice);
            lines.push(Line { tier, one: &picture.boxes[*one], rates: sparkline(rates) });
        }
    }
    let mut table = Table::of(&lines)
        .titled(title)
        .column("tier", |line| line.tier.clone())
        .column("what", |line| short_name(line.one))
        .column("throughput", |line| words.carried(line.one));
    if lines.iter().any(|line| !line.rates.is_empty()) {
        table = table.expendable(2, "over time", |line| line.rates.clone());
    }
    table
        .expendable(1, "", |line| bar(line.one))
        .column("utilisation", |line| words::share(line.one))
        .column("", |line| if line.one.is_limit { "◀ limit" } else { "" }.to_owned())
        .done()
}

/// "reader ×64".
fn short_name(one: &PathBox) -> String {
    let name = crate::words::prediction::short(&words::name(one));
    match one.count {
        2.. if one.name != BoxName::Others => format!("{name} ×{}", one.count),
        _ => name,
    }
}

/// The band of a joint: a box that hands on in several ways does so as these take.
fn band(picture: &Picture, edge: &Edge) -> Band {
    let bytes = |at: usize| picture.boxes[at].bytes_per_sec.unwrap_or_default();
    let part = |at: usize, own: &dyn Fn(&Edge) -> bool, far: &dyn Fn(&Edge) -> f64| {
        let all: f64 = picture.edges.iter().filter(|other| own(other)).map(far).sum();
        let share = if all > 0.0 { far(edge) / all } else { 1.0 };
        (at, bytes(at) * share)
    };
    let below = |edge: &Edge| edge.lower_bytes_per_sec.unwrap_or_default();
    let above = |edge: &Edge| edge.upper_bytes_per_sec.unwrap_or_default();
    let upper = |at: &usize| part(*at, &|other| other.uppers.contains(at), &below);
    let lower = |at: &usize| part(*at, &|other| other.lowers.contains(at), &above);
    Band {
        uppers: edge.uppers.iter().map(upper).collect(),
        lowers: edge.lowers.iter().map(lower).collect(),
    }
}

/// A round number near what the widest band carries.
fn scale(picture: &Picture, words: Words) -> Option<(f64, String)> {
    let drawn = picture.edges.iter().flat_map(|edge| edge.uppers.iter().chain(&edge.lowers));
    let most = drawn.filter_map(|at| picture.boxes[*at].bytes_per_sec).reduce(f64::max)?;
    let power = 10f64.powf(most.log10().floor());
    let round = [5.0, 2.0, 1.0].map(|times| times * power).into_iter().find(|one| *one <= most);
    let round = round.filter(|round| round.is_finite() && *round >= 1.0)?;
    Some((round, words.rate(round)))
}

/// Every thing, a row each.
fn columns(picture: &Picture) -> Vec<Column> {
    let each = || picture.boxes.iter().flat_map(|one| one.members.iter().map(move |m| (one, m)));
    let numbers = |name: &str, of: fn(&Member) -> Option<f64>| {
        Column::maybe(name, each().map(|(_, member)| of(member)).collect())
    };
    let texts = |name: &str, of: &dyn Fn(&PathBox, &Member) -> String| {
        Column::texts(name, each().map(|(one, member)| of(one, member)).collect())
    };
    vec![
        texts("box", &|one, _| words::name(one)),
        texts("kind", &|one, _| one.kind.clone()),
        texts("name", &|_, member| member.name.clone()),
        numbers("count", |member| Some(f64::from(member.count))),
        numbers("utilisation_share", |member| member.utilisation),
        numbers("throughput_bytes_per_sec", |member| member.bytes_per_sec),
        numbers("operations_per_sec", |member| member.operations_per_sec),
        numbers("in_flight_mean", |member| member.in_flight_mean),
        numbers("latency_ns_mean", |member| member.time_ns),
        texts("limit", &|one, _| if one.is_limit { "yes" } else { "no" }.to_owned()),
    ]
}

fn bar(one: &PathBox) -> String {
    let Some(share) = one.utilisation else { return String::new() };
    let full = ((share.most * BAR as f64).round() as usize).min(BAR);
    format!("{}{}", "█".repeat(full), "·".repeat(BAR - full))
}

/// Rates as a line of bars, each the mean of equally many intervals; empty where there are too
/// few to see anything.
fn sparkline(rates: &[f64]) -> String {
    let greatest = rates.iter().copied().fold(0.0, f64::max);
    if rates.len() < 3 || greatest <= 0.0 {
        return String::new();
    }
    let cells = rates.len().min(SPARKLINE);
    let cell = |at: usize| {
        let part = &rates[at * rates.len() / cells..(at + 1) * rates.len() / cells];
        let mean = part.iter().sum::<f64>() / part.len() as f64;
        spark::bar(mean, greatest)
    };
    (0..cells).map(cell).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_sparkline_is_drawn_by_its_greatest_value() {
        assert_eq!(sparkline(&[0.0, 4.0, 8.0]), "▁▄█");
        assert_eq!(sparkline(&[1.0, 1.0]), "");
        assert_eq!(sparkline(&[0.0; 20]), "");
        let long: Vec<f64> = (1..=64).map(f64::from).collect();
        let line = sparkline(&long);
        assert_eq!(line.chars().count(), SPARKLINE);
        assert!(line.starts_with('▁') && line.ends_with('█'), "{line}");
    }
}
