//! What may fail: any N of a kind, a name or a selector, "1 switch", "2 box.drive".

use std::collections::BTreeSet;
use std::fmt;
use std::str::FromStr;

use iopath_study::selector::Selector;
use iopath_study::{PartId, System};

/// The most losses of one kind that are looked at: of 100 parts any two are 4950.
const MOST_LOSSES: usize = 5000;

/// Any so many of some components.
#[derive(Clone, Debug)]
pub(crate) struct Loss {
    count: usize,
    what: What,
    text: String,
}

#[derive(Clone, Debug)]
enum What {
    /// A kind, or the name of a declaration.
    Word(String),
    Selector(Selector),
}

impl Loss {
    /// Every possible one in a system.
    pub(crate) fn of(&self, system: &System) -> Vec<BTreeSet<PartId>> {
        let parts = self.parts(system);
        let mut all: Vec<BTreeSet<PartId>> = vec![BTreeSet::new()];
        for _ in 0..self.count {
            let longer = |gone: &BTreeSet<PartId>| {
                let last = gone.last().copied();
                let rest = parts.iter().filter(move |part| last.is_none_or(|last| **part > last));
                let longer = |part: &PartId| gone.iter().copied().chain([*part]).collect();
                rest.map(longer).collect::<Vec<_>>()
            };
            all = all.iter().flat_map(longer).take(MOST_LOSSES + 1).collect();
        }
        all
    }

    /// Whether there are too many possible losses in a system to look at.
    pub(crate) fn is_too_many(&self, system: &System) -> bool {
        self.of(system).len() > MOST_LOSSES
    }

    /// Whether there is nothing in a system that it means.
    pub(crate) fn is_absent(&self, system: &System) -> bool {
        self.parts(system).is_empty()
    }

    fn parts(&self, system: &System) -> Vec<PartId> {
        match &self.what {
            What::Word(word) => {
                let is_meant =
                    |id: &PartId| system.kind(*id) == word || system.declared(*id).name == *word;
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
        let what = match what.contains(['.', '[', ',']) {
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
