//! Pages that only a server shows: the list of runs, errors, and reports with a way back.
//!
//! They work without scripts: forms ask by GET, links lead on. Addresses are relative, so that a
//! page that is saved does not hold the server's token.

use iopath_units::System;
use maud::{Markup, html};

use super::{document, has_charts, whole};
use crate::document::Document;
use crate::numbers::maybe_rate;
use crate::view::list::{ListedRun, RunColumn, RunOrder};

/// A page of the list of runs.
#[derive(Clone, Debug, PartialEq)]
pub struct Listed {
    /// In their order.
    pub runs: Vec<ListedRun>,
    /// How many match on pages before this.
    pub first: u64,
    /// How many match in all.
    pub count: u64,
    /// What was asked for.
    pub asked: RunSearch,
    /// How the runs are sorted.
    pub order: RunOrder,
    /// How else they can be.
    pub columns: Vec<SortedBy>,
    /// The units of rates.
    pub system: System,
    /// The address of the page before this one.
    pub newer: Option<String>,
    /// The address of the next one.
    pub older: Option<String>,
}

/// A column of the list, and the address of the list sorted by it.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct SortedBy {
    pub column: RunColumn,
    pub to: String,
}

/// What is searched for, as typed; empty for anything.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct RunSearch {
    /// Words in study, command or machine.
    pub text: String,
    /// Name of a technique.
    pub technique: String,
    /// How runs stand.
    pub state: String,
    /// The first day.
    pub from: String,
    /// The last day.
    pub until: String,
}

const TECHNIQUES: [&str; 4] = ["measurement", "simulation", "analytic", "observation"];
const STATES: [&str; 4] = ["finished", "unfinished", "interrupted", "failed"];

/// The report of a run, with links to where a reader may want to go: address and words.
#[must_use]
pub fn served(page: &Document, links: &[(String, &str)], nonce: &str) -> String {
    let body = html! {
        nav aria-label="Store" { @for (to, words) in links { a href=(to) { (words) } " " } }
        (whole(page))
    };
    document(&page.title, &body, has_charts(page), Some(nonce)).into_string()
}

/// Why there is no such page, with the way to the list.
#[must_use]
pub fn trouble(text: &str, top: &str, nonce: &str) -> String {
    let body = html! {
        main {
            h1 { "Nothing to show" }
            p.notice role="alert" { (text) }
            p { a href=(top) { "all runs" } }
        }
    };
    document("Nothing to show", &body, false, Some(nonce)).into_string()
}

/// The list of runs.
#[must_use]
pub fn list(listed: &Listed, nonce: &str) -> String {
    let body = html! {
        header { h1 { "Runs" } p.about { (told(listed)) } }
        main {
            (search(listed))
            @if !listed.runs.is_empty() { (rows(listed)) }
        }
    };
    document("Runs · iopath", &body, false, Some(nonce)).into_string()
}

/// How many there are, and which of them are shown.
fn told(listed: &Listed) -> String {
    let Listed { runs, first, count, asked, .. } = listed;
    let order = ordered(listed.order);
    let shown = runs.len() as u64;
    let noun = if *count == 1 { "run" } else { "runs" };
    match (*count, *asked == RunSearch::default()) {
        (0, true) => "no run is stored yet: iopath measure makes one".to_owned(),
        (0, false) => "no run is like that".to_owned(),
        _ if shown == 0 => format!("{count} {noun}: none on this page"),
        _ if shown == *count => format!("{count} {noun}, {order}"),
        _ => format!("{count} {noun}, {order}: {} to {}", first + 1, first + shown),
    }
}

/// In which order they stand, in words.
fn ordered(RunOrder { by, descends }: RunOrder) -> String {
    let name = by.name();
    match (by, descends) {
        (RunColumn::Run, true) => "newest first".to_owned(),
        (RunColumn::Run, false) => "oldest first".to_owned(),
        (RunColumn::Started, true) => "latest start first".to_owned(),
        (RunColumn::Started, false) => "earliest start first".to_owned(),
        (_, true) if by.is_text() => format!("by {name}, z to a"),
        (_, false) if by.is_text() => format!("by {name}"),
        (_, true) => format!("by {name}, greatest first"),
        (_, false) => format!("by {name}, least first"),
    }
}

fn search(Listed { asked, order, .. }: &Listed) -> Markup {
    let columns = RunColumn::ALL.map(RunColumn::name);
    html! {
        form.search method="get" action="./" role="search" {
            label { "Words in study, command or machine"
                input type="search" name="text" value=(asked.text); }
            (choice(("Technique", "technique"), &TECHNIQUES, &asked.technique))
            (choice(("State", "state"), &STATES, &asked.state))
            label { "From" input type="date" name="from" value=(asked.from); }
            label { "Until (UTC)" input type="date" name="until" value=(asked.until); }
            label { "Sorted by"
                select name="sort" {
                    @for name in columns { option selected[order.by.name() == name] { (name) } }
                }
            }
            button { "Search" }
            @if *asked != RunSearch::default() { a href="./" { "all runs" } }
        }
    }
}

fn choice((title, name): (&str, &str), words: &[&str], asked: &str) -> Markup {
    html! {
        label { (title)
            select name=(name) {
                option value="" { "any" }
                @for word in words { option selected[*word == asked] { (word) } }
            }
        }
    }
}

fn rows(listed: &Listed) -> Markup {
    html! {
        form method="get" action="compare" {
            div.wide {
                table.runs {
                    thead { (head(listed)) }
                    tbody { @for run in &listed.runs { (row(run, listed.system)) } }
                }
            }
            nav.pages aria-label="Pages" {
                button { "Compare the chosen" }
                @if let Some(to) = &listed.newer { a href=(to) rel="prev" { (turned(listed)[0]) } }
                @if let Some(to) = &listed.older { a href=(to) rel="next" { (turned(listed)[1]) } }
            }
        }
    }
}

/// What the pages before and after this one have.
fn turned(listed: &Listed) -> [&'static str; 2] {
    if listed.order == RunOrder::default() { ["newer", "older"] } else { ["before", "next"] }
}

/// Titles of columns, which sort by them.
fn head(Listed { order, columns, .. }: &Listed) -> Markup {
    let title = |column: RunColumn| match column {
        RunColumn::Started => "started (UTC)",
        other => other.name(),
    };
    let sorted = |column: RunColumn| (order.by == column).then(|| order.direction());
    html! {
        tr {
            th scope="col" {}
            @for SortedBy { column, to } in columns {
                th scope="col" aria-sort=[sorted(*column)] { a href=(to) { (title(*column)) } }
            }
            th scope="col" { "verdict" }
        }
    }
}

fn row(run: &ListedRun, system: System) -> Markup {
    let page = format!("runs/{}", run.id);
    html! {
        tr {
            td { input type="checkbox" name="runs" value=(run.id) aria-label={ "run " (run.id) }; }
            td.number { a href=(page) { (run.id) } }
            td.time { (run.started()) }
            td { a href=(page) title=(run.command) { (run.titled()) } }
            td.beside { (run.technique) }
            td.beside { (run.host) }
            td.beside.number { (run.trials) }
            td.beside.number { (run.passes) }
            td.beside.number { (maybe_rate(run.throughput_bytes_per_sec, system)) }
            td.said {
                (run.verdict)
                @if run.state == "unfinished" { " · " a href={ (page) "/live" } { "follow" } }
            }
        }
    }
}
