//! A run under way: followed while it tells, and then its report.

use iopath_record::{DevicesMoved, Live, Moved, Progress};
use iopath_store::{LiveWriter, RunState};

use crate::hosted::{Hosted, finished, new_run, record};

fn sample(elapsed_s: u64, bytes: u64) -> Live {
    let name = "<b>reader</b>".to_owned();
    let streams = ["second".to_owned(), name].map(|name| Moved { name, bytes: bytes / 2 });
    let elapsed_ns = elapsed_s * 1_000_000_000;
    let busiest = vec![Moved { name: "sda".to_owned(), bytes: 2 * bytes }];
    let devices = DevicesMoved { sampled_ns: elapsed_ns, count: 2, busiest };
    let streams = streams.to_vec();
    let progress = Progress::Running { elapsed_ns, bytes, operations: 1, streams, devices };
    Live {
        title: "Two readers".to_owned(),
        label: "depth=4".to_owned(),
        trial: 1,
        trials: 3,
        pass: 0,
        done_ns: elapsed_ns,
        whole_ns: Some(60_000_000_000),
        progress,
    }
}

#[test]
fn a_run_under_way_is_followed_until_it_ends() {
    let hosted = Hosted::new();
    let store = hosted.store();
    finished(&store, "before");
    let run = store.begin_run(&new_run("iopath measure")).unwrap();
    assert!(hosted.page("").contains("href=\"runs/2/live\""));
    assert!(hosted.page("runs/2/live").contains("no news"));
    let writer = LiveWriter::open(&hosted.file(), run).unwrap();
    for (elapsed_s, bytes) in [(1, 0), (2, 1_000_000_000), (3, 4_000_000_000)] {
        writer.write(&sample(elapsed_s, bytes)).unwrap();
    }
    let page = hosted.page("runs/2/live");
    for part in [
        "Two readers · run 2",
        "<p class=\"verdict\">3.000 GB/s</p>",
        "trial 2 of 3: depth=4, pass 1",
        "about 57 s left",
        "value=\"0.0500\"",
        "<polyline",
        "1.500 GB/s",
        "&lt;b&gt;reader&lt;/b&gt;",
        "devices, the busiest 1 of 2",
        "<td>sda</td><td class=\"number\">6.000 GB/s</td>",
    ] {
        assert!(page.contains(part), "{part}:\n{page}");
    }
    assert!(!page.contains("<b>reader"));
    // What is stored of it so far is there as well.
    store.append(run, &record("Two readers", 0)).unwrap();
    assert!(hosted.page("runs/2").contains("href=\"2/live\""));
    store.end_run(run, &RunState::Finished, 1).unwrap();
    let answered = hosted.get("runs/2/live");
    assert_eq!(answered.status, 302);
    assert!(answered.head.contains("location: ../2"), "{}", answered.head);
    assert!(!hosted.page("").contains("/live\""));
    assert_eq!(hosted.get("runs/3/live").status, 404);
}
