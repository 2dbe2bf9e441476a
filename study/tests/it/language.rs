//! The reference page names every kind and property of the tables.

use iopath_study::language::KINDS;

const PAGE: &str = include_str!("../../../docs/language.md");

#[test]
fn the_reference_is_that_of_the_tables() {
    let reference: String = KINDS.iter().map(section).collect();
    let start = PAGE.find("<!-- reference -->\n").expect("mark of the reference");
    let end = PAGE.find("<!-- end of reference -->").expect("its end");
    let page = &PAGE[start + "<!-- reference -->\n".len()..end];
    assert!(page == reference, "docs/language.md should have between its marks:\n{reference}");
}

#[test]
fn the_studies_of_the_page_are_studies() {
    let studies: Vec<_> =
        PAGE.split("```kdl\n").filter(|block| block.starts_with("study")).collect();
    assert_eq!(studies.len(), 2);
    for block in studies {
        let text = block.split("```").next().unwrap();
        assert!(!super::cases_of(text).is_empty());
    }
}

fn section(kind: &iopath_study::language::Kind) -> String {
    let places = kind.within.iter().map(|place| match *place {
        "" => "at the top of the file".to_owned(),
        place => format!("in `{place}`"),
    });
    let places = places.collect::<Vec<_>>().join(", ");
    let mut section = format!("### `{}`\n\n{} Stands {places}.\n\n", kind.name, kind.doc);
    let mut rows = kind.all_properties().peekable();
    if rows.peek().is_some() {
        section += "| property | takes | default | |\n|---|---|---|---|\n";
    }
    for row in rows.by_ref() {
        let takes = row.takes.describe();
        let default = row.default.map(|text| format!("`{text}`")).unwrap_or_default();
        section += &format!("| `{}` | {takes} | {default} | {} |\n", row.name, row.doc);
    }
    let gap = if kind.all_properties().next().is_some() { "\n" } else { "" };
    section + gap
}
