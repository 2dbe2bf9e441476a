//! Findings to text, HTML and JSON.
//!
//! A view of a run is made into a document, whose first section is the answer; text and page are
//! renderers of it. Text is returned, never printed, and knows nothing of terminals but a width;
//! JSON carries every finding unrounded. The format of JSON is described in `docs/findings.md`.

mod check;
mod comparison;
pub mod compose;
mod crash;
pub mod document;
mod emulation;
mod explanation;
mod fastest;
pub mod html;
mod import;
mod json;
mod list;
mod live;
mod look;
mod numbers;
mod prediction;
mod probe;
mod run;
mod sections;
mod simulation;
pub mod text;
mod tree;
mod validation;
mod view;
mod watch;
mod words;

pub use check::{CheckFinding, CheckReport, check_json};
pub use comparison::comparison_json;
pub use crash::{CrashReport, crash_json};
pub use emulation::{Alone, EmulatedCase, EmulatedEpoch, emulation_json};
pub use explanation::explanation_json;
pub use import::{ImportedFile, import_json};
pub use json::render_json;
pub use list::{ListedRun, list_json};
pub use live::{Device, Following, Place, Point, following_json, following_lines};
pub use look::{Color, Detail, Look, Tone};
pub use prediction::{Carried, Lost, PredictedCase, Removal, Timing, prediction_json};
pub use probe::{PROBE_TITLE, Probed, probe_json};
pub use run::{Drawn, RunReport, TrialReport};
pub use simulation::{Seed, SimulatedCase, Simulation, simulation_json};
pub use tree::{NamedTree, render_trees, tree_json};
pub use validation::{sensitivity_json, validation_json};
pub use view::{DescribedPath, RunFacts, RunView};
pub use watch::{Line, Mark, Stored, Watched, frame, watch_json};
pub use words::advice::AdviceText;
pub use words::verdict::verdict;
