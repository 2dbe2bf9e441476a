//! The entities of a record that a model makes of a case and its network, and their relations.
//!
//! Every model tells of the same things by the same names, so that whoever reads its record needs
//! to know nothing of the model. What models differ in they give: which streams are alike
//! ([`StreamClass`]), which components carry something and which of them are alike ([`Table`]),
//! and what flowed ([`Flows`]). Counters are the model's own.

mod case;
mod classes;
mod layers;
mod limits;
mod loads;
mod names;
mod relations;
mod shared_path;
mod streams;
mod table;
mod uncounted;

pub use case::case_text;
pub use limits::{is_apart, limits_of, per_server};
pub use loads::Load;
pub use names::declarations;
pub use relations::{Flow, Flowed, Flows, related, relations};
pub use shared_path::{CountedDevice, SharedComponents, carriers};
pub use streams::StreamClass;
pub use table::{OfClass, Table};
