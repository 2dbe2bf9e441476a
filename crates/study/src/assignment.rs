//! Assignments from outside a study: `reader.block=64 KiB`, as `--set` gives them. They are set
//! before everything else and hold in every case.

use crate::mistake::{Collected, MistakeKind, Mistakes, Texts};
use crate::source::{Origin, Source, Span, Text};
use crate::syntax::{Entry, Form, Written};
use crate::value::PropertyPath;

/// One assignment.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Assignment {
    /// As it was given.
    pub text: String,
    /// What is set.
    pub path: PropertyPath,
    /// To what; its type is known only where the path is looked up.
    pub value: String,
}

impl Assignment {
    /// Reads `path=value`; either may stand in quotes, as in a study.
    ///
    /// # Errors
    /// One mistake that shows the text.
    pub fn parse(text: &str) -> Result<Self, Mistakes> {
        match parts(text) {
            Ok((path, value)) => Ok(Self { text: text.to_owned(), path, value }),
            Err(message) => {
                let mut collected = Collected::default();
                let span = Span { text: Text::Set(0), start: 0, end: text.len() };
                let hint = "write name.property=value, as in reader.block=64 KiB";
                collected.hinted(MistakeKind::Value, span, message, hint);
                let source = Source { name: String::new(), text: String::new() };
                let texts = Texts { source: &source, included: &[], sets: &[text.to_owned()] };
                Err(collected.into_result(texts).err().unwrap_or(Mistakes { list: Vec::new() }))
            }
        }
    }

    /// The place of the path.
    pub(crate) fn path_span(&self, index: usize) -> Span {
        Span { text: Text::Set(index), start: 0, end: self.text.find('=').unwrap_or(0) }
    }

    /// The value as an entry, for the type of its property to read.
    pub(crate) fn entry(&self, index: usize) -> Entry {
        let start = self.text.find('=').map_or(0, |at| at + 1);
        let span = Span { text: Text::Set(index), start, end: self.text.len() };
        let written = Written { form: Form::Raw, text: self.value.clone() };
        Entry { written, origin: Origin::Unstated, span }
    }
}

fn parts(text: &str) -> Result<(PropertyPath, String), String> {
    let (path, value) = text.split_once('=').ok_or_else(|| format!("\"{text}\" has no ="))?;
    let value = value.trim();
    if value.is_empty() {
        return Err(format!("\"{text}\" has no value"));
    }
    Ok((PropertyPath::parse(unquoted(path))?, unquoted(value).to_owned()))
}

fn unquoted(text: &str) -> &str {
    let text = text.trim();
    text.strip_prefix('"').and_then(|text| text.strip_suffix('"')).unwrap_or(text)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn path_and_value_are_cut_at_the_first_sign() {
        let set = Assignment::parse("data[2].size = 1 GiB").unwrap();
        assert_eq!((set.path.to_string(), set.value), ("data[2].size".into(), "1 GiB".into()));
        let set = Assignment::parse("\"h.n[0].read\"=2GB/s").unwrap();
        assert_eq!((set.path.to_string(), set.value), ("h.n[0].read".into(), "2GB/s".into()));
        assert_eq!(Assignment::parse("a.b=\"c=d\"").unwrap().value, "c=d");
    }

    #[test]
    fn errors_name_the_text() {
        for text in ["block", "=4", "block=4 KiB", "a.b=", "a..=x", ""] {
            let error = Assignment::parse(text).unwrap_err().to_string();
            assert!(error.starts_with("--set:1:1: ") && error.contains("hint"), "{text}: {error}");
        }
    }
}
