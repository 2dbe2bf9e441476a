//! What former versions wrote of a load, in today's words: they wrote the values as Rust prints
//! them for its programmers, such as `Strided { stride: Bytes(4096) }` and a rate in thousandths.
//!
//! Left out: facts whose text is as before.

use std::borrow::Cow;

use iopath_units::{ByteRate, Bytes, OperationRate, Ratio};

use super::Fact;

/// The value of a fact by its key, as this version writes it; what is no former text stays.
#[must_use]
pub fn restated<'a>(key: &str, value: &'a str) -> Cow<'a, str> {
    // Names of variants begin so, and no text of today does.
    if !value.starts_with(|first: char| first.is_ascii_uppercase()) {
        return Cow::Borrowed(value);
    }
    let restate = [(Fact::Pattern, pattern as Restate), (Fact::Pacing, pacing)];
    let restate = restate.into_iter().find(|(fact, _)| fact.to_string() == key);
    let restated = restate.and_then(|(_, restate)| restate(value));
    restated.map_or(Cow::Borrowed(value), Cow::Owned)
}

type Restate = fn(&str) -> Option<String>;

/// `Hot { share: Ratio(900000), band: Ratio(100000) }`
fn pattern(value: &str) -> Option<String> {
    let (name, fields) = value.split_once(" { ").unwrap_or((value, ""));
    let mut words = vec![kebab(name)];
    for field in fields.trim_end_matches(" }").split(", ").filter(|field| !field.is_empty()) {
        let (name, value) = field.split_once(": ")?;
        words.push(parameter(name, value)?);
    }
    Some(words.join(" "))
}

fn parameter(name: &str, value: &str) -> Option<String> {
    let property = match name {
        "share" => "hot-share".to_owned(),
        "band" => "hot-band".to_owned(),
        other => other.replace('_', "-"),
    };
    let (kind, number) = number(value)?;
    let value = match (kind, name) {
        ("Ratio", "theta") => Ratio(number).as_f64().to_string(),
        ("Ratio", _) => Ratio(number).to_string(),
        ("Bytes", _) => Bytes(number).to_string(),
        _ => return None,
    };
    Some(format!("{property}={value}"))
}

/// `Open { rate: Operations(OperationRate(300000)), streams: 2, arrivals: Constant }`
fn pacing(value: &str) -> Option<String> {
    if value == "Closed" {
        return Some("closed loop".to_owned());
    }
    let (rate, rest) = value.strip_prefix("Open { rate: ")?.split_once(", streams: ")?;
    let (_, arrivals) = rest.trim_end_matches(" }").split_once(", arrivals: ")?;
    let rate = match number(rate)? {
        ("Operations(OperationRate", number) => OperationRate(number).to_string(),
        ("Bytes(ByteRate", number) => ByteRate(number).to_string(),
        _ => return None,
    };
    Some(format!("{rate}, {}", kebab(arrivals)))
}

/// `Bytes(4096)`: what it is, and its number.
fn number(text: &str) -> Option<(&str, u64)> {
    let (kind, number) = text.trim_end_matches(')').rsplit_once('(')?;
    Some((kind, number.parse().ok()?))
}

/// `Spc1Like` as `spc1-like`.
fn kebab(name: &str) -> String {
    let mut text = String::new();
    for (at, letter) in name.char_indices() {
        if at > 0 && letter.is_ascii_uppercase() {
            text.push('-');
        }
        text.push(letter.to_ascii_lowercase());
    }
    text
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn former_texts_of_loads_are_read_in_todays_words() {
        let open =
            "Open { rate: Operations(OperationRate(300000)), streams: 2, arrivals: Poisson }";
        let hot = "Hot { share: Ratio(900000), band: Ratio(100000) }";
        for (key, former, today) in [
            ("workload.pattern", "Random", "random"),
            ("workload.pattern", "Spc1Like", "spc1-like"),
            ("workload.pattern", hot, "hot hot-share=90 % hot-band=10 %"),
            ("workload.pattern", "Zipf { theta: Ratio(1200000) }", "zipf theta=1.2"),
            ("workload.pacing", "Closed", "closed loop"),
            ("workload.pacing", open, "300 /s, poisson"),
        ] {
            assert_eq!(restated(key, former), today, "{former}");
            assert_eq!(restated(key, today), today);
        }
        for (key, value) in [("host.name", "Random"), ("workload.pacing", "Open { of: 1 }")] {
            assert_eq!(restated(key, value), value, "{key}");
        }
    }
}
