//! Modules of a crate that need one another in a circle cannot be understood one by one.
//!
//! The graph has the top-level modules of a crate's product code, and an edge where a file of one
//! names another by `crate::` or `super::`. A circle is a set of modules each of which reaches all
//! others. Those of today stand in a table, which may only shrink. What a module takes through a
//! name that the crate's root exports again, or a macro writes, is not seen.

use std::collections::{BTreeMap, BTreeSet};

use super::problem::Problem;
use super::source::Source;
use super::text;
use crate::workspace::Workspace;

/// Crates that are looked at, each with the modules that are in a circle today.
const CIRCLES: &[(&str, &[&[&str]])] = &[("analysis", &[]), ("cli", &[])];

const THIS_FILE: &str = "xtask/src/tidy/circles.rs";

/// Which modules each module names.
type Graph = BTreeMap<String, BTreeSet<String>>;

pub(crate) fn check(workspace: &Workspace, sources: &BTreeMap<String, Source>) -> Vec<Problem> {
    let mut problems = Vec::new();
    for (name, listed) in CIRCLES {
        let found = workspace.packages.iter().find(|package| package.folder() == *name);
        let Some(package) = found else { continue };
        let root = format!("{}/src", package.place(workspace));
        let graph = graph(&root, sources);
        let file = |module: &str| format!("{root}/{module}.rs");
        problems.extend(compare(&circles(&graph), listed, &file));
    }
    problems
}

/// `file` is where a module is.
fn compare(
    found: &BTreeSet<BTreeSet<String>>,
    listed: &[&[&str]],
    file: &dyn Fn(&str) -> String,
) -> Vec<Problem> {
    let is_within = |circle: &BTreeSet<String>, known: &[&str]| {
        circle.iter().all(|module| known.contains(&module.as_str()))
    };
    let new = found.iter().filter(|circle| !listed.iter().any(|known| is_within(circle, known)));
    let mut problems = Vec::new();
    for circle in new {
        let names: Vec<&str> = circle.iter().map(String::as_str).collect();
        let advice =
            format!("a circle of modules: {}; move what two need below both", names.join(", "));
        problems.push(Problem::new(&file(names[0]), 1, "circle", advice));
    }
    let stays = |module: &str| found.iter().any(|circle| circle.contains(module));
    for module in listed.iter().copied().flatten().filter(|module| !stays(module)) {
        let advice = format!("{module} is in no circle any more: take it out of CIRCLES");
        problems.push(Problem::new(THIS_FILE, 1, "circle", advice));
    }
    problems
}

fn graph(root: &str, sources: &BTreeMap<String, Source>) -> Graph {
    let mut files = Vec::new();
    for source in sources.values().filter(|source| !source.is_test(1)) {
        let below = source.path.strip_prefix(root).and_then(|rest| rest.strip_prefix('/'));
        let module = below.and_then(|path| path.strip_suffix(".rs"));
        if let Some(module) = module.filter(|module| !matches!(*module, "lib" | "main")) {
            files.push((module.split('/').collect::<Vec<&str>>(), source));
        }
    }
    let mut graph: Graph =
        files.iter().map(|(module, _)| (module[0].to_owned(), BTreeSet::new())).collect();
    let modules: BTreeSet<String> = graph.keys().cloned().collect();
    for (module, source) in files {
        let named = named(source, module.len()).into_iter();
        let named = named.filter(|name| name != module[0] && modules.contains(name));
        graph.entry(module[0].to_owned()).or_default().extend(named);
    }
    graph
}

/// What a file that lies `depth` modules deep names below the crate's root.
fn named(source: &Source, depth: usize) -> BTreeSet<String> {
    let code = text::numbered(&source.code).filter(|(line, _)| !source.is_test(*line));
    let code: String = code.map(|(_, text)| format!("{text}\n")).collect();
    let words = words(&code);
    let mut named = BTreeSet::new();
    for at in 0..words.len() {
        let supers = leading_supers(&words[at..]);
        if words[at] == "crate" && words.get(at + 1) == Some(&"::") {
            named.extend(first_names(&words[at + 2..]));
        } else if supers == depth && (at == 0 || words[at - 1] != "::") {
            named.extend(first_names(&words[at + 2 * supers..]));
        }
    }
    named
}

/// How often `super::` stands at the beginning.
fn leading_supers(words: &[&str]) -> usize {
    words.chunks_exact(2).take_while(|pair| **pair == ["super", "::"]).count()
}

/// The name that comes first, or those of a group in braces.
fn first_names(words: &[&str]) -> Vec<String> {
    let mut names = Vec::new();
    let (mut depth, mut begins) = (0_usize, true);
    for word in words {
        match *word {
            "{" => depth += 1,
            "}" => depth = depth.saturating_sub(1),
            "," if depth == 1 => begins = true,
            name if begins => {
                names.push(name.to_owned());
                begins = false;
            }
            _ => {}
        }
        if depth == 0 {
            break;
        }
    }
    names
}

/// Names, `::`, and single signs.
fn words(code: &str) -> Vec<&str> {
    let mut words = Vec::new();
    let mut rest = code.trim_start();
    while let Some(first) = rest.chars().next() {
        let is_name = |letter: char| letter == '_' || letter.is_alphanumeric();
        let length = match first {
            _ if is_name(first) => rest.find(|letter| !is_name(letter)).unwrap_or(rest.len()),
            ':' if rest.starts_with("::") => 2,
            _ => first.len_utf8(),
        };
        words.push(&rest[..length]);
        rest = rest[length..].trim_start();
    }
    words
}

/// Sets of two modules or more, each of which reaches all others.
fn circles(graph: &Graph) -> BTreeSet<BTreeSet<String>> {
    let reach: BTreeMap<&String, BTreeSet<&String>> =
        graph.keys().map(|from| (from, reach(graph, from))).collect();
    let circle = |from: &String| -> BTreeSet<String> {
        let back = reach[from].iter().filter(|to| reach[**to].contains(from));
        back.map(|to| (*to).clone()).collect()
    };
    graph.keys().map(circle).filter(|circle| !circle.is_empty()).collect()
}

/// Where the edges lead, `from` itself only if they lead back to it.
fn reach<'a>(graph: &'a Graph, from: &String) -> BTreeSet<&'a String> {
    let mut reached = BTreeSet::new();
    let mut waiting: Vec<&String> = graph[from].iter().collect();
    while let Some(module) = waiting.pop() {
        if reached.insert(module) {
            waiting.extend(&graph[module]);
        }
    }
    reached
}

#[cfg(test)]
mod tests {
    use super::super::source::parse;
    use super::*;

    fn circles_of(files: &[(&str, &str)]) -> Vec<Vec<String>> {
        let source = |(path, body): &(&str, &str)| {
            let path = format!("a/src/{path}");
            (path.clone(), parse(&path, body))
        };
        let graph = graph("a/src", &files.iter().map(source).collect());
        circles(&graph).into_iter().map(|circle| circle.into_iter().collect()).collect()
    }

    #[test]
    fn modules_that_name_one_another_are_a_circle_however_they_do_so() {
        for back in [
            "use crate::b::B;",
            "use super::b;",
            "use crate::{c::C, b::{self, B}};",
            "fn f() { crate::b::g() }",
            "fn f() { vec![super::b::g()] }",
        ] {
            let files = [("lib.rs", ""), ("b.rs", "use crate::d;"), ("d.rs", back)];
            assert_eq!(circles_of(&files), [["b", "d"]], "{back}");
        }
    }

    #[test]
    fn a_chain_the_root_and_files_of_one_module_are_no_circle() {
        let chain = [("b.rs", "use crate::c;"), ("c.rs", "use crate::d;"), ("d.rs", "")];
        assert_eq!(circles_of(&chain), [[""; 0]; 0]);
        let root = [("lib.rs", "use crate::b;"), ("b.rs", "use crate::Root;")];
        assert_eq!(circles_of(&root), [[""; 0]; 0]);
        let inside = [("b.rs", "use self::c;"), ("b/c.rs", "use super::B; use crate::b::d;")];
        assert_eq!(circles_of(&inside), [[""; 0]; 0]);
    }

    #[test]
    fn a_file_below_a_module_counts_for_it_and_tests_do_not() {
        let below =
            [("b.rs", ""), ("b/x/y.rs", "use super::super::super::c;"), ("c.rs", "use crate::b;")];
        assert_eq!(circles_of(&below), [["b", "c"]]);
        let tests =
            [("b.rs", "#[cfg(test)]\nmod tests { use crate::c; }"), ("c.rs", "use crate::b;")];
        assert_eq!(circles_of(&tests), [[""; 0]; 0]);
    }

    fn compare_to(listed: &[&[&str]], found: &[&[&str]]) -> Vec<String> {
        let set = |names: &&[&str]| names.iter().map(|name| (*name).to_owned()).collect();
        let problems = compare(&found.iter().map(set).collect(), listed, &|name| name.to_owned());
        problems.iter().map(ToString::to_string).collect()
    }

    #[test]
    fn circles_may_only_shrink() {
        assert_eq!(compare_to(&[&["a", "b"]], &[&["a", "b"]]), [""; 0]);
        let grown = "a:1: circle: a circle of modules: a, b, c; move what two need below both";
        assert_eq!(compare_to(&[&["a", "b"]], &[&["a", "b", "c"]]), [grown]);
        let shrunk = "xtask/src/tidy/circles.rs:1: circle: \
                      c is in no circle any more: take it out of CIRCLES";
        assert_eq!(compare_to(&[&["a", "b", "c"]], &[&["a", "b"]]), [shrunk]);
    }
}
