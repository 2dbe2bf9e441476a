//! One case of several: what every section shows of it, and the list in which a reader chooses it,
//! one for a page or for each run on it.
//!
//! The first case of the list is open. The others are templates, which the browser neither lays out
//! nor draws, large ones packed as data are; the page's script puts the chosen one in the place of
//! the open one, and writes it into the address as `#case=N`, N being the number of its trial.
//! Without scripts the list is not there, and a note says how to see the others.

use maud::{Markup, PreEscaped, html};

use super::block;
use crate::document::{Block, Case, Section};
use crate::html::data::packed_from;

/// Bytes of a case from which on it is packed: chosen. Markup takes a sixth then.
const LARGE: usize = 48 << 10;

/// Each case of a section.
pub(super) fn cases(cases: &[Case]) -> Markup {
    html! {
        div.cases {
            @for (at, case) in cases.iter().enumerate() {
                @if at == 0 {
                    div data-case=(case.trial) { (shown(case)) }
                } @else {
                    (other(case))
                }
            }
        }
    }
}

fn other(case: &Case) -> Markup {
    let shown = shown(case);
    html! {
        @if let Some(packed) = packed_from(LARGE, &shown.0) {
            script type="application/gzip" data-case=(case.trial) { (PreEscaped(packed)) }
        } @else {
            template data-case=(case.trial) { (shown) }
        }
    }
}

fn shown(case: &Case) -> Markup {
    html! {
        @for one in &case.blocks { (block(one)) }
        @if case.blocks.is_empty() { p.hint { "Nothing to show of " (case.title) "." } }
    }
}

/// The list, before the first section that has cases; its name is its word in the address.
pub(in crate::html) fn list(name: &str, cases: &[Case]) -> Markup {
    html! {
        div.choice {
            label hidden {
                "case "
                select name=(name) autocomplete="off" {
                    @for case in cases { option value=(case.trial) { (case.title) } }
                }
            }
            noscript {
                p.hint {
                    "Choosing one of the other " (cases.len().saturating_sub(1))
                    " cases needs scripts; " code { "iopath show --full" } " prints all."
                }
            }
        }
    }
}

/// The cases of a section: those that the list names, as all sections have the same.
pub(in crate::html) fn of(section: &Section) -> Option<&[Case]> {
    section.blocks.iter().find_map(|block| match block {
        Block::Cases(cases) => Some(cases.as_slice()),
        _ => None,
    })
}
