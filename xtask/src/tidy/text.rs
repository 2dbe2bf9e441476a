//! A text file of the workspace and which kind it is.
//!
//! Files of other kinds (fixtures, databases, Cargo.lock) have no house rules and are not read.

/// What decides which rules hold.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Kind {
    Rust,
    Markdown,
    /// Settings, scripts, study files.
    Plain,
}

#[derive(Debug)]
pub(crate) struct Text {
    /// From the workspace's root, with `/`.
    pub path: String,
    pub body: String,
}

impl Text {
    pub(crate) fn new(path: impl Into<String>, body: impl Into<String>) -> Self {
        Self { path: path.into(), body: body.into() }
    }

    pub(crate) fn kind(&self) -> Kind {
        kind_of(&self.path).unwrap_or(Kind::Plain)
    }
}

/// The kind of a file by its name; none for files without house rules.
pub(crate) fn kind_of(path: &str) -> Option<Kind> {
    let name = path.rsplit('/').next().unwrap_or(path);
    match name.rsplit_once('.').map(|(_, ending)| ending) {
        Some("rs") => Some(Kind::Rust),
        Some("md") => Some(Kind::Markdown),
        Some("toml" | "kdl" | "sh" | "yml" | "yaml") => Some(Kind::Plain),
        None if path.starts_with(".ci/") => Some(Kind::Plain),
        Some(_) | None => None,
    }
}

/// Folders that hold no text of ours: build products, git's files, foreign texts kept as fixtures.
pub(crate) fn is_foreign(folder: &str) -> bool {
    let name = folder.rsplit('/').next().unwrap_or(folder);
    folder == "target" || name == ".git" || name == "fixtures"
}

/// The lines of `body`, counted from 1.
pub(crate) fn numbered(body: &str) -> impl Iterator<Item = (usize, &str)> {
    body.lines().enumerate().map(|(index, line)| (index + 1, line))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_name_tells_the_kind() {
        assert_eq!(kind_of("crates/units/src/lib.rs"), Some(Kind::Rust));
        assert_eq!(kind_of("README.md"), Some(Kind::Markdown));
        assert_eq!(kind_of(".ci/run"), Some(Kind::Plain));
        assert_eq!(kind_of(".cargo/config.toml"), Some(Kind::Plain));
        assert_eq!(kind_of("Cargo.lock"), None);
        assert_eq!(kind_of("LICENSE-MIT"), None);
    }

    #[test]
    fn only_the_root_s_target_folder_is_foreign() {
        assert!(is_foreign("target"));
        assert!(is_foreign("crates/machine/tests/fixtures"));
        assert!(!is_foreign("crates/measurement/src/target"));
    }
}
