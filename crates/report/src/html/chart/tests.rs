//! Charts as plotly takes them.

use iopath_units::System;

use super::*;

fn figure(traces: Vec<Trace>) -> Figure {
    let columns = vec![Column::numbers("time_s", vec![0.0]), Column::numbers("a_ns", vec![1.0])];
    let (x, y) = (Axis::seconds("time"), Axis::ns("latency", &columns[1..]));
    let (id, title, guide) = ("a".to_owned(), "A".to_owned(), String::new());
    Figure { id, title, guide, columns, chart: Chart { x, y, traces, shades: Vec::new() } }
}

#[test]
fn many_thin_lines_leave_a_legend_for_those_that_have_a_name() {
    let thin = |_| Trace::plain("one", Mark::Thin, 0, 1);
    let mut traces: Vec<Trace> = (0..64).map(thin).collect();
    assert_eq!(chart(&figure(traces.clone()))["layout"]["showlegend"], false);
    traces.extend(["slowest", "fastest"].map(|name| Trace::plain(name, Mark::Line, 0, 1)));
    let made = chart(&figure(traces));
    assert_eq!(made["layout"]["showlegend"], true);
    assert_eq!(made["data"][64]["line"]["color"], "var(--color-0)", "thin ones take no colour");
    assert_eq!(made["data"][0]["showlegend"], false);
}

#[test]
fn no_name_is_markup_or_a_template() {
    let hostile = "<b>%{x}</b>";
    let mut made = figure(vec![Trace::plain(hostile, Mark::Line, 0, 1)]);
    made.chart.x.title = hostile.to_owned();
    made.chart.traces[0].text = Some(0);
    let made = chart(&made);
    let trace = &made["data"][0];
    assert_eq!(trace["name"], "&lt;b&gt;%{x}&lt;/b&gt;");
    let template = trace["hovertemplate"].as_str().unwrap();
    assert!(template.contains("&lt;b&gt;&#37;{x}&lt;/b&gt;: %{x} s"), "{template}");
    assert_eq!(made["layout"]["xaxis"]["title"]["text"], "&lt;b&gt;%{x}&lt;/b&gt; (s)");
}

#[test]
fn a_map_has_a_bar_of_colours_that_says_what_is_counted() {
    let mark = Mark::Heat { z: 1, counts: "requests" };
    let made = chart(&figure(vec![Trace::plain("", mark, 0, 1)]));
    let trace = &made["data"][0];
    assert_eq!(trace["colorbar"]["title"]["text"], "requests");
    assert_eq!(trace["colorbar"]["ticktext"][3], "1k");
    assert_eq!(trace["z"], json!({ "column": 1, "per": 1.0, "log": true }));
    let template = trace["hovertemplate"].as_str().unwrap();
    assert_eq!(
        template,
        "time: %{x:.4g} s<br>latency: %{y:.3g} ns<br>%{text} requests<extra></extra>"
    );
}

#[test]
fn the_bar_of_a_map_of_values_has_labels_with_their_unit() {
    let mark = Mark::Map { z: 1, system: System::Decimal };
    let mut made = figure(vec![Trace::plain("", mark, 0, 1)]);
    made.columns[1] = Column::numbers("throughput_bytes_per_sec", vec![14e9, 2e9]);
    let made = chart(&made);
    let trace = &made["data"][0];
    // Plotly writes 14 before it.
    assert_eq!(trace["colorbar"]["ticksuffix"], " GB/s");
    assert_eq!(trace["z"], json!({ "column": 1, "per": 1e9 }));
    assert!(trace["hovertemplate"].as_str().unwrap().ends_with("%{z:.4g} GB/s<extra></extra>"));
}

#[test]
fn equal_dots_of_two_traces_are_both_seen() {
    let dots = |name: &str| Trace::plain(name, Mark::Dots, 0, 1);
    let made = chart(&figure(vec![dots("analytic"), dots("simulated")]));
    let symbol = |at: usize| made["data"][at]["marker"]["symbol"].as_str().unwrap().to_owned();
    assert_eq!((symbol(0), symbol(1)), ("circle".to_owned(), "square-open".to_owned()));
}

#[test]
fn names_on_an_axis_stay_names_also_where_they_are_digits() {
    let mut made = figure(vec![Trace::plain("", Mark::Bars, 0, 1)]);
    made.columns[0] = Column::texts("depth", vec!["32".to_owned()]);
    assert_eq!(chart(&made)["layout"]["xaxis"]["type"], "category");
}

#[test]
fn labels_of_an_axis_stand_at_their_places_in_its_unit() {
    let mut made = figure(vec![Trace::plain("", Mark::Line, 0, 1)]);
    let ticks = vec![(2000.0, "2 µs".to_owned())];
    made.chart.y = Axis { per: 1000.0, ..Axis::plain("latency", "µs") }.labelled(ticks);
    let axis = &chart(&made)["layout"]["yaxis"];
    assert_eq!((&axis["tickvals"][0], &axis["ticktext"][0]), (&json!(2.0), &json!("2 µs")));
}
