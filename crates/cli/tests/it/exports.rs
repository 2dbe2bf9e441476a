//! Exports of `qemu-storage-daemon` behind a throttle group: media whose shared limit is known.

use std::fs::{self, File};
use std::process::{Child, Command, Stdio};

use crate::loopback::{Bench, MIB};
use crate::program::await_that;

/// One daemon with an export for each medium, all behind one throttle group. Exports of one daemon
/// wait for one another, so each group has its own.
pub(crate) struct Exports {
    process: Child,
    pub(crate) files: Vec<String>,
}

impl Exports {
    pub(crate) fn start(bench: &Bench, rate: u64, media: &[usize]) -> Self {
        let group = format!("throttle-group,id=group,x-bps-read={rate}");
        let mut options = vec!["--object".to_owned(), group];
        let mut files = Vec::new();
        for medium in media {
            let image = bench.file(&format!("image{medium}"), 64 * MIB);
            let exported = bench.path(&format!("medium{medium}"));
            File::create(&exported).unwrap();
            let (image, at) = (image.display(), exported.display());
            for (option, value) in [
                ("--blockdev", format!("driver=file,node-name=file{medium},filename={image}")),
                (
                    "--blockdev",
                    format!(
                        "driver=throttle,node-name=node{medium},throttle-group=group,\
                         file=file{medium}"
                    ),
                ),
                (
                    "--export",
                    format!(
                        "type=fuse,id=export{medium},node-name=node{medium},mountpoint={at},\
                         writable=on"
                    ),
                ),
            ] {
                options.extend([option.to_owned(), value]);
            }
            files.push(exported.display().to_string());
        }
        let note = bench.path(&format!("exports{}.pid", media[0]));
        let process = Command::new("qemu-storage-daemon")
            .args(options)
            .args(["--pidfile", note.to_str().unwrap()])
            .stdin(Stdio::null())
            .spawn()
            .expect("qemu-storage-daemon (Debian package qemu-system-common)");
        let exports = Self { process, files };
        await_that("the exports are there", || {
            fs::read_to_string(&note).is_ok_and(|text| text.ends_with('\n'))
        });
        exports
    }
}

impl Drop for Exports {
    fn drop(&mut self) {
        // Best effort: a failure here must not hide the test's own.
        let _ = self.process.kill();
        let _ = self.process.wait();
        for file in &self.files {
            let _ = Command::new("umount").args(["--lazy", file]).output();
        }
    }
}
