//! Layers of a crate's modules, and modules that need one another in a circle.
//!
//! A module may name those of its own layer and of the layers before it. Modules that lie in one
//! folder, or at the crate's root, may not need one another in a circle: such a set cannot be
//! understood one by one. A module names another where one of its files, or of those below it, has
//! a path by `crate::` or `super::` into it. What it takes through a name that a module above
//! exports again, or a macro writes, is not seen.

use std::collections::{BTreeMap, BTreeSet};
use std::iter::Peekable;

use super::problem::Problem;
use super::source::Source;
use super::text;
use crate::workspace::Workspace;

/// A crate's layers, the first of which knows none of the others.
struct Layered {
    folder: &'static str,
    layers: &'static [&'static [&'static str]],
}

const CRATES: [Layered; 3] = [
    Layered {
        folder: "analysis",
        layers: &[
            &["groups", "statistics", "thresholds"],
            &["usage"],
            &["prediction"],
            &["judges"],
            &["findings"],
            &[
                "agreement",
                "capacities",
                "compare",
                "curve",
                "depths",
                "distribution",
                "fairness",
                "demand",
                "find_max",
                "hosts",
                "load_sweep",
                "picture",
                "probe",
                "sweep",
                "timeline",
            ],
        ],
    },
    Layered {
        folder: "cli",
        layers: &[
            &["bundled_studies", "exit_status", "loads", "output", "process_limits"],
            &["arguments"],
            &["inputs"],
            &["results"],
            &["run"],
            &["commands"],
        ],
    },
    Layered {
        folder: "report",
        layers: &[
            &["look", "numbers", "spark", "wrap"],
            &["view"],
            &["document"],
            &["words"],
            &["sections"],
            &["compose"],
            &["watch"],
            &["html", "json", "text"],
        ],
    },
];

/// Which modules each module of one folder names.
type Graph = BTreeMap<String, BTreeSet<String>>;

/// The graph of each folder, by its modules from the crate's root; empty for the root itself.
type Graphs = BTreeMap<Vec<String>, Graph>;

pub(crate) fn check(workspace: &Workspace, sources: &BTreeMap<String, Source>) -> Vec<Problem> {
    let mut problems = Vec::new();
    for Layered { folder, layers } in CRATES {
        let found = workspace.packages.iter().find(|package| package.folder() == folder);
        let Some(package) = found else { continue };
        let root = format!("{}/src", package.place(workspace));
        let graphs = graphs(&root, sources);
        problems.extend(circles_of(&root, &graphs));
        problems.extend(against_layers(&root, layers, &graphs[&Vec::new()]));
    }
    problems
}

fn circles_of(root: &str, graphs: &Graphs) -> Vec<Problem> {
    let mut problems = Vec::new();
    for (folder, graph) in graphs {
        for circle in circles(graph) {
            let names: Vec<&str> = circle.iter().map(String::as_str).collect();
            let path = [&[root], &*parts(folder), &names[..1]].concat().join("/");
            let advice =
                format!("a circle of modules: {}; move what two need below both", names.join(", "));
            problems.push(Problem::new(&format!("{path}.rs"), 1, "circle", advice));
        }
    }
    problems
}

fn parts(folder: &[String]) -> Vec<&str> {
    folder.iter().map(String::as_str).collect()
}

fn against_layers(root: &str, layers: &[&[&str]], graph: &Graph) -> Vec<Problem> {
    let layer = |module: &String| layers.iter().position(|layer| layer.contains(&&**module));
    let mut problems = Vec::new();
    for (module, named) in graph {
        let path = format!("{root}/{module}.rs");
        let Some(own) = layer(module) else {
            let advice = format!("{module} is in no layer of {root}: say which in {}", file!());
            problems.push(Problem::new(&path, 1, "layer", advice));
            continue;
        };
        for above in named.iter().filter(|named| layer(named).is_some_and(|other| other > own)) {
            let advice = format!("{module} names {above}, which is in a layer above it");
            problems.push(Problem::new(&path, 1, "layer", advice));
        }
    }
    let gone = layers.iter().copied().flatten().filter(|module| !graph.contains_key(**module));
    problems.extend(gone.map(|module| {
        let advice = format!("{module} is no module of {root}: take it out of its layer");
        Problem::new(file!(), 1, "layer", advice)
    }));
    problems
}

fn graphs(root: &str, sources: &BTreeMap<String, Source>) -> Graphs {
    let mut files: Vec<(Vec<String>, &Source)> = Vec::new();
    for source in sources.values().filter(|source| !source.is_test(1)) {
        let below = source.path.strip_prefix(root).and_then(|rest| rest.strip_prefix('/'));
        let module = below.and_then(|path| path.strip_suffix(".rs"));
        if let Some(module) = module.filter(|module| !matches!(*module, "lib" | "main")) {
            files.push((module.split('/').map(str::to_owned).collect(), source));
        }
    }
    let mut graphs = Graphs::from([(Vec::new(), Graph::new())]);
    for (module, _) in &files {
        let (own, folder) = module.split_last().expect("a module has a name");
        graphs.entry(folder.to_vec()).or_default().entry(own.clone()).or_default();
    }
    for (module, source) in &files {
        for named in named(source, module) {
            let shared = module.iter().zip(&named).take_while(|(own, other)| own == other).count();
            let (Some(own), Some(other)) = (module.get(shared), named.get(shared)) else {
                continue;
            };
            let Some(graph) = graphs.get_mut(&module[..shared]) else { continue };
            if graph.contains_key(other) {
                graph.entry(own.clone()).or_default().insert(other.clone());
            }
        }
    }
    graphs
}

/// The paths that a module's file names, from the crate's root.
fn named(source: &Source, module: &[String]) -> Vec<Vec<String>> {
    let code = text::numbered(&source.code).filter(|(line, _)| !source.is_test(*line));
    let code: String = code.map(|(_, text)| format!("{text}\n")).collect();
    let words = words(&code);
    let mut named = Vec::new();
    for at in (0..words.len()).filter(|at| *at == 0 || words[at - 1] != "::") {
        let supers = leading_supers(&words[at..]);
        let (above, rest) = match words[at..] {
            ["crate", "::", ..] => (&[][..], at + 2),
            _ if (1..=module.len()).contains(&supers) => {
                (&module[..module.len() - supers], at + 2 * supers)
            }
            _ => continue,
        };
        follow(&mut words[rest..].iter().copied().peekable(), above.to_vec(), &mut named);
    }
    named
}

/// How often `super::` stands at the beginning.
fn leading_supers(words: &[&str]) -> usize {
    words.chunks_exact(2).take_while(|pair| **pair == ["super", "::"]).count()
}

/// Follows one path, or those of a group in braces.
fn follow<'a>(
    words: &mut Peekable<impl Iterator<Item = &'a str>>,
    mut path: Vec<String>,
    named: &mut Vec<Vec<String>>,
) {
    while let Some(word) = words.next() {
        if word == "{" {
            while words.peek().is_some_and(|next| *next != "}") {
                follow(words, path.clone(), named);
                words.next_if_eq(&",");
            }
            words.next();
            return;
        }
        path.push(word.to_owned());
        if words.next_if_eq(&"::").is_none() {
            break;
        }
    }
    named.push(path);
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

    fn graphs_of(files: &[(&str, &str)]) -> Graphs {
        let source = |(path, body): &(&str, &str)| {
            let path = format!("a/src/{path}");
            (path.clone(), parse(&path, body))
        };
        graphs("a/src", &files.iter().map(source).collect())
    }

    fn problems_of(files: &[(&str, &str)]) -> Vec<String> {
        circles_of("a/src", &graphs_of(files)).iter().map(ToString::to_string).collect()
    }

    fn circle(file: &str, names: &str) -> String {
        format!(
            "a/src/{file}:1: circle: a circle of modules: {names}; move what two need below both"
        )
    }

    #[test]
    fn modules_that_name_one_another_are_a_circle_however_they_do_so() {
        for back in [
            "use crate::b::B;",
            "use super::b;",
            "use crate::{c::{C, D}, b::{self, B}};",
            "fn f() { crate::b::g() }",
            "fn f() { vec![super::b::g()] }",
        ] {
            let files = [("lib.rs", ""), ("b.rs", "use crate::d;"), ("d.rs", back)];
            assert_eq!(problems_of(&files), [circle("b.rs", "b, d")], "{back}");
        }
    }

    #[test]
    fn modules_of_a_folder_are_looked_at_like_those_of_the_root() {
        let files =
            [("x.rs", ""), ("x/b.rs", "use super::c;"), ("x/c/d.rs", "use crate::{x::b::B, y};")];
        let files = [&files[..], &[("x/c.rs", ""), ("y.rs", "")]].concat();
        assert_eq!(problems_of(&files), [circle("x/b.rs", "b, c")]);
    }

    #[test]
    fn a_chain_the_root_and_a_module_with_what_is_below_it_are_no_circle() {
        let chain = [("b.rs", "use crate::c;"), ("c.rs", "use crate::d;"), ("d.rs", "")];
        assert_eq!(problems_of(&chain), [""; 0]);
        let root = [("lib.rs", "use crate::b;"), ("b.rs", "use crate::Root;")];
        assert_eq!(problems_of(&root), [""; 0]);
        let inside = [("b.rs", "use self::c;"), ("b/c.rs", "use super::B; use crate::b::d;")];
        assert_eq!(problems_of(&inside), [""; 0]);
    }

    #[test]
    fn a_file_below_a_module_counts_for_it_and_tests_do_not() {
        let below =
            [("b.rs", ""), ("b/x/y.rs", "use super::super::super::c;"), ("c.rs", "use crate::b;")];
        assert_eq!(problems_of(&below), [circle("b.rs", "b, c")]);
        let tests =
            [("b.rs", "#[cfg(test)]\nmod tests { use crate::c; }"), ("c.rs", "use crate::b;")];
        assert_eq!(problems_of(&tests), [""; 0]);
    }

    #[test]
    fn a_layer_names_none_above_it_and_every_module_has_one() {
        let files = [("b.rs", "use crate::c;"), ("c.rs", ""), ("d.rs", "use crate::b;")];
        let graphs = graphs_of(&files);
        let problems = |layers: &[&[&str]]| -> Vec<String> {
            let found = against_layers("a/src", layers, &graphs[&Vec::new()]);
            found.into_iter().map(|problem| problem.advice).collect()
        };
        assert_eq!(problems(&[&["b", "c"], &["d"]]), [""; 0]);
        let above = ["b names c, which is in a layer above it"];
        assert_eq!(problems(&[&["b"], &["c"], &["d"]]), above);
        let none = ["c is in no layer of a/src: say which in xtask/src/tidy/layers.rs"];
        assert_eq!(problems(&[&["b"], &["d"]]), none);
        let gone = ["e is no module of a/src: take it out of its layer"];
        assert_eq!(problems(&[&["b", "c", "e"], &["d"]]), gone);
    }
}
