//! How text shall look: everything that the caller knows about the reader's terminal and taste.

use iopath_units::System;

/// Columns of a sentence where there is no terminal: chosen.
const READABLE: u16 = 140;

/// The look of a text.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Look {
    /// Columns of the terminal; [`Look::UNLIMITED`] where there is none.
    pub width: u16,
    /// Prefixes of sizes and rates.
    pub system: System,
    /// Whether colours may be used.
    pub color: Color,
}

/// Use of colours.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Color {
    /// Plain text.
    Never,
    /// ANSI colours: bold verdicts, yellow warnings, red for failed consistency checks.
    Always,
}

/// How much is shown.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Detail {
    /// What most readers want.
    Brief,
    /// Everything: idle components, every limit, what is folded.
    Full,
}

/// What a piece of text is, for its colour.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Tone {
    Verdict,
    Warning,
    Broken,
}

impl Look {
    /// The width of a file or a pipe: tables keep every column, and sentences are broken as for a
    /// wide terminal.
    pub const UNLIMITED: u16 = u16::MAX;

    /// Columns of a sentence.
    pub(crate) const fn sentence_width(width: u16) -> u16 {
        if width == Self::UNLIMITED { READABLE } else { width }
    }

    pub(crate) fn paint(&self, tone: Tone, text: &str) -> String {
        let code = match tone {
            Tone::Verdict => "1",
            Tone::Warning => "33",
            Tone::Broken => "31",
        };
        match self.color {
            Color::Never => text.to_owned(),
            Color::Always => format!("\x1b[{code}m{text}\x1b[0m"),
        }
    }
}
