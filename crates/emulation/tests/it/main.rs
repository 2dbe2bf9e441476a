//! Plans of studies, and emulations on this machine: real daemons, mounts and loop devices, made
//! and removed.

use std::io::Write;

mod bench;
mod bring_up;
mod crashes;
mod in_use;
mod plans;
mod rates;
mod refusals;
mod shares;
mod studies;

/// Says which test found its conditions missing, past the harness, which swallows what is printed.
fn not_run(why: &str) {
    let test = std::thread::current();
    let name = test.name().unwrap_or("a test");
    // Nobody listening is no reason to fail.
    let _ = writeln!(std::io::stderr().lock(), "not run: {name}: {why}");
}
