//! What devices did over the last intervals: a line of bars each for bytes a second, for the mean
//! time of a request and for busy time, an interval a bar.
//!
//! Devices are known by their names, as their positions change while others come and go. It leaves
//! out intervals before the view began.

use std::collections::{BTreeMap, VecDeque};

use iopath_analysis::Usage;
use iopath_record::{Entity, Kind, Layer};

use super::{Line, Mark, Watched, cells};
use crate::look::Look;
use crate::numbers::{rate, time};
use crate::spark;

/// Intervals that are kept: chosen, as many as the widest terminals have columns.
const KEPT: usize = 480;

/// Columns of a device's name, of what is drawn, and of the figures behind it.
const NAME: usize = 18;
const WHAT: usize = 7;
const FIGURES: usize = 36;

/// What devices did, interval by interval.
#[derive(Clone, Debug, Default)]
pub struct History {
    devices: BTreeMap<String, VecDeque<Moment>>,
    intervals: usize,
}

/// What a device did in an interval.
#[derive(Clone, Copy, Debug, Default)]
struct Moment {
    bytes_per_sec: Option<f64>,
    ns_mean: Option<f64>,
    busy: Option<f64>,
}

/// One of the figures that are drawn.
struct Course {
    what: &'static str,
    of: fn(&Moment) -> Option<f64>,
    /// What the full height is; none where it is the greatest value.
    full: Option<f64>,
    said: fn(f64, &Look) -> String,
}

const COURSES: [Course; 3] = [
    Course {
        what: "rate",
        of: |moment| moment.bytes_per_sec,
        full: None,
        said: |value, look| rate(value, look.system),
    },
    Course {
        what: "await",
        of: |moment| moment.ns_mean,
        full: None,
        said: |value, look| time(value, look.system),
    },
    Course {
        what: "busy",
        of: |moment| moment.busy,
        full: Some(1.0),
        said: |value, _| cells::share(Some(value)),
    },
];

impl History {
    /// Takes an interval.
    pub fn add(&mut self, watched: &Watched<'_>) {
        self.intervals = (self.intervals + 1).min(KEPT);
        let mut now: BTreeMap<&str, Moment> = BTreeMap::new();
        for (entity, usage) in watched.entities.iter().zip(watched.usage) {
            if is_device(entity) && (usage.is_active() || self.devices.contains_key(&entity.name)) {
                now.insert(&entity.name, Moment::of(usage));
            }
        }
        for name in now.keys() {
            let unknown = || VecDeque::from(vec![Moment::default(); self.intervals - 1]);
            self.devices.entry((*name).to_owned()).or_insert_with(unknown);
        }
        for (name, moments) in &mut self.devices {
            moments.push_back(now.get(name.as_str()).copied().unwrap_or_default());
            let old = moments.len().saturating_sub(KEPT);
            moments.drain(..old);
        }
        // Devices that were removed leave when they did nothing in any interval that is kept.
        let is_known = |moment: &Moment| moment.bytes_per_sec.is_some();
        self.devices.retain(|_, moments| moments.iter().any(is_known));
    }

    /// As many lines as there is room for, the busiest devices first.
    pub(super) fn lines(&self, room: usize, look: &Look) -> Vec<Line> {
        let mut order: Vec<(&String, &VecDeque<Moment>)> = self.devices.iter().collect();
        let moved = |moments: &VecDeque<Moment>| {
            moments.iter().filter_map(|moment| moment.bytes_per_sec).sum::<f64>()
        };
        order.sort_by(|a, b| moved(b.1).total_cmp(&moved(a.1)).then(a.0.cmp(b.0)));
        let courses = match room.saturating_sub(2) / order.len().max(1) {
            0 => &COURSES[..1],
            each => &COURSES[..each.min(COURSES.len())],
        };
        let fitting = room.saturating_sub(2) / courses.len();
        let drawn = order.iter().take(fitting).flat_map(|(name, moments)| {
            courses.iter().enumerate().map(move |(at, course)| {
                let name = if at == 0 { format!("  {name}") } else { String::new() };
                Line::new(course.line(&name, moments, look), Mark::Plain)
            })
        });
        let drawn: Vec<Line> = drawn.collect();
        if drawn.is_empty() {
            return drawn;
        }
        let title = format!("history, the last {} intervals", self.intervals.min(bars(look)));
        [Line::new("", Mark::Plain), Line::new(title, Mark::Title)]
            .into_iter()
            .chain(drawn)
            .collect()
    }
}

impl Moment {
    fn of(usage: &Usage) -> Self {
        Self {
            bytes_per_sec: usage.transfers.bytes_per_sec,
            ns_mean: usage.transfers.ns_mean,
            busy: usage.utilisation,
        }
    }
}

impl Course {
    /// "  vda  rate  ▁▂█  now 2.000 MB/s, max 9.000 MB/s".
    fn line(&self, name: &str, moments: &VecDeque<Moment>, look: &Look) -> String {
        let bars = bars(look);
        let known = || moments.iter().filter_map(self.of);
        let most = known().fold(0.0, f64::max);
        let recent = moments.iter().skip(moments.len().saturating_sub(bars));
        let full = self.full.unwrap_or(most);
        let bar = |moment: &Moment| (self.of)(moment).map_or(' ', |value| spark::bar(value, full));
        let drawn: String = recent.map(bar).collect();
        let now = moments.back().and_then(self.of);
        let said =
            |value: Option<f64>| value.map_or_else(|| "-".to_owned(), |v| (self.said)(v, look));
        let most = known().next().map(|_| most);
        let name = super::cut(name, NAME - 1);
        let figures = format!("now {}, max {}", said(now), said(most));
        format!("{name:NAME$}{:WHAT$}{drawn:>bars$}  {figures}", self.what)
    }
}

/// Intervals that a line has room for.
fn bars(look: &Look) -> usize {
    usize::from(look.width).saturating_sub(NAME + WHAT + FIGURES).max(8)
}

/// Partitions, and paths below multipath, are their devices' traffic.
fn is_device(entity: &Entity) -> bool {
    let is_part = matches!(entity.kind, Kind::Partition | Kind::Path | Kind::File);
    let layers = [Layer::FileSystem, Layer::Volume, Layer::Lun, Layer::Device];
    layers.contains(&entity.layer) && !is_part
}
