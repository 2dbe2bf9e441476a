//! Rules about what is stated and has no effect: it counts only together with something else.

use iopath_study::PartId;
use iopath_study::source::Span;
use iopath_study::words::FileLock;

use super::Remarks;
use super::rule::Rule;
use super::view::{About, View};
use crate::caching::OF_VOLUME;

pub(super) fn check(view: &View<'_>, remarks: &mut Remarks) {
    for id in view.system.ids() {
        match view.kind(id) {
            "commit" => past_page_cache(view, (id, COMMIT), remarks),
            "readahead" => past_page_cache(view, (id, READAHEAD), remarks),
            "cache" => read_ahead(view, id, remarks),
            "filesystem" => locks(view, id, remarks),
            "link" => uncrossed(view, id, remarks),
            "lun" | "raid" => {
                cached(view, id, remarks);
                without_redundancy(view, id, remarks);
            }
            _ => {}
        }
        packets(view, id, remarks);
    }
}

/// What a part of a file system does for requests that go through the page cache only.
type Effect = [&'static str; 2];

const COMMIT: Effect = [
    "writes bypass the page cache, so there are no groups to commit",
    "set cache=\"buffered\" in the file system, or remove commit",
];

const READAHEAD: Effect = [
    "reads bypass the page cache, so nothing is read ahead",
    "set cache=\"buffered\" in the file system, or remove readahead",
];

fn past_page_cache(view: &View<'_>, (part, [says, hint]): (PartId, Effect), remarks: &mut Remarks) {
    if view.system.part(part).parent.is_some_and(|file_system| view.is_buffered(file_system)) {
        return;
    }
    about(view.declared(part)).say(remarks, &[part], says.to_owned(), hint);
}

/// How much is read ahead, and nothing is.
fn read_ahead(view: &View<'_>, cache: PartId, remarks: &mut Remarks) {
    let is_said = view.system.value(cache, "read-ahead-size").is_some();
    let volumes = view.system.ids().filter(|id| matches!(view.kind(*id), "lun" | "raid"));
    let mut parts = volumes.chain([cache]);
    if !is_said || parts.any(|part| view.system.flag(part, "read-ahead") == Some(true)) {
        return;
    }
    let says = "read-ahead-size has no effect without read-ahead";
    let hint = "set read-ahead=#true, or remove read-ahead-size";
    about(view.span(cache, "read-ahead-size")).say(remarks, &[cache], says.to_owned(), hint);
}

/// What a volume sets in a cache that it does not stand behind.
fn cached(view: &View<'_>, volume: PartId, remarks: &mut Remarks) {
    let Some(name) = OF_VOLUME.into_iter().find(|name| view.system.value(volume, name).is_some())
    else {
        return;
    };
    let place = view.network.component(volume.into()).place.map(PartId::from);
    let around = place.into_iter().flat_map(|place| view.system.ancestors(place).chain([place]));
    let mut inside = around.flat_map(|up| view.system.children(up));
    if inside.any(|id| view.kind(id) == "cache") {
        return;
    }
    let says = format!("{name} has no effect without a cache in front of the volume");
    let hint = format!("put a cache into the controller or array, or remove {name}");
    about(view.span(volume, name)).say(remarks, &[volume], says, &hint);
}

/// What only a volume with parity, or one that goes on without a member, can use.
fn without_redundancy(view: &View<'_>, volume: PartId, remarks: &mut Remarks) {
    let level = view.system.count(volume, "level").unwrap_or(0);
    let is_without = |name: &&str| match *name {
        "parity-threads" => matches!(level, 0 | 1 | 10),
        _ => level == 0,
    };
    let said = |name: &&str| view.system.value(volume, name).is_some();
    let mut names = ["parity-threads", "rebuild"].into_iter().filter(is_without).filter(said);
    let Some(name) = names.next() else { return };
    let says = format!("{name} has no effect at level {level}");
    let hint = format!("state another level, or remove {name}");
    about(view.span(volume, name)).say(remarks, &[volume], says, &hint);
}

/// What locks of ranges, and locks at all, are needed for.
fn locks(view: &View<'_>, file_system: PartId, remarks: &mut Remarks) {
    let lock: Option<FileLock> = view.system.choice(file_system, "lock");
    if view.system.value(file_system, "lock-unit").is_some() && lock != Some(FileLock::Range) {
        let says = "lock-unit has no effect without lock=\"range\"".to_owned();
        let hint = "set lock=\"range\", or remove lock-unit";
        about(view.span(file_system, "lock-unit")).say(remarks, &[file_system], says, hint);
    }
    if lock.is_some_and(|lock| lock != FileLock::None) {
        return;
    }
    let mut costs = view.system.children(file_system).filter(|id| view.kind(*id) == "cost");
    if let Some(cost) = costs.find(|id| view.system.value(*id, "revoke").is_some()) {
        let says = "revoke has no effect where nothing is locked".to_owned();
        let hint = "set lock=\"range\" or lock=\"inode\" in the file system, or remove revoke";
        about(view.span(cost, "revoke")).say(remarks, &[cost], says, hint);
    }
}

/// A link that leads nowhere.
fn uncrossed(view: &View<'_>, link: PartId, remarks: &mut Remarks) {
    let mut ends = view.system.wires.iter().flat_map(|wire| &wire.pairs);
    let is_wired = ends.any(|(one, other)| [*one, *other].contains(&link));
    if is_wired || !view.children[link.0].is_empty() {
        return;
    }
    let says = "nothing crosses it: it contains no part, and no wire connects to it".to_owned();
    let hint = "nest what is behind it in it; between sockets, state read and write of the host";
    about(view.declared(link)).say(remarks, &[link], says, hint);
}

/// Packets of a link whose rate nobody states, and packets or windows of which half is missing.
fn packets(view: &View<'_>, id: PartId, remarks: &mut Remarks) {
    let is_said = |name: &str| view.system.value(id, name).is_some();
    let lacks =
        |name: &str, needed: &'static str| (is_said(name) && !is_said(needed)).then_some(needed);
    let (payload, overhead) = ("payload", "overhead");
    let mut wanting = [
        (payload, lacks(payload, "link-rate").or_else(|| lacks(payload, overhead))),
        (overhead, lacks(overhead, "link-rate").or_else(|| lacks(overhead, payload))),
        ("write-payload", lacks("write-payload", "link-rate")),
        ("write-overhead", lacks("write-overhead", "link-rate")),
        ("window", lacks("window", "round-trip")),
        ("round-trip", lacks("round-trip", "window")),
    ]
    .into_iter();
    let Some((name, needed)) = wanting.find_map(|(name, needed)| Some((name, needed?))) else {
        return;
    };
    let says = format!("{name} has no effect without {needed}");
    let hint = match name {
        "window" | "round-trip" => format!("state {needed}, too"),
        _ => format!("state {needed}, or use a link of the catalogue"),
    };
    about(view.span(id, name)).say(remarks, &[id], says, &hint);
}

fn about(span: Span) -> About {
    About::warning(Rule::NoEffect, span)
}
