//! The known word nearest to an unknown one, by Damerau's and Levenshtein's distance (optimal
//! string alignment: insert, delete, replace, swap neighbours).

/// The most words that are compared: a study may have very many names.
const MOST_WORDS: usize = 2_000;

/// `did you mean "…"?` where a known word is near enough, else the whole list, if it is short.
pub(crate) fn hint<'a>(word: &str, known: impl IntoIterator<Item = &'a str>) -> String {
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
    let letters: Vec<char> = word.chars().take(64).collect();
    let allowed = (letters.len() / 3).max(1);
    known
        .iter()
        .map(|known| (distance(&letters, &known.chars().take(64).collect::<Vec<_>>()), *known))
        .filter(|(distance, known)| *distance <= allowed && *distance < known.chars().count())
        .min_by_key(|(distance, _)| *distance)
        .map(|(_, known)| known)
}

fn distance(a: &[char], b: &[char]) -> usize {
    let mut before: Vec<usize> = vec![0; b.len() + 1];
    let mut above: Vec<usize> = (0..=b.len()).collect();
    for i in 1..=a.len() {
        let mut row = vec![i; b.len() + 1];
        for j in 1..=b.len() {
            let changed = usize::from(a[i - 1] != b[j - 1]);
            row[j] = (above[j] + 1).min(row[j - 1] + 1).min(above[j - 1] + changed);
            if i > 1 && j > 1 && a[i - 1] == b[j - 2] && a[i - 2] == b[j - 1] {
                row[j] = row[j].min(before[j - 2] + 1);
            }
        }
        before = std::mem::replace(&mut above, row);
    }
    above[b.len()]
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
