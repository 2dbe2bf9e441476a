//! Needs and choices to the builds that carry them.
//!
//! A template is an experiment whose factors are choices: counts of components, or alternatives.
//! What each build costs is known beforehand ([`Bill`]); whether it carries what is needed is asked
//! of a [`Model`] ([`Needs`] says what is short). [`cheapest`] asks for as few builds as it
//! can, and proves that nothing cheaper carries it. [`placement`] moves what there is already to
//! where it carries most; [`tuning`] finds the best levels of what can be set, with few trials. It
//! leaves out which technique answers, and how a build is made of its template.
#![warn(missing_docs)]

mod asking;
mod bill;
mod choice;
mod count;
mod floors;
mod growth;
mod need;
pub mod placement;
mod search;
pub mod tuning;
mod walk;

pub use bill::{Bill, Measure};
pub use choice::Choice;
pub use count::{Count, Failing};
pub use floors::Busy;
pub use growth::Growth;
pub use need::{Compared, Judged, Needs, Offered, Requests, Unit, usable};
pub use search::{Answer, Builds, Model, Search, cheapest};
