//! Pages that only a server shows: the list of runs, errors, and reports with a way back.
//!
//! They work without scripts: forms ask by GET, links lead on. Addresses are relative, so that a
//! page that is saved does not hold the server's token.

use maud::{Markup, html};

use super::{document, has_charts, whole};
use crate::document::Document;
use crate::view::list::ListedRun;

/// A page of the list of runs.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Listed {
    /// Newest first.
    pub runs: Vec<ListedRun>,
    /// How many newer ones match, on pages before this.
    pub first: u64,
    /// How many match in all.
    pub count: u64,
    /// What was asked for.
    pub asked: RunSearch,
    /// The address of the page before this one.
    pub newer: Option<String>,
    /// The address of the next one.
    pub older: Option<String>,
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
            (search(&listed.asked))
            @if !listed.runs.is_empty() { (rows(listed)) }
        }
    };
    document("Runs · iopath", &body, false, Some(nonce)).into_string()
}

/// How many there are, and which of them are shown.
fn told(listed: &Listed) -> String {
    let Listed { runs, first, count, asked, .. } = listed;
    let shown = runs.len() as u64;
    let noun = if *count == 1 { "run" } else { "runs" };
    match (*count, *asked == RunSearch::default()) {
        (0, true) => "no run is stored yet: iopath measure makes one".to_owned(),
        (0, false) => "no run is like that".to_owned(),
        _ if shown == 0 => format!("{count} {noun}: none on this page"),
        _ if shown == *count => format!("{count} {noun}, newest first"),
        _ => format!("{count} {noun}, newest first: {} to {}", first + 1, first + shown),
    }
}

fn search(asked: &RunSearch) -> Markup {
    html! {
        form.search method="get" action="./" role="search" {
            label { "Words in study, command or machine"
                input type="search" name="text" value=(asked.text); }
            (choice(("Technique", "technique"), &TECHNIQUES, &asked.technique))
            (choice(("State", "state"), &STATES, &asked.state))
            label { "From" input type="date" name="from" value=(asked.from); }
            label { "Until (UTC)" input type="date" name="until" value=(asked.until); }
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
    let head = [
        "",
        "run",
        "started (UTC)",
        "study",
        "technique",
        "machine",
        "trials",
        "passes",
        "verdict",
    ];
    html! {
        form method="get" action="compare" {
            div.wide {
                table.runs {
                    thead { tr { @for cell in head { th scope="col" { (cell) } } } }
                    tbody { @for run in &listed.runs { (row(run)) } }
                }
            }
            nav.pages aria-label="Pages" {
                button { "Compare the chosen" }
                @if let Some(to) = &listed.newer { a href=(to) rel="prev" { "newer" } }
                @if let Some(to) = &listed.older { a href=(to) rel="next" { "older" } }
            }
        }
    }
}

fn row(run: &ListedRun) -> Markup {
    let page = format!("runs/{}", run.id);
    let study = if run.study.is_empty() { &run.command } else { &run.study };
    html! {
        tr {
            td { input type="checkbox" name="runs" value=(run.id) aria-label={ "run " (run.id) }; }
            td.number { a href=(page) { (run.id) } }
            td.time { (run.started()) }
            td { a href=(page) title=(run.command) { (study) } }
            td.beside { (run.technique) }
            td.beside { (run.host) }
            td.beside.number { (run.trials) }
            td.beside.number { (run.passes) }
            td.said {
                (run.verdict)
                @if run.state == "unfinished" { " · " a href={ (page) "/live" } { "follow" } }
            }
        }
    }
}
