//! Rules about caches of controllers and arrays: copies, batteries, blocks, destaging.

use iopath_study::words::{FlushedBy, WriteCache};
use iopath_study::{Class, PartId};
use iopath_units::{Bytes, Ratio};

use super::Remarks;
use super::requests::Arrival;
use super::rule::{Rule, Severity};
use super::view::{About, View};

/// Requests up to this size leave most of a larger block empty, above it they are sequential work
/// (rules for RAID controllers: 4 KB for requests up to 8 KB, 16 KB for sequential work).
const SMALL_REQUEST: u64 = 8 * 1024;
const SMALL_BLOCK: u64 = 4 * 1024;
const LARGE_BLOCK: u64 = 16 * 1024;

/// Start and stop of destaging that are further apart let the cache empty in waves. The source
/// says "near each other"; a fifth of the cache is chosen.
const FAR_APART: Ratio = Ratio(200_000);

pub(super) fn check(view: &View<'_>, remarks: &mut Remarks) {
    for cache in view.system.ids().filter(|id| view.kind(*id) == "cache") {
        let parent = view.system.part(cache).parent;
        if parent.is_some_and(|parent| view.kind(parent) == "filesystem") {
            continue;
        }
        if view.system.choice(cache, "write") == Some(WriteCache::Back) {
            copies(view, cache, remarks);
            battery(view, cache, remarks);
        }
        blocks(view, cache, remarks);
        levels(view, cache, remarks);
    }
}

/// A controller that fails takes what only its own cache had.
fn copies(view: &View<'_>, cache: PartId, remarks: &mut Remarks) {
    let partner = view.system.part(cache).parent.is_some_and(|owner| view.has_partner(owner));
    if !partner || view.system.flag(cache, "mirror") == Some(true) {
        return;
    }
    let about = About::warning(Rule::UnmirroredCache, view.span(cache, "mirror"));
    let says = "writes complete in a cache without a copy in the partner controller: dirty data \
        is lost with this controller"
        .to_owned();
    let hint = "set mirror=#true (halves the write cache, uses the link between controllers), or \
        keep it off only for reproducible data";
    about.say(remarks, &[cache], says, hint);
}

fn battery(view: &View<'_>, cache: PartId, remarks: &mut Remarks) {
    let battery = view.system.flag(cache, "battery");
    let never = view.system.choice(cache, "flush") == Some(FlushedBy::Never);
    let (says, span) = match battery {
        Some(true) => return,
        Some(false) => {
            ("a write cache without a battery: a power loss loses completed writes", "battery")
        }
        None if never => (
            "sync requests do not destage, and no battery is described: without one a power loss \
             loses synced data",
            "flush",
        ),
        None => return,
    };
    let about = About::warning(Rule::CacheWithoutBattery, view.span(cache, span));
    let hint = "set battery=#true if it has one; else write=\"through\" and flush=\"on-sync\"";
    about.say(remarks, &[cache], says.to_owned(), hint);
}

fn blocks(view: &View<'_>, cache: PartId, remarks: &mut Remarks) {
    let Some(block) = view.system.size(cache, "block") else { return };
    let Some(owner) = view.system.part(cache).parent else { return };
    let behind = view.of_class(Class::Volume).filter(|id| view.system.is_inside(*id, owner));
    let requests: Vec<Arrival> =
        behind.flat_map(|id| view.arrivals[id.0].keys()).copied().collect();
    let Some(largest) = requests.iter().map(|arrival| arrival.bytes).max() else { return };
    let sequential = requests.iter().all(|arrival| view.loads[arrival.load].is_sequential());
    let (small, largest) = (largest <= SMALL_REQUEST, Bytes(largest));
    let (says, hint) = if block.0 >= LARGE_BLOCK && small {
        let says = format!(
            "its blocks of {block} are larger than requests, which are {largest} \
             at most"
        );
        (says, "set block=\"4 KiB\": for requests up to 8 KiB")
    } else if block.0 <= SMALL_BLOCK && sequential && !small {
        let says = format!("its blocks of {block} are small for sequential requests of {largest}");
        (says, "set block=\"16 KiB\": for sequential requests")
    } else {
        return;
    };
    let span = view.span(cache, "block");
    let about = About::advice(Rule::CacheBlock, span);
    about.say(remarks, &[cache], says, hint);
}

fn levels(view: &View<'_>, cache: PartId, remarks: &mut Remarks) {
    let levels = (view.system.ratio(cache, "flush-start"), view.system.ratio(cache, "flush-stop"));
    let (Some(start), Some(stop)) = levels else { return };
    let span = view.span(cache, "flush-stop");
    let about = |severity| About { rule: Rule::FlushLevels, severity, span };
    if stop > start {
        let says = format!("destaging would end at {stop} dirty, above where it starts ({start})");
        let hint = "flush-stop is at or below flush-start";
        about(Severity::Mistake).say(remarks, &[cache], says, hint);
    } else if start.0 - stop.0 > FAR_APART.0 {
        let says = format!(
            "destaging starts at {start} dirty and stops at {stop}: the cache destages in waves \
             that delay reads"
        );
        let hint = "set both close together; a start of 80 % is typical, a lower one leaves more \
            of the cache to reads";
        about(Severity::Advice).say(remarks, &[cache], says, hint);
    }
}
