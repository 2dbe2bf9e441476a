//! Quantities: bytes, rates, time, operations; parsed and printed in one way only.
//!
//! A quantity has two printed forms. `Display` is exact and can be parsed again
//! (`parse(print(x)) == x`, the form of study files); [`Human`] is rounded to four digits for
//! people. `MB` is 10^6 bytes, `MiB` is 2^20, `Mb` is bits (IEC 80000-13).
//!
//! ```
//! use iopath_units::{ByteRate, Bytes, Human, Nanos, System};
//! assert_eq!("128 KiB".parse::<Bytes>().unwrap(), Bytes(131_072));
//! assert_eq!("195 MB/s".parse::<ByteRate>().unwrap(), ByteRate(195_000_000));
//! assert_eq!("1.5 ms".parse::<Nanos>().unwrap().to_string(), "1500 us");
//! assert_eq!(Bytes(8_589_934_592).human(System::Decimal), "8.590 GB");
//! ```
#![warn(missing_docs)]

mod action;
mod bytes;
mod error;
mod human;
mod number;
mod op;
mod operations;
mod ratio;
mod time;

pub use action::Action;
pub use bytes::{ByteRate, Bytes};
pub use error::UnitError;
pub use human::{Human, System};
pub use op::Op;
pub use operations::OperationRate;
pub use ratio::Ratio;
pub use time::Nanos;
