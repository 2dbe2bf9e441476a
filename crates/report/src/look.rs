//! How text shall look: everything that the caller knows about the reader's terminal and taste.

use iopath_units::System;

/// The look of a text.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Look {
    /// Columns of the terminal, or of the page.
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
    /// ANSI colours: bold verdicts, yellow warnings, red for broken laws.
    Always,
}

/// What a piece of text is, for its colour.
#[derive(Clone, Copy, Debug)]
pub(crate) enum Tone {
    Verdict,
    Warning,
    Broken,
}

impl Look {
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
