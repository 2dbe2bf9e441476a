//! The page of a run under way: how far it is, and throughput so far as a small drawing.
//!
//! A script asks for the page again each second and puts its main part in the place of the old one;
//! without scripts the browser loads the page anew. When the run has ended, the server leads both
//! to its report.

use iopath_units::System;
use maud::{Markup, PreEscaped, html};

use super::document;
use crate::live::{Following, Point};
use crate::numbers::rate;

const FOLLOW: &str = include_str!("follow.js");

/// Streams up to which each has its own line and row: chosen, more are not told apart.
const STREAMS: usize = 16;

/// Size of the drawing in its own units: it is stretched to the page.
const WIDTH: f64 = 1000.0;
const HEIGHT: f64 = 200.0;

/// The page of a run under way.
#[must_use]
pub fn live(of: &Following, system: System, nonce: &str) -> String {
    let body = html! {
        noscript { meta http-equiv="refresh" content="2"; }
        nav aria-label="Store" {
            a href="../../" { "all runs" }
            a href={ "../" (of.id) } { "what is stored of it" }
        }
        header { h1 { (of.title) " · run " (of.id) } p.about { "under way" } }
        main { (now(of, system)) }
        script nonce=(nonce) { (PreEscaped(FOLLOW)) }
    };
    let title = format!("{} · under way", of.title);
    document(&title, &body, false, Some(nonce)).into_string()
}

fn now(of: &Following, system: System) -> Markup {
    html! {
        p.verdict { @if let Some(now) = &of.now { (now) } @else { "no figure yet" } }
        p { (of.doing) }
        @if let Some(done) = of.done {
            p.progress {
                progress max="1" value={ (format!("{done:.4}")) } aria-label="done" {}
                @if let Some(left) = &of.left { " " (left) }
            }
        }
        @if let Some(silence) = &of.silence {
            p.notice role="note" { strong { "silence" } ": " (silence) }
        }
        @if of.points.len() > 1 { (drawing(of, system)) }
        @if (2..=STREAMS).contains(&of.streams.len()) { (streams(of, system)) }
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
    let shown = if of.streams.len() > STREAMS { 0 } else { of.streams.len() };
    html! {
        figure.live {
            figcaption {
                strong { "Throughput of this pass" }
                span.about { "0 to " (rate(most, system)) ", " (format!("{from:.0} to {to:.0} s")) }
            }
            svg viewBox={ "0 0 " (WIDTH) " " (HEIGHT) } preserveAspectRatio="none" role="img"
                aria-label="Throughput over time" {
                @for stream in 0..shown {
                    polyline.stream points=(line(&|point| stream_of(point, stream))) {}
                }
                polyline points=(line(&|point| point.bytes_per_sec)) {}
            }
        }
    }
}

fn stream_of(point: &Point, stream: usize) -> f64 {
    point.streams.get(stream).copied().unwrap_or_default()
}

/// What each stream did in the last interval.
fn streams(of: &Following, system: System) -> Markup {
    let Some(last) = of.points.last() else { return html! {} };
    html! {
        div.wide {
            table {
                thead { tr { th scope="col" { "stream" } th scope="col" { "now" } } }
                tbody {
                    @for (at, name) in of.streams.iter().enumerate() {
                        tr { td { (name) } td.number { (rate(stream_of(last, at), system)) } }
                    }
                }
            }
        }
    }
}
