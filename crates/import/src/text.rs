//! Lines with their numbers, and numbers as tools print them in any locale.

use crate::{Note, Wrong};

/// A line that is not empty.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Line<'a> {
    /// From 1.
    pub number: usize,
    pub text: &'a str,
}

impl<'a> Line<'a> {
    pub(crate) fn words(self) -> Vec<&'a str> {
        self.text.split_whitespace().collect()
    }

    pub(crate) fn wrong(self, file: &str, what: impl Into<String>) -> Wrong {
        Wrong::of(file, what, "correct or delete this line").at(self.number)
    }
}

/// All lines that say something. One that the file ends within may be torn: nobody can see
/// whether its last figure is whole, so it is left out and told.
pub(crate) fn lines<'a>(text: &'a str, notes: &mut Vec<Note>) -> Vec<Line<'a>> {
    let text = text.strip_prefix('\u{feff}').unwrap_or(text);
    let mut all: Vec<Line<'a>> = Vec::new();
    for (index, line) in text.lines().enumerate() {
        if !line.trim().is_empty() {
            all.push(Line { number: index + 1, text: line.trim_end() });
        }
    }
    if !text.is_empty()
        && !text.ends_with('\n')
        && let Some(torn) = all.pop()
    {
        let what = "the file ends within this line, which may be truncated: it is left out; add \
            a newline if it is complete";
        notes.push(Note::at(torn.number, what));
    }
    all
}

/// A number with a point or, as in other locales, a comma.
pub(crate) fn number(text: &str) -> Option<f64> {
    let plain = match (text.contains('.'), text.matches(',').count()) {
        (false, 1) => text.replace(',', "."),
        _ => text.to_owned(),
    };
    let is_plain = plain.bytes().all(|byte| byte.is_ascii_digit() || byte == b'.');
    plain.parse::<f64>().ok().filter(|value| is_plain && value.is_finite())
}

/// A number of bytes before its prefix, and which power of a thousand or 1024 that is.
pub(crate) fn prefixed(word: &str) -> Option<(&str, u32)> {
    let digits = word.trim_end_matches(|letter: char| letter.is_ascii_alphabetic());
    let power = match &word[digits.len()..] {
        "" => 0,
        "k" | "K" => 1,
        "m" | "M" => 2,
        "g" | "G" => 3,
        _ => return None,
    };
    Some((digits, power))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn numbers_are_read_in_any_locale() {
        for (text, expected) in [
            ("36.80", Some(36.8)),
            ("36,80", Some(36.8)),
            ("0", Some(0.0)),
            ("1,234,567", None),
            ("1e9", None),
            ("inf", None),
            ("-1.0", None),
            ("", None),
            ("-", None),
        ] {
            assert_eq!(number(text), expected, "{text}");
        }
    }

    #[test]
    fn a_line_that_the_file_ends_within_is_left_out_and_told() {
        let mut notes = Vec::new();
        let kept = lines("one\r\n\r\ntwo\r\nthr", &mut notes);
        let kept: Vec<_> = kept.iter().map(|line| (line.number, line.text)).collect();
        assert_eq!(kept, [(1, "one"), (3, "two")]);
        assert_eq!(notes[0].line, Some(4));
    }
}
