//! A figure as HTML: a place for its chart, its reading guide, its data for chart and CSV.

use maud::{Markup, html};
use serde_json::json;

use super::chart::{chart, legend};
use super::data::{columns, data};
use crate::document::{Figure, Mark};

pub(super) fn figure(figure: &Figure) -> Markup {
    let held = json!({ "columns": columns(&figure.columns), "chart": chart(figure) });
    html! {
        figure id=(figure.id) {
            (caption(&figure.id, &figure.title))
            div.chart role="img" aria-label=(figure.title) style=[room(figure)] {}
            details.guide { summary { "How to read this" } p { (figure.guide) } }
            (data(&held))
        }
    }
}

/// The title of a figure or a diagram, and the files that it can be saved as: its data, itself.
pub(super) fn caption(id: &str, title: &str) -> Markup {
    html! {
        figcaption {
            strong { (title) }
            span.files {
                a.csv href={ "#" (id) } download={ (id) ".csv" } { "CSV" }
                @for (kind, word) in [("svg", "SVG"), ("png", "PNG")] {
                    button.save type="button" name={ (id) "." (kind) } value=(kind)
                        aria-label={ (word) " of " (title) } { (word) }
                }
            }
        }
    }
}

/// Bars beside one another for which a name has room: chosen.
const BARS: usize = 3;

/// What the height of a chart depends on: names along the vertical axis, of which one with many
/// bars counts as several, and names in the legend.
fn room(figure: &Figure) -> Option<String> {
    let legend = legend(&figure.chart);
    let bars = figure.chart.traces.iter().filter(|trace| trace.mark == Mark::Bars).count();
    let names = figure.names_down().map(|names| names * bars.div_ceil(BARS).max(1));
    let names = names.map(|names| format!("--names: {names}"));
    let legend = (legend > 0).then(|| format!("--legend: {legend}"));
    let both: Vec<String> = names.into_iter().chain(legend).collect();
    (!both.is_empty()).then(|| both.join("; "))
}
