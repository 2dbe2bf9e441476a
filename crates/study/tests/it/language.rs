//! The reference page names every kind and property of the tables.

use iopath_study::language::{KINDS, Kind, Property, Role, ValueType};

const PAGE: &str = include_str!("../../../../docs/language.md");

#[test]
fn the_reference_is_that_of_the_tables() {
    let sections = sections();
    let common = common(&sections);
    let mut reference = values();
    reference.extend(sections.iter().map(|kinds| section(kinds, &common)));
    reference += &format!("### Common properties\n\n{}", table(common));
    let stream = table(group_with("pattern").iter());
    reference += "### Stream properties\n\nOf `streams`; in `workload` their defaults.\n\n";
    reference += &stream;
    reference += "### Limits\n\nOf anything that requests cross or end at.\n\n";
    reference += &table(group_with("read-ops").iter());
    let start = PAGE.find("<!-- reference -->\n").expect("mark of the reference");
    let end = PAGE.find("<!-- end of reference -->").expect("its end");
    let page = &PAGE[start + "<!-- reference -->\n".len()..end];
    assert!(page == reference, "docs/language.md should have between its marks:\n{reference}");
}

#[test]
fn the_page_lists_the_parts_of_the_catalogue() {
    let catalogue = include_str!("../../src/catalogue.kdl");
    let names = catalogue.lines().filter_map(|line| {
        let (kind, rest) = line.trim_start().split_once(" \"")?;
        let is_kind = kind.chars().all(|c| c.is_ascii_lowercase() || c == '-');
        rest.split_once('"').map(|(name, _)| name).filter(|_| is_kind)
    });
    let names: Vec<_> = names.collect();
    assert!(names.len() > 80, "{names:?}");
    for name in names {
        assert!(PAGE.contains(&format!("`{name}`")), "docs/language.md does not list {name}");
    }
}

#[test]
fn the_studies_of_the_page_are_studies() {
    let studies: Vec<_> =
        PAGE.split("```kdl\n").filter(|block| block.starts_with("study")).collect();
    assert_eq!(studies.len(), 3);
    for block in studies {
        let text = block.split("```").next().unwrap();
        assert!(!super::cases_of(text).is_empty());
    }
}

/// Kinds with the same places and properties share a section, where the first of them stands.
fn sections() -> Vec<Vec<&'static Kind>> {
    let mut sections: Vec<Vec<&'static Kind>> = Vec::new();
    for kind in KINDS {
        let like = |other: &&mut Vec<&'static Kind>| {
            let other = other[0];
            let own = kind.all_properties().eq(other.all_properties());
            own && kind.within == other.within && kind.all_properties().next().is_some()
        };
        match sections.iter_mut().find(like) {
            Some(section) => section.push(kind),
            None => sections.push(vec![kind]),
        }
    }
    sections
}

/// Types of values but those that list theirs, with the word of the tables for each.
const VALUES: [(ValueType, &str); 15] = [
    (ValueType::Count, "count"),
    (ValueType::Seed, "number from 0"),
    (ValueType::Size, "size"),
    (ValueType::Time, "time"),
    (ValueType::Pause, "time or 0"),
    (ValueType::Rate, "rate"),
    (ValueType::ByteRate, "bytes/s"),
    (ValueType::OperationRate, "ops/s"),
    (ValueType::Share, "share"),
    (ValueType::Number, "number"),
    (ValueType::Flag, "flag"),
    (ValueType::Text, "text"),
    (ValueType::Selector, "selector"),
    (ValueType::Paths, "paths"),
    (ValueType::PropertyPath, "property path"),
];

fn values() -> String {
    let rows = VALUES.iter().map(|(takes, word)| format!("| {word} | {} |\n", takes.describe()));
    let rows: String = rows.collect();
    format!("### Values\n\n| word | takes |\n|---|---|\n{rows}\n")
}

fn word_of(takes: ValueType) -> String {
    let word = VALUES.iter().find(|(value, _)| *value == takes).map(|(_, word)| *word);
    word.map_or_else(|| takes.describe().replacen("one of ", "", 1), str::to_owned)
}

/// The group of properties that has one of this name.
fn group_with(name: &str) -> &'static [Property] {
    let mut groups = KINDS.iter().flat_map(|kind| kind.properties);
    groups.find(|group| has(group, name)).expect(name)
}

fn has(group: &[Property], name: &str) -> bool {
    group.iter().any(|property| property.name == name)
}

/// Whether a group has a section of its own.
fn is_apart(group: &[Property]) -> bool {
    has(group, "read-ops") || has(group, "pattern")
}

/// Properties of a section but those of groups that have one of their own.
fn own_properties(kinds: &[&Kind]) -> impl Iterator<Item = &'static Property> + use<> {
    let groups = kinds[0].properties.iter().copied();
    groups.filter(|group| !is_apart(group)).flatten()
}

/// Properties that are the same in at least three sections, in order.
fn common(sections: &[Vec<&'static Kind>]) -> Vec<&'static Property> {
    let of_all = || sections.iter().flat_map(|kinds| own_properties(kinds));
    let mut common: Vec<&'static Property> = Vec::new();
    for property in of_all() {
        if !common.contains(&property) && of_all().filter(|other| *other == property).count() > 2 {
            common.push(property);
        }
    }
    common
}

fn places(kind: &Kind) -> String {
    let is_component = |place: &str| Kind::named(place).is_some_and(|k| k.role == Role::Container);
    let components = KINDS.iter().filter(|kind| kind.role == Role::Container);
    let any = components.clone().all(|component| kind.within.contains(&component.name));
    let kept = kind.within.iter().filter(|place| !(any && is_component(place)));
    let mut places: Vec<_> = kept
        .map(|place| match *place {
            "" => "top level".to_owned(),
            place => format!("`{place}`"),
        })
        .collect();
    if any {
        places.push("any component".to_owned());
    }
    places.join(", ")
}

fn section(kinds: &[&Kind], common: &[&Property]) -> String {
    let names: Vec<_> = kinds.iter().map(|kind| format!("`{}`", kind.name)).collect();
    let mut section = format!("### {}\n\n", names.join(", "));
    let places = places(kinds[0]);
    match kinds {
        [kind] => section += &format!("{} Where: {places}.\n\n", kind.doc),
        _ => {
            for kind in kinds {
                section += &format!("* `{}`: {}\n", kind.name, kind.doc);
            }
            section += &format!("\nWhere: {places}.\n\n");
        }
    }
    let (shared, own): (Vec<_>, Vec<_>) =
        own_properties(kinds).partition(|property| common.contains(property));
    if !own.is_empty() {
        section += &table(own);
    }
    section + &also(&shared, kinds[0].properties)
}

/// Where the other properties of a section are.
fn also(shared: &[&Property], groups: &[&[Property]]) -> String {
    let names: Vec<_> = shared.iter().map(|property| format!("`{}`", property.name)).collect();
    let mut parts = Vec::new();
    if !names.is_empty() {
        parts.push(format!("{} ([common](#common-properties))", names.join(", ")));
    }
    let links = [
        ("pattern", "the [stream properties](#stream-properties)"),
        ("read-ops", "the [limits](#limits)"),
    ];
    for (name, link) in links {
        if groups.iter().any(|group| has(group, name)) {
            parts.push(link.to_owned());
        }
    }
    if parts.is_empty() { String::new() } else { format!("Also {}.\n\n", parts.join("; ")) }
}

/// Without a column of defaults where none has any.
fn table(rows: impl IntoIterator<Item = &'static Property>) -> String {
    let rows: Vec<_> = rows.into_iter().collect();
    let has_default = rows.iter().any(|row| row.default.is_some());
    let head = [
        "| property | takes | |\n|---|---|---|\n",
        "| property | takes | default | |\n|---|---|---|---|\n",
    ];
    let mut table = head[usize::from(has_default)].to_owned();
    for row in rows {
        let default = match row.default {
            Some(text) => format!("`{text}` | "),
            None if has_default => " | ".to_owned(),
            None => String::new(),
        };
        table += &format!("| `{}` | {} | {default}{} |\n", row.name, word_of(row.takes), row.doc);
    }
    table + "\n"
}
