//! A machine that tells less is drawn with less; nothing that it leaves out brings discovery down.

use std::sync::LazyLock;

use iopath_imitation::{Entry, NAMES, machine};
use proptest::prelude::*;

use crate::goldens::{found, study};

/// Every path of every machine that holds a file or a link, with the machine's name.
static PLACES: LazyLock<Vec<(&'static str, String)>> = LazyLock::new(|| {
    let all = NAMES.iter().flat_map(|name| {
        let tree = machine(name);
        let paths = tree.entries().filter(|(_, entry)| !matches!(entry, Entry::Folder));
        let paths: Vec<_> = paths.map(|(path, _)| (*name, path.to_owned())).collect();
        paths
    });
    all.collect()
});

proptest! {
    #![proptest_config(ProptestConfig { cases: 12, ..ProptestConfig::default() })]

    /// One file or link is not there, or says nonsense.
    #[test]
    fn one_file_that_is_missing_or_torn_leaves_a_study(
        at in any::<prop::sample::Index>(),
        torn in prop::option::of("[ -~]{0,12}"),
    ) {
        let (name, path) = at.get(&PLACES);
        let mut tree = machine(name);
        match &torn {
            // The list of devices itself is what nothing can be said without.
            _ if ["/dev", "/size", "/ro", "/start", "/partition"]
                .iter()
                .any(|name| path.ends_with(name)) => {}
            Some(text) if path != "/proc/self/mountinfo" => tree.file(path, text),
            _ => drop(tree.remove(path)),
        }
        let folder = tree.unpacked().unwrap();
        study(&found(folder.path(), &[]));
    }
}

#[test]
fn a_machine_without_any_device_still_gives_a_study() {
    let folder = tempfile::tempdir().unwrap();
    iopath_imitation::Tree::new().unpack(folder.path()).unwrap();
    let text = study(&found(folder.path(), &[]));
    assert!(text.contains("file \"scratch\""), "{text}");
}

/// Found as a study that `check` refused: a disk that did not say whether it turns was called flash
/// with the figures of its model, which turns.
#[test]
fn drives_of_one_model_may_be_shown_as_different_kinds() {
    let mut tree = machine("md");
    let disk = "/sys/devices/pci0000:00/0000:00:17.0/ata2/host1/target1:0:0/1:0:0:0/block/sdb";
    tree.attribute(&format!("{disk}/queue"), "rotational", "0");
    let folder = tree.unpacked().unwrap();
    let text = study(&found(folder.path(), &[]));
    assert!(text.contains("ssd \"sdb\" use=\"st4000nm000a-2hz-2\""), "{text}");
}

/// Found as a study that `check` refused: three members cannot hold what four held.
#[test]
fn an_array_without_one_of_its_members_is_a_study() {
    let mut tree = machine("md");
    let md = "/sys/devices/virtual/block/md0/md";
    tree.attribute(&format!("{md}/dev-sdc1"), "slot", "none");
    tree.attribute(md, "degraded", "1");
    let folder = tree.unpacked().unwrap();
    let found = found(folder.path(), &[]);
    study(&found);
    let text = "md0: only 3 of 4 members are present: its size is left out";
    assert!(found.unread.contains(&text.to_owned()), "{:?}", found.unread);
}
