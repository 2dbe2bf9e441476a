//! What is wrong or unwise about the storage of a machine, as far as one look shows.
//!
//! Each rule is a function of the facts; each finding has its figures and says what to do. A rule
//! that lacks a fact is silent: what is unknown is no fault. Thresholds are in the module of their
//! rule, with their source. Leaves out: everything that needs load to be seen.

use crate::facts::Facts;
use crate::model::Finding;
use crate::placement;
use crate::volumes::natural;

mod arrays;
mod drive_links;
mod layout;
mod members;
mod mounts;
mod nodes;
mod owners;
mod paths;
mod pci_links;
mod queues;
mod write_caches;

pub(crate) use members::stripe_of;

/// All findings about what the targets lie on, or about the whole machine; warnings first.
pub(crate) fn all(facts: &Facts) -> Vec<Finding> {
    let names = facts.looked_at();
    let rules = [
        pci_links::find,
        drive_links::find,
        paths::find,
        owners::find,
        arrays::find,
        layout::find,
        mounts::find,
        write_caches::find,
        nodes::find,
        placement::find,
        queues::find,
    ];
    let mut found: Vec<Finding> = rules.iter().flat_map(|rule| rule(facts, &names)).collect();
    for finding in &mut found {
        finding.parts.sort_by_key(|part| natural(part));
    }
    // The order of the rules stays.
    found.sort_by_key(|finding| finding.weight);
    found
}
