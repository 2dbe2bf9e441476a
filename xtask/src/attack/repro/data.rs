//! Data: damage that nothing reads again, and one file under two names.

use std::fs::{self, OpenOptions};
use std::os::unix::fs::FileExt;

use anyhow::{Result, ensure};

use super::Case;
use crate::attack::bench::{Bench, SHORT, await_that, finish, has_open};
use crate::limits::rig::Rig;

const MIB: u64 = 1 << 20;

pub(super) const ALL: &[Case] = &[
    Case { name: "damage to idle blocks that the run filled", try_it: idle_damage },
    Case { name: "one file behind two loop devices as two targets", try_it: one_file },
];

const SLOW_MIX: &str = r#"study "slow mix"
layout {
    file "d" size="64 MiB"
    bind from="d" to="DIR/d"
}
workload time="3 s" verify=#true {
    streams "w" over="d" op="mix" reads=0.5 pattern="random" block="4 KiB" rate="100 /s" depth=4
}
"#;

fn idle_damage(bench: &Bench<'_>, _: &mut Rig) -> Result<()> {
    let here = bench.directory.canonicalize()?;
    bench.study("mix.kdl", &SLOW_MIX.replace("DIR", &here.display().to_string()))?;
    let child = bench.command("measure mix.kdl --no-progress --no-report --no-path").spawn()?;
    let (id, path) = (child.id(), here.join("d"));
    await_that("the target is open", || has_open(id, &path))?;
    // Filled when its last unit holds a stamp.
    let is_filled = || {
        let mut head = [0; 6];
        let file = fs::File::open(&path);
        file.is_ok_and(|f| f.read_exact_at(&mut head, 64 * MIB - 4096).is_ok())
            && head == *b"iopath"
    };
    await_that("the target is filled", is_filled)?;
    let file = OpenOptions::new().write(true).open(&path)?;
    (0..64).try_for_each(|mib| file.write_all_at(&[0xFF; 4], mib * MIB + 5000))?;
    let ended = finish(child)?;
    ended.with(&[6])?;
    ensure!(ended.stderr.contains("wrong data"), "{}", ended.stderr);
    Ok(())
}

fn one_file(bench: &Bench<'_>, rig: &mut Rig) -> Result<()> {
    let image = rig.file("image", 32 * MIB)?;
    let [one, other] = [rig.attach_with(&image, &[])?, rig.attach_with(&image, &[])?];
    let words =
        format!("measure --target {one} --target {other} --op write --verify --no-report {SHORT}");
    bench.run(&words)?.with(&[4, 5])
}
