//! Breaks sentences at spaces so that they fit the width, with later lines indented further.

/// `text` as lines of at most `width` columns, the first after `indent` spaces, the others two
/// deeper. A word that is longer than the width keeps a line of its own.
pub(crate) fn wrap(text: &str, indent: usize, width: u16) -> String {
    let width = usize::from(width).max(indent + 20);
    let mut lines = vec![" ".repeat(indent)];
    for word in words(&harmless(text)) {
        let line = lines.last_mut().expect("there is a first line");
        let is_empty = line.trim().is_empty();
        if !is_empty && line.chars().count() + 1 + word.chars().count() > width {
            lines.push(format!("{}{word}", " ".repeat(indent + 2)));
        } else {
            line.push_str(if is_empty { "" } else { " " });
            line.push_str(&word);
        }
    }
    lines.join("\n")
}

/// A text that no terminal obeys: names come from files that others may have made.
pub(crate) fn harmless(text: &str) -> String {
    let plain = |c: char| if c.is_control() && c != '\n' { char::REPLACEMENT_CHARACTER } else { c };
    text.chars().map(plain).collect()
}

/// Words of a text; a number keeps the word behind it, which is its unit.
fn words(text: &str) -> Vec<String> {
    let mut words: Vec<String> = Vec::new();
    let mut is_number = false;
    for word in text.split_whitespace() {
        match words.last_mut() {
            Some(last) if is_number => *last = format!("{last} {word}"),
            _ => words.push(word.to_owned()),
        }
        is_number = !is_number && word.trim_start_matches(['(', '±']).parse::<f64>().is_ok();
    }
    words
}

#[cfg(test)]
mod tests {
    use super::wrap;

    #[test]
    fn a_name_cannot_command_the_terminal() {
        assert!(!wrap("evil\u{1b}[2J", 0, 40).contains('\u{1b}'));
    }

    #[test]
    fn breaks_at_spaces_and_hangs() {
        let text = wrap("one two three four five six seven", 2, 24);
        assert_eq!(text, "  one two three four\n    five six seven");
        assert_eq!(wrap("a rate of about 12.5 %", 0, 21), "a rate of about\n  12.5 %");
        let long = "x".repeat(40);
        assert_eq!(wrap(&format!("a {long} b"), 0, 24), format!("a\n  {long}\n  b"));
    }
}
