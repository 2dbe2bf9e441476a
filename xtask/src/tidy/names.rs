//! Names that say nothing, and attributes that silence a test.
//!
//! A type or module called manager, helper or util is named for not knowing what it is. Function
//! names and other words are looked for in [`super::words`].

use proc_macro2::{Ident, Span};
use syn::visit::{self, Visit};

use super::problem::Problem;
use super::source::Source;

const EMPTY_WORDS: [&str; 6] = ["manager", "managers", "helper", "helpers", "util", "utils"];

pub(crate) fn check(source: &Source) -> Vec<Problem> {
    let mut names = Names { path: &source.path, problems: Vec::new() };
    names.visit_file(&source.tree);
    names.problems
}

struct Names<'a> {
    path: &'a str,
    problems: Vec<Problem>,
}

impl Names<'_> {
    fn name(&mut self, name: &Ident) {
        let text = name.to_string();
        if let Some(word) = words_of(&text).into_iter().find(|word| is_empty_word(word)) {
            let advice = format!("`{text}`: name it for what it is, not \"{word}\"");
            self.add(name.span(), "empty-name", advice);
        }
    }

    fn add(&mut self, span: Span, rule: &'static str, advice: impl Into<String>) {
        self.problems.push(Problem::new(self.path, span.start().line, rule, advice));
    }
}

impl<'ast> Visit<'ast> for Names<'_> {
    fn visit_item_struct(&mut self, item: &'ast syn::ItemStruct) {
        self.name(&item.ident);
        visit::visit_item_struct(self, item);
    }

    fn visit_item_enum(&mut self, item: &'ast syn::ItemEnum) {
        self.name(&item.ident);
        visit::visit_item_enum(self, item);
    }

    fn visit_item_trait(&mut self, item: &'ast syn::ItemTrait) {
        self.name(&item.ident);
        visit::visit_item_trait(self, item);
    }

    fn visit_item_type(&mut self, item: &'ast syn::ItemType) {
        self.name(&item.ident);
        visit::visit_item_type(self, item);
    }

    fn visit_item_mod(&mut self, item: &'ast syn::ItemMod) {
        self.name(&item.ident);
        visit::visit_item_mod(self, item);
    }

    fn visit_attribute(&mut self, attribute: &'ast syn::Attribute) {
        if attribute.path().is_ident("ignore") {
            let advice = "a test that never runs proves nothing: assert what happens, or remove it";
            self.add(attribute.pound_token.span, "ignored-test", advice);
        }
        visit::visit_attribute(self, attribute);
    }
}

fn is_empty_word(word: &str) -> bool {
    EMPTY_WORDS.contains(&word)
}

/// The words of a CamelCase or snake_case name, in lower case.
fn words_of(name: &str) -> Vec<String> {
    let mut words = vec![String::new()];
    for letter in name.chars() {
        if letter == '_' || letter.is_uppercase() {
            words.push(String::new());
        }
        if let Some(word) = words.last_mut().filter(|_| letter != '_') {
            word.extend(letter.to_lowercase());
        }
    }
    words
}

#[cfg(test)]
mod tests {
    use super::super::problem::places;
    use super::super::source::parse;
    use super::*;

    fn check_text(body: &str, expected: &[(usize, &str)]) {
        assert_eq!(places(&check(&parse("crates/units/src/a.rs", body))), expected);
    }

    #[test]
    fn types_and_modules_are_named_for_what_they_are() {
        check_text("struct RingManager;", &[(1, "empty-name")]);
        check_text("enum HelperKind {}", &[(1, "empty-name")]);
        check_text("trait IoUtils {}", &[(1, "empty-name")]);
        check_text("type Util = u8;", &[(1, "empty-name")]);
        check_text("mod text_utils {}", &[(1, "empty-name")]);
        check_text("mod a { struct Managers; }", &[(1, "empty-name")]);
    }

    #[test]
    fn longer_words_that_begin_alike_are_fine() {
        check_text("struct Utilisation; mod utilisation {} struct Management;", &[]);
    }

    #[test]
    fn no_test_is_ignored() {
        check_text("#[test]\n#[ignore]\nfn a() {}", &[(2, "ignored-test")]);
        check_text("#[test]\n#[ignore = \"slow\"]\nfn a() {}", &[(2, "ignored-test")]);
        check_text("// #[ignore]\n#[test]\nfn a() { f(\"#[ignore]\") }", &[]);
    }
}
