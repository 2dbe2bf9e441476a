//! `iopath place`: the p690 as it was planned from any placement of its adapters and cables, each
//! kind of placement on a small path, and what cannot be placed.

use serde_json::Value;

use crate::program::Program;
use crate::shape;

const P690: &str = include_str!("../../../../studies/templates/p690-placement.kdl");

/// One planar with four pairs of controllers, half a switch and half its backplane.
const PLANAR: [&str; 14] = [
    "--set",
    "p690.drawer.count=1",
    "--set",
    "p690.drawer.planar.count=1",
    "--set",
    "fastt.count=4",
    "--set",
    "san.count=1",
    "--set",
    "san.both=800MB/s",
    "--set",
    "hosts.to=san.asic[0].port",
    "--set",
    "storage.to=san.asic[1].port",
];

fn with(text: &str) -> Program {
    let program = Program::in_memory();
    program.write("s.kdl", text);
    program
}

fn placed(program: &Program, words: &[&str]) -> Value {
    let words = ["place", "s.kdl", "--json"].iter().chain(words);
    let placing = program.run(words).done().json();
    shape::placed(&placing);
    placing
}

fn throughput(case: &Value) -> f64 {
    case["prediction"]["throughput_bytes_per_sec"].as_f64().unwrap()
}

/// What moves in each move: `what from to`.
fn moves(placing: &Value) -> Vec<String> {
    let moves = placing["moves"].as_array().unwrap().iter();
    let moved = moves.flat_map(|one| one["moved"].as_array().unwrap());
    let word = |thing: &Value, key: &str| thing[key].as_str().unwrap().to_owned();
    moved.map(|one| ["what", "from", "to"].map(|key| word(one, key)).join(" ")).collect()
}

fn near(value: f64, expected: f64) -> bool {
    (value - expected).abs() < expected * 1e-4
}

/// 3 + 3 + 2 adapters and every conversation within one ASIC, from a hundred placements of a
/// hundred.
#[test]
fn the_p690_is_placed_as_it_was_planned_from_every_start() {
    let words: Vec<&str> =
        PLANAR.into_iter().chain(["--starts", "100", "-o", "best.kdl"]).collect();
    let program = with(P690);
    let placing = placed(&program, &words);
    assert!(near(throughput(&placing["today"]), 8e8), "{}", placing["today"]);
    assert!(near(throughput(&placing["best"]), 1.2e9), "{}", placing["best"]);
    assert_eq!((&placing["starts"], &placing["reached"]), (&100.into(), &100.into()));
    let counts = placing["placeable"][0]["counts"].as_array().unwrap();
    let best: Vec<u64> = counts.iter().map(|count| count["best"].as_u64().unwrap()).collect();
    assert_eq!(best, [3, 3, 2]);
    let text = std::fs::read_to_string(program.path("best.kdl")).unwrap();
    let wired = |name: &str| -> Vec<String> {
        let line = text.lines().find(|line| line.contains(name)).unwrap();
        let ports = line.split_once("to=\"").unwrap().1.split(", ");
        ports.map(|port| port.split(".port").next().unwrap().to_owned()).collect()
    };
    assert_eq!(wired("wire \"hosts\""), wired("wire \"storage\""));
    let predicted = program.json("predict best.kdl");
    assert_eq!(throughput(&predicted["cases"][0]), throughput(&placing["best"]));
    let again = program.json("place best.kdl");
    assert_eq!(again["moves"], serde_json::json!([]));
}

/// Each move carries no less than those before, and says what it is worth.
#[test]
fn moves_are_in_the_order_of_what_they_gain() {
    let program = with(P690);
    let placing = placed(&program, &PLANAR);
    let moves = placing["moves"].as_array().unwrap();
    let after: Vec<f64> =
        moves.iter().map(|one| one["throughput_bytes_per_sec"].as_f64().unwrap()).collect();
    assert!(after.is_sorted(), "{after:?}");
    assert_eq!(moves.last().unwrap()["effect"], "closer");
    let gaining = moves.iter().filter(|one| one["effect"] == "gains").count();
    assert!(moves.len() == 5 && (2..5).contains(&gaining), "{moves:?}");
    let words = ["place", "s.kdl"].into_iter().chain(PLANAR);
    let told = program.run(words).done().stdout;
    let told = told.split_whitespace().collect::<Vec<_>>().join(" ");
    for expected in [
        "from 800.0 MB/s to 1.200 GB/s: bottleneck san (800.0 MB/s) today",
        "10 of 10 random starts reached it",
        "swap the cables of p690.drawer.planar.link0.phb1.hba[0] in san.asic[0].port[0] and",
        "move one hba from p690.drawer.planar.link1.phb3 to p690.drawer.planar.link0.phb1",
        "nothing more, but fewer conversations leave their ASIC or switch",
    ] {
        assert!(told.contains(expected), "{expected}: {told}");
    }
}

/// A box of two controllers of 1 GB/s, each with its own kind of what is in it.
fn with_box(first: &str, second: &str, layout: &str, load: &str) -> String {
    format!(
        "study \"box\"\n\
         path {{\n\
             host \"server\" cpus=8 {{\n\
                 cost use=\"free\"\n\
                 hba count=2 read=\"4 GB/s\" write=\"4 GB/s\"\n\
             }}\n\
             switch \"fabric\"\n\
             array \"box\" {{\n\
                 controller \"a\" read=\"1 GB/s\" write=\"1 GB/s\" {{ port; {first} }}\n\
                 controller \"b\" read=\"1 GB/s\" write=\"1 GB/s\" {{ port; {second} }}\n\
             }}\n\
             wire from=\"server.hba\" to=\"fabric\"\n\
             wire from=\"box..port\" to=\"fabric\"\n\
             multipath policy=\"owner\"\n\
         }}\n\
         layout {{ {layout} }}\n\
         workload {{ streams \"r\" over={load} block=\"1 MiB\" depth=8 }}\n"
    )
}

/// Four volumes of 400 MB/s are three of one controller and one of the other.
#[test]
fn volumes_go_to_the_controller_that_has_less() {
    let volume = "raid \"lun\" count=3 level=0 read=\"400 MB/s\" { disk count=2 }";
    let other = volume.replace("count=3", "count=1");
    let placing = placed(&with(&with_box(volume, &other, "", "\"box..lun\"")), &[]);
    assert_eq!(placing["placeable"][0]["kind"], "owners");
    assert!(near(throughput(&placing["best"]), 1.6e9), "{placing}");
    assert_eq!(moves(&placing), ["lun box.a box.b"]);
}

/// Both sides of a mirror are volumes of one controller.
#[test]
fn sides_of_a_mirror_go_to_two_controllers() {
    let volume = "raid \"lun\" count=4 level=0 { disk count=2 }";
    let text = with_box(
        volume,
        volume,
        "mirror \"m\" { side of=\"box.a.lun[0]\"; side of=\"box.a.lun[1]\" }",
        "\"m\" op=\"write\"",
    );
    let text = text.replace("controller \"a\"", "controller \"c\" count=2");
    let text =
        text.replace("box.a.lun[0]", "box.c[0].lun[0]").replace("box.a.lun[1]", "box.c[0].lun[1]");
    let placing = placed(&with(&text), &[]);
    assert_eq!(placing["placeable"][0]["kind"], "halves");
    assert!(near(throughput(&placing["today"]), 5e8), "{placing}");
    assert!(near(throughput(&placing["best"]), 1e9), "{placing}");
    assert_eq!(moves(&placing).len(), 1);
}

/// The drives are at the other socket, and 2 GB/s pass between the two.
#[test]
fn streams_go_to_the_socket_of_their_drives() {
    let text = "study \"sockets\"\n\
        path {\n\
            host \"server\" cpus=8 both=\"2 GB/s\" {\n\
                cost use=\"free\"\n\
                socket \"near\" { nvme count=4 read=\"1 GB/s\" }\n\
                socket \"far\"\n\
            }\n\
        }\n\
        workload {\n\
            streams \"r\" over=\"server..nvme\" on=\"server.far\" block=\"1 MiB\" depth=8\n\
        }\n";
    let program = with(text);
    let placing = placed(&program, &[]);
    assert!(near(throughput(&placing["today"]), 2e9), "{placing}");
    assert!(near(throughput(&placing["best"]), 4e9), "{placing}");
    assert_eq!(moves(&placing), ["r server.far server.near"]);
    let told = program.line("place s.kdl").done().stdout;
    assert!(told.contains("run r on server.near instead of server.far"), "{told}");
}

/// Two virtual disks have one node of 1 GB/s, and the other has nothing to do.
#[test]
fn volumes_go_to_the_node_that_has_nothing_to_do() {
    let text = "study \"nodes\"\n\
        path {\n\
            host \"server\" cpus=8 { cost use=\"free\"; hba count=2 }\n\
            switch \"fabric\"\n\
            array \"pair\" { controller \"node\" count=2 read=\"1 GB/s\" { port } }\n\
            array \"back\" count=2 { controller { port; raid \"lun\" level=0 { disk count=4 } } }\n\
            wire from=\"server.hba\" to=\"fabric\"\n\
            wire from=\"pair.node.port\" to=\"fabric\"\n\
            wire from=\"back.controller.port\" to=\"fabric\"\n\
        }\n\
        layout {\n\
            stripe \"hot\" unit=\"1 MiB\" at=\"pair.node[0]\" over=\"back[0]..lun\"\n\
            stripe \"warm\" unit=\"1 MiB\" at=\"pair.node[0]\" over=\"back[1]..lun\"\n\
        }\n\
        workload { streams \"r\" over=\"hot, warm\" block=\"1 MiB\" depth=8 }\n";
    let placing = placed(&with(text), &[]);
    assert_eq!(placing["placeable"][0]["kind"], "nodes");
    assert!(near(throughput(&placing["today"]), 1e9), "{placing}");
    assert!(near(throughput(&placing["best"]), 2e9), "{placing}");
    assert_eq!(moves(&placing), ["hot pair.node[0] pair.node[1]"]);
}

#[test]
fn mistakes_say_what_to_write() {
    let program = with(P690);
    let fixed = "study \"s\"\npath { host \"h\" { nvme } }\n\
                 workload { streams \"a\" over=\"h.nvme\" block=\"4 KiB\" }";
    program.write("none.kdl", fixed);
    let unrated = "study \"s\"\npath { host \"h\" { socket count=2 { part \"p\" } } }\n\
                   workload { streams \"a\" over=\"h..p\" on=\"h.socket[0]\" block=\"4 KiB\" }";
    program.write("unrated.kdl", unrated);
    program.write("two.kdl", include_str!("../../../../studies/p690.kdl"));
    for (words, expected) in [
        ("place none.kdl", "nothing of this study can be placed elsewhere"),
        ("place unrated.kdl", "the path has no rated component"),
        ("place two.kdl", "choose an experiment with --case: "),
        ("place two.kdl --case cabling", "choose one case:\n  --case \"cabling=LEVEL\""),
        ("place s.kdl --case wrong", "no case matches \"wrong\"; available: "),
        ("place s.kdl --root .", "--root is for the placement of a machine: leave the study out"),
        ("place --seed 3", "--seed is for the placement of a study: name one"),
    ] {
        let told = program.line(words);
        assert!(told.stderr.contains(expected), "{words}: {}", told.stderr);
    }
}

/// All hosts on the ASIC of the links to the other switch, with which every conversation is.
#[test]
fn an_asic_with_links_to_another_switch_is_no_equal_of_one_without() {
    let program = with(
        r#"study "links"
path {
    switch "s" both=(given)"1000 MB/s" {
        asic count=2 { port "f" count=8 both=(given)"2 GB/s"; port "isl" count=4 both=(given)"2 GB/s" }
    }
    switch "t" both=(given)"8 GB/s" {
        asic { port "f" count=4 both=(given)"2 GB/s"; port "isl" count=4 both=(given)"2 GB/s" }
    }
    host "h" count=4 { hba both=(given)"1 GB/s" }
    array "a" count=4 { port both=(given)"1 GB/s" { part "lun" } }
    wire from="s.asic[0].isl" to="t.asic.isl"
    wire from="h.hba" to="s.asic[1].f[0-3]"
    wire from="a.port" to="t"
}
workload { streams "app" on="h" over="a..lun" op="read" block="1 MiB" depth=4 }
"#,
    );
    let found = placed(&program, &["--starts", "3"]);
    assert!(throughput(&found["best"]) > 1.5 * throughput(&found["today"]), "{}", found["best"]);
    let moved = moves(&found);
    assert!(moved.iter().all(|one| one.contains("s.asic[0]")), "{moved:?}");
}
