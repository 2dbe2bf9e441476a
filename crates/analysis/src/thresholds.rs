//! Every threshold by which records are judged: its name, value, unit, and where it comes from.
//!
//! `docs/findings.md` has the same table, and a test compares the two. A threshold is chosen
//! unless its text names a source. Values that happen to be equal but answer different questions
//! stay apart, so that one can change without the other. It leaves out facts (units, frames,
//! Student's t), what bounds work (depth of recursion, repeats of a measurement), and how many
//! things a text or a picture shows.

/// Constants, and a table of them for the test of the documents.
macro_rules! thresholds {
    ($(
        $(#[doc = $text:literal])+
        $vis:vis $name:ident: $type:ty = $value:expr, $unit:literal;
    )+) => {
        $(
            $(#[doc = $text])+
            #[doc = concat!("Unit: ", $unit, ".")]
            $vis const $name: $type = $value;
        )+

        #[cfg(test)]
        pub(super) fn table() -> Vec<super::tests::Threshold> {
            use super::tests::{Shown as _, Threshold};
            let shown = [$(($name.shown($unit), stringify!($name), concat!($($text),+))),+];
            shown.into_iter().map(Threshold::of).collect()
        }
    };
}

pub mod audit;
pub mod find_max;
pub mod groups;
pub mod limits;
pub mod reports;
pub mod trials;
pub mod validation;

#[cfg(test)]
mod prose_tests;
#[cfg(test)]
mod tests;
