//! The Debian packages that tests need, proved by a program of each, or a file of those without.
//!
//! As root on Debian what is missing is installed; anybody else is told what to install. When
//! nothing is missing no network is used. Package names are those of Debian 12.

use std::path::Path;
use std::process::Command;

use anyhow::{Context, Result, bail};

struct Package {
    name: &'static str,
    /// What shows that the package is there: a program, or a file by its path below a folder of
    /// libraries.
    proof: &'static str,
    /// For people who wonder whether they need it.
    purpose: &'static str,
}

const PACKAGES: &[Package] = &[
    Package { name: "fio", proof: "fio", purpose: "the other tool in side-by-side runs" },
    Package { name: "mount", proof: "losetup", purpose: "loop devices, mounted partitions" },
    Package { name: "util-linux", proof: "mkswap", purpose: "swap on a loop device, wipefs" },
    Package { name: "fdisk", proof: "sfdisk", purpose: "a GPT on a loop device" },
    Package { name: "e2fsprogs", proof: "mkfs.ext4", purpose: "ext4 on a loop device" },
    Package { name: "btrfs-progs", proof: "mkfs.btrfs", purpose: "a btrfs member" },
    Package { name: "xfsprogs", proof: "mkfs.xfs", purpose: "an XFS image" },
    Package { name: "dosfstools", proof: "mkfs.vfat", purpose: "a FAT image" },
    Package { name: "fuse2fs", proof: "fuse2fs", purpose: "a file system without O_TMPFILE" },
    Package { name: "fuse3", proof: "fusermount3", purpose: "mounts of exports, as a user" },
    Package {
        name: "qemu-system-common",
        proof: "qemu-storage-daemon",
        purpose: "emulated paths, slow media; files that answer EIO, or vanish",
    },
    Package { name: "qemu-system-x86", proof: "qemu-system-x86_64", purpose: "guests of the lab" },
    Package { name: "mmdebstrap", proof: "mmdebstrap", purpose: "the root of a guest" },
    Package { name: "squashfs-tools", proof: "mksquashfs", purpose: "a guest's root in a file" },
    Package { name: "busybox-static", proof: "busybox", purpose: "a guest's way to its root" },
    Package { name: "kmod", proof: "depmod", purpose: "modules of a guest" },
    Package { name: "cpio", proof: "cpio", purpose: "a guest's initrd" },
    Package { name: "xz-utils", proof: "xz", purpose: "a guest's kernel, unpacked" },
    Package { name: "chromium", proof: "chromium", purpose: "reports in a real browser" },
    Package { name: "sqlite3", proof: "sqlite3", purpose: "integrity of a store after kill -9" },
    Package { name: "strace", proof: "strace", purpose: "proof of what was not written" },
    Package { name: "time", proof: "time", purpose: "CPU time of a whole process tree" },
    Package { name: "iproute2", proof: "ip", purpose: "cables between namespaces" },
    Package { name: "iptables", proof: "iptables", purpose: "delays between namespaces" },
    Package { name: "openmpi-bin", proof: "mpirun.openmpi", purpose: "ranks under Open MPI" },
    Package {
        name: "libopenmpi-dev",
        proof: "openmpi/include/mpi.h",
        purpose: "the feature `mpi`, for Open MPI",
    },
    Package { name: "mpich", proof: "mpirun.mpich", purpose: "ranks under MPICH" },
    Package { name: "libmpich-dev", proof: "libmpich.so", purpose: "the feature `mpi`, for MPICH" },
    Package {
        name: "libclang1-14",
        proof: "libclang-14.so.1",
        purpose: "MPI's header, read for the feature `mpi`",
    },
    Package {
        name: "libclang-common-14-dev",
        proof: "llvm-14/lib/clang/14.0.6/include/stddef.h",
        purpose: "headers that MPI's includes",
    },
];

/// Where Debian puts programs; a user's PATH often lacks the `sbin` folders.
const FOLDERS: [&str; 5] = ["/usr/local/bin", "/usr/bin", "/usr/sbin", "/bin", "/sbin"];

/// Where it puts libraries: those of one architecture in a folder of their own.
const LIBRARIES: &str = "/usr/lib";

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
        bail!("installed, but its proof is not there\n{}", advice(&absent));
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
    PACKAGES.iter().filter(|package| !is_there(package.proof)).collect()
}

fn is_installed(proof: &str) -> bool {
    let own = format!("{LIBRARIES}/{}-linux-gnu", std::env::consts::ARCH);
    let folders = FOLDERS.into_iter().chain([LIBRARIES, &own]);
    folders.map(Path::new).any(|folder| folder.join(proof).exists())
}

fn advice(absent: &[&Package]) -> String {
    let names: Vec<&str> = absent.iter().map(|package| package.name).collect();
    let row = |package: &&Package| {
        format!("  {:<20} {:<20} {}\n", package.name, package.proof, package.purpose)
    };
    let rows: String = absent.iter().map(row).collect();
    format!(
        "tests need packages that are missing (package, its proof, what for):\n{rows}\
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
    fn a_package_is_missing_when_its_proof_is() {
        assert!(missing(&|_| true).is_empty());
        let absent = missing(&|program| program != "mkfs.btrfs");
        assert_eq!(absent.iter().map(|package| package.name).collect::<Vec<_>>(), ["btrfs-progs"]);
    }

    #[test]
    fn the_advice_names_packages_proofs_and_the_command() {
        let text = advice(&missing(&|program| program != "fio" && program != "sfdisk"));
        let expected = "\
tests need packages that are missing (package, its proof, what for):
  fio                  fio                  the other tool in side-by-side runs
  fdisk                sfdisk               a GPT on a loop device
install them as root: apt-get install --no-install-recommends fio fdisk";
        assert_eq!(text, expected);
    }

    #[test]
    fn every_program_that_the_lab_requires_has_a_package() {
        for program in crate::lab::PROGRAMS {
            assert!(PACKAGES.iter().any(|package| package.proof == program), "{program}");
        }
    }

    #[test]
    fn a_proof_is_looked_for_where_debian_puts_it() {
        assert!(is_installed("sh"));
        assert!(!is_installed("no-such-program"));
        assert!(is_installed("libc.so.6"));
    }
}
