//! Ranges of counts as levels: `"1 .. 16"` is sixteen levels. Everything else stays as written.

use crate::syntax::{Entry, Form, Written};

/// The most levels of one range.
const MOST_LEVELS: u64 = 10_000;

/// The values that one value of a factor stands for.
///
/// # Errors
/// What is wrong with a range.
pub(super) fn each(entry: &Entry) -> Result<Vec<Entry>, String> {
    let Some((first, last)) = range(&entry.written) else { return Ok(vec![entry.clone()]) };
    if first > last {
        return Err(format!("a range rises: write \"{last} .. {first}\""));
    }
    if last - first >= MOST_LEVELS {
        return Err(format!("a range has at most {MOST_LEVELS} counts"));
    }
    let number = |count: u64| Entry {
        written: Written { form: Form::Number, text: count.to_string() },
        ..entry.clone()
    };
    Ok((first..=last).map(number).collect())
}

fn range(written: &Written) -> Option<(u64, u64)> {
    let (first, last) = written.text.split_once("..")?;
    let range = (first.trim().parse().ok()?, last.trim().parse().ok()?);
    (written.form == Form::Text).then_some(range)
}
