//! The scale of a case on this machine: the one that is wanted, if it is carried, or the least one
//! that is carried with ease. Nothing here but arithmetic on what was found before.

use iopath_study::{Case, Scale};

/// What the user wants of scale and stretch.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Wanted {
    /// The least that this machine carries.
    Least,
    /// These.
    Exactly(Scale),
}

/// What scales ask of this machine.
pub(super) struct Asked<'a> {
    /// The share of it that one takes.
    pub share: &'a dyn Fn(&Scale) -> f64,
    /// Whether it is like the original, so that it is preferred.
    pub is_true: &'a dyn Fn(&Scale) -> bool,
    /// What is too much of one that takes all and more.
    pub why: &'a dyn Fn(Scale) -> String,
}

impl Wanted {
    /// The scale of a case.
    pub(super) fn scale(self, case: &Case, asked: &Asked<'_>) -> Result<Scale, String> {
        match self {
            Self::Least => least(case, asked),
            Self::Exactly(scale) => fitting(case, scale, asked),
        }
    }
}

/// Share of the ceiling that a scale that we choose may ask for: above it, waiting for a processor
/// shows in what is measured (chosen).
pub(super) const COMFORTABLE: f64 = 0.5;

/// The largest scale that is tried is two to this.
const MOST_POWER: u32 = 20;

/// A scale is large enough when it asks for no more than this many times what the largest asks for.
const HARDLY: f64 = 1.25;

/// The least scale that this machine carries with ease; stretched where sizes cannot be divided
/// further.
pub(super) fn least(case: &Case, asked: &Asked<'_>) -> Result<Scale, String> {
    let &Asked { share: asked, is_true, .. } = asked;
    case.scaled(Scale::ONE).map_err(|error| error.to_string())?;
    let powers = (0..=MOST_POWER).map_while(|power| Scale::new(1 << power, 1).ok());
    let possible: Vec<Scale> = powers.take_while(|scale| case.scaled(*scale).is_ok()).collect();
    let mut easy = possible.iter().filter(|scale| asked(scale) <= COMFORTABLE).peekable();
    let first = easy.peek().copied();
    if let Some(scale) = easy.find(|scale| is_true(scale)).or(first) {
        return Ok(*scale);
    }
    // What a larger divisor hardly saves any more, stretching does.
    let least = possible.last().map_or(f64::INFINITY, asked);
    let scale = possible.iter().find(|scale| asked(scale) <= least * HARDLY);
    let scale = *scale.unwrap_or(&Scale::ONE);
    let stretch = (asked(&scale) / COMFORTABLE).ceil().max(1.0) as u64;
    scale.stretched(stretch).map_err(|error| error.to_string())
}

/// The scale that was wanted, if this machine carries it; else why not, and which it does.
fn fitting(case: &Case, scale: Scale, asked: &Asked<'_>) -> Result<Scale, String> {
    if (asked.share)(&scale) <= 1.0 {
        return Ok(scale);
    }
    let better = least(case, asked);
    let try_this = better.map_or_else(|_| String::new(), |better| format!("; try {better}"));
    Err(format!("at {scale} {}{try_this}", (asked.why)(scale)))
}
