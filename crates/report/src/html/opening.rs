//! Answer and picture of the path on one screen: where a page shows one case, a slim picture stands
//! next to verdict, limit and warnings, a wide one below the verdict. On a narrow screen, where a
//! slim one has no room there, it comes after them. Pages of several cases open with their curves.

use maud::{Markup, html};

use super::diagram::is_slim;
use super::section;
use crate::document::{Block, Section};

/// Where the picture is among the sections of a page that opens with it.
#[derive(Clone, Copy)]
pub(super) struct Opening {
    pub path: usize,
    is_slim: bool,
}

/// The picture of the only case; none where there are several, or the answer is not before it.
pub(super) fn of(all: &[Section]) -> Option<Opening> {
    let answer = all.first().filter(|section| section.id == "verdict")?;
    let path = all.iter().position(|section| section.id == "path")?;
    let is_one = answer.blocks.iter().filter(|block| matches!(block, Block::Verdict(_))).count();
    match &all[path].blocks[..] {
        [Block::Diagram(diagram)] if is_one == 1 => {
            Some(Opening { path, is_slim: is_slim(diagram) })
        }
        _ => None,
    }
}

/// The sections up to the picture, with it among them or next to them.
pub(super) fn laid(front: &[(String, &Section)], opening: Opening) -> Markup {
    let Some(((anchor, path), answer)) = front.split_last() else { return html! {} };
    let picture = section(anchor, path);
    let answer = answer.iter().map(|(anchor, one)| section(anchor, one));
    html! {
        @if opening.is_slim {
            div.opening {
                div { @for one in answer { (one) } }
                (picture)
            }
        } @else {
            @for (at, one) in answer.enumerate() {
                (one)
                @if at == 0 { (picture) }
            }
        }
    }
}
