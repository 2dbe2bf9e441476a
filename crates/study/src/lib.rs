//! Study files: text to Study to Cases to Plan; the only crate that knows KDL.
//!
//! A text becomes a tree whose every word knows its place (`syntax`), the tree becomes
//! declarations by closed tables of kinds and properties (`language`, `declaration`), assignments
//! and the levels of factors edit declarations (`scene`), declarations become instances and cases
//! (`instances`, `resolve`). All mistakes are collected on the way and reported at once.
//!
//! ```
//! use iopath_study::{Assignment, Source, parse};
//! let text = r#"
//! study "blocks on a scratch file"
//! layout { file "data" size="1 GiB" }
//! workload time="5 s" { streams "reader" over="data" pattern="random" }
//! vary { factor "block" of="reader.block" "4 KiB" "64 KiB" }
//! "#;
//! let source = Source { name: "blocks.kdl".into(), text: text.into() };
//! let set = Assignment::parse("reader.depth=8").unwrap();
//! let cases = parse(&source, &[set]).unwrap().cases().unwrap();
//! assert_eq!(cases.len(), 2);
//! assert_eq!(cases[1].streams[0].block.to_string(), "64 KiB");
//! ```
#![warn(missing_docs)]

pub mod assignment;
pub mod attach_path;
pub mod case;
mod chosen;
pub mod deal;
pub mod declaration;
mod document;
mod epochs;
pub mod experiment;
mod include;
mod instances;
mod inventory;
pub mod language;
pub mod mistake;
pub mod nearest;
pub mod open_loop;
mod parameters;
mod parts;
pub mod paths;
pub mod placeable;
pub mod plan;
mod print;
pub mod procedure;
pub mod published;
mod resolve;
mod scaling;
mod scene;
pub mod selector;
mod sets;
pub mod source;
pub mod spc1;
pub mod step;
pub mod study;
mod syntax;
pub mod system;
mod text;
mod typical;
mod unused;
pub mod value;
pub mod vary;
pub mod words;

pub use assignment::Assignment;
pub use case::Case;
pub use epochs::Epochs;
pub use include::includes;
pub use inventory::Item;
pub use language::Class;
pub use mistake::{Mistake, MistakeKind, Mistakes};
pub use open_loop::CannotOpen;
pub use parameters::Parameter;
pub use parts::catalogue_part;
pub use plan::{Order, Plan, Trial};
pub use print::{is_plain, quoted};
pub use scaling::{CannotScale, NoScale, Scale};
pub use selector::unindexed;
pub use sets::Asked;
pub use source::Source;
pub use step::Step;
pub use study::{Sources, Study, parse, parse_asked, parse_with};
pub use system::{PartId, System};
