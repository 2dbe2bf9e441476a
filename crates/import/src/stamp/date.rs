//! The words of a date and of a time of day.

use jiff::civil::Date;

/// Whether a text begins like `2026-11-22T`.
pub(super) fn is_iso(text: &str) -> bool {
    text.as_bytes().get(10) == Some(&b'T') && text.as_bytes().get(4) == Some(&b'-')
}

/// Seconds of the day of `13:22:47` or `13:22:47.5`.
pub(super) fn seconds(text: &str) -> Option<f64> {
    let parts: Vec<&str> = text.split(':').collect();
    let [hour, minute, second] = parts[..] else { return None };
    let hour: u32 = hour.parse().ok().filter(|hour| *hour < 24)?;
    let minute: u32 = minute.parse().ok().filter(|minute| *minute < 60)?;
    let second: f64 = second.parse().ok().filter(|second| (0.0..61.0).contains(second))?;
    Some(f64::from(hour * 3600 + minute * 60) + second)
}

/// A time of day and the zone behind it: `13:22:47+0100`, `13:22:47+01:00`, `13:22:47Z`.
pub(super) fn split_zone(text: &str) -> (&str, Option<i32>) {
    if let Some(clock) = text.strip_suffix('Z') {
        return (clock, Some(0));
    }
    let Some(at) = text.rfind(['+', '-']).filter(|at| text[..*at].contains(':')) else {
        return (text, None);
    };
    match offset(&text[at..]) {
        Some(offset) => (&text[..at], Some(offset)),
        None => (text, None),
    }
}

/// Seconds ahead of UTC of `+0100`, `+01:00` or `-05`.
pub(super) fn offset(text: &str) -> Option<i32> {
    let sign = match text.as_bytes().first()? {
        b'+' => 1,
        b'-' => -1,
        _ => return None,
    };
    let digits: String = text[1..].split(':').collect();
    if !digits.bytes().all(|byte| byte.is_ascii_digit()) {
        return None;
    }
    let (hours, minutes) = match digits.len() {
        2 => (digits.parse::<i32>().ok()?, 0),
        4 => (digits[..2].parse().ok()?, digits[2..].parse::<i32>().ok()?),
        _ => return None,
    };
    (hours < 24 && minutes < 60).then_some(sign * (hours * 3600 + minutes * 60))
}

const MONTHS: [&str; 12] =
    ["jan", "feb", "mar", "apr", "may", "jun", "jul", "aug", "sep", "oct", "nov", "dec"];

/// The date among words; none where it is not known, or not which number is the month.
pub(super) fn date(words: &[&str]) -> Option<Date> {
    let parts: Vec<&str> = words
        .iter()
        .flat_map(|word| word.split(['/', '.', '-']))
        .filter(|p| !p.is_empty())
        .collect();
    let month = parts.iter().find_map(|part| named(part));
    let numbers: Vec<i32> = parts.iter().filter_map(|part| part.parse().ok()).collect();
    match (month, numbers.as_slice()) {
        (Some(month), &[day, year]) if day <= 31 => of(year, month, day),
        (None, &[year, month, day]) if year > 31 => of(year, month, day),
        (None, &[day, month, year]) if words.iter().any(|word| word.contains('.')) => {
            of(year, month, day)
        }
        (None, &[first, second, year]) if first > 12 => of(year, second, first),
        (None, &[first, second, year]) if second > 12 => of(year, first, second),
        (None, &[first, second, year]) if first == second => of(year, first, second),
        _ => None,
    }
}

fn named(word: &str) -> Option<i32> {
    let word = word.to_ascii_lowercase();
    let found = MONTHS.iter().position(|month| word.starts_with(month))?;
    i32::try_from(found + 1).ok()
}

fn of(year: i32, month: i32, day: i32) -> Option<Date> {
    let year = if year < 100 { 2000 + year } else { year };
    Date::new(i16::try_from(year).ok()?, i8::try_from(month).ok()?, i8::try_from(day).ok()?).ok()
}
