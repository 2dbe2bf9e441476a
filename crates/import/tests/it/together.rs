//! Several texts on one axis.

use iopath_import::{Asked, Begin, Source, Together, Tool, import, merge};
use iopath_record::Counter;

use crate::fixtures::{FIO_PLUS, IOSTAT, IOSTAT_10, IOSTAT_ISO, told};

fn of(name: &str, text: &str, tool: Tool) -> iopath_import::Imported {
    import(tool, Source { name, text }, &told()).expect("a text that is read")
}

#[test]
fn iostat_beside_fio_lies_on_its_axis() {
    let all = [of("fio.json", FIO_PLUS, Tool::Fio), of("io.txt", IOSTAT_ISO, Tool::Iostat)];
    let record = merge(&all, &Together::default()).unwrap().remove(0);
    // iostat began in the second 00:22:46, fio's jobs ended at 50.949 and ran for 4.0 s.
    assert_eq!(record.clock.started_unix_ns, 1_795_306_966_000_000_000);
    let first = record.streams.iter().map(|stream| stream.first_issue_ns).min().unwrap();
    assert!((900_000_000..1_000_000_000).contains(&first), "{first}");
    let disks: Vec<_> = record.entities.iter().filter(|one| one.name == "vda").collect();
    assert_eq!(disks.len(), 1, "both tell of one disk");
    let reads: Vec<_> =
        record.series.iter().filter(|one| one.counter == Counter::ReadBytes).collect();
    assert_eq!(reads.len(), 1);
    assert_eq!(reads[0].missing.len(), 2, "what fio's edges are, iostat does not tell");
    let left = "fio.json: its figures of vda are left out, io.txt has more";
    assert!(record.warnings.iter().any(|warning| warning.text == left));
    assert_eq!(record.relations.len(), 3);
}

#[test]
fn times_without_a_zone_or_a_date_are_asked_for() {
    let fio = of("fio.json", FIO_PLUS, Tool::Fio);
    let local = [fio.clone(), of("io.txt", IOSTAT, Tool::Iostat)];
    let wrong = merge(&local, &Together::default()).unwrap_err();
    assert!(wrong.hint.contains("--zone"), "{wrong}");
    let none = [fio.clone(), of("io.txt", IOSTAT_10, Tool::Iostat)];
    let wrong = merge(&none, &Together::default()).unwrap_err();
    assert!(wrong.hint.contains("--begin io.txt=3s"), "{wrong}");
    let begins = vec![Begin { file: "io.txt".to_owned(), after_ns: -500_000_000 }];
    let record = merge(&none, &Together { begins, ..Together::default() }).unwrap().remove(0);
    assert_eq!(record.instants_ns[..2], [0, 500_000_000]);
    let asked = Asked { zone: Some(0), ..told() };
    let io = import(Tool::Iostat, Source { name: "io.txt", text: IOSTAT }, &asked).unwrap();
    assert!(merge(&[fio, io], &Together::default()).is_ok());
}

#[test]
fn relations_are_those_that_the_user_says() {
    let all = [of("fio.json", FIO_PLUS, Tool::Fio), of("io.txt", IOSTAT_ISO, Tool::Iostat)];
    let relates = vec!["readers[*=vda write=2".parse().unwrap()];
    let together = Together { relates, ..Together::default() };
    let record = merge(&all, &together).unwrap().remove(0);
    let doubled = record.relations.iter().filter(|one| one.write_copies_ppm == 2_000_000);
    assert_eq!((doubled.count(), record.relations.len()), (2, 3));
    let relates = vec!["vol=vda".parse().unwrap()];
    let wrong = merge(&all, &Together { relates, ..Together::default() }).unwrap_err();
    assert!(wrong.to_string().contains("\"vol\" matches nothing"), "{wrong}");
}
