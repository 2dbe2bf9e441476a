//! The machine crate against imitated machines and, as root, against real loop devices.

mod counters;
mod graph;
mod loops;
mod refusals;
mod signatures;
mod tree;

/// Says which test found its conditions missing.
#[expect(clippy::print_stdout, reason = "the harness shows it to whoever runs the tests")]
fn not_run(why: &str) {
    println!("not run: {why}");
}
