//! What git knows of the tree: commits by their names, and which files changed since one.

use std::path::Path;
use std::process::Command;

use anyhow::{Context, Result, bail};

/// The whole name of the commit that `name` means.
pub(crate) fn commit(repository: &Path, name: &str) -> Result<String> {
    let peeled = format!("{name}^{{commit}}");
    ask(repository, &["rev-parse", "--verify", "--quiet", "--end-of-options", &peeled])
        .with_context(|| format!("no such commit: {name}"))
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
