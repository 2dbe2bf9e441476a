//! What is watched, as the lines of one picture: the machine first, then the path from the file
//! systems down to the devices, then the adapters beside it.
//!
//! The same lines are the live view, the plain output and the text of a stored observation; they
//! know nothing of terminals but a width and a height. In each section stand those that move most,
//! as many as there is room for; idle ones and those without room are counted in a last line. What
//! is nearly full is marked by a sign and by colour, never by colour alone. It leaves out
//! partitions, whose traffic is their disks'.

mod cells;
mod machine;
mod section;
mod stored;

use std::collections::BTreeMap;

use iopath_analysis::Usage;
use iopath_record::{Entity, EntityId, Relation};
use jiff::Timestamp;

use crate::look::{Look, Tone};
use crate::numbers::time;
use crate::text::wrap::harmless;
use section::Section;

pub use stored::Stored;

/// What is watched, and what it did.
#[derive(Clone, Copy, Debug)]
pub struct Watched<'a> {
    /// What was asked for, in words.
    pub what: &'a str,
    pub entities: &'a [Entity],
    /// Whose traffic reappears where.
    pub relations: &'a [Relation],
    /// What each entity did, by its position.
    pub usage: &'a [Usage],
    /// Wall clock at the end, in ns since 1970.
    pub at_unix_ns: u64,
    /// Over which time, in ns.
    pub interval_ns: u64,
}

impl<'a> Watched<'a> {
    /// What each entity stands on.
    pub(crate) fn below(&self) -> BTreeMap<EntityId, &'a Relation> {
        self.relations.iter().map(|relation| (relation.upper, relation)).collect()
    }

    pub(crate) fn usage_of(&self, id: EntityId) -> Option<&'a Usage> {
        self.usage.get(id.0 as usize)
    }

    pub(crate) fn name(&self, id: EntityId) -> &'a str {
        self.entities.get(id.0 as usize).map_or("", |entity| &entity.name)
    }
}

/// What a line is.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Mark {
    /// Nothing special.
    Plain,
    /// The first line and the titles of columns.
    Title,
    /// Busy most of the time, or uneven.
    Warm,
    /// Never idle.
    Full,
}

/// One line of the picture, without line end and at most as wide as was asked for.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Line {
    /// The text, in which no name can command a terminal.
    pub text: String,
    pub mark: Mark,
}

impl Line {
    pub(crate) fn new(text: impl Into<String>, mark: Mark) -> Self {
        Self { text: text.into(), mark }
    }

    /// The text, with colours where they are wanted.
    #[must_use]
    pub fn paint(&self, look: &Look) -> String {
        match self.mark {
            Mark::Plain => self.text.clone(),
            Mark::Title => look.paint(Tone::Verdict, &self.text),
            Mark::Warm => look.paint(Tone::Warning, &self.text),
            Mark::Full => look.paint(Tone::Broken, &self.text),
        }
    }
}

/// Lines that a section has at least where there are many sections: a title and a row.
const LEAST_OF_SECTION: usize = 2;

/// The picture: at most `rows` lines, or all that is active where there is no such bound.
#[must_use]
pub fn frame(watched: &Watched<'_>, look: &Look, rows: Option<usize>) -> Vec<Line> {
    let mut lines = vec![Line::new(title(watched, look), Mark::Title)];
    lines.extend(machine::lines(watched, look));
    let sections = section::all(watched, look);
    let mut room = rows.map(|rows| rows.saturating_sub(lines.len() + 1));
    let wanted: Vec<usize> = sections.iter().map(Section::wanted).collect();
    let given = share(&wanted, room.take());
    if sections.iter().any(Section::has_rows) {
        lines.push(Line::new(cells::titles(look), Mark::Title));
    }
    for (section, given) in sections.iter().zip(given) {
        lines.extend(section.lines(given));
    }
    let width = usize::from(look.width);
    lines.iter_mut().for_each(|line| line.text = cut(&harmless(&line.text), width));
    lines.truncate(rows.unwrap_or(usize::MAX));
    lines
}

fn title(watched: &Watched<'_>, look: &Look) -> String {
    let nanos = i128::from(watched.at_unix_ns);
    let at = Timestamp::from_nanosecond(nanos).unwrap_or_default();
    let over = time(watched.interval_ns as f64, look.system);
    format!("{}   {}   over {over}", watched.what, at.strftime("%Y-%m-%d %H:%M:%S UTC"))
}

/// Gives each section what it wants while there is room, a line at a time in turn.
fn share(wanted: &[usize], room: Option<usize>) -> Vec<usize> {
    let Some(mut room) = room else { return wanted.to_vec() };
    let mut given: Vec<usize> = vec![0; wanted.len()];
    // A section without room for a row is not begun.
    for (given, wanted) in given.iter_mut().zip(wanted) {
        let least = LEAST_OF_SECTION.min(*wanted);
        if room >= least {
            *given = least;
            room -= least;
        }
    }
    while room > 0 {
        let before = room;
        for (given, wanted) in given.iter_mut().zip(wanted) {
            if *given > 0 && *given < *wanted && room > 0 {
                *given += 1;
                room -= 1;
            }
        }
        if room == before {
            break;
        }
    }
    given
}

/// At most so many characters, the last an ellipsis where some are missing.
pub(crate) fn cut(text: &str, width: usize) -> String {
    let text = text.trim_end();
    if text.chars().count() <= width {
        return text.to_owned();
    }
    let kept: String = text.chars().take(width.saturating_sub(1)).collect();
    format!("{kept}…")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn room_is_shared_in_turn_and_never_exceeded() {
        assert_eq!(share(&[3, 9, 2], None), [3, 9, 2]);
        assert_eq!(share(&[3, 9, 2], Some(100)), [3, 9, 2]);
        assert_eq!(share(&[3, 9, 2], Some(9)), [3, 4, 2]);
        assert_eq!(share(&[3, 9, 2], Some(5)), [3, 2, 0]);
        assert_eq!(share(&[3, 9], Some(1)), [0, 0]);
    }

    #[test]
    fn a_line_is_cut_by_characters() {
        assert_eq!(cut("größer", 4), "grö…");
        assert_eq!(cut("ab  ", 2), "ab");
    }
}
