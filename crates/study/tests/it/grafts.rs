//! A case over the path of another study.

use std::collections::{BTreeMap, BTreeSet};

use iopath_study::Case;
use iopath_study::attach_path::{CannotAttach, TargetLocation, TargetLocations};

use crate::cases_of;

const PATH: &str = r#"study "path"
path {
    host "h" { hba "a" read="1 GB/s" { disk "data" count=2 } }
    bind from="h..data" to="/dev/sd[a-b]"
}
layout {
    filesystem "fs" on="h.a.data[0]"
    file "f" on="fs" size="1 GiB"
    bind from="f" to="/mnt/f"
}
workload time="1 s" { streams "r" over="f" block="4 KiB" }
"#;

fn over(
    own: &str,
    grounds: &[(&str, TargetLocation)],
    taken: &[&str],
) -> Result<Case, CannotAttach> {
    let path = cases_of(PATH).remove(0);
    let of: BTreeMap<String, TargetLocation> =
        grounds.iter().map(|(name, ground)| ((*name).to_owned(), ground.clone())).collect();
    let taken: BTreeSet<String> = taken.iter().map(|path| (*path).to_owned()).collect();
    cases_of(own).remove(0).over(&TargetLocations { path: &path, of, taken })
}

#[test]
fn files_get_a_file_system_and_scratch_files_where_they_are_made() {
    let own = r#"study "own"
layout { file "x" size="1 MiB"; file "y" size="1 MiB"; bind from="y" to="/mnt/y" }
workload time="1 s" { streams "s" over="x, y" block="4 KiB" depth=3 }
"#;
    let fs = || TargetLocation::FileSystem("fs".to_owned());
    let case = over(own, &[("x", fs()), ("y", fs())], &[]).unwrap();
    let lies = |at: usize| {
        let on = case.system.part(case.targets[at].part).members[0];
        let below = case.system.part(on).members[0];
        (case.system.part(on).name.as_str(), case.system.part(below).name.as_str())
    };
    assert_eq!([lies(0), lies(1)], [("fs", "h.a.data[0]"); 2]);
    assert_eq!(case.targets[0].directory.as_deref(), Some("."));
    let named = (case.targets[1].binding.as_deref(), case.targets[1].directory.as_deref());
    assert_eq!(named, (Some("/mnt/y"), None));
    assert_eq!((case.streams.len(), case.streams[1].depth), (2, 3));
    // Its text is this case again, and all of the path is in it but the other's own file.
    assert_eq!(cases_of(&case.text).remove(0), case);
    assert!(!case.text.contains("/mnt/f") && case.text.contains("/dev/sd[a-b]"), "{}", case.text);
}

#[test]
fn a_device_keeps_its_name_and_its_bind_and_gets_the_part_that_it_is() {
    let own = r#"study "own"
path { part "data" size="1 MiB"; bind from="data" to="/dev/disk/by-id/b" }
workload time="1 s" { streams "h" over="data" block="4 KiB" }
"#;
    let part = TargetLocation::Part("h.a.data[1]".to_owned());
    let case = over(own, &[("data", part)], &["/dev/sdb"]).unwrap();
    let target = &case.targets[0];
    assert_eq!((target.name.as_str(), target.size.map(|size| size.0)), ("data", Some(1 << 20)));
    assert_eq!(target.binding.as_deref(), Some("/dev/disk/by-id/b"));
    // The host is called like the streams, which stay; one disk keeps its bind.
    let on = case.system.part(target.part).members[0];
    assert_eq!(case.system.part(on).name, "h-2.a.data[1]");
    let bound: Vec<&str> = target.below.values().map(|bind| bind.paths[0].as_str()).collect();
    assert_eq!(bound.len(), 2);
    assert!(bound.contains(&"/dev/sda") && !bound.contains(&"/dev/sdb"), "{bound:?}");
    assert_eq!(cases_of(&case.text).remove(0), case);
}

#[test]
fn a_file_system_without_a_name_lies_on_what_is_below() {
    let own = r#"study "own"
layout { file "x" size="1 MiB" }
workload time="1 s" { streams "s" over="x" block="4 KiB" }
vary { factor "b" of="s.block" "4 KiB" "8 KiB" }
"#;
    let on = TargetLocation::On("h.a.data[0], h.a.data[1]".to_owned());
    let case = over(own, &[("x", on)], &[]).unwrap();
    assert_eq!(case.levels[0].level, "4 KiB");
    let system = case.system.part(case.targets[0].part).members[0];
    assert_eq!(case.system.part(system).members.len(), 2);
}

#[test]
fn an_own_path_is_replaced_and_several_devices_of_a_line_are_refused() {
    let own = r#"study "own"
path { host "mine" { disk "d" } }
layout { filesystem "fs" on="mine.d"; file "x" on="fs" size="1 MiB" }
bind from="mine.d" to="/dev/nvme0n1"
workload time="1 s" { streams "s" over="x" on="mine" block="4 KiB" }
"#;
    let case = over(own, &[("x", TargetLocation::FileSystem("fs".to_owned()))], &[]).unwrap();
    assert!(!case.text.contains("mine") && case.text.contains("host \"h\""), "{}", case.text);
    let own = r#"study "own"
path { disk "d" count=2; bind from="d" to="/dev/sd[a-b]" }
workload time="1 s" { streams "s" over="d" block="4 KiB" }
"#;
    let wrong =
        over(own, &[("d", TargetLocation::Part("h..data".to_owned()))], &["/dev/sda", "/dev/sdb"]);
    assert_eq!(wrong.unwrap_err(), CannotAttach::Several("d".to_owned()));
}
