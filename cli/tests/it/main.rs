//! The program as a user runs it: built binary, real files, a store of each test's own.

mod program;
