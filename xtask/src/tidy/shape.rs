//! The shape of a Rust file: it says what it is, it is short, its functions and lines are short.
//!
//! Limits are chosen: 500 lines a file, 70 a function, 15 a closure that has a name, 100 columns a
//! line. A longer closure is a function; in tests it may make a fixture. Modules for tests and
//! `tests/` folders may be longer as files; their functions and lines may not.

use proc_macro2::Span;
use syn::spanned::Spanned;
use syn::visit::{self, Visit};

use super::problem::Problem;
use super::source::Source;
use super::text;

const FILE_LINES: usize = 500;
const FUNCTION_LINES: usize = 70;
const CLOSURE_LINES: usize = 15;
const COLUMNS: usize = 100;

pub(crate) fn check(source: &Source) -> Vec<Problem> {
    let mut problems = Vec::new();
    problems.extend(module_doc(source));
    problems.extend(file_length(source));
    problems.extend(function_length(source));
    problems.extend(line_length(source));
    problems
}

fn module_doc(source: &Source) -> Option<Problem> {
    let advice = "begin the file with `//!`: what it is, which law or format, what it leaves out";
    let missing = !source.body.starts_with("//!");
    missing.then(|| Problem::new(&source.path, 1, "module-doc", advice))
}

fn file_length(source: &Source) -> Option<Problem> {
    let lines = text::numbered(&source.body).filter(|(line, _)| !source.is_test(*line)).count();
    let advice =
        format!("{lines} lines without tests, at most {FILE_LINES}: split it by what it is");
    let too_long = lines > FILE_LINES && !source.path.contains("/tests/");
    too_long.then(|| Problem::new(&source.path, 1, "file-length", advice))
}

fn function_length(source: &Source) -> Vec<Problem> {
    let mut functions = Functions { source, problems: Vec::new() };
    functions.visit_file(&source.tree);
    functions.problems
}

struct Functions<'a> {
    source: &'a Source,
    problems: Vec<Problem>,
}

impl Functions<'_> {
    /// Counted from `fn` to the closing brace, both included.
    fn measure(&mut self, signature: &syn::Signature, end: Span) {
        let line = signature.span().start().line;
        let lines = end.end().line - line + 1;
        if lines > FUNCTION_LINES {
            let advice =
                format!("`{}` has {lines} lines, at most {FUNCTION_LINES}", signature.ident);
            self.problems.push(Problem::new(&self.source.path, line, "function-length", advice));
        }
    }
}

impl<'ast> Visit<'ast> for Functions<'_> {
    fn visit_local(&mut self, local: &'ast syn::Local) {
        if let Some(syn::Expr::Closure(closure)) = local.init.as_ref().map(|init| &*init.expr) {
            let line = local.span().start().line;
            let lines = closure.span().end().line - line + 1;
            let is_test = self.source.is_test(line) || self.source.path.contains("/tests/");
            if lines > CLOSURE_LINES && !is_test {
                let advice = format!("{lines} lines, at most {CLOSURE_LINES}: make it a function");
                self.problems.push(Problem::new(&self.source.path, line, "closure-length", advice));
            }
        }
        visit::visit_local(self, local);
    }

    fn visit_item_fn(&mut self, function: &'ast syn::ItemFn) {
        self.measure(&function.sig, function.block.span());
        visit::visit_item_fn(self, function);
    }

    fn visit_impl_item_fn(&mut self, function: &'ast syn::ImplItemFn) {
        self.measure(&function.sig, function.block.span());
        visit::visit_impl_item_fn(self, function);
    }

    fn visit_trait_item_fn(&mut self, function: &'ast syn::TraitItemFn) {
        self.measure(&function.sig, function.span());
        visit::visit_trait_item_fn(self, function);
    }
}

fn line_length(source: &Source) -> Vec<Problem> {
    let long = text::numbered(&source.body).filter(|(line, text)| {
        let columns = text.chars().count();
        let is_foreign = source.raw.iter().any(|lines| lines.contains(line));
        columns > COLUMNS && !is_foreign && !is_lone_address(text)
    });
    let advice =
        format!("over {COLUMNS} columns: split it (lone addresses and raw strings' lines may be)");
    long.map(|(line, _)| Problem::new(&source.path, line, "line-length", &*advice)).collect()
}

/// A comment line or string with nothing but an address: there is no place to break it.
fn is_lone_address(line: &str) -> bool {
    let mut words = line.split_whitespace().filter(|word| !word.starts_with("//"));
    words.next().is_some_and(|word| word.contains("://")) && words.next().is_none()
}

#[cfg(test)]
mod tests {
    use super::super::problem::places;
    use super::super::source::parse;
    use super::*;

    fn check_text(body: &str, expected: &[(usize, &str)]) {
        assert_eq!(places(&check(&parse("crates/units/src/a.rs", body))), expected);
    }

    fn lines(count: usize) -> String {
        "// x\n".repeat(count)
    }

    #[test]
    fn a_closure_with_a_name_is_short() {
        let body =
            |lines| format!("//! Text.\nfn f() {{\nlet g = || {{\n{}}};\n}}\n", self::lines(lines));
        check_text(&body(CLOSURE_LINES - 2), &[]);
        check_text(&body(CLOSURE_LINES - 1), &[(3, "closure-length")]);
        let nameless = body(CLOSURE_LINES).replace("let g = || {", "g(|| {").replace("};", "});");
        check_text(&nameless, &[]);
    }

    #[test]
    fn a_file_begins_with_its_doc() {
        check_text("//! Text.\n", &[]);
        check_text("// Text.\n//! Late.\n", &[(1, "module-doc")]);
        check_text("", &[(1, "module-doc")]);
    }

    #[test]
    fn a_file_is_at_most_500_lines_without_its_tests() {
        check_text(&format!("//! a\n{}", lines(499)), &[]);
        check_text(&format!("//! a\n{}", lines(500)), &[(1, "file-length")]);
        let tests = format!("#[cfg(test)]\nmod tests {{\n{}}}\n", lines(500));
        check_text(&format!("//! a\n{}{tests}", lines(499)), &[]);
    }

    #[test]
    fn a_tests_folder_may_hold_longer_files() {
        let source = parse("crates/units/tests/it.rs", &format!("//! a\n{}", lines(600)));
        assert_eq!(places(&check(&source)), []);
    }

    #[test]
    fn a_function_is_at_most_70_lines() {
        check_text(&format!("//! a\nfn f() {{\n{}}}\n", lines(68)), &[]);
        check_text(&format!("//! a\nfn f() {{\n{}}}\n", lines(69)), &[(2, "function-length")]);
    }

    #[test]
    fn methods_and_functions_of_tests_count_too() {
        let long = format!("fn f() {{\n{}}}\n", lines(69));
        check_text(&format!("//! a\nimpl A {{\n{long}}}\n"), &[(3, "function-length")]);
        check_text(&format!("//! a\ntrait A {{\n{long}}}\n"), &[(3, "function-length")]);
        check_text(
            &format!("//! a\n#[cfg(test)]\nmod tests {{\n{long}}}\n"),
            &[(4, "function-length")],
        );
    }

    #[test]
    fn braces_in_strings_do_not_close_a_function() {
        let body = format!("//! a\nfn f() {{\nlet s = \"}}\";\n{}}}\n", lines(68));
        check_text(&body, &[(2, "function-length")]);
    }

    #[test]
    fn a_line_is_at_most_100_columns() {
        check_text(&format!("//! {}\n", "é".repeat(96)), &[]);
        check_text(&format!("//! {}\n", "é".repeat(97)), &[(1, "line-length")]);
        check_text(
            &format!("//! a\nconst A: &str = \"{}\";\n", "a ".repeat(50)),
            &[(2, "line-length")],
        );
    }

    #[test]
    fn an_address_alone_on_its_line_may_be_longer() {
        let address = format!("https://example.org/{}", "a".repeat(100));
        check_text(&format!("//! a\n//! {address}\n"), &[]);
        check_text(&format!("//! a\n//! see {address}\n"), &[(2, "line-length")]);
    }

    #[test]
    fn the_lines_of_a_raw_string_are_left_as_they_are() {
        let wide = "1 ".repeat(60);
        check_text(&format!("//! a\nconst A: &str = r\"x\n{wide}\n\";\n"), &[]);
        check_text(&format!("//! a\nconst A: &str = \"x\n{wide}\n\";\n"), &[(3, "line-length")]);
    }
}
