//! Why there is no value, `iopath-error/1`.

use serde::Serialize;
use serde_json::Value;

use super::versioned;

#[derive(Serialize)]
struct Refused<'a> {
    error: &'a str,
}

/// What a server answers a program instead of what it asked for.
#[must_use]
pub fn error_json(error: &str) -> Value {
    versioned("iopath-error/1", &Refused { error })
}
