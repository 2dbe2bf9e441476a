//! The picture of a path in a page: SVG that any parser reads, with names that stay texts.

use iopath_record::Record;
use iopath_report::compose;
use iopath_report::html;
use iopath_units::System;

use crate::page::reported;
use crate::path::Path;

fn page(record: Record) -> String {
    let mut page = compose::whole(&reported(vec![record]), System::Decimal);
    page.sections.retain(|section| section.id == "path");
    html::render(&page)
}

fn drawing(page: &str) -> &str {
    let from = page.find("<svg").expect("the page has a picture");
    let to = page.find("</svg>").expect("which ends");
    &page[from..to + "</svg>".len()]
}

fn texts(document: &roxmltree::Document<'_>) -> Vec<String> {
    let texts = document.descendants().filter(|node| node.has_tag_name(SVG_TEXT));
    texts.filter_map(|node| node.text().map(str::to_owned)).collect()
}

const SVG_TEXT: (&str, &str) = ("http://www.w3.org/2000/svg", "text");
const SVG_TITLE: (&str, &str) = ("http://www.w3.org/2000/svg", "title");

#[test]
fn the_picture_says_in_text_what_its_colours_say() {
    let page = page(Path::new("rates", 1332).record);
    let document = roxmltree::Document::parse(drawing(&page)).unwrap();
    let texts = texts(&document);
    for wanted in ["LIMIT", "full 100 %", "×14", "×42", "18.65 GB/s", "reader"] {
        assert!(texts.iter().any(|text| text == wanted), "{wanted} in {texts:#?}");
    }
    assert_eq!(texts.iter().filter(|text| *text == "LIMIT").count(), 1);
    let links = document.descendants().filter_map(|node| node.attribute("href"));
    for link in links {
        let row = format!("id=\"{}\"", link.trim_start_matches('#'));
        assert!(page.contains(&row), "{link} leads to a row of the page");
    }
    // No chart: such a page needs no library, and the picture no script.
    assert!(!page.contains("text/plain"));
}

#[test]
fn what_did_nothing_is_counted_where_there_is_some() {
    let notes = |record: Record| -> Vec<String> {
        let page = page(record);
        let document = roxmltree::Document::parse(drawing(&page)).unwrap();
        texts(&document).into_iter().filter(|text| text.ends_with(" idle")).collect()
    };
    let mut record = Path::new("rates", 1332).record;
    assert_eq!(notes(record.clone()), ["1 idle"], "the spare");
    record.entities.pop();
    assert_eq!(notes(record.clone()), [] as [&str; 0]);
    let is_hba = |at: u32| record.entities[at as usize].kind == iopath_record::Kind::Hba;
    let hbas: Vec<u32> = (0..record.entities.len() as u32).filter(|at| is_hba(*at)).collect();
    record.series.retain(|series| !hbas[..2].contains(&series.entity.0));
    assert_eq!(notes(record), ["2 idle"]);
}

#[test]
fn a_name_stays_a_text_and_in_its_box_whatever_it_is() {
    let mut record = Path::new("</svg><script>alert(1)</script>", 1332).record;
    let long = "W".repeat(300);
    let evil =
        ["<script>alert(2)</script>", "\"quoted' & more", "😀😀😀😀😀😀😀😀😀😀😀😀", &long, "]]>"];
    for (at, entity) in record.entities.iter_mut().enumerate() {
        entity.name = format!("{}{at}", evil[at % evil.len()]);
    }
    let page = page(record);
    let picture = drawing(&page);
    assert!(!picture.contains("<script"), "{picture}");
    assert_eq!(page.matches("<script").count(), 2, "the data of the picture, and our own");
    let document = roxmltree::Document::parse(picture).unwrap();
    let titles = document.descendants().filter(|node| node.has_tag_name(SVG_TITLE));
    let titles: Vec<&str> = titles.filter_map(|node| node.text()).collect();
    assert!(titles.iter().any(|title| title.starts_with(&long)), "names are in full in titles");
    assert!(texts(&document).iter().all(|text| text.chars().count() <= 40));
}

#[test]
fn data_of_the_picture_are_columns_for_csv() {
    let page = page(Path::new("rates", 1332).record);
    let from = page.find("application/json\">").unwrap() + "application/json\">".len();
    let to = from + page[from..].find("</script>").unwrap();
    let data: serde_json::Value = serde_json::from_str(&page[from..to]).unwrap();
    let columns = data["columns"].as_array().unwrap();
    let lengths: Vec<usize> =
        columns.iter().map(|one| one["values"].as_array().unwrap().len()).collect();
    assert!(lengths.iter().all(|length| *length == lengths[0] && *length >= 63), "{lengths:?}");
    assert!(columns.iter().any(|one| one["name"] == "throughput_bytes_per_sec"));
}
