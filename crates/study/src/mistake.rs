//! Mistakes in a study: all of them at once, sorted by position, none twice, each with its line
//! and what to do. Rendered as plain text in the form of compilers
//! (`file:line:column: message`, the line, carets, hint); no colour.

mod in_cases;

use std::fmt;
use std::ops::Range;

use crate::parts::CATALOGUE;
use crate::source::{Source, Span, Text};

pub(crate) use in_cases::{CaseChoice, InCases};

/// The longest message; texts of a study that are quoted in one may be of any length.
const LONGEST_MESSAGE: usize = 400;

/// The most mistakes that one text is told.
const MOST_MISTAKES: usize = 500;

/// The most columns of a line that an excerpt shows.
const LONGEST_EXCERPT: usize = 160;

/// Sorts of mistakes.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub enum MistakeKind {
    /// The text is not KDL 2.
    Syntax,
    /// A quantity without quotes.
    Quotes,
    /// A kind that does not exist.
    UnknownKind,
    /// A kind at a place where it does not belong.
    Misplaced,
    /// A property that its kind does not have.
    UnknownProperty,
    /// A name that nothing has.
    UnknownName,
    /// The same property or name twice.
    Duplicate,
    /// Something that must be there and is not.
    Missing,
    /// A value that its property cannot have.
    Value,
    /// Two statements that cannot both hold.
    Contradiction,
    /// Lists that are paired and differ in length.
    Length,
    /// More than the language takes.
    Limit,
    /// Said well, but the path that it describes is wrong or unwise.
    Path,
}

/// One mistake.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Mistake {
    /// Its sort.
    pub kind: MistakeKind,
    /// What is wrong.
    pub message: String,
    /// What to do about it.
    pub hint: Option<String>,
    /// Name of the text: the file, or `--set`.
    pub source: String,
    /// Bytes of that text.
    pub span: Range<usize>,
    /// Line, from 1.
    pub line: usize,
    /// Column in characters, from 1.
    pub column: usize,
    /// The part of the line that is shown.
    pub excerpt: Excerpt,
}

/// The part of a line that is shown, and what of it is marked, in characters.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Excerpt {
    /// The text, with blanks for what a terminal would obey.
    pub line: String,
    /// Characters in front of the mark.
    pub before: usize,
    /// Characters marked, at least one.
    pub marked: usize,
}

/// All mistakes of one study, in the order of their positions; at least one.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Mistakes {
    /// The mistakes.
    pub list: Vec<Mistake>,
}

impl std::error::Error for Mistakes {}

impl fmt::Display for Mistakes {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let all: Vec<String> = self.list.iter().map(Mistake::to_string).collect();
        f.write_str(&all.join("\n\n"))
    }
}

impl fmt::Display for Mistake {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let Self { source, line, column, message, excerpt, .. } = self;
        let margin = " ".repeat(line.to_string().len());
        writeln!(f, "{source}:{line}:{column}: {message}")?;
        writeln!(f, " {line} | {}", excerpt.line)?;
        write!(f, " {margin} | {}", " ".repeat(excerpt.before))?;
        f.write_str(&"^".repeat(excerpt.marked))?;
        match &self.hint {
            Some(hint) => write!(f, "\n {margin} = hint: {hint}"),
            None => Ok(()),
        }
    }
}

/// A mistake before its line is looked up.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub(crate) struct Raised {
    span: Span,
    kind: MistakeKind,
    message: String,
    hint: Option<String>,
}

/// The most mistakes that are kept, more than are told: which come first is known only at the end.
const MOST_COLLECTED: usize = 20_000;

/// Collects mistakes while a study is read.
#[derive(Clone, Debug, Default)]
pub(crate) struct Collected(Vec<Raised>);

impl Collected {
    /// Adds a mistake.
    pub(crate) fn add(&mut self, kind: MistakeKind, span: Span, message: impl Into<String>) {
        self.hinted(kind, span, message, "");
    }

    /// Adds a mistake and what to do about it.
    pub(crate) fn hinted(
        &mut self,
        kind: MistakeKind,
        span: Span,
        message: impl Into<String>,
        hint: impl Into<String>,
    ) {
        if self.0.len() < MOST_COLLECTED {
            let hint = Some(hint.into()).filter(|hint| !hint.is_empty());
            self.0.push(Raised { span, kind, message: message.into(), hint });
        }
    }

    /// Takes over all mistakes of another collection.
    pub(crate) fn append(&mut self, other: Self) {
        self.0.extend(other.0);
    }

    /// Says that all mistakes stand in another text.
    pub(crate) fn move_to(&mut self, text: Text) {
        self.0.iter_mut().for_each(|raised| raised.span.text = text);
    }

    /// Sorts, drops what appears twice.
    pub(crate) fn tidy(&mut self) {
        self.0.sort();
        self.0.dedup();
    }

    /// Drops what is missing: its statement may be one that could not be read.
    pub(crate) fn forgive_missing(&mut self) {
        self.0.retain(|raised| raised.kind != MistakeKind::Missing);
    }

    pub(crate) fn len(&self) -> usize {
        self.0.len()
    }

    /// Looks up the lines; `Ok` where there is no mistake.
    pub(crate) fn into_result(mut self, texts: Texts<'_>) -> Result<(), Mistakes> {
        self.tidy();
        if self.0.is_empty() {
            return Ok(());
        }
        self.0.truncate(MOST_MISTAKES);
        let mut lines: Option<(Text, Lines)> = None;
        let mut list = Vec::with_capacity(self.0.len());
        for raised in self.0 {
            // Mistakes are sorted by text, so each text is cut into lines once.
            let text = raised.span.text;
            let lines = match &mut lines {
                Some((known, lines)) if *known == text => lines,
                other => &mut other.insert((text, Lines::of(texts.text(text).1))).1,
            };
            list.push(texts.locate(raised, lines));
        }
        Err(Mistakes { list })
    }
}

/// The texts that spans point into.
#[derive(Clone, Copy)]
pub(crate) struct Texts<'a> {
    /// The study file.
    pub source: &'a Source,
    /// The files that it includes.
    pub included: &'a [Source],
    /// Each assignment as it was given.
    pub sets: &'a [String],
}

impl<'a> Texts<'a> {
    /// The name of a text, and the text.
    fn text(self, text: Text) -> (&'a str, &'a str) {
        let source = |source: &'a Source| (source.name.as_str(), source.text.as_str());
        match text {
            Text::Study => source(self.source),
            Text::Included(index) => self.included.get(index).map_or(("", ""), source),
            Text::Catalogue => ("catalogue", CATALOGUE),
            Text::Set(index) => ("--set", self.sets.get(index).map_or("", String::as_str)),
        }
    }

    /// What others than the reader of the language say of a place.
    pub(crate) fn remark(self, span: Span, message: &str, hint: Option<&str>) -> Mistake {
        let (message, hint) = (message.to_owned(), hint.map(str::to_owned));
        let raised = Raised { span, kind: MistakeKind::Path, message, hint };
        self.locate(raised, &Lines::of(self.text(span.text).1))
    }

    fn locate(self, raised: Raised, lines: &Lines) -> Mistake {
        let Raised { span, kind, message, hint } = raised;
        let (name, text) = self.text(span.text);
        let start = text.floor_char_boundary(span.start);
        let end = text.floor_char_boundary(span.end.max(start));
        let (line, line_start) = match span.text {
            Text::Study | Text::Included(_) | Text::Catalogue => lines.at(start),
            Text::Set(_) => (1, 0),
        };
        Mistake {
            kind,
            message: plain(&message),
            hint: hint.as_deref().map(plain),
            source: plain(name),
            span: start..end,
            line,
            column: text[line_start..start].chars().count() + 1,
            excerpt: excerpt(text, line_start, start..end),
        }
    }
}

/// Where the lines of a text begin.
struct Lines(Vec<usize>);

impl Lines {
    fn of(text: &str) -> Self {
        let starts = text.match_indices('\n').map(|(at, _)| at + 1);
        Self(std::iter::once(0).chain(starts).collect())
    }

    /// The line of a byte, from 1, and where it begins.
    fn at(&self, byte: usize) -> (usize, usize) {
        let line = self.0.partition_point(|start| *start <= byte).max(1);
        (line, self.0[line - 1])
    }
}

fn excerpt(text: &str, line_start: usize, span: Range<usize>) -> Excerpt {
    let line = text[line_start..].split(['\n', '\r']).next().unwrap_or_default();
    let before = text[line_start..span.start].chars().count();
    let marked = text[span.start..span.end].split('\n').next().unwrap_or_default();
    let skipped = before.saturating_sub(LONGEST_EXCERPT / 2);
    let shown: String =
        line.chars().skip(skipped).take(LONGEST_EXCERPT).map(harmless).collect::<String>();
    let before = before - skipped;
    let most = shown.chars().count().saturating_sub(before).max(1);
    let marked = marked.trim_end().chars().count().clamp(1, most);
    Excerpt { line: shown, before, marked }
}

/// Blanks for characters that a terminal would obey.
fn harmless(c: char) -> char {
    if c.is_control() { ' ' } else { c }
}

/// One line of harmless characters of bounded length.
fn plain(text: &str) -> String {
    let mut plain: String = text.chars().take(LONGEST_MESSAGE).map(harmless).collect();
    if text.chars().nth(LONGEST_MESSAGE).is_some() {
        plain.push('…');
    }
    plain
}

#[cfg(test)]
mod tests {
    use super::*;

    fn one(text: &str, start: usize, end: usize) -> String {
        let source = Source { name: "a.kdl".into(), text: text.into() };
        let mut collected = Collected::default();
        collected.add(MistakeKind::Value, Span::study(start, end), "wrong");
        collected.add(MistakeKind::Value, Span::study(start, end), "wrong");
        let texts = Texts { source: &source, included: &[], sets: &[] };
        collected.into_result(texts).unwrap_err().to_string()
    }

    #[test]
    fn line_column_and_carets_count_characters() {
        assert_eq!(one("é\näb cd\n", 7, 9), "a.kdl:2:4: wrong\n 2 | äb cd\n   |    ^^",);
    }

    #[test]
    fn spans_beyond_the_text_and_control_characters_do_no_harm() {
        assert!(one("a\u{1b}[1mb", 0, 99).contains("\n 1 | a [1mb\n"));
        assert!(one("", 5, 9).starts_with("a.kdl:1:1: wrong"));
    }
}
