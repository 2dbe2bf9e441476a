//! Selectors: `name[0-3,5]..name.name, …` names an ordered list of parts of a study. `.` is a
//! child, `..` any depth, an index counts from 0 within each parent, a range includes its ends, no
//! index means all, a comma means "then". What they select is found in `instances`.

mod indexed;

use std::collections::BTreeSet;
use std::fmt;
use std::str::FromStr;

pub use indexed::{IndexedNames, cover};

/// Paths whose results follow one another; at least one.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Selector {
    /// In the order written.
    pub paths: Vec<Path>,
}

/// A way from a top-level name downwards; at least one step.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Path {
    /// From the top.
    pub steps: Vec<Step>,
}

/// One step of a path.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Step {
    /// How it hangs on the step before; the first is a child of the top.
    pub join: Join,
    /// The name that is looked for.
    pub name: String,
    /// Which of that name within each parent; all where nothing is said.
    pub indexes: Vec<Range>,
}

/// How a step hangs on the one before.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Join {
    /// `.`: directly in it.
    Child,
    /// `..`: anywhere in it.
    Below,
}

/// Indexes from first to last, both included.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Range {
    /// First index.
    pub first: u32,
    /// Last index, not below the first.
    pub last: u32,
}

/// A name without its indices, which selects all that one declaration stands for.
///
/// ```
/// use iopath_study::unindexed;
/// assert_eq!(unindexed("array[0].disk[1-3,5]"), "array.disk");
/// assert_eq!(unindexed("reader"), "reader");
/// ```
#[must_use]
pub fn unindexed(name: &str) -> String {
    unindexed_parts(name).collect()
}

/// The pieces of a name between its indices.
pub fn unindexed_parts(name: &str) -> impl Iterator<Item = &str> {
    name.split('[').map(|part| part.split_once(']').map_or(part, |(_, rest)| rest))
}

impl Path {
    /// Whether any step has an index: such a path means instances, not declarations.
    #[must_use]
    pub fn is_indexed(&self) -> bool {
        self.steps.iter().any(|step| !step.indexes.is_empty())
    }

    /// Reads one path.
    pub(crate) fn parse(text: &str) -> Result<Self, String> {
        let mut steps = Vec::new();
        let (mut rest, mut join) = (text.trim(), Join::Child);
        loop {
            let (step, after) = step(rest, join)?;
            steps.push(step);
            (join, rest) = match after.strip_prefix("..") {
                Some(below) => (Join::Below, below),
                None => match after.strip_prefix('.') {
                    Some(child) => (Join::Child, child),
                    None if after.is_empty() => return Ok(Self { steps }),
                    None => return Err(format!("\"{after}\" cannot follow a name")),
                },
            };
        }
    }
}

impl Selector {
    /// Reads a selector.
    pub(crate) fn parse(text: &str) -> Result<Self, String> {
        let paths = split_top(text).into_iter().map(Path::parse).collect::<Result<_, _>>()?;
        Ok(Self { paths })
    }
}

/// Splits at the commas outside brackets.
pub(crate) fn split_top(text: &str) -> Vec<&str> {
    let mut inside = false;
    text.split(|c| {
        match c {
            '[' => inside = true,
            ']' => inside = false,
            _ => {}
        }
        c == ',' && !inside
    })
    .collect()
}

/// Whether a text can be a name: a letter, then letters, digits, `-` and `_`.
pub(crate) fn is_name(text: &str) -> bool {
    text.starts_with(|c: char| c.is_ascii_alphabetic()) && text.chars().all(is_name_char)
}

fn is_name_char(c: char) -> bool {
    c.is_ascii_alphanumeric() || c == '-' || c == '_'
}

fn step(text: &str, join: Join) -> Result<(Step, &str), String> {
    let end = text.find(|c| !is_name_char(c)).unwrap_or(text.len());
    let (name, rest) = text.split_at(end);
    if !is_name(name) {
        let is_count = text.starts_with(|c: char| c.is_ascii_digit()) && text.contains(' ');
        return Err(match is_count {
            true => format!("\"{text}\" begins with a number: name which ones, as in sw[0]"),
            false => format!("a name is missing before \"{text}\""),
        });
    }
    let Some(inside) = rest.strip_prefix('[') else {
        return Ok((Step { join, name: name.to_owned(), indexes: Vec::new() }, rest));
    };
    let (list, rest) = inside.split_once(']').ok_or("a bracket is not closed")?;
    let indexes = list.split(',').map(range).collect::<Result<_, _>>()?;
    Ok((Step { join, name: name.to_owned(), indexes }, rest))
}

fn range(text: &str) -> Result<Range, String> {
    let wrong = || format!("\"{}\" is not an index such as 3 or 0-3", text.trim());
    let index = |text: &str| text.trim().parse::<u32>().map_err(|_| wrong());
    let (first, last) = text.split_once('-').unwrap_or((text, text));
    let range = Range { first: index(first)?, last: index(last)? };
    if range.last < range.first { Err(wrong()) } else { Ok(range) }
}

/// Indexes as a selector writes them between brackets: `0-3,5`.
fn ranges(indexes: &BTreeSet<u32>) -> String {
    let indexes: Vec<u32> = indexes.iter().copied().collect();
    let runs = indexes.chunk_by(|one, next| one.checked_add(1) == Some(*next));
    let text = |run: &[u32]| match *run {
        [one] => one.to_string(),
        [first, .., last] => format!("{first}-{last}"),
        [] => String::new(),
    };
    runs.map(text).collect::<Vec<_>>().join(",")
}

impl FromStr for Selector {
    type Err = String;
    fn from_str(text: &str) -> Result<Self, String> {
        Self::parse(text)
    }
}

impl fmt::Display for Selector {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let paths: Vec<String> = self.paths.iter().map(Path::to_string).collect();
        f.write_str(&paths.join(", "))
    }
}

impl fmt::Display for Path {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        for (index, step) in self.steps.iter().enumerate() {
            let join = match (index, step.join) {
                (0, _) => "",
                (_, Join::Child) => ".",
                (_, Join::Below) => "..",
            };
            write!(f, "{join}{step}")?;
        }
        Ok(())
    }
}

impl fmt::Display for Step {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.name)?;
        for (index, range) in self.indexes.iter().enumerate() {
            write!(f, "{}{}", if index == 0 { "[" } else { "," }, range.first)?;
            if range.last > range.first {
                write!(f, "-{}", range.last)?;
            }
        }
        f.write_str(if self.indexes.is_empty() { "" } else { "]" })
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn printing_gives_the_text_again() {
        for text in ["data", "a[0-3,5]..b.c-1, d_[2]", "server..nvme"] {
            assert_eq!(Selector::parse(text).unwrap().to_string(), text);
        }
        assert_eq!(Selector::parse(" a , b ").unwrap().to_string(), "a, b");
    }

    #[test]
    fn what_is_no_selector_is_refused() {
        for text in ["", "a.", "..a", "a...b", "a[", "a[]", "a[3-1]", "a[x]", "1a", "a b", "a,"] {
            assert!(Selector::parse(text).is_err(), "{text}");
        }
    }
}
