//! A document as lines for a terminal or a file, which knows nothing of it but its width.
//!
//! The first section is the answer and needs no heading; others stand below theirs, indented by
//! two. Folds, and all cases but the first, are left out unless everything is asked for; charts are
//! the page's.

mod table;
mod tree;

use crate::document::{AdviceText, Block, Case, Document, Notice, Section};
use crate::look::{Detail, Look, Tone};
use crate::watch;
use crate::wrap::{harmless, wrap};

pub use tree::render_trees;

/// The document as text, whose lines fit the width as far as its words do.
#[must_use]
pub fn render(document: &Document, detail: Detail, look: &Look) -> String {
    let printer = Printer { detail, look };
    let mut all = vec![printer.sections(&document.sections, true)];
    all.extend(document.parts.iter().map(|part| {
        let sections = printer.sections(&part.sections, true);
        match part.title.is_empty() {
            true => format!("\n{sections}"),
            false => format!("\n{}\n{sections}", look.paint(Tone::Verdict, &part.title)),
        }
    }));
    all.retain(|text| !text.trim().is_empty());
    format!("{}\n", all.join("\n\n").trim_start_matches('\n'))
}

/// The same below its title and what is said of where it comes from.
#[must_use]
pub fn render_titled(document: &Document, detail: Detail, look: &Look) -> String {
    let title = look.paint(Tone::Verdict, &wrap(&document.title, 0, look.width));
    let about = wrap(&document.about, 0, look.width);
    format!("{title}\n{about}\n\n{}", render(document, detail, look))
}

/// How much is printed, and how it looks.
struct Printer<'a> {
    detail: Detail,
    look: &'a Look,
}

impl Printer<'_> {
    /// Sections with a blank line between them; the first without a heading where it is the answer.
    fn sections(&self, sections: &[Section], has_answer: bool) -> String {
        let each = sections.iter().enumerate().map(|(at, section)| {
            let is_answer = has_answer && at == 0;
            let has_title = !is_answer && !section.title.is_empty();
            let body = self.blocks(&section.blocks, if has_title { 2 } else { 0 });
            match !has_title || body.is_empty() {
                true => body,
                false => format!("{}\n{body}", wrap(&section.title, 0, self.look.width)),
            }
        });
        each.filter(|text| !text.is_empty()).collect::<Vec<_>>().join("\n\n")
    }

    /// Blocks below one another; a blank line goes before what begins something new.
    fn blocks(&self, blocks: &[Block], indent: usize) -> String {
        let mut text = String::new();
        let mut before: Option<&Block> = None;
        for block in blocks {
            let own = self.block(block, indent);
            if own.is_empty() {
                continue;
            }
            if let Some(before) = before {
                text.push_str(if is_new(before, block) { "\n\n" } else { "\n" });
            }
            text.push_str(&own);
            before = Some(block);
        }
        text
    }

    fn block(&self, block: &Block, indent: usize) -> String {
        let look = self.look;
        let wrapped = |text: &str| wrap(text, indent, look.width);
        match block {
            Block::Verdict(text) => look.paint(Tone::Verdict, &wrap(text, 0, look.width)),
            Block::Text(text) => wrapped(text),
            Block::Lines(lines) => each(lines, |line| wrap(line, 2, look.width)),
            Block::Commands(all) => each(all, |command| format!("  $ {}", harmless(command))),
            Block::Verbatim(text) => {
                let margin = " ".repeat(indent);
                format!("{margin}{}", harmless(text).replace('\n', &format!("\n{margin}")))
            }
            Block::Trees(trees) => render_trees(trees, look),
            Block::Notice(notice) => self.notice(notice, indent),
            Block::Table(table) => table::titled(table, indent, look.width),
            Block::Diagram(diagram) => table::titled(&diagram.table, indent, look.width),
            Block::Advice(all) => advice(all, look),
            Block::Watched(stored) => watch::stored(stored, look),
            Block::Fold(title, blocks) if self.detail == Detail::Full => {
                let body = self.blocks(blocks, 2);
                if body.is_empty() { body } else { format!("{}\n{body}", wrapped(title)) }
            }
            Block::Cases(cases) => self.cases(cases, indent),
            Block::Tiles(_) | Block::Figure(_) | Block::Fold(..) => String::new(),
        }
    }

    /// The first case that has something to show; the others below their titles.
    fn cases(&self, cases: &[Case], indent: usize) -> String {
        let mut cases = cases.iter().filter(|case| !case.blocks.is_empty());
        let first = cases.next().map(|case| self.blocks(&case.blocks, indent)).unwrap_or_default();
        let others = cases.filter(|_| self.detail == Detail::Full).map(|case| {
            let title = wrap(&case.title, indent, self.look.width);
            format!("{title}\n{}", self.blocks(&case.blocks, 2))
        });
        std::iter::once(first).chain(others).collect::<Vec<_>>().join("\n\n")
    }

    fn notice(&self, Notice { tone, what, text }: &Notice, indent: usize) -> String {
        let said = if what.is_empty() { text.clone() } else { format!("{what}: {text}") };
        self.look.paint(*tone, &wrap(&said, indent, self.look.width))
    }
}

/// Whether a block begins something new, after the one before it.
fn is_new(before: &Block, block: &Block) -> bool {
    match (before, block) {
        (Block::Verdict(_), Block::Verdict(_)) => false,
        (_, Block::Verdict(_) | Block::Fold(..) | Block::Watched(_)) => true,
        (_, Block::Trees(_)) | (Block::Trees(_) | Block::Verbatim(_), _) => true,
        (Block::Verdict(_), other) => !matches!(other, Block::Lines(_)),
        (_, Block::Table(_) | Block::Diagram(_) | Block::Cases(_)) => true,
        _ => false,
    }
}

fn each(lines: &[String], of: impl Fn(&String) -> String) -> String {
    lines.iter().map(of).collect::<Vec<_>>().join("\n")
}

fn advice(all: &[AdviceText], look: &Look) -> String {
    let numbered = (1..).zip(all).map(|(number, advice)| one(number, advice, look));
    numbered.collect::<Vec<_>>().join("\n")
}

fn one(number: usize, advice: &AdviceText, look: &Look) -> String {
    let AdviceText { what, commands, undo, .. } = advice;
    let mut lines = vec![wrap(&format!("{number}. {what}"), 2, look.width)];
    // A command is not broken: it is there to be copied.
    lines.extend(commands.iter().map(|command| format!("     $ {command}")));
    let facts = advice.facts().map(|(word, text)| format!("{word}: {text}"));
    lines.extend(facts.map(|fact| wrap(&fact, 5, look.width)));
    lines.extend(undo.iter().map(|command| format!("     undo: $ {command}")));
    lines.join("\n")
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::document::Table;
    use crate::look::Color;
    use iopath_units::System;

    fn text(blocks: Vec<Block>, detail: Detail) -> String {
        let look = Look { width: 60, system: System::Decimal, color: Color::Never };
        let first =
            Section { blocks: vec![Block::Verdict("fast".to_owned())], ..Section::default() };
        let second = Section { title: "path".to_owned(), blocks, id: "path" };
        let sections = vec![first, second];
        render(&Document { sections, ..Document::default() }, detail, &look)
    }

    #[test]
    fn the_answer_has_no_heading_and_others_stand_below_theirs() {
        let table = Table::of(&["sda", "sdb"]).column("what", |name| (*name).to_owned()).done();
        let blocks = vec![Block::Table(table), Block::Lines(vec!["both idle".to_owned()])];
        assert_eq!(
            text(blocks, Detail::Brief),
            "fast\n\npath\n  what\n  sda\n  sdb\n  both idle\n"
        );
    }

    #[test]
    fn a_fold_opens_where_everything_is_asked_for() {
        let fold = || vec![Block::Fold("more".to_owned(), vec![Block::Text("all".to_owned())])];
        assert_eq!(text(fold(), Detail::Brief), "fast\n");
        assert_eq!(text(fold(), Detail::Full), "fast\n\npath\n  more\n  all\n");
    }
}
