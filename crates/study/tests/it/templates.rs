//! Templates: factors as choices of what to build, ranges of counts, slots, spare ends of wires.

use iopath_study::experiment::Belongs;
use iopath_study::{Asked, MistakeKind, Mistakes, Source, Study, parse_asked};

fn study(path: &str, vary: &str, is_template: bool) -> Result<Study, Mistakes> {
    let text = format!(
        "study \"s\"\npath {{\n{path}\n}}\n\
         workload {{ streams \"app\" over=\"server..drive\" block=\"4 KiB\" }}\nvary {{\n{vary}\n}}"
    );
    let source = Source { name: "study.kdl".into(), text };
    parse_asked(&source, &[], Asked { is_template, ..Asked::default() })
}

const SERVER: &str = "host \"server\" { hba { nvme \"drive\" } }";

#[test]
fn a_range_of_counts_is_each_of_them() {
    let study =
        study(SERVER, "factor \"n\" of=\"server.hba.count\" 1 \"3 .. 6\" 9", false).unwrap();
    let levels = study.experiments[0].factors[0].levels.iter();
    let levels: Vec<&str> = levels.map(iopath_study::vary::Level::title).collect();
    assert_eq!(levels, ["1", "3", "4", "5", "6", "9"]);
    let counts = study.cases().unwrap().into_iter().map(|case| case.targets.len());
    assert_eq!(counts.collect::<Vec<_>>(), [1, 3, 4, 5, 6, 9]);
}

#[test]
fn a_range_rises_and_may_be_of_one_count() {
    let vary = |range: &str| format!("factor \"n\" of=\"server.hba.count\" \"{range}\"");
    let one = study(SERVER, &vary("4 .. 4"), false).unwrap();
    assert_eq!(one.experiments[0].factors[0].levels.len(), 1);
    for (range, expected) in [
        ("6 .. 3", "a range rises: write \"3 .. 6\""),
        ("1 .. 20000", "a range has at most 10000 counts"),
    ] {
        let wrong = study(SERVER, &vary(range), false).unwrap_err().to_string();
        assert!(wrong.contains(expected), "{wrong}");
    }
}

#[test]
fn what_is_no_range_of_counts_is_no_count() {
    for text in ["1 ..", "a .. b"] {
        let vary = format!("factor \"n\" of=\"server.hba.count\" \"{text}\"");
        let mistakes = study(SERVER, &vary, false).unwrap_err().to_string();
        assert!(mistakes.contains("is not a whole number"), "{text}: {mistakes}");
    }
}

const BOX: &str = "host \"server\" { enclosure slots=4 { nvme \"drive\" } }";

#[test]
fn more_than_the_slots_is_a_limit() {
    let vary = "factor \"n\" of=\"server.enclosure.drive.count\" \"1 .. 6\"";
    let mistakes = study(BOX, vary, false).unwrap_err();
    let text = mistakes.to_string();
    assert!(text.contains("server.enclosure has 4 slots for 5 components"), "{text}");
    let template = study(BOX, vary, true).unwrap();
    let experiment = &template.experiments[0];
    assert_eq!(template.case_at(experiment, &[3]).unwrap().targets.len(), 4);
    let beyond = template.case_at(experiment, &[4]).unwrap_err();
    assert_eq!(beyond.list.iter().map(|one| one.kind).collect::<Vec<_>>(), [MistakeKind::Limit]);
}

#[test]
fn a_template_may_have_very_many_cases_and_is_wrong_where_both_ends_are() {
    let counts = ["1 .. 1000", "1 .. 1000"];
    let of = ["server.count", "server.hba.count"];
    let factor = |(of, counts): (&str, &str)| format!("factor \"{of}\" of=\"{of}\" \"{counts}\"\n");
    let vary: String = of.into_iter().zip(counts).map(factor).collect();
    assert!(study(SERVER, &vary, false).unwrap_err().to_string().contains("at most 100000"));
    let template = study(SERVER, &vary, true).unwrap();
    assert_eq!(template.experiments[0].case_count(), 1_000_000);
    let wrong = "host \"server\" slots=1 { hba count=2 { nvme \"drive\" } }";
    let mistakes =
        study(wrong, "factor \"n\" of=\"server.hba.drive.count\" 1 2", true).unwrap_err();
    assert!(mistakes.to_string().contains("1 slot for 2"), "{mistakes}");
}

#[test]
fn ends_of_wires_may_stay_free() {
    let path = |wire: &str| {
        format!(
            "host \"server\" {{ hba {{ port }} }}\nswitch \"san\" {{ port count=4 }}\n\
             array \"box\" {{ nvme \"drive\" }}\n\
             wire from=\"server.hba.port\" to=\"san.port\" {wire}\n\
             wire from=\"box\" to=\"san\""
        )
    };
    let vary = "factor \"n\" of=\"server.hba.count\" 2 4 5";
    let text = study(&path(""), vary, false).unwrap_err().to_string();
    assert!(text.contains("wires 2 ends"), "{text}");
    let text = study(&path("spare=#true"), vary, false).unwrap_err().to_string();
    assert!(!text.contains("wires 2 ends") && text.contains("wires 5 ends"), "{text}");
}

#[test]
fn what_there_is_follows_the_levels() {
    let path = "host \"server\" price=10 { hba price=2.5 watts=3 { nvme \"drive\" count=2 } }";
    let study = study(path, "factor \"n\" of=\"server.hba.count\" 1 3", true).unwrap();
    let items = study.experiments[0].inventory(&[1]);
    let names: Vec<_> = items.iter().map(|item| (&*item.name, item.parent, item.count)).collect();
    assert_eq!(
        names,
        [("server", None, 1), ("server.hba", Some(0), 3), ("server.hba.drive", Some(1), 2)]
    );
    assert_eq!(items[1].price.map(|price| price.0), Some(2_500_000));
    assert_eq!(items[1].watts.map(|watts| watts.0), Some(3_000_000));
}

#[test]
fn the_stated_level_of_a_factor_is_what_holds_without_it() {
    let vary = "factor \"block\" of=\"app.block\" \"64 KiB\" \"4096 B\"\n\
                factor \"hosts\" of=\"server.count\" 2 3\n\
                factor \"drives\" { level \"as built\"; level \"more\" server.hba.drive.count=4 }";
    let study = study(SERVER, vary, false).unwrap();
    assert_eq!(study.stated_levels(&study.experiments[0]), [Some(1), None, Some(0)]);
}

#[test]
fn a_property_belongs_to_the_load_a_volume_a_file_system_or_the_path() {
    let text = "study \"s\"\npath { host \"h\" { nvme \"d\" count=2 } }\n\
                layout { stripe \"v\" unit=\"64 KiB\" over=\"h.d\"\n\
                filesystem \"fs\" on=\"v\"\nfile \"f\" on=\"fs\" size=\"1 GiB\" }\n\
                workload { streams \"app\" over=\"f\" block=\"4 KiB\" }";
    let source = Source { name: "study.kdl".into(), text: text.into() };
    let study = parse_asked(&source, &[], Asked::default()).unwrap();
    let of = |path| study.experiments[0].belongs_to(path);
    assert_eq!(of("app.block"), Some(Belongs::Load));
    assert_eq!(of("workload.cache"), Some(Belongs::Load));
    assert_eq!(of("v.unit"), Some(Belongs::Volume));
    assert_eq!(of("fs.cache"), Some(Belongs::FileSystem));
    assert_eq!(of("h.d[1].count"), Some(Belongs::Path));
    assert_eq!(of("f.size"), Some(Belongs::Volume));
    assert_eq!(of("nothing.count"), None);
    let factor =
        "factor \"both\" { level \"as it is\"; level \"other\" app.depth=2 server.hba.count=2 }";
    let both = self::study(SERVER, factor, false).unwrap();
    let experiment = &both.experiments[0];
    assert_eq!(experiment.changed_by(&experiment.factors[0]), Some(Belongs::Path));
}
