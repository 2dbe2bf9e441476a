//! Rules about the streams: many that read the same, shares of hits that nobody found out.

use std::collections::{BTreeMap, BTreeSet};

use iopath_study::PartId;
use iopath_study::case::{Pattern, Sharing, TargetKind};
use iopath_units::{Bytes, Human, System};

use super::Remarks;
use super::rule::Rule;
use super::view::{About, Load, View};

pub(super) fn check(view: &View<'_>, remarks: &mut Remarks) {
    let through = read_through(view);
    for load in &view.loads {
        shared_region(view, load, remarks);
        fits_cache(view, load, &through, remarks);
        assumed_hits(view, load, remarks);
    }
}

/// Targets that are read through the same caches.
type Through = BTreeMap<BTreeSet<PartId>, BTreeSet<usize>>;

/// What all loads read, by the caches below.
fn read_through(view: &View<'_>) -> Through {
    let mut through = Through::new();
    let reading = view.loads.iter().filter(|load| load.reads());
    let targets = reading.flat_map(|load| &load.streams).map(|stream| stream.target);
    for target in targets.collect::<BTreeSet<usize>>() {
        through.entry(caches_below(view, target)).or_default().insert(target);
    }
    through
}

fn caches_below(view: &View<'_>, target: usize) -> BTreeSet<PartId> {
    let below = view.below(view.case.targets[target].part).into_iter();
    let inside = below.flat_map(|part| view.system.ancestors(part));
    let parts = inside.flat_map(|up| &view.children[up.0]).copied();
    parts.filter(|part| view.kind(*part) == "cache").collect()
}

/// Files that the caches below them can hold, with all that is read through these: read again,
/// they come from there, however slow the media are. A reader behind a writer is meant to find
/// them there.
fn fits_cache(view: &View<'_>, load: &Load<'_>, through: &Through, remarks: &mut Remarks) {
    let first = load.first();
    if !load.reads() || first.modelled.hit.0 > 0 || first.modelled.behind.is_some() {
        return;
    }
    let own = |targets: &BTreeSet<usize>| {
        load.streams.iter().any(|stream| targets.contains(&stream.target))
    };
    for (caches, targets) in through.iter().filter(|(_, targets)| own(targets)) {
        let Some(data) = bytes_of(view, targets) else { continue };
        let sizes = caches.iter().filter_map(|id| view.system.size(*id, "size"));
        let room: u64 = sizes.map(|size| size.0).fold(0, u64::saturating_add);
        if data > room {
            continue;
        }
        let [data, room] = [data, room].map(|bytes| Bytes(bytes).human(System::Decimal));
        let says = format!(
            "{}: the files that are read are {data}, and the caches below hold {room}: what is \
             read twice comes from there",
            load.group()
        );
        let hint = "make the files larger than the caches below them";
        About::warning(Rule::FitsCache, first.place.0).say(remarks, &[], says, hint);
    }
}

/// What files hold together; none where one is no file or of unknown size.
fn bytes_of(view: &View<'_>, targets: &BTreeSet<usize>) -> Option<u64> {
    let each = targets.iter().map(|target| {
        let target = &view.case.targets[*target];
        let size = target.size.or_else(|| view.system.size(target.part, "size"));
        size.filter(|_| target.kind == TargetKind::File).map(|size| size.0)
    });
    each.collect::<Option<Vec<u64>>>().map(|all| all.into_iter().fold(0, u64::saturating_add))
}

/// Streams that go through the same blocks in the same order: all but the first find them in the
/// first cache on the way, so media see the blocks once (Veritas: 64 readers, one region).
fn shared_region(view: &View<'_>, load: &Load<'_>, remarks: &mut Remarks) {
    let first = load.first();
    let same = matches!(first.pattern, Pattern::Sequential | Pattern::Backwards);
    if !same || first.region.sharing != Sharing::Shared || !load.reads() {
        return;
    }
    let mut readers: BTreeMap<usize, u32> = BTreeMap::new();
    for stream in &load.streams {
        *readers.entry(stream.target).or_default() += 1;
    }
    let Some((target, count)) = readers.into_iter().max_by_key(|(_, count)| *count) else { return };
    if count < 2 {
        return;
    }
    let target = view.case.targets.get(target).map_or("its target", |target| &target.name);
    let says = format!(
        "{count} streams, one region: all of {} read the same blocks of {target} in the same \
         order, so caches serve {} of {count} reads and the media see each block once",
        load.group(),
        count - 1
    );
    let about = About::warning(Rule::SharedRegion, first.place.0);
    let hint = "use region=\"own\" or pattern=\"staggered\" to load the media; keep it only to \
    measure the path to the caches";
    about.say(remarks, &[], says, hint);
}

fn assumed_hits(view: &View<'_>, load: &Load<'_>, remarks: &mut Remarks) {
    let first = load.first();
    let hit = first.modelled.hit;
    if hit.0 == 0 {
        return;
    }
    let caches: Vec<PartId> = view.system.ids().filter(|id| view.kind(*id) == "cache").collect();
    let bytes: u64 =
        caches.iter().filter_map(|id| view.system.size(*id, "size")).map(|size| size.0).sum();
    let room = match bytes {
        0 => "no cache with a size is described".to_owned(),
        bytes => format!("caches of {} are described", Bytes(bytes).human(System::Decimal)),
    };
    let says = format!("{}: hit={hit} is assumed; {room}", load.group());
    let about = About::advice(Rule::AssumedHits, first.place.0);
    about.say(remarks, &[], says, "vary hit= to see its effect on the result");
}
