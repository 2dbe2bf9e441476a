//! `cargo xtask tidy`: the house rules that compilers do not know, one line per problem.
//!
//! Every rule is a function from texts to problems, tested on small texts. Only this file reads the
//! disk. Rules of rustc and clippy (unused code, missing docs) are not repeated here.

mod architecture;
mod budgets;
mod documents;
mod edges;
mod layers;
mod lines;
mod modules;
mod names;
mod objects;
mod outputs;
mod parameters;
mod problem;
mod purity;
mod sentences;
mod shape;
mod source;
mod text;
mod words;

use std::collections::BTreeMap;
use std::fs;
use std::path::Path;

use anyhow::{Context, Result, bail};

use crate::workspace::Workspace;
use problem::Problem;
use source::Source;
use text::Kind;
pub(crate) use text::Text;

pub(crate) fn run(words: &[&str]) -> Result<()> {
    match words {
        [] => check_all(),
        ["--lines"] => lines::print(),
        ["--lines", "--at", commit] => lines::print_since(commit),
        _ => bail!("tidy takes nothing, --lines, or --lines --at COMMIT"),
    }
}

/// Prints every problem; fails when there is one.
pub(crate) fn check_all() -> Result<()> {
    let workspace = Workspace::read()?;
    let texts = read_texts(&workspace)?;
    let problems = check(&workspace, &texts);
    for problem in &problems {
        println!("{problem}");
    }
    match problems.len() {
        0 => {
            println!("tidy: {} files, no problem", texts.len());
            Ok(())
        }
        1 => bail!("tidy: 1 problem"),
        count => bail!("tidy: {count} problems"),
    }
}

fn check(workspace: &Workspace, texts: &BTreeMap<String, Text>) -> Vec<Problem> {
    let (mut sources, mut problems) = parse_sources(texts);
    problems.extend(modules::check(&modules::roots(workspace), &mut sources));
    for source in sources.values() {
        problems.extend(shape::check(source));
        problems.extend(names::check(source));
        problems.extend(words::check_source(source));
    }
    problems.extend(objects::check(&sources));
    problems.extend(outputs::check(&sources));
    problems.extend(parameters::check(workspace, &sources));
    problems.extend(layers::check(workspace, &sources));
    problems.extend(sentences::check(&sources));
    for text in texts.values().filter(|text| text.kind() != Kind::Rust) {
        problems.extend(words::check_text(text));
    }
    problems.extend(edges::check(workspace));
    problems.extend(architecture::check(workspace, texts, &sources));
    problems.extend(purity::check(texts));
    problems.extend(budgets::check(texts));
    problems.extend(documents::check(texts, &|path| workspace.root.join(path).exists()));
    problems.extend(documents::check_changelog(texts, version(workspace)));
    problems.sort();
    problems
}

fn parse_sources(texts: &BTreeMap<String, Text>) -> (BTreeMap<String, Source>, Vec<Problem>) {
    let mut sources = BTreeMap::new();
    let mut problems = Vec::new();
    for text in texts.values().filter(|text| text.kind() == Kind::Rust) {
        match Source::parse(text) {
            Ok(source) => drop(sources.insert(text.path.clone(), source)),
            Err(problem) => problems.push(problem),
        }
    }
    (sources, problems)
}

/// All crates share the workspace's version, so any of them tells it.
fn version(workspace: &Workspace) -> &str {
    workspace.packages.first().map_or("", |package| &package.version)
}

/// Every text file of a kind that has rules, keyed by its path seen from the root.
pub(crate) fn read_texts(workspace: &Workspace) -> Result<BTreeMap<String, Text>> {
    let mut texts = BTreeMap::new();
    read_folder(workspace, &workspace.root, &mut texts)?;
    Ok(texts)
}

fn read_folder(
    workspace: &Workspace,
    folder: &Path,
    texts: &mut BTreeMap<String, Text>,
) -> Result<()> {
    for entry in fs::read_dir(folder).with_context(|| format!("{}", folder.display()))? {
        let path = entry?.path();
        let name = workspace.relative(&path);
        if path.is_dir() {
            if !text::is_foreign(&name) {
                read_folder(workspace, &path, texts)?;
            }
        } else if text::kind_of(&name).is_some() {
            let body = fs::read_to_string(&path).with_context(|| name.clone())?;
            texts.insert(name.clone(), Text::new(name, body));
        }
    }
    Ok(())
}
