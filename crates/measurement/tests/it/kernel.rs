//! What the kernel reads ahead of a real loop device, as its own counters see it.

use std::process::Command;
use std::sync::atomic::AtomicBool;

use iopath_machine::Root;
use iopath_measurement::{Ending, Targets};
use iopath_record::{Counter, Record};
use iopath_study::Case;

use crate::cases::run_on;

const SIZE: u64 = 16 << 20;

/// A loop device, taken away when dropped.
pub(crate) struct Loop {
    pub node: String,
    directory: tempfile::TempDir,
}

impl Loop {
    /// None where this is not root.
    pub(crate) fn new() -> Option<Self> {
        if !rustix::process::geteuid().is_root() {
            return None;
        }
        let directory = tempfile::tempdir().unwrap();
        let backing = directory.path().join("backing");
        std::fs::write(&backing, vec![7; SIZE as usize]).unwrap();
        let made = Command::new("losetup").args(["-f", "--show"]).arg(&backing).output().unwrap();
        assert!(made.status.success(), "{}", String::from_utf8_lossy(&made.stderr));
        let node = String::from_utf8(made.stdout).unwrap().trim().to_owned();
        Some(Self { node, directory })
    }

    /// What its file holds.
    pub(crate) fn backing(&self) -> Vec<u8> {
        std::fs::read(self.directory.path().join("backing")).unwrap()
    }

    fn setting(&self) -> String {
        format!("/sys/block/{}/queue/read_ahead_kb", self.node.trim_start_matches("/dev/"))
    }

    fn read_ahead_kib(&self) -> u64 {
        Root::live().attribute(self.setting()).unwrap().parse().unwrap()
    }

    fn case(&self, workload: &str, stream: &str) -> Case {
        let node = &self.node;
        let text = format!(
            r#"study "kernel"
path {{ host "server" {{ disk "d" }} }}
bind from="server.d" to="{node}"
workload cache="drop" engine="calls" {workload} {{
    streams "reader" over="server.d" block="4 KiB" {stream}
}}
"#
        );
        let source = iopath_study::Source { name: "kernel.kdl".to_owned(), text };
        let study = iopath_study::parse(&source, &[]);
        let study = study.unwrap_or_else(|mistakes| panic!("{mistakes}"));
        study.cases().unwrap_or_else(|mistakes| panic!("{mistakes}")).remove(0)
    }

    fn measured(&self, workload: &str, stream: &str) -> Record {
        let case = self.case(workload, stream);
        let mut targets = Targets::new(Root::live(), std::env::temp_dir());
        let obstacles =
            targets.obstacles(std::slice::from_ref(&case), &[], &AtomicBool::new(false));
        assert!(obstacles.is_empty(), "{obstacles:?}");
        let mut left = run_on(&case, &mut targets, &AtomicBool::new(false));
        assert!(matches!(left.ending, Ending::Finished), "{:?}", left.ending);
        assert_eq!(targets.take_remarks(), Vec::<String>::new());
        left.records.remove(0)
    }

    /// Requests that the device saw.
    pub(crate) fn requests(&self, record: &Record) -> u64 {
        let series = record.series.iter().find(|series| {
            let entity = &record.entities[series.entity.0 as usize];
            let is_loop = entity.binding.as_deref() == Some(&self.node);
            is_loop && series.counter == Counter::ReadOperations
        });
        let values: Vec<u64> = series.expect("its counters were sampled").values().collect();
        values.last().unwrap() - values[0]
    }
}

impl Drop for Loop {
    fn drop(&mut self) {
        // Best effort: a failure here must not hide the test's own.
        let _ = Command::new("losetup").args(["-d", &self.node]).status();
    }
}

#[test]
fn the_kernel_reads_ahead_as_far_as_it_is_told_and_no_longer() {
    let Some(device) = Loop::new() else { return };
    let before = device.read_ahead_kib();
    let mut requests = Vec::new();
    for kib in [16, 1024] {
        let record = device.measured(&format!("kernel-readahead=\"{kib} KiB\""), "");
        requests.push(device.requests(&record));
        assert_eq!(device.read_ahead_kib(), before, "it is restored");
        let facts = &record.environment;
        let fact = |when: &str| facts.get(&format!("setting.{}.{when}", device.setting()));
        assert_eq!(fact("during"), Some(&kib.to_string()));
        assert_eq!(fact("before"), Some(&before.to_string()));
    }
    // 16 MiB in pieces of 16 KiB at most, or of some hundred KiB as the device takes them.
    assert!(requests[0] >= SIZE >> 14 && requests[1] <= SIZE >> 16, "{requests:?}");
}

#[test]
fn an_interrupted_trial_restores_what_it_set() {
    let Some(device) = Loop::new() else { return };
    let before = device.read_ahead_kib();
    let case = device.case("kernel-readahead=\"16 KiB\"", "");
    let mut targets = Targets::new(Root::live(), std::env::temp_dir());
    assert!(
        targets.obstacles(std::slice::from_ref(&case), &[], &AtomicBool::new(false)).is_empty()
    );
    let left = run_on(&case, &mut targets, &AtomicBool::new(true));
    assert!(matches!(left.ending, Ending::Interrupted), "{:?}", left.ending);
    assert_eq!(device.read_ahead_kib(), before);
}

#[test]
fn advice_is_that_of_its_stream() {
    let Some(device) = Loop::new() else { return };
    let requests = |stream: &str| device.requests(&device.measured("", stream));
    // Page by page where nothing is read ahead.
    assert!(requests("advice=\"random\"") >= SIZE >> 12);
    assert!(requests("advice=\"normal\"") <= SIZE >> 14);
    assert!(requests("advice=\"sequential\"") <= SIZE >> 14);
    // Two streams of one device, each with an open file of its own.
    let record = device.measured("region=\"own\"", "advice=\"random\" count=2");
    assert!(device.requests(&record) >= SIZE >> 12);
}

#[test]
fn what_has_no_such_setting_is_told_before() {
    if !std::path::Path::new("/dev/shm").is_dir() {
        return;
    }
    let text = r#"study "kernel"
layout { file "f" size="1 MiB" directory="/dev/shm" }
workload cache="buffered" kernel-readahead="64 KiB" { streams "r" over="f" block="4 KiB" }
"#;
    let source = iopath_study::Source { name: "kernel.kdl".to_owned(), text: text.to_owned() };
    let cases = iopath_study::parse(&source, &[]).unwrap().cases().unwrap();
    let mut targets = Targets::new(Root::live(), std::env::temp_dir());
    let found = targets.obstacles(&cases, &[], &AtomicBool::new(false));
    let texts: Vec<_> = found.iter().map(ToString::to_string).collect();
    assert!(texts.iter().any(|text| text.contains("remove kernel-readahead")), "{texts:?}");
}
