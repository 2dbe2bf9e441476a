//! A chart as plotly.js takes it: `{data, layout}` (https://plotly.com/javascript/reference/).
//!
//! Where plotly wants values there stands `{"column": n, "per": p}`, and where it wants a colour of
//! the page `var(--name)`: the script of the page puts both in, so that data stand in the file once
//! and colours follow the reader's theme. Names are escaped, as plotly reads some tags in them.
//! Traces differ by dash and symbol besides colour.

use serde_json::{Value, json};

use crate::page::{Axis, Chart, Figure, Mark, Shade, Trace};

/// Traces up to which a legend helps: chosen.
const LEGEND: usize = 12;

/// Characters of a name in a legend: chosen.
const NAME: usize = 40;

/// Colours of the style sheet, told apart by most who are colour-blind too: Okabe and Ito, "Color
/// Universal Design", 2008.
const COLORS: usize = 7;
const DASHES: [&str; 4] = ["solid", "dash", "dot", "dashdot"];
const SYMBOLS: [&str; 6] = ["circle", "square", "diamond", "cross", "triangle-up", "x"];

pub(super) fn chart(figure: &Figure) -> Value {
    let Chart { x, y, traces, shades } = &figure.chart;
    let data: Vec<Value> = traces.iter().enumerate().map(|one| trace(one, x, y)).collect();
    let legend = (2..=LEGEND).contains(&traces.len());
    let layout = json!({
        "showlegend": legend,
        "legend": { "orientation": "h", "y": -0.2, "yanchor": "top" },
        "margin": { "l": 64, "r": 16, "t": 24, "b": 48 },
        "xaxis": axis(x),
        "yaxis": axis(y),
        "shapes": shades.iter().map(shape).collect::<Vec<_>>(),
        "annotations": shades.iter().map(name_of_shade).collect::<Vec<_>>(),
        "barmode": "group",
        "hovermode": if traces.len() > LEGEND { "closest" } else { "x" },
        "font": { "family": "system-ui, sans-serif", "size": 12, "color": "var(--ink)" },
        "paper_bgcolor": "rgba(0,0,0,0)",
        "plot_bgcolor": "rgba(0,0,0,0)",
    });
    json!({ "data": data, "layout": layout })
}

fn column(at: usize, axis: &Axis) -> Value {
    json!({ "column": at, "per": axis.per })
}

fn trace((at, trace): (usize, &Trace), x: &Axis, y: &Axis) -> Value {
    let color = format!("var(--color-{})", at % COLORS);
    let mut value = json!({
        "name": escaped(&cut(&trace.name)),
        "x": column(trace.x, x),
        "y": column(trace.y, y),
    });
    let dash = DASHES[at / COLORS % DASHES.len()];
    let symbol = SYMBOLS[at % SYMBOLS.len()];
    let line = json!({ "color": color, "width": 1.5, "dash": dash });
    let look = match trace.mark {
        Mark::Line => json!({ "type": "scatter", "mode": "lines", "line": line }),
        Mark::Steps => json!({
            "type": "scatter", "mode": "lines",
            "line": { "color": color, "width": 1.5, "dash": dash, "shape": "hv" },
        }),
        Mark::LineDots => json!({
            "type": "scatter", "mode": "lines+markers", "line": line,
            "marker": { "color": color, "symbol": symbol, "size": 7 },
        }),
        Mark::Dots => json!({
            "type": "scatter", "mode": "markers",
            "marker": { "color": color, "symbol": symbol, "size": 7 },
        }),
        Mark::Bars => json!({ "type": "bar", "marker": { "color": color } }),
        Mark::Heat { z } => json!({
            "type": "heatmap", "z": { "column": z, "per": 1.0 },
            "colorscale": "Viridis", "hoverongaps": false,
        }),
    };
    merge(&mut value, look);
    if let Some(text) = trace.text {
        merge(&mut value, json!({ "text": { "column": text }, "hovertemplate": hover(x, y) }));
    }
    if let Some(error) = trace.error {
        let bars = json!({ "type": "data", "array": column(error, y), "visible": true });
        merge(&mut value, json!({ "error_y": bars }));
    }
    value
}

/// What hovering shows where points have names.
fn hover(x: &Axis, y: &Axis) -> String {
    let of = |axis: &Axis, value: &str| format!("{}: {value} {}", axis.title, axis.unit);
    format!("%{{text}}<br>{}<br>{}<extra></extra>", of(x, "%{x}"), of(y, "%{y:.4g}"))
}

fn axis(axis: &Axis) -> Value {
    let title = match axis.unit.as_str() {
        "" => axis.title.clone(),
        unit => format!("{} ({unit})", axis.title),
    };
    json!({
        "title": { "text": escaped(&title) },
        "type": if axis.is_logarithmic { json!("log") } else { json!("-") },
        "rangemode": "tozero",
        "automargin": true,
        "gridcolor": "var(--line)",
        "zerolinecolor": "var(--line)",
        "linecolor": "var(--line)",
        "hoverformat": ".4g",
    })
}

fn shape(shade: &Shade) -> Value {
    let color = if shade.name == "window" { "var(--shade-window)" } else { "var(--shade)" };
    json!({
        "type": "rect", "layer": "below", "xref": "x", "yref": "paper",
        "x0": shade.from, "x1": shade.to, "y0": 0, "y1": 1,
        "fillcolor": color, "line": { "width": 0 },
    })
}

fn name_of_shade(shade: &Shade) -> Value {
    json!({
        "text": escaped(&shade.name), "showarrow": false, "xref": "x", "yref": "paper",
        "x": (shade.from + shade.to) / 2.0, "y": 1, "yanchor": "bottom",
        "font": { "size": 10, "color": "var(--faint)" },
    })
}

fn merge(value: &mut Value, more: Value) {
    if let (Value::Object(value), Value::Object(more)) = (value, more) {
        value.extend(more);
    }
}

fn escaped(text: &str) -> String {
    text.replace('&', "&amp;").replace('<', "&lt;").replace('>', "&gt;")
}

fn cut(name: &str) -> String {
    match name.char_indices().nth(NAME) {
        None => name.to_owned(),
        Some((at, _)) => format!("{}…", &name[..at]),
    }
}
