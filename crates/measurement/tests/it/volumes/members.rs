//! Stamps are written through a volume and found on its members, byte by byte, by maps that know
//! nothing of splitting.

use std::path::Path;

use iopath_measurement::Ending;
use iopath_workload::stamp::{self, Expected};

use super::case;
use crate::cases::run;

const MIB: u64 = 1 << 20;

/// Where a byte of the volume is: on which members, and where there.
type Map = fn(u64) -> Vec<(usize, u64)>;

struct Layout {
    text: &'static str,
    bytes: u64,
    map: Map,
}

const LAYOUTS: [Layout; 5] = [
    Layout {
        text: "stripe \"vol\" unit=\"3 KiB\" over=\"a\"",
        // Whole units only: 341 of them in each MiB.
        bytes: 4 * 341 * 3072,
        map: |at| vec![((at / 3072 % 4) as usize, at / 3072 / 4 * 3072 + at % 3072)],
    },
    Layout {
        text: "concat \"vol\" over=\"a\"",
        bytes: 4 * MIB,
        map: |at| vec![((at / MIB) as usize, at % MIB)],
    },
    Layout {
        text: "mirror \"vol\" { side of=\"a[0]\"; side of=\"a[1]\"; side of=\"a[3]\" }",
        bytes: MIB,
        map: |at| [0, 1, 3].map(|side| (side, at)).into(),
    },
    Layout {
        text: "mirror \"m\" { side of=\"a[0-1]\"; side of=\"a[2-3]\" }\n\
               stripe \"vol\" unit=\"64 KiB\" over=\"m\"",
        bytes: 2 * MIB,
        map: |at| {
            let (unit, within) = (at / 65536, at % 65536);
            let (pair, there) = ((unit % 2) as usize, unit / 2 * 65536 + within);
            vec![(pair, there), (pair + 2, there)]
        },
    },
    Layout {
        text: "stripe \"s\" unit=\"64 KiB\" over=\"a[0-2]\"\nconcat \"vol\" over=\"a[3],s\"",
        bytes: 4 * MIB,
        map: |at| match at.checked_sub(MIB) {
            None => vec![(3, at)],
            Some(at) => {
                let unit = at / 65536;
                // 16 units of 64 KiB in each member.
                vec![((unit % 3) as usize, unit / 3 * 65536 + at % 65536)]
            }
        },
    },
];

#[test]
fn what_is_stamped_through_a_volume_is_on_its_members() {
    for layout in &LAYOUTS {
        let place = tempfile::tempdir().unwrap();
        let text = format!(
            "layout {{\nfile \"a\" count=4 size=\"1 MiB\"\n{}\n}}\n\
             bind from=\"a\" to=\"DIR/m[0-3]\"\n\
             workload cache=\"buffered\" verify=#true {{ streams \"w\" over=\"vol\" \
             op=\"write\" pattern=\"sequential\" block=\"20 KiB\" depth=4 }}",
            layout.text
        );
        let left = run(&case(&text, place.path()));
        assert!(matches!(left.ending, Ending::Finished), "{}: {:?}", layout.text, left.ending);
        let facts = &left.records[0].environment;
        assert_eq!(facts["target.vol.bytes"], layout.bytes.to_string(), "{}", layout.text);
        let seed = facts["target.vol.stamp_seed"].parse().unwrap();
        find_stamps(layout, place.path(), seed);
    }
}

fn find_stamps(layout: &Layout, place: &Path, seed: u64) {
    // Those that the volume does not lie on are not made.
    let members =
        ["m0", "m1", "m2", "m3"].map(|name| std::fs::read(place.join(name)).unwrap_or_default());
    let whole = layout.bytes - layout.bytes % (20 << 10);
    for unit in (0..whole).step_by(4096) {
        for side in 0..(layout.map)(0).len() {
            let byte = |at| {
                let (member, offset) = (layout.map)(at)[side];
                members[member][offset as usize]
            };
            let data: Vec<u8> = (unit..unit + 4096).map(byte).collect();
            let expected = Expected::Anything { offset: unit, seed: Some(seed) };
            let checked = stamp::check(&data, expected);
            assert!(checked.is_ok(), "{} at {unit}: {checked:?}", layout.text);
        }
    }
}
