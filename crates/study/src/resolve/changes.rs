//! What streams change: how their writes reach stable storage, and what trims cannot go with.

use iopath_units::Ratio;

use super::streams::View;
use crate::case::{EngineKind, Pattern, SyncMode, Verify, Workload};
use crate::mistake::{Collected, MistakeKind};

/// Most writes between two flushes: chosen, each is kept until the flush is done.
const MOST_UNFLUSHED: u64 = 65_536;

/// How writes reach stable storage, checked against what there is to write and by what.
pub(super) fn sync(
    view: &View<'_>,
    reads: Ratio,
    workload: Option<&Workload>,
    collected: &mut Collected,
) -> Option<SyncMode> {
    let every = view.get("sync-every").and_then(|every| every.value.count());
    let count = u32::try_from(every.unwrap_or(1)).unwrap_or(u32::MAX);
    let sync = view.choice::<SyncMode>("sync")?.after_every(count);
    let mut wrong = |property: &str, message: &str, hint: &str| {
        collected.hinted(MistakeKind::Contradiction, view.span(property), message, hint);
    };
    if every.is_some_and(|every| every > MOST_UNFLUSHED) {
        let message = format!("sync-every is {MOST_UNFLUSHED} at most");
        wrong("sync-every", &message, "use sync=\"end\" for a single flush");
    }
    // What a workload says is for those of its streams that it fits.
    if view.states("sync-every") && sync.every().is_none() {
        let message = "sync-every needs flushes";
        wrong("sync-every", message, "use sync=\"fsync\" or sync=\"fdatasync\", or remove it");
    }
    if reads == Ratio::ONE {
        if view.states("sync") && sync != SyncMode::None {
            let message = format!("{} only reads, so there is nothing to sync", view.row.name);
            wrong("sync", &message, "remove sync, or use op=\"write\"");
        }
        return Some(SyncMode::None);
    }
    let is_mapped = workload.is_some_and(|workload| workload.engine == EngineKind::Mmap);
    if is_mapped && matches!(sync, SyncMode::Dsync | SyncMode::Sync) {
        let message = "stores to a mapping cannot be synchronous one by one";
        wrong("sync", message, "use sync=\"fdatasync\" (msync there), or another engine");
    }
    Some(sync)
}

/// What trims cannot go with: they carry no data, so nothing of it can be flushed or checked.
pub(super) fn trims(
    view: &View<'_>,
    pattern: Pattern,
    workload: Option<&Workload>,
    collected: &mut Collected,
) {
    let name = &view.row.name;
    let mut wrong = |property: &str, message: String, hint: &str| {
        collected.hinted(MistakeKind::Contradiction, view.span(property), message, hint);
    };
    if view.states("sync") && view.word("sync") != Some("none") {
        let message = format!("{name} trims, so there is nothing to sync");
        wrong("sync", message, "remove sync");
    }
    if pattern == Pattern::Spc1Like {
        let message = format!("{name} trims, but spc1-like reads and writes");
        wrong("pattern", message, "remove op, or use another pattern");
    }
    if view.states("behind") {
        let message = format!("{name} trims; only readers follow writers");
        wrong("behind", message, "remove behind, or use after= to trim what others wrote");
    }
    let Some(workload) = workload else { return };
    if workload.engine == EngineKind::Mmap {
        let message = format!("{name} trims, which a mapping cannot");
        wrong("op", message, "use another engine");
    }
    if workload.verify == Verify::Stamps {
        let message = format!("{name} trims: what a trimmed range holds cannot be verified");
        wrong("op", message, "remove verify, or trim in a separate experiment");
    }
}
