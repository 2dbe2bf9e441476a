//! Real HTTP over a real port, to stores of the tests.

mod hosted;
mod list;
mod live;
mod refusals;
mod reports;
