//! Which crates a set of changed files concerns.
//!
//! A file below a crate is that crate's. Another one belongs to the crates whose sources name it,
//! or a folder that it is in, by a path that leads out of the crate (`../docs/language.md`).

use std::collections::BTreeSet;
use std::path::Path;

use anyhow::Result;

use crate::tidy;
use crate::workspace::{Package, Workspace, folder_name};

/// How far a change is followed.
#[derive(Clone, Copy, PartialEq, Eq)]
pub(crate) enum Reach {
    Changed,
    /// Also the crates that use a changed one, directly or not.
    Dependents,
}

#[derive(Debug, Default, PartialEq, Eq)]
pub(crate) struct Changed {
    /// By their folders' names.
    own: BTreeSet<String>,
    /// Files outside of all crates that no source names.
    pub unread: Vec<String>,
}

/// A Rust file and the crate that it is in.
struct Reader {
    name: String,
    body: String,
}

impl Changed {
    pub(crate) fn of(workspace: &Workspace, files: &[String]) -> Result<Self> {
        let mut changed = Self::default();
        let (inside, outside): (Vec<&String>, Vec<&String>) =
            files.iter().partition(|file| workspace.package_of(file).is_some());
        let packages = inside.iter().filter_map(|file| workspace.package_of(file));
        changed.own = packages.map(Package::folder).collect();
        let readers = if outside.is_empty() { Vec::new() } else { readers(workspace)? };
        for file in outside {
            let named = readers.iter().filter(|reader| names(&reader.body, file));
            let named: BTreeSet<String> = named.map(|reader| reader.name.clone()).collect();
            if named.is_empty() {
                changed.unread.push(file.clone());
            }
            changed.own.extend(named);
        }
        Ok(changed)
    }

    pub(crate) fn crates(&self, workspace: &Workspace, reach: Reach) -> Vec<String> {
        let mut crates = self.own.clone();
        if reach == Reach::Dependents {
            while grow(&mut crates, &workspace.packages) {}
        }
        crates.into_iter().collect()
    }
}

fn readers(workspace: &Workspace) -> Result<Vec<Reader>> {
    let texts = tidy::read_texts(workspace)?.into_values();
    let reader = |text: tidy::Text| {
        let name = workspace.package_of(&text.path)?.folder();
        text.path.ends_with(".rs").then_some(Reader { name, body: text.body })
    };
    Ok(texts.filter_map(reader).collect())
}

fn names(body: &str, file: &str) -> bool {
    let folders = Path::new(file).ancestors().skip(1).filter_map(Path::to_str);
    let folders = folders.filter(|folder| !folder.is_empty());
    let is_named = |path: &str, end: &str| body.contains(&format!("../{path}{end}\""));
    is_named(file, "") || folders.into_iter().any(|path| is_named(path, "") || is_named(path, "/"))
}

/// Adds those that use one of them; whether there was one.
fn grow(crates: &mut BTreeSet<String>, packages: &[Package]) -> bool {
    let uses = |package: &&Package| {
        let paths = package.dependencies.iter().filter_map(|edge| edge.path.as_deref());
        paths.map(|path| folder_name(Some(path))).any(|name| crates.contains(&name))
    };
    let more: Vec<String> = packages.iter().filter(uses).map(Package::folder).collect();
    let before = crates.len();
    crates.extend(more);
    crates.len() > before
}

#[cfg(test)]
mod tests {
    use super::*;

    fn changed(files: &[&str]) -> Changed {
        let files: Vec<String> = files.iter().map(|file| (*file).to_owned()).collect();
        Changed::of(&Workspace::read().unwrap(), &files).unwrap()
    }

    #[test]
    fn a_file_below_a_crate_is_that_crate_s() {
        let workspace = Workspace::read().unwrap();
        let units = workspace.packages.iter().find(|package| package.folder() == "units").unwrap();
        let place = units.place(&workspace);
        let units = changed(&[&format!("{place}/src/bytes.rs"), &format!("{place}/gone.rs")]);
        assert_eq!(units.own, BTreeSet::from(["units".to_owned()]));
        assert_eq!(units.unread, [""; 0]);
    }

    #[test]
    fn a_page_belongs_to_the_crates_whose_tests_read_it() {
        let page = changed(&["docs/language.md", "docs/no-test-reads-this.md"]);
        assert_eq!(page.own, BTreeSet::from(["cli".to_owned(), "study".to_owned()]));
        assert_eq!(page.unread, ["docs/no-test-reads-this.md"]);
    }

    #[test]
    fn a_source_names_a_file_or_the_folder_it_is_in() {
        assert!(names("include_str!(\"../../studies/a.kdl\")", "studies/a.kdl"));
        assert!(names("concat!(x, \"/../studies\")", "studies/a.kdl"));
        assert!(names("concat!(\"../studies/\", x)", "studies/a.kdl"));
        assert!(!names("\"studies/a.kdl\" \"../studies/b.kdl\"", "studies/a.kdl"));
    }

    #[test]
    fn dependents_are_followed_to_the_program() {
        let workspace = Workspace::read().unwrap();
        let outfile = Changed { own: BTreeSet::from(["outfile".to_owned()]), unread: Vec::new() };
        assert_eq!(outfile.crates(&workspace, Reach::Changed), ["outfile"]);
        let dependents = outfile.crates(&workspace, Reach::Dependents);
        assert_eq!(dependents, ["cli", "emulation", "outfile", "server", "store"]);
    }
}
