//! The records of a pass as one, on rank 0's axis.

use std::collections::BTreeMap;

use iopath_machine::Root;
use iopath_ranks::clock::Course;
use iopath_ranks::{Communicator, ROOT};
use iopath_record::hosts::{AxisMap, Host, OfRank, merge};
use iopath_record::{Fact, Record, Warning};

use super::super::examined::identities;
use super::super::messages::PassOfRank;
use super::super::share::Deal;

/// One record of all ranks that ran streams.
pub(super) fn of(
    ranks: &Communicator,
    deal: &Deal,
    own: Record,
    mut passes: BTreeMap<u32, PassOfRank>,
) -> Result<Record, String> {
    let case = own.case.clone();
    let kept = ranks.last_pass();
    let identities = identities(&Root::live(), &own.entities);
    passes.insert(ROOT, PassOfRank { record: own, identities, kept, ended_ns: ranks.now_ns() });
    let root_axis_ns = kept.axis_ns;
    let began_ns = ranks.now_ns();
    let skew_ns = passes.values().map(|pass| pass.kept.skew_ns).max().unwrap_or(0);
    let worked: Vec<OfRank> = passes
        .into_iter()
        .filter(|(_, pass)| !pass.record.streams.is_empty())
        .map(|(rank, pass)| part(ranks, deal, rank, pass, root_axis_ns))
        .collect();
    let mut record = merge(case, worked).map_err(|error| error.to_string())?;
    let merged_ns = ranks.now_ns() - began_ns;
    record.environment.extend([
        Fact::StartSkew.is(skew_ns.to_string()),
        Fact::MergeTime.is(merged_ns.to_string()),
    ]);
    Ok(record)
}

/// What is to be said of a pass of which ranks that ran streams have left nothing.
pub(super) fn incomplete(missing: &[u32]) -> Option<Warning> {
    let names: Vec<String> = missing.iter().map(|rank| format!("rank {rank}")).collect();
    let text = format!(
        "the pass ended early: {} left no record, so its streams are missing",
        names.join(", ")
    );
    (!missing.is_empty()).then(|| Warning { kind: "pass-failed".to_owned(), text })
}

fn part(
    ranks: &Communicator,
    deal: &Deal,
    rank: u32,
    pass: PassOfRank,
    root_axis_ns: u64,
) -> OfRank {
    let course = ranks.course(rank);
    let axis = axis(course, &pass, root_axis_ns);
    let bound_ns = bound_ns(course, &pass);
    let facts = &deal.ranks()[rank as usize];
    let host =
        Host { name: facts.name.clone(), node: deal.node(rank), machine: facts.kernel.clone() };
    let PassOfRank { record, identities, .. } = pass;
    OfRank { rank, host, record, identities, axis, bound_ns }
}

/// From a rank's axis to the root's: what its clock was ahead when the pass began, and how it went
/// to the end.
fn axis(course: &Course, pass: &PassOfRank, root_axis_ns: u64) -> AxisMap {
    let (began_ns, ended_ns) = (pass.kept.axis_ns, pass.ended_ns);
    let [began, ended] = [began_ns, ended_ns].map(|at_ns| course.to_root(at_ns));
    let (root, own) = (ended - began, ended_ns.saturating_sub(began_ns).cast_signed());
    let rate = i128::from(root - own) * 1_000_000_000 / i128::from(own.max(1));
    AxisMap {
        offset_ns: began - root_axis_ns.cast_signed(),
        rate_ppb: i64::try_from(rate).unwrap_or(0),
    }
}

/// How far an instant of a rank may be off: what its clock may be, and how late it learned of an
/// edge.
fn bound_ns(course: &Course, pass: &PassOfRank) -> u64 {
    let (began_ns, ended_ns) = (pass.kept.axis_ns, pass.ended_ns);
    let clock = course.bound_of_line_ns(began_ns, ended_ns);
    // The rate of an axis is in whole billionths.
    let rounding = ended_ns.saturating_sub(began_ns).div_ceil(1_000_000_000);
    clock.saturating_add(rounding).saturating_add(pass.kept.late_ns)
}
