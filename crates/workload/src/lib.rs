//! Seeded generators that simulation and measurement share: which part of a target a stream uses
//! ([`Span`]), its requests ([`Requests`]) and their times ([`ArrivalTimes`]), what a verified
//! block holds ([`stamp`]), which generation of it must be there ([`generations`]) or, after a
//! crash, may be ([`journal`]), what is read ahead of a reader ([`readahead`]), how streams read
//! behind others that write ([`behind`]), when writes are flushed ([`flushes`]), and the random
//! numbers of all these ([`Source`]).
//!
//! Everything is a function of the stream and the seed of the study: the same both give the same
//! requests, and a stream that is added or left out shifts nothing for the others. Memory is
//! taken by constructors only, so a request costs a few nanoseconds. Seeds are expanded by
//! `SplitMix64` and numbers drawn by xoshiro256++ (Blackman, Vigna: Scrambled linear
//! pseudorandom number generators, ACM TOMS 47, 2021). Patterns with a power or a logarithm in
//! them (zipf, Poisson) are the same wherever the mathematical library rounds alike.
//!
//! Left out: who issues requests, when they are done, and the clock.
//!
//! ```
//! use iopath_study::case::{Advice, Modelled, Pacing, Pattern, Region, Sharing, Stream, SyncMode};
//! use iopath_study::source::Place;
//! use iopath_units::{Action, Bytes, Op, Ratio};
//! use iopath_workload::{Request, Requests, Span};
//!
//! let stream = Stream {
//!     name: "reader[1]".into(),
//!     group: "reader".into(),
//!     ordinal: 1,
//!     place: Place::default(),
//!     target: 0,
//!     action: Action::Transfer,
//!     reads: Ratio::ONE,
//!     pattern: Pattern::Sequential,
//!     region: Region { sharing: Sharing::Own, index: 1, count: 2 },
//!     block: Bytes(4096),
//!     depth: 1,
//!     pacing: Pacing::Closed,
//!     advice: Advice::Normal,
//!     sync: SyncMode::None,
//!     after: None,
//!     modelled: Modelled::default(),
//! };
//! let span = Span::of(&stream, 65536).unwrap();
//! let mut requests = Requests::new(&stream, span, 1).unwrap();
//! let first = requests.next_request();
//! assert_eq!(first, Request { op: Op::Read, offset: 32768, bytes: 4096, sub: 0 });
//! ```

mod random;
mod span;
mod unfit;

mod requests;

mod arrivals;

pub mod behind;
pub mod flushes;
pub mod generations;
pub mod journal;
pub mod readahead;
pub mod stamp;

pub use arrivals::ArrivalTimes;
pub use random::{Coin, Purpose, Source};
pub use requests::{Request, Requests, Seeds};
pub use span::Span;
pub use unfit::Unfit;
