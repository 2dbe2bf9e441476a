//! What holds for every script: sh reads it, no text of the study is a command, and nothing is
//! built where a device is missing.

use std::io::Write;
#[expect(clippy::disallowed_types, reason = "sh is asked whether it can read a script")]
use std::process::Command;
use std::process::{Output, Stdio};

use iopath_layout::{Asked, Devices, Tool};
use strum::VariantNames;

use crate::{asked, built, built_as};

const LAYOUT: &str = r#"
    raid "v" level=5 size="1 GiB" largest-request="512 KiB" over="box.controller.lun[0-3]"
    filesystem "f" on="v" cache="buffered" { readahead unit="512 KiB" streams=8 }"#;

#[expect(clippy::disallowed_types, reason = "sh is asked whether it can read a script")]
pub(crate) fn sh(words: &[&str], script: &str) -> Output {
    let mut child = Command::new("sh")
        .args(words)
        .stdin(Stdio::piped())
        .stdout(Stdio::piped())
        .stderr(Stdio::piped())
        .spawn()
        .unwrap();
    child.stdin.take().unwrap().write_all(script.as_bytes()).unwrap();
    child.wait_with_output().unwrap()
}

fn tools() -> impl Iterator<Item = Tool> {
    Tool::VARIANTS.iter().map(|word| word.parse().unwrap())
}

#[test]
fn sh_reads_every_script() {
    for tool in tools() {
        let script = built(LAYOUT, tool).script();
        let checked = sh(&["-n"], &script);
        assert!(checked.status.success(), "{tool:?}: {}", String::from_utf8_lossy(&checked.stderr));
        assert!(checked.stderr.is_empty());
    }
}

#[test]
fn a_script_does_nothing_without_a_word_and_without_devices() {
    for tool in tools().filter(|tool| *tool != Tool::Multipath) {
        let script = built(LAYOUT, tool).script();
        let none = sh(&["-s"], &script);
        assert!(!none.status.success());
        assert_eq!(none.stdout, b"");
        let said = String::from_utf8_lossy(&none.stderr).into_owned();
        assert_eq!(said, "say what to do: check, make or undo\n");
        for word in ["check", "make", "undo"] {
            let unset = sh(&["-s", word], &script.replace("[ \"$(id -u)\" = 0 ]", "true"));
            assert!(!unset.status.success());
            let said = String::from_utf8_lossy(&unset.stderr).into_owned();
            assert!(said.starts_with("DEV_"), "{said}");
            assert!(said.contains(" is not set: the device of "), "{said}");
        }
    }
}

/// What is no device, and one device for two members, ends every script before its first command.
#[test]
fn nothing_is_made_of_what_is_no_device_or_named_twice() {
    let named = |pairs: &str| {
        let mut devices = Devices::default();
        devices.add_pairs(pairs).unwrap();
        let asked = Asked { devices, ..asked(Tool::Mkfs) };
        let layout = r#"filesystem "a" on="box.controller.lun[0]"
            filesystem "b" on="box.controller.lun[1]""#;
        let script = built_as(layout, &asked).unwrap().script();
        // Neither root nor the programs are needed for this.
        let script = script.replace("[ \"$(id -u)\" = 0 ]", "true");
        let script = script.replace("command -v \"$program\"", "true");
        let made = sh(&["-s", "make"], &script);
        assert!(!made.status.success());
        String::from_utf8_lossy(&made.stderr).into_owned()
    };
    let of = |one: &str, other: &str| {
        named(&format!("box.controller.lun[0]={one},box.controller.lun[1]={other}"))
    };
    assert_eq!(of("/dev/null", "/dev/zero"), "/dev/null is no block device\n");
    assert_eq!(of("/dev/null", "/dev/../dev/null"), "named twice: /dev/null\n");
    assert_eq!(of("/dev/'; echo \"no", "/dev/zero"), "/dev/'; echo \"no is no block device\n");
}

/// A title and names that sh would run, were they anything else than comments and quoted texts. The
/// language takes fewer characters in a name.
#[test]
fn no_text_of_a_study_is_a_command() {
    const EVIL: &str = "a'; exit 7; '\nexit 7\n$(exit 7) `exit 7` \"; exit 7; \"";
    let mut case = crate::case(LAYOUT);
    case.study = EVIL.to_owned();
    for (at, part) in case.system.parts.iter_mut().enumerate() {
        part.name = format!("{EVIL}{at}");
    }
    // What is made for multipath needs no device, so it would be made.
    for tool in tools().filter(|tool| *tool != Tool::Multipath) {
        let script = iopath_layout::build(&case, &asked(tool)).unwrap().script();
        let checked = sh(&["-n"], &script);
        assert!(checked.status.success(), "{}", String::from_utf8_lossy(&checked.stderr));
        for word in [&["-s"][..], &["-s", "check"], &["-s", "make"], &["-s", "undo"]] {
            let script = script.replace("[ \"$(id -u)\" = 0 ]", "true");
            let run = sh(word, &script);
            assert_eq!(run.status.code(), Some(1), "{script}");
        }
    }
}

#[test]
fn devices_are_named_and_unknown_names_are_refused() {
    let mut devices = Devices::default();
    devices.add_pairs("box.controller.lun[0]=/dev/it's,box.controller.lun[9]=/dev/b").unwrap();
    let asked = Asked { devices, ..asked(Tool::Mdadm) };
    let wrong = built_as(LAYOUT, &asked).unwrap_err();
    assert_eq!(wrong, "--devices: the study has no \"box.controller.lun[9]\"");
    let mut devices = Devices::default();
    devices.add_pairs("box.controller.lun[0]=/dev/it's").unwrap();
    let script = built_as(LAYOUT, &Asked { devices, ..asked }).unwrap().script();
    assert!(script.contains("DEV_LUN_0='/dev/it'\\''s' # box.controller.lun[0]\n"), "{script}");
    assert!(script.contains("DEV_LUN_1=\"${DEV_LUN_1:-}\" # box.controller.lun[1]\n"));
}

/// The same study gives the same script.
#[test]
fn a_script_is_the_same_each_time() {
    for tool in tools() {
        assert_eq!(built(LAYOUT, tool).script(), built(LAYOUT, tool).script());
    }
}
