//! What the rules look at: a case with its network, who lies on whom, and the groups of streams.

use std::collections::{BTreeMap, BTreeSet};

use iopath_study::case::{CacheMode, Pattern, Stream};
use iopath_study::source::{Span, Text};
use iopath_study::words::{PageCache, WriteCache};
use iopath_study::{Case, Class, PartId, System};

use super::requests::{self, Arrivals};
use super::rule::{Rule, Severity};
use super::{Remark, Remarks};
use crate::Network;
use crate::caching::Caching;
use crate::legs::merged;
use crate::volume::Volume;

/// A case with what is looked up again and again.
pub(super) struct View<'a> {
    pub case: &'a Case,
    pub system: &'a System,
    pub network: &'a Network,
    /// What lies on each part: the volumes, file systems and files that it is a member of.
    pub users: Vec<Vec<PartId>>,
    /// What each part contains directly.
    pub children: Vec<Vec<PartId>>,
    /// What lies outermost around each part.
    tops: Vec<PartId>,
    /// How many parts each declaration makes.
    counts: Vec<usize>,
    /// The streams of each declaration.
    pub loads: Vec<Load<'a>>,
    /// The requests that reach each volume and medium.
    pub arrivals: Arrivals,
}

/// The streams of one declaration.
pub(super) struct Load<'a> {
    pub streams: Vec<&'a Stream>,
    /// Bytes that the page cache holds one behind the other of each of them, at least.
    run: u64,
}

/// A remark in the making: what it is about.
#[derive(Clone, Copy)]
pub(super) struct About {
    pub rule: Rule,
    pub severity: Severity,
    pub span: Span,
}

impl About {
    pub(super) fn mistake(rule: Rule, span: Span) -> Self {
        Self { rule, severity: Severity::Mistake, span }
    }

    pub(super) fn warning(rule: Rule, span: Span) -> Self {
        Self { rule, severity: Severity::Warning, span }
    }

    pub(super) fn advice(rule: Rule, span: Span) -> Self {
        Self { rule, severity: Severity::Advice, span }
    }
}

impl Load<'_> {
    /// The first of them; they differ only where an assignment names one.
    pub(super) fn first(&self) -> &Stream {
        self.streams[0]
    }

    pub(super) fn group(&self) -> &str {
        &self.first().group
    }

    pub(super) fn writes(&self) -> bool {
        self.first().reads < iopath_units::Ratio::ONE
    }

    pub(super) fn reads(&self) -> bool {
        self.first().reads.0 > 0
    }

    /// Whether a request follows the one before it on the target.
    pub(super) fn is_sequential(&self) -> bool {
        matches!(
            self.first().pattern,
            Pattern::Sequential
                | Pattern::Staggered
                | Pattern::RandomStart
                | Pattern::Interleaved
                | Pattern::Backwards
        )
    }
}

impl<'a> View<'a> {
    pub(super) fn new(case: &'a Case, network: &'a Network) -> Self {
        let system = &case.system;
        let mut users = vec![Vec::new(); system.parts.len()];
        let mut children = vec![Vec::new(); system.parts.len()];
        let mut tops: Vec<PartId> = Vec::with_capacity(system.parts.len());
        let mut counts = vec![0; system.declarations.len()];
        for id in system.ids() {
            counts[system.part(id).declared] += 1;
            // What contains a part stands before it.
            tops.push(system.part(id).parent.map_or(id, |parent| tops[parent.0]));
            if let Some(parent) = system.part(id).parent {
                children[parent.0].push(id);
            }
            for member in system.part(id).members.iter() {
                users[member.0].push(id);
            }
        }
        let loads = loads(case, network);
        let mut view = Self {
            case,
            system,
            network,
            users,
            children,
            tops,
            counts,
            loads,
            arrivals: Arrivals::default(),
        };
        view.arrivals = requests::arrivals(&view);
        view
    }

    pub(super) fn kind(&self, id: PartId) -> &'static str {
        self.system.kind(id)
    }

    pub(super) fn class(&self, id: PartId) -> Class {
        self.system.class(id)
    }

    /// Bytes a second that a part itself passes one way, `read` or `write`.
    pub(super) fn limit(&self, id: PartId, way: &str) -> Option<u64> {
        let rates = [way, "both", "stream"].map(|name| self.system.byte_rate(id, name));
        rates.into_iter().flatten().map(|rate| rate.0).min()
    }

    /// How many of something a part takes, where the study states that.
    pub(super) fn most(&self, id: PartId, property: &str) -> Option<usize> {
        let stated = self.system.count(id, property)?;
        Some(usize::try_from(stated).unwrap_or(usize::MAX))
    }

    /// All parts of a class.
    pub(super) fn of_class(&self, class: Class) -> impl Iterator<Item = PartId> {
        self.system.ids().filter(move |id| self.class(*id) == class)
    }

    /// What a volume lies on: what it names, else the media and volumes that stand in it.
    pub(super) fn members(&self, id: PartId) -> &[PartId] {
        let named = &self.system.part(id).members;
        match self.class(id) {
            Class::Volume if named.is_empty() => &self.children[id.0],
            _ => named,
        }
    }

    /// The members that hold data or parity: without the spares, which stand last.
    pub(super) fn active(&self, id: PartId) -> &[PartId] {
        let members = self.members(id);
        let spares = self.system.count(id, "spares").unwrap_or(0);
        let spares = usize::try_from(spares).unwrap_or(usize::MAX);
        &members[..members.len().saturating_sub(spares)]
    }

    /// How a volume is laid out; none where its members cannot make it up.
    pub(super) fn volume(&self, id: PartId) -> Option<Volume> {
        Volume::read(self.system, id, self.active(id)).ok()
    }

    /// What lies outermost around a part.
    pub(super) fn outermost(&self, id: PartId) -> PartId {
        self.tops[id.0]
    }

    /// How many parts there are of the declaration of one.
    pub(super) fn peers(&self, id: PartId) -> usize {
        self.counts[self.system.part(id).declared]
    }

    /// Whether a write is answered by a cache of what a volume stands in.
    pub(super) fn has_write_cache(&self, id: PartId) -> bool {
        let inside = self.system.ancestors(id).flat_map(|up| &self.children[up.0]);
        let mut inside = inside.copied();
        inside.any(|child| self.writes_back(child, id))
    }

    /// Whether requests of a file system go through the page cache.
    pub(super) fn is_buffered(&self, file_system: PartId) -> bool {
        let own = self.system.choice(file_system, "cache");
        own == Some(PageCache::Buffered) || self.case.workload.cache != CacheMode::Direct
    }

    /// The size in which writes of a load leave its file system.
    pub(super) fn merged(&self, load: &Load<'_>) -> u64 {
        load.first().block.0.max(merged(self.system, load.run))
    }

    /// Whether software RAID gathers full stripes of what a load writes to a volume: it is split by
    /// a machine, its own or that of its streams.
    pub(super) fn gathers(&self, load: &Load<'_>, volume: PartId, full: u64) -> bool {
        let place = self.network.component(volume.into()).place.map(PartId::from);
        let is_software = place.is_none_or(|place| self.class(place) == Class::Host);
        is_software && load.run >= full
    }

    /// Whether a part is a cache that answers writes to a volume behind it.
    fn writes_back(&self, part: PartId, volume: PartId) -> bool {
        let caching = || Caching::of(self.system, part.into(), volume.into());
        self.kind(part) == "cache" && caching().write == WriteCache::Back
    }

    /// Whether every write to a volume passes a write cache: its own, or one of all that lie on it.
    pub(super) fn is_behind_write_cache(&self, id: PartId) -> bool {
        let own = self.network.component(id.into()).place.map(PartId::from);
        let at = own.into_iter().flat_map(|place| self.system.ancestors(place).chain([place]));
        let mut beside = at.flat_map(|up| &self.children[up.0]);
        if self.has_write_cache(id) || beside.any(|child| self.writes_back(*child, id)) {
            return true;
        }
        let mut loads = self.loads.iter().flat_map(|load| &load.streams);
        let is_asked = loads.any(|stream| self.case.targets[stream.target].part == id);
        let users = self.users[id.0].iter().filter(|up| !self.arrivals[up.0].is_empty());
        let mut users = users.peekable();
        !is_asked && users.peek().is_some() && users.all(|up| self.is_behind_write_cache(*up))
    }

    /// Whether a controller stands beside another one, which takes over when it is lost.
    pub(super) fn has_partner(&self, controller: PartId) -> bool {
        let container = self.system.part(controller).parent;
        let beside = container.map(|up| self.children[up.0].as_slice()).unwrap_or_default();
        self.kind(controller) == "controller"
            && beside.iter().filter(|id| self.kind(**id) == "controller").count() > 1
    }

    /// The nearest container of one of these classes.
    pub(super) fn within(&self, id: PartId, kinds: &[&str]) -> Option<PartId> {
        self.system.ancestors(id).find(|up| kinds.contains(&self.kind(*up)))
    }

    /// Whether a part was taken out of the network.
    pub(super) fn is_removed(&self, id: PartId) -> bool {
        self.network.components.get(id.0).is_some_and(|component| component.removed)
    }

    /// Where a property is stated in the study; else where its part is declared.
    pub(super) fn span(&self, id: PartId, property: &str) -> Span {
        let declared = self.system.declared(id).span;
        let stated = self.system.value(id, property).map(|value| value.span);
        stated.filter(|span| span.text != Text::Catalogue).unwrap_or(declared)
    }

    /// Where a part is declared.
    pub(super) fn declared(&self, id: PartId) -> Span {
        self.system.declared(id).span
    }

    /// Everything on which the data of a part lies, itself included, at any depth.
    pub(super) fn below(&self, id: PartId) -> BTreeSet<PartId> {
        let mut found = BTreeSet::new();
        let mut waiting = vec![id];
        while let Some(id) = waiting.pop() {
            if found.insert(id) {
                waiting.extend_from_slice(self.members(id));
            }
        }
        found
    }
}

impl About {
    /// Puts a remark about parts down; their names come before it.
    pub(super) fn say(self, remarks: &mut Remarks, parts: &[PartId], says: String, hint: &str) {
        remarks.add(self.remark(says, hint), parts);
    }

    /// Puts a remark down that names the parts itself.
    pub(super) fn say_whole(
        self,
        remarks: &mut Remarks,
        parts: &[PartId],
        says: String,
        hint: &str,
    ) {
        remarks.add(Remark { names_parts: true, ..self.remark(says, hint) }, parts);
    }

    fn remark(self, says: String, hint: &str) -> Remark {
        let Self { rule, severity, span } = self;
        Remark { span, severity, rule, names_parts: false, says, hint: hint.to_owned() }
    }
}

fn loads<'a>(case: &'a Case, network: &Network) -> Vec<Load<'a>> {
    let runs: BTreeMap<usize, u64> =
        network.streams.iter().map(|one| (one.stream, one.run)).collect();
    let mut loads: Vec<Load<'_>> = Vec::new();
    let mut places: BTreeMap<&str, usize> = BTreeMap::new();
    for (at, stream) in case.streams.iter().enumerate() {
        let place = *places.entry(&stream.group).or_insert_with(|| {
            loads.push(Load { streams: Vec::new(), run: u64::MAX });
            loads.len() - 1
        });
        loads[place].streams.push(stream);
        loads[place].run = loads[place].run.min(runs.get(&at).copied().unwrap_or(0));
    }
    loads
}
