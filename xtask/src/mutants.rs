//! `cargo xtask mutants`: whether tests notice when the product is made wrong.
//!
//! Mutants are those of cargo-mutants (operators, values returned early, arms and guards of
//! matches); which of them are tried is drawn by a printed seed. Each is tried with its own crate's
//! tests, and those that survive also with the program's golden texts. It all happens in a copy of
//! the tree. A survivor is a question, not a failure: some change nothing that anybody could see.

mod copy;
mod driver;
mod options;

use anyhow::{Result, bail};

use crate::limits::Draw;
use crate::workspace::Workspace;
use copy::Copy;
use driver::{Mutant, Outcomes, Trial};
use options::Options;

/// The program's tests that look at what all crates make together.
const GOLDEN: Trial = Trial { package: Some("iopath"), words: &["--test", "it", "golden::"] };

/// Tests of the crate that a mutant is in.
const OWN: Trial = Trial { package: None, words: &[] };

pub(crate) fn run(words: &[&str]) -> Result<()> {
    let options = Options::parse(words, crate::attack::now())?;
    let workspace = Workspace::read()?;
    let packages = packages(&workspace, &options.crates)?;
    driver::require()?;
    let all = driver::list(&workspace.root, &packages)?;
    println!(
        "{} of {} mutants of {}",
        options.count.min(all.len()),
        all.len(),
        packages.join(", ")
    );
    println!("drawn with --seed {}", options.seed);
    let drawn = draw(all, options.count, options.seed);
    let copy = Copy::make(&workspace.root)?;
    let drawn: Vec<&Mutant> = drawn.iter().collect();
    let own = driver::try_all(&copy, &drawn, &OWN)?;
    let missed = drawn.into_iter().filter(|mutant| own.missed.contains(&mutant.name));
    let missed: Vec<&Mutant> = missed.collect();
    let golden = match missed.as_slice() {
        [] => Outcomes::default(),
        missed => driver::try_all(&copy, missed, &GOLDEN)?,
    };
    print!("{}", summary(&own, &golden));
    Ok(())
}

/// Their packages' names, by the names of their folders.
fn packages(workspace: &Workspace, crates: &[String]) -> Result<Vec<String>> {
    let package = |name: &String| {
        let found = workspace.packages.iter().find(|package| package.folder() == *name);
        match found {
            Some(package) => Ok(package.name.clone()),
            None => bail!("no such crate: {name}; name it by its folder"),
        }
    };
    crates.iter().map(package).collect()
}

/// In the order of the list: the same seed tries the same mutants of the same sources.
fn draw(mut all: Vec<Mutant>, count: usize, seed: u64) -> Vec<Mutant> {
    let mut draw = Draw::of("mutants", seed);
    while all.len() > count {
        let last = all.len() as u64 - 1;
        all.remove(draw.within(0, last) as usize);
    }
    all
}

fn summary(own: &Outcomes, golden: &Outcomes) -> String {
    let mut text = format!(
        "\n{} noticed by the tests of their crate, {} by golden texts, {} do not compile\n",
        own.noticed(),
        golden.noticed(),
        own.unviable.len()
    );
    match golden.missed.len() {
        0 => text.push_str("none survive\n"),
        1 => text.push_str("1 survives:\n"),
        count => text.push_str(&format!("{count} survive:\n")),
    }
    for name in &golden.missed {
        text.push_str(&format!("  {name}\n"));
    }
    text
}

#[cfg(test)]
mod tests {
    use super::driver::{Span, Start};
    use super::*;

    fn mutants(count: usize) -> Vec<Mutant> {
        let mutant = |number: usize| Mutant {
            name: format!("a.rs:{number}"),
            package: "a".to_owned(),
            file: "a.rs".to_owned(),
            span: Span { start: Start { line: number } },
        };
        (0..count).map(mutant).collect()
    }

    fn names(mutants: &[Mutant]) -> Vec<&str> {
        mutants.iter().map(|mutant| mutant.name.as_str()).collect()
    }

    #[test]
    fn a_seed_draws_the_same_mutants_in_their_order() {
        let drawn = draw(mutants(100), 10, 7);
        assert_eq!(names(&drawn), names(&draw(mutants(100), 10, 7)));
        assert_ne!(names(&drawn), names(&draw(mutants(100), 10, 8)));
        let places: Vec<usize> =
            drawn.iter().map(|mutant| mutant.name[5..].parse().unwrap()).collect();
        assert!(places.is_sorted() && places.len() == 10, "{places:?}");
        assert_eq!(draw(mutants(3), 10, 7).len(), 3);
    }

    #[test]
    fn survivors_are_those_that_no_test_noticed() {
        let lines = |names: &[&str]| names.iter().map(|name| (*name).to_owned()).collect();
        let own = Outcomes {
            caught: lines(&["a", "b"]),
            timeout: lines(&["c"]),
            unviable: lines(&["d"]),
            missed: lines(&["e", "f.rs:1:2: replace < with <="]),
        };
        let golden = Outcomes {
            caught: lines(&["e"]),
            missed: lines(&["f.rs:1:2: replace < with <="]),
            ..Outcomes::default()
        };
        let expected = "
3 noticed by the tests of their crate, 1 by golden texts, 1 do not compile
1 survives:
  f.rs:1:2: replace < with <=
";
        assert_eq!(summary(&own, &golden), expected);
    }
}
