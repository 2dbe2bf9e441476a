//! The live path that is up, for options that act on it or look into it.

use std::path::Path;

use iopath_emulation::{Standing, State, standing};

use crate::exit_status::Problem;

/// The live path that is up, of this study where one is named; `option` is who wants it.
pub(crate) fn only_live(
    option: &str,
    directory: &Path,
    title: Option<&str>,
) -> Result<Standing, Problem> {
    let wrong = |why: String| Problem::mistake(format!("{option}: {why}"));
    let is_meant = |one: &Standing| title.is_none_or(|title| one.label == title);
    let is_up = |one: &Standing| one.is_live() && one.state != State::Dead && is_meant(one);
    let mut found = Vec::new();
    for one in standing(directory) {
        found.extend(Some(one.map_err(|trouble| wrong(trouble.to_string()))?).filter(is_up));
    }
    match (found.pop(), &found[..]) {
        (Some(one), []) => Ok(one),
        (None, _) => {
            let of = title.map(|title| format!(" of \"{title}\"")).unwrap_or_default();
            let directory = directory.display();
            Err(wrong(format!(
                "no live path{of} is up in {directory}; emulate STUDY --live --up brings one up"
            )))
        }
        (Some(last), others) => {
            let all = others.iter().chain([&last]);
            let each: Vec<String> =
                all.map(|one| format!("{} in {}", one.label, one.directory.display())).collect();
            Err(wrong(format!(
                "{} live paths are up ({}); name the study of the one that is meant",
                each.len(),
                each.join(", ")
            )))
        }
    }
}
