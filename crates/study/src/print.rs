//! Texts in the form of a study file.

/// A text in quotes, with escapes for what may not stand in them: as any text stands in a study.
#[must_use]
pub fn quoted(text: &str) -> String {
    let mut out = String::with_capacity(text.len() + 2);
    out.push('"');
    for c in text.chars() {
        match c {
            '"' | '\\' => out.extend(['\\', c]),
            _ if is_plain(c) => out.push(c),
            _ => out.push_str(&format!("\\u{{{:x}}}", u32::from(c))),
        }
    }
    out.push('"');
    out
}

/// Whether KDL takes the character as it is: no control, no newline, no mark of direction.
#[must_use]
pub fn is_plain(c: char) -> bool {
    !(c.is_control()
        || matches!(c, '\u{200e}' | '\u{200f}' | '\u{2028}' | '\u{2029}' | '\u{feff}')
        || ('\u{202a}'..='\u{202e}').contains(&c)
        || ('\u{2066}'..='\u{2069}').contains(&c))
}

/// A key before `=`: bare where it can be.
#[must_use]
pub(crate) fn key(text: &str) -> String {
    let bare = text.starts_with(|c: char| c.is_ascii_alphabetic())
        && text.chars().all(|c| c.is_ascii_alphanumeric() || "-_.".contains(c))
        && !matches!(text, "true" | "false" | "null" | "inf" | "nan");
    if bare { text.to_owned() } else { quoted(text) }
}

/// A kind with its article, as it is spoken: an array, an hba, a host.
#[must_use]
pub(crate) fn with_article(kind: &str) -> String {
    let vowel = kind.starts_with(['a', 'e', 'i', 'o', 'u']);
    let spelt = matches!(kind, "hba" | "ssd" | "nvme");
    format!("{} {kind}", if vowel || spelt { "an" } else { "a" })
}
