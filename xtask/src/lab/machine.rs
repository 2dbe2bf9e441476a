//! Machines that guests are, as rows of a table, and the arguments that make QEMU one of them.
//!
//! Drives are memory without a name (memfd), so they vanish with the guest. Rates are QEMU's own
//! throttles, so they are known. A drive with two devices is one unit that two adapters lead to.

use std::fs::File;
use std::os::fd::AsRawFd;

use anyhow::{Context, Result};
use rustix::fs::{MemfdFlags, memfd_create};

#[derive(Debug)]
pub(crate) struct Machine {
    pub name: &'static str,
    pub processors: u32,
    pub memory_mib: u32,
    /// Arguments of QEMU that no other field has, words parted by blanks.
    besides: &'static str,
    /// What drives are attached to, as QEMU's `-device`.
    adapters: &'static [&'static str],
    drives: &'static [Drive],
}

#[derive(Debug)]
struct Drive {
    mib: u64,
    ways: &'static [Way],
}

/// One way to a drive, with a throttle of its own.
#[derive(Debug)]
struct Way {
    throttle: Throttle,
    /// As QEMU's `-device`, without `drive=`.
    device: &'static str,
}

#[derive(Clone, Copy, Debug)]
enum Throttle {
    BytesPerSec(u64),
    RequestsPerSec(u64),
}

const FULL: Throttle = Throttle::BytesPerSec(100_000_000);
const SLOW: Throttle = Throttle::BytesPerSec(25_000_000);

const fn drive(ways: &'static [Way]) -> Drive {
    Drive { mib: 512, ways }
}

const fn way(device: &'static str) -> Way {
    throttled(FULL, device)
}

const fn throttled(throttle: Throttle, device: &'static str) -> Way {
    Way { throttle, device }
}

/// For what is stacked: equal NVMe drives.
pub(crate) const STACKS: Machine = Machine {
    name: "stacks",
    processors: 2,
    memory_mib: 1536,
    besides: "",
    adapters: &[],
    drives: &[
        drive(&[way("nvme,serial=LAB0")]),
        drive(&[way("nvme,serial=LAB1")]),
        drive(&[way("nvme,serial=LAB2")]),
        drive(&[way("nvme,serial=LAB3")]),
        drive(&[way("nvme,serial=LAB4")]),
        drive(&[way("nvme,serial=LAB5")]),
    ],
};

/// One unit behind two adapters.
pub(crate) const PATHS: Machine = Machine {
    name: "paths",
    processors: 2,
    memory_mib: 1536,
    besides: "",
    adapters: &["virtio-scsi-pci,id=hba0", "virtio-scsi-pci,id=hba1"],
    drives: &[drive(&[
        way("scsi-hd,bus=hba0.0,serial=UNIT0,wwn=0x5000c50015ea71aa,share-rw=on"),
        way("scsi-hd,bus=hba1.0,serial=UNIT0,wwn=0x5000c50015ea71aa,share-rw=on"),
    ])],
};

/// Little memory.
pub(crate) const SMALL: Machine = Machine {
    name: "small",
    processors: 1,
    memory_mib: 512,
    besides: "",
    adapters: &[],
    drives: &[drive(&[way("nvme,serial=LAB0")])],
};

/// Members and ports: four equal drives behind root ports, a slow one, one with twice their rate,
/// and one behind a switch that takes 5000 requests a second.
pub(crate) const MEMBERS: Machine = Machine {
    name: "members",
    processors: 2,
    memory_mib: 1536,
    besides: "",
    adapters: &[
        "pcie-root-port,id=rp0,chassis=1,slot=1",
        "pcie-root-port,id=rp1,chassis=2,slot=2",
        "pcie-root-port,id=rp2,chassis=3,slot=3",
        "pcie-root-port,id=rp3,chassis=4,slot=4",
        "pcie-root-port,id=rp4,chassis=5,slot=5",
        "pcie-root-port,id=rp5,chassis=6,slot=6",
        "pcie-root-port,id=rp6,chassis=7,slot=7",
        "x3130-upstream,id=up,bus=rp6",
        "xio3130-downstream,id=down,bus=up,chassis=8,slot=8",
    ],
    drives: &[
        drive(&[way("nvme,serial=LAB0,bus=rp0")]),
        drive(&[way("nvme,serial=LAB1,bus=rp1")]),
        drive(&[way("nvme,serial=LAB2,bus=rp2")]),
        drive(&[way("nvme,serial=LAB3,bus=rp3")]),
        drive(&[throttled(SLOW, "nvme,serial=LAB4,bus=rp4")]),
        drive(&[throttled(Throttle::BytesPerSec(200_000_000), "nvme,serial=LAB5,bus=rp5")]),
        drive(&[throttled(Throttle::RequestsPerSec(5_000), "nvme,serial=LAB6,bus=down")]),
    ],
};

/// Units with two ways each: one of them slow, behind SAS, and behind two controllers of NVMe.
pub(crate) const WAYS: Machine = Machine {
    name: "ways",
    processors: 2,
    memory_mib: 1536,
    besides: "",
    adapters: &[
        "virtio-scsi-pci,id=hba0",
        "virtio-scsi-pci,id=hba1",
        "mptsas1068,id=sas0",
        "mptsas1068,id=sas1",
        "nvme-subsys,id=sub0,nqn=lab",
        "nvme,serial=CTRL0,subsys=sub0,id=c0",
        "nvme,serial=CTRL0,subsys=sub0,id=c1",
    ],
    drives: &[
        drive(&[
            way("scsi-hd,bus=hba0.0,serial=UNIT0,wwn=0x5000c50015ea71aa,share-rw=on"),
            throttled(SLOW, "scsi-hd,bus=hba1.0,serial=UNIT0,wwn=0x5000c50015ea71aa,share-rw=on"),
        ]),
        drive(&[
            way("scsi-hd,bus=sas0.0,scsi-id=0,serial=UNIT1,wwn=0x5000c50015ea71bb,share-rw=on"),
            way("scsi-hd,bus=sas1.0,scsi-id=0,serial=UNIT1,wwn=0x5000c50015ea71bb,share-rw=on"),
        ]),
        drive(&[way("nvme-ns,nsid=1,shared=on,bus=c0")]),
    ],
};

/// Two NUMA nodes, with a drive next to the second.
pub(crate) const NODES: Machine = Machine {
    name: "nodes",
    processors: 2,
    memory_mib: 1536,
    besides: "-object memory-backend-ram,id=m0,size=768M \
              -object memory-backend-ram,id=m1,size=768M \
              -numa node,nodeid=0,cpus=0,memdev=m0 -numa node,nodeid=1,cpus=1,memdev=m1",
    adapters: &[
        "pcie-root-port,id=rp0,chassis=1,slot=1",
        "pxb-pcie,id=pxb1,bus_nr=128,numa_node=1,bus=pcie.0",
        "pcie-root-port,id=rp1,chassis=2,slot=2,bus=pxb1",
    ],
    drives: &[drive(&[way("nvme,serial=LAB0,bus=rp0")]), drive(&[way("nvme,serial=LAB1,bus=rp1")])],
};

impl Machine {
    /// The files of the drives; QEMU inherits them.
    pub(crate) fn make_drives(&self) -> Result<Vec<File>> {
        let make = |drive: &Drive| {
            let file = File::from(memfd_create("lab", MemfdFlags::empty())?);
            file.set_len(drive.mib << 20)?;
            Ok(file)
        };
        self.drives.iter().map(make).collect::<Result<_>>().context("no memory for a drive")
    }

    /// Arguments for QEMU, given the files of the drives.
    pub(crate) fn arguments(&self, files: &[File]) -> Vec<String> {
        let files = files.iter().map(|file| format!("/dev/fd/{}", file.as_raw_fd()));
        self.arguments_for(&files.collect::<Vec<_>>())
    }

    fn arguments_for(&self, files: &[String]) -> Vec<String> {
        let mut words = vec![
            "-smp".to_owned(),
            self.processors.to_string(),
            "-m".to_owned(),
            self.memory_mib.to_string(),
        ];
        words.extend(self.besides.split_whitespace().map(str::to_owned));
        for adapter in self.adapters {
            words.extend(["-device".to_owned(), (*adapter).to_owned()]);
        }
        for (number, (drive, file)) in self.drives.iter().zip(files).enumerate() {
            for (place, way) in drive.ways.iter().enumerate() {
                let id = format!("d{number}w{place}");
                words.extend(["-drive".to_owned(), way.backend(file, &id)]);
                words.extend(["-device".to_owned(), format!("{},drive={id}", way.device)]);
            }
        }
        words
    }
}

impl Way {
    fn backend(&self, file: &str, id: &str) -> String {
        // The kernel of the host would refuse the second device of a unit its lock.
        let base = format!("file={file},format=raw,if=none,id={id},file.locking=off,discard=unmap");
        match self.throttle {
            Throttle::BytesPerSec(rate) => format!("{base},throttling.bps-total={rate}"),
            Throttle::RequestsPerSec(rate) => format!("{base},throttling.iops-total={rate}"),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_unit_behind_two_adapters_is_one_file_twice() {
        let words = PATHS.arguments_for(&["/unit".to_owned()]);
        let backend = |id| {
            format!(
                "file=/unit,format=raw,if=none,id={id},file.locking=off,discard=unmap,\
                 throttling.bps-total=100000000"
            )
        };
        assert_eq!(words[..4], ["-smp", "2", "-m", "1536"]);
        assert_eq!(
            words[4..8].concat(),
            "-devicevirtio-scsi-pci,id=hba0-devicevirtio-scsi-pci,id=hba1"
        );
        assert_eq!(words[9], backend("d0w0"));
        assert!(words[11].ends_with("share-rw=on,drive=d0w0"), "{}", words[11]);
        assert_eq!(words[13], backend("d0w1"));
        assert_eq!(words.len(), 16);
    }

    #[test]
    fn a_drive_has_its_size_and_no_name() {
        let drives = SMALL.make_drives().unwrap();
        assert_eq!(drives.len(), 1);
        assert_eq!(drives[0].metadata().unwrap().len(), 512 << 20);
        assert_eq!(std::os::unix::fs::MetadataExt::nlink(&drives[0].metadata().unwrap()), 0);
    }
}
