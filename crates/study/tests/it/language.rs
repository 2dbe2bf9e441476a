//! The reference page names every kind and property of the tables.

use iopath_study::language::{KINDS, Kind, Property, Role};

const PAGE: &str = include_str!("../../../../docs/language.md");

#[test]
fn the_reference_is_that_of_the_tables() {
    let mut reference: String = sections().iter().map(|kinds| section(kinds)).collect();
    let limits = KINDS.iter().flat_map(|kind| kind.properties).find(|group| is_limits(group));
    reference += "### Limits\n\nOf anything that requests cross or end at.\n\n";
    reference += &table(limits.unwrap().iter());
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

fn is_limits(group: &[Property]) -> bool {
    group.iter().any(|property| property.name == "read-ops")
}

fn places(kind: &Kind) -> String {
    let is_component = |place: &str| Kind::named(place).is_some_and(|k| k.role == Role::Container);
    let components = KINDS.iter().filter(|kind| kind.role == Role::Container);
    let any = components.clone().all(|component| kind.within.contains(&component.name));
    let kept = kind.within.iter().filter(|place| !(any && is_component(place)));
    let mut places: Vec<_> = kept
        .map(|place| match *place {
            "" => "at the top of the file".to_owned(),
            place => format!("in `{place}`"),
        })
        .collect();
    if any {
        places.push("in any component".to_owned());
    }
    places.join(", ")
}

fn section(kinds: &[&Kind]) -> String {
    let names: Vec<_> = kinds.iter().map(|kind| format!("`{}`", kind.name)).collect();
    let mut section = format!("### {}\n\n", names.join(", "));
    match kinds {
        [kind] => section += &format!("{} Stands {}.\n\n", kind.doc, places(kind)),
        _ => {
            for kind in kinds {
                section += &format!("* `{}`: {}\n", kind.name, kind.doc);
            }
            section += &format!("\nEach stands {}.\n\n", places(kinds[0]));
        }
    }
    let groups = kinds[0].properties.iter();
    let own: Vec<_> = groups.clone().filter(|group| !is_limits(group)).collect();
    if !own.is_empty() {
        section += &table(own.into_iter().copied().flatten());
    }
    if groups.clone().any(|group| is_limits(group)) {
        section += "Besides: the [limits](#limits).\n\n";
    }
    section
}

fn table<'a>(rows: impl Iterator<Item = &'a Property>) -> String {
    let mut table = "| property | takes | default | |\n|---|---|---|---|\n".to_owned();
    for row in rows {
        let takes = row.takes.describe();
        let default = row.default.map(|text| format!("`{text}`")).unwrap_or_default();
        table += &format!("| `{}` | {takes} | {default} | {} |\n", row.name, row.doc);
    }
    table + "\n"
}
