//! A chart as plotly.js takes it: `{data, layout}` (<https://plotly.com/javascript/reference/>).
//!
//! Where plotly wants values there stands `{"column": n, "per": p}`, and where it wants a colour of
//! the page `var(--name)`: the script of the page puts both in, so that data stand in the file once
//! and colours follow the reader's theme. Names are escaped, as plotly reads some tags in them; no
//! name is part of a template, in which `%{…}` would be read.
//! Traces differ by dash and symbol besides colour.

mod trace;

use serde_json::{Value, json};

use crate::document::{Axis, Chart, Column, Figure, Mark, Shade, Trace, Values};

/// Traces up to which a legend helps: chosen.
const LEGEND: usize = 24;

/// Traces up to which all that stand at one place are told together: chosen.
const HOVERED: usize = 12;

/// Characters of a name in a legend: chosen.
const NAME: usize = 40;

pub(super) fn chart(figure: &Figure) -> Value {
    let Chart { x, y, traces, shades } = &figure.chart;
    let is_map = |mark| matches!(mark, Mark::Heat { .. } | Mark::Map { .. });
    let is_map = traces.iter().any(|trace| is_map(trace.mark));
    // The levels of a map rise as numbers do.
    let names_down = figure.names_down().filter(|_| !is_map);
    let has_names_down = names_down.is_some();
    let is_crowded = traces.len() > HOVERED || traces.iter().any(|one| one.mark == Mark::Thin);
    let has_texts = traces.iter().any(|one| one.text.is_some());
    let closest = is_crowded || is_map || has_texts || has_names_down;
    let mut colors = 0..;
    let data: Vec<Value> = traces
        .iter()
        .map(|one| {
            // What has a colour of its own takes none from the others.
            let at = if trace::is_plain(one.mark) { colors.next().unwrap_or(0) } else { 0 };
            let value = trace::trace((at, one), (x, y), closest, &figure.columns);
            if has_names_down { trace::sideways((at, value), (x, y)) } else { value }
        })
        .collect();
    let layout = json!({
        "showlegend": legend(&figure.chart) > 0,
        // At the bottom of the whole chart, which makes room for as many rows as there are.
        "legend": {
            "orientation": "h", "traceorder": "normal", "x": 0, "xanchor": "left",
            "y": 0, "yref": "container", "yanchor": "bottom",
        },
        // Names of shades stand above the axes, and the buttons above these.
        "margin": { "l": 64, "r": 16, "t": 42, "b": 48 },
        "modebar": {
            "bgcolor": "rgba(0,0,0,0)", "color": "var(--faint)", "activecolor": "var(--accent)",
        },
        "xaxis": axis(x, is_named(figure, |trace| trace.x)),
        "yaxis": downwards(axis(y, is_named(figure, |trace| trace.y)), names_down),
        "shapes": shades.iter().map(shape).collect::<Vec<_>>(),
        "annotations": shades.iter().map(name_of_shade).collect::<Vec<_>>(),
        "barmode": "group",
        "hovermode": if closest { "closest" } else { "x" },
        "hoverlabel": { "namelength": -1 },
        "font": { "family": "system-ui, sans-serif", "size": 12, "color": "var(--ink)" },
        "paper_bgcolor": "rgba(0,0,0,0)",
        "plot_bgcolor": "rgba(0,0,0,0)",
    });
    json!({ "data": data, "layout": layout })
}

/// How many names the legend of a chart has; none where it would help nobody.
pub(super) fn legend(chart: &Chart) -> usize {
    let named = chart.traces.iter().filter(|trace| trace.mark != Mark::Thin).count();
    if (2..=LEGEND).contains(&named) { named } else { 0 }
}

/// Whether an axis has names and no numbers: levels such as `4` are names, too.
fn is_named(figure: &Figure, of: fn(&Trace) -> usize) -> bool {
    let column = |trace: &Trace| figure.columns.get(of(trace));
    let is_text = |column: &Column| matches!(column.values, Values::Texts(_));
    figure.chart.traces.iter().filter_map(column).any(is_text)
}

fn axis(axis: &Axis, is_named: bool) -> Value {
    let title = match axis.unit.as_str() {
        "" => axis.title.clone(),
        unit => format!("{} ({unit})", axis.title),
    };
    let kind = match (is_named, axis.is_logarithmic) {
        (true, _) => "category",
        (false, true) => "log",
        (false, false) => "linear",
    };
    let mut value = json!({
        "title": { "text": escaped(&title), "standoff": 6 },
        "type": kind,
        "rangemode": if axis.is_relative { "normal" } else { "tozero" },
        "automargin": true,
        "exponentformat": if axis.is_logarithmic { "power" } else { "none" },
        "gridcolor": "var(--line)",
        "zerolinecolor": "var(--line)",
        "linecolor": "var(--line)",
        "hoverformat": ".4g",
    });
    if let Some((from, to)) = axis.range {
        merge(&mut value, json!({ "range": [from / axis.per, to / axis.per] }));
    }
    if !axis.ticks.is_empty() {
        let places: Vec<f64> = axis.ticks.iter().map(|(at, _)| at / axis.per).collect();
        let labels: Vec<String> = axis.ticks.iter().map(|(_, label)| escaped(label)).collect();
        merge(&mut value, json!({ "tickmode": "array", "tickvals": places, "ticktext": labels }));
    }
    value
}

/// A vertical axis of names is read as a table is; each has equally much room, the ends too.
fn downwards(mut axis: Value, names: Option<usize>) -> Value {
    if let Some(names) = names {
        merge(&mut axis, json!({ "range": [names as f64 - 0.5, -0.5] }));
    }
    axis
}

fn shape(shade: &Shade) -> Value {
    let color = if shade.name == "window" { "var(--shade-window)" } else { "var(--shade)" };
    json!({
        "type": "rect", "layer": "below", "xref": "x", "yref": "paper",
        "x0": shade.from, "x1": shade.to, "y0": 0, "y1": 1,
        "fillcolor": color, "line": { "width": 0 },
    })
}

/// The name above a shade; the page's script leaves out those for which there is no room.
fn name_of_shade(shade: &Shade) -> Value {
    json!({
        "text": escaped(&shade.name), "showarrow": false, "xref": "x", "yref": "paper",
        "x": f64::midpoint(shade.from, shade.to), "y": 1, "yanchor": "bottom",
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

/// Beginning and end of a long name: what tells it from others may stand in either.
fn cut(name: &str) -> String {
    let all: Vec<char> = name.chars().collect();
    if all.len() <= NAME {
        return name.to_owned();
    }
    let (begin, end) = (&all[..NAME / 2], &all[all.len() - NAME / 2 + 1..]);
    begin.iter().chain(&['…']).chain(end).collect()
}

#[cfg(test)]
mod tests;
