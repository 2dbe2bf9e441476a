//! A metadata load that options name: what is done to small files, one after the other.

use iopath_units::{Action, Bytes};

use super::{Defaults, NONE, OWN, Reading, quoted};
use crate::arguments::CaseOptions;

/// Options that say how many files there are, and what they are like.
const OF_FILES: [&str; 3] = ["--files", "--directories", "--file-size"];

/// Options that say nothing to files.
const OF_BYTES: [&str; 6] = ["--op", "--block", "--size", "--until-ci", "--region", "--buffers"];

/// Files where nothing is said (chosen: a second or less on a local disk).
pub(super) const FILES: u32 = 10_000;

/// A pass goes through all files, so it has its own end.
const ONCE: Defaults = Defaults { passes: OWN.passes, seed: OWN.seed, ..NONE };

impl Reading<'_> {
    /// Options for files need a load that has some.
    pub(super) fn without_files(&mut self) {
        self.refuse(&OF_FILES, "needs --metadata create,stat,open,unlink");
    }

    /// The study of a metadata load.
    pub(super) fn metadata(&mut self, options: &CaseOptions) -> String {
        self.refuse(&OF_BYTES, "has no effect with --metadata; leave it out");
        if options.verify {
            self.mistakes.push("--verify: has no effect with --metadata; leave it out".to_owned());
        }
        let tree = self.tree(options);
        let properties = self.properties(options, ONCE);
        let workload: String =
            properties.iter().map(|(name, value)| format!(" {name}={value}")).collect();
        let streams = self.turns();
        let title = quoted(&self.title_of_metadata(options));
        format!("study {title}\n\n{tree}workload{workload} {{\n{streams}}}\n")
    }

    fn refuse(&mut self, options: &[&str], why: &str) {
        let given = options.iter().filter(|option| self.text(option).is_some());
        let told: Vec<String> = given.map(|option| format!("{option}: {why}")).collect();
        self.mistakes.extend(told);
    }

    fn tree(&mut self, options: &CaseOptions) -> String {
        let files = self.count("--files", FILES);
        let directories = self.count("--directories", 1);
        let is_empty = self.text("--file-size").is_some_and(|size| size.trim() == "0");
        let size = match is_empty {
            true => None,
            false => self.quantity::<Bytes>("--file-size", None),
        };
        let size = size.map_or_else(String::new, |size| format!(" file-size={size:?}"));
        let place = match &options.target[..] {
            [] => ".",
            [target] => target.to_str().unwrap_or_else(|| {
                self.mistakes.push(format!("--target: {} is not UTF-8", target.display()));
                "."
            }),
            _ => {
                let text = "--target: --metadata works in one directory; name one";
                self.mistakes.push(text.to_owned());
                "."
            }
        };
        let place = quoted(place);
        format!(
            "layout {{\n    tree \"files\" files={files} directories={directories}{size} \
             directory={place}\n}}\n\n"
        )
    }

    /// A declaration of streams for each action; each begins when the one before has ended.
    fn turns(&mut self) -> String {
        let rate = self.rate().map(super::Rate::property).unwrap_or_default();
        let (pattern, _) = self.pattern();
        let (depth, count) = (self.count("--depth", 1), self.count("--streams", 1));
        let (arrivals, sync) = (self.arrivals(), self.sync());
        let mut turns = String::new();
        let mut before: Vec<&str> = Vec::new();
        for word in self.text("--metadata").unwrap_or_default().split(',').map(str::trim) {
            let action = word.parse().ok();
            let Some(action) = action.filter(Action::is_of_files) else {
                let text = format!("--metadata: \"{word}\" is none of create, stat, open, unlink");
                self.mistakes.push(text);
                continue;
            };
            if before.contains(&word) {
                self.mistakes.push(format!("--metadata: {word} is given twice"));
            }
            // Files are made and removed once, in their order.
            let pattern = if action.is_once() { "" } else { &pattern };
            let sync = if action == Action::Create { &sync } else { "" };
            let after = before.last().map_or_else(String::new, |one| format!(" after={one:?}"));
            turns.push_str(&format!(
                "    streams {word:?} over=\"files\" op={word:?}{pattern} count={count} \
                 depth={depth}{rate}{arrivals}{sync}{after}\n"
            ));
            before.push(word);
        }
        self.without_effect("--sync", &["create"], &before);
        self.without_effect("--pattern", &["stat", "open"], &before);
        turns
    }

    /// An option that none of the actions follows.
    fn without_effect(&mut self, option: &str, needed: &[&str], actions: &[&str]) {
        let has_effect = needed.iter().any(|action| actions.contains(action));
        if self.text(option).is_some() && !has_effect && !actions.is_empty() {
            let needed = needed.join(" or ");
            self.mistakes.push(format!("{option}: needs {needed} among --metadata"));
        }
    }
}
