//! Where volumes and files begin on what they lie on.

use iopath_path::bases;

use crate::text::case;

const DISKS: &str = "path { host \"h\" { disk \"d\" count=4 size=\"1 GiB\" } }";

fn bases_of(layout: &str, of: &str) -> Vec<u64> {
    let over = if layout.contains("file ") { "f" } else { "v" };
    let streams = format!("streams \"r\" over=\"{over}\" block=\"4 KiB\"");
    let case = case(DISKS, layout, &streams);
    let bases = bases(&case.system);
    let named = case.system.ids().filter(|id| case.system.part(*id).name.starts_with(of));
    named.map(|id| bases[id.0]).collect()
}

#[test]
fn volumes_lie_one_behind_the_other_with_what_they_take_of_a_member() {
    let layout = "stripe \"v\" count=3 unit=\"64 KiB\" over=\"h.d\" size=\"400 MiB\"";
    assert_eq!(bases_of(layout, "v"), [0, 100 << 20, 200 << 20]);
}

#[test]
fn volumes_without_a_size_share_a_member_equally() {
    let layout = "stripe \"v\" count=4 unit=\"64 KiB\" over=\"h.d\"";
    assert_eq!(bases_of(layout, "v"), [0, 256 << 20, 512 << 20, 768 << 20]);
}

#[test]
fn members_of_one_volume_only_are_used_from_their_beginning() {
    let layout = "stripe \"v\" unit=\"64 KiB\" over=\"h.d\"";
    assert_eq!(bases_of(layout, "v"), [0]);
}

#[test]
fn files_lie_one_behind_the_other_from_whole_mebibytes_on() {
    let layout = "stripe \"v\" unit=\"64 KiB\" over=\"h.d\"\n\
        filesystem \"s\" on=\"v\" block=\"4 KiB\"\nfile \"f\" count=3 on=\"s\" size=\"1000 KiB\"";
    assert_eq!(bases_of(layout, "f"), [0, 1 << 20, 2 << 20]);
}
