//! A trace of a chart: how each mark looks, and what hovering shows.

use serde_json::{Value, json};

use super::{cut, escaped, merge};
use crate::document::{Axis, Column, Mark, Quantile, Trace};

/// Colours of the style sheet, told apart by most who are colour-blind too: Okabe and Ito, "Color
/// Universal Design", 2008.
const COLORS: usize = 7;
const DASHES: [&str; 4] = ["solid", "dash", "dot", "dashdot"];
const SYMBOLS: [&str; 6] = ["circle", "square", "diamond", "cross", "triangle-up", "x"];

/// Those of dots without a line are open but for the first, so that equal ones are all seen.
const OPEN: [&str; 6] =
    ["circle", "square-open", "diamond-open", "cross-open", "triangle-up-open", "x-open"];

/// Powers of ten on the colour bar of a map: more than any count needs.
const DECADES: u32 = 16;

/// Whether a mark takes the next colour of the page.
pub(super) fn is_plain(mark: Mark) -> bool {
    match mark {
        Mark::Line | Mark::Dashes | Mark::Steps => true,
        Mark::LineDots | Mark::Dots | Mark::Bars => true,
        Mark::Quantile(_) | Mark::Thin | Mark::Sum | Mark::HiddenSum | Mark::Guide => false,
        Mark::Heat { .. } | Mark::Map { .. } => false,
    }
}

pub(super) fn trace(
    (at, trace): (usize, &Trace),
    (x, y): (&Axis, &Axis),
    shows_x: bool,
    columns: &[Column],
) -> Value {
    let mut value = json!({
        "name": escaped(&cut(&trace.name)),
        "x": column(trace.x, x),
        "y": column(trace.y, y),
        "hovertemplate": hover((x, y), trace, shows_x),
    });
    merge(&mut value, look(at, trace.mark));
    if let Mark::Map { z, system } = trace.mark {
        let color = Axis::bytes_per_sec("", &columns[z..=z], system);
        let cell = format!("{}<br>{}", titled(x, "%{x}"), titled(y, "%{y}"));
        merge(&mut value, map(z, &color, &cell));
    }
    if let Some(text) = trace.text {
        merge(&mut value, json!({ "text": { "column": text } }));
    }
    if let Some(error) = trace.error {
        let mut bars = json!({ "type": "data", "array": column(error, y), "visible": true });
        if let Some(below) = trace.error_below {
            let below = json!({ "symmetric": false, "arrayminus": column(below, y) });
            merge(&mut bars, below);
        }
        merge(&mut value, json!({ "error_y": bars }));
    }
    value
}

/// Of names down the vertical axis, figures lie along the other one: bars and errors, and what
/// hovering shows, with the names as long as they are. Dots that may lie on one another are smaller
/// from trace to trace.
pub(super) fn sideways((at, mut trace): (usize, Value), (x, y): (&Axis, &Axis)) -> Value {
    if let Some(mut bars) = trace.as_object_mut().and_then(|trace| trace.remove("error_y")) {
        for part in ["array", "arrayminus"] {
            if let Some(column) = bars.get_mut(part) {
                column["per"] = json!(x.per);
            }
        }
        merge(&mut trace, json!({ "error_x": bars }));
    }
    if trace["type"] == "bar" {
        merge(&mut trace, json!({ "orientation": "h" }));
    }
    if trace["mode"] == "markers" {
        trace["marker"]["size"] = json!(12_usize.saturating_sub(3 * at).max(4));
    }
    let number = format!("%{{x:.4g}} {}", harmless(&x.unit)).trim_end().to_owned();
    let template = match trace.get("text") {
        Some(_) => format!("%{{text}}<br>{}: {number}", harmless(&x.title)),
        None => format!("{}%{{customdata}}<br>{number}", prefixed(y)),
    };
    let names = json!({ "column": trace["y"]["column"] });
    with(trace, json!({ "customdata": names, "hovertemplate": template }))
}

/// What names are, where an axis says so.
fn prefixed(axis: &Axis) -> String {
    if axis.title.is_empty() { String::new() } else { format!("{}: ", harmless(&axis.title)) }
}

fn column(at: usize, axis: &Axis) -> Value {
    json!({ "column": at, "per": axis.per })
}

fn look(at: usize, mark: Mark) -> Value {
    let color = format!("var(--color-{})", at % COLORS);
    let dash = DASHES[at / COLORS % DASHES.len()];
    let symbol = SYMBOLS[at % SYMBOLS.len()];
    let marker = json!({ "color": color, "symbol": symbol, "size": 7 });
    match mark {
        Mark::Line => line(&color, 1.5, dash),
        Mark::Dashes => line(&color, 1.5, "dash"),
        Mark::Steps => json!({
            "type": "scatter", "mode": "lines",
            "line": { "color": color, "width": 1.5, "dash": dash, "shape": "hv" },
        }),
        Mark::LineDots => json!({
            "type": "scatter", "mode": "lines+markers", "marker": marker,
            "line": { "color": color, "width": 1.5, "dash": dash },
        }),
        Mark::Dots => dots(at, &color),
        Mark::Bars => json!({ "type": "bar", "marker": { "color": color } }),
        Mark::Thin => with(line("var(--thin)", 0.7, "solid"), json!({ "showlegend": false })),
        Mark::Quantile(of) => quantile(of),
        Mark::Sum => line("var(--ink)", 2.5, "solid"),
        Mark::HiddenSum => {
            with(line("var(--ink)", 2.5, "solid"), json!({ "visible": "legendonly" }))
        }
        Mark::Guide => line("var(--faint)", 1.2, "dash"),
        Mark::Heat { z, counts } => heat(z, counts),
        // Its unit depends on its values.
        Mark::Map { .. } => json!({ "type": "heatmap" }),
    }
}

fn line(color: &str, width: f64, dash: &str) -> Value {
    json!({
        "type": "scatter", "mode": "lines",
        "line": { "color": color, "width": width, "dash": dash },
    })
}

/// The median solid, half of all in a darker area between dashes, all between dots.
fn quantile(of: Quantile) -> Value {
    let (width, dash, area) = match of {
        Quantile::Least => (1.0, "dot", None),
        Quantile::Lower => (1.0, "dash", Some("var(--spread-all)")),
        Quantile::Median => (2.0, "solid", Some("var(--spread-half)")),
        Quantile::Upper => (1.0, "dash", Some("var(--spread-half)")),
        Quantile::Most => (1.0, "dot", Some("var(--spread-all)")),
    };
    let drawn = line("var(--faint)", width, dash);
    match area {
        None => drawn,
        Some(color) => with(drawn, json!({ "fill": "tonexty", "fillcolor": color })),
    }
}

fn dots(at: usize, color: &str) -> Value {
    let size = if at == 0 { 7 } else { 10 };
    let symbol = OPEN[at % OPEN.len()];
    let marker = json!({ "color": color, "symbol": symbol, "size": size, "line": { "width": 2 } });
    json!({ "type": "scatter", "mode": "markers", "marker": marker })
}

/// Counts as colours whose steps are factors of ten; cells without a count stay empty.
fn heat(z: usize, counts: &str) -> Value {
    let places: Vec<u32> = (0..=DECADES).collect();
    let labels: Vec<String> = places.iter().map(|power| short(10u64.pow(*power))).collect();
    json!({
        "type": "heatmap", "z": { "column": z, "per": 1.0, "log": true }, "text": { "column": z },
        "colorscale": "Viridis", "hoverongaps": false,
        "colorbar": {
            "title": { "text": escaped(counts), "side": "right" },
            "tickmode": "array", "tickvals": places, "ticktext": labels,
            "thickness": 12, "outlinewidth": 0,
        },
    })
}

/// Values as colours in equal steps; hovering shows which cell it is.
fn map(z: usize, color: &Axis, cell: &str) -> Value {
    let value = format!("%{{z:.4g}} {}", harmless(&color.unit));
    json!({
        "z": column(z, color), "colorscale": "Viridis", "hoverongaps": false,
        "hovertemplate": format!("{cell}<br>{value}<extra></extra>"),
        "colorbar": {
            "ticksuffix": format!(" {}", escaped(&color.unit)), "thickness": 12, "outlinewidth": 0,
        },
    })
}

/// `1`, `10`, `1k`, `1M`: powers of ten as people write them.
fn short(number: u64) -> String {
    let steps = [(1_000_000_000_000_000, "P"), (1_000_000_000_000, "T"), (1_000_000_000, "G")];
    let steps = steps.into_iter().chain([(1_000_000, "M"), (1_000, "k"), (1, "")]);
    let mut fits = steps.filter(|(step, _)| number >= *step);
    fits.next()
        .map_or_else(|| number.to_string(), |(step, unit)| format!("{}{unit}", number / step))
}

/// What hovering shows besides the trace's name, which plotly puts beside it.
fn hover((x, y): (&Axis, &Axis), trace: &Trace, shows_x: bool) -> String {
    let number = "%{y:.4g}";
    if let Mark::Heat { counts, .. } = trace.mark {
        let (x, y) = (titled(x, "%{x:.4g}"), titled(y, "%{y:.3g}"));
        return format!("{x}<br>{y}<br>%{{text}} {}<extra></extra>", harmless(counts));
    }
    match (trace.text, shows_x) {
        (Some(_), _) => format!("%{{text}}<br>{}<br>{}", titled(x, "%{x}"), titled(y, number)),
        (None, true) => format!("{}<br>{}", titled(x, "%{x}"), titled(y, number)),
        (None, false) => format!("{number} {}", harmless(&y.unit)),
    }
}

/// What an axis measures, a value of it and its unit.
fn titled(axis: &Axis, value: &str) -> String {
    let title = harmless(&axis.title);
    format!("{title}: {value} {}", harmless(&axis.unit)).trim_end().to_owned()
}

/// A text that means nothing within a template.
fn harmless(text: &str) -> String {
    escaped(text).replace('%', "&#37;")
}

fn with(mut value: Value, more: Value) -> Value {
    merge(&mut value, more);
    value
}
