//! Where the store lies unless somebody says otherwise: the XDG Base Directory Specification 0.8.
//!
//! Pure: the caller looks the two variables up.

use std::ffi::OsString;
use std::path::PathBuf;

/// `$XDG_DATA_HOME/iopath/runs.db`, else `$HOME/.local/share/iopath/runs.db`; none where neither
/// is an absolute path (the specification has relative ones ignored).
#[must_use]
pub fn default_path(data_home: Option<OsString>, home: Option<OsString>) -> Option<PathBuf> {
    let absolute = |text: Option<OsString>| text.map(PathBuf::from).filter(|p| p.is_absolute());
    let data = absolute(data_home).or_else(|| Some(absolute(home)?.join(".local/share")));
    Some(data?.join("iopath/runs.db"))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_data_directory_comes_before_the_home() {
        let cases = [
            (Some("/data"), Some("/home/a"), Some("/data/iopath/runs.db")),
            (None, Some("/home/a"), Some("/home/a/.local/share/iopath/runs.db")),
            (Some(""), Some("/home/a"), Some("/home/a/.local/share/iopath/runs.db")),
            (Some("data"), Some("/home/a"), Some("/home/a/.local/share/iopath/runs.db")),
            (Some("/data"), None, Some("/data/iopath/runs.db")),
            (None, Some(""), None),
            (None, None, None),
        ];
        for (data_home, home, expected) in cases {
            let found = default_path(data_home.map(OsString::from), home.map(OsString::from));
            assert_eq!(found, expected.map(PathBuf::from), "{data_home:?} {home:?}");
        }
    }
}
