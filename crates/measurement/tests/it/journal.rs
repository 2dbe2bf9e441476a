//! Journals of verified targets over the cases of a run, and what they say when it is over.

use std::fs::{File, OpenOptions};
use std::os::unix::fs::FileExt;
use std::path::{Path, PathBuf};
use std::sync::atomic::AtomicBool;

use iopath_machine::Root;
use iopath_measurement::{Ending, Journals, LeftJournal, Targets};
use iopath_record::AfterCrash;
use iopath_study::{Case, Source};

use crate::cases::{run_on, targets};

const HALF: u64 = 4 << 20;

/// Cases that write to one file, by what varies.
fn cases(place: &Path, factor: &str) -> Vec<Case> {
    let text = format!(
        "study \"s\"\nlayout {{ file \"data\" size=\"8 MiB\" }}\n\
         bind from=\"data\" to=\"{}\"\n\
         workload time=\"200 ms\" warm-up=\"0 s\" verify=#true {{\n\
         streams \"w\" over=\"data\" op=\"write\" pattern=\"random\" block=\"4 KiB\" depth=4\n}}\n\
         vary {{ factor \"f\" of={factor} }}\n",
        place.join("data").display()
    );
    let source = Source { name: "test".to_owned(), text };
    iopath_study::parse(&source, &[]).unwrap().cases().unwrap()
}

/// Runs them all; gives the targets, which hold the locks, and the names of the journals.
fn measured(place: &Path, cases: &[Case]) -> Targets {
    let mut targets = targets(&cases[0]);
    let directory = place.to_owned();
    let make = move |number: u32| {
        let path = directory.join(format!("journal-{number}"));
        let mut options = OpenOptions::new();
        let file = options.read(true).write(true).create_new(true).open(&path)?;
        Ok((path, file))
    };
    targets.keep_journals(Journals::new(1, 2, Box::new(make)));
    for case in cases {
        let left = run_on(case, &mut targets, &AtomicBool::new(false));
        assert!(matches!(left.ending, Ending::Finished), "{:?}", left.ending);
    }
    targets
}

fn journals(place: &Path) -> Vec<PathBuf> {
    let paths = std::fs::read_dir(place).unwrap().map(|entry| entry.unwrap().path());
    let mut paths: Vec<PathBuf> = paths.filter(|path| *path != place.join("data")).collect();
    paths.sort();
    paths
}

fn checked(journal: &Path) -> AfterCrash {
    let left = LeftJournal::open(&File::open(journal).unwrap(), &Root::live()).unwrap();
    assert_eq!((left.run(), left.started_unix_ns()), (1, 2));
    assert_eq!((left.target(), left.is_current()), ("data", true));
    left.check(&AtomicBool::new(false), &mut |_| ()).unwrap()
}

#[test]
fn a_journal_grows_with_its_target() {
    let place = tempfile::tempdir().unwrap();
    drop(measured(place.path(), &cases(place.path(), "\"data.size\" \"4 MiB\" \"8 MiB\"")));
    let journals = journals(place.path());
    assert_eq!(journals, [place.path().join("journal-0")]);
    let found = checked(&journals[0]);
    assert!(found.intact_units > 0 && found.intact_units == found.units(), "{found:?}");
    let file = OpenOptions::new().write(true).open(place.path().join("data")).unwrap();
    file.write_all_at(&vec![0; HALF as usize], HALF).unwrap();
    let bad = checked(&journals[0]).bad_blocks;
    assert!(!bad.is_empty() && bad.listed.iter().all(|block| block.offset_bytes >= HALF));
}

#[test]
fn what_one_journal_no_longer_knows_the_next_one_does() {
    let place = tempfile::tempdir().unwrap();
    let targets = measured(place.path(), &cases(place.path(), "\"w.block\" \"4 KiB\" \"512 B\""));
    drop(targets);
    let journals = journals(place.path());
    assert_eq!(
        journals,
        [place.path().join("journal-1")],
        "stamps of another size, another journal"
    );
    let found = checked(&journals[0]);
    assert_eq!((found.unit_bytes, found.units()), (512, found.intact_units));
}

#[test]
fn a_run_that_ends_well_discards_its_journals() {
    let place = tempfile::tempdir().unwrap();
    let mut targets = measured(place.path(), &cases(place.path(), "\"w.depth\" 1 2"));
    assert_eq!(journals(place.path()).len(), 1);
    targets.discard_journals();
    assert_eq!(journals(place.path()).len(), 0);
}

#[test]
fn a_journal_of_another_boot_may_lack_its_last_entries() {
    let place = tempfile::tempdir().unwrap();
    drop(measured(place.path(), &cases(place.path(), "\"w.depth\" 1")));
    let root = tempfile::tempdir().unwrap();
    let folder = root.path().join("proc/sys/kernel/random");
    std::fs::create_dir_all(&folder).unwrap();
    std::fs::write(folder.join("boot_id"), "another\n").unwrap();
    let file = File::open(&journals(place.path())[0]).unwrap();
    assert!(!LeftJournal::open(&file, &Root::at(root.path())).unwrap().is_current());
}
