//! When each text begins on the common axis.

use super::{Together, nominal};
use crate::Wrong;
use crate::imported::{Imported, Start};

/// The beginning of each text, in ns; the earliest is 0.
pub(super) fn lay(all: &[Imported], together: &Together) -> Result<Vec<u64>, Wrong> {
    for begin in &together.begins {
        if !all.iter().any(|one| one.file == begin.file) {
            let what = "is named by --begin, but not imported";
            return Err(Wrong::of(&begin.file, what, "name it as in the list of files"));
        }
    }
    let [_, _, ..] = all else { return Ok(vec![0; all.len()]) };
    let first = nominal(all[0].start);
    let mut begins: Vec<i128> = Vec::new();
    for (index, one) in all.iter().enumerate() {
        let said = together.begins.iter().find(|begin| begin.file == one.file);
        let begin = match (said, index) {
            (Some(said), _) => i128::from(said.after_ns),
            (None, 0) => 0,
            (None, _) => by_clock(one, &all[0], first)?,
        };
        begins.push(begin);
    }
    let earliest = begins.iter().copied().min().unwrap_or_default();
    let told = |begin: i128| {
        u64::try_from(begin - earliest).map_err(|_| {
            let what = "began years before or after the others";
            Wrong::of(&all[0].file, what, "import the runs separately")
        })
    };
    begins.into_iter().map(told).collect()
}

fn by_clock(one: &Imported, first: &Imported, began: Option<i128>) -> Result<i128, Wrong> {
    let hint = format!(
        "use --begin {}=3s if it began 3 s after {}, or 0s if together",
        one.file, first.file
    );
    let (Some(own), Some(began)) = (nominal(one.start), began) else {
        let without = if nominal(one.start).is_none() { one } else { first };
        let what = format!("{} does not say when it began, with the date", without.file);
        return Err(Wrong::of(&one.file, what, hint));
    };
    let is_local = |one: &Imported| matches!(one.start, Start::Local(_));
    if is_local(one) != is_local(first) {
        let local = if is_local(one) { one } else { first };
        let what = format!("the times of {} have no zone", local.file);
        return Err(Wrong::of(
            &one.file,
            what,
            format!("say --zone +02:00 or --zone UTC; or {hint}"),
        ));
    }
    Ok(own - began)
}
