//! The data of a figure within the page: JSON in a script element that browsers do not run; large
//! ones packed by gzip, as base64, which the page's script unpacks when they are wanted.
//!
//! `<` is written as its escape in JSON, so that no name can end the element; base64 has none.
//! It leaves out what JSON means: charts and columns are made elsewhere.

use std::io::{self, Write};

use base64::Engine;
use base64::prelude::BASE64_STANDARD;
use flate2::Compression;
use flate2::write::GzEncoder;
use maud::{Markup, PreEscaped, html};
use serde_json::{Value, json};

use crate::document::{Column, Values};

/// Bytes of JSON from which on it is packed: chosen. Names that repeat take a tenth then, series of
/// rates two thirds; below this a page gains too little to be harder to read by other programs.
const LARGE: usize = 64 << 10;

/// The element with the data.
pub(super) fn data(value: &Value) -> Markup {
    let text = harmless(value);
    html! {
        @if let Some(packed) = packed_from(LARGE, &text) {
            script type="application/gzip" { (PreEscaped(packed)) }
        } @else {
            script type="application/json" { (PreEscaped(text)) }
        }
    }
}

/// A text of so many bytes or more as base64 of its gzip.
pub(super) fn packed_from(large: usize, text: &str) -> Option<String> {
    let packed = (text.len() >= large).then(|| packed(text).ok()).flatten();
    packed.map(|packed| BASE64_STANDARD.encode(packed))
}

fn packed(text: &str) -> io::Result<Vec<u8>> {
    let mut encoder = GzEncoder::new(Vec::new(), Compression::default());
    encoder.write_all(text.as_bytes())?;
    encoder.finish()
}

pub(super) fn columns(columns: &[Column]) -> Vec<Value> {
    let values = |values: &Values| match values {
        Values::Numbers(numbers) => json!(numbers.iter().map(|n| n.map(short)).collect::<Vec<_>>()),
        Values::Texts(texts) => json!(texts),
    };
    columns.iter().map(|one| json!({ "name": one.name, "values": values(&one.values) })).collect()
}

/// Seven significant digits: more than any counter is exact to, and half the file.
fn short(value: f64) -> f64 {
    format!("{value:.6e}").parse().unwrap_or(value)
}

fn harmless(value: &Value) -> String {
    value.to_string().replace('<', "\\u003c").replace('\u{2028}', "\\u2028")
}

#[cfg(test)]
mod tests {
    use std::io::Read;

    use flate2::read::GzDecoder;

    use super::*;

    #[test]
    fn no_name_ends_the_element_that_holds_the_data() {
        let text = harmless(&json!({ "name": "</script><script>alert(1)" }));
        assert!(!text.contains('<'), "{text}");
        let again: Value = serde_json::from_str(&text).unwrap();
        assert_eq!(again["name"], "</script><script>alert(1)");
    }

    #[test]
    fn seven_digits_are_kept() {
        assert_eq!((short(1_234_567_890.0), short(0.25), short(0.0)), (1_234_568_000.0, 0.25, 0.0));
    }

    #[test]
    fn large_data_are_packed_and_the_same_when_unpacked() {
        let value = json!({ "names": vec!["p690.drawer[0].planar[1]<"; 9_000] });
        let element = data(&value).into_string();
        assert!(element.len() < 20_000, "{} bytes", element.len());
        let packed = element.strip_prefix("<script type=\"application/gzip\">").unwrap();
        let packed = BASE64_STANDARD.decode(packed.strip_suffix("</script>").unwrap()).unwrap();
        let mut text = String::new();
        GzDecoder::new(packed.as_slice()).read_to_string(&mut text).unwrap();
        assert_eq!(serde_json::from_str::<Value>(&text).unwrap(), value);
        let small = data(&json!({ "names": [1] })).into_string();
        assert!(small.starts_with("<script type=\"application/json\">{"), "{small}");
    }
}
