//! Ranges of counts as levels: `"1 .. 16"` is sixteen levels. Everything else stays as written.

use crate::syntax::{Entry, Form, Written};

/// The most levels of one range; beyond it the text stays as it is, and is no count.
const MOST_LEVELS: u64 = 10_000;

/// The values that one value of a factor stands for.
pub(super) fn each(entry: &Entry) -> Vec<Entry> {
    let Some((first, last)) = range(&entry.written) else { return vec![entry.clone()] };
    let number = |count: u64| Entry {
        written: Written { form: Form::Number, text: count.to_string() },
        ..entry.clone()
    };
    (first..=last).map(number).collect()
}

fn range(written: &Written) -> Option<(u64, u64)> {
    let (first, last) = written.text.split_once("..")?;
    let (first, last) = (first.trim().parse().ok()?, last.trim().parse().ok()?);
    let fits = first < last && last - first < MOST_LEVELS;
    (written.form == Form::Text && fits).then_some((first, last))
}
