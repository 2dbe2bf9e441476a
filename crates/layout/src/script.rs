//! A build as a script for sh: `check` looks, `make` builds, `undo` removes; without a word it does
//! nothing.
//!
//! Law: what is taken must hold no signature that wipefs(8) or blkid(8) knows, carry no mount and
//! no swap, and have no holder in /sys/class/block; all of that is read, and nothing is opened for
//! writing before it holds. Undo removes only what has the mark that `make` gave it.
//! Texts of the study are in comments and in single quotes only.

use crate::build::{Build, Device, Need, Step, Tool};
use crate::names::{comment, quoted};
use crate::{lvm, mdadm, vxassist, zpool};

const HEAD: &str = r#"
#   sh FILE check   looks whether all that it needs is there and empty; changes nothing
#   sh FILE make    checks, then builds; ends at the first command that fails
#   sh FILE undo    removes what it made, last first; what was written to it is lost
set -eu
"#;

/// What all scripts have.
const DIE: &str = r#"
die() {
    echo "$*" >&2
    exit 1
}

# What undo has removed, and what it had to leave.
removals=0
leavings=0
removed() {
    removals=$((removals + 1))
}
left() {
    leavings=$((leavings + 1))
    echo "$*" >&2
}
"#;

/// Functions, of which a script has those that it calls.
const FUNCTIONS: &[&str] = &[
    r#"
# Whether a device holds nothing that is known, and is not in use.
empty() {
    [ -b "$1" ] || die "$1 is no block device"
    real=$(readlink -f "$1")
    held=$(ls "/sys/class/block/${real##*/}/holders")
    [ -z "$held" ] || die "$1 is part of $held"
    mounts=$(lsblk --noheadings --output MOUNTPOINT "$1")
    [ -z "$mounts" ] || die "$1 is mounted or swap: $mounts"
    found=$(wipefs --noheadings --output TYPE "$1")
    [ -z "$found" ] || die "$1 holds data, so it is not taken: $found"
    status=0
    blkid --probe "$1" > /dev/null 2>&1 || status=$?
    [ "$status" = 2 ] || die "$1 holds data, so it is not taken: blkid --probe $1"
}
"#,
    r#"
# Whether nothing is at a path.
absent() {
    [ ! -e "$1" ] && [ ! -L "$1" ] || die "there is $1 already"
}
"#,
    r#"
# Whether a device holds the file system with this UUID.
holds() {
    [ -b "$2" ] && [ "$(blkid --probe --output value --match-tag UUID "$2")" = "$1" ]
}
"#,
    r#"
# Makes a directory, and next to it the note by which undo knows it.
make_directory() {
    mkdir "$1"
    echo "$2" > "${1%/*}/.iopath-layout.${1##*/}"
}
"#,
    r#"
# Takes a directory that make_directory made away, with what is mounted at it of some devices.
unmount() {
    directory=$1
    mark=$2
    shift 2
    note="${directory%/*}/.iopath-layout.${directory##*/}"
    grep -qx "$mark" "$note" 2> /dev/null || return 0
    if is_mounted "$directory" "$@"; then umount "$directory"; fi
    if [ -d "$directory" ] && ! rmdir "$directory"; then
        left "$directory is left as it is"
        return 0
    fi
    rm "$note"
    removed
}

# Whether one of some devices is mounted at a path.
is_mounted() {
    at=$1
    shift
    mounted=$(findmnt --noheadings --output SOURCE --mountpoint "$at") || return 1
    for node in "$@"; do
        if [ "$(readlink -f "$mounted")" = "$(readlink -f "$node")" ]; then return 0; fi
    done
    return 1
}
"#,
    r#"
# Sets the largest request of a device, in KiB, or the most that it takes.
largest_request() {
    real=$(readlink -f "$1")
    queue="/sys/class/block/${real##*/}/queue"
    most=$(cat "$queue/max_hw_sectors_kb")
    kib=$2
    if [ "$kib" -gt "$most" ]; then
        echo "$1 takes requests of $most KiB at most: that is set, not $kib KiB" >&2
        kib=$most
    fi
    echo "$kib" > "$queue/max_sectors_kb"
}
"#,
];

/// The script.
pub(crate) fn text(build: &Build) -> String {
    let body = [check(build), make(build), undo(build)].concat();
    let mut text = head(build);
    text += DIE;
    let all = [FUNCTIONS, mdadm::FUNCTIONS, lvm::FUNCTIONS, zpool::FUNCTIONS, vxassist::FUNCTIONS];
    for function in all.concat().into_iter().filter(|function| is_called(function, &body)) {
        text += function;
    }
    text + &body + TAIL
}

const TAIL: &str = r#"
case "${1-}" in
check | make | undo)
    [ "$(id -u)" = 0 ] || die "only root can do that"
    devices
    "$1"
    ;;
*) die "say what to do: check, make or undo" ;;
esac
"#;

fn head(build: &Build) -> String {
    let tool: &str = build.tool.into();
    let title = comment(&build.study);
    let mut text = format!("#!/bin/sh\n# {title}: its layout by {tool}, from iopath layout.\n#");
    text += HEAD;
    if build.tool == Tool::Vxassist {
        text += "PATH=$PATH:/etc/vx/bin\nexport PATH\n";
    }
    if !build.devices.is_empty() {
        text += "\n# Devices: write each here, or set it in the environment.\n";
    }
    for Device { variable, name, device } in &build.devices {
        let value = match device {
            Some(device) => quoted(device),
            None => format!("\"${{{variable}:-}}\""),
        };
        text += &format!("{variable}={value} # {}\n", comment(name));
    }
    text
}

/// How undo ends.
const UNDONE: &str = r#"    [ "$leavings" = 0 ] || die "not all is gone"
    [ "$removals" != 0 ] || die "nothing of this script was found"
    echo 'all that was made here is gone'
}
"#;

/// The name of a function stands before its parentheses.
fn is_called(function: &str, body: &str) -> bool {
    let name = function.lines().find_map(|line| line.strip_suffix("() {"));
    name.is_some_and(|name| body.contains(&format!("{name} ")))
}

fn check(build: &Build) -> String {
    let mut text = "\n# Whether every device is named, and none twice.\ndevices() {\n".to_owned();
    for Device { variable, name, .. } in &build.devices {
        let message = quoted(&format!("{variable} is not set: the device of {}", comment(name)));
        text += &format!("    [ -n \"${variable}\" ] || die {message}\n");
    }
    let words: Vec<String> =
        build.devices.iter().map(|device| format!("\"${}\"", device.variable)).collect();
    match words.len() {
        0 | 1 => text += "    :\n",
        _ => {
            text += &format!("    twice=$(readlink -f {} | sort | uniq -d)\n", words.join(" "));
            text += "    [ -z \"$twice\" ] || die \"named twice: $twice\"\n";
        }
    }
    text += "}\n\ncheck() {\n";
    text += &format!("    for program in {}; do\n", build.programs.join(" "));
    text += "        command -v \"$program\" > /dev/null || die \"$program is not installed\"\n";
    text += "    done\n";
    let needs = build.steps.iter().flat_map(|step| &step.needs).filter(|need| need.at_first);
    needs.for_each(|Need { test, .. }| text += &format!("    {test}\n"));
    text + "    echo 'all is there and empty'\n}\n"
}

fn make(build: &Build) -> String {
    let mut text = "\nmake() {\n    check\n".to_owned();
    for (number, step) in (1..).zip(&build.steps) {
        text += &format!("\n    # {number}. {} ({})\n", said(step), step.source);
        for remark in &step.remarks {
            text += &format!("    #    {} ({})\n", comment(&remark.text), remark.source);
        }
        text += &format!("    echo {}\n", quoted(&said(step)));
        let later = step.needs.iter().filter(|need| !need.at_first);
        later.for_each(|need| text += &format!("    {}\n", need.test));
        step.commands.iter().for_each(|line| text += &format!("    {line}\n"));
    }
    text + "}\n"
}

fn said(step: &Step) -> String {
    match step.part.as_str() {
        "" => comment(&step.makes),
        part => format!("{}: {}", comment(part), comment(&step.makes)),
    }
}

fn undo(build: &Build) -> String {
    let mut text = "\nundo() {\n".to_owned();
    for (number, step) in (1..).zip(&build.steps).collect::<Vec<_>>().into_iter().rev() {
        text += &format!("    # {number}. {}\n", said(step));
        step.undo.iter().for_each(|line| text += &format!("    {line}\n"));
    }
    text + UNDONE
}
