//! Targets that are in use, where that is hard to see.

use std::fs::{self, File, OpenOptions};
use std::os::unix::fs::FileExt;
use std::path::PathBuf;
use std::process::{Child, Command, Stdio};

use anyhow::{Context, Result, ensure};

use super::{Case, unchanged};
use crate::attack::bench::{Bench, SHORT, await_that, finish, has_open};
use crate::limits::rig::{Rig, said};

const MIB: u64 = 1 << 20;

pub(super) const ALL: &[Case] = &[
    Case { name: "/sys or /proc hidden, file behind a mounted loop device", try_it: hidden },
    Case { name: "own file mounted between check and case", try_it: mounted_meanwhile },
    Case { name: "empty file filled between check and case", try_it: filled_meanwhile },
    Case { name: "second loop device on a deleted name", try_it: deleted_name },
    Case { name: "own file changed with its time restored", try_it: time_restored },
    Case { name: "file under another process's lock", try_it: locked },
    Case { name: "refusal that opens nothing for writing", try_it: opens_nothing },
];

/// A mounted ext4 in a file; gives the file.
fn mounted(rig: &mut Rig, name: &str) -> Result<PathBuf> {
    let image = rig.file(name, 16 * MIB)?;
    let node = rig.attach_with(&image, &[])?;
    rig.mount_ext4(&node)?;
    said("sync", &["--file-system", &rig.path("").display().to_string()])?;
    Ok(image)
}

fn hidden(bench: &Bench<'_>, rig: &mut Rig) -> Result<()> {
    let image = mounted(rig, "image")?;
    let before = fs::read(&image)?;
    let target = image.display();
    let ways = [
        "mount -t tmpfs none /sys",
        "mount -t tmpfs none /sys && mkdir /sys/block",
        "mount -t tmpfs none /sys/block",
        "mount -t tmpfs none /sys/devices/virtual",
        "mount -t tmpfs none /proc",
        "mount --bind /dev/null /proc/swaps && mount -t tmpfs none /sys/block",
    ];
    for way in ways {
        let script = format!(
            "{way} && exec $B measure --target {target} --op write --size 64KiB --block 4KiB \
             --allow-destroy {target} --no-report {SHORT}"
        );
        let script = format!("exec unshare --mount --propagation private sh -c '{script}'");
        let ended = finish(bench.shell(&script).spawn()?)?;
        ended.with(&[4, 5]).with_context(|| way.to_owned())?;
        unchanged(&image, &before).with_context(|| way.to_owned())?;
    }
    Ok(())
}

const TWO_CASES: &str = r#"study "two cases"
layout {
    file "a" size="8 MiB"
    file "b" size="32 MiB"
    bind from="a,b" to="DIR/a,DIR/b"
}
workload time="3 s" { streams "w" over="a" op="write" block="64 KiB" }
vary { factor "over" of="w.over" "a" "b" }
"#;

/// Starts a run of two cases; gives it when the first of them writes.
fn two_cases(bench: &Bench<'_>) -> Result<Child> {
    let here = bench.directory.canonicalize()?;
    bench.study("two.kdl", &TWO_CASES.replace("DIR", &here.display().to_string()))?;
    let child = bench.command("measure two.kdl --no-progress --no-report --no-path").spawn()?;
    let first = here.join("a");
    await_that("the first case writes", || has_open(child.id(), &first))?;
    Ok(child)
}

fn mounted_meanwhile(bench: &Bench<'_>, rig: &mut Rig) -> Result<()> {
    let own =
        format!("measure --target b --op write --size 32MiB --block 64KiB --no-report {SHORT}");
    bench.run(&own)?.with(&[0])?;
    let child = two_cases(bench)?;
    let node = rig.attach_with(&bench.path("b"), &[])?;
    rig.mount_ext4(&node)?;
    finish(child)?.with(&[6])?;
    said("umount", &[&node])?;
    said("e2fsck", &["-f", "-n", &node]).context("the mounted file system was damaged")?;
    said("mount", &[&node, &rig.path("mount").display().to_string()])?;
    Ok(())
}

fn filled_meanwhile(bench: &Bench<'_>, _: &mut Rig) -> Result<()> {
    File::create(bench.path("b"))?;
    let child = two_cases(bench)?;
    let data = vec![3; 32 << 20];
    fs::write(bench.path("b"), &data)?;
    finish(child)?.with(&[6])?;
    unchanged(&bench.path("b"), &data)
}

fn deleted_name(bench: &Bench<'_>, rig: &mut Rig) -> Result<()> {
    let image = mounted(rig, "one")?;
    let other = bench.path("other");
    fs::hard_link(&image, &other)?;
    fs::remove_file(&image)?;
    let node = rig.attach_with(&other, &[])?;
    let before = fs::read(&other)?;
    for name in [&node, &other.display().to_string()] {
        let words = format!(
            "measure --target {node} --op write --allow-destroy {name} --no-report {SHORT}"
        );
        bench.run(&words)?.with(&[5])?;
    }
    unchanged(&other, &before)
}

fn time_restored(bench: &Bench<'_>, _: &mut Rig) -> Result<()> {
    let words = format!("measure --target own --op write --size 4MiB --block 64KiB {SHORT}");
    bench.run(&words)?.with(&[0])?;
    let path = bench.path("own");
    let time = path.metadata()?.modified()?;
    let file = OpenOptions::new().write(true).open(&path)?;
    file.write_all_at(&vec![b'U'; 4 << 20], 0)?;
    file.set_modified(time)?;
    let before = fs::read(&path)?;
    bench.run(&words)?.with(&[5])?;
    unchanged(&path, &before)
}

fn locked(bench: &Bench<'_>, _: &mut Rig) -> Result<()> {
    let path = bench.path("locked");
    File::create(&path)?;
    let mut holder = Command::new("flock")
        .arg(&path)
        .args(["sh", "-c", "echo held; exec sleep 100"])
        .stdout(Stdio::piped())
        .spawn()
        .context("flock (Debian: util-linux)")?;
    let mut line = [0; 5];
    let held = holder.stdout.take().context("no output")?;
    std::io::Read::read_exact(&mut { held }, &mut line)?;
    let words = format!("measure --target locked --op write --size 1MiB --no-report {SHORT}");
    let ended = bench.run(&words);
    holder.kill()?;
    holder.wait()?;
    ended?.with(&[5])?;
    unchanged(&path, b"")
}

fn opens_nothing(bench: &Bench<'_>, rig: &mut Rig) -> Result<()> {
    let image = mounted(rig, "image")?;
    let script = format!(
        "exec strace -f -q -e trace=open,openat,openat2 -o trace $B measure --target {} --op write \
         --no-report {SHORT}",
        image.display()
    );
    finish(bench.shell(&script).spawn()?)?.with(&[5])?;
    let trace = fs::read_to_string(bench.path("trace"))?;
    let writes = |line: &&str| line.contains("O_RDWR") || line.contains("O_WRONLY");
    let opened = trace.lines().filter(writes).find(|line| line.contains("image"));
    ensure!(opened.is_none(), "opened for writing: {}", opened.unwrap_or_default());
    Ok(())
}
