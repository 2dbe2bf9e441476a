//! The tree of a path and what there is of everything.

use iopath_path::{Capacity, Node, Tree, tree};
use iopath_study::{Case, Source, parse};

fn cases(text: &str) -> Vec<Case> {
    let source = Source { name: "t.kdl".into(), text: text.into() };
    let study = parse(&source, &[]).unwrap_or_else(|mistakes| panic!("{mistakes}"));
    study.cases().unwrap_or_else(|mistakes| panic!("{mistakes}"))
}

/// The nodes as indented lines.
fn lines(tree: &Tree) -> Vec<String> {
    fn add(nodes: &[Node], depth: usize, lines: &mut Vec<String>) {
        for node in nodes {
            let said = node.properties.iter();
            let said: Vec<String> =
                said.map(|property| format!(" {}={}", property.name, property.value)).collect();
            let (indent, notes) = ("  ".repeat(depth), node.notes.join("; "));
            let Node { kind, name, each, total, .. } = node;
            let line = format!("{indent}{kind} {name} {each}/{total}{} {notes}", said.concat());
            lines.push(line.trim_end().to_owned());
            add(&node.children, depth + 1, lines);
        }
    }
    let mut all = Vec::new();
    for nodes in [&tree.path, &tree.layout, &tree.joints, &tree.streams] {
        add(nodes, 0, &mut all);
    }
    all
}

const SMALL: &str = r#"study "t"
path {
    host "h" cpus=8 { hba count=2 { port read=(given)"195 MB/s" price=100 rack-units=0.5 } }
    array "a" count=2 {
        controller count=2 {
            port
            raid "lun" level=5 segment="256 KiB" spares=1 read="150 MB/s" { disk count=6 size="36 GB" }
        }
    }
    wire "left" from="h.hba.port" to="a[0].controller.port" latency="1 us"
    multipath most=4
}
layout {
    mirror "m" { side of="a[0]..lun"; side of="a[1]..lun" }
    stripe "vol" unit="1 MiB" over="m"
}
set "a[1].controller[0].lun.read"="75 MB/s"
workload time="1 s" { streams "r" count=3 over="vol" block="1 MiB" depth=2 op="write" pattern="random" }
"#;

#[test]
fn a_tree_has_a_node_for_each_declaration_and_for_what_differs() {
    let case = cases(SMALL).remove(0);
    let expected = [
        "host h 1/1 cpus=8",
        "  hba hba 2/2",
        "    port port 1/2 price=100 rack-units=0.5 read=\"195 MB/s\"",
        "  cost cost 1/1 copy=\"4484 MB/s\" parity=\"1225 MB/s\" request=\"2310 ns\"",
        "array a 2/2",
        "  controller controller 2/4",
        "    port port 1/4",
        "    raid lun 1/4 level=5 read=\"150 MB/s\" segment=\"256 KiB\" spares=1 4+P × 256 KiB = \
         1 MiB a stripe; room for 144.0 GB",
        "      disk disk 6/24 size=\"36 GB\"",
        "    raid a[1].controller[0].lun 1/1 read=\"75 MB/s\" differs from the others",
        "mirror m 2/2 a[0].controller.lun with a[1].controller.lun; room for 144.0 GB",
        "stripe vol 1/1 unit=\"1 MiB\" over m (2); 2 members × 1 MiB = 2 MiB a row; room for \
         288.0 GB",
        "wire left 2/2 latency=\"1 us\" h.hba.port to a[0].controller.port",
        "multipath  1/1 policy=\"round-robin\" most=4",
        "streams r 3/3 block=\"1 MiB\" depth=2 writes random; over vol",
    ];
    let tree = tree(&case);
    assert_eq!(lines(&tree), expected);
    assert_eq!(tree.size(), expected.len());
}

#[test]
fn the_p690_takes_no_more_than_forty_lines() {
    for case in cases(include_str!("../../../../studies/p690.kdl")) {
        let tree = tree(&case);
        assert!(tree.size() <= 32, "{}", lines(&tree).join("\n"));
    }
}

#[test]
fn bytes_under_several_volumes_count_once() {
    let capacity = Capacity::of(&cases(SMALL)[0].system);
    assert_eq!(capacity.raw_bytes, 24 * 36_000_000_000);
    assert_eq!(capacity.usable_bytes, Some(288_000_000_000));
    let facts = capacity.facts();
    let fact = |name: &str| facts.get(name).map(String::as_str);
    assert_eq!(fact("capacity.raw-bytes"), Some("864000000000"));
    assert_eq!(fact("capacity.usable-bytes"), Some("288000000000"));
    assert_eq!(fact("parts.disk"), Some("24"));
    assert_eq!(fact("parts.hba"), Some("2"));
    assert_eq!(fact("parts.price"), Some("200"));
    assert_eq!(fact("parts.rack-units"), Some("1"));
    assert_eq!(fact("capacity.media-without-size"), None);
}

/// The usable bytes of a host's disks of 1 TB under a layout, in TB.
fn usable(path: &str, layout: &str) -> Option<u64> {
    let text = format!(
        "study \"t\"\npath {{ host \"h\" {{ {path} }} }}\nlayout {{ {layout}\nfile \"f\" size=\"1 \
         MiB\" }}\nworkload time=\"1 s\" {{ streams \"r\" over=\"f\" block=\"4 KiB\" }}\n"
    );
    let bytes = Capacity::of(&cases(&text)[0].system).usable_bytes?;
    assert_eq!(bytes % 1_000_000_000_000, 0, "{bytes}");
    Some(bytes / 1_000_000_000_000)
}

#[test]
fn redundancy_takes_its_share() {
    let raid = |level: u32, disks: u32| {
        format!("raid level={level} {{ disk count={disks} size=\"1 TB\" }}")
    };
    for (level, disks, expected) in
        [(0, 6, 6), (1, 2, 1), (5, 6, 5), (6, 6, 4), (10, 6, 3), (50, 6, 4), (60, 8, 4)]
    {
        assert_eq!(usable(&raid(level, disks), ""), Some(expected), "level {level}");
    }
    assert_eq!(usable("raid level=5 spares=1 { disk count=6 size=\"1 TB\" }", ""), Some(4));
    assert_eq!(usable("disk count=6", ""), None);
    let disks = "disk \"d\" count=6 size=\"1 TB\"";
    assert_eq!(usable(disks, ""), Some(6));
    let two = "stripe \"one\" count=2 over=\"h.d[0-3]\"";
    assert_eq!(usable(disks, two), Some(6), "two volumes on four disks, and two more disks");
    let copies = |from: [usize; 3]| {
        let sides = from.map(|at| format!("side of=\"h.disk[{at}]\""));
        format!("mirror \"m{}\" {{ {} }}", from[0], sides.join("; "))
    };
    let three = [[0, 1, 2], [1, 2, 0], [2, 0, 1]].map(copies).join("\n");
    let three_disks = "disk count=3 size=\"1 TB\"";
    assert_eq!(usable(three_disks, &three), Some(1), "three mirrors over the same disks");
    let raids = r#"raid "a" level=6 over="h.d"; raid "b" level=6 over="h.d""#;
    assert_eq!(usable(disks, raids), Some(4), "two RAID 6 over the same disks");
    let best = r#"raid "a" level=6 over="h.d"; stripe "b" unit="64 KiB" over="h.d""#;
    assert_eq!(usable(disks, best), Some(6), "a stripe holds the most");
    let files = r#"file "g" count=2 size="1 TB"; stripe "s" unit="64 KiB" over="g""#;
    assert_eq!(usable("", files), Some(2), "files hold data, too");
    let mirror = "mirror \"m\" { side of=\"h.d[0-2]\"; side of=\"h.d[3-5]\" }";
    assert_eq!(usable(disks, mirror), Some(3));
    assert_eq!(usable(disks, &format!("{mirror}\nstripe \"top\" over=\"m\"")), Some(3));
    let unequal = "disk \"d\" count=3 size=\"1 TB\"\ndisk \"e\" size=\"2 TB\"";
    assert_eq!(usable(unequal, "stripe \"s\" over=\"h.d, h.e\""), Some(4));
    assert_eq!(usable(unequal, "concat \"s\" over=\"h.d, h.e\""), Some(5));
    let nested =
        "raid \"r\" count=2 level=5 { disk count=3 size=\"1 TB\" }\ndisk \"d\" size=\"1 TB\"";
    assert_eq!(usable(nested, "stripe \"s\" over=\"h.r, h.d\""), Some(3));
}

#[test]
fn a_disk_beside_the_volumes_of_an_array_waits_for_a_failure() {
    let text = r#"study "t"
path {
    host "h" { hba }
    array "a" { raid level=5 { disk count=3 size="1 TB" }; disk "spare" size="1 TB" }
    wire from="h.hba" to="a"
}
workload time="1 s" { streams "r" over="a.raid" block="4 KiB" }
"#;
    let capacity = Capacity::of(&cases(text)[0].system);
    assert_eq!(
        (capacity.raw_bytes, capacity.usable_bytes),
        (4_000_000_000_000, Some(2_000_000_000_000))
    );
}
