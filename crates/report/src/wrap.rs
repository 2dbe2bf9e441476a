//! Breaks sentences at spaces so that they fit the width, with later lines indented further.

use crate::look::Look;
use textwrap::{Options, WordSeparator, WordSplitter, WrapAlgorithm, fill};

/// A space at which no line is broken.
const BOUND: char = '\u{a0}';

/// `text` as lines of at most `width` columns, the first after `indent` spaces, the others two
/// deeper. A word that is longer than the width keeps a line of its own.
pub(crate) fn wrap(text: &str, indent: usize, width: u16) -> String {
    let width = usize::from(Look::sentence_width(width)).max(indent + 20);
    let (first, later) = (" ".repeat(indent), " ".repeat(indent + 2));
    let options = Options::new(width)
        .initial_indent(&first)
        .subsequent_indent(&later)
        .break_words(false)
        .word_separator(WordSeparator::AsciiSpace)
        .word_splitter(WordSplitter::NoHyphenation)
        .wrap_algorithm(WrapAlgorithm::FirstFit);
    fill(&bound(&harmless(text)), options).replace(BOUND, " ")
}

/// A text that no terminal obeys: names come from files that others may have made.
pub(crate) fn harmless(text: &str) -> String {
    let plain = |c: char| if c.is_control() && c != '\n' { char::REPLACEMENT_CHARACTER } else { c };
    text.chars().map(plain).collect()
}

/// The same with a space between any two words; a number keeps the word behind it, its unit.
fn bound(text: &str) -> String {
    let mut bound = String::with_capacity(text.len());
    let mut is_number = false;
    for word in text.split_whitespace() {
        if !bound.is_empty() {
            bound.push(if is_number { BOUND } else { ' ' });
        }
        bound.push_str(word);
        is_number = !is_number && word.trim_start_matches(['(', '±']).parse::<f64>().is_ok();
    }
    bound
}

#[cfg(test)]
mod tests {
    use super::wrap;

    #[test]
    fn a_name_cannot_command_the_terminal() {
        assert!(!wrap("evil\u{1b}[2J", 0, 40).contains('\u{1b}'));
    }

    #[test]
    fn breaks_at_spaces_and_hangs() {
        let text = wrap("one two three four five six seven", 2, 24);
        assert_eq!(text, "  one two three four\n    five six seven");
        assert_eq!(wrap("a rate of about 12.5 %", 0, 21), "a rate of about\n  12.5 %");
        let long = "x".repeat(40);
        assert_eq!(wrap(&format!("a {long} b"), 0, 24), format!("a\n  {long}\n  b"));
    }
}
