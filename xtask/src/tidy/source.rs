//! A Rust file taken apart: its syntax tree, and its text as code, as string literals, as comments.
//!
//! The three views are as long as the file, with blanks where another view has its text, so that a
//! line number in a view is a line number in the file. What is code and what is a string literal
//! comes from the compiler's tokens (proc-macro2's span locations); comments are what is left.

use std::ops::RangeInclusive;
use std::str::FromStr;

use proc_macro2::{Span, TokenStream, TokenTree};
use syn::spanned::Spanned;
use syn::visit::{self, Visit};

use super::problem::Problem;
use super::text::Text;

pub(crate) struct Source {
    pub path: String,
    pub body: String,
    pub tree: syn::File,
    pub code: String,
    pub strings: String,
    pub comments: String,
    /// Lines that are only built for tests.
    pub tests: Vec<RangeInclusive<usize>>,
    /// Lines that begin inside a raw string literal: text of somebody else's making.
    pub raw: Vec<RangeInclusive<usize>>,
}

#[derive(Clone, Copy, PartialEq, Eq)]
enum View {
    Code,
    Strings,
    Comments,
}

impl Source {
    pub(crate) fn parse(text: &Text) -> Result<Self, Problem> {
        let unreadable = |span: Span, reason: String| {
            Problem::new(&text.path, span.start().line.max(1), "parse", reason)
        };
        let tokens = TokenStream::from_str(&text.body)
            .map_err(|error| unreadable(error.span(), error.to_string()))?;
        let tree: syn::File = syn::parse2(tokens.clone())
            .map_err(|error| unreadable(error.span(), error.to_string()))?;
        let mut canvas = Canvas::new(&text.body);
        canvas.paint(tokens);
        Ok(Self {
            path: text.path.clone(),
            body: text.body.clone(),
            code: canvas.view(View::Code),
            strings: canvas.view(View::Strings),
            comments: canvas.view(View::Comments),
            tests: test_items(&tree),
            raw: canvas.raw,
            tree,
        })
    }

    pub(crate) fn is_test(&self, line: usize) -> bool {
        self.tests.iter().any(|lines| lines.contains(&line))
    }
}

/// `#[cfg(test)]` exactly: a module under `any(test, …)` is product code too.
pub(crate) fn is_for_tests(attributes: &[syn::Attribute]) -> bool {
    attributes.iter().filter(|attribute| attribute.path().is_ident("cfg")).any(|attribute| {
        attribute.meta.require_list().is_ok_and(|list| list.tokens.to_string() == "test")
    })
}

fn test_items(tree: &syn::File) -> Vec<RangeInclusive<usize>> {
    let mut items = TestItems(Vec::new());
    items.visit_file(tree);
    items.0
}

struct TestItems(Vec<RangeInclusive<usize>>);

impl TestItems {
    fn note(&mut self, attributes: &[syn::Attribute], span: Span) {
        if is_for_tests(attributes) {
            self.0.push(span.start().line..=span.end().line);
        }
    }
}

impl<'ast> Visit<'ast> for TestItems {
    fn visit_item_mod(&mut self, item: &'ast syn::ItemMod) {
        self.note(&item.attrs, item.span());
        visit::visit_item_mod(self, item);
    }

    fn visit_item_use(&mut self, item: &'ast syn::ItemUse) {
        self.note(&item.attrs, item.span());
    }

    fn visit_item_impl(&mut self, item: &'ast syn::ItemImpl) {
        self.note(&item.attrs, item.span());
        visit::visit_item_impl(self, item);
    }

    fn visit_item_fn(&mut self, item: &'ast syn::ItemFn) {
        self.note(&item.attrs, item.span());
    }

    fn visit_impl_item_fn(&mut self, item: &'ast syn::ImplItemFn) {
        self.note(&item.attrs, item.span());
    }
}

/// Says for every byte of the file which view it belongs to.
struct Canvas<'a> {
    body: &'a str,
    views: Vec<View>,
    raw: Vec<RangeInclusive<usize>>,
}

impl<'a> Canvas<'a> {
    fn new(body: &'a str) -> Self {
        Self { body, views: vec![View::Comments; body.len()], raw: Vec::new() }
    }

    fn paint(&mut self, tokens: TokenStream) {
        for token in tokens {
            if self.is_doc_comment(token.span()) {
                continue;
            }
            match token {
                TokenTree::Group(group) => {
                    self.fill(group.span_open(), View::Code);
                    self.paint(group.stream());
                    self.fill(group.span_close(), View::Code);
                }
                TokenTree::Literal(literal) => self.paint_literal(literal.span()),
                TokenTree::Ident(_) | TokenTree::Punct(_) => self.fill(token.span(), View::Code),
            }
        }
    }

    /// Tokens made of a doc comment keep the comment's place.
    fn is_doc_comment(&self, span: Span) -> bool {
        let text = &self.body[span.byte_range()];
        text.starts_with("//") || text.starts_with("/*")
    }

    fn paint_literal(&mut self, span: Span) {
        let text = &self.body[span.byte_range()];
        let prefix = text.split(['"', '\'']).next().unwrap_or_default();
        let is_number = text.starts_with(|first: char| first.is_ascii_digit());
        self.fill(span, if is_number { View::Code } else { View::Strings });
        if prefix.contains('r') && !is_number {
            self.raw.push(span.start().line + 1..=span.end().line);
        }
    }

    fn fill(&mut self, span: Span, view: View) {
        self.views[span.byte_range()].fill(view);
    }

    fn view(&self, wanted: View) -> String {
        let mut view = String::with_capacity(self.body.len());
        for (index, letter) in self.body.char_indices() {
            if letter == '\n' || self.views[index] == wanted {
                view.push(letter);
            } else {
                view.extend(std::iter::repeat_n(' ', letter.len_utf8()));
            }
        }
        view
    }
}

#[cfg(test)]
pub(crate) fn parse(path: &str, body: &str) -> Source {
    Source::parse(&Text::new(path, body)).expect("the test's text is Rust")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_three_views_share_out_a_file() {
        let source = parse("a.rs", "//! Größe\nlet_it!(\"// no\", 'c', 1 / 2); // \"no\"\n");
        assert_eq!(source.code.split_whitespace().collect::<String>(), "let_it!(,,1/2);");
        assert_eq!(source.strings.split_whitespace().collect::<String>(), "\"//no\"'c'");
        assert_eq!(source.comments.split_whitespace().collect::<String>(), "//!Größe//\"no\"");
    }

    #[test]
    fn views_keep_line_numbers() {
        let source = parse("a.rs", "//! é\n/* two\nlines */ fn f() {}\n");
        assert!(source.code.lines().nth(2).unwrap_or_default().contains("fn f()"));
        assert_eq!(source.comments.lines().count(), 3);
    }

    #[test]
    fn knows_which_lines_are_tests() {
        let source = parse("a.rs", "fn f() {}\n#[cfg(test)]\nmod tests {\n}\nfn g() {}\n");
        let tests: Vec<bool> = (1..=5).map(|line| source.is_test(line)).collect();
        assert_eq!(tests, [false, true, true, true, false]);
        let source = parse("a.rs", "impl A {\n#[cfg(test)]\nfn f() {}\nfn g() {}\n}\n");
        let tests: Vec<bool> = (1..=5).map(|line| source.is_test(line)).collect();
        assert_eq!(tests, [false, true, true, false, false]);
    }

    #[test]
    fn a_module_for_tests_or_more_is_product_code() {
        assert!(parse("a.rs", "#[cfg(any(test, unix))]\nmod m {}\n").tests.is_empty());
    }

    #[test]
    fn says_where_a_file_is_not_rust() {
        let parsed = Source::parse(&Text::new("a.rs", "fn f() {}\nfn = 3;\n"));
        let problem = parsed.err().expect("not Rust");
        assert_eq!((problem.line, problem.rule), (2, "parse"));
    }
}
