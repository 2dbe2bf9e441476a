//! The Debian packages that tests need, proved by a program of each.
//!
//! As root on Debian what is missing is installed; anybody else is told what to install. When
//! nothing is missing no network is used. Package names are those of Debian 12.

use std::path::Path;
use std::process::Command;

use anyhow::{Context, Result, bail};

struct Package {
    name: &'static str,
    /// The program that shows that the package is there.
    program: &'static str,
    /// For people who wonder whether they need it.
    purpose: &'static str,
}

const PACKAGES: &[Package] = &[
    Package { name: "fio", program: "fio", purpose: "the other tool in side-by-side runs" },
    Package { name: "mount", program: "losetup", purpose: "loop devices, mounted partitions" },
    Package { name: "util-linux", program: "mkswap", purpose: "swap on a loop device, wipefs" },
    Package { name: "fdisk", program: "sfdisk", purpose: "a GPT on a loop device" },
    Package { name: "e2fsprogs", program: "mkfs.ext4", purpose: "ext4 on a loop device" },
    Package { name: "btrfs-progs", program: "mkfs.btrfs", purpose: "a btrfs member" },
    Package { name: "xfsprogs", program: "mkfs.xfs", purpose: "an XFS image" },
    Package { name: "dosfstools", program: "mkfs.vfat", purpose: "a FAT image" },
    Package { name: "fuse2fs", program: "fuse2fs", purpose: "a file system without O_TMPFILE" },
    Package { name: "fuse3", program: "fusermount3", purpose: "mounts of exports, as a user" },
    Package {
        name: "qemu-system-common",
        program: "qemu-storage-daemon",
        purpose: "emulated paths, slow media; files that answer EIO, or vanish",
    },
    Package {
        name: "qemu-system-x86",
        program: "qemu-system-x86_64",
        purpose: "guests of the lab",
    },
    Package { name: "mmdebstrap", program: "mmdebstrap", purpose: "the root of a guest" },
    Package { name: "squashfs-tools", program: "mksquashfs", purpose: "a guest's root in a file" },
    Package { name: "busybox-static", program: "busybox", purpose: "a guest's way to its root" },
    Package { name: "kmod", program: "depmod", purpose: "modules of a guest" },
    Package { name: "cpio", program: "cpio", purpose: "a guest's initrd" },
    Package { name: "xz-utils", program: "xz", purpose: "a guest's kernel, unpacked" },
    Package { name: "chromium", program: "chromium", purpose: "reports in a real browser" },
    Package { name: "sqlite3", program: "sqlite3", purpose: "integrity of a store after kill -9" },
    Package { name: "strace", program: "strace", purpose: "proof of what was not written" },
    Package { name: "time", program: "time", purpose: "CPU time of a whole process tree" },
];

/// Where Debian puts programs; a user's PATH often lacks the `sbin` folders.
const FOLDERS: [&str; 5] = ["/usr/local/bin", "/usr/bin", "/usr/sbin", "/bin", "/sbin"];

/// Sees to it that every package is there.
pub(crate) fn provide() -> Result<()> {
    let absent = missing(&is_installed);
    if absent.is_empty() {
        println!("all {} packages are there", PACKAGES.len());
        return Ok(());
    }
    let names: Vec<&str> = absent.iter().map(|package| package.name).collect();
    if !is_root() || !Path::new("/etc/debian_version").exists() {
        bail!(advice(&absent));
    }
    println!("installing {}", names.join(" "));
    apt_get(&["update"])?;
    apt_get(&[&["install", "--yes", "--no-install-recommends"], names.as_slice()].concat())?;
    let absent = missing(&is_installed);
    if !absent.is_empty() {
        bail!("installed, but a program is not there\n{}", advice(&absent));
    }
    Ok(())
}

/// Fails when one of these programs, which packages of the table have, is not there.
pub(crate) fn require(programs: &[&str]) -> Result<()> {
    let absent = missing(&|program| !programs.contains(&program) || is_installed(program));
    if !absent.is_empty() {
        bail!(advice(&absent));
    }
    Ok(())
}

/// Of the effective user, who may install and mount.
pub(crate) fn is_root() -> bool {
    rustix::process::geteuid().is_root()
}

fn missing(is_there: &dyn Fn(&str) -> bool) -> Vec<&'static Package> {
    PACKAGES.iter().filter(|package| !is_there(package.program)).collect()
}

fn is_installed(program: &str) -> bool {
    FOLDERS.iter().any(|folder| Path::new(folder).join(program).exists())
}

fn advice(absent: &[&Package]) -> String {
    let names: Vec<&str> = absent.iter().map(|package| package.name).collect();
    let row = |package: &&Package| {
        format!("  {:<20} {:<20} {}\n", package.name, package.program, package.purpose)
    };
    let rows: String = absent.iter().map(row).collect();
    format!(
        "tests need programs that are missing (package, program, what for):\n{rows}\
         install them as root: apt-get install --no-install-recommends {}",
        names.join(" ")
    )
}

fn apt_get(words: &[&str]) -> Result<()> {
    let status = Command::new("apt-get")
        .args(words)
        .env("DEBIAN_FRONTEND", "noninteractive")
        .status()
        .context("apt-get does not start")?;
    if !status.success() {
        bail!("apt-get {}: {status}", words.join(" "));
    }
    Ok(())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_package_is_missing_when_its_program_is() {
        assert!(missing(&|_| true).is_empty());
        let absent = missing(&|program| program != "mkfs.btrfs");
        assert_eq!(absent.iter().map(|package| package.name).collect::<Vec<_>>(), ["btrfs-progs"]);
    }

    #[test]
    fn the_advice_names_packages_programs_and_the_command() {
        let text = advice(&missing(&|program| program != "fio" && program != "sfdisk"));
        let expected = "\
tests need programs that are missing (package, program, what for):
  fio                  fio                  the other tool in side-by-side runs
  fdisk                sfdisk               a GPT on a loop device
install them as root: apt-get install --no-install-recommends fio fdisk";
        assert_eq!(text, expected);
    }

    #[test]
    fn every_program_that_the_lab_requires_has_a_package() {
        for program in crate::lab::PROGRAMS {
            assert!(PACKAGES.iter().any(|package| package.program == program), "{program}");
        }
    }

    #[test]
    fn a_program_is_looked_for_where_debian_puts_it() {
        assert!(is_installed("sh"));
        assert!(!is_installed("no-such-program"));
    }
}
