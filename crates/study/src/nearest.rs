//! The known word nearest to an unknown one, by Damerau's and Levenshtein's distance (optimal
//! string alignment: insert, delete, replace, swap neighbours).

use strsim::osa_distance;

/// The most words that are compared: a study may have very many names.
const MOST_WORDS: usize = 2_000;

/// The most letters of each that are compared (chosen).
const MOST_LETTERS: usize = 64;

/// `did you mean "…"?` where a known word is near enough, else the whole list, if it is short.
#[must_use]
pub fn hint<'a>(word: &str, known: impl IntoIterator<Item = &'a str>) -> String {
    let known: Vec<&str> = known.into_iter().take(MOST_WORDS).collect();
    if let Some(near) = nearest(word, &known) {
        return format!("did you mean \"{near}\"?");
    }
    match known.len() {
        0 => String::new(),
        1..=24 => format!("known here: {}", known.join(", ")),
        _ => String::new(),
    }
}

/// The nearest of some words, where one is near enough.
pub(crate) fn word<'a>(word: &str, known: impl IntoIterator<Item = &'a str>) -> Option<&'a str> {
    nearest(word, &known.into_iter().take(MOST_WORDS).collect::<Vec<_>>())
}

/// The nearest word with at most a third of its letters changed, and at least one may be.
fn nearest<'a>(word: &str, known: &[&'a str]) -> Option<&'a str> {
    let cut = |word: &str| word.chars().take(MOST_LETTERS).collect::<String>();
    let written = cut(word);
    let allowed = (written.chars().count() / 3).max(1);
    known
        .iter()
        .map(|known| (osa_distance(&written, &cut(known)), *known))
        .filter(|(distance, known)| *distance <= allowed && *distance < known.chars().count())
        .min_by_key(|(distance, _)| *distance)
        .map(|(_, known)| known)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn near_words_are_found_and_far_ones_are_not() {
        let known = ["hba", "block", "pattern", "op"];
        for (word, near) in [
            ("hab", Some("hba")),
            ("blok", Some("block")),
            ("blocksize", None),
            ("patern", Some("pattern")),
            ("x", None),
            ("", None),
        ] {
            assert_eq!(nearest(word, &known), near, "{word}");
        }
    }
}
