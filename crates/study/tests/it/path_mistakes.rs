//! Wrong paths and layouts: every mistake at its line, none twice, none hiding another, however
//! many instances a declaration stands for and however many cases there are.

use iopath_study::Source;

use super::read_with;

/// A sound study; rows replace lines of it.
const SOUND: &str = r#"study "s"
parts { hba "fc" use="fc-2g" read=(given)"195 MB/s" }
path {
    host "server" cpus=8 { hba count=4 use="fc" }
    switch "san" { asic count=2 { port count=4 } }
    array "box" { controller count=2 { port count=2; raid "lun" count=3 level=5 { disk count=5 } } }
    wire "hosts" from="server.hba" to="san.asic.port[0-1]"
    wire "storage" from="box..port" to="san.asic.port[2-3]"
    zone from="server.hba" to="box..port"
    multipath policy="owner"
}
layout {
    mirror "m" { side of="box.controller[0].lun"; side of="box.controller[1].lun" }
    stripe "vol" unit="1 MiB" over="m"
    filesystem "fs" on="vol" { prefetch threads=8 }
    file "f" count=2 on="fs"
    concat "local" at="server" over="vol"
}
workload {
    streams "app" over="f" on="server" block="1 MiB"
    streams "next" over="f" block="1 MiB" behind="app"
}
vary { factor "level" of="box.controller.lun.level" 5 6 }
published { check throughput="1 GB/s" bottleneck="box" level=5 }"#;

/// Rows apart by an empty line. `14 | text` replaces a line of the sound study; `14 ! text` is a
/// mistake that this makes: its line and how its message begins, in order; there is no other.
fn check(rows: &str) {
    let mut wrong = Vec::new();
    for row in rows.trim().split("\n\n") {
        let mut lines: Vec<&str> = SOUND.lines().collect();
        let mut expected = Vec::new();
        for line in row.lines() {
            if let Some((number, text)) = line.split_once(" | ") {
                lines[number.trim().parse::<usize>().unwrap() - 1] = text;
            } else {
                let (number, start) = line.split_once(" ! ").unwrap();
                expected.push((number.trim().parse::<usize>().unwrap(), start));
            }
        }
        let study = read_with(&lines.join("\n"), &[]);
        let list = study.err().map_or(Vec::new(), |mistakes| mistakes.list);
        let found: Vec<_> = list.iter().map(|one| (one.line, one.message.as_str())).collect();
        let same = found.len() == expected.len()
            && found
                .iter()
                .zip(&expected)
                .all(|((line, said), (wanted, start))| line == wanted && said.starts_with(start));
        if !same || expected.is_empty() {
            wrong.push(format!("{row}\nfound {found:#?}"));
        }
    }
    assert!(wrong.is_empty(), "{}", wrong.join("\n\n"));
}

#[test]
fn the_sound_study_is_sound() {
    read_with(SOUND, &[]).unwrap_or_else(|mistakes| panic!("{mistakes}"));
}

#[test]
fn words() {
    check(
        r#"
4 | host "server" cpus=8 { hab count=4 use="fc" }
4 ! unknown kind "hab"

4 | host "server" cups=8 { hba count=4 }
4 ! host has no property "cups"

16 | file "f" count=2 on="fs" level=5
16 ! file has no property "level"

15 | filesystem "fs" on="vol" { disk }
15 ! disk does not belong in filesystem

6 | array "box" { controller count=2 { port count=2; stripe "lun" } }
6 ! stripe does not belong in controller

14 | host "vol"
14 ! host does not belong in layout

13 | mirror "m" over="box..lun"
13 ! a mirror needs two sides; m has 0
13 ! mirror has no property "over"

13 | mirror "m" { sied of="box.controller[0].lun"; side of="box.controller[1].lun" }
13 ! unknown kind "sied"

10 | multipath policy="ownr"
10 ! policy: "ownr" is not one of round-robin

9 | zone from="server.hba" to="box..port" latency="1 us"
9 ! zone has no property "latency"
"#,
    );
}

#[test]
fn names() {
    check(
        r#"
5 | switch "san" { asic count=2 { port count=4 } }; switch "server"
5 ! the name "server" is already used by a host

17 | concat "box" over="vol"
17 ! the name "box" is already used by an array

8 | wire "hosts" from="box..port" to="san.asic.port[2-3]"
8 ! the name "hosts" is already used by a wire

9 | multipath
10 | multipath
10 ! the name "multipath" is already used

4 | host "server" { hba count=4; hba count=2 }
4 ! the name "hba" is already used by an hba

2 | parts { hba "fc"; hba "fc" }
2 ! the name "fc" is already used

5 | switch "s.an" { asic count=2 { port count=4 } }
5 ! "s.an" is not a valid name
"#,
    );
}

#[test]
fn values() {
    check(
        r#"
2 | parts { hba "fc" read=195MB/s }
2 ! a quantity needs quotes; write "195MB/s"

2 | parts { hba "fc" read=195 }
2 ! read: "195" has no unit

2 | parts { hba "fc" both="195 MB" }
2 ! both: "195 MB" is not a rate such as "195 MB/s"

4 | host "server" cpus="8" { hba count=4 use="fc" ops="9 MB/s" }
4 ! cpus: "8" is not a whole number
4 ! ops: "9 MB/s" is not

7 | wire "hosts" from="server.hba" to="san.asic.port[0-1]" latency=5
7 ! latency: "5" has no unit

14 | stripe "vol" unit="1 Mb" over="m"
14 ! unit: "1 Mb" is not a size

23 | vary { factor "level" of="box.controller.lun.level" 5 7 }
23 ! level: 7 is not one of 0, 1, 3, 4, 5, 6, 10, 50, 60

16 | file "f" count=0 on="fs"
16 ! count: 0 is not a whole number from 1

5 | switch "san" { asic count=0 { port count=4 } }
5 ! count: 0 is not

4 | host "server" { hba count=4 use="fc" read="1 GB/s" read="2 GB/s" }
4 ! read appears twice

2 | parts { hba "fc" read=(gvien)"1 GB/s" }
2 ! unknown origin (gvien)

2 | parts { hba "fc" read=(inferred)"1 GB/s" }
2 ! unknown origin (inferred)

2 | parts { hba "fc" read=("inferred from one by two")"1 GB/s" }
2 ! an inferred value names a figure and a hypothesis

20 | streams "app" over="f" on="server" hit=1.5 block="1 MiB"
20 ! hit: "1.5" is more than 100 %
"#,
    );
}

#[test]
fn parts() {
    check(
        r#"
4 | host "server" cpus=8 { hba count=4 use="fc-5g" }
4 ! there is no part "fc-5g"

2 | parts { hba "fc" use="fc-2" }
2 ! there is no part "fc-2"

2 | parts { hba "fc" use="other"; hba "other" use="fc" }
2 ! the part "fc" uses itself

2 | parts { hba "fc" count=2 }
2 ! a part has no count

2 | parts { hba "fc" { port } }
2 ! a part is a set of values

2 | parts { hab "fc" }
2 ! unknown kind "hab"

4 | host "server" { hba count=4 use="hdd-15k-sas" }
4 ! hba has no property "position", which the part "hdd-15k-sas" states
4 ! hba has no property "position-queued", which the part "hdd-15k-sas" states
4 ! hba has no property "rotation", which the part "hdd-15k-sas" states
4 ! hba has no property "size", which the part "hdd-15k-sas" states
4 ! hba has no property "stream", which the part "hdd-15k-sas" states

23 | vary { factor "level" of="server.hba.use" "fc-4g" "fc-9g" }
24 | 
23 ! there is no part "fc-9g"
"#,
    );
}

#[test]
fn a_part_of_another_kind_is_told_with_what_fits() {
    let text = "study \"t\"\npath { host \"h\" cpus=2 { nvme \"d\"; cost use=\"fc-8g\" } }\n";
    let source = Source { name: "t.kdl".to_owned(), text: text.to_owned() };
    let told = iopath_study::parse(&source, &[]).unwrap_err().to_string();
    assert!(told.contains("\"fc-8g\" is an hba; use a cost of the catalogue"), "{told}");
}

#[test]
fn ends() {
    check(
        r#"
7 | wire "hosts" from="server.hba" to="san.asic.prt[0-1]"
7 ! there is no "prt" in asic

7 | wire "hosts" from="server.hba" to="san.asic.port[0-4]"
7 ! port[0-4]: there are only 4 of port

7 | wire "hosts" from="server.hba[0-2]" to="san.asic.port[0-1]"
7 ! wires 3 ends (server.hba[0-2]) to 4 (san.asic.port[0-1])

9 | zone from="server.hba" to="box.controller"
9 ! zones 4 ends (server.hba) to 2 (box.controller)

8 | wire "storage" from="box..port" to="san.asic.port[1-2]"
8 ! san.asic[0].port[1] has 2 wires

8 | wire "storage" from="box..port" to="server.hba[0]"
8 ! server.hba[0] has 5 wires

7 | wire "hosts" from="server.hba"
7 ! wire needs to=

7 | wire "hosts"
7 ! wire needs from=
7 ! wire needs to=

7 | wire "hosts" from="server.hba" to="server.hba"
7 ! server.hba[0] is wired to itself

7 | wire "hosts" from="server.hba" to="vol"
7 ! vol is a stripe; a component of the path is expected

23 | vary { factor "level" { level "5" hosts.to="san.asic[0].port" } }
8 ! san.asic[0].port[2] has 2 wires
"#,
    );
}

#[test]
fn volumes() {
    check(
        r#"
14 | stripe "vol" unit="1 MiB" over="vol"
14 ! vol contains itself

14 | stripe "vol" over="local"
14 ! vol contains itself

14 | stripe "vol" over="m, m[0]"
14 ! m[0] is selected twice

14 | stripe "vol" unit="1 MiB"
14 ! vol has no members

14 | stripe "vol" over="box.controller"
14 ! controller is a controller; members are volumes, devices and files without a file system

14 | stripe "vol" over="f"
14 ! f is a file; members are volumes, devices and files without a file system

14 | stripe "vol" over="mm"
14 ! there is no "mm"

14 | stripe "vol" over="m[3]"
14 ! m[3]: there are only 3 of m

6 | array "box" { controller count=2 { port count=2; raid "lun" count=3 over="server" { disk } } }
6 ! server is a host; members are volumes, devices and files without a file system
6 ! lun has members inside and over= too

6 | array "box" { controller count=2 { port count=2; raid "lun" count=3 level=5 } }
6 ! lun has no members
"#,
    );
}

#[test]
fn mirrors_and_places() {
    check(
        r#"
13 | mirror "m" { side of="box.controller[0].lun" }
13 ! a mirror needs two sides; m has 1

13 | mirror "m" { side of="box.controller[0].lun"; side of="box.controller[1].lun[0-1]" }
13 ! the sides of a mirror differ: [3, 2]

13 | mirror "m" { side of="box.controller[0].lun"; side of="box.controller[0].lun" }
13 ! box.controller[0].lun[0] is on two sides of m

13 | mirror "m" { side of="box.controller[0].lun"; side }
13 ! side needs of=

13 | mirror "m" { side of="box.controller[0].lun"; side of="vol" }
13 ! vol stands behind m; declare it before

17 | concat "local" at="sever" over="vol"
17 ! there is no "sever"

17 | concat "local" at="vol" over="vol"
17 ! vol is a stripe; a place is a component of the path

6 | array "box" { controller count=2 { port count=2; raid "lun" count=3 at="server" { disk } } }
6 ! lun is split in its place
"#,
    );
}

#[test]
fn files() {
    check(
        r#"
15 | filesystem "fs"
15 ! fs has no members

15 | filesystem "fs" on="f"
15 ! f is a file; members are volumes

16 | file "f" count=2 on="vol"
16 ! vol is a stripe; a file belongs in a filesystem

16 | file "f" count=2 on="sf"
16 ! there is no "sf"

16 | file "f" count=2
16 ! the scratch file f needs a size

16 | filesystem "fs2" on="vol"; file "f" on="fs, fs2"
16 ! f is in 2 file systems
"#,
    );
}

#[test]
fn streams() {
    check(
        r#"
20 | streams "app" over="f" on="srv" block="1 MiB"
20 ! there is no "srv"

20 | streams "app" over="f" on="san" block="1 MiB"
20 ! san is a switch; streams run on a host

20 | streams "app" over="f" via="vol" block="1 MiB"
20 ! vol is a stripe; a component of the path is expected

20 | streams "app" over="f" via="" block="1 MiB"
20 ! via: "" is not a selector

20 | streams "app" over="fs" block="1 MiB"
20 ! fs is a filesystem and has no bytes itself

21 | streams "next" over="f" block="1 MiB" behind="ap"
21 ! behind: there are no streams "ap"

21 | streams "next" over="f" block="1 MiB" after="nobody" behind="nobody"
21 ! after: there are no streams "nobody"
21 ! behind: there are no streams "nobody"

21 | streams "next" over="f" block="1 MiB" behind="next"
21 ! next comes behind itself

20 | streams "app" over="f" block="1 MiB" after="next"
21 | streams "next" over="f" block="1 MiB" after="app"
20 ! app comes after itself

21 | streams "next" over="f" block="1 MiB" lag="follow"
21 ! lag counts only with behind

21 | streams "next" over="f" block="1 MiB" load=0.5
21 ! load counts only with rate

21 | streams "next" over="f" block="1 MiB" start-delay="1 s" prepare="drop"
21 ! start-delay counts only with after
21 ! prepare counts only with after

21 | streams "next" over="f" block="1 MiB" after="app" prepare="flush"
21 ! prepare: "flush" is not one of none, sync, drop
"#,
    );
}

#[test]
fn levels_and_figures() {
    check(
        r#"
23 | vary { factor "level" of="hosts[0].to" "san" }
24 | 
23 ! to applies to the whole declaration and has no index

23 | vary { factor "level" of="fs.prefetch.thread" 5 6 }
23 ! prefetch is a prefetch and has no property "thread"

23 | vary { factor "level" of="box.lun.level" 5 6 }
23 ! there is no "lun" directly in box

24 | published { check throughput="1 GB/s" bottleneck="bx" level=5 }
24 ! bottleneck: there is no "bx"

24 | published { check throughput="1 GB" needs="anything" level=4 }
24 ! throughput: "1 GB" is not a rate
24 ! the factor "level" has no level "4"
"#,
    );
}

#[test]
fn none_hides_another() {
    check(
        r#"
2 | parts { hba "fc" use="fc-2" raed="1 MB/s" }
4 | host "server" cpus=8 { hba count="x" use="fc-5g" }
5 | swich "san" { asic count=2 { port count=4 } }
9 | zone from="servr.hba" to="box..prt"
13 | mirror "m" { side of="box.controller[0].lun"; side of="box.controller[2].lun" }
14 | stripe "vol" unit=1MiB over="m[7]"
15 | filesystem "fs" on="vol" { prefetch threads=0 }
16 | file "f" count=2 on="sf"
20 | streams "app" over="f" on="serverr" block="1"
23 | vary { factor "level" of="box.controller.lun.levl" 5 6 }
24 | published { check throughput="1 GB" bottleneck="bx" }
2 ! there is no part "fc-2"
2 ! hba has no property "raed"
4 ! count: "x" is not
4 ! there is no part "fc-5g"
5 ! unknown kind "swich"
9 ! there is no "servr"
9 ! there is no "prt" in box
13 ! controller[2]: there are only 2 of controller
14 ! a quantity needs quotes
15 ! threads: 0 is not
16 ! there is no "sf"
20 ! there is no "serverr"
20 ! block: "1" has no unit
23 ! lun is a raid and has no property "levl"
24 ! throughput: "1 GB" is not
24 ! bottleneck: there is no "bx"
"#,
    );
}

/// The parser would tell it as four other things.
#[test]
fn two_nodes_on_a_line() {
    check(
        r#"
4 | host "server" cpus=8 { hba count=4 use="fc" } host "spare"
4 ! after a } comes a new line or a ;

6 | array "box" { controller count=2 { port count=2 } /* and */ raid "lun" { disk count=5 } }
6 ! after a } comes a new line or a ;
"#,
    );
}
