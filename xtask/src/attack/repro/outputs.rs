//! Output files: onto devices, targets, files and neighbours, through links of other users.

use std::fs;
use std::os::unix::fs::{PermissionsExt, chown, symlink};

use anyhow::{Result, ensure};

use super::{Case, unchanged};
use crate::attack::bench::{Bench, SHORT, finish};
use crate::limits::rig::Rig;

const NOBODY: u32 = 65_534;
const MIB: u64 = 1 << 20;

pub(super) const ALL: &[Case] = &[
    Case { name: "page onto a mounted device", try_it: onto_a_device },
    Case { name: "page over a file, a neighbour, its own target", try_it: over_files },
    Case { name: "page through a link that another user made", try_it: through_a_link },
    Case { name: "store that other users could read", try_it: readable_store },
];

fn onto_a_device(bench: &Bench<'_>, rig: &mut Rig) -> Result<()> {
    let image = rig.file("image", 32 * MIB)?;
    let node = rig.attach_with(&image, &[])?;
    rig.mount_ext4(&node)?;
    fs::write(bench.path("target"), vec![7; 64 << 10])?;
    let before = fs::read(&image)?;
    bench
        .run(&format!("measure --target target --block 4KiB {SHORT} --report {node}"))?
        .with(&[4, 5])?;
    // The superblock, which a page would replace.
    ensure!(fs::read(&image)?[..4096] == before[..4096], "the file system was overwritten");
    Ok(())
}

fn over_files(bench: &Bench<'_>, _: &mut Rig) -> Result<()> {
    let [data, other, part] =
        ["target", "other.txt", "other.html.part"].map(|name| bench.path(name));
    fs::write(&data, vec![7; 64 << 10])?;
    fs::write(&other, "precious")?;
    fs::write(&part, "neighbour")?;
    bench.run(&format!("measure --target target --block 4KiB {SHORT}"))?.with(&[0])?;
    bench.run("report last -o other.txt")?.with(&[4, 5])?;
    bench.run("report last -o other.html")?.with(&[0])?;
    bench
        .run(&format!("measure --target target --block 4KiB {SHORT} --report target"))?
        .with(&[4, 5])?;
    unchanged(&other, b"precious")?;
    unchanged(&part, b"neighbour")?;
    unchanged(&data, &vec![7; 64 << 10])
}

fn through_a_link(bench: &Bench<'_>, _: &mut Rig) -> Result<()> {
    let [store, precious] = ["store", "precious"].map(|name| bench.path(name));
    fs::write(bench.path("target"), vec![7; 64 << 10])?;
    fs::write(&precious, "precious")?;
    fs::create_dir_all(store.join("reports"))?;
    for name in ["run-1.html.part", "run-1.html"] {
        symlink(&precious, store.join("reports").join(name))?;
    }
    for path in [&store.join("reports"), &store] {
        chown(path, Some(NOBODY), Some(NOBODY))?;
    }
    bench.run(&format!("measure --target target --block 4KiB {SHORT} --store store/x.db"))?;
    unchanged(&precious, b"precious")?;
    ensure!(!store.join("x.db").exists(), "a store in a directory that another user can change");
    Ok(())
}

fn readable_store(bench: &Bench<'_>, _: &mut Rig) -> Result<()> {
    fs::write(bench.path("target"), vec![7; 64 << 10])?;
    let script = format!("umask 0; exec $B measure --target target --block 4KiB {SHORT}");
    finish(bench.shell(&script).spawn()?)?.with(&[0])?;
    let mode = bench.path("data/iopath/runs.db").metadata()?.permissions().mode();
    ensure!(mode & 0o077 == 0, "others can read the store: mode {:o}", mode & 0o777);
    Ok(())
}
