//! How wide a text is at most, and what of it fits: a page cannot ask its fonts before it is shown.
//!
//! Widths per character are those of the widest common fonts for interfaces, rounded up; wide
//! characters (of East Asia, emoji) count twice.

/// Width of a character of bold text of 13 px: chosen above DejaVu Sans Bold, which is the widest
/// that browsers take.
pub(super) const BOLD: f64 = 9.1;

/// The same of plain text of 12 px, of DejaVu Sans.
pub(super) const SMALL: f64 = 7.7;

/// How wide a text is at most.
pub(super) fn width(text: &str, per_character: f64) -> f64 {
    text.chars().map(columns).sum::<f64>() * per_character
}

/// Columns that a character takes; capitals and what is not Latin are wider.
fn columns(character: char) -> f64 {
    match character {
        'i' | 'l' | 'j' | '.' | ',' | ':' | ';' | '\'' | '|' | '!' | '[' | ']' | '(' | ')'
        | ' ' => 0.68,
        'm' | 'w' | 'M' | 'W' | '@' | '%' | '…' => 1.6,
        'a'..='z' | '0'..='9' | '-' | '_' | '/' => 1.03,
        character if character.is_ascii() => 1.25,
        '×' | '–' | 'µ' | '·' => 1.25,
        _ => 2.2,
    }
}

/// As much of a text as fits, from its beginning.
pub(super) fn cut(text: &str, room: f64, per_character: f64) -> String {
    if width(text, per_character) <= room {
        return text.to_owned();
    }
    let kept = fitting(text.chars(), room - width("…", per_character), per_character);
    match kept.is_empty() {
        true => String::new(),
        false => format!("{}…", kept.into_iter().collect::<String>()),
    }
}

/// As much of a name as fits, from its end: what tells it from its neighbours stands there. Of a
/// long list of numbers the beginning is kept, with whose numbers they are.
pub(super) fn tail(text: &str, room: f64, per_character: f64) -> String {
    if width(text, per_character) <= room {
        return text.to_owned();
    }
    let (above, last) = text.rsplit_once('.').unwrap_or(("", text));
    let last = if above.is_empty() { last.to_owned() } else { format!("…{last}") };
    if last.contains('[') && width(&last, per_character) > room {
        let kept = cut(&last, room, per_character);
        // Not within a number.
        return kept.rsplit_once(',').map_or(kept.clone(), |(whole, _)| format!("{whole},…"));
    }
    let kept = fitting(text.chars().rev(), room - width("…", per_character), per_character);
    let kept: String = kept.into_iter().rev().collect();
    // Whole parts of a path where there is one that fits.
    let whole = kept.split_once('.').map(|(_, rest)| rest).filter(|rest| rest.len() >= 4);
    format!("…{}", whole.unwrap_or(&kept))
}

fn fitting(characters: impl Iterator<Item = char>, room: f64, per_character: f64) -> Vec<char> {
    let mut left = room;
    let takes = |character: &char| {
        left -= columns(*character) * per_character;
        left >= 0.0
    };
    characters.take_while(takes).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_is_cut_fits() {
        let names = [
            "p690.drawer[0].planar[1].link0.phb1.hba[0-2]",
            "😀😀😀😀😀😀😀😀😀",
            "",
            "漢字漢字漢字漢字",
        ];
        for name in names.map(str::to_owned).into_iter().chain(["W".repeat(300)]) {
            for room in [0.0, 10.0, 40.0, 156.0] {
                let fits = |text: &str| width(text, BOLD) <= f64::max(room, width("…", BOLD));
                assert!(fits(&cut(&name, room, BOLD)), "{name} in {room}");
                assert!(fits(&tail(&name, room, BOLD)), "{name} in {room}");
            }
        }
        assert_eq!(tail("p690.drawer[0].planar[1].link0", 120.0, BOLD), "…link0");
        assert_eq!(tail("f[0-7,9,12-40,45,47-50,52-54]", 120.0, BOLD), "f[0-7,9,…");
        assert_eq!(tail("box.disk[0-7,9,12-40,45,47-50]", 120.0, BOLD), "…disk[0-7,9,…");
        assert_eq!(cut("short", 120.0, BOLD), "short");
    }
}
