//! Processors of the machine that has the least left of them, and who used them.
//!
//! With several hosts each has its own: `node[1].cpu` is used by `node[1].process`. Processors that
//! several hosts share (namespaces of one kernel) have no node, and are used by all. It leaves out
//! the hosts that have more left: they limit nothing as long as another does.

use iopath_record::{Counter, Entity, Kind};

use super::{Part, Pass, grown, seconds};
use crate::usage::Usage;

/// All processors of a machine together.
pub(crate) struct ProcessorUse {
    pub name: String,
    pub busy: f64,
    pub steal: f64,
    pub busiest: Option<Busiest>,
    /// Share of all processor time that went to this process and the kernel's workers for it.
    pub own: Option<f64>,
    /// Time that threads of all hosts waited for a processor, in threads that always wait.
    pub waiting: Option<f64>,
    pub count: u32,
}

/// The processor that rests least.
pub(crate) struct Busiest {
    pub name: String,
    pub busy: f64,
    /// Share of its time in the kernel, interrupts included.
    pub kernel: f64,
}

/// Of all machines the one whose processors are busiest.
pub(super) fn fullest(passes: &[Pass<'_>]) -> Option<ProcessorUse> {
    let all = passes[0].record.entities.iter();
    let whole = all.filter(|entity| entity.kind == Kind::Cpu && entity.parent.is_none());
    let each = whole.filter_map(|entity| of(passes, entity));
    // The first of equal ones.
    each.reduce(|one, other| if other.busy > one.busy { other } else { one })
}

fn of(passes: &[Pass<'_>], entity: &Entity) -> Option<ProcessorUse> {
    let shares = Usage::of_passes(passes, entity).processor?;
    let time_ns = seconds(passes, Part::Counted) * 1e9;
    let all = passes[0].record.entities.iter();
    let processes: Vec<&Entity> = all.filter(|one| one.kind == Kind::Process).collect();
    let node = node(entity);
    let here = processes.iter().filter(|one| node.is_none() || self::node(one) == node);
    let own = sum(here.filter_map(|one| own_time(passes, one)));
    let waited = processes.iter().filter_map(|one| grown(passes, one, Counter::RunWaitNs));
    Some(ProcessorUse {
        name: entity.name.clone(),
        busy: shares.busy(),
        steal: shares.steal,
        busiest: busiest(passes, node),
        own: own.map(|own| own / (shares.accounted * time_ns)),
        waiting: sum(waited).map(|waited| waited / time_ns),
        count: entity.count,
    })
}

/// The node in the name of what belongs to one; `cpu3` and `process` have none.
fn node(entity: &Entity) -> Option<&str> {
    entity.name.rsplit_once('.').map(|(node, _)| node)
}

fn sum(all: impl Iterator<Item = f64>) -> Option<f64> {
    all.reduce(|left, right| left + right)
}

fn busiest(passes: &[Pass<'_>], of: Option<&str>) -> Option<Busiest> {
    let entities = passes[0].record.entities.iter();
    let single = entities.filter(|entity| entity.kind == Kind::Cpu && entity.parent.is_some());
    let each = single.filter(|entity| node(entity) == of).filter_map(|entity| {
        let shares = Usage::of_passes(passes, entity).processor?;
        let kernel = shares.system + shares.interrupt;
        Some(Busiest { name: entity.name.clone(), busy: shares.busy(), kernel })
    });
    each.max_by(|a, b| a.busy.total_cmp(&b.busy))
}

fn own_time(passes: &[Pass<'_>], process: &Entity) -> Option<f64> {
    let each = [Counter::UserNs, Counter::SystemNs, Counter::WorkerNs];
    sum(each.into_iter().filter_map(|counter| grown(passes, process, counter)))
}
