//! A program run to its end, with what it cost as seen from outside.
//!
//! The cost is that of the child and of all that it waited for, from getrusage(2) by way of GNU
//! time: threads of the process are in it, and with them the kernel's io-wq workers that serve
//! its rings. Steps of 10 ms. Whose time a tick was, user's or system's, the kernel may sample.

use std::path::Path;
use std::process::Command;

use anyhow::{Context, Result, bail};

#[derive(Clone, Copy, Debug, PartialEq)]
pub(crate) struct Cost {
    pub user_sec: f64,
    pub system_sec: f64,
    /// The largest resident memory of any one process.
    pub peak_bytes: f64,
}

/// `note` is a path at which the cost may be noted.
pub(crate) fn run(words: &[String], note: &Path) -> Result<(Vec<u8>, Cost)> {
    let name = words.first().map_or("nothing", String::as_str);
    let output = Command::new("time")
        .args(["--quiet", "--format=%U %S %M", "--output"])
        .arg(note)
        .arg("--")
        .args(words)
        .output()
        .context("GNU time does not start; install the Debian package time")?;
    if !output.status.success() {
        let said = String::from_utf8_lossy(&output.stderr);
        bail!("{name}: {}: {}", output.status, said.trim());
    }
    let text = std::fs::read_to_string(note).with_context(|| format!("{}", note.display()))?;
    let cost = read_cost(&text).with_context(|| format!("time wrote another format: {text}"))?;
    Ok((output.stdout, cost))
}

fn read_cost(text: &str) -> Option<Cost> {
    let numbers: Vec<f64> =
        text.split_whitespace().map(str::parse).collect::<Result<_, _>>().ok()?;
    match numbers[..] {
        [user_sec, system_sec, peak_kib] => {
            Some(Cost { user_sec, system_sec, peak_bytes: peak_kib * 1024.0 })
        }
        _ => None,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_note_of_time_is_seconds_and_kib() {
        let cost = Cost { user_sec: 0.12, system_sec: 1.37, peak_bytes: 9_261_056.0 };
        assert_eq!(read_cost("0.12 1.37 9044\n"), Some(cost));
        assert_eq!(read_cost("Command terminated by signal 9\n0.12 1.37 9044\n"), None);
    }

    #[test]
    fn a_program_that_fails_is_an_error_with_its_words() {
        let folder = tempfile::tempdir().unwrap();
        let note = folder.path().join("note");
        let words = |script: &str| ["sh", "-c", script].map(str::to_owned);
        let (said, cost) = run(&words("echo said"), &note).unwrap();
        assert_eq!(said, b"said\n");
        assert!(cost.peak_bytes > 0.0);
        let error = run(&words("echo why >&2; exit 3"), &note).unwrap_err().to_string();
        assert_eq!(error, "sh: exit status: 3: why");
    }
}
