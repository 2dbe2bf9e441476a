//! Metadata loads: trees, and streams over them.

use iopath_study::case::{Pattern, SyncMode, TargetKind, Tree};
use iopath_units::{Action, Bytes, Ratio};

use super::{cases_of, read_with};

const SOUND: &str = r#"study "small files"
layout { tree "t" files=100 directories=4 file-size="4 KiB" directory="/mnt"; file "f" size="1 MiB" }
workload sync="fsync" block="64 KiB" {
    streams "create" over="t" op="create" count=2
    streams "stat" over="t" op="stat" pattern="random" after="create"
    streams "unlink" over="t" op="unlink" pattern="backwards" after="stat"
    streams "write" over="f" op="write"
}
"#;

#[test]
fn streams_over_a_tree_have_files_for_requests() {
    let case = &cases_of(SOUND)[0];
    let tree = Tree { files: 100, directories: 4, file_size: Bytes(4096) };
    assert_eq!((case.targets[0].kind, case.targets[0].tree), (TargetKind::Tree, Some(tree)));
    assert_eq!((case.targets[0].size, case.targets[1].tree), (None, None));
    let what = case.streams.iter().map(|one| (one.action, one.reads, one.sync, one.block));
    let expected = [
        (Action::Create, Ratio(0), SyncMode::Fsync(1), Bytes(1)),
        (Action::Create, Ratio(0), SyncMode::Fsync(1), Bytes(1)),
        (Action::Stat, Ratio::ONE, SyncMode::None, Bytes(1)),
        (Action::Unlink, Ratio(0), SyncMode::None, Bytes(1)),
        (Action::Transfer, Ratio(0), SyncMode::Fsync(1), Bytes(65_536)),
    ];
    assert_eq!(what.collect::<Vec<_>>(), expected);
    assert_eq!(case.streams[2].pattern, Pattern::Random);
    let again = &cases_of(&case.text)[0];
    assert_eq!((&again.targets, &again.streams.len()), (&case.targets, &case.streams.len()));
    assert_eq!(again.text, case.text);
}

#[test]
fn what_cannot_be_said_of_files_is_a_mistake() {
    for (from, to, expected) in [
        ("files=100 ", "", "needs the number of its files"),
        ("directories=4", "directories=101", "101 directories are too many for 100 files"),
        ("files=100", "files=1", "directories are too many"),
        ("over=\"t\" op=\"create\"", "over=\"f\" op=\"create\"", "f is no tree"),
        ("over=\"f\" op=\"write\"", "over=\"t\" op=\"write\"", "t is a tree of files"),
        ("count=2", "count=101", "101 streams for the 100 files of t"),
        ("count=2", "count=2 region=\"shared\"", "streams cannot share them"),
        ("count=2", "block=\"4 KiB\"", "a request is a file"),
        ("count=2", "sync-every=2", "each file is flushed by itself"),
        ("count=2", "sync=\"dsync\"", "sync=\"dsync\" means nothing"),
        ("op=\"stat\"", "op=\"stat\" sync=\"fsync\"", "sync=\"fsync\" means nothing"),
        ("op=\"stat\"", "op=\"stat\" advice=\"random\"", "no offsets to advise"),
        ("op=\"stat\"", "op=\"stat\" rate=\"1 MB/s\"", "operations per second"),
        ("\"random\"", "\"strided\" stride=\"128 KiB\"", "no distances in bytes"),
        ("\"backwards\"", "\"random\"", "unlinks files, each once"),
        ("workload ", "workload amount=\"1 GiB\" ", "an amount is in bytes"),
        ("workload ", "workload until-ci=\"2 %\" ", "until-ci is about bytes a second"),
        ("workload ", "workload engine=\"mmap\" cache=\"drop\" ", "which cannot be mapped"),
        ("workload ", "workload verify=#true ", "whose data is not verified"),
        ("workload ", "bind from=\"t\" to=\"/mnt/x\"\nworkload ", "always created new"),
    ] {
        assert!(SOUND.contains(from), "{from}");
        let text = SOUND.replacen(from, to, 1);
        let told = match read_with(&text, &[]) {
            Err(mistakes) => mistakes.to_string(),
            Ok(_) => panic!("no mistake in\n{text}"),
        };
        assert!(told.contains(expected), "{expected}\n--- in ---\n{told}");
    }
}
