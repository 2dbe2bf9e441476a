//! A layer of the path: its rows, those that move most first, and what is folded.

use std::collections::BTreeMap;

use iopath_analysis::{MemberShares, Usage};
use iopath_record::{Entity, EntityId, Kind, Layer, Relation};

use super::{Line, Mark, cells};
use crate::look::Look;
use crate::numbers::rate;
use crate::view::watched::Watched;

/// A title, and what belongs below it.
type Heading = (&'static str, fn(&Entity) -> bool);

/// The layers in the order of the path: title, and what belongs to it.
const LAYERS: [Heading; 17] = [
    ("file systems", |one| {
        one.layer == Layer::FileSystem && one.kind != Kind::File && !is_software(&one.kind)
    }),
    ("volumes", |one| one.layer == Layer::Volume),
    ("hosts", |one| matches!(one.kind, Kind::Host | Kind::Socket)),
    ("processors", is_processor_of_path),
    ("buses and links", |one| one.layer == Layer::Bus && !is_box(&one.kind)),
    ("adapters", |one| {
        one.layer == Layer::Adapter && !matches!(one.kind, Kind::Network | Kind::FcHost)
    }),
    ("ports", |one| one.layer == Layer::Port),
    ("switches", |one| one.layer == Layer::Switch),
    ("arrays and enclosures", |one| is_box(&one.kind)),
    ("controllers", |one| one.kind == Kind::Controller),
    ("caches", |one| one.layer == Layer::Memory && one.is_of_path()),
    ("logical units", |one| one.layer == Layer::Lun && one.kind != Kind::Multipath),
    ("multipath devices", |one| one.kind == Kind::Multipath),
    ("paths", |one| one.layer == Layer::Device && one.kind == Kind::Path),
    ("devices", |one| {
        one.layer == Layer::Device && !matches!(one.kind, Kind::Path | Kind::Partition)
    }),
    ("Fibre Channel ports", |one| one.kind == Kind::FcHost),
    ("network", |one| one.layer == Layer::Adapter && one.kind == Kind::Network),
];

/// Parts of a file system, which have no traffic of their own.
fn is_software(kind: &Kind) -> bool {
    matches!(kind, Kind::Readahead | Kind::Prefetch | Kind::Issue | Kind::Commit | Kind::Cost)
}

fn is_box(kind: &Kind) -> bool {
    matches!(kind, Kind::Array | Kind::Enclosure | Kind::Drawer)
}

/// Those that a study describes have a limit; the machine's own have their line above.
fn is_processor_of_path(one: &Entity) -> bool {
    one.kind == Kind::Cpu && !one.limits.is_empty()
}

/// What each entity stands on.
type Below<'a> = BTreeMap<EntityId, &'a Relation>;

/// One layer.
pub(super) struct Section {
    title: &'static str,
    /// Those that move something, the most first; each with the lines that tell of it.
    rows: Vec<Row>,
    idle: usize,
    count: usize,
    system: iopath_units::System,
}

struct Row {
    lines: Vec<Line>,
    bytes_per_sec: f64,
}

/// What sections are made of.
struct Scene<'a> {
    watched: &'a Watched<'a>,
    below: Below<'a>,
    look: &'a Look,
    /// Whether what did nothing has a row.
    with_idle: bool,
}

/// All layers that have something.
pub(super) fn all(watched: &Watched<'_>, look: &Look, with_idle: bool) -> Vec<Section> {
    let scene = Scene { watched, below: watched.below(), look, with_idle };
    let sections = LAYERS.into_iter().map(|layer| Section::of(layer, &scene));
    sections.filter(|section| section.count > 0).collect()
}

impl Section {
    fn of((title, is): Heading, scene: &Scene<'_>) -> Self {
        let Scene { watched, below, look, with_idle } = scene;
        let each = (0u32..).map(EntityId).zip(watched.entities).filter(|(_, one)| is(one));
        let (mut active, mut idle, mut count) = (Vec::new(), 0, 0);
        for (id, entity) in each {
            count += 1;
            match watched.usage_of(id) {
                Some(of) if of.is_active() || *with_idle => active.push((id, entity, of)),
                _ => idle += 1,
            }
        }
        active.sort_by(|a, b| {
            order(b.2).total_cmp(&order(a.2)).then_with(|| a.1.name.cmp(&b.1.name))
        });
        let row = |(id, entity, of): &(EntityId, &Entity, &Usage)| Row {
            lines: row(watched, below.get(id).copied(), (entity, of), look),
            bytes_per_sec: of.transfers.bytes_per_sec.unwrap_or_default(),
        };
        let rows = active.iter().map(row).collect();
        Self { title, rows, idle, count, system: look.system }
    }

    pub(super) fn has_rows(&self) -> bool {
        !self.rows.is_empty()
    }

    /// Lines that it takes to tell all.
    pub(super) fn wanted(&self) -> usize {
        let rows: usize = self.rows.iter().map(|row| row.lines.len()).sum();
        1 + rows
    }

    /// At most `given` lines: the title, which counts what is not shown, and rows.
    pub(super) fn lines(&self, given: usize) -> Vec<Line> {
        if given == 0 {
            return Vec::new();
        }
        let mut lines = vec![Line::new("", Mark::Plain)];
        let mut shown = 0;
        for row in &self.rows {
            // The row itself matters more than the line about its members.
            let room = given - lines.len();
            if room == 0 {
                break;
            }
            lines.extend(row.lines.iter().take(room).cloned());
            shown += 1;
        }
        lines[0].text = self.title(shown);
        lines
    }

    fn title(&self, shown: usize) -> String {
        let rest = &self.rows[shown..];
        let more: f64 = rest.iter().map(|row| row.bytes_per_sec).sum();
        let more = match rest.len() {
            0 => String::new(),
            count => format!(", {count} more with {}", rate(more, self.system)),
        };
        match (shown, self.idle) {
            (0, idle) if rest.is_empty() => format!("{}: {} idle", self.title, thousands(idle)),
            (_, 0) => format!("{}{more}", self.title),
            (_, idle) => format!("{}{more}, {} idle", self.title, thousands(idle)),
        }
    }
}

/// What moves more stands above; of those that move nothing, what has more in flight.
fn order(of: &Usage) -> f64 {
    let moved = [of.transfers.bytes_per_sec, of.transfers.operations_per_sec, of.in_flight_mean];
    moved.into_iter().flatten().sum()
}

fn row(
    watched: &Watched<'_>,
    below: Option<&Relation>,
    (entity, of): (&Entity, &Usage),
    look: &Look,
) -> Vec<Line> {
    let name = format!("  {}", label(entity));
    let mut lines = vec![Line::new(cells::row(&name, of, look), cells::mark(of.utilisation))];
    let found = below.and_then(|relation| watched.shares_of(relation));
    lines.extend(found.map(|found| members(watched, &found)));
    let failures = of.errors_per_sec.filter(|rate| *rate > 0.0);
    lines.extend(failures.map(|rate| Line::new(format!("    {rate:.1} errors/s !"), Mark::Full)));
    lines
}

/// `dm-3` says little to people: the mapper's name follows.
fn label(entity: &Entity) -> String {
    let mapped = entity.binding.as_deref().and_then(|node| node.strip_prefix("/dev/mapper/"));
    mapped.map_or_else(|| entity.name.clone(), |name| format!("{} {name}", entity.name))
}

fn members(watched: &Watched<'_>, found: &MemberShares) -> Line {
    let MemberShares { members, idle, least_share, most_share, least_ns, most_ns, odd } = found;
    let mut text = format!(
        "    {members} below carry {:.0} to {:.0} % each",
        least_share * 100.0,
        most_share * 100.0
    );
    if let Some((least, most)) = least_ns.zip(*most_ns) {
        text.push_str(&format!(", take {:.2} to {:.2} ms", least / 1e6, most / 1e6));
    }
    if *idle > 0 {
        text.push_str(&format!(", {idle} idle"));
    }
    if let Some(odd) = odd {
        text.push_str(&format!(": uneven, see {} +", watched.name(*odd)));
    }
    Line::new(text, if odd.is_some() { Mark::Warm } else { Mark::Plain })
}

/// `1,980`.
fn thousands(count: usize) -> String {
    let digits = count.to_string();
    let first = digits.len() % 3;
    let mut text = digits[..first].to_owned();
    for group in digits.as_bytes()[first..].chunks(3) {
        if !text.is_empty() {
            text.push(',');
        }
        text.push_str(&String::from_utf8_lossy(group));
    }
    text
}
