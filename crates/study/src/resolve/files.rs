//! Metadata loads: streams whose requests are whole files of a tree, made, looked at, read or
//! removed by name. What counts bytes says nothing to them.

use iopath_units::{Action, Bytes, Ratio};

use super::pattern;
use super::streams::{Shape, View};
use super::targets::Used;
use crate::case::{
    Advice, EngineKind, Pattern, Rate, Sharing, SyncMode, TargetKind, Verify, Workload,
};
use crate::mistake::{Collected, MistakeKind};
use crate::value::Value;

/// Collects what is wrong with a declaration, at one of its properties.
struct Wrong<'a, 'b> {
    view: &'a View<'b>,
    collected: &'a mut Collected,
}

impl Wrong<'_, '_> {
    fn say(&mut self, property: &str, message: &str, hint: &str) {
        let message = format!("{} {message}", self.view.row.name);
        self.collected.hinted(MistakeKind::Contradiction, self.view.span(property), message, hint);
    }
}

/// Whether what streams do goes with what they do it to. `None` where not.
pub(super) fn fits(
    view: &View<'_>,
    (action, sharers): (Action, u32),
    (targets, used): (&[usize], &Used),
    collected: &mut Collected,
) -> Option<()> {
    let mut wrong = Wrong { view, collected };
    for target in targets.iter().map(|at| &used.targets[*at]) {
        let (name, is_tree) = (&target.name, target.kind == TargetKind::Tree);
        let verb = action.verb();
        if action.is_of_files() && !is_tree {
            let message = format!("{verb}, and {name} is no tree");
            wrong.say("over", &message, "declare one: layout { tree \"files\" files=10000 }");
            return None;
        }
        if is_tree && !action.is_of_files() {
            let message = format!("{verb}, and {name} is a tree of files");
            wrong.say("op", &message, "say op=\"create\", \"stat\", \"open\" or \"unlink\"");
            return None;
        }
        let few = target.tree.filter(|tree| tree.files < u64::from(sharers));
        if let Some(tree) = few {
            let message = format!("has {sharers} streams for the {} files of {name}", tree.files);
            wrong.say("count", &message, "use more files= or a lower count=");
            return None;
        }
    }
    Some(())
}

/// What the values of a view say; `None` where one is missing or wrong.
pub(super) fn shape(
    view: &View<'_>,
    action: Action,
    workload: Option<&Workload>,
    collected: &mut Collected,
) -> Option<Shape> {
    let pattern = pattern::pattern(view, collected)?;
    let depth = view.get("depth").and_then(|depth| depth.value.count());
    let mut wrong = Wrong { view, collected };
    stated(&mut wrong, action);
    order(&mut wrong, (action, pattern));
    by_means(&mut wrong, action, workload);
    let sync = match view.choice("sync")? {
        SyncMode::Fsync(_) if action == Action::Create => SyncMode::Fsync(1),
        // What else it says is refused above.
        _ => SyncMode::None,
    };
    let reads = match action {
        Action::Stat | Action::Open => Ratio::ONE,
        Action::Create | Action::Unlink | Action::Transfer | Action::Trim => Ratio(0),
    };
    let (block, advice) = (Bytes(1), Advice::Normal);
    Some(Shape { action, reads, pattern, block, depth: u32::try_from(depth?).ok()?, advice, sync })
}

/// Properties that a stream states and that mean nothing to files.
fn stated(wrong: &mut Wrong<'_, '_>, action: Action) {
    let (view, verb) = (wrong.view, action.verb());
    if view.states("block") {
        let message = format!("{verb}, and a request is a file, whatever its size");
        wrong.say("block", &message, "remove block; the tree has file-size=");
    }
    if view.states("advice") && view.word("advice") != Some("normal") {
        let message = format!("{verb}, so there are no offsets to advise");
        wrong.say("advice", &message, "remove advice");
    }
    if view.states("behind") {
        let message = format!("{verb}; only readers follow writers");
        wrong.say("behind", &message, "remove behind, or use after=");
    }
    let sync = view.word("sync").filter(|sync| view.states("sync") && *sync != "none");
    if let Some(sync) = sync
        && (action, sync) != (Action::Create, "fsync")
    {
        let message = format!("{verb}, so sync=\"{sync}\" means nothing");
        wrong.say("sync", &message, "use sync=\"fsync\" with op=\"create\", or remove it");
    }
    if view.states("sync-every") {
        let message = format!("{verb}: with sync=\"fsync\" each file is flushed by itself");
        wrong.say("sync-every", &message, "leave sync-every out");
    }
    if let Some(Value::Rate(Rate::Bytes(_))) = view.get("rate").map(|rate| rate.value) {
        let message = format!("{verb}, and a rate of files is operations per second");
        wrong.say("rate", &message, "write rate=\"1000 /s\"");
    }
}

/// Orders that files have, and those in which each comes once.
fn order(wrong: &mut Wrong<'_, '_>, (action, pattern): (Action, Pattern)) {
    let (view, verb) = (wrong.view, action.verb());
    match pattern {
        Pattern::Sequential | Pattern::Backwards => {}
        Pattern::Strided { .. }
        | Pattern::Walk { .. }
        | Pattern::Resident { .. }
        | Pattern::Spc1Like => {
            let message = format!("{verb}, which have no distances in bytes");
            wrong.say("pattern", &message, "use sequential, random, zipf or hot");
        }
        _ if action.is_once() => {
            let message = format!("{verb}, each once");
            wrong.say("pattern", &message, "say pattern=\"sequential\" or \"backwards\"");
        }
        Pattern::Staggered
        | Pattern::RandomStart
        | Pattern::Interleaved
        | Pattern::Random
        | Pattern::Zipf { .. }
        | Pattern::Hot { .. } => {}
    }
    let is_shared = view.choice("region") == Some(Sharing::Shared);
    let count = view.get("count").and_then(|count| count.value.count());
    if action.is_once() && is_shared && count != Some(1) {
        let message = format!("{verb}, each once, so streams cannot share them");
        wrong.say("region", &message, "remove region: each stream has its own files");
    }
}

/// Settings of the workload that have no meaning for files.
fn by_means(wrong: &mut Wrong<'_, '_>, action: Action, workload: Option<&Workload>) {
    let Some(workload) = workload else { return };
    if workload.engine == EngineKind::Mmap {
        wrong.say("op", "works on whole files, which cannot be mapped", "use another engine");
    }
    if workload.verify == Verify::Stamps {
        let hint = "remove verify, or move it into a separate experiment";
        wrong.say("op", "works on whole files, whose data is not verified", hint);
    }
    if workload.until.amount.is_some() {
        let hint = "use time=, or neither: each file once";
        wrong.say("op", "works on whole files, but an amount is in bytes", hint);
    }
    if workload.warm_up.0 > 0 && action.is_once() {
        let hint = "remove warm-up: each file is created or removed once, and all count";
        wrong.say("op", "has no time to warm up", hint);
    }
    if workload.until_ci.is_some() {
        let hint = "remove until-ci and use passes=5";
        wrong.say("op", "works on whole files, but until-ci is about bytes a second", hint);
    }
}
