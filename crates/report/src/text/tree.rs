//! A path drawn as a tree, a line for each declaration: what it is, how many, what limits it and
//! who says so. Nothing is computed here: the tree is `path`'s, and so are its notes.

use iopath_path::tree::{Node, Property, Tree};
use iopath_study::source::Origin;
use iopath_study::value::Value;
use iopath_units::{Human, System};

use crate::look::{Look, Tone};
use crate::view::tree::NamedTree;
use crate::wrap::{harmless, wrap};

/// Columns that names take at most before what is said of them: chosen.
const WIDEST: usize = 36;

/// One declaration with the lines that lead to it.
struct Line {
    name: String,
    said: String,
}

/// Trees as text; what an earlier one has too is only named.
#[must_use]
pub fn render_trees(trees: &[NamedTree], look: &Look) -> String {
    let each = (0..trees.len()).map(|index| {
        let title = match trees.len() {
            1 => String::new(),
            _ => {
                let title = harmless(&trees[index].experiment);
                format!("{}\n", look.paint(Tone::Verdict, &title))
            }
        };
        format!("{title}{}", render(&trees[..index], &trees[index].tree, look))
    });
    each.collect::<Vec<_>>().join("\n\n")
}

/// A part of a tree, with its title.
type Block = (&'static str, fn(&Tree) -> &[Node]);

const BLOCKS: [Block; 4] = [
    ("path", |tree| &tree.path),
    ("layout", |tree| &tree.layout),
    ("joined by", |tree| &tree.joints),
    ("streams", |tree| &tree.streams),
];

fn render(before: &[NamedTree], tree: &Tree, look: &Look) -> String {
    let blocks = BLOCKS.iter().filter(|(_, of)| !of(tree).is_empty());
    let each = blocks.map(|(title, of)| {
        if let Some(same) = before.iter().find(|other| of(&other.tree) == of(tree)) {
            return format!("{title}: as in {}", harmless(&same.experiment));
        }
        let mut lines = Vec::new();
        for node in of(tree) {
            lines.push(line(node, "", look.system));
            grow(&node.children, "", &mut lines, look.system);
        }
        format!("{title}\n{}", aligned(&lines, look))
    });
    each.collect::<Vec<_>>().join("\n")
}

fn grow(children: &[Node], prefix: &str, lines: &mut Vec<Line>, system: System) {
    for (index, child) in children.iter().enumerate() {
        let is_last = index + 1 == children.len();
        let (branch, below) = if is_last { ("└─ ", "   ") } else { ("├─ ", "│  ") };
        lines.push(line(child, &format!("{prefix}{branch}"), system));
        grow(&child.children, &format!("{prefix}{below}"), lines, system);
    }
}

fn line(node: &Node, prefix: &str, system: System) -> Line {
    let own = if node.name == node.kind || node.name.is_empty() {
        node.kind.to_owned()
    } else {
        format!("{} {}", node.kind, node.name)
    };
    let count = match (node.each, node.total) {
        (1, 1) => String::new(),
        (each, total) if each == total => format!(" ×{each}"),
        (1, total) => format!(" ({total})"),
        (each, total) => format!(" ×{each} ({total})"),
    };
    let properties = properties(&node.properties, system);
    let notes = node.notes.iter().map(|note| harmless(note));
    let said: Vec<String> = properties.into_iter().chain(notes).collect();
    Line { name: harmless(&format!("{prefix}{own}{count}")), said: said.join(", ") }
}

/// "read, write 1.332 GB/s (given)": neighbours with one value are said together.
fn properties(all: &[Property], system: System) -> Vec<String> {
    let mut said: Vec<(Vec<&str>, String)> = Vec::new();
    // Capacities first: they are what a path is drawn for.
    let is_rate = |property: &&Property| matches!(property.value, Value::Rate(_));
    let (rates, others): (Vec<_>, Vec<_>) = all.iter().partition(is_rate);
    for property in rates.into_iter().chain(others) {
        let value = format!("{}{}", value(&property.value, system), origin(&property.origin));
        match said.iter_mut().find(|(_, other)| is_rate(&property) && *other == value) {
            Some((names, _)) => names.push(property.name),
            None => said.push((vec![property.name], value)),
        }
    }
    said.into_iter().map(|(names, value)| format!("{} {value}", names.join("+"))).collect()
}

/// A quantity as people read it, anything else as it is written.
fn value(value: &Value, system: System) -> String {
    use iopath_study::case::Rate;
    match value {
        Value::Rate(Rate::Bytes(rate)) => rate.human(system),
        Value::Rate(Rate::Operations(rate)) => rate.human(system),
        Value::Time(time) => time.human(system),
        other => harmless(other.to_string().trim_matches('"')),
    }
}

fn origin(origin: &Origin) -> String {
    match origin {
        Origin::Unstated => String::new(),
        Origin::Given => " (given)".to_owned(),
        Origin::Rated => " (rated)".to_owned(),
        Origin::Assumed => " (assumed)".to_owned(),
        Origin::Inferred(inference) => format!(" ({})", harmless(&inference.to_string())),
        Origin::Published(source) => format!(" ({})", harmless(source)),
    }
}

/// Names in one column, what is said of them in another, later lines below it.
fn aligned(lines: &[Line], look: &Look) -> String {
    let widths = lines.iter().map(|line| line.name.chars().count());
    let column = widths.filter(|width| *width <= WIDEST).max().unwrap_or_default() + 4;
    let width = Look::sentence_width(look.width);
    let room = width.saturating_sub(u16::try_from(column).unwrap_or(u16::MAX)).max(30);
    let each = lines.iter().map(|line| {
        let said = wrap(&line.said, 0, room);
        let said = said.replace('\n', &format!("\n{}", " ".repeat(column)));
        let gap = column.saturating_sub(line.name.chars().count() + 2).max(2);
        format!("  {}{}{said}", line.name, " ".repeat(gap)).trim_end().to_owned()
    });
    each.collect::<Vec<_>>().join("\n")
}
