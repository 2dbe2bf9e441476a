//! Records to SQLite and back; the only crate that knows SQL.
