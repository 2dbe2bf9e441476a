//! A figure as HTML: a place for its chart, its reading guide, its data for chart and CSV.

use maud::{Markup, html};
use serde_json::json;

use super::chart::chart;
use super::data::{columns, data};
use crate::page::{Figure, Mark};

pub(super) fn figure(figure: &Figure) -> Markup {
    let held = json!({ "columns": columns(&figure.columns), "chart": chart(figure) });
    html! {
        figure id=(figure.id) {
            figcaption {
                strong { (figure.title) }
                a.csv href={ "#" (figure.id) } download={ (figure.id) ".csv" } { "CSV" }
            }
            div.chart role="img" aria-label=(figure.title) style=[room(figure)] {}
            details.guide { summary { "How to read this" } p { (figure.guide) } }
            (data(&held))
        }
    }
}

/// Bars beside one another for which a name has room: chosen.
const BARS: usize = 3;

/// Names along the vertical axis, where they take more room than a chart usually has; one with many
/// bars counts as several.
fn room(figure: &Figure) -> Option<String> {
    const USUAL: usize = 6;
    let bars = figure.chart.traces.iter().filter(|trace| trace.mark == Mark::Bars).count();
    let names = figure.names_down()? * bars.div_ceil(BARS).max(1);
    (names > USUAL).then(|| format!("--names: {names}"))
}
