//! Small requests on a link that large ones fill.

use iopath_record::Latency;

use crate::model::{assert_near, run, window};

/// Four requests of 4 MiB and one of 4 KiB in flight over a link of 200 MB/s.
const MIXED: &str = "path { host \"h\" { link \"l\" both=\"200 MB/s\" {
        part \"big\" size=\"1 GiB\"
        part \"small\" size=\"1 GiB\"
    } } }
    workload {
        streams \"large\" over=\"h.l.big\" op=\"read\" block=\"4 MiB\" depth=4
        streams \"short\" over=\"h.l.small\" op=\"read\" block=\"4 KiB\" depth=1
    }";

#[test]
fn a_small_request_waits_for_turns_and_not_for_whole_requests() {
    let record = run(MIXED, 20);
    let (waited, _) = window(&record, "short").latency(Latency::Total);
    // One turn of 512 KiB of each of the four is in front of it, and its own 4 KiB: 10.5 ms. In
    // one piece each of them would take 84.
    let turn = 512.0 * 1024.0 / 200e6;
    assert_near(waited, 4.0 * turn + 4096.0 / 200e6, 0.02);
}

#[test]
fn turns_leave_the_throughput_of_a_full_link_as_it_is() {
    let record = run(MIXED, 20);
    let groups = ["large", "short"].map(|group| window(&record, group).bytes_per_sec());
    assert_near(groups[0] + groups[1], 200e6, 1e-3);
}
