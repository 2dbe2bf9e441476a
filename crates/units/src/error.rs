//! Why a text is not the quantity that was asked for, with an example of one that is.

use thiserror::Error;

/// A text that does not name a quantity of the wanted kind.
#[derive(Clone, Debug, PartialEq, Eq, Error)]
pub enum UnitError {
    /// A number with no unit behind it.
    #[error("\"{text}\" has no unit; write {kind} such as \"{example}\"")]
    MissingUnit {
        /// The text as written.
        text: String,
        /// What was wanted, with its article: "a size".
        kind: &'static str,
        /// A text that would do.
        example: &'static str,
    },
    /// The unit is unknown, or belongs to another kind of quantity.
    #[error("\"{text}\" is not {kind} such as \"{example}\": unknown unit \"{unit}\"{meant}")]
    UnknownUnit {
        /// The text as written.
        text: String,
        /// The part behind the number.
        unit: String,
        /// What was wanted.
        kind: &'static str,
        /// A text that would do.
        example: &'static str,
        /// What it is elsewhere; empty where it is nothing.
        meant: String,
    },
    /// What stands before the unit is not a number at or above zero.
    #[error("\"{text}\" is not {kind} such as \"{example}\": no number in front")]
    NotANumber {
        /// The text as written.
        text: String,
        /// What was wanted.
        kind: &'static str,
        /// A text that would do.
        example: &'static str,
    },
    /// More than 64 bits can hold, or finer than the smallest unit (a byte, a nanosecond).
    #[error("\"{text}\" cannot be represented exactly: {why}")]
    OutOfRange {
        /// The text as written.
        text: String,
        /// Which end it leaves.
        why: &'static str,
    },
}
