//! Groups of streams: one declaration over its targets, checked against their sizes. All streams
//! of one target stand together; each knows its place among them.

use std::collections::{BTreeMap, BTreeSet};
use std::str::FromStr;

use iopath_units::{Action, ByteRate, Bytes, OperationRate, Ratio};

use super::changes;
use super::modelled::{self, Orders};
use super::select::{self, Wanted};
use super::targets::Used;
use super::{files, pattern};
use crate::case::{
    Advice, Arrivals, CacheMode, Modelled, Pacing, Pattern, Rate, Region, Sharing, Stream,
    SyncMode, Workload,
};
use crate::declaration::{Declaration, default};
use crate::instances::{Instances, MOST_INSTANCES};
use crate::mistake::{Collected, MistakeKind};
use crate::scene::{Edit, Scene};
use crate::source::{Place, Sourced, Span};
use crate::spc1;
use crate::system::PartId;
use crate::value::Value;
use crate::words::Op;

/// A declaration of streams whose targets are known.
pub(super) struct Draft<'a> {
    row: &'a Declaration,
    workload: &'a Declaration,
    /// The instances that it uses, in its order.
    pub over: Vec<usize>,
    orders: Orders,
    /// On each target from each place.
    count: u32,
    /// What assignments with an index change of one stream.
    changed: BTreeMap<u32, Vec<&'a Edit>>,
}

/// A declaration of streams, resolved.
pub(crate) struct Group {
    name: String,
    place: Place,
    shape: Shape,
    changed: BTreeMap<u32, Shape>,
    /// Places among the targets of the case.
    targets: Vec<usize>,
    orders: Orders,
    /// On each target from each place.
    count: u32,
    sharing: Sharing,
    pacing: Pacing,
}

/// What one stream may have of its own.
#[derive(Clone, Copy)]
pub(super) struct Shape {
    pub action: Action,
    pub reads: Ratio,
    pub pattern: Pattern,
    pub block: Bytes,
    pub depth: u32,
    pub advice: Advice,
    pub sync: SyncMode,
}

/// The values that one stream sees: its own change, its declaration, the workload, the default.
pub(super) struct View<'a> {
    pub row: &'a Declaration,
    workload: &'a Declaration,
    changed: &'a [&'a Edit],
}

impl View<'_> {
    pub(super) fn get(&self, name: &str) -> Option<Sourced<Value>> {
        let changed = self.changed.iter().rev().find(|edit| edit.property.name == name);
        let own = changed.map(|edit| &edit.value).or_else(|| self.row.values.get(name));
        let stated = own.or_else(|| self.workload.values.get(name)).cloned();
        stated.or_else(|| default(self.row.kind.property(name)?, self.row.span))
    }

    /// Whether the stream itself says something, rather than its workload or the default.
    pub(super) fn states(&self, name: &str) -> bool {
        let is_changed = self.changed.iter().any(|edit| edit.property.name == name);
        is_changed || self.row.values.contains_key(name)
    }

    pub(super) fn word(&self, name: &str) -> Option<&'static str> {
        self.get(name)?.value.word()
    }

    pub(super) fn choice<T: FromStr>(&self, name: &str) -> Option<T> {
        self.get(name)?.value.choice()
    }

    pub(super) fn span(&self, name: &str) -> Span {
        self.get(name).map_or(self.row.span, |value| value.span)
    }

    /// A value that must be stated; whether it is missing is reported with the reason.
    pub(super) fn needed(
        &self,
        name: &str,
        why: &str,
        collected: &mut Collected,
    ) -> Option<Sourced<Value>> {
        let value = self.get(name);
        if value.is_none() {
            let message = format!("{} {why}", self.row.name);
            let example = self.row.kind.property(name).map(|property| property.takes.describe());
            let hint = format!("add {name}=, {}", example.unwrap_or_default());
            collected.hinted(MistakeKind::Missing, self.row.span, message, hint);
        }
        value
    }
}

impl<'a> Draft<'a> {
    pub(super) fn read(
        scene: &'a Scene,
        row: &'a Declaration,
        instances: &Instances<'_>,
        collected: &mut Collected,
    ) -> Option<Self> {
        let orders = modelled::orders(scene, row, instances, collected);
        if !row.values.contains_key("over") {
            let message = format!("{} has nothing to work on", row.name);
            let hint = "add over=\"name of a target\"";
            collected.hinted(MistakeKind::Missing, row.span, message, hint);
            return None;
        }
        let over = row.selector("over")?;
        let over = select::all(instances, &over, Wanted::Bytes, collected);
        let (over, orders, count) = (over?, orders?, row.count()?);
        let each = orders.on.len().max(1).saturating_mul(count as usize);
        if over.len().saturating_mul(each) > MOST_INSTANCES {
            let message = format!("{} are more than {MOST_INSTANCES} streams", row.name);
            collected.add(MistakeKind::Limit, row.span, message);
            return None;
        }
        let workload = scene.workload()?;
        Some(Self { row, workload, over, orders, count, changed: BTreeMap::new() })
    }

    /// Streams that share a target.
    fn sharers(&self) -> u32 {
        self.orders.sharers(self.count)
    }

    fn total(&self) -> u32 {
        u32::try_from(self.over.len()).unwrap_or(u32::MAX).saturating_mul(self.sharers())
    }

    /// Takes the changes that assignments with an index make to these streams.
    pub(super) fn change(&mut self, indexed: &[&'a Edit], collected: &mut Collected) {
        for edit in indexed {
            let [step] = edit.path.path.steps.as_slice() else { continue };
            if step.name != self.row.name {
                continue;
            }
            let total = self.total();
            for range in &step.indexes {
                if range.last >= total {
                    let message = format!("{step}: there are only {total} of {}", step.name);
                    collected.add(MistakeKind::UnknownName, edit.value.span, message);
                    continue;
                }
                for index in range.first..=range.last {
                    self.changed.entry(index).or_default().push(edit);
                }
            }
        }
    }

    fn view<'b>(&'b self, changed: &'b [&'b Edit]) -> View<'b> {
        View { row: self.row, workload: self.workload, changed }
    }

    pub(super) fn check(
        &self,
        used: &Used,
        workload: Option<&Workload>,
        collected: &mut Collected,
    ) -> Option<Group> {
        let targets: Vec<usize> =
            self.over.iter().filter_map(|at| used.places.get(at).copied()).collect();
        let view = self.view(&[]);
        let sharing = view.choice("region");
        let regions = sharing.map(|sharing| self.regions(sharing, &targets, used));
        let pacing = self.pacing(&view);
        let mut shape = |changed: &[&Edit], regions| {
            let view = View { row: self.row, workload: self.workload, changed };
            let op = view.choice("op").map(Op::action);
            files::fits(&view, (op?, self.sharers()), (&targets, used), collected)?;
            shape(&view, regions, workload, collected)
        };
        let regions = regions.unwrap_or_default();
        let base = shape(&[], &regions);
        let mut changed = BTreeMap::new();
        for (&index, edits) in &self.changed {
            changed.insert(index, shape(edits, &regions)?);
        }
        Some(Group {
            name: self.row.name.clone(),
            place: Place(self.row.span),
            shape: base?,
            changed,
            targets,
            orders: self.orders.clone(),
            count: self.count,
            sharing: sharing?,
            pacing: pacing?,
        })
    }

    /// The different sizes of the regions, each with the name of a target that has it.
    fn regions(&self, sharing: Sharing, targets: &[usize], used: &Used) -> Vec<(Bytes, String)> {
        let mut seen = BTreeSet::new();
        let mut regions = Vec::new();
        for &place in targets {
            let target = &used.targets[place];
            let Some(size) = target.size else { continue };
            let size = match sharing {
                Sharing::Own => Bytes(size.0 / u64::from(self.sharers())),
                Sharing::Shared => size,
            };
            if !used.unknown.contains(&place) && seen.insert(size) {
                let whole = sharing == Sharing::Shared || self.sharers() == 1;
                let part = if whole { "" } else { "its part of " };
                regions.push((size, format!("{part}{}", target.name)));
            }
        }
        regions
    }

    fn pacing(&self, view: &View<'_>) -> Option<Pacing> {
        let rate = match view.get("rate").map(|rate| rate.value) {
            None => return Some(Pacing::Closed),
            Some(Value::Rate(rate)) => rate,
            Some(_) => return None,
        };
        let rate = match view.get("load").map(|load| load.value) {
            None => rate,
            Some(Value::Share(load)) => scaled(rate, load),
            Some(_) => return None,
        };
        let arrivals = match view.get("arrivals").map(|arrivals| arrivals.value) {
            None | Some(Value::Word("constant")) => Arrivals::Constant,
            Some(Value::Word(_)) => Arrivals::Poisson,
            Some(_) => return None,
        };
        Some(Pacing::Open { rate, streams: self.total(), arrivals })
    }
}

/// A share of a rate, rounded to what a rate can say.
fn scaled(rate: Rate, load: Ratio) -> Rate {
    let whole = u128::from(Ratio::ONE.0);
    let part = |all: u64| {
        let part = (u128::from(all) * u128::from(load.0) + whole / 2) / whole;
        u64::try_from(part).unwrap_or(u64::MAX)
    };
    match rate {
        Rate::Operations(rate) => Rate::Operations(OperationRate(part(rate.0))),
        Rate::Bytes(rate) => Rate::Bytes(ByteRate(part(rate.0))),
    }
}

/// What the values of a view say; `None` where one is missing or wrong.
fn shape(
    view: &View<'_>,
    regions: &[(Bytes, String)],
    workload: Option<&Workload>,
    collected: &mut Collected,
) -> Option<Shape> {
    let op: Op = view.choice("op")?;
    let action = op.action();
    if action.is_of_files() {
        return files::shape(view, action, workload, collected);
    }
    let reads = match op {
        Op::Read => Some(Ratio::ONE),
        Op::Mix => view
            .needed("reads", "mixes, so it needs the share of reads", collected)
            .and_then(|reads| reads.value.share()),
        _ => Some(Ratio(0)),
    };
    let block = view.needed("block", "needs the size of a request", collected);
    let block = block.and_then(|block| block.value.size());
    let pattern = pattern::pattern(view, collected);
    let depth = view.get("depth").and_then(|depth| depth.value.count());
    let advice = view.choice("advice")?;
    let (Some(block), Some(pattern)) = (block, pattern) else { return None };
    let is_direct = workload.is_some_and(|workload| workload.cache == CacheMode::Direct);
    if advice != Advice::Normal && is_direct {
        let message = "advice affects the page cache only; cache=\"direct\" bypasses it";
        let hint = "remove advice, or use cache=\"buffered\"";
        collected.hinted(MistakeKind::Contradiction, view.span("advice"), message, hint);
    }
    let reads = if pattern == Pattern::Spc1Like { Some(spc1::READS) } else { reads };
    if let Some(amount) = workload.and_then(|workload| workload.until.amount)
        && amount < block
    {
        let message = format!("the amount {amount} is less than a block of {block}");
        collected.add(MistakeKind::Contradiction, view.span("block"), message);
    }
    for (size, name) in regions {
        if *size < block {
            let message = format!("a block of {block} is larger than {name} ({size})");
            collected.add(MistakeKind::Contradiction, view.span("block"), message);
        } else {
            pattern::fits((pattern, block), (*size, name), view, collected);
        }
    }
    pattern::whole_blocks(pattern, block, view, collected);
    let depth = u32::try_from(depth?).ok()?;
    let sync = match action {
        Action::Transfer => changes::sync(view, reads?, workload, collected)?,
        Action::Trim | Action::Create | Action::Stat | Action::Open | Action::Unlink => {
            changes::trims(view, pattern, workload, collected);
            SyncMode::None
        }
    };
    Some(Shape { action, reads: reads?, pattern, block, depth, advice, sync })
}

impl Group {
    /// How many streams it has.
    pub(crate) fn len(&self) -> usize {
        self.targets.len() * self.orders.sharers(self.count) as usize
    }

    /// Its streams, those of one target together, those of one place in turn.
    pub(crate) fn streams(&self) -> Vec<Stream> {
        let sharers = self.orders.sharers(self.count);
        let mut streams = Vec::with_capacity(self.len());
        for &target in &self.targets {
            for sharer in 0..sharers {
                let region = Region { sharing: self.sharing, index: sharer, count: sharers };
                let on = self.orders.on.get((sharer / self.count) as usize).copied();
                streams.push(self.stream(streams.len(), (target, region, on)));
            }
        }
        streams
    }

    fn stream(&self, index: usize, place: (usize, Region, Option<PartId>)) -> Stream {
        let (target, region, on) = place;
        let own = u32::try_from(index).ok().and_then(|index| self.changed.get(&index));
        let shape = own.unwrap_or(&self.shape);
        let name = match self.len() {
            1 => self.name.clone(),
            _ => format!("{}[{index}]", self.name),
        };
        Stream {
            name,
            group: self.name.clone(),
            ordinal: u32::try_from(index).unwrap_or(u32::MAX),
            place: self.place,
            target,
            action: shape.action,
            reads: shape.reads,
            pattern: shape.pattern,
            region,
            block: shape.block,
            depth: shape.depth,
            pacing: self.pacing,
            advice: shape.advice,
            sync: shape.sync,
            after: self.orders.after.clone(),
            modelled: Modelled { on, ..self.orders.each.clone() },
        }
    }
}
