//! The page of a run under way: how far it is, and throughput so far as a small drawing.
//!
//! A script asks for the page again each second and puts its parts in the place of the old ones;
//! without scripts the browser loads the page anew. When the run has ended, the server leads both
//! to its report.

use iopath_units::System;
use maud::{Markup, PreEscaped, html};

use super::document;
use crate::numbers::{maybe_rate, rate};
use crate::view::following::{Following, Point, STREAMS};

const FOLLOW: &str = include_str!("follow.js");

/// Size of the drawing in its own units: it is stretched to the page.
const WIDTH: f64 = 1000.0;
const HEIGHT: f64 = 200.0;

/// The page of a run under way.
#[must_use]
pub fn live(of: &Following, system: System, nonce: &str) -> String {
    let run = format!("run {}", of.id);
    let title = of.title.as_ref().map_or_else(|| run.clone(), |title| format!("{title} · {run}"));
    let body = html! {
        noscript { meta http-equiv="refresh" content="2"; }
        nav aria-label="Store" {
            a href="../../" { "all runs" }
            a href={ "../" (of.id) } { "stored data" }
        }
        header { h1 { (title) } p.about { "under way" } }
        main { (now(of, system)) }
        script nonce=(nonce) { (PreEscaped(FOLLOW)) }
    };
    let title = format!("{title} · under way");
    document(&title, &body, false, Some(nonce)).into_string()
}

fn now(of: &Following, system: System) -> Markup {
    html! {
        p.verdict { @if let Some(now) = &of.now { (now) } @else { "no figure yet" } }
        p { (of.doing) }
        @if let Some(done) = of.done {
            p.progress {
                progress max="1" value={ (format!("{done:.4}")) } aria-label="done" {}
                @if let Some(left) = &of.left { span.time { (left) } }
            }
        }
        @if let Some(silence) = &of.silence {
            p.notice role="note" { strong { "silence" } ": " (silence) }
        }
        @if of.points.len() > 1 { (drawing(of, system)) }
        (tables(of, system))
    }
}

/// Throughput over the time of the pass: the sum as a thick line, streams as thin ones.
fn drawing(of: &Following, system: System) -> Markup {
    let most = of.points.iter().map(|point| point.bytes_per_sec).fold(1.0, f64::max);
    let (from, to) = (of.points[0].at_s, of.points[of.points.len() - 1].at_s);
    let line = |value: &dyn Fn(&Point) -> f64| -> String {
        let place = |point: &Point| {
            let x = (point.at_s - from) / (to - from).max(1e-9) * WIDTH;
            format!("{x:.1},{:.1} ", HEIGHT * (1.0 - value(point) / most))
        };
        of.points.iter().map(place).collect()
    };
    let each = 2..=STREAMS;
    let shown = if each.contains(&of.streams.len()) { of.streams.len() } else { 0 };
    html! {
        figure.live {
            figcaption {
                strong { "Throughput of this pass" }
                span.about { "up to " (rate(most, system)) }
            }
            svg viewBox={ "0 0 " (WIDTH) " " (HEIGHT) } preserveAspectRatio="none" role="img"
                aria-label="Throughput over time" {
                @for stream in 0..shown {
                    polyline.stream points=(line(&|point| stream_of(point, stream))) {}
                }
                polyline points=(line(&|point| point.bytes_per_sec)) {}
            }
            p.hint.ends {
                span { (format!("{from:.0} s")) }
                @if shown > 0 { span { "thick: all streams together; thin: each of them" } }
                span { (format!("{to:.0} s")) }
            }
        }
    }
}

fn stream_of(point: &Point, stream: usize) -> f64 {
    point.streams.get(stream).copied().unwrap_or_default()
}

/// What each stream and device did in the last interval.
fn tables(of: &Following, system: System) -> Markup {
    let Some(last) = of.points.last() else { return html! {} };
    let stream = |(at, name): (usize, &String)| {
        (name.clone(), maybe_rate(last.streams.get(at).copied(), system))
    };
    let streams: Vec<_> = match (2..=STREAMS).contains(&of.streams.len()) {
        true => of.streams.iter().enumerate().map(stream).collect(),
        false => Vec::new(),
    };
    let devices = of.devices.iter();
    let devices: Vec<_> =
        devices.map(|device| (device.name.clone(), maybe_rate(device.now(), system))).collect();
    html! {
        @if let Some(spread) = of.spread(system) { p { (spread) } }
        div.beside-one-another {
            @if !streams.is_empty() { div.wide { (table(("streams", "streams"), &streams)) } }
            @if !devices.is_empty() {
                div.wide { (table(("devices", &of.device_title()), &devices)) }
            }
        }
    }
}

fn table((class, title): (&str, &str), rows: &[(String, String)]) -> Markup {
    html! {
        table class=(class) {
            thead { tr { th scope="col" { (title) } th.number scope="col" { "now" } } }
            tbody { @for (name, now) in rows { tr { td { (name) } td.number { (now) } } } }
        }
    }
}
