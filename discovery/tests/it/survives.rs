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
            _ if path.ends_with("/dev") => {}
            Some(text) if path != "/proc/self/mountinfo" => tree.file(path, text),
            _ => drop(tree.remove(path)),
        }
        let folder = tempfile::tempdir().unwrap();
        tree.unpack(folder.path()).unwrap();
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
