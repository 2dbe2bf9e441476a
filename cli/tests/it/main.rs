//! The program as a user runs it: built binary, real files, a store of each test's own.

mod cases;
mod daemon;
mod devices;
mod discover;
mod emulate;
mod ends;
mod explanations;
mod faults;
mod golden;
mod import;
mod loopback;
mod measure;
mod mistakes;
mod pathed;
mod predict;
mod program;
mod relays;
mod reports;
mod runs;
mod shape;
mod simulate;
mod studies;
mod texts;
mod validate;
mod volumes;
mod watch;
