//! What is wrong or unwise about a path, as far as facts tell it: before anything is measured.
//!
//! Each rule is a function from facts to findings, in the file of its subject. What `check` finds
//! in any study (a mirror whose sides share a part, routes that are uneven) it finds in a
//! discovered one, too; here are rules about what a study does not hold. Thresholds say where they
//! come from.

use iopath_machine::hardware::Attachment;

use crate::facts::Facts;
use crate::model::{Discovered, Finding, Weight};

mod layouts;
mod links;
mod ways;

/// All findings, warnings first.
pub(crate) fn all(facts: &Facts, found: &Discovered) -> Vec<Finding> {
    let subject = Subject::new(facts, found);
    let mut all = Vec::new();
    links::degraded(&subject, &mut all);
    links::remote(&subject, &mut all);
    ways::down(&subject, &mut all);
    ways::uneven(&subject, &mut all);
    layouts::degraded_arrays(&subject, &mut all);
    layouts::one_controller(&subject, &mut all);
    layouts::misaligned(&subject, &mut all);
    layouts::stripe_hints(&subject, &mut all);
    layouts::cut_requests(&subject, &mut all);
    layouts::fragmented(&subject, &mut all);
    all.sort_by_key(|finding| finding.weight);
    all
}

/// What rules look at.
struct Subject<'a> {
    facts: &'a Facts,
    found: &'a Discovered,
    /// Kernel names of everything that was drawn, and of what is a way to it.
    names: Vec<String>,
}

impl<'a> Subject<'a> {
    fn new(facts: &'a Facts, found: &'a Discovered) -> Self {
        let parts = found.path.iter().flat_map(|part| part.all());
        let media = parts.filter(|part| part.node.is_some()).map(|part| part.kernel.clone());
        let volumes = found.volumes.iter().map(|volume| volume.kernel.clone());
        let mut names: Vec<String> = media.chain(volumes).collect();
        let below: Vec<String> = names.iter().flat_map(|name| facts.devices.below(name)).collect();
        names.extend(below);
        names.sort_by_key(|name| crate::volumes::natural(name));
        names.dedup();
        Self { facts, found, names }
    }

    /// What was drawn, with how it is attached.
    fn attached(&self) -> impl Iterator<Item = (&'a str, &'a Attachment)> {
        let attachments = &self.facts.hardware.attachments;
        let names = self.names.clone();
        names.into_iter().filter_map(move |name| {
            attachments.get_key_value(&name).map(|(name, attachment)| (name.as_str(), attachment))
        })
    }

    /// The drives at the bottom of a device or volume.
    fn leaves(&self, name: &str) -> Vec<String> {
        let volume = self.found.volumes.iter().find(|volume| volume.kernel == name);
        match volume.filter(|volume| volume.node.is_none()) {
            Some(volume) => volume.over.iter().flat_map(|member| self.leaves(member)).collect(),
            None => self.facts.devices.leaves(name).into_iter().collect(),
        }
    }
}

fn finding(
    rule: &'static str,
    weight: Weight,
    parts: &[&str],
    text: String,
    hint: &str,
) -> Finding {
    let parts = parts.iter().map(|part| (*part).to_owned()).collect();
    Finding { rule, weight, parts, text, hint: hint.to_owned() }
}
