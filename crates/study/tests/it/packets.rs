//! What a link carries by the packets on it: as stated, of the catalogue, changed, and in the text
//! of a case.

use iopath_study::{Case, PartId};

use super::cases_with;

fn cases(port: &str, sets: &[&str]) -> Vec<Case> {
    let text = format!(
        "study \"x\"\npath {{ host \"h\" {{ root-port \"p\" {port} {{ nvme count=2 }} }} }}\n\
         workload {{ streams \"r\" over=\"h..nvme\" block=\"1 MiB\" }}"
    );
    cases_with(&text, sets)
}

fn of(case: &Case, name: &str) -> (Option<u64>, Option<u64>, String) {
    let system = &case.system;
    let part = system.parts.iter().position(|part| part.name == name).map(PartId).unwrap();
    let rate = |way| system.byte_rate(part, way).map(|rate| rate.0);
    let origin = system.value(part, "read").map(|read| read.origin.to_string());
    (rate("read"), rate("write"), origin.unwrap_or_default())
}

#[test]
fn a_link_carries_the_data_of_its_packets() {
    let own = "link-rate=(\"a book\")\"2 GB/s\" ";
    for (port, expected) in [
        // 2 GB/s x 128 / 152.
        ("payload=\"128 B\" overhead=\"24 B\"", (1_684_211_000, 1_684_211_000, ", 128/152")),
        // Writes: x 64 / 84.
        (
            "payload=\"128 B\" overhead=\"24 B\" write-payload=\"64 B\" write-overhead=\"20 B\"",
            (1_684_211_000, 1_523_810_000, ", 128/152"),
        ),
        // Nobody knows the packets.
        ("payload=\"128 B\"", (2_000_000_000, 2_000_000_000, "")),
        ("", (2_000_000_000, 2_000_000_000, "")),
        (
            "payload=(assumed)\"128 B\" overhead=\"24 B\"",
            (1_684_211_000, 1_684_211_000, ", 128/152 (assumed)"),
        ),
        // What is stated is a rate of data.
        (
            "payload=\"128 B\" overhead=\"24 B\" write=\"1.2 GB/s\"",
            (1_684_211_000, 1_200_000_000, ", 128/152"),
        ),
    ] {
        let (read, write, origin) = expected;
        let expected = (Some(read), Some(write), format!("(\"a book{origin}\")"));
        assert_eq!(of(&cases(&format!("{own}{port}"), &[])[0], "h.p"), expected, "{port}");
    }
    assert_eq!(of(&cases("payload=\"128 B\" overhead=\"24 B\"", &[])[0], "h.p").0, None);
}

#[test]
fn a_part_of_the_catalogue_takes_another_payload() {
    let read = |port: &str| of(&cases(port, &[])[0], "h.p");
    assert_eq!(
        read("use=\"pcie2-x4\""),
        (Some(1_828_571_000), Some(1_828_571_000), "(\"5 GT/s, 8b/10b, 256/280\")".to_owned())
    );
    assert_eq!(
        read("use=\"pcie2-x4\" payload=\"128 B\""),
        (Some(1_684_211_000), Some(1_684_211_000), "(\"5 GT/s, 8b/10b, 128/152\")".to_owned())
    );
    // A measured rate goes before; what the part would carry is kept as its rating.
    let case = &cases("use=\"pcie2-x4\" write=\"1.9 GB/s\"", &[])[0];
    assert_eq!(of(case, "h.p").1, Some(1_900_000_000));
    let rated = &case.system.declarations[1].rated["write"];
    assert_eq!(rated.value.to_string(), "\"1828571 kB/s\"");
}

/// What the catalogue carried before payloads were parameters, to its last digit.
#[test]
fn links_of_the_catalogue_carry_what_their_arithmetic_says() {
    for (part, kilobytes) in [
        ("fc-8g", 826_519),
        ("fc-64g", 6_612_155),
        ("pcie1-x1", 228_571),
        ("pcie3-x4", 3_600_879),
        ("pcie4-x16", 28_807_033),
        ("pcie5-x16", 57_614_066),
        ("pcie6-x16", 111_058_824),
        ("sas-12g-x4", 4_636_981),
        ("sas-24g-x8", 18_547_925),
        ("eth-1g", 123_755),
        ("eth-400g", 49_502_102),
        // 12.5 GB/s x 4096 / 4122, and / 4178.
        ("ib-edr", 12_421_155),
        ("roce-100g", 12_254_667),
    ] {
        let (read, write, _) = of(&cases(&format!("use=\"{part}\""), &[])[0], "h.p");
        assert_eq!((read, write), (Some(kilobytes * 1000), read), "{part}");
    }
}

#[test]
fn a_payload_can_be_assigned_and_varied() {
    let text = "study \"x\"\npath { host \"h\" { root-port \"p\" count=2 use=\"pcie2-x4\" { nvme \
    } } }\n\
         workload { streams \"r\" over=\"h..nvme\" block=\"1 MiB\" }\n\
         vary { factor \"payload\" of=\"h.p.payload\" \"128 B\" \"512 B\" }";
    let cases = cases_with(text, &[]);
    let read: Vec<_> = cases.iter().map(|case| of(case, "h.p[0]").0).collect();
    assert_eq!(read, [Some(1_684_211_000), Some(1_910_448_000)]);
    let plain = text.lines().take(3).collect::<Vec<_>>().join("\n");
    let one = &cases_with(&plain, &["h.p[1].payload=128 B"])[0];
    assert_eq!(of(one, "h.p[0]").0, Some(1_828_571_000));
    assert_eq!(of(one, "h.p[1]").0, Some(1_684_211_000));
}

#[test]
fn the_text_of_a_case_keeps_packets() {
    for (port, sets) in [
        ("use=\"pcie2-x4\" payload=\"128 B\"", &[][..]),
        ("use=\"dmi2-x4\" write=(given)\"1.2 GB/s\"", &[]),
        ("count=2 use=\"pcie4-x4\" write-payload=\"64 B\"", &["h.p[1].payload=512 B"]),
    ] {
        for case in cases(port, sets) {
            assert_eq!(cases_with(&case.text, &[]), [case], "{port}");
        }
    }
}
