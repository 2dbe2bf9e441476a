//! Findings as sentences: a file for each subject, from data and a system of units to words. JSON
//! has the same sentences in decimal units.

pub(crate) mod advice;
pub(crate) mod comparison;
pub(crate) mod validation;
pub(crate) mod warnings;
