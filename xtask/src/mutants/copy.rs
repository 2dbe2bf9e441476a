//! A copy of the tree in `target/mutants`, which may be made wrong.
//!
//! It stays where it is, so that the next draw finds it built. Files that are as they were keep
//! their times; a mutant that a killed run left behind is overwritten, as contents are compared.

use std::collections::BTreeSet;
use std::fs;
use std::io::ErrorKind;
use std::path::{Path, PathBuf};

use anyhow::{Context, Result};

pub(crate) struct Copy {
    /// Where cargo-mutants leaves its results.
    pub results: PathBuf,
    pub tree: PathBuf,
}

impl Copy {
    /// Of all files that git knows or would add, as they are now.
    pub(crate) fn make(root: &Path) -> Result<Self> {
        let results = root.join("target/mutants");
        let copy = Self { tree: results.join("tree"), results };
        let files: BTreeSet<String> = crate::git::files(root)?.into_iter().collect();
        let present = files.iter().filter(|file| root.join(file).is_file());
        let present: BTreeSet<&str> = present.map(String::as_str).collect();
        copy.remove_all_but(&present)?;
        for file in present {
            refresh(&root.join(file), &copy.tree.join(file)).with_context(|| file.to_owned())?;
        }
        Ok(copy)
    }

    /// Removes what was copied once and is not there any more.
    fn remove_all_but(&self, present: &BTreeSet<&str>) -> Result<()> {
        let list = self.results.join("files");
        let before = match fs::read_to_string(&list) {
            Err(error) if error.kind() == ErrorKind::NotFound => String::new(),
            read => read.with_context(|| list.display().to_string())?,
        };
        for file in before.lines().filter(|file| !present.contains(file)) {
            match fs::remove_file(self.tree.join(file)) {
                Err(error) if error.kind() == ErrorKind::NotFound => {}
                removed => removed.with_context(|| file.to_owned())?,
            }
        }
        fs::create_dir_all(&self.results)?;
        let lines: String = present.iter().map(|file| format!("{file}\n")).collect();
        fs::write(&list, lines).with_context(|| list.display().to_string())
    }
}

fn refresh(from: &Path, to: &Path) -> Result<()> {
    if fs::read(to).is_ok_and(|there| fs::read(from).is_ok_and(|here| here == there)) {
        return Ok(());
    }
    if let Some(folder) = to.parent() {
        fs::create_dir_all(folder)?;
    }
    fs::copy(from, to)?;
    // cargo takes a file for changed when it is younger than what was built of it.
    fs::File::options().write(true).open(to)?.set_modified(std::time::SystemTime::now())?;
    Ok(())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_copy_follows_its_tree_and_leaves_what_is_as_it_was() {
        let folder = tempfile::tempdir().unwrap();
        let root = folder.path();
        crate::git::start(root);
        let write = |name: &str, body: &str| fs::write(root.join(name), body).unwrap();
        write(".gitignore", "target\n");
        write("same", "1");
        write("mutated", "1");
        write("gone", "1");
        let copy = Copy::make(root).unwrap();
        let time = |name: &str| fs::metadata(copy.tree.join(name)).unwrap().modified().unwrap();
        let before = time("same");
        fs::write(copy.tree.join("mutated"), "2").unwrap();
        fs::write(copy.tree.join("built"), "").unwrap();
        fs::remove_file(root.join("gone")).unwrap();
        Copy::make(root).unwrap();
        assert_eq!(time("same"), before);
        assert_eq!(fs::read_to_string(copy.tree.join("mutated")).unwrap(), "1");
        assert!(!copy.tree.join("gone").exists());
        assert!(copy.tree.join("built").exists());
    }
}
