//! `cargo xtask accuracy`: writes docs/accuracy.md, what the models explain and what was fitted.
//!
//! The program compares published figures and field studies with its models; this asks it for both
//! as JSON and makes tables of them. Nothing on the page depends on the machine, the day or the
//! commit: one seed, and simulations are the same everywhere. With `--check` nothing is written,
//! and a page that differs is an error.

mod page;
mod printed;

use std::path::{Path, PathBuf};
use std::process::Command;

use anyhow::{Context, Result, bail};
use serde::de::DeserializeOwned;

use printed::{Field, Validation};

const PAGE: &str = "docs/accuracy.md";

/// What the program is asked, as the page names it.
const VALIDATE: &str = "validate --seeds 1 --json";
const FIELD: &str = "validate --field --json";

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Wanted {
    Written,
    Compared,
}

pub(crate) fn run(words: &[&str]) -> Result<()> {
    let (program, wanted) = options(words)?;
    let program = program.map_or_else(crate::bench::iopath, Ok)?;
    let validation: Validation = ask(&program, VALIDATE)?;
    let field: Field = ask(&program, FIELD)?;
    let text = page::text(&validation, &field);
    match wanted {
        Wanted::Written => std::fs::write(PAGE, text).context(PAGE)?,
        Wanted::Compared => compare(&std::fs::read_to_string(PAGE).context(PAGE)?, &text)?,
    }
    println!("{PAGE}: {} figures, {} of other systems", validation.rows.len(), field.rows.len());
    Ok(())
}

fn options(words: &[&str]) -> Result<(Option<PathBuf>, Wanted)> {
    let (mut program, mut wanted, mut left) = (None, Wanted::Written, words);
    loop {
        left = match left {
            ["--program", file, rest @ ..] => {
                program = Some(PathBuf::from(file));
                rest
            }
            ["--check", rest @ ..] => {
                wanted = Wanted::Compared;
                rest
            }
            [] => return Ok((program, wanted)),
            [word, ..] => bail!("no such option: {word}; there are --program FILE and --check"),
        }
    }
}

fn ask<T: DeserializeOwned>(program: &Path, words: &str) -> Result<T> {
    let mut command = Command::new(program);
    command.args(words.split(' ')).args(["--no-report", "--no-progress"]);
    let output = command.output().with_context(|| program.display().to_string())?;
    if !output.status.success() {
        bail!("iopath {words}: {}", String::from_utf8_lossy(&output.stderr).trim());
    }
    serde_json::from_slice(&output.stdout).with_context(|| format!("what iopath {words} prints"))
}

/// The first line that differs says where to look.
fn compare(page: &str, made: &str) -> Result<()> {
    if page == made {
        return Ok(());
    }
    let lines = page.lines().zip(made.lines()).enumerate();
    let line = lines.filter(|(_, (one, other))| one != other).map(|(at, _)| at + 1).next();
    let line = line.unwrap_or_else(|| page.lines().count().min(made.lines().count()) + 1);
    bail!("{PAGE}:{line} is not what the models say now: run cargo xtask accuracy")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn options_are_a_program_and_whether_to_write() {
        assert_eq!(options(&[]).unwrap(), (None, Wanted::Written));
        let both = options(&["--check", "--program", "a"]).unwrap();
        assert_eq!(both, (Some(PathBuf::from("a")), Wanted::Compared));
        assert!(options(&["--fast"]).unwrap_err().to_string().contains("--fast"));
    }

    #[test]
    fn a_page_that_differs_is_an_error_with_its_line() {
        assert!(compare("a\nb\n", "a\nb\n").is_ok());
        let wrong = compare("a\nb\n", "a\nc\n").unwrap_err().to_string();
        assert!(wrong.starts_with("docs/accuracy.md:2 "), "{wrong}");
        let longer = compare("a\n", "a\nc\n").unwrap_err().to_string();
        assert!(longer.starts_with("docs/accuracy.md:2 "), "{longer}");
    }
}
