//! What git knows of the tree: commits by their names, and which files changed since one.

use std::path::Path;
use std::process::{Command, Stdio};

use anyhow::{Context, Result, bail};

/// The whole name of the commit that `name` means.
pub(crate) fn commit(repository: &Path, name: &str) -> Result<String> {
    let peeled = format!("{name}^{{commit}}");
    ask(repository, &["rev-parse", "--verify", "--quiet", "--end-of-options", &peeled])
        .with_context(|| format!("no such commit: {name}"))
}

/// Where the tree parted from `name`, or from main: that of the remote where there is one, as a
/// clone's own main may hold the very commits to be looked at.
pub(crate) fn base(repository: &Path, name: Option<&str>) -> Result<String> {
    let name = match name {
        Some(name) => name,
        None if commit(repository, "origin/main").is_ok() => "origin/main",
        None => "main",
    };
    let commit = commit(repository, name)?;
    ask(repository, &["merge-base", &commit, "HEAD"])
        .with_context(|| format!("{name} and this tree have no commit in common"))
}

/// Puts the files of a commit below a folder.
pub(crate) fn unpack(repository: &Path, commit: &str, folder: &Path) -> Result<()> {
    let mut archive = Command::new("git")
        .args(["archive", "--format=tar", commit])
        .current_dir(repository)
        .stdout(Stdio::piped())
        .spawn()
        .context("git does not start")?;
    let output = archive.stdout.take().context("git archive has no output")?;
    let unpacked = Command::new("tar").args(["-x", "-C"]).arg(folder).stdin(output).status()?;
    if !archive.wait()?.success() || !unpacked.success() {
        bail!("git archive {commit} | tar -x: failed");
    }
    Ok(())
}

/// Files that differ from those of a commit, with those that git does not know yet.
pub(crate) fn changed_since(repository: &Path, commit: &str) -> Result<Vec<String>> {
    let known = ask(repository, &["diff", "--name-only", "--no-renames", "-z", commit])?;
    let new = ask(repository, &["ls-files", "--others", "--exclude-standard", "-z"])?;
    Ok(paths(&known).chain(paths(&new)).collect())
}

/// Every file of the tree that git knows or would add; some may have been removed since.
pub(crate) fn files(repository: &Path) -> Result<Vec<String>> {
    let words = ["ls-files", "--cached", "--others", "--exclude-standard", "-z"];
    Ok(paths(&ask(repository, &words)?).collect())
}

fn paths(listed: &str) -> impl Iterator<Item = String> {
    listed.split('\0').filter(|path| !path.is_empty()).map(str::to_owned)
}

/// What git prints, without the last line's end.
fn ask(repository: &Path, words: &[&str]) -> Result<String> {
    let output = Command::new("git")
        .args(words)
        .current_dir(repository)
        .output()
        .context("git does not start")?;
    if !output.status.success() {
        bail!("git {}: {}", words[0], String::from_utf8_lossy(&output.stderr).trim());
    }
    Ok(String::from_utf8_lossy(&output.stdout).trim_end().to_owned())
}

/// A repository without commits, for tests.
#[cfg(test)]
pub(crate) fn start(folder: &Path) {
    ask(folder, &["-c", "init.defaultBranch=main", "init"]).expect("git makes repositories");
}

#[cfg(test)]
mod tests {
    use super::*;

    fn git(repository: &Path, words: &str) -> String {
        let mut words: Vec<&str> = words.split_whitespace().collect();
        words.splice(0..0, ["-c", "user.name=a", "-c", "user.email=a@b"]);
        ask(repository, &words).unwrap()
    }

    #[test]
    fn what_changed_since_a_branch_began_has_edits_and_new_files_but_not_the_other_branch_s() {
        let folder = tempfile::tempdir().unwrap();
        let root = folder.path();
        let write = |name: &str, body: &str| std::fs::write(root.join(name), body).unwrap();
        write("a", "1");
        write("b", "1");
        write(".gitignore", "ignored");
        start(root);
        for words in ["add .", "commit -m first", "checkout -b mine"] {
            git(root, words);
        }
        write("a", "2");
        git(root, "commit -a -m second");
        git(root, "checkout main");
        write("theirs", "1");
        git(root, "add .");
        git(root, "commit -m third");
        git(root, "checkout mine");
        write("b", "2");
        write("new", "1");
        write("ignored", "1");
        let base = base(root, None).unwrap();
        assert_eq!(base, commit(root, "main~1").unwrap());
        let mut changed = changed_since(root, &base).unwrap();
        changed.sort();
        assert_eq!(changed, ["a", "b", "new"]);
    }

    #[test]
    fn an_unknown_commit_is_named() {
        let folder = tempfile::tempdir().unwrap();
        start(folder.path());
        let error = commit(folder.path(), "--all").unwrap_err();
        assert_eq!(error.to_string(), "no such commit: --all");
    }
}
