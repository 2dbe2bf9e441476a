//! What is watched, as the lines of one picture: the machine first, then the path from the file
//! systems down to the devices, then the adapters beside it.
//!
//! The same lines are the live view, the plain output and the text of a stored observation; they
//! know nothing of terminals but a width and a height. In each section stand those that move most,
//! as many as there is room for; idle ones and those without room are counted in its title. What
//! is nearly full is marked by a sign and by colour, never by colour alone. It leaves out
//! partitions, whose traffic is their disks'.

mod cells;
mod following;
mod history;
mod machine;
mod section;

use jiff::Timestamp;

use crate::look::{Look, Tone};
use crate::numbers::time;
use crate::view::watched::{Stored, Watched};
use crate::wrap::harmless;
use section::Section;

pub use following::following_lines;
pub use history::History;

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
    fn new(text: impl Into<String>, mark: Mark) -> Self {
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

/// What a picture shows.
#[derive(Clone, Copy, Debug, Default)]
pub struct Extent<'a> {
    /// Lines at most; none where there is no such bound.
    pub rows: Option<usize>,
    /// Whether what did nothing has a row.
    pub with_idle: bool,
    /// What stands below, where rows are left.
    pub history: Option<&'a History>,
}

/// The picture: at most `rows` lines, or all that is active where there is no such bound.
#[must_use]
pub fn frame(watched: &Watched<'_>, look: &Look, rows: Option<usize>) -> Vec<Line> {
    picture(watched, look, Extent { rows, ..Extent::default() })
}

/// The picture, as much of it as is wanted.
#[must_use]
pub fn picture(watched: &Watched<'_>, look: &Look, extent: Extent<'_>) -> Vec<Line> {
    let Extent { rows, with_idle, history } = extent;
    let mut lines = vec![Line::new(title(watched, look), Mark::Title)];
    lines.extend(machine::lines(watched, look));
    let sections = section::all(watched, look, with_idle);
    let mut room = rows.map(|rows| rows.saturating_sub(lines.len() + 1));
    let wanted: Vec<usize> = sections.iter().map(Section::wanted).collect();
    let given = share(&wanted, room.take());
    if sections.iter().any(Section::has_rows) {
        lines.push(Line::new(cells::titles(look), Mark::Title));
    }
    for (section, given) in sections.iter().zip(given) {
        lines.extend(section.lines(given));
    }
    if let Some((history, rows)) = history.zip(rows) {
        lines.extend(history.lines(rows.saturating_sub(lines.len()), look));
    }
    let width = usize::from(look.width);
    lines.iter_mut().for_each(|line| line.text = cut(&harmless(&line.text), width));
    lines.truncate(rows.unwrap_or(usize::MAX));
    lines
}

/// Lines of the picture in a report: chosen, a screen.
const ROWS: usize = 40;

/// A stored observation as text.
pub(crate) fn stored(stored: &Stored, look: &Look) -> String {
    let lines = frame(&stored.watched(), look, Some(ROWS));
    lines.iter().map(|line| line.paint(look)).collect::<Vec<_>>().join("\n")
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
fn cut(text: &str, width: usize) -> String {
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
