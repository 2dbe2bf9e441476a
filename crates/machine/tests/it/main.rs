//! The machine crate against imitated machines and, as root, against real loop devices.

use std::io::Write;

mod counters;
mod extents;
mod graph;
mod group_limits;
mod hardware;
mod identity;
mod loops;
mod mapped;
mod path_counters;
mod refusals;
mod setting_ranges;
mod settings;
mod signatures;
mod tree;

/// Says which test found its conditions missing, past the harness, which swallows what is printed.
fn not_run(why: &str) {
    let test = std::thread::current();
    let name = test.name().unwrap_or("a test");
    // Nobody listening is no reason to fail.
    let _ = writeln!(std::io::stderr().lock(), "not run: {name}: {why}");
}
