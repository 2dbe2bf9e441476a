//! A described system as files that answer as it would: FUSE requests to the simulation, in real
//! time.
//!
//! Each target of a case is a file in one mounted directory. One thread reads requests from the
//! kernel, hands them to the world that `simulate` runs, and answers each at the time at which the
//! world says it is done (timing-accurate storage emulation: Griffin et al., FAST 2002). Its clock
//! never runs ahead of the wall's, as a request that comes later changes when those before it are
//! done. How late each answer was is counted ([`Lateness`]).
//!
//! Reading order: `server`, the loop; `connection`, what the kernel says and hears, in the words of
//! `abi` and `request`; `files`, the directory; `media`, the data, and
//! `volatile`, what of it a failure takes; `wait`, how an instant is met; `arrivals`, requests in a
//! file.
//! Left out: several threads for large requests.

mod abi;
mod arrivals;
mod connection;
mod control;
mod exports;
mod files;
mod lateness;
mod media;
mod mounting;
mod opens;
mod reply;
mod request;
mod server;
mod setup;
mod trouble;
mod volatile;
mod wait;

pub use abi::LARGEST_REQUEST;
pub use arrivals::Arrivals;
pub use control::{Report, ask, fail, moment};
pub use exports::{Export, bind, exports};
pub use lateness::{Lateness, is_in_time};
pub use server::serve;
pub use setup::{ExportFile, Fail, Setup};
pub use trouble::Trouble;
