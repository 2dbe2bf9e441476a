//! What no manager can build: members that make up no volume of the level that is stated.

use iopath_layout::Tool::{Btrfs, Lvm, Mdadm, Vxassist, Zpool};

use crate::{built, refused};

fn over(first: &str, count: usize) -> String {
    format!("raid \"v\" {first} over=\"box.controller.lun[0-{}]\"", count - 1)
}

#[test]
fn members_that_make_up_no_volume_are_refused_by_every_manager() {
    let rows = [
        (over("level=5", 2), "v: RAID 5 needs 3 members or more, and has 2 without spares"),
        (
            over("level=4 spares=1", 3),
            "v: RAID 4 needs 3 members or more, and has 2 without spares",
        ),
        (over("level=6", 3), "v: RAID 6 needs 4 members or more, and has 3 without spares"),
        (
            over("level=6 parity=3", 4),
            "v: RAID 6 needs 5 members or more, and has 4 without spares",
        ),
        (over("level=10", 3), "v: RAID 10 is pairs, and 3 members without spares are odd"),
        (
            over("level=1 spares=1", 2),
            "v: mirror needs 2 members or more, and has 1 without spares",
        ),
        (over("level=0 spares=1", 4), "v: level 0 has no use for spares: nothing can be rebuilt"),
        (
            over("level=50 width=4", 6),
            "v: 6 members without spares do not form groups of width=4, each of 3 or more",
        ),
        (
            over("level=50 width=2", 6),
            "v: 6 members without spares do not form groups of width=2, each of 3 or more",
        ),
        (
            over("level=60", 6),
            "v: 6 members without spares do not form equal groups of 4 or more, which RAID 60 \
             needs",
        ),
    ];
    for (layout, expected) in rows {
        for tool in [Mdadm, Lvm, Zpool, Btrfs, Vxassist] {
            assert_eq!(refused(&layout, tool), expected, "{layout}");
        }
    }
}

#[test]
fn the_fewest_members_are_taken() {
    for layout in [over("level=5", 3), over("level=6", 4), over("level=10", 2)] {
        assert_eq!(built(&layout, Mdadm).steps.len(), 1, "{layout}");
    }
    assert_eq!(built(&over("level=50 width=3", 6), Mdadm).steps.len(), 3);
}
