//! Records to SQLite and back; the only crate that knows SQL.
//!
//! A [`Store`] is one file that holds runs and the records of each. A record is durable when
//! [`Store::append`] returns: neither kill -9 nor a power cut takes it away or damages the file,
//! and several processes may write at once. Nothing of that is ever deleted or changed, but that a
//! run gets its end. What a run means is computed from its records each time it is shown.
//!
//! Besides, a run tells once a second how far it is ([`LiveWriter`]); others follow the file. That
//! is forgotten as soon as the record is there.
//!
//! ```
//! # let folder = tempfile::tempdir().unwrap();
//! # let path = folder.path().join("runs.db");
//! use iopath_store::{NewRun, RunState, Store};
//! let store = Store::open(&path)?;
//! let text = str::to_owned;
//! let run = store.begin_run(&NewRun {
//!     command: text("iopath measure"),
//!     study: text("study \"Quick look\""),
//!     version: text("0.1.0"),
//!     started_unix_ns: 1_790_000_000_000_000_000,
//!     host: text("server1"),
//! })?;
//! store.end_run(run, &RunState::Finished, 1_790_000_060_000_000_000)?;
//! assert_eq!(store.resolve("last")?, run);
//! # Ok::<(), iopath_store::StoreError>(())
//! ```

mod error;
mod list;
mod live;
mod open;
mod place;
mod run;
mod schema;
mod store;
mod transfer;

pub use error::StoreError;
pub use list::{Found, Search};
pub use live::{LiveWriter, Told};
pub use place::default_path;
pub use run::{NewRun, Run, RunEnd, RunId, RunState, RunSummary};
pub use store::Store;
pub use transfer::EXPORT_FORMAT;
