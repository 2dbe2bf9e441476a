//! Which files a build reaches: from each target's root along its `mod` lines.
//!
//! A file that no `mod` names is dead text that rustc never reads. The walk also tells which files
//! are built for tests only. `#[path]` is not followed: a file lies where its name says.

use std::collections::{BTreeMap, BTreeSet};

use super::problem::Problem;
use super::source::{Source, is_for_tests};
use crate::workspace::Workspace;

/// A file and for what it is built.
#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord)]
pub(crate) struct Root {
    pub path: String,
    pub purpose: Purpose,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub(crate) enum Purpose {
    Product,
    Tests,
}

/// What cargo builds.
pub(crate) fn roots(workspace: &Workspace) -> Vec<Root> {
    let targets = workspace.packages.iter().flat_map(|package| &package.targets);
    let root = |target: &crate::workspace::Target| Root {
        path: workspace.relative(&target.src_path),
        purpose: match target.kind.first().map(String::as_str) {
            Some("test" | "bench") => Purpose::Tests,
            Some(_) | None => Purpose::Product,
        },
    };
    targets.map(root).collect()
}

/// Marks the files that are built for tests only, and reports files that nothing reaches.
pub(crate) fn check(roots: &[Root], sources: &mut BTreeMap<String, Source>) -> Vec<Problem> {
    let reached = reach(roots, sources);
    let mut problems = Vec::new();
    for source in sources.values_mut() {
        let file = |purpose| Root { path: source.path.clone(), purpose };
        if reached.contains(&file(Purpose::Tests)) && !reached.contains(&file(Purpose::Product)) {
            source.tests = vec![1..=usize::MAX];
        } else if !reached.contains(&file(Purpose::Product)) {
            let advice = "no `mod` leads here: name it in its parent, or remove it";
            problems.push(Problem::new(&source.path, 1, "dead-file", advice));
        }
        if source.path.ends_with("/mod.rs") {
            let advice = "name it like its folder, next to the folder";
            problems.push(Problem::new(&source.path, 1, "mod-rs", advice));
        }
    }
    problems
}

fn reach(roots: &[Root], sources: &BTreeMap<String, Source>) -> BTreeSet<Root> {
    let mut reached = BTreeSet::new();
    let mut waiting: Vec<(Root, String)> =
        roots.iter().map(|root| (root.clone(), folder(&root.path))).collect();
    while let Some((file, children)) = waiting.pop() {
        let Some(source) = sources.get(&file.path) else { continue };
        if reached.insert(file.clone()) {
            let scope = Scope { folder: children, purpose: file.purpose };
            let found = modules(&source.tree.items, &scope);
            waiting.extend(found.into_iter().flat_map(Scope::candidates));
        }
    }
    reached
}

fn folder(path: &str) -> String {
    path.rsplit_once('/').map_or("", |(folder, _)| folder).to_owned()
}

/// Where a `mod` line stands: the folder that its file lies in, and for what that part is built.
struct Scope {
    folder: String,
    purpose: Purpose,
}

impl Scope {
    fn module(&self, module: &syn::ItemMod) -> Self {
        let purpose = if is_for_tests(&module.attrs) { Purpose::Tests } else { self.purpose };
        Self { folder: format!("{}/{}", self.folder, module.ident), purpose }
    }

    /// The two places of a module's file, each with the folder of its children.
    fn candidates(self) -> [(Root, String); 2] {
        let file = |path| Root { path, purpose: self.purpose };
        let beside = file(format!("{}.rs", self.folder));
        let inside = file(format!("{}/mod.rs", self.folder));
        [(beside, self.folder.clone()), (inside, self.folder)]
    }
}

/// The modules that lie in files of their own, also those named inside a module written in place.
fn modules(items: &[syn::Item], scope: &Scope) -> Vec<Scope> {
    let mut found = Vec::new();
    for item in items {
        let syn::Item::Mod(module) = item else { continue };
        let inner = scope.module(module);
        match &module.content {
            Some((_, items)) => found.extend(modules(items, &inner)),
            None => found.push(inner),
        }
    }
    found
}

#[cfg(test)]
mod tests {
    use super::super::problem::Problem;
    use super::super::source::parse;
    use super::*;

    fn sources(files: &[(&str, &str)]) -> BTreeMap<String, Source> {
        files.iter().map(|(path, body)| ((*path).to_owned(), parse(path, body))).collect()
    }

    fn check_files(files: &[(&str, &str)]) -> Vec<(String, &'static str)> {
        let product = Root { path: "a/src/lib.rs".to_owned(), purpose: Purpose::Product };
        let tests = Root { path: "a/tests/it/main.rs".to_owned(), purpose: Purpose::Tests };
        let problems = check(&[product, tests], &mut sources(files));
        let short = |problem: Problem| (problem.path, problem.rule);
        problems.into_iter().map(short).collect()
    }

    #[test]
    fn files_along_mod_lines_are_alive() {
        let files = [
            ("a/src/lib.rs", "mod b; mod c { mod d; }"),
            ("a/src/b.rs", "mod e;"),
            ("a/src/b/e.rs", ""),
            ("a/src/c/d.rs", ""),
            ("a/tests/it/main.rs", "mod f;"),
            ("a/tests/it/f.rs", ""),
        ];
        assert_eq!(check_files(&files), []);
    }

    #[test]
    fn a_file_that_no_mod_names_is_dead() {
        let files =
            [("a/src/lib.rs", "// mod b;\n"), ("a/src/b.rs", "mod c;"), ("a/src/b/c.rs", "")];
        let dead = |path: &str| (path.to_owned(), "dead-file");
        assert_eq!(check_files(&files), [dead("a/src/b.rs"), dead("a/src/b/c.rs")]);
    }

    #[test]
    fn a_mod_rs_is_reported_but_not_as_dead() {
        let files =
            [("a/src/lib.rs", "mod b;"), ("a/src/b/mod.rs", "mod c;"), ("a/src/b/c.rs", "")];
        assert_eq!(check_files(&files), [("a/src/b/mod.rs".to_owned(), "mod-rs")]);
    }

    #[test]
    fn files_of_tests_are_known_as_such() {
        let mut sources = sources(&[
            ("a/src/lib.rs", "mod b;\n#[cfg(test)] mod c;"),
            ("a/src/b.rs", ""),
            ("a/src/c.rs", "mod d;"),
            ("a/src/c/d.rs", ""),
        ]);
        let root = Root { path: "a/src/lib.rs".to_owned(), purpose: Purpose::Product };
        assert_eq!(check(&[root], &mut sources), []);
        let tests: Vec<bool> = sources.values().map(|source| source.is_test(1)).collect();
        assert_eq!(tests, [false, true, true, false], "in the order b, c/d, c, lib");
    }
}
