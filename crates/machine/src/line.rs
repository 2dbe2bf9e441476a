//! One line of a kernel file, cut into items, with errors that say where; files of named lines.
//!
//! Leaves out: any knowledge of a particular file.

use std::path::PathBuf;
use std::str::FromStr;

use crate::error::ReadError;
use crate::root::Root;

/// Which line of which file is being read.
pub(crate) struct Line<'a> {
    pub(crate) root: &'a Root,
    pub(crate) file: &'a str,
    /// Counted from 1.
    pub(crate) number: usize,
    pub(crate) text: &'a str,
}

impl Line<'_> {
    /// Reads one item as a number (or whatever `T` parses from).
    pub(crate) fn parse<T: FromStr>(
        &self,
        item: &'static str,
        text: Option<&str>,
    ) -> Result<T, ReadError> {
        text.and_then(|text| text.parse().ok()).ok_or_else(|| self.malformed(item))
    }

    /// Reads one item and multiplies it into the wanted unit.
    pub(crate) fn scaled(
        &self,
        item: &'static str,
        text: Option<&str>,
        factor: u64,
    ) -> Result<u64, ReadError> {
        let value: u64 = self.parse(item, text)?;
        value.checked_mul(factor).ok_or_else(|| self.malformed(item))
    }

    pub(crate) fn malformed(&self, item: &'static str) -> ReadError {
        ReadError::Malformed {
            path: self.root.path(self.file),
            line_number: self.number,
            line: self.text.to_owned(),
            item,
        }
    }
}

/// All lines of a file's text, numbered from 1.
pub(crate) fn lines<'a>(
    root: &'a Root,
    file: &'a str,
    text: &'a str,
) -> impl Iterator<Item = Line<'a>> {
    text.lines().enumerate().map(move |(index, text)| Line { root, file, number: index + 1, text })
}

/// The error for an item that no line of the file holds.
pub(crate) fn absent(path: PathBuf, item: &'static str) -> ReadError {
    ReadError::Malformed { path, line_number: 0, line: String::new(), item }
}

/// A file whose lines begin with a name, and its value stands behind a blank or a colon.
pub(crate) struct Named<'a> {
    pub(crate) root: &'a Root,
    pub(crate) file: &'a str,
    pub(crate) text: &'a str,
}

impl<'a> Named<'a> {
    /// The line of a name, and what stands behind the name.
    pub(crate) fn find(&self, name: &'static str) -> Result<(Line<'a>, &'a str), ReadError> {
        let found = lines(self.root, self.file, self.text).find_map(|line| {
            let value = line.text.strip_prefix(name)?.strip_prefix([' ', ':'])?;
            Some((line, value.trim()))
        });
        found.ok_or_else(|| absent(self.root.path(self.file), name))
    }

    pub(crate) fn number(&self, name: &'static str) -> Result<u64, ReadError> {
        let (line, value) = self.find(name)?;
        line.parse(name, Some(value))
    }
}
