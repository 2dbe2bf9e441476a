//! The examples that come with the program: each parses, and its cases are those that it promises.

use super::{cases_of, levels};

pub(crate) const EXAMPLES: [(&str, &str); 6] = [
    ("scratch", include_str!("../../../../studies/scratch.kdl")),
    ("devices", include_str!("../../../../studies/devices.kdl")),
    ("mixed-open-loop", include_str!("../../../../studies/mixed-open-loop.kdl")),
    ("many-readers", include_str!("../../../../studies/many-readers.kdl")),
    ("read-behind-write", include_str!("../../../../studies/read-behind-write.kdl")),
    ("stripe", include_str!("../../../../studies/stripe.kdl")),
];

/// Paths that come with the program; the last two take that of the first.
pub(crate) const PATHS: [(&str, &str); 10] = [
    ("p690", include_str!("../../../../studies/p690.kdl")),
    ("veritas-cfs", include_str!("../../../../studies/veritas-cfs.kdl")),
    ("storagetek-2540", include_str!("../../../../studies/storagetek-2540.kdl")),
    ("svc", include_str!("../../../../studies/svc.kdl")),
    ("cloud-token-bucket", include_str!("../../../../studies/cloud-token-bucket.kdl")),
    ("lustre-oss-raid6", include_str!("../../../../studies/lustre-oss-raid6.kdl")),
    ("nvme-pcie-switches", include_str!("../../../../studies/nvme-pcie-switches.kdl")),
    ("zfs-sas-expander", include_str!("../../../../studies/zfs-sas-expander.kdl")),
    ("gpfs", include_str!("../../../../studies/gpfs.kdl")),
    ("jfs2", include_str!("../../../../studies/jfs2.kdl")),
];

fn listing(name: &str) -> String {
    let (_, text) = EXAMPLES.iter().find(|(example, _)| *example == name).unwrap();
    let line = |case: &iopath_study::Case| {
        let streams = case.streams.len();
        let block = case.streams[0].block;
        format!("{}: {} | {streams} streams, {block}", case.experiment, levels(case))
    };
    cases_of(text).iter().map(line).collect::<Vec<_>>().join("\n")
}

#[test]
fn scratch() {
    insta::assert_snapshot!(listing("scratch"), @r"
    Block sizes on a scratch file: op=write, pattern=sequential, block=4 KiB | 1 streams, 4 KiB
    Block sizes on a scratch file: op=write, pattern=sequential, block=64 KiB | 1 streams, 64 KiB
    Block sizes on a scratch file: op=write, pattern=sequential, block=1 MiB | 1 streams, 1 MiB
    Block sizes on a scratch file: op=write, pattern=random, block=4 KiB | 1 streams, 4 KiB
    Block sizes on a scratch file: op=write, pattern=random, block=64 KiB | 1 streams, 64 KiB
    Block sizes on a scratch file: op=write, pattern=random, block=1 MiB | 1 streams, 1 MiB
    Block sizes on a scratch file: op=read, pattern=sequential, block=4 KiB | 1 streams, 4 KiB
    Block sizes on a scratch file: op=read, pattern=sequential, block=64 KiB | 1 streams, 64 KiB
    Block sizes on a scratch file: op=read, pattern=sequential, block=1 MiB | 1 streams, 1 MiB
    Block sizes on a scratch file: op=read, pattern=random, block=4 KiB | 1 streams, 4 KiB
    Block sizes on a scratch file: op=read, pattern=random, block=64 KiB | 1 streams, 64 KiB
    Block sizes on a scratch file: op=read, pattern=random, block=1 MiB | 1 streams, 1 MiB
    ");
}

#[test]
fn devices() {
    insta::assert_snapshot!(listing("devices"), @r"
    Four NVMe drives, read only: drives=server.nvme[0], kind=sequential, 128 KiB | 1 streams, 128 KiB
    Four NVMe drives, read only: drives=server.nvme[0], kind=random, 4 KiB | 1 streams, 4 KiB
    Four NVMe drives, read only: drives=server.nvme[0-1], kind=sequential, 128 KiB | 2 streams, 128 KiB
    Four NVMe drives, read only: drives=server.nvme[0-1], kind=random, 4 KiB | 2 streams, 4 KiB
    Four NVMe drives, read only: drives=server.nvme, kind=sequential, 128 KiB | 4 streams, 128 KiB
    Four NVMe drives, read only: drives=server.nvme, kind=random, 4 KiB | 4 streams, 4 KiB
    ");
    let cases = cases_of(EXAMPLES[1].1);
    let bound: Vec<_> = cases[4].targets.iter().map(|t| t.binding.clone().unwrap()).collect();
    assert_eq!(bound, ["/dev/nvme0n1", "/dev/nvme1n1", "/dev/nvme2n1", "/dev/nvme3n1"]);
    assert!(cases.iter().flat_map(|case| &case.streams).all(|s| s.reads.0 == 1_000_000));
}

#[test]
fn mixed_open_loop() {
    insta::assert_snapshot!(listing("mixed-open-loop"), @r"
    Response time of a 70/30 mix: load=1000 /s | 1 streams, 8 KiB
    Response time of a 70/30 mix: load=2000 /s | 1 streams, 8 KiB
    Response time of a 70/30 mix: load=5000 /s | 1 streams, 8 KiB
    Response time of a 70/30 mix: load=10000 /s | 1 streams, 8 KiB
    Response time of a 70/30 mix: load=20000 /s | 1 streams, 8 KiB
    Response time of a 70/30 mix: load=50000 /s | 1 streams, 8 KiB
    ");
}

#[test]
fn read_behind_write() {
    insta::assert_snapshot!(listing("read-behind-write"), @r"
    Read behind write: lag=one record | 8 streams, 1 MiB
    Read behind write: lag=follow | 8 streams, 1 MiB
    ");
}

#[test]
fn many_readers() {
    insta::assert_snapshot!(listing("many-readers"), @r"
    how many: readers=1 | 1 streams, 1 MiB
    how many: readers=4 | 4 streams, 1 MiB
    how many: readers=16 | 16 streams, 1 MiB
    how many: readers=64 | 64 streams, 1 MiB
    own and shared regions: region=own, cache=direct | 64 streams, 128 KiB
    own and shared regions: region=own, cache=drop | 64 streams, 128 KiB
    own and shared regions: region=shared, cache=direct | 64 streams, 128 KiB
    own and shared regions: region=shared, cache=drop | 64 streams, 128 KiB
    ");
}
