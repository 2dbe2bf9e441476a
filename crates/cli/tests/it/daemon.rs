//! A file whose device fails on purpose: `qemu-storage-daemon` behind a FUSE export.
//!
//! The block driver `blkdebug` fails each request that touches a given sector
//! (<https://www.qemu.org/docs/master/devel/testing/blkdebug.html>); killed, the daemon takes the
//! file with it, as a device does that is unplugged. The driver `throttle` makes it slow.

use std::fs::{self, File};
use std::os::unix::fs::FileExt;
use std::path::{Path, PathBuf};
use std::process::{Child, Command, Stdio};

use crate::loopback::Bench;
use crate::program::await_that;

/// Where no file system keeps a signature, in the first 64 KiB.
const OWN_AT: u64 = 48 << 10;

/// The daemon and the file that it exports.
pub(crate) struct Daemon {
    process: Child,
    exported: PathBuf,
}

/// How the exported file behaves.
#[derive(Clone, Copy)]
pub(crate) enum Medium {
    /// As any file.
    Sound,
    /// Every request of this kind that touches this place fails with EIO.
    Faulty {
        /// `read` or `write`.
        op: &'static str,
        /// Byte offset, a multiple of 512.
        at: u64,
    },
    /// No more than so many bytes are written in a second.
    Slow {
        /// Bytes per second.
        bytes_per_sec: u64,
    },
}

impl Medium {
    /// Options of the daemon that make the node `medium` of an image file.
    fn options(self, image: &Path) -> Vec<String> {
        let image = image.display();
        let file = format!("driver=file,node-name=file,filename={image}");
        let mut options = vec!["--blockdev".to_owned(), file];
        let node = match self {
            Self::Sound => "driver=raw,node-name=medium,file=file".to_owned(),
            Self::Faulty { op, at } => {
                let (rule, sector) = ("inject-error.0", at / 512);
                format!(
                    "driver=blkdebug,node-name=medium,image=file,{rule}.event=none,\
                     {rule}.iotype={op},{rule}.sector={sector},{rule}.errno=5,{rule}.once=off"
                )
            }
            Self::Slow { bytes_per_sec } => {
                let limits = format!("throttle-group,id=limits,x-bps-write={bytes_per_sec}");
                options.extend(["--object".to_owned(), limits]);
                "driver=throttle,node-name=medium,throttle-group=limits,file=file".to_owned()
            }
        };
        options.extend(["--blockdev".to_owned(), node]);
        options
    }
}

impl Daemon {
    /// Exports an image file of the bench as another file of it.
    pub(crate) fn start(bench: &Bench, image: &Path, medium: Medium) -> Self {
        bench.work_alone();
        // What is behind FUSE may be what another test's loop device shows, unless bytes differ.
        let own = format!("{} {}", std::process::id(), image.display());
        let written = File::options().write(true).open(image);
        written.and_then(|file| file.write_all_at(own.as_bytes(), OWN_AT)).unwrap();
        let exported = bench.path("exported");
        File::create(&exported).unwrap();
        let pid_file = bench.path("daemon.pid");
        let export = format!(
            "type=fuse,id=exported,node-name=medium,mountpoint={},writable=on,growable=off",
            exported.display()
        );
        let process = Command::new("qemu-storage-daemon")
            .args(medium.options(image))
            .args(["--export", &export, "--pidfile", pid_file.to_str().unwrap()])
            .stdin(Stdio::null())
            .spawn()
            .expect("qemu-storage-daemon (Debian package qemu-system-common)");
        let daemon = Self { process, exported };
        // The daemon writes this file when its exports are there.
        await_that("qemu-storage-daemon begins", || {
            fs::read_to_string(&pid_file).is_ok_and(|text| text.ends_with('\n'))
        });
        daemon
    }

    /// The exported file.
    pub(crate) fn file(&self) -> &Path {
        &self.exported
    }

    /// Kills it as nothing can be caught; the mount stays behind and answers nothing.
    pub(crate) fn kill(&mut self) {
        self.process.kill().unwrap();
        self.process.wait().unwrap();
    }
}

impl Drop for Daemon {
    fn drop(&mut self) {
        // Best effort: a failure here must not hide the test's own.
        let _ = self.process.kill();
        let _ = self.process.wait();
        let _ = Command::new("umount").arg("--lazy").arg(&self.exported).output();
    }
}
