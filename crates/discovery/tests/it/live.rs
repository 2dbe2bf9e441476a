//! This machine: whatever it is, its path is a study, and a file on it has a place.

use std::fs;
use std::path::PathBuf;

use iopath_discovery::{Facts, discover};
use iopath_machine::Root;

use crate::goldens::study;

#[test]
fn this_machine_is_a_study() {
    study(&discover(&Facts::read(&Root::live(), &[]).unwrap()));
}

#[test]
fn a_file_and_a_directory_of_this_machine_lie_in_a_file_system() {
    let folder = tempfile::tempdir_in(env!("CARGO_MANIFEST_DIR")).unwrap();
    let file = folder.path().join("data.bin");
    fs::write(&file, vec![1; 1 << 20]).unwrap();
    let targets: Vec<PathBuf> = vec![file.clone(), folder.path().to_owned()];
    let found = discover(&Facts::read(&Root::live(), &targets).unwrap());
    let text = study(&found);
    assert_eq!(found.files.len(), 2);
    assert!(found.files.iter().all(|file| file.on.is_some()), "{text}");
    let bound = format!("bind from=\"data-bin\" to=\"{}\"", file.display());
    assert!(text.contains(&bound) && text.contains("size=\"1 MiB\""), "{text}");
}

#[test]
fn what_is_no_file_and_no_device_is_refused() {
    let error = Facts::read(&Root::live(), &[PathBuf::from("/dev/null")]).unwrap_err();
    assert!(error.to_string().contains("/dev/null"), "{error}");
    assert!(Facts::read(&Root::live(), &[PathBuf::from("/no/such/file")]).is_err());
}
