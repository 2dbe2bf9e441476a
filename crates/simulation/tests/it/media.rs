//! Arms of disks: what it costs to move between places, and what does not.

use crate::model::{assert_near, case, network, run, window};

/// Requests of 1 MiB pass in 10 ms, and it takes 10 ms to reach another place, however many wait.
fn disk(streams: &str) -> f64 {
    let text = format!(
        "path {{ host \"h\" {{
            disk \"d\" size=\"100 GB\" stream=(given)\"104857600 B/s\" position=(given)\"10 ms\" \\
                position-queued=(given)\"10 ms\" variability=0.0001
         }} }}
         workload {{ streams \"s\" over=\"h.d\" op=\"read\" block=\"1 MiB\" {streams} }}"
    );
    window(&run(&text, 60), "s").per_sec()
}

#[test]
fn one_stream_reaches_its_place_for_nothing() {
    assert_near(disk("depth=1"), 100.0, 1e-3);
    assert_near(disk("depth=8"), 100.0, 1e-3);
}

#[test]
fn streams_that_wait_with_one_request_each_move_the_arm_each_time() {
    assert_near(disk("count=4 depth=1"), 50.0, 1e-3);
}

#[test]
fn what_follows_a_request_that_waits_is_served_with_it_in_runs_of_sixteen() {
    // 10 ms for each and 10 ms for the way to the first.
    assert_near(disk("count=4 depth=4"), 100.0 * 16.0 / 17.0, 5e-3);
    // Of 40 runs each is forgotten before its next requests come, four together: 32 are known.
    assert_near(disk("count=40 depth=4"), 100.0 * 4.0 / 5.0, 5e-3);
}

#[test]
fn what_comes_when_the_last_of_a_run_is_served_already_is_no_part_of_it() {
    // Two are served together, and the next of the stream comes with the first one's end.
    assert_near(disk("count=4 depth=2"), 100.0 * 2.0 / 3.0, 5e-3);
}

#[test]
fn random_requests_move_the_arm_however_many_wait() {
    assert_near(disk("depth=16 pattern=\"random\""), 50.0, 1e-2);
}

/// Five or six disks with parity that need 6 ms to reach another place and turn in 4.
fn parity(level: u32, disk: &str, load: &str) -> String {
    format!(
        "path {{ host \"h\" {{ raid \"r\" level={level} segment=\"64 KiB\" {{
            disk count={} size=\"100 GB\" stream=(given)\"104857600 B/s\" \\
                position=(given)\"6 ms\" {disk}
         }} }} }}
         workload {{ streams \"s\" over=\"h.r\" op=\"write\" pattern=\"random\" {load} }}",
        level.max(5)
    )
}

/// Requests per second of the tightest bound and of a simulation.
fn both(text: &str, bytes: f64) -> [f64; 2] {
    let case = case(text);
    let bounds = iopath_analytic::evaluate(&case, &network(&case)).bounds;
    let bound = bounds.last().expect("disks limit").bytes_per_sec as f64;
    [bound / bytes, window(&run(text, 60), "s").per_sec()]
}

#[test]
fn a_read_modify_write_seeks_once_and_waits_for_the_place_to_come_round() {
    let even = "variability=0.0001";
    for (kib, level) in [(4, 5), (64, 5), (4, 6)] {
        let bytes = f64::from(kib) * 1024.0;
        let (passing, load) = (bytes / 104_857_600.0, format!("block=\"{kib} KiB\" depth=1"));
        let [_, seeks] = both(&parity(level, even, &load), bytes);
        assert_near(seeks, 1.0 / (6e-3 + passing + 6e-3 + passing), 2e-3);
        let turns = format!("{even} rotation=(given)\"4 ms\"");
        let [bound, found] = both(&parity(level, &turns, &load), bytes);
        // The write begins one turn after the read did.
        let closed = 1.0 / (6e-3 + 4e-3 + passing);
        assert_near(found, closed, 2e-3);
        assert_near(bound, closed, 2e-3);
    }
}

#[test]
fn no_write_with_parity_is_faster_than_its_bound() {
    let disks = ["", "position-queued=(given)\"3 ms\" rotation=(given)\"4 ms\""];
    let mut faster = Vec::new();
    for (level, disk) in [(5, disks[0]), (5, disks[1]), (6, disks[1])] {
        for (kib, strides) in
            [(4, [320, 4096]), (48, [96, 336]), (64, [128, 320]), (192, [384, 1920])]
        {
            let strides = strides.map(|stride| format!("strided\" stride=\"{stride} KiB"));
            let plain = ["random".to_owned(), "sequential".to_owned()];
            for (pattern, depth) in
                plain.iter().chain(&strides).flat_map(|one| [(one, 1), (one, 9)])
            {
                let load = format!("block=\"{kib} KiB\" depth={depth}");
                let text = parity(level, disk, &load)
                    .replace("pattern=\"random\"", &format!("pattern=\"{pattern}\""));
                let [bound, found] = both(&text, f64::from(kib) * 1024.0);
                let name = format!("level {level}, {pattern}, {load}: {found} of {bound}");
                faster.extend((found > bound * 1.02).then_some(name));
            }
        }
    }
    assert!(faster.is_empty(), "{faster:#?}");
}

/// One disk that moves in 8 ms, in 2 with many waiting, and passes 1 MiB in 10; a strided stream.
fn strided(stride: &str, depth: u32) -> [f64; 2] {
    let text = format!(
        "path {{ host \"h\" {{
            disk \"d\" size=\"100 GB\" stream=(given)\"104857600 B/s\" position=(given)\"8 ms\" \\
                position-queued=(given)\"2 ms\" variability=0.0001
         }} }}
         workload {{ streams \"s\" over=\"h.d\" op=\"read\" block=\"64 KiB\" pattern=\"strided\" \\
             stride=\"{stride}\" depth={depth} }}"
    );
    both(&text, 65536.0)
}

#[test]
fn an_arm_passes_over_a_short_stride_and_moves_over_a_long_one() {
    let passing = 65536.0 / 104_857_600.0;
    for depth in [1, 8] {
        for per_sec in strided("192 KiB", depth) {
            assert_near(per_sec, 1.0 / (3.0 * passing), 1e-3);
        }
    }
    for per_sec in strided("16 MiB", 1) {
        assert_near(per_sec, 1.0 / (passing + 8e-3), 1e-3);
    }
    assert_near(strided("16 MiB", 8)[0], 1.0 / (passing + 2e-3), 1e-3);
}

#[test]
fn no_stride_is_faster_than_its_bound_nor_are_bounds_of_long_ones_without_moves() {
    let disk = "stream=(given)\"200 MB/s\" position=(given)\"8 ms\" variability=0.0001";
    let over = |layout: &str, load: &str| {
        format!(
            "path {{ host \"h\" {{ disk \"d\" count=4 size=\"100 GB\" {disk} }} }}
             layout {{ {layout} }}
             workload {{ streams \"s\" over=\"v\" pattern=\"strided\" {load} }}"
        )
    };
    let layouts = [
        "stripe \"v\" unit=\"64 KiB\" over=\"h.d\"",
        "stripe \"v\" unit=\"64 KiB\" largest-request=\"32 KiB\" over=\"h.d\"",
        "concat \"v\" largest-request=\"16 KiB\" over=\"h.d[0]\"",
        "filesystem \"fs\" on=\"h.d[0]\" record=\"128 KiB\"; file \"v\" on=\"fs\" size=\"64 GiB\"",
        // Few places: the block next to one comes round before the arm has left it for good.
        "filesystem \"fs\" on=\"h.d[0]\"; file \"v\" on=\"fs\" size=\"64 MiB\"",
        "stripe \"w\" unit=\"64 KiB\" over=\"h.d\"; filesystem \"fs\" on=\"w\"; \
         file \"v\" on=\"fs\" size=\"64 MiB\"",
    ];
    for layout in layouts {
        for (kib, stride) in [(8, 24), (64, 192), (128, 384), (8, 16384), (128, 17408)] {
            let load = format!("block=\"{kib} KiB\" stride=\"{stride} KiB\" depth=4");
            let [bound, found] = both(&over(layout, &load), f64::from(kib) * 1024.0);
            assert!(found < bound * 1.01, "{layout} {load}: {found} of {bound}");
            let is_far = stride > 10_000 && !layout.contains("64 MiB");
            assert!(!is_far || bound < 4.0 / 8e-3, "{layout} {load}: {bound} without moves");
        }
    }
}

#[test]
fn a_sequential_writer_alone_waits_for_the_place_to_come_round() {
    let load = "block=\"64 KiB\" depth=1";
    let turns = "variability=0.0001 rotation=(given)\"4 ms\"";
    let sequential = |text: &str| text.replace("pattern=\"random\"", "");
    let [bound, found] = both(&sequential(&parity(5, turns, load)), 65536.0);
    // The write begins one turn after the read did.
    assert_near(bound, 1.0 / (4e-3 + 65536.0 / 104_857_600.0), 2e-3);
    // So does the next read of the parity, but for that of the next of four rows.
    assert_near(found, 4.0 / (3.0 * 8e-3 + 4e-3 + 65536.0 / 104_857_600.0), 2e-3);
}

#[test]
fn scans_of_a_volume_with_parity_are_as_fast_as_their_bound() {
    for level in [5, 6] {
        // A whole period: one stripe for each disk.
        let disks = f64::from(level.max(5));
        let data = disks - if level == 6 { 2.0 } else { 1.0 };
        let kib = 64.0 * data * disks;
        let load = format!("op=\"read\" pattern=\"sequential\" block=\"{kib} KiB\" depth=8");
        let text = parity(level, "", &load).replace("op=\"write\" pattern=\"random\"", "");
        let [bound, found] = both(&text, kib * 1024.0);
        let passed = data * 104_857_600.0 / (kib * 1024.0);
        assert_near(bound, passed, 1e-6);
        assert_near(found, passed, 1e-2);
    }
}
