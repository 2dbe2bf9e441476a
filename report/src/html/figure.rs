//! A figure as HTML: a place for its chart, its reading guide, its data for chart and CSV.
//!
//! Data and chart are JSON in a script element that browsers do not run; `<` is written as its
//! escape there, so that no name can end the element.

use maud::{Markup, PreEscaped, html};
use serde_json::{Value, json};

use super::chart::chart;
use crate::page::{Column, Figure, Values};

pub(super) fn figure(figure: &Figure) -> Markup {
    let data = json!({ "columns": columns(&figure.columns), "chart": chart(figure) });
    html! {
        figure id=(figure.id) {
            figcaption {
                strong { (figure.title) }
                a.csv href={ "#" (figure.id) } download={ (figure.id) ".csv" } { "CSV" }
            }
            div.chart role="img" aria-label=(figure.title) style=[height(figure)] {}
            details.guide { summary { "How to read this" } p { (figure.guide) } }
            script type="application/json" { (PreEscaped(harmless(&data))) }
        }
    }
}

/// Room for each name along the vertical axis, where that takes more than a chart usually has.
fn height(figure: &Figure) -> Option<String> {
    const USUAL: usize = 12;
    let names = figure.names_down().filter(|names| *names > USUAL)?;
    Some(format!("height: {}rem", names * 3 / 2 + 6))
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

pub(super) fn harmless(value: &Value) -> String {
    value.to_string().replace('<', "\\u003c").replace('\u{2028}', "\\u2028")
}

#[cfg(test)]
mod tests {
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
}
