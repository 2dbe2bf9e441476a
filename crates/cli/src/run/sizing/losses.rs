//! What may fail: any N of a kind, a name or a selector, "1 switch", "2 box.drive".

use std::collections::BTreeSet;
use std::fmt;
use std::str::FromStr;

use iopath_advice::Failing;
use iopath_study::selector::Selector;
use iopath_study::{Item, PartId, System, nearest};

/// The most losses of one kind that are looked at: of 100 parts any two are 4950.
pub(super) const MOST_LOSSES: usize = 5000;

/// Any so many of some components.
#[derive(Clone, Debug)]
pub(crate) struct Loss {
    count: usize,
    what: What,
    text: String,
}

/// A loss of some of one item of the inventory, whatever the build.
#[derive(Clone, Debug)]
pub(crate) struct Typical {
    pub loss: Loss,
    pub failing: Failing,
}

impl Typical {
    /// One that a loss includes: of the item of the first part that it names.
    pub(crate) fn of(loss: &Loss, system: &System, items: &[Item]) -> Option<Self> {
        // One that means some of an item by index leaves the more the more there are.
        if matches!(loss.what, What::Selector(_)) {
            return None;
        }
        let name = system.path(*loss.parts(system).first()?);
        let item = items.iter().position(|item| item.name == name)?;
        Some(Self { loss: loss.clone(), failing: Failing { item, count: loss.count } })
    }
}

#[derive(Clone, Debug)]
enum What {
    /// A kind, the name of a declaration, or the end of its path: `bay.drive`.
    Word(String),
    Selector(Selector),
}

impl Loss {
    /// Every possible one in a system: all parts where there are fewer than may fail.
    pub(crate) fn of(&self, system: &System) -> Vec<BTreeSet<PartId>> {
        let parts = self.parts(system);
        let mut all = Vec::new();
        if !parts.is_empty() {
            choose(&parts, self.count.min(parts.len()), &mut BTreeSet::new(), &mut all);
        }
        all
    }

    /// The first of one item that it takes; none where there are fewer.
    pub(crate) fn first_of(&self, system: &System, item: &str) -> Option<BTreeSet<PartId>> {
        let parts = self.parts(system).into_iter().filter(|part| system.path(*part) == item);
        let first: BTreeSet<PartId> = parts.take(self.count).collect();
        (first.len() == self.count).then_some(first)
    }

    /// Whether there are too many possible losses in a system to look at.
    pub(crate) fn is_too_many(&self, system: &System) -> bool {
        let parts = self.parts(system).len();
        let taken = self.count.min(parts);
        // Of n parts k may fail in n! / (k! (n - k)!) ways.
        let ways = (0..taken.min(parts - taken)).try_fold(1_usize, |ways, at| {
            Some(ways.checked_mul(parts - at)? / (at + 1)).filter(|ways| *ways <= MOST_LOSSES)
        });
        ways.is_none()
    }

    /// Whether there is nothing in a system that it means.
    pub(crate) fn is_absent(&self, system: &System) -> bool {
        self.parts(system).is_empty()
    }

    /// What may be meant where nothing is called so; empty of a selector.
    pub(crate) fn hint(&self, system: &System) -> String {
        let What::Word(word) = &self.what else { return String::new() };
        let known = system.ids().flat_map(|id| {
            let path = system.path(id);
            let end = path.rsplit('.').next().unwrap_or_default().to_owned();
            [system.kind(id).to_owned(), end, path]
        });
        let known: BTreeSet<String> = known.collect();
        match nearest::hint(word, known.iter().map(String::as_str)) {
            hint if hint.is_empty() => hint,
            hint => format!("; {hint}"),
        }
    }

    fn parts(&self, system: &System) -> Vec<PartId> {
        match &self.what {
            What::Word(word) => {
                let ends_path = |id: PartId| {
                    let path = system.path(id);
                    let before = path.strip_suffix(word.as_str());
                    before.is_some_and(|before| before.is_empty() || before.ends_with('.'))
                };
                let is_meant = |id: &PartId| system.kind(*id) == word || ends_path(*id);
                system.ids().filter(is_meant).collect()
            }
            What::Selector(selector) => system.select(selector).into_iter().collect(),
        }
    }
}

impl FromStr for Loss {
    type Err = String;

    fn from_str(text: &str) -> Result<Self, String> {
        let wrong = |why: String| format!("--survive \"{text}\": {why}; write \"1 switch\"");
        let (count, what) = match text.trim().split_once(char::is_whitespace) {
            Some((count, what)) => (count, what.trim()),
            None => ("1", text.trim()),
        };
        let count: usize = count
            .parse()
            .ok()
            .filter(|count| *count > 0)
            .ok_or_else(|| wrong(format!("\"{count}\" is no number of components")))?;
        let what = match what.contains(['[', ',']) || what.contains("..") {
            true => What::Selector(what.parse().map_err(&wrong)?),
            false => What::Word(what.to_owned()),
        };
        Ok(Self { count, what, text: text.trim().to_owned() })
    }
}

impl fmt::Display for Loss {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.text)
    }
}

/// Every way to take so many of some parts, besides those that are taken.
fn choose(
    parts: &[PartId],
    count: usize,
    taken: &mut BTreeSet<PartId>,
    all: &mut Vec<BTreeSet<PartId>>,
) {
    if count == 0 {
        all.push(taken.clone());
        return;
    }
    for (at, part) in parts.iter().enumerate().take(parts.len() + 1 - count) {
        taken.insert(*part);
        choose(&parts[at + 1..], count - 1, taken, all);
        taken.remove(part);
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_way_is_there_once() {
        let parts: Vec<PartId> = (0..6).map(PartId).collect();
        for (count, ways) in [(1, 6), (2, 15), (5, 6), (6, 1)] {
            let mut all = Vec::new();
            choose(&parts, count, &mut BTreeSet::new(), &mut all);
            let distinct: BTreeSet<_> = all.iter().cloned().collect();
            assert_eq!((all.len(), distinct.len()), (ways, ways), "{count}");
        }
    }
}
