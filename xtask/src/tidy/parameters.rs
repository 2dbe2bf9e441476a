//! What functions take: few parameters, and no tuples, whose parts have no names.
//!
//! At most five parameters beside `self` (chosen). How many tuples functions take outside of tests
//! stands in a table by crate. A figure may only fall, and its row is lowered when it does. Methods
//! of traits take what the trait says.

use std::collections::BTreeMap;

use syn::spanned::Spanned;
use syn::visit::{self, Visit};

use super::problem::Problem;
use super::source::Source;
use crate::workspace::Workspace;

const PARAMETERS: usize = 5;

/// Tuples among the parameters of each crate; the others have none.
const TUPLES: &[(&str, usize)] = &[
    ("analysis", 11),
    ("analytic", 11),
    ("cli", 10),
    ("import", 7),
    ("discovery", 12),
    ("emulation", 6),
    ("entities", 3),
    ("imitation", 7),
    ("machine", 4),
    ("measurement", 32),
    ("path", 51),
    ("record", 2),
    ("report", 20),
    ("simulation", 37),
    ("store", 2),
    ("study", 15),
    ("workload", 1),
    ("xtask", 6),
];

const THIS_FILE: &str = "xtask/src/tidy/parameters.rs";

pub(crate) fn check(workspace: &Workspace, sources: &BTreeMap<String, Source>) -> Vec<Problem> {
    let mut problems = Vec::new();
    let mut tuples: BTreeMap<String, Vec<Place>> = BTreeMap::new();
    for source in sources.values() {
        let mut functions = Functions { source, problems: Vec::new(), tuples: Vec::new() };
        functions.visit_file(&source.tree);
        problems.append(&mut functions.problems);
        if let Some(package) = workspace.package_of(&source.path) {
            tuples.entry(package.folder()).or_default().append(&mut functions.tuples);
        }
    }
    problems.extend(compare(&tuples, TUPLES));
    problems
}

/// Where a tuple is taken.
struct Place {
    path: String,
    line: usize,
}

fn compare(found: &BTreeMap<String, Vec<Place>>, ceilings: &[(&str, usize)]) -> Vec<Problem> {
    let mut problems = Vec::new();
    for (name, places) in found {
        let ceiling = ceilings.iter().find(|(crate_name, _)| crate_name == name);
        let ceiling = ceiling.map_or(0, |(_, ceiling)| *ceiling);
        if places.len() < ceiling {
            let advice = format!("{name} has {} tuples as parameters: lower its row", places.len());
            problems.push(Problem::new(THIS_FILE, 1, "tuple-parameter", advice));
        }
        if places.len() > ceiling {
            let advice = format!(
                "{name} has {} tuples as parameters, at most {ceiling}: name the parts in a struct",
                places.len()
            );
            let at = |place: &Place| {
                Problem::new(&place.path, place.line, "tuple-parameter", advice.clone())
            };
            problems.extend(places.iter().map(at));
        }
    }
    problems
}

struct Functions<'a> {
    source: &'a Source,
    problems: Vec<Problem>,
    tuples: Vec<Place>,
}

impl Functions<'_> {
    fn look(&mut self, signature: &syn::Signature) {
        let line = signature.span().start().line;
        let typed: Vec<&syn::PatType> = signature
            .inputs
            .iter()
            .filter_map(|input| match input {
                syn::FnArg::Typed(typed) => Some(typed),
                syn::FnArg::Receiver(_) => None,
            })
            .collect();
        let path = &self.source.path;
        if typed.len() > PARAMETERS {
            let advice = format!(
                "`{}` takes {} parameters, at most {PARAMETERS}: name what belongs together",
                signature.ident,
                typed.len()
            );
            self.problems.push(Problem::new(path, line, "parameters", advice));
        }
        if !self.source.is_test(line) {
            let tuples = typed.iter().filter(|typed| is_tuple(&typed.ty));
            let place = |typed: &&syn::PatType| typed.span().start().line;
            let lines = tuples.map(place);
            self.tuples.extend(lines.map(|line| Place { path: path.clone(), line }));
        }
    }
}

/// Of two things or more, or a reference to such.
fn is_tuple(ty: &syn::Type) -> bool {
    match ty {
        syn::Type::Tuple(tuple) => tuple.elems.len() > 1,
        syn::Type::Reference(reference) => is_tuple(&reference.elem),
        _ => false,
    }
}

impl<'ast> Visit<'ast> for Functions<'_> {
    /// What a method of somebody else's trait takes is not ours to choose.
    fn visit_item_impl(&mut self, item: &'ast syn::ItemImpl) {
        if item.trait_.is_none() {
            visit::visit_item_impl(self, item);
        }
    }

    fn visit_signature(&mut self, signature: &'ast syn::Signature) {
        self.look(signature);
        visit::visit_signature(self, signature);
    }
}

#[cfg(test)]
mod tests {
    use super::super::problem::places;
    use super::super::source::parse;
    use super::*;

    fn tuples(body: &str) -> Vec<usize> {
        let source = parse("a/src/lib.rs", body);
        let mut functions = Functions { source: &source, problems: Vec::new(), tuples: Vec::new() };
        functions.visit_file(&source.tree);
        functions.tuples.into_iter().map(|place| place.line).collect()
    }

    fn check_text(body: &str, expected: &[(usize, &str)]) {
        let source = parse("a/src/lib.rs", body);
        let mut functions = Functions { source: &source, problems: Vec::new(), tuples: Vec::new() };
        functions.visit_file(&source.tree);
        assert_eq!(places(&functions.problems), expected);
    }

    #[test]
    fn a_function_takes_at_most_five_parameters_beside_itself() {
        check_text("fn f(a: u8, b: u8, c: u8, d: u8, e: u8) {}", &[]);
        check_text("impl A { fn f(&self, a: u8, b: u8, c: u8, d: u8, e: u8) {} }", &[]);
        let six = "fn f(a: u8, b: u8, c: u8, d: u8, e: u8, g: u8)";
        check_text(&format!("\n{six} {{}}"), &[(2, "parameters")]);
        check_text(&format!("trait A {{\n{six};\n}}"), &[(2, "parameters")]);
        check_text(&format!("impl A for B {{ {six} {{}} }}"), &[]);
    }

    #[test]
    fn a_tuple_of_two_is_counted_once_and_not_in_tests() {
        assert_eq!(
            tuples("fn f(a: (u8, u8),\nb: &(u8, u8)) {}\nfn g(c: (), d: &[(u8, u8)]) {}"),
            [1, 2]
        );
        assert_eq!(tuples("#[cfg(test)]\nmod tests { fn f(a: (u8, u8)) {} }"), [0; 0]);
    }

    #[test]
    fn ceilings_may_only_fall() {
        let place = || Place { path: "a/src/lib.rs".to_owned(), line: 7 };
        let found = BTreeMap::from([("a".to_owned(), vec![place(), place()])]);
        assert_eq!(places(&compare(&found, &[("a", 2)])), []);
        assert_eq!(places(&compare(&found, &[("a", 3)])), [(1, "tuple-parameter")]);
        assert_eq!(places(&compare(&found, &[])), [(7, "tuple-parameter"); 2]);
    }
}
