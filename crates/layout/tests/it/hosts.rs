//! Volumes of several hosts: a script runs on one.

use iopath_layout::{Asked, Tool, build};

use crate::{asked, case_of};

/// Two hosts with drives of their own, an array that both see, and a layout.
fn study(layout: &str, streams: &str) -> String {
    format!(
        r#"study "two hosts"
path {{
    host "web" count=2 {{ ssd "d" count=2 size="1 TB"; hba "h" {{ port use="fc-8g" }} }}
    array "box" {{
        controller {{ port count=2 use="fc-8g"; lun count=2 {{ disk count=2 use="hdd-15k-fc" }} }}
    }}
    wire from="web.h.port" to="box.controller.port"
}}
layout {{ {layout} }}
workload {{ {streams} }}
"#
    )
}

/// The parts that steps make, or what is wrong.
fn made(text: &str, on: Option<&str>) -> Result<Vec<String>, String> {
    made_by(Tool::Mdadm, text, on)
}

fn made_by(tool: Tool, text: &str, on: Option<&str>) -> Result<Vec<String>, String> {
    let on = on.map(str::to_owned);
    let built = build(&case_of(text), &Asked { on, ..asked(tool) });
    let parts = |steps: Vec<iopath_layout::Step>| steps.into_iter().map(|step| step.part);
    let named = |part: &String| !part.is_empty();
    built
        .map(|build| parts(build.steps).filter(named).collect())
        .map_err(|wrong| wrong.iter().map(|one| format!("{}; {}", one.text, one.hint)).collect())
}

const OWN: &str = "stripe \"a\" unit=\"64 KiB\" over=\"web[0].d\"
    stripe \"b\" unit=\"64 KiB\" over=\"web[1].d\"
    filesystem \"fs\" on=\"b\"";

const STREAMS: &str = "streams \"x\" on=\"web[0]\" over=\"a\" block=\"1 MiB\"
    streams \"y\" on=\"web[1]\" over=\"b\" block=\"1 MiB\"";

#[test]
fn each_host_builds_what_has_its_devices() {
    let text = study(OWN, STREAMS);
    let wrong = made(&text, None).unwrap_err();
    assert_eq!(
        wrong,
        "volumes are built on web[0], web[1]; a script runs on one host; \
         choose one: --on \"web[0]\""
    );
    assert_eq!(made(&text, Some("web[0]")).unwrap(), ["a"]);
    assert_eq!(made(&text, Some("web[1]")).unwrap(), ["b", "fs"]);
    let wrong = made(&text, Some("web")).unwrap_err();
    assert_eq!(wrong, "--on: nothing is built on \"web\"; volumes are built on web[0], web[1]");
}

#[test]
fn volumes_of_an_array_belong_to_the_host_that_splits_or_uses_them() {
    let luns = "stripe \"s\" unit=\"64 KiB\" over=\"box..lun\"";
    let by_one = "streams \"x\" on=\"web[1]\" over=\"s\" block=\"1 MiB\"";
    assert_eq!(made(&study(luns, by_one), None).unwrap(), ["s"]);
    assert_eq!(made(&study(luns, by_one), Some("web[1]")).unwrap(), ["s"]);
    assert!(made(&study(luns, by_one), Some("web[0]")).is_err());
    // Both use it, so either may build it.
    let by_both = "streams \"x\" on=\"web\" over=\"s\" block=\"1 MiB\"";
    assert_eq!(made(&study(luns, by_both), None).unwrap(), ["s"]);
    assert_eq!(made(&study(luns, by_both), Some("web[1]")).unwrap(), ["s"]);
    let local = format!("{luns}; stripe \"l\" unit=\"64 KiB\" over=\"web[0].d\"");
    assert_eq!(made(&study(&local, by_both), Some("web[1]")).unwrap(), ["s"]);
    assert_eq!(made(&study(&local, by_both), Some("web[0]")).unwrap(), ["s", "l"]);
    assert!(made(&study(&local, by_both), Some("web[2]")).is_err());
    let split = format!("{} at=\"web[0]\"", luns.trim_end());
    let wrong = made(&study(&split, by_one), Some("web[1]")).unwrap_err();
    assert!(wrong.ends_with("volumes are built on web[0]"), "{wrong}");
}

#[test]
fn file_systems_over_volumes_that_are_there_belong_to_their_hosts() {
    let layout = "filesystem \"fs0\" on=\"web[0].d[0]\"; filesystem \"fs1\" on=\"web[1].d[0]\"";
    let streams = "streams \"x\" on=\"web[0]\" over=\"web[0].d[1]\" block=\"1 MiB\"";
    let text = study(layout, streams);
    assert!(made_by(Tool::Mkfs, &text, None).is_err());
    assert_eq!(made_by(Tool::Mkfs, &text, Some("web[1]")).unwrap(), ["fs1"]);
}

#[test]
fn no_host_builds_over_devices_of_another() {
    let streams = "streams \"x\" on=\"web[0]\" over=\"web[0].d[1]\" block=\"1 MiB\"";
    let mirror = "mirror \"m\" { side of=\"web[0].d[0]\"; side of=\"web[1].d[0]\" }";
    let wrong = made(&study(mirror, streams), None).unwrap_err();
    assert!(wrong.starts_with("m is over devices of web[0] and of web[1]; "), "{wrong}");
}
